package index

import (
	"maps"
	"slices"
	"strings"

	"frontdesk/internal/content"
)

// Few items say in which language they are, and a short text does not tell it. Such an item is in
// the language that most items of its site tell. Read in another, its words have other stems, and
// what is composed of several words is not taken apart.

const (
	tellingBytes = 400  // of an item's text from which its language is told
	enoughTold   = 200  // items of a site that tell one language, until all are known
	mostSilent   = 5000 // items that wait for that
)

// toldLanguage is the language that an item says that it is in, or that its words tell; empty for
// neither.
func toldLanguage(e *content.Entry) string {
	if e.Language != "" {
		primary, _, _ := strings.Cut(strings.ToLower(e.Language), "-")
		return primary
	}
	text := e.Name
	for i := 0; i < len(e.Passages) && len(text) < tellingBytes; i++ {
		text += " " + e.Passages[i].Text
	}
	if len(e.Passages) == 0 {
		text += " " + e.Description
	}
	return analyzer().Guess(text)
}

// spokenAt is what the items of a site have told of its language so far.
type spokenAt struct {
	told   map[string]int // items by language
	silent []silentItem   // that wait for it
}

type silentItem struct {
	listing *Doc
	entry   content.Entry
}

// speak finds out in which language an item is, and adds it as soon as that is known.
func (l *loader) speak(listing *Doc, e *content.Entry) {
	listing.speaks = l.library.one(toldLanguage(e))
	listing.told = listing.speaks != ""
	site, settled := l.library.speaks[listing.Site]
	if settled {
		if !listing.told {
			listing.speaks = site
		}
		l.add(listing, e)
		return
	}
	at := l.spoken[listing.Site]
	if at == nil {
		at = &spokenAt{told: map[string]int{}}
		l.spoken[listing.Site] = at
	}
	if listing.told {
		at.told[listing.speaks]++
		l.add(listing, e)
	} else {
		at.silent = append(at.silent, silentItem{listing, *e})
	}
	if at.told[listing.speaks] == enoughTold || len(at.silent) == mostSilent {
		l.settle(listing.Site)
	}
}

// settle decides on the language of a site, and adds the items that waited for it.
func (l *loader) settle(site string) {
	at := l.spoken[site]
	delete(l.spoken, site)
	speaks := mostSpoken(at.told)
	if speaks != "" {
		all := maps.Clone(l.library.speaks)
		if all == nil {
			all = map[string]string{}
		}
		all[site] = speaks
		l.library.speaks = all
	}
	for i := range at.silent {
		item := &at.silent[i]
		item.listing.speaks = speaks
		l.add(item.listing, &item.entry)
	}
}

// settleAll settles what is not, when there are no further items.
func (l *loader) settleAll() {
	for _, site := range slices.Sorted(maps.Keys(l.spoken)) {
		l.settle(site)
	}
}

// misread says whether items that do not tell their language were read in another than that of
// their site, which is told by all items of a view; then it is known from now on.
func (l *Index) misread(v *View) bool {
	if v.Len() > smallCatalog && l.news > 0 {
		return false // it is looked at when the lexicon is taught
	}
	told, silent := map[string]map[string]int{}, map[string]map[string]int{} // items by site and language
	for _, ref := range v.everything.All() {
		doc := ref.(*Doc)
		of := silent
		if doc.told {
			of = told
		}
		if of[doc.Site] == nil {
			of[doc.Site] = map[string]int{}
		}
		of[doc.Site][doc.speaks]++
	}
	misread, all := false, map[string]string{}
	for site, languages := range told {
		all[site] = mostSpoken(languages)
		read := silent[site]
		misread = misread || len(read) > 1 || len(read) == 1 && read[all[site]] == 0
	}
	if misread {
		l.speaks = all
	}
	return misread
}
