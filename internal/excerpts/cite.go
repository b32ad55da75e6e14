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
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/wire/receipt"
)

// The kinds of events of the Agentic Intent Protocol.
const (
	EventAccess   = "access"
	EventCitation = "citation"
)

// Reported is an event that a platform reports: a citation, or how it counts an access.
type Reported struct {
	// Key is of the platform that signed it; where events need no signature, only Key.Platform is set, and Nonce is empty.
	Key    identity.PlatformKey
	Nonce  string
	Until  time.Time // until when the nonce may not be used again
	ID     string    // event_id
	Digest [sha256.Size]byte
	Kind   string
	Stated time.Time
	// Request is the id of the request that it is about.
	Request string
	// PublisherID and Domain are whom it names.
	PublisherID, Domain string

	// Of a citation: SourceURL and Chunks say what was shown, Surface where. Of a surface that is more than a name ("footnote")
	// the ledger tells only that it was another.
	SourceURL string
	Chunks    []string
	Surface   string
	// Of an access: what the platform counted.
	Returned, Tokens int
	Mode             string
}

// Noted is what became of an event.
type Noted struct {
	Again   bool   // it was reported before
	Entry   string // of the ledger
	Verdict string // what our own records say of it
}

// The verdicts on events.
const (
	Agrees  = "agrees"  // it fits what we know
	Differs = "differs" // an access that the platform counts otherwise than we do
	Early   = "early"   // it is stated to have happened before the access that it is about
	Ahead   = "ahead"   // it is stated to happen after it was reported
)

// Cite takes an event that a platform reports, held against what was really given, and puts it into the ledger, in one
// transaction. An event that was reported before changes nothing. The error is a *[Refusal] with Replayed,
// EventConflict for another event under its id, or Unprocessable for one that does not fit.
func (s *Service) Cite(ctx context.Context, r Reported) (*Noted, error) {
	owner := s.deps.Policy()
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	var noted *Noted
	var refusal, excess *Refusal
	if err := s.deps.AdmitEvent(ctx, r.Key); err != nil {
		excess = tooMany(err)
	}
	err := s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		noted, refusal = nil, nil
		if r.Nonce != "" {
			if refusal, err = s.spent(ctx, tx, r.Key, r.Nonce, r.Until); err != nil || refusal != nil {
				return err
			}
		}
		if refusal = excess; refusal != nil {
			return nil
		}
		prior, known, err := grants.FindEvent(ctx, tx, r.Key.Platform, r.ID)
		switch {
		case err != nil:
			return err
		case known && prior.Digest != r.Digest:
			refusal = refuse(EventConflict, "Another event has this event_id; events are never changed, report a new one.")
			return nil
		case known:
			noted = &Noted{Again: true, Entry: prior.Entry, Verdict: prior.Verdict}
			return nil
		}
		asked, known, err := grants.Find(ctx, tx, r.Key.Platform, r.Request)
		if err != nil {
			return err
		}
		if refusal = owner.unfit(r, asked, known); refusal != nil {
			return nil
		}
		noted = &Noted{Verdict: verdict(r, asked, now)}
		if noted.Entry, err = s.recordEvent(ctx, tx, r, asked, noted.Verdict, now); err != nil {
			return err
		}
		return grants.PutEvent(ctx, tx, grants.Event{
			Platform: r.Key.Platform, ID: r.ID, Digest: r.Digest, Request: r.Request, Kind: r.Kind, Entry: noted.Entry, Verdict: noted.Verdict, At: now,
		})
	})
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return nil, refusal
	}
	return noted, nil
}

// unfit says why an event does not fit the request that it is about.
func (e *Policy) unfit(r Reported, asked grants.Request, known bool) *Refusal {
	switch {
	case r.PublisherID != e.Publisher.ID || !strings.EqualFold(r.Domain, e.Publisher.Domain):
		return refuse(Unprocessable, "The event is about another publisher; this one is %s at %s.", e.Publisher.ID, e.Publisher.Domain)
	case !known:
		return refuse(Unprocessable, "No request of this platform with this request_id is known.")
	case asked.Outcome != grants.Ok:
		return refuse(Unprocessable, "The request with this request_id was given nothing.")
	case r.Kind != EventCitation:
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
func verdict(r Reported, asked grants.Request, now time.Time) string {
	switch {
	case r.Kind == EventAccess && (r.Returned != len(asked.Answer.Chunks) || r.Tokens != asked.Answer.Tokens || r.Mode != "chunks"):
		return Differs
	case r.Stated.Before(asked.At.Add(-freshness)):
		return Early
	case r.Stated.After(now.Add(freshness)):
		return Ahead
	}
	return Agrees
}

// surface is how the ledger tells where something was shown: by a name, and not by what a platform may write there freely.
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

// citationBody and counterBody are the bodies of ledger entries of the kinds "citation" and "counter-receipt".
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

func (s *Service) recordEvent(ctx context.Context, tx *store.Tx, r Reported, asked grants.Request, verdict string, now time.Time) (string, error) {
	e := receipt.Entry{Time: now, Site: asked.Answer.Chunks[0].Site, Kind: "citation", Party: "platform:" + r.Key.Platform, Request: r.Request}
	stated := r.Stated.UTC().Format(time.RFC3339Nano)
	if r.Kind == EventAccess {
		e.Kind = "counter-receipt"
		return s.entry(ctx, tx, e, counterBody{r.ID, asked.Answer.Entry, r.Returned, r.Tokens, r.Mode, stated, verdict, r.Nonce == ""})
	}
	return s.entry(ctx, tx, e, citationBody{r.ID, asked.Answer.Entry, r.SourceURL, once(r.Chunks), surface(r.Surface), stated, verdict, r.Nonce == ""})
}
