package catalog

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content"
	visible "frontdesk/internal/infra/plain"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/imported"
)

// Entry is one version of an item, or a pushed entry, as it can be offered.
type Entry struct {
	content.Ref
	// URL is the item's own address. Address is what was asked for, where an alias stands for the
	// item; else it is the URL.
	URL, Address string
	Description
	Body
	Types []string // as in content.Item; shared, not to be changed
	// AsOf is when the source was last read with success: until then, what is offered was current.
	AsOf time.Time
	Own  *policy.Own // the terms that the item states of itself; nil for none

	Mutability Mutability
	Categories []string // codes of the IAB Content Taxonomy
	Identity   Identity
	Figures    Figures

	Pushed Pushed // what was pushed of it, where that is so

	factor   float64            // tokens to a word
	tokens   int                // as a sitemap tells; 0 for what it does not
	imported []imported.Address // elsewhere, what counts first
	others   []Entry            // of the same site at the same address, from sources that count later
	own      *Entry             // as its own source has it, where others tell of it, too; else nil
	kind     imported.Source    // of the entry's own source
}

// Description is the metadata of an entry. An empty or zero field is unknown.
type Description struct {
	Title               string
	Language            string // BCP 47, lower case
	Publisher           string
	Authors             []string // names, at most 16
	Words               int      // of what is delivered, an estimate where it is no running text
	Published, Modified time.Time
}

// fill takes what is missing from another description.
func (d *Description) fill(from *Description) {
	first(&d.Title, from.Title)
	first(&d.Publisher, from.Publisher)
	first(&d.Language, from.Language)
	first(&d.Modified, from.Modified)
	first(&d.Published, from.Published)
	first(&d.Words, from.Words)
	if len(d.Authors) == 0 {
		d.Authors = from.Authors
	}
}

// clean leaves out of texts what content may not hold, and sitemaps and lists of posts may.
func (d *Description) clean() {
	d.Title = visible.Sanitize(d.Title)
	for i, author := range d.Authors {
		if name := visible.Sanitize(author); name != author {
			d.Authors = slices.Clone(d.Authors)
			d.Authors[i] = name
		}
	}
}

// Body is what an offer says of the bytes that are delivered.
type Body struct {
	Media string // their type, as [released.RenderDefault] has it
	Hash  [sha256.Size]byte
	// Similarity is their simhash-v1; Similar says that it was asked for (Config.Similar).
	Similarity uint64
	Similar    bool
	// Mixed says that they hold other things, on which the terms may decide otherwise.
	Mixed bool
}

// Identity are the names by which an item is known elsewhere, in the forms in which the registries
// write them; empty for what is not known.
type Identity struct {
	DOI  string // "10.1234/abc"
	IPTC string // of NewsML-G2: "urn:newsml:..." or "tag:..."
	ISNI string // of its author, or else its publisher, 16 digits without blanks
	ISBN string // 13 digits
	C2PA string // the address of the manifest
}

// Figures are how much of something an item is, by what it says of itself; zero for what it does
// not say.
type Figures struct {
	Pages   int
	Seconds int // of audio or video
	Records int
}

// Mutability says whether what is at an address changes (RAMP, ResourceMutability).
type Mutability string

// The kinds of mutability.
const (
	Static  Mutability = "static"  // the same bytes for ever, so that their hash can be held against what was delivered
	Dynamic Mutability = "dynamic" // other bytes tomorrow
	Live    Mutability = "live"    // made while it is delivered: it has no hash
)

// Facts are what the owner's terms match on.
func (e *Entry) Facts() policy.Facts {
	return policy.Facts{Site: e.Site, Source: e.Source, URL: e.URL, Types: e.Types, Own: e.Own}
}

// Tokens is about how many tokens a language model makes of the item's text.
func (e *Entry) Tokens() int {
	if e.tokens > 0 {
		return e.tokens
	}
	if e.Words == 0 && e.IsPushed() {
		return e.Pushed.Quantity
	}
	return int(float64(e.Words)*e.factor + 0.5)
}

// Quantity is about how much of an item one use takes, in a unit of [policy.Money]; known is false
// where nobody can say.
func (e *Entry) Quantity(unit string) (n int, known bool) {
	if e.IsPushed() && e.Pushed.Quantity > 0 {
		return e.Pushed.Quantity, true
	}
	switch unit {
	case policy.UnitTokens:
		n = e.Tokens()
	case policy.UnitPages:
		n = e.Figures.Pages
	case policy.UnitMinutes:
		n = (e.Figures.Seconds + 59) / 60
	case policy.UnitRecords:
		n = e.Figures.Records
	}
	return n, n > 0
}

// usualFactors are how many tokens a word makes. A word of Chinese or Japanese is two letters here.
var usualFactors = map[string]float64{"": 1.32, "de": 1.45, "zh": 2.5, "ja": 2.5, "ar": 1.5, "he": 1.5}

// factorOf is how many tokens a word of a language makes.
func factorOf(factors map[string]float64, tag string) float64 {
	main, _, _ := strings.Cut(tag, "-")
	for _, from := range []map[string]float64{factors, usualFactors} {
		if f := from[main]; f > 0 {
			return f
		}
	}
	if f := factors[""]; f > 0 {
		return f
	}
	return usualFactors[""]
}

// usualMutability is what is so of things of a type where the owner says nothing else: texts stay
// as they are, lists and things that texts are about do not.
func usualMutability(types []string, live bool) Mutability {
	is := func(ancestors ...string) bool {
		for _, t := range types {
			for _, a := range ancestors {
				if content.IsA(t, a) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case live, is("BroadcastEvent", "BroadcastService"):
		return Live
	case is("WebSite", "CollectionPage", "SearchResultsPage", "ProfilePage", "FAQPage", "QAPage", "DataFeed", "Dataset",
		"LiveBlogPosting", "DiscussionForumPosting", "SpecialAnnouncement"):
		return Dynamic
	case is("CreativeWork"):
		return Static
	}
	return Dynamic
}
