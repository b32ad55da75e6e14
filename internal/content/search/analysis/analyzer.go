package analysis

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Analyzer turns text into the words that are indexed and looked up. It is safe for concurrent use;
// what it gives depends on text and language alone.
type Analyzer struct {
	// Languages are ordered by their tags. They must not be changed.
	Languages []*Language

	byTag map[string]*Language
}

// NewAnalyzer returns an analyzer.
func NewAnalyzer() *Analyzer {
	a := &Analyzer{byTag: newLanguages()}
	for i, tag := range slices.Sorted(maps.Keys(a.byTag)) {
		a.Languages = append(a.Languages, a.byTag[tag])
		a.byTag[tag].Index = uint8(i)
	}
	return a
}

// Word is one analysed word of a text: its form in the index, and where it stands.
type Word struct {
	Term       string
	Start, End int // byte offsets in the text
}

// Words gives the words of a text in order. Forms of one word share their Term. A compound gives
// its parts and then the whole ("usb", "c", "usbc"), so that either spelling finds the other;
// bounds may overlap therefore. Language is a BCP 47 tag; one that is empty or not known is treated
// as having no inflection.
func (a *Analyzer) Words(text, language string) iter.Seq[Word] {
	t := a.Language(language)
	return func(yield func(Word) bool) {
		Scan(text, func(start, end int, k Kind) bool {
			for _, f := range t.Lookup(text[start:end], k).Forms {
				if !yield(Word{Term: f.Term, Start: start + f.Start, End: start + f.End}) {
					return false
				}
			}
			return true
		})
	}
}

// Language gives the language of a tag, or the one without inflection.
func (a *Analyzer) Language(tag string) *Language {
	if t := a.byTag[tag]; t != nil {
		return t
	}
	if t := a.byTag[primary(tag)]; t != nil {
		return t
	}
	return a.byTag[""]
}

// Form is a term that stands for a run of text or a part of it.
type Form struct {
	Term       string
	Start, End int // within the run
	Part       int // which word of the run it stands for, or WholeRun
}

// WholeRun marks the form of a compound that is written as one word.
const WholeRun = -1

// Token is what the analyzer knows of a run of text: its forms, and what it means in a question.
type Token struct {
	Forms   []Form
	Stop    bool // a function word
	Negates bool // what follows is not wanted
	Vague   bool // says what kind of answer is wanted and little of its subject
	Opening Opening
	Same    []string // terms of words that stand for this one in questions
}

// MaxTerm is how many bytes of a word count.
const MaxTerm = 64

// Key gives the key under which what a run stands for is remembered: the run itself, in lower case
// when it is [Plain]. Very long runs have none. It is written to room.
func Key(room *[MaxTerm]byte, run string, k Kind) []byte {
	if len(run) > MaxTerm {
		return nil
	}
	key := room[:copy(room[:], run)]
	if k == Plain {
		for i, c := range key {
			if 'A' <= c && c <= 'Z' {
				key[i] = c + 'a' - 'A'
			}
		}
	}
	return key
}

// Lookup gives the analysis of a run of text, remembered or made. The result is shared and must not
// be changed.
func (l *Language) Lookup(run string, k Kind) Token {
	var room [MaxTerm]byte
	key := Key(&room, run, k)
	if key == nil {
		return Token{Forms: l.analyse(run, k)}
	}
	if known, ok := l.cache.get(key); ok {
		return known
	}
	word := Fold(string(key))
	made := Token{
		Forms: l.analyse(string(key), k), Stop: l.stops[word], Negates: l.negates[word],
		Vague: l.vague[word], Opening: openings[word],
	}
	for _, other := range l.same[word] {
		made.Same = append(made.Same, l.Stem(other))
	}
	l.cache.put(string(key), made)
	return made
}

// analyse gives the terms of one run of text, its parts first.
func (l *Language) analyse(run string, k Kind) []Form {
	switch k {
	case Gram:
		return []Form{{Term: Fold(run), End: len(run)}}
	case Plain:
		return []Form{{Term: l.reduce(Cut(strings.ToLower(run), MaxTerm)), End: len(run)}}
	}
	parts, joint := split(run)
	switch joint {
	case jointNumber:
		return []Form{{Term: number(run), End: len(run)}}
	case jointNone:
		return l.spellings(nil, run, 0, part{0, len(run)})
	}
	var forms []Form
	for i, p := range parts {
		forms = l.spellings(forms, run[p.start:p.end], i, p)
	}
	if n := len(parts); n == 2 || n == 3 {
		forms = append(forms, Form{
			Term: l.Stem(joined(run, parts)), Start: parts[0].start, End: parts[n-1].end, Part: WholeRun,
		})
	}
	return forms
}

// spellings appends the forms of one word: its stem without accents, and, where it differs, the
// stem of the word as people write it who leave the accents out.
func (l *Language) spellings(forms []Form, word string, ordinal int, at part) []Form {
	proper := l.Stem(word)
	if proper == "" {
		return forms
	}
	forms = append(forms, Form{Term: proper, Start: at.start, End: at.end, Part: ordinal})
	if bare := l.reduce(Fold(bounded(word))); bare != proper && utf8.RuneCountInString(word) > 2 {
		forms = append(forms, Form{Term: bare, Start: at.start, End: at.end, Part: ordinal})
	}
	return forms
}

// Stem is the stem of a word, taken with its accents and then folded.
func (l *Language) Stem(word string) string { return Fold(l.reduce(Lower(bounded(word)))) }

// bounded is a word without soft hyphens and apostrophes and no longer than a term may be.
func bounded(word string) string {
	return Cut(strings.Map(func(r rune) rune {
		if r == softHyphen || isApostrophe(r) {
			return -1
		}
		return r
	}, Cut(word, 2*MaxTerm)), MaxTerm)
}

// cacheShards and cacheWords bound what is remembered of a language.
const (
	cacheShards = 32
	cacheWords  = 2048
)

// cache remembers the analyses of runs. Each shard has two generations: when the young one is full,
// the old one is forgotten and the young one becomes old; a run that is found among the old becomes
// young again. So words that are met once do not drive out those that are met often.
type cache struct {
	shards [cacheShards]struct {
		sync.RWMutex
		young, old map[string]Token
	}
}

func shardOf(key []byte) int {
	if len(key) == 0 {
		return 0
	}
	return (int(key[0])*7 + int(key[len(key)-1])*13 + int(key[len(key)/2])*31 + len(key)) % cacheShards
}

func (c *cache) get(key []byte) (Token, bool) {
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

func (c *cache) put(key string, made Token) {
	s := &c.shards[shardOf([]byte(key))]
	s.Lock()
	defer s.Unlock()
	if s.young == nil || len(s.young) >= cacheWords {
		s.old, s.young = s.young, make(map[string]Token)
	}
	s.young[key] = made
}
