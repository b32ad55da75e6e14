package ingest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
)

// Web says how a source is read from the web, instead of from a path.
type Web struct {
	// URL is where reading begins: a page, a feed, a sitemap, a schema map, or a file of data.
	URL string
	// Kind is one of Kinds; empty is "auto".
	Kind string
	// Complete says of a feed that it lists everything, so that what it no longer names is gone.
	// Otherwise what has moved out at a feed's end stays.
	Complete bool
	// Pages is the most addresses that are asked for, Depth the most links between the first page
	// and another, and Parallel the most addresses that are asked for at a time; zero values stand
	// for the defaults.
	Pages, Depth, Parallel int
	// Time is the longest that a run may take.
	Time time.Duration
	// MaxBytes is the most that a document may have, unpacked.
	MaxBytes int64
	// Include and Exclude are patterns of paths, Hosts further hosts that belong to the site
	// (package frontier).
	Include, Exclude, Hosts []string
	// Only are the paths, with their queries, of pages that are read of a source that was read
	// before; nil is the whole source. What other pages hold stays as it is.
	Only []string
	// Public says that not whoever runs this program named the address: it has to be on the
	// public internet, as addresses in documents have to.
	Public bool
	// Crawler is how the web is reached.
	Crawler *fetch.Crawler
	// Agent is the name by which robots rules in pages may speak of this visitor.
	Agent string
}

// Kinds are what Web.Kind may be. "auto" looks at what stands at the address. For a page it takes
// the site's schema map, or else its sitemap, which robots.txt names; where there is neither, it
// follows links, as "crawl" always does. "wordpress" asks the REST API of a WordPress.
var Kinds = []string{"auto", "feed", "sitemap", "schemamap", "crawl", "data", wordpressKind}

// Defaults of Web.
const (
	DefaultPages    = 10_000
	DefaultDepth    = 20
	DefaultParallel = 8
	DefaultTime     = 12 * time.Hour
)

func (w Web) withDefaults() Web {
	for _, d := range []struct {
		value *int
		usual int
	}{{&w.Pages, DefaultPages}, {&w.Depth, DefaultDepth}, {&w.Parallel, DefaultParallel}} {
		if *d.value <= 0 {
			*d.value = d.usual
		}
	}
	if w.MaxBytes <= 0 {
		w.MaxBytes = fetch.DefaultMaxBytes
	}
	if w.Time <= 0 {
		w.Time = DefaultTime
	}
	w.Kind = cmp.Or(w.Kind, Kinds[0])
	return w
}

// check refuses what cannot be read.
func (w *Web) check(name string) error {
	u := pageurl.Parse(w.URL, nil)
	switch {
	case u == nil ||
		strings.Contains(w.URL, "@") && u.String() != w.URL && strings.Contains(strings.SplitN(w.URL, "/", 4)[2], "@"):
		return fail.New(fail.Invalid,
			"the address %q of source %q cannot be read; write it like https://www.example.com/, without user "+
				"and password", w.URL, name)
	case w.Kind != "" && !slices.Contains(Kinds, w.Kind):
		return fail.New(fail.Invalid, "%q is no kind of source; there are %s", w.Kind, strings.Join(Kinds, ", "))
	case w.Crawler == nil:
		return fail.New(fail.Invalid, "source %q is on the web, and nothing was said of how to reach it", name)
	}
	return nil
}

// WebReport tells what a run over the web did, in numbers of addresses.
type WebReport struct {
	Kind       string `json:"kind"`                 // what the address turned out to be
	Asked      int    `json:"asked"`                // addresses that were asked for
	Unchanged  int    `json:"unchanged,omitempty"`  // which are as they were in the run before
	Gone       int    `json:"gone,omitempty"`       // which are no more, by their status or their text
	Closed     int    `json:"closed,omitempty"`     // which are not for everybody (401, 402, 403, 451)
	Failed     int    `json:"failed,omitempty"`     // which could not be had, so that what they held stays
	Disallowed int    `json:"disallowed,omitempty"` // which robots.txt keeps visitors from
	Hidden     int    `json:"hidden,omitempty"`     // which ask not to be indexed
	Repeated   int    `json:"repeated,omitempty"`   // which are another page once more
	Useless    int    `json:"useless,omitempty"`    // which are of a form that is not read
	Endless    int    `json:"endless,omitempty"`    // links that were not followed since they look endless
	Beyond     int    `json:"beyond,omitempty"`     // links or entries beyond the limits of pages and depth
	Bytes      int64  `json:"bytes,omitempty"`      // of what was had
	Licences   int    `json:"licences,omitempty"`   // which name other licences (RSL) than in the run before
	// Cut says why the run did not see all, in which case nothing that it did not see was removed.
	Cut string `json:"cut,omitempty"`
	// Note is what else the owner should know.
	Note string `json:"note,omitempty"`
}
