package excerpts

import (
	"context"
	"crypto/sha256"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
	"frontdesk/wire/receipt"
)

// Event is a platform's report: a citation, or its own count of an access.
type Event struct {
	// Signature is the platform's; where events need none, only Key.Platform is set, and Nonce is
	// empty.
	Signature
	ID       string // event_id
	Digest   [sha256.Size]byte
	Kind     string // intent.EventAccess or intent.EventCitation
	StatedAt time.Time
	// Request is the id of the request that it is about.
	Request string
	// PublisherID and Domain are whom it names.
	PublisherID, Domain string

	// Of a citation: SourceURL and Chunks say what was shown, Surface where. Of a surface that is
	// more than a name ("footnote") the ledger tells only that it was another.
	SourceURL string
	Chunks    []string
	Surface   string
	// Of an access: what the platform counted.
	Returned, Tokens int
	Mode             string
}

// EventResult is the outcome of a report.
type EventResult struct {
	Replay  bool   // it was reported before
	Entry   string // of the ledger
	Verdict string // what our own records say of it
}

// The verdicts on events.
const (
	VerdictAgrees  = "agrees"  // it fits what we know
	VerdictDiffers = "differs" // an access that the platform counts otherwise than we do
	VerdictEarly   = "early"   // it is stated to have happened before the access that it is about
	VerdictAhead   = "ahead"   // it is stated to happen after it was reported
)

// Cite takes an event that a platform reports, held against what was really given, and puts it into
// the ledger, in one transaction. An event that was reported before changes nothing. The error is a
// *[Refusal] with Replayed, RateLimited, EventConflict for another event under its id, or
// Unprocessable for one that does not fit.
func (s *Service) Cite(ctx context.Context, e Event) (*EventResult, error) {
	r := report{e, s, s.deps.Policy(), s.deps.Now().UTC().Truncate(time.Microsecond)}
	var tooMany *Refusal
	if err := s.deps.AdmitEvent(ctx, e.Key); err != nil {
		tooMany = refuseLimited(err)
	}
	var out *EventResult
	var refusal *Refusal
	err := s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		out, refusal = nil, nil
		if e.Nonce != "" {
			if refusal, err = s.useNonce(ctx, tx, e.Signature); err != nil || refusal != nil {
				return err
			}
		}
		if refusal = tooMany; refusal == nil {
			out, refusal, err = r.record(ctx, tx)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return nil, refusal
	}
	return out, nil
}

// report is an event on its way, with what it is held against.
type report struct {
	Event
	service *Service
	policy  *Policy
	now     time.Time
}

// record records the event, unless it was reported before or does not fit what was given.
func (r report) record(ctx context.Context, tx *store.Tx) (*EventResult, *Refusal, error) {
	before, known, err := grants.FindEvent(ctx, tx, r.Key.Platform, r.ID)
	switch {
	case err != nil:
		return nil, nil, err
	case known && before.Digest != r.Digest:
		return nil, refuse(EventConflict,
			"Another event has this event_id; events are never changed, report a new one."), nil
	case known:
		return &EventResult{Replay: true, Entry: before.Entry, Verdict: before.Verdict}, nil, nil
	}
	asked, known, err := grants.Find(ctx, tx, r.Key.Platform, r.Request)
	if err != nil {
		return nil, nil, err
	}
	if refusal := r.unfit(asked, known); refusal != nil {
		return nil, refusal, nil
	}
	out := &EventResult{Verdict: r.verdict(asked)}
	if out.Entry, err = r.appendEntry(ctx, tx, asked, out.Verdict); err != nil {
		return nil, nil, err
	}
	return out, nil, grants.PutEvent(ctx, tx, grants.Event{
		Platform: r.Key.Platform, ID: r.ID, Digest: r.Digest, Request: r.Request, Kind: r.Kind, Entry: out.Entry,
		Verdict: out.Verdict, At: r.now,
	})
}

// unfit says why an event does not fit the request that it is about.
func (r report) unfit(asked grants.Request, known bool) *Refusal {
	publisher := r.policy.Publisher
	switch {
	case r.PublisherID != publisher.ID || !strings.EqualFold(r.Domain, publisher.Domain):
		return refuse(Unprocessable, "The event is about another publisher; this one is %s at %s.",
			publisher.ID, publisher.Domain)
	case !known:
		return refuse(Unprocessable, "No request of this platform with this request_id is known.")
	case asked.Outcome != grants.OutcomeOK:
		return refuse(Unprocessable, "The request with this request_id was given nothing.")
	case r.Kind != intent.EventCitation:
		return nil
	}
	given := map[string]string{}
	for _, c := range asked.Answer.Chunks {
		given[chunkID(c)] = policy.ASCIIAddress(c.URL)
	}
	if !slices.Contains(slices.Collect(maps.Values(given)), r.SourceURL) {
		return refuse(Unprocessable, "source_url was not among the citations of the answer to this request.")
	}
	for _, id := range r.Chunks {
		switch url, ok := given[id]; {
		case !ok:
			return refuse(Unprocessable, "The answer to this request had no chunk %q.", fail.Clip(id))
		case url != r.SourceURL:
			return refuse(Unprocessable, "Chunk %q is not of source_url; report each source by itself.", id)
		}
	}
	return nil
}

// verdict holds an event against the request that it is about.
func (r report) verdict(asked grants.Request) string {
	given := asked.Answer
	counted := r.Returned == len(given.Chunks) && r.Tokens == given.Tokens && r.Mode == intent.RetrievalChunks
	switch {
	case r.Kind == intent.EventAccess && !counted:
		return VerdictDiffers
	case r.StatedAt.Before(asked.At.Add(-freshness)):
		return VerdictEarly
	case r.StatedAt.After(r.now.Add(freshness)):
		return VerdictAhead
	}
	return VerdictAgrees
}

// surface is how the ledger names where something was shown: by a name, and not by what a platform
// may write there freely.
func surface(name string) string {
	if name == "" || surfaceName.MatchString(name) {
		return name
	}
	return "other"
}

var surfaceName = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)

// once gives each of some ids once, in their order.
func once(ids []string) (all []string) {
	seen := map[string]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	return all
}

// citationBody and counterBody are the bodies of ledger entries of the kinds "citation" and
// "counter-receipt".
type citationBody struct {
	Event     string   `json:"event_id"`
	Access    string   `json:"access"` // the entry of the access
	SourceURL string   `json:"source_url"`
	Chunks    []string `json:"chunk_ids"`
	Surface   string   `json:"display_surface,omitzero"`
	Stated    string   `json:"stated"`
	Verdict   string   `json:"verdict"`
	Unsigned  bool     `json:"unsigned,omitzero"` // anybody may have sent it
}

type counterBody struct {
	Event    string `json:"event_id"`
	Access   string `json:"access"`
	Returned int    `json:"chunks_returned"`
	Tokens   int    `json:"token_count"`
	Mode     string `json:"retrieval_mode"`
	Stated   string `json:"stated"`
	Verdict  string `json:"verdict"`
	Unsigned bool   `json:"unsigned,omitzero"`
}

// appendEntry puts the event into the ledger, and gives the entry's id.
func (r report) appendEntry(ctx context.Context, tx *store.Tx, asked grants.Request, verdict string) (string, error) {
	entry := receipt.Entry{
		Time: r.now, Site: asked.Answer.Chunks[0].Site, Kind: "citation",
		Party: "platform:" + r.Key.Platform, Request: r.Request,
	}
	stated, unsigned := r.StatedAt.UTC().Format(time.RFC3339Nano), r.Nonce == ""
	if r.Kind == intent.EventAccess {
		entry.Kind = "counter-receipt"
		return r.service.appendEntry(ctx, tx, entry, counterBody{
			r.ID, asked.Answer.Entry, r.Returned, r.Tokens, r.Mode, stated, verdict, unsigned,
		})
	}
	return r.service.appendEntry(ctx, tx, entry, citationBody{
		r.ID, asked.Answer.Entry, r.SourceURL, once(r.Chunks), surface(r.Surface), stated, verdict, unsigned,
	})
}
