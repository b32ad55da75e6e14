package tuning

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/ask/query"
	"frontdesk/internal/content/facets"
)

// maxReadings bounds in how many ways more a question is read because of words that stand for one
// another.
const maxReadings = 3

// Rules are entries as they are applied to questions. They are immutable; the nil Rules say
// nothing.
type Rules struct {
	Version int64
	entries []Entry
	phrases map[string][]phrase // by their first word
	about   map[string]map[string]*Entry
	uses    map[string]*atomic.Int64 // by entry; nil where nothing is counted
}

// phrase is a phrase that is read as another.
type phrase struct {
	words []string
	entry *Entry
	spoke facets.Languages // whose questions it is for; 0 for all
}

// Compile makes rules of entries. Those that are off are left out, and those that have ended end by
// themselves.
func Compile(entries []Entry) *Rules {
	r := &Rules{entries: entries, phrases: map[string][]phrase{}, about: map[string]map[string]*Entry{}}
	for i := range entries {
		e := &entries[i]
		if e.Off {
			continue
		}
		if e.Kind != Synonym {
			if r.about[e.Kind] == nil {
				r.about[e.Kind] = map[string]*Entry{}
			}
			r.about[e.Kind][query.Normal(e.Question)] = e
			continue
		}
		for _, text := range e.phrases() {
			words := strings.Fields(key(text))
			r.phrases[words[0]] = append(r.phrases[words[0]], phrase{words, e, facets.LanguageNamed(e.Language)})
		}
	}
	for _, all := range r.phrases {
		slices.SortStableFunc(all, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
	return r
}

// With is the rules with another entry in the place of that with its id, and without what it would
// clash with. Uses of them are not counted.
func (r *Rules) With(e Entry) *Rules {
	var entries []Entry
	if r != nil {
		for _, other := range r.entries {
			if other.ID != e.ID && e.clashes(&other) == nil {
				entries = append(entries, other)
			}
		}
	}
	return Compile(append(entries, e))
}

// Uncounted is the rules without the counting of their uses.
func (r *Rules) Uncounted() *Rules {
	if r == nil {
		return nil
	}
	plain := *r
	plain.uses = nil
	return &plain
}

// Entries are all entries, whether they are on or off. They must not be changed.
func (r *Rules) Entries() []Entry {
	if r == nil {
		return nil
	}
	return r.entries
}

// For gives the entry of a kind that is in force for a question: the first of some texts that has
// one. It is nil for none.
func (r *Rules) For(kind string, now time.Time, texts ...string) *Entry {
	if r == nil || len(r.about[kind]) == 0 {
		return nil
	}
	for _, text := range texts {
		if e := r.about[kind][query.Normal(text)]; e != nil && e.On(now) {
			return e
		}
	}
	return nil
}

// Used counts that an entry was used.
func (r *Rules) Used(e *Entry) {
	if count := r.uses[e.ID]; count != nil {
		count.Add(1)
	}
}

// Reading is a question as it is read.
type Reading struct {
	Text string
	// Read are the words that were read as others.
	Read []Read
	// Also are other texts for which the question stands just as well.
	Also    []string
	Entries []*Entry // that were used
}

// Read is words that are read as others.
type Read struct{ From, To string }

// Reword reads the words of a question, asked in languages of which the first is preferred. It goes
// through the words once, so that what was put in is not read again.
func (r *Rules) Reword(text string, languages []string, now time.Time) Reading {
	reading := Reading{Text: text}
	if r == nil || len(r.phrases) == 0 {
		return reading
	}
	words := spans(text)
	asked := facets.Languages(0)
	known := false
	also := []string{""}
	var b strings.Builder
	from := 0
	put := func(text string) {
		b.WriteString(text)
		for i := range also {
			also[i] += text
		}
	}
	for i := 0; i < len(words); i++ {
		if words[i].start < from { // a part of a sign that folds to several words
			continue
		}
		p, n := r.at(words[i:], now, func() facets.Languages {
			if !known {
				asked, known = spoken(text, languages), true
			}
			return asked
		})
		if p == nil {
			continue
		}
		start, end := words[i].start, words[i+n-1].end
		put(text[from:start])
		from = end
		if reading.use(p.entry); p.entry.Both {
			also = variants(also, text[start:end], p)
			b.WriteString(text[start:end])
		} else {
			reading.Read = append(reading.Read, Read{text[start:end], p.entry.Means})
			put(p.entry.Means)
		}
		i += n - 1
	}
	if len(reading.Entries) == 0 {
		return reading
	}
	put(text[from:])
	reading.Text = b.String()
	for _, other := range also {
		if other != reading.Text && len(reading.Also) < maxReadings {
			reading.Also = append(reading.Also, other)
		}
	}
	return reading
}

func (r *Reading) use(e *Entry) {
	if !slices.Contains(r.Entries, e) {
		r.Entries = append(r.Entries, e)
	}
}

// variants are texts that go on with the words as they were said, and with each phrase that stands
// for them.
func variants(texts []string, said string, p *phrase) (all []string) {
	own := strings.Join(p.words, " ")
	for _, text := range texts {
		all = append(all, text+said)
	}
	for _, other := range p.entry.phrases() {
		for _, text := range texts {
			if key(other) != own && len(all) <= maxReadings {
				all = append(all, text+other)
			}
		}
	}
	return all
}

// at gives the longest phrase with which some words begin, and how many of them it has; nil for
// none.
func (r *Rules) at(words []span, now time.Time, spoken func() facets.Languages) (*phrase, int) {
	all := r.phrases[words[0].key]
	for i := range all {
		p := &all[i]
		if len(p.words) > len(words) || !p.entry.On(now) {
			continue
		}
		if !slices.EqualFunc(p.words, words[:len(p.words)], func(word string, s span) bool { return word == s.key }) {
			continue
		}
		if p.spoke != 0 {
			if in := spoken(); in != 0 && in&p.spoke == 0 {
				continue
			}
		}
		if !p.entry.Both && saysAlready(p, words) {
			continue
		}
		return p, len(p.words)
	}
	return nil, 0
}

// saysAlready says whether what a phrase means begins with it, and stands there already: "return
// policy" for "return".
func saysAlready(p *phrase, words []span) bool {
	means := strings.Fields(key(p.entry.Means))
	return len(means) <= len(words) &&
		slices.EqualFunc(means, words[:len(means)], func(word string, s span) bool { return word == s.key })
}

// spoken gives the languages that a question may be in; 0 where that is not known. What it says
// tells more than what is preferred.
func spoken(text string, languages []string) facets.Languages {
	if in := facets.LanguagesOf(facets.Fold(text)); in != 0 {
		return in
	}
	if len(languages) > 0 {
		return facets.LanguageNamed(languages[0])
	}
	return 0
}

// key is the form in which phrases are compared: folded, in the singular.
func key(text string) string {
	words := strings.Fields(facets.Fold(text))
	for i, word := range words {
		words[i] = facets.Singular(word)
	}
	return strings.Join(words, " ")
}

// span is a word of a text.
type span struct {
	start, end int
	key        string
}

// spans gives the words of a text, as facets.Fold parts them.
func spans(text string) (all []span) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			i += size
			continue
		}
		end := i
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			inner := r == '\'' || r == '’' || r == '\u00ad'
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Mn, r) && !inner {
				break
			}
			end += size
		}
		word := strings.TrimRight(text[i:end], "'’\u00ad")
		for part := range strings.FieldsSeq(facets.Fold(word)) { // a ligature or the like may fold to several
			all = append(all, span{i, i + len(word), facets.Singular(part)})
		}
		i = end
	}
	return all
}
