package desk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/cache"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/policy"
)

// Excerpts is what the owner declares to platforms of the Agentic Intent Protocol (aip.json), and what holds beside it.
type Excerpts struct {
	// PublisherID, PublisherName and Domain name the publisher.
	PublisherID, PublisherName, Domain string
	// Hosts are those whose articles are the publisher's; the domain and "www." of it always are.
	Hosts []string
	// Domains are the editorial domains. A request must lie in one of them, and gets passages of articles that do.
	Domains []string
	// Enabled and State ("active", "paused", "disabled"; empty is active) say whether there is access at all, and Sunset
	// the last day on which there is, by UTC; zero for no end.
	Enabled bool
	State   string
	Sunset  time.Time
	// Chunks, Citations and FullArticle are what is supported.
	Chunks, Citations, FullArticle bool
	// MaxChunks and MaxTokens bound an answer.
	MaxChunks, MaxTokens int
	// Share is how much of an article a session may see, 0 to 1, where FullArticle is false; and SessionFor how long it is
	// remembered after the last request what a session has seen.
	Share      float64
	SessionFor time.Duration
	// SharePerDay is how much of an article all sessions of a platform together may see in [articleDay], where FullArticle
	// is false: a session's id is the platform's own text. 0 is the same as Share, and 1 is no bound.
	SharePerDay float64
	// Countries, Languages and Placements are refused, as requests name them, without regard to case; "fr" is every "fr-…".
	Countries, Languages, Placements []string
	// Confidence is the least with which a request must know its intent, where it says; 0 to 1.
	Confidence float64
	// Owed is from how many answers without any citation reported a platform gets no more; 0 never ends it. Answers count
	// once they are older than Grace, up to seven days.
	Owed  int
	Grace time.Duration
	// Keep is how long requests and events are known; afterwards their ledger entries alone are there.
	Keep time.Duration
}

// articleDay is how long it is remembered what all sessions of a platform together were given of an article, after the
// last part that was new to it. So within no such time more of it is given than a day's share.
const articleDay = 24 * time.Hour

// share and shareOfDay are how much of an article a session, and all sessions of a platform in [articleDay], may see.
func (e *Excerpts) share() float64 {
	if e.FullArticle {
		return 1
	}
	return e.Share
}

func (e *Excerpts) shareOfDay() float64 {
	if e.FullArticle {
		return 1
	}
	return cmp.Or(e.SharePerDay, e.Share)
}

// Excerpting is what giving passages to platforms takes.
type Excerpting struct {
	// Owner gives what is declared at present; it is called for every request and may answer differently over time.
	Owner  func() *Excerpts
	DB     *store.DB
	Ledger *ledger.Ledger
	Nonces *identity.Nonces
	// Admit counts a request of a platform in a session, and AdmitEvent an event; the error, mostly fail.Limited, denies it.
	// Nil admits all.
	Admit      func(ctx context.Context, key identity.PlatformKey, session string) error
	AdmitEvent func(ctx context.Context, key identity.PlatformKey) error
	// Sinks get a copy of each access event.
	Sinks []Sink
}

// Sink is somebody who gets access events.
type Sink struct {
	Name     string
	Platform string // whose events; empty for those of all
}

// OpenExcerpts lets the desk give passages to platforms. It is called before the first request.
func (d *Desk) OpenExcerpts(e *Excerpting) (err error) {
	d.articleCache, err = cache.Weighed(d.config.CacheBytes, func(_ articleKey, a *article) uint32 { return a.weight() })
	if err != nil {
		return fmt.Errorf("make the cache of passages: %w", err)
	}
	d.excerpting = e
	return nil
}

// freshness is how far the time that a request states may be from ours (Agentic Intent Protocol, "live_only").
const freshness = 300 * time.Second

// Reason says why there are no passages. The first five are those of denials (RetrieveResponse, "Denial reasons").
type Reason string

// The reasons.
const (
	OutOfScope      Reason = "out_of_scope"
	AccessDisabled  Reason = "access_disabled"
	PolicyViolation Reason = "policy_violation"
	RateLimited     Reason = "rate_limited"
	Unsupported     Reason = "unsupported"
	NoContent       Reason = "no_content"       // nothing matches
	RequestConflict Reason = "request_conflict" // another request had the id
	Replayed        Reason = "replayed"         // the nonce was used before
	Unprocessable   Reason = "unprocessable"    // an event that does not fit what we know
	EventConflict   Reason = "event_conflict"   // another event had the id
)

// Refusal is the outcome of a request that gets nothing.
type Refusal struct {
	Reason     Reason
	Message    string // safe for strangers
	RetryAfter time.Duration
}

// Error gives reason and message.
func (r *Refusal) Error() string { return string(r.Reason) + ": " + r.Message }

func refuse(reason Reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// closed says why the declaration opens nothing to a request, nil when it does.
func (e *Excerpts) closed(inScope bool, now time.Time) *Refusal {
	switch {
	case !e.Enabled || e.State != "" && e.State != "active" || !e.Sunset.IsZero() && !now.Before(e.Sunset.AddDate(0, 0, 1)):
		return refuse(AccessDisabled, "The publisher gives no access at present.")
	case !inScope:
		return refuse(OutOfScope, "Requested intent is outside declared editorial domains.")
	case !e.Chunks:
		return refuse(Unsupported, "The publisher does not give passages.")
	}
	return nil
}

// refuses says why the publisher's policy refuses a request, nil when it does not.
func (e *Excerpts) refuses(r Retrieval, now time.Time) *Refusal {
	switch {
	case r.Stated.Sub(now).Abs() > freshness:
		return refuse(PolicyViolation, "The request's timestamp is more than %d seconds from now; ask when a user does.", int(freshness.Seconds()))
	case r.Unfit != "":
		return refuse(PolicyViolation, "%s", r.Unfit)
	case slices.ContainsFunc(e.Countries, func(c string) bool { return strings.EqualFold(c, r.Country) }):
		return refuse(PolicyViolation, "The publisher gives no access from this country.")
	case slices.ContainsFunc(e.Languages, func(l string) bool { return underTag(r.Language, l) }):
		return refuse(PolicyViolation, "The publisher gives no access in this language.")
	case slices.ContainsFunc(e.Placements, func(p string) bool { return strings.EqualFold(p, r.Placement) }):
		return refuse(PolicyViolation, "The publisher gives no access for this placement.")
	case r.Confidence != nil && *r.Confidence < e.Confidence:
		return refuse(PolicyViolation, "The publisher asks for a confidence of at least %g.", e.Confidence)
	}
	return nil
}

// underTag says whether a language tag is another or one below it.
func underTag(tag, above string) bool {
	return len(tag) >= len(above) && strings.EqualFold(tag[:len(above)], above) && (len(tag) == len(above) || tag[len(above)] == '-')
}

// counted counts a request, and says whether that is too many.
func (d *Desk) counted(ctx context.Context, r Retrieval) *Refusal {
	if d.excerpting.Admit == nil {
		return nil
	}
	if err := d.excerpting.Admit(ctx, r.Key, r.Session); err != nil {
		return tooMany(err)
	}
	return nil
}

// tooMany is the refusal for an error of whoever counts requests.
func tooMany(err error) *Refusal {
	coded := fail.From(err)
	return &Refusal{Reason: RateLimited, Message: coded.Detail, RetryAfter: max(coded.RetryAfter, time.Second)}
}

// owns says whether an address is the publisher's.
func (e *Excerpts) owns(address string) bool {
	host, ok := policy.Host(address)
	return ok && (strings.TrimPrefix(host, "www.") == strings.TrimPrefix(e.Domain, "www.") ||
		slices.ContainsFunc(e.Hosts, func(h string) bool { return strings.EqualFold(h, host) }))
}
