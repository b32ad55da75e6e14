package excerpts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/intent"
)

// RetrieveRequest is a request for passages, with a verified signature.
type RetrieveRequest struct {
	Signature
	ID       string // request_id
	Version  string // in which it is asked
	Digest   [sha256.Size]byte
	StatedAt time.Time // when the request says it was made

	Domain, Subdomain            string
	Confidence                   *float64
	Language, Country, Placement string
	Session                      string
	Text                         string // the question, which this package keeps nowhere; may be empty
	// Violation names what in the request breaks the protocol's own rules; empty for nothing.
	Violation string
}

// RetrieveResult is the recorded answer to a request.
type RetrieveResult struct {
	At                   time.Time
	Chunks               []Chunk
	Sources              []Source // those of the chunks, in their order
	Citations            bool     // the sources are to be told
	MaxChunks, MaxTokens int      // the limits in force
	LimitedByDay         bool     // the platform's share of a day is among them
	Event                string   // the id of the access event
	Entry                string   // of the ledger
	Replay               bool     // the request was answered before
}

// Chunk is a passage in an answer.
type Chunk struct {
	ID     string
	Text   string
	Tokens int
}

// Source is an article that passages of an answer come from.
type Source struct {
	URL, Title, Publisher string
	Chunks                []string // ids
}

// Retrieve gives passages to a platform: of articles within the editorial domain that its request
// lies in, as far as terms, declaration and key allow, and never more of an article than the
// session may see. What it gives is recorded with the access event, in one transaction, before it
// returns. A request that gets nothing is recorded, too; its error is a *[Refusal], other errors
// are those of [fail].
//
// The order of checks is the published one: the nonce, enabled and state, the editorial domain, the
// limits. A request that was answered before gets the same passages, as far as today's terms allow
// them, and no second event. What is refused counts towards the limits, too.
func (s *Service) Retrieve(ctx context.Context, request RetrieveRequest) (*RetrieveResult, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	r := s.newRetrieval(ctx, request)
	refusal := r.check(ctx)
	found := &candidates{}
	if refusal == nil {
		var err error
		if found, err = r.find(ctx); err != nil {
			return nil, err
		}
	}
	out, err := r.grant(ctx, found, refusal)
	if errors.Is(err, errNeedMore) {
		if err = r.load(ctx, found, len(found.hits)); err == nil {
			out, err = r.grant(ctx, found, refusal)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case out.refusal != nil:
		if out.refusal.Reason == NoContent {
			s.deps.Asked(ctx, request, nil)
		}
		return nil, out.refusal
	case out.before != nil:
		return r.replay(ctx, out.before)
	}
	s.deps.Asked(ctx, request, out.result)
	return out.result, nil
}

// retrieval is a request on its way, with what holds for it from its beginning to its end.
type retrieval struct {
	RetrieveRequest
	eligibility

	service              *Service
	now                  time.Time
	scope                string // the declared editorial domain that the request lies in
	inScope              bool   // there is such a domain
	maxChunks, maxTokens int
	session              [sha256.Size]byte // under which it is kept what the session was given
}

func (s *Service) newRetrieval(ctx context.Context, request RetrieveRequest) *retrieval {
	r := &retrieval{
		RetrieveRequest: request, eligibility: s.eligibility(s.deps.Corpus.CurrentFor(released.WithCredential(ctx))),
		service: s, now: s.deps.Now(),
	}
	r.scope, r.inScope = intent.Scope(r.policy.Domains, r.Domain, r.Subdomain)
	r.maxChunks, r.maxTokens = r.policy.limits(r.Key)
	r.session = grants.SessionKey(r.Key.Platform, r.Session)
	return r
}

// check counts the request, and says why it gets nothing, whatever there is; nil where nothing
// stands against it.
func (r *retrieval) check(ctx context.Context) *Refusal {
	var tooMany *Refusal
	if err := r.service.deps.Admit(ctx, r.Key, r.Session); err != nil {
		tooMany = refuseLimited(err)
	}
	return cmp.Or(r.policy.closed(r.inScope, r.now), tooMany, r.policy.refuses(r.RetrieveRequest, r.now))
}

// outcome is what the transaction of a request came to: a result, a refusal, or what the request
// was given before.
type outcome struct {
	result  *RetrieveResult
	refusal *Refusal
	before  *grants.Request
}

// errNeedMore is what grant fails with that needs candidates which are not loaded yet.
var errNeedMore = errors.New("more candidates have to be loaded")

// grant is the transaction of Retrieve: nonce, chunks, ledger, outbox, and what was granted. A
// refusal that stands already is recorded in place of a grant, unless the nonce or the request's id
// was used before.
func (r *retrieval) grant(ctx context.Context, found *candidates, refusal *Refusal) (out outcome, err error) {
	err = r.service.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		out, err = r.decide(ctx, tx, found, refusal)
		return err
	})
	return out, err
}

func (r *retrieval) decide(
	ctx context.Context, tx *store.Tx, found *candidates, refusal *Refusal,
) (out outcome, err error) {
	if out.refusal, err = r.service.useNonce(ctx, tx, r.Signature); err != nil || out.refusal != nil {
		return out, err
	}
	before, known, err := grants.Find(ctx, tx, r.Key.Platform, r.ID)
	switch {
	case err != nil:
		return out, err
	case known && before.Digest != r.Digest:
		return outcome{refusal: refuse(RequestConflict, "another request had this request_id; give each its own")}, nil
	case known && before.Outcome == grants.OutcomeOK: // what is recorded stays
		return outcome{refusal: refusal, before: &before}, nil
	}
	if out.refusal = refusal; refusal == nil {
		if out.refusal, err = r.owesReports(ctx, tx); err != nil {
			return out, err
		}
	}
	if out.refusal == nil {
		if out.result, out.refusal, err = r.recordGrant(ctx, tx, found); err != nil {
			return out, err
		}
	}
	if out.refusal != nil {
		return out, grants.Put(ctx, tx, grants.Request{
			Platform: r.Key.Platform, ID: r.ID, Digest: r.Digest, At: r.now, Outcome: string(out.refusal.Reason),
		})
	}
	return out, nil
}

// owesReports says that the platform has reported too little; nil where it has not.
func (r *retrieval) owesReports(ctx context.Context, tx *store.Tx) (*Refusal, error) {
	rule := r.policy.Reports
	if rule.MaxUncited <= 0 {
		return nil, nil
	}
	owed, err := grants.CountUncited(ctx, tx, r.Key.Platform, r.now.Add(-7*24*time.Hour), r.now.Add(-rule.Grace))
	if err != nil || owed < rule.MaxUncited {
		return nil, err
	}
	const format = "%d answers were given without any citation reported; report what was shown."
	return refuse(PolicyViolation, format, owed), nil
}

// recordGrant chooses among the candidates what may be given, and records it: in the ledger, for
// those who get access events, and as what the session and the platform were given.
func (r *retrieval) recordGrant(
	ctx context.Context, tx *store.Tx, found *candidates,
) (*RetrieveResult, *Refusal, error) {
	given, err := r.givenBefore(ctx, tx, found)
	if err != nil {
		return nil, nil, err
	}
	out, record := r.selectChunks(found.passages, given)
	out.At = r.now.UTC().Truncate(time.Microsecond)
	switch {
	case found.needMore:
		return nil, nil, errNeedMore
	case len(out.Chunks) == 0:
		return nil, noChunks(found, given, record), nil
	}
	if out.Entry, err = r.recordAccess(ctx, tx, record, out); err != nil {
		return nil, nil, err
	}
	record.Entry = out.Entry
	if err := r.notifySinks(ctx, tx, record, out); err != nil {
		return nil, nil, err
	}
	if err := r.keepGiven(ctx, tx, given); err != nil {
		return nil, nil, err
	}
	return out, nil, grants.Put(ctx, tx, grants.Request{
		Platform: r.Key.Platform, ID: r.ID, Digest: r.Digest, At: out.At, Outcome: grants.OutcomeOK, Answer: record,
	})
}

// noChunks says why none of the candidates can be given.
func noChunks(found *candidates, given *givenBefore, record grants.Answer) *Refusal {
	seen := func(a *article) bool { return a != nil && given.session.BytesOf(a.url) > 0 }
	switch {
	case found.none():
		return refuse(NoContent, "Nothing here fits the request.")
	case record.LimitedByDay:
		return refuse(PolicyViolation,
			"The sessions of this platform have seen as much of what fits as the publisher gives in a day.")
	case !slices.ContainsFunc(found.articles, seen):
		return refuse(NoContent, "What fits the request is too short to give a part of it within the limits.")
	}
	return refuse(PolicyViolation, "This session has seen as much of what fits as the publisher gives.")
}

// replay gives what was given before, as far as today's terms and declaration allow it.
func (r *retrieval) replay(ctx context.Context, before *grants.Request) (*RetrieveResult, error) {
	type place struct{ site, url string }
	articles := map[place][]*article{}
	var passages []passage
	for _, c := range before.Answer.Chunks {
		sources, known := articles[place{c.Site, c.URL}]
		if !known {
			var err error
			if sources, err = r.at(ctx, c.Site, c.URL, r.scope, r.Country); err != nil {
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
	out, _ := r.selectChunks(slices.Values(passages),
		&givenBefore{session: grants.Coverage{}, platform: grants.Coverage{}})
	if len(out.Chunks) == 0 {
		return nil, refuse(PolicyViolation, "What this request was given may not be given any more.")
	}
	out.At, out.Entry, out.Replay = before.At, before.Answer.Entry, true
	if before.Answer.LimitedByDay {
		out.MaxTokens, out.LimitedByDay = min(out.MaxTokens, before.Answer.MaxTokens), true
	}
	return out, nil
}
