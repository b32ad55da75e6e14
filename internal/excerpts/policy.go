package excerpts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/policy"
)

// Policy is what the owner declares to platforms of the Agentic Intent Protocol (aip.json), and what holds beside it.
type Policy struct {
	Publisher Publisher
	// Domains are the editorial domains. A request must lie in one of them, and gets passages of articles that do.
	Domains  []string
	Access   Access
	Supports Supports
	Limits   Limits
	Refuse   Refuse
	Reports  Reports
}

// Publisher names whose content is given.
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

// Supports says what platforms may have.
type Supports struct {
	Chunks, Citations bool
	FullArticle       bool // sessions may see whole articles
}

// Limits bound an answer, and how much of an article somebody may see where whole articles are not supported.
type Limits struct {
	// Chunks and Tokens bound an answer; a key may have its own limits below them.
	Chunks, Tokens int
	// Share is how much of an article a session may see, 0 to 1, and Session how long it is remembered after the last
	// request what a session has seen.
	Share   float64
	Session time.Duration
	// SharePerDay is how much of an article all sessions of a platform together may see in [articleDay]: a session's id
	// is the platform's own text. 0 is the same as Share, and 1 is no bound.
	SharePerDay float64
}

// Refuse names requests that are refused, whatever they ask.
type Refuse struct {
	// Countries, Languages and Placements are as requests name them, without regard to case; "fr" is every "fr-…".
	Countries, Languages, Placements []string
	// Confidence is the least with which a request must know its intent, where it says; 0 to 1.
	Confidence float64
}

// Reports says what platforms owe for what they were given.
type Reports struct {
	// Owed is from how many answers without any citation reported a platform gets no more; 0 never ends it. Answers count
	// once they are older than Grace, up to seven days.
	Owed  int
	Grace time.Duration
}

// articleDay is how long it is remembered what all sessions of a platform together were given of an article, after the
// last part that was new to it. So within no such time more of it is given than a day's share.
const articleDay = 24 * time.Hour

// share and shareOfDay are how much of an article a session, and all sessions of a platform in [articleDay], may see.
func (e *Policy) share() float64 {
	if e.Supports.FullArticle {
		return 1
	}
	return e.Limits.Share
}

func (e *Policy) shareOfDay() float64 {
	if e.Supports.FullArticle {
		return 1
	}
	return cmp.Or(e.Limits.SharePerDay, e.Limits.Share)
}

// freshness is how far the time that a request states may be from ours (Agentic Intent Protocol, "live_only").
const freshness = 300 * time.Second

// closed says why the declaration opens nothing to a request, nil when it does.
func (e *Policy) closed(inScope bool, now time.Time) *Refusal {
	switch {
	case !e.Access.Enabled || e.Access.State != "" && e.Access.State != "active" || !e.Access.Sunset.IsZero() && !now.Before(e.Access.Sunset.AddDate(0, 0, 1)):
		return refuse(AccessDisabled, "The publisher gives no access at present.")
	case !inScope:
		return refuse(OutOfScope, "Requested intent is outside declared editorial domains.")
	case !e.Supports.Chunks:
		return refuse(Unsupported, "The publisher does not give passages.")
	}
	return nil
}

// refuses says why the publisher's policy refuses a request, nil when it does not.
func (e *Policy) refuses(r Retrieval, now time.Time) *Refusal {
	switch {
	case r.Stated.Sub(now).Abs() > freshness:
		return refuse(PolicyViolation, "The request's timestamp is more than %d seconds from now; ask when a user does.", int(freshness.Seconds()))
	case r.Unfit != "":
		return refuse(PolicyViolation, "%s", r.Unfit)
	case slices.ContainsFunc(e.Refuse.Countries, func(c string) bool { return strings.EqualFold(c, r.Country) }):
		return refuse(PolicyViolation, "The publisher gives no access from this country.")
	case slices.ContainsFunc(e.Refuse.Languages, func(l string) bool { return underTag(r.Language, l) }):
		return refuse(PolicyViolation, "The publisher gives no access in this language.")
	case slices.ContainsFunc(e.Refuse.Placements, func(p string) bool { return strings.EqualFold(p, r.Placement) }):
		return refuse(PolicyViolation, "The publisher gives no access for this placement.")
	case r.Confidence != nil && *r.Confidence < e.Refuse.Confidence:
		return refuse(PolicyViolation, "The publisher asks for a confidence of at least %g.", e.Refuse.Confidence)
	}
	return nil
}

// underTag says whether a language tag is another or one below it.
func underTag(tag, above string) bool {
	return len(tag) >= len(above) && strings.EqualFold(tag[:len(above)], above) && (len(tag) == len(above) || tag[len(above)] == '-')
}

// owns says whether an address is the publisher's.
func (e *Policy) owns(address string) bool {
	host, ok := policy.Host(address)
	return ok && (strings.TrimPrefix(host, "www.") == strings.TrimPrefix(e.Publisher.Domain, "www.") ||
		slices.ContainsFunc(e.Publisher.Hosts, func(h string) bool { return strings.EqualFold(h, host) }))
}
