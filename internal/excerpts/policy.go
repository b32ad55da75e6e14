package excerpts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/policy"
)

// Policy is what the owner declares to platforms of the Agentic Intent Protocol (aip.json), with
// the limits that the declaration does not tell.
type Policy struct {
	Publisher Publisher
	// Domains are the editorial domains. A request must lie in one of them, and gets passages of
	// articles that do.
	Domains  []string
	Access   Access
	Supports Supports
	Limits   Limits
	Refuse   Refuse
	Reports  Reports
}

// Publisher identifies the publisher of the content.
type Publisher struct {
	ID, Name, Domain string
	// Hosts are those whose articles are the publisher's; the domain and "www." of it always are.
	Hosts []string
}

// Access says whether platforms have access at all.
type Access struct {
	Enabled bool
	State   string // "active", "paused" or "disabled"; empty is active
	// Sunset is the last day on which there is access, by UTC; zero for no end.
	Sunset time.Time
}

// Limits bound an answer, and how much of an article somebody may see where whole articles are not
// supported.
type Limits struct {
	// Chunks and Tokens bound an answer; a key may have its own limits below them.
	Chunks, Tokens int
	// Share is how much of an article a session may see, 0 to 1, and Session how long it is
	// remembered after the last request what a session has seen.
	Share   float64
	Session time.Duration
	// SharePerDay is how much of an article all sessions of a platform together may see in
	// [articleDay]: a session's id is the platform's own text. 0 is the same as Share, and 1 is no
	// bound.
	SharePerDay float64
}

// Refuse describes requests that are always refused.
type Refuse struct {
	// Countries, Languages and Placements are as requests name them, without regard to case; "fr"
	// is every "fr-…".
	Countries, Languages, Placements []string
	// Confidence is the least with which a request must know its intent, where it says; 0 to 1.
	Confidence float64
}

// Reports says how many of the answers a platform got it must report citations of.
type Reports struct {
	// MaxUncited is how many answers without any reported citation end a platform's access; 0 never
	// ends it. Answers count once they are older than Grace, up to seven days.
	MaxUncited int
	Grace      time.Duration
}

// articleDay is how long it is remembered what all sessions of a platform together were given of an
// article, after the last part that was new to it. So within no such time more of it is given than
// a day's share.
const articleDay = 24 * time.Hour

// limits are how many passages and tokens an answer may have, where a key may have its own limits
// below the declared ones.
func (p *Policy) limits(key identity.PlatformKey) (chunks, tokens int) {
	return tighter(p.Limits.Chunks, key.MaxChunks), tighter(p.Limits.Tokens, key.MaxTokens)
}

func tighter(declared, own int) int {
	if own > 0 {
		return min(declared, own)
	}
	return declared
}

// share and shareOfDay are how much of an article a session, and all sessions of a platform in
// [articleDay], may see.
func (p *Policy) share() float64 {
	if p.Supports.FullArticle {
		return 1
	}
	return p.Limits.Share
}

func (p *Policy) shareOfDay() float64 {
	if p.Supports.FullArticle {
		return 1
	}
	return cmp.Or(p.Limits.SharePerDay, p.Limits.Share)
}

// freshness is how far the time that a request states may be from ours (Agentic Intent Protocol,
// "live_only").
const freshness = 300 * time.Second

// open says whether platforms have access at a time.
func (a Access) open(now time.Time) bool {
	return a.Enabled && (a.State == "" || a.State == "active") &&
		(a.Sunset.IsZero() || now.Before(a.Sunset.AddDate(0, 0, 1)))
}

// closed says why the declaration opens nothing to a request, nil when it does.
func (p *Policy) closed(inScope bool, now time.Time) *Refusal {
	switch {
	case !p.Access.open(now):
		return refuse(AccessDisabled, "The publisher gives no access at present.")
	case !inScope:
		return refuse(OutOfScope, "Requested intent is outside declared editorial domains.")
	case !p.Supports.Chunks:
		return refuse(Unsupported, "The publisher does not give passages.")
	}
	return nil
}

// refuses says why the publisher's policy refuses a request, nil when it does not.
func (p *Policy) refuses(r RetrieveRequest, now time.Time) *Refusal {
	switch {
	case r.StatedAt.Sub(now).Abs() > freshness:
		return refuse(PolicyViolation,
			"The request's timestamp is more than %d seconds from now; ask when a user does.",
			int(freshness.Seconds()))
	case r.Violation != "":
		return refuse(PolicyViolation, "%s", r.Violation)
	case containsFold(p.Refuse.Countries, r.Country):
		return refuse(PolicyViolation, "The publisher gives no access from this country.")
	case slices.ContainsFunc(p.Refuse.Languages, func(l string) bool { return underTag(r.Language, l) }):
		return refuse(PolicyViolation, "The publisher gives no access in this language.")
	case containsFold(p.Refuse.Placements, r.Placement):
		return refuse(PolicyViolation, "The publisher gives no access for this placement.")
	case r.Confidence != nil && *r.Confidence < p.Refuse.Confidence:
		return refuse(PolicyViolation, "The publisher asks for a confidence of at least %g.", p.Refuse.Confidence)
	}
	return nil
}

// underTag says whether a language tag is another or one below it.
func underTag(tag, above string) bool {
	return len(tag) >= len(above) && strings.EqualFold(tag[:len(above)], above) &&
		(len(tag) == len(above) || tag[len(above)] == '-')
}

// Owns says whether an address is the publisher's.
func (p *Policy) Owns(address string) bool {
	host, ok := policy.Host(address)
	return ok && (strings.TrimPrefix(host, "www.") == strings.TrimPrefix(p.Publisher.Domain, "www.") ||
		containsFold(p.Publisher.Hosts, host))
}

// containsFold says whether a word is in a list, without regard to case.
func containsFold(list []string, word string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return strings.EqualFold(one, word) })
}
