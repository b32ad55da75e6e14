package search

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Analyzer turns text into the words that are indexed and looked up. It is safe for concurrent use; what it gives
// depends on text and language alone.
type Analyzer struct {
	tongues map[string]*tongue
	order   []*tongue // by tag; a tongue's index is its place
}

// NewAnalyzer returns an analyzer.
func NewAnalyzer() *Analyzer {
	a := &Analyzer{tongues: newTongues()}
	for i, tag := range slices.Sorted(maps.Keys(a.tongues)) {
		a.order = append(a.order, a.tongues[tag])
		a.tongues[tag].index = uint8(i)
	}
	return a
}

// Word is one analysed word of a text: its form in the index, and where it stands.
type Word struct {
	Term       string
	Start, End int // byte offsets in the text
}

// Words gives the words of a text in order. Forms of one word share their Term. A compound gives its parts and then
// the whole ("usb", "c", "usbc"), so that either spelling finds the other; bounds may overlap therefore. Language
// is a BCP 47 tag; one that is empty or not known is treated as having no inflection.
func (a *Analyzer) Words(text, language string) iter.Seq[Word] {
	t := a.tongue(language)
	return func(yield func(Word) bool) {
		scan(text, func(start, end int, k kind) bool {
			for _, f := range t.lookup(text[start:end], k).forms {
				if !yield(Word{Term: f.term, Start: start + f.start, End: start + f.end}) {
					return false
				}
			}
			return true
		})
	}
}

// tongue gives the language of a tag, or the one without inflection.
func (a *Analyzer) tongue(tag string) *tongue {
	if t := a.tongues[tag]; t != nil {
		return t
	}
	if t := a.tongues[primary(tag)]; t != nil {
		return t
	}
	return a.tongues[""]
}

// form is a term that stands for a run of text or a part of it.
type form struct {
	term       string
	start, end int // within the run
	part       int // which word of the run it stands for, or wholeRun
}

// wholeRun marks the form of a compound that is written as one word.
const wholeRun = -1

// analysis is what the analyzer knows of a run of text: its forms, and what it means in a question.
type analysis struct {
	forms   []form
	stop    bool // a function word
	negates bool // what follows is not wanted
	vague   bool // see vagueWords
	opening opening
	same    []string // terms of words that stand for this one in questions
}

// maxTerm is how many bytes of a word count.
const maxTerm = 64

// cacheKey gives the key under which the analysis of a run is remembered: the run itself, in lower case when that
// is plain. Very long runs have none.
func cacheKey(room *[maxTerm]byte, run string, k kind) []byte {
	if len(run) > maxTerm {
		return nil
	}
	key := room[:copy(room[:], run)]
	if k == plain {
		for i, c := range key {
			if 'A' <= c && c <= 'Z' {
				key[i] = c + 'a' - 'A'
			}
		}
	}
	return key
}

// lookup gives the analysis of a run of text, remembered or made. The result is shared and must not be changed.
func (t *tongue) lookup(run string, k kind) analysis {
	var room [maxTerm]byte
	key := cacheKey(&room, run, k)
	if key == nil {
		return analysis{forms: t.analyse(run, k)}
	}
	if known, ok := t.cache.get(key); ok {
		return known
	}
	word := fold(string(key))
	made := analysis{
		forms: t.analyse(string(key), k), stop: t.stops[word], negates: t.negates[word],
		vague: vagueWords[word], opening: openings[word],
	}
	for _, other := range t.same[word] {
		made.same = append(made.same, t.proper(other))
	}
	t.cache.put(string(key), made)
	return made
}

// analyse gives the terms of one run of text, its parts first.
func (t *tongue) analyse(run string, k kind) []form {
	switch k {
	case gram:
		return []form{{term: fold(run), end: len(run)}}
	case plain:
		return []form{{term: t.stem(cut(strings.ToLower(run), maxTerm)), end: len(run)}}
	}
	parts, joint := split(run)
	switch joint {
	case jointNumber:
		return []form{{term: number(run), end: len(run)}}
	case jointNone:
		return t.spellings(nil, run, 0, part{0, len(run)})
	}
	var forms []form
	for i, p := range parts {
		forms = t.spellings(forms, run[p.start:p.end], i, p)
	}
	if n := len(parts); n == 2 || n == 3 {
		forms = append(forms, form{
			term: t.proper(joined(run, parts)), start: parts[0].start, end: parts[n-1].end, part: wholeRun,
		})
	}
	return forms
}

// spellings appends the forms of one word: its stem without accents, and, where it differs, the stem of the word as
// people write it who leave the accents out.
func (t *tongue) spellings(forms []form, word string, ordinal int, at part) []form {
	proper := t.proper(word)
	if proper == "" {
		return forms
	}
	forms = append(forms, form{term: proper, start: at.start, end: at.end, part: ordinal})
	if bare := t.stem(fold(bounded(word))); bare != proper && utf8.RuneCountInString(word) > 2 {
		forms = append(forms, form{term: bare, start: at.start, end: at.end, part: ordinal})
	}
	return forms
}

// proper is the stem of a word, taken with its accents and then folded.
func (t *tongue) proper(word string) string { return fold(t.stem(lower(bounded(word)))) }

// bounded is a word without soft hyphens and apostrophes and no longer than a term may be.
func bounded(word string) string {
	return cut(strings.Map(func(r rune) rune {
		if r == softHyphen || isApostrophe(r) {
			return -1
		}
		return r
	}, cut(word, 2*maxTerm)), maxTerm)
}

// cacheShards and cacheWords bound what is remembered of a language.
const (
	cacheShards = 32
	cacheWords  = 2048
)

// cache remembers the analyses of runs. Each shard has two generations: when the young one is full, the old one is
// forgotten and the young one becomes old; a run that is found among the old becomes young again. So words that are
// met once do not drive out those that are met often.
type cache struct {
	shards [cacheShards]struct {
		sync.RWMutex
		young, old map[string]analysis
	}
}

func shardOf(key []byte) int {
	if len(key) == 0 {
		return 0
	}
	return (int(key[0])*7 + int(key[len(key)-1])*13 + int(key[len(key)/2])*31 + len(key)) % cacheShards
}

func (c *cache) get(key []byte) (analysis, bool) {
	s := &c.shards[shardOf(key)]
	s.RLock()
	known, ok := s.young[string(key)]
	if ok {
		s.RUnlock()
		return known, true
	}
	known, ok = s.old[string(key)]
	s.RUnlock()
	if ok {
		c.put(string(key), known)
	}
	return known, ok
}

func (c *cache) put(key string, made analysis) {
	s := &c.shards[shardOf([]byte(key))]
	s.Lock()
	defer s.Unlock()
	if s.young == nil || len(s.young) >= cacheWords {
		s.old, s.young = s.young, make(map[string]analysis)
	}
	s.young[key] = made
}
