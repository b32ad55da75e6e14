package catalog

import (
	"fmt"
	"strings"

	"frontdesk/internal/policy"
)

// Statement is what the owner states about matching items, beside what they state about themselves.
type Statement struct {
	Match      *policy.Matcher
	Mutability Mutability // empty for what the item's type says
	Categories []string   // codes of the IAB Content Taxonomy, instead of the item's own
	Identity   Identity   // where the item has none of its own
	Figures    Figures    // where the item has none of its own
}

// state adds to an entry what the owner says of it.
func (e *Entry) state(statements []Statement) {
	if len(statements) == 0 {
		return
	}
	facts := e.Facts()
	var mutability Mutability
	stated := false
	for i := range statements {
		s := &statements[i]
		if !s.Match.Matches(facts) {
			continue
		}
		first(&mutability, s.Mutability)
		if !stated && len(s.Categories) > 0 {
			e.Categories, stated = s.Categories, true
		}
		first(&e.Identity.DOI, s.Identity.DOI)
		first(&e.Identity.IPTC, s.Identity.IPTC)
		first(&e.Identity.ISNI, s.Identity.ISNI)
		first(&e.Identity.ISBN, s.Identity.ISBN)
		first(&e.Identity.C2PA, s.Identity.C2PA)
		first(&e.Figures.Pages, s.Figures.Pages)
		first(&e.Figures.Seconds, s.Figures.Seconds)
		first(&e.Figures.Records, s.Figures.Records)
	}
	if mutability != "" {
		e.Mutability = mutability
	}
}

// first sets what is not set yet.
func first[T comparable](to *T, value T) {
	var none T
	if *to == none {
		*to = value
	}
}

// Alias is an address under which an item is sold beside its own, such as that of its chapters.
type Alias struct {
	// Pattern is an address of the web, or another URI such as `duns:80*`. One that ends in a slash
	// or in a star stands for all addresses that begin so, and a star elsewhere for any run of
	// characters: `https://www.example.com/book/`.
	Pattern string `yaml:"pattern,required"`
	// Item is the address of the item.
	Item string `yaml:"item,required"`
}

// aliases are compiled: by host, those that stand for what begins so, and those with stars, the
// longest first.
type aliases map[string]*hostAliases

type hostAliases struct {
	beginnings prefixes
	globs      []glob
}

type glob struct {
	parts  []string // between the stars
	weight int      // bytes of them
	item   string   // canonical
}

// newGlob makes a pattern with stars ready.
func newGlob(pattern, item string) glob {
	g := glob{parts: strings.Split(pattern, "*"), item: item}
	for _, part := range g.parts {
		g.weight += len(part)
	}
	return g
}

// compileAliases checks aliases and makes them ready.
func compileAliases(all []Alias) (aliases, error) {
	made := aliases{}
	begin := map[string]map[string]string{}
	for _, a := range all {
		pattern, err := CanonicalURI(a.Pattern)
		if err != nil {
			return nil, fmt.Errorf("the pattern %q: %w", a.Pattern, err)
		}
		item, err := CanonicalURI(a.Item)
		if err != nil {
			return nil, fmt.Errorf("the item %q: %w", a.Item, err)
		}
		host := hostOf(pattern)
		if strings.Contains(host, "*") {
			return nil, fmt.Errorf("the pattern %q: name one host; stars stand for what comes after it", a.Pattern)
		}
		if made[host] == nil {
			made[host], begin[host] = &hostAliases{}, map[string]string{}
		}
		if star := strings.IndexByte(pattern, '*'); star < 0 || star == len(pattern)-1 {
			if star < 0 && !strings.HasSuffix(pattern, "/") {
				return nil,
					fmt.Errorf("the pattern %q stands for itself alone; end it in a slash or a star to have it stand "+
						"for all that begins so", a.Pattern)
			}
			begin[host][strings.TrimSuffix(pattern, "*")] = item
			continue
		}
		made[host].globs = append(made[host].globs, newGlob(pattern, item))
	}
	for host, h := range made {
		h.beginnings = newPrefixes(begin[host])
		h.sort()
	}
	return made, nil
}

// find is the item that an address stands for: of the longest beginning, else of the longest
// pattern with stars.
func (a aliases) find(canonical string) (item string, ok bool) {
	h := a[hostOf(canonical)]
	if h == nil {
		return "", false
	}
	if item, ok := h.beginnings.find(canonical); ok {
		return item, true
	}
	for i := range h.globs {
		if h.globs[i].match(canonical) {
			return h.globs[i].item, true
		}
	}
	return "", false
}
