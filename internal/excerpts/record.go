package excerpts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
	"frontdesk/wire/receipt"
)

// accessBody is the body of a ledger entry of kind "access". It is written in the order of
// canonical JSON, so that the ledger has little to do.
type accessBody struct {
	Returned  int          `json:"chunks_returned"`
	Event     string       `json:"event_id"`
	Items     []accessItem `json:"items"`
	Platform  platformOf   `json:"platform"`
	Publisher publisherOf  `json:"publisher"`
	Mode      string       `json:"retrieval_mode"`
	Terms     string       `json:"terms"`
	Tokens    int          `json:"token_count"`
}

type publisherOf struct {
	Domain string `json:"domain"`
	ID     string `json:"id"`
}

type platformOf struct {
	ID string `json:"id"`
}

type accessItem struct {
	Chunks []string `json:"chunks"`
	Rule   int      `json:"rule"`
	URL    string   `json:"url"`
}

// recordAccess puts the access event into the ledger, and gives the entry's id.
func (r *retrieval) recordAccess(
	ctx context.Context, tx *store.Tx, record grants.Answer, out *RetrieveResult,
) (string, error) {
	body := accessBody{
		Event: out.Event, Publisher: publisherOf{Domain: r.policy.Publisher.Domain, ID: r.policy.Publisher.ID},
		Platform: platformOf{r.Key.Platform}, Returned: len(out.Chunks), Tokens: record.Tokens,
		Mode:  intent.RetrievalChunks,
		Terms: r.view.Terms.Version(),
	}
	for _, source := range out.Sources {
		body.Items = append(body.Items, accessItem{URL: source.URL, Chunks: source.Chunks})
	}
	for _, c := range record.Chunks {
		address := policy.ASCIIAddress(c.URL)
		at := slices.IndexFunc(body.Items, func(i accessItem) bool { return i.URL == address })
		body.Items[at].Rule = c.Rule
	}
	return r.service.appendEntry(ctx, tx, receipt.Entry{
		Time: out.At, Site: record.Chunks[0].Site, Kind: "access", Party: "platform:" + r.Key.Platform, Request: r.ID,
	}, body)
}

// appendEntry appends an entry with a body to the ledger, and gives its id.
func (s *Service) appendEntry(ctx context.Context, tx *store.Tx, e receipt.Entry, body any) (id string, err error) {
	if e.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	return s.deps.Ledger.Append(ctx, tx, e)
}

// notifySinks puts the access event into the outbox of those who get it.
func (r *retrieval) notifySinks(ctx context.Context, tx *store.Tx, record grants.Answer, out *RetrieveResult) error {
	var body []byte
	for _, sink := range r.service.deps.Sinks {
		if sink.Platform != "" && sink.Platform != r.Key.Platform {
			continue
		}
		if body == nil {
			var err error
			if body, err = json.Marshal(r.accessEvent(record, out), json.Deterministic(true)); err != nil {
				return fmt.Errorf("write an access event: %w", err)
			}
		}
		effect := outbox.Effect{ID: sink.Name + "/" + out.Event, Sink: sink.Name, Body: body}
		if err := outbox.Put(ctx, tx, effect, out.At); err != nil {
			return err
		}
	}
	return nil
}

// accessEvent is the event that sinks get.
func (r *retrieval) accessEvent(record grants.Answer, out *RetrieveResult) intent.Event {
	return intent.Event{
		Version: r.Version, EventID: out.Event, Type: intent.EventAccess, RequestID: r.ID,
		Timestamp: out.At.Format(time.RFC3339Nano),
		Publisher: intent.EventPublisher{ID: r.policy.Publisher.ID, Domain: r.policy.Publisher.Domain},
		Platform:  intent.EventPlatform{ID: r.Key.Platform},
		Access: &intent.Access{
			ChunksReturned: len(out.Chunks), TokenCount: record.Tokens, RetrievalMode: intent.RetrievalChunks,
		},
	}
}
