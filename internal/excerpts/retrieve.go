package excerpts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
	"frontdesk/wire/receipt"
)

// Retrieval is a request for passages whose signature was verified.
type Retrieval struct {
	Key     identity.PlatformKey
	Nonce   string
	Until   time.Time // until when the nonce may not be used again
	ID      string    // request_id
	Version string    // in which it is asked
	Digest  [sha256.Size]byte
	Stated  time.Time // when the request says it was made

	Domain, Subdomain            string
	Confidence                   *float64
	Language, Country, Placement string
	Session                      string
	Text                         string // the question, which is kept nowhere; may be empty
	// Unfit says what in the request must not be there by the protocol's own rules; empty for nothing.
	Unfit string
}

// Chunk is a passage that is given.
type Chunk struct {
	ID     string
	Text   string
	Tokens int
}

// Source is an article of which passages are given.
type Source struct {
	URL, Title, Publisher string
	Chunks                []string // ids
}

// Retrieved is what is given to a platform, as it was recorded.
type Retrieved struct {
	At                   time.Time
	Chunks               []Chunk
	Sources              []Source // those of the chunks, in their order
	Citations            bool     // the sources are to be told
	MaxChunks, MaxTokens int      // the limits in force
	LimitedByDay         bool     // the platform's share of a day is among them
	Event                string   // the id of the access event
	Entry                string   // of the ledger
	Again                bool     // the request was answered before
}

// Retrieve gives passages to a platform: of articles within the editorial domain that its request lies in, as far as
// terms, declaration and key allow, and never more of an article than the session may see. What it gives is recorded
// with the access event, in one transaction, before it returns. A request that gets nothing is recorded, too; its error
// is a *[Refusal], other errors are those of [fail].
//
// The order of checks is the published one: the nonce, enabled and state, the editorial domain, the limits. A request
// that was answered before gets the same passages, as far as today's terms allow them, and no second event. What is
// refused counts towards the limits, too.
func (s *Service) Retrieve(ctx context.Context, r Retrieval) (*Retrieved, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	owner := s.deps.Policy()
	g := s.deps.Corpus.Current()
	now := s.deps.Now()
	area, inScope := intent.Scope(owner.Domains, r.Domain, r.Subdomain)
	var excess *Refusal
	if err := s.deps.Admit(ctx, r.Key, r.Session); err != nil {
		excess = tooMany(err)
	}
	first := owner.closed(inScope, now)
	if first == nil {
		first = excess
	}
	if first == nil {
		first = owner.refuses(r, now)
	}
	found := &candidates{}
	if first == nil {
		var err error
		if found, err = s.candidates(ctx, g, owner, r, area); err != nil {
			return nil, err
		}
	}
	out, before, err := s.grant(ctx, g, owner, r, found, first, now)
	if errors.Is(err, errShort) {
		if err = s.load(ctx, g, found, len(found.hits)); err == nil {
			out, before, err = s.grant(ctx, g, owner, r, found, first, now)
		}
	}
	if err == nil && before.ID != "" {
		return s.giveAgain(ctx, g, owner, r, before, area)
	}
	return out, err
}

// errShort is what grant fails with that needs candidates which are not loaded yet.
var errShort = errors.New("more candidates have to be loaded")

// grant is the transaction of Retrieve: what is refused, for the first reason or for what is recorded, or given for the
// first time. Before is the request as it was answered before.
func (s *Service) grant(ctx context.Context, g *released.View, owner *Policy, r Retrieval, found *candidates, first *Refusal, now time.Time) (out *Retrieved, before grants.Request, err error) {
	var refusal *Refusal
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		out, before = nil, grants.Request{}
		if refusal, err = s.spent(ctx, tx, r.Key, r.Nonce, r.Until); err != nil || refusal != nil {
			return err
		}
		prior, known, err := grants.Find(ctx, tx, r.Key.Platform, r.ID)
		if err != nil {
			return err
		}
		if known && prior.Digest != r.Digest {
			refusal = refuse(RequestConflict, "another request had this request_id; give each its own")
			return nil
		}
		if refusal = first; known && prior.Outcome == grants.Ok {
			before = prior // given again below, or refused, without changing what is recorded
			return nil
		}
		if refusal == nil && owner.Reports.Owed > 0 {
			owed, err := grants.Owed(ctx, tx, r.Key.Platform, now.Add(-7*24*time.Hour), now.Add(-owner.Reports.Grace))
			if err != nil {
				return err
			}
			if owed >= owner.Reports.Owed {
				refusal = refuse(PolicyViolation, "%d answers were given without any citation reported; report what was shown.", owed)
			}
		}
		if refusal == nil {
			if out, refusal, err = s.give(ctx, tx, g, owner, r, found, now); err != nil {
				return err
			}
		}
		if refusal != nil {
			return grants.Put(ctx, tx, grants.Request{Platform: r.Key.Platform, ID: r.ID, Digest: r.Digest, At: now, Outcome: string(refusal.Reason)})
		}
		return nil
	})
	if err == nil && refusal != nil {
		err = refusal
	}
	return out, before, err
}

// Spend uses up the nonce of a request that was signed and cannot be read, and says whether it was fresh.
func (s *Service) Spend(ctx context.Context, key identity.PlatformKey, nonce string, until time.Time) (fresh bool, err error) {
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		fresh, err = s.deps.Nonces.UseNonce(ctx, tx, key.ID, nonce, until)
		return err
	})
	return fresh, err
}

// spent uses up a nonce, and says why it cannot be used.
func (s *Service) spent(ctx context.Context, tx *store.Tx, key identity.PlatformKey, nonce string, until time.Time) (*Refusal, error) {
	fresh, err := s.deps.Nonces.UseNonce(ctx, tx, key.ID, nonce, until)
	switch {
	case err != nil && fail.From(err).Code == fail.Limited:
		return tooMany(err), nil
	case err != nil:
		return nil, err
	case !fresh:
		return refuse(Replayed, "The nonce was used before."), nil
	}
	return nil, nil
}

// give chooses of the candidates what may be given, and records it.
func (s *Service) give(ctx context.Context, tx *store.Tx, g *released.View, owner *Policy, r Retrieval, found *candidates, now time.Time) (*Retrieved, *Refusal, error) {
	session := grants.Session(r.Key.Platform, r.Session)
	given, err := givenTo(ctx, tx, owner, r.Key.Platform, session, found, now)
	if err != nil {
		return nil, nil, err
	}
	out := &Retrieved{At: now.UTC().Truncate(time.Microsecond), Event: intent.AccessEventID(owner.Publisher.ID, r.Key.Platform, r.ID)}
	record := out.choose(owner, r.Key, found.passages, given)
	switch {
	case found.short:
		return nil, nil, errShort
	case found.none():
		return nil, refuse(NoContent, "Nothing here fits the request."), nil
	case len(out.Chunks) == 0 && record.ByDay:
		return nil, refuse(PolicyViolation, "The sessions of this platform have seen as much of what fits as the publisher gives in a day."), nil
	case len(out.Chunks) == 0 && !slices.ContainsFunc(found.articles, func(a *article) bool { return a != nil && given.session.Of(a.url) > 0 }):
		return nil, refuse(NoContent, "What fits the request is too short to give a part of it within the limits."), nil
	case len(out.Chunks) == 0:
		return nil, refuse(PolicyViolation, "This session has seen as much of what fits as the publisher gives."), nil
	}
	entry, err := s.recordAccess(ctx, tx, g.Terms, owner, r, record, out)
	if err != nil {
		return nil, nil, err
	}
	out.Entry, record.Entry = entry, entry
	if err := s.tell(ctx, tx, owner, r, record, out); err != nil {
		return nil, nil, err
	}
	if err := given.keep(ctx, tx, owner, r.Key.Platform, session, now); err != nil {
		return nil, nil, err
	}
	return out, nil, grants.Put(ctx, tx, grants.Request{Platform: r.Key.Platform, ID: r.ID, Digest: r.Digest, At: out.At, Outcome: grants.Ok, Answer: record})
}

// givenTo is what was given before of the articles that are loaded.
func givenTo(ctx context.Context, tx *store.Tx, owner *Policy, platform string, session [sha256.Size]byte, found *candidates, now time.Time) (*givenBefore, error) {
	given := &givenBefore{platform: grants.Given{}}
	var err error
	if given.session, err = grants.GivenTo(ctx, tx, session, now); err != nil || owner.shareOfDay() >= 1 {
		return given, err
	}
	var urls []string
	for _, a := range found.articles {
		if a != nil && !slices.Contains(urls, a.url) {
			urls = append(urls, a.url)
		}
	}
	given.platform, err = grants.GivenTogether(ctx, tx, platform, urls, now)
	return given, err
}

// keep records what is given now with what was given before.
func (g *givenBefore) keep(ctx context.Context, tx *store.Tx, owner *Policy, platform string, session [sha256.Size]byte, now time.Time) error {
	if err := grants.Give(ctx, tx, session, g.session, now.Add(owner.Limits.Session)); err != nil || owner.shareOfDay() >= 1 {
		return err
	}
	for _, url := range g.fresh {
		if err := grants.Give(ctx, tx, grants.Article(platform, url), g.platform.Only(url), now.Add(articleDay)); err != nil {
			return err
		}
	}
	return nil
}

// accessBody is the body of a ledger entry of kind "access". It is written in the order of canonical JSON, so that the
// ledger has little to do.
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

// recordAccess puts the access event into the ledger.
func (s *Service) recordAccess(ctx context.Context, tx *store.Tx, rules *policy.Terms, owner *Policy, r Retrieval, record grants.Answer, out *Retrieved) (id string, err error) {
	body := accessBody{
		Event: intent.AccessEventID(owner.Publisher.ID, r.Key.Platform, r.ID), Publisher: publisherOf{Domain: owner.Publisher.Domain, ID: owner.Publisher.ID}, Platform: platformOf{r.Key.Platform},
		Returned: len(out.Chunks), Tokens: record.Tokens, Mode: "chunks", Terms: rules.Version(),
	}
	site := record.Chunks[0].Site
	for _, s := range out.Sources {
		body.Items = append(body.Items, accessItem{URL: s.URL, Chunks: s.Chunks})
	}
	for _, c := range record.Chunks {
		address := policy.ASCIIAddress(c.URL)
		at := slices.IndexFunc(body.Items, func(i accessItem) bool { return i.URL == address })
		body.Items[at].Rule = c.Rule
	}
	return s.entry(ctx, tx, receipt.Entry{Time: out.At, Site: site, Kind: "access", Party: "platform:" + r.Key.Platform, Request: r.ID}, body)
}

// tell puts the access event into the outbox of those who get it.
func (s *Service) tell(ctx context.Context, tx *store.Tx, owner *Policy, r Retrieval, record grants.Answer, out *Retrieved) error {
	var body []byte
	for _, sink := range s.deps.Sinks {
		if sink.Platform != "" && sink.Platform != r.Key.Platform {
			continue
		}
		if body == nil {
			var err error
			if body, err = json.Marshal(intent.Event{
				Version: r.Version, EventID: out.Event, Type: intent.EventAccess, Timestamp: out.At.Format(time.RFC3339Nano), RequestID: r.ID,
				Publisher: intent.EventPublisher{ID: owner.Publisher.ID, Domain: owner.Publisher.Domain}, Platform: intent.EventPlatform{ID: r.Key.Platform},
				Access: &intent.Access{ChunksReturned: len(out.Chunks), TokenCount: record.Tokens, RetrievalMode: intent.RetrievalChunks},
			}, json.Deterministic(true)); err != nil {
				return fmt.Errorf("write an access event: %w", err)
			}
		}
		if err := outbox.Put(ctx, tx, outbox.Effect{ID: sink.Name + "/" + out.Event, Sink: sink.Name, Body: body}, out.At); err != nil {
			return err
		}
	}
	return nil
}

// entry appends an entry with a body to the ledger.
func (s *Service) entry(ctx context.Context, tx *store.Tx, e receipt.Entry, body any) (id string, err error) {
	if e.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	return s.deps.Ledger.Append(ctx, tx, e)
}

// giveAgain gives what was given before, as far as today's terms and declaration allow it.
func (s *Service) giveAgain(ctx context.Context, g *released.View, owner *Policy, now Retrieval, r grants.Request, area string) (*Retrieved, error) {
	type place struct{ site, url string }
	articles := map[place][]*article{}
	var passages []passage
	for _, c := range r.Answer.Chunks {
		sources, known := articles[place{c.Site, c.URL}]
		if !known {
			var err error
			if sources, err = s.articlesAt(ctx, g, owner, c.Site, c.URL, area, now.Country); err != nil {
				return nil, err
			}
			articles[place{c.Site, c.URL}] = sources
		}
		for _, a := range sources {
			if at := slices.IndexFunc(a.passages, func(p content.Passage) bool { return p.ID == c.Passage }); at >= 0 {
				passages = append(passages, passage{article: a, at: at, from: c.From, bytes: c.Bytes})
				break
			}
		}
	}
	out := &Retrieved{At: r.At, Event: intent.AccessEventID(owner.Publisher.ID, r.Platform, r.ID), Entry: r.Answer.Entry, Again: true}
	if out.choose(owner, now.Key, slices.Values(passages), &givenBefore{session: grants.Given{}, platform: grants.Given{}}); len(out.Chunks) == 0 {
		return nil, refuse(PolicyViolation, "What this request was given may not be given any more.")
	}
	if r.Answer.ByDay {
		out.MaxTokens, out.LimitedByDay = min(out.MaxTokens, r.Answer.MaxTokens), true
	}
	return out, nil
}
