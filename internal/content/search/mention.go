package search

import (
	"encoding/binary"
	"slices"
	"sync"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
)

// Where says in which parts of an item words are looked for.
type Where uint8

// The places of a mention.
const (
	Called   Where = iota // the title and the keys
	Anywhere              // the passages too
	Titled                // the title alone
	Denied                // anywhere, by items that say each time that they are without it
)

// maxMention is how many words of a mention are looked for; a longer one is mentioned nowhere.
const maxMention = 16

// Mentions returns the items that mention text: all its words, in their order and together, with a
// word in between at most. Where an item says that it is without them ("ginger-free", "no ginger",
// "without onion or ginger"), it does not mention them; when in doubt, it does. Language is a BCP
// 47 tag and says how the words are inflected; empty means in any language that the index holds.
// Text without words is mentioned nowhere.
func (s *Snapshot) Mentions(text, language string, where Where) *Selection {
	m := &mention{analyzer: s.analyzer, where: where}
	languages := s.languages
	if language != "" {
		languages = []*analysis.Language{s.analyzer.Language(language), s.analyzer.Language("")}
	}
	m.read(analysis.Cut(text, MaxQuestionSize), languages)
	return s.Refresh(&Selection{rule: m.choose})
}

// mention is what Mentions looks for: the words of its text, each in all its forms, once with
// compounds as their parts and once, where there are compounds, as one word.
type mention struct {
	analyzer *analysis.Analyzer
	where    Where
	spelled  [][][]string
}

// read finds the words of the text and their forms in each language.
func (m *mention) read(text string, languages []*analysis.Language) {
	var parts, wholes [][]string
	compounds := false
	analysis.Scan(text, func(start, end int, k analysis.Kind) bool {
		var own [][]string
		var whole []string
		for _, t := range languages {
			known := t.Lookup(text[start:end], k)
			for _, f := range known.Forms {
				if f.Part == analysis.WholeRun {
					whole = append(whole, f.Term)
					continue
				}
				for len(own) <= f.Part {
					own = append(own, nil)
				}
				own[f.Part] = append(own[f.Part], f.Term)
			}
			if known.Same != nil { // of a run that is one word
				own[0] = append(own[0], known.Same...)
			}
		}
		parts = append(parts, own...)
		if whole != nil {
			compounds = true
			own = [][]string{whole}
		}
		wholes = append(wholes, own...)
		return len(parts) <= maxMention
	})
	if len(parts) == 0 || len(parts) > maxMention {
		return
	}
	m.spelled = [][][]string{parts}
	if compounds {
		m.spelled = append(m.spelled, wholes)
	}
}

// choose gives the live units of the items of a view that mention the text.
func (m *mention) choose(v *segment.View) segment.Bitmap {
	var spelled [][][]uint32
	key := []byte{byte(m.where)}
	for _, words := range m.spelled {
		numbers := numbersOfAll(v, words)
		if numbers == nil {
			continue
		}
		spelled = append(spelled, numbers)
		for _, forms := range numbers {
			for _, number := range forms {
				key = binary.LittleEndian.AppendUint32(key, number)
			}
			key = append(key, endOfWord...)
		}
		key = append(key, endOfWord...) // of a word without forms, which there is none: another spelling follows
	}
	if spelled == nil {
		return segment.NewBitmap(v.Units())
	}
	return v.Living(derivedOf(v).mentioned.unless(key, func() segment.Bitmap { return m.look(v, spelled) }))
}

// look gives the units of the items that mention one of the spellings, the dead ones too.
func (m *mention) look(v *segment.View, spelled [][][]uint32) segment.Bitmap {
	chosen, denied := segment.NewBitmap(v.Units()), denialsIn(v, m.analyzer)
	for _, numbers := range spelled {
		for _, number := range rarest(v, numbers) {
			docs, _ := v.Postings(number)
			for _, doc := range docs {
				u := int(doc)
				if chosen.Has(u) || !m.in(v, u, numbers, denied[v.Languages[v.ItemOf[u]]]) {
					continue
				}
				v.ChooseItem(u, chosen)
			}
		}
	}
	return chosen
}

// endOfWord ends the numbers of a word's forms in a key of mentioned. It begins like no number that
// a batch gives.
const endOfWord = "\xff\xff\xff\xff"

// mentioned are the units of a batch that mention something, by what: they are the same in every
// snapshot that has the batch.
type mentioned struct {
	mu    sync.Mutex
	units map[string]segment.Bitmap
}

// maxMentioned is of how many things a batch remembers where they are mentioned.
const maxMentioned = 128

// unless gives what is remembered for a key, or what look gives, which is remembered.
func (m *mentioned) unless(key []byte, look func() segment.Bitmap) segment.Bitmap {
	m.mu.Lock()
	known, ok := m.units[string(key)]
	m.mu.Unlock()
	if ok {
		return known
	}
	known = look()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.units == nil || len(m.units) >= maxMentioned {
		m.units = map[string]segment.Bitmap{}
	}
	m.units[string(key)] = known
	return known
}

// numbersOfAll gives the numbers of each word's forms, or nil when some word has none in the view.
func numbersOfAll(v *segment.View, words [][]string) [][]uint32 {
	numbers := make([][]uint32, len(words))
	for i, forms := range words {
		for _, form := range forms {
			if number, ok := v.Words.Find(form, segment.Hash(form)); ok && number != segment.Separator &&
				!slices.Contains(numbers[i], number) {
				numbers[i] = append(numbers[i], number)
			}
		}
		if numbers[i] == nil {
			return nil
		}
	}
	return numbers
}

// rarest gives the numbers of the word with the fewest postings.
func rarest(v *segment.View, words [][]uint32) []uint32 {
	var best []uint32
	fewest := 0
	for _, numbers := range words {
		n := 0
		for _, number := range numbers {
			docs, _ := v.Postings(number)
			n += len(docs)
		}
		if best == nil || n < fewest {
			best, fewest = numbers, n
		}
	}
	return best
}

// in says whether a unit mentions the words at least once without denying them, or, where that is
// looked for, denies them whenever it does.
func (m *mention) in(v *segment.View, u int, words [][]uint32, denied *denials) bool {
	text := v.Text(u)
	switch m.where {
	case Called:
		text = text[:v.PartEnds(u)[0]]
	case Titled:
		text = text[:text.Index(segment.Separator, 0)]
	}
	without := false
	for _, number := range words[0] {
		for i := text.Index(number, 0); i < len(text); i = text.Index(number, i+segment.CodeSize) {
			end, ok := text.Follow(i, words[1:], nearWords)
			switch {
			case !ok:
			case denied.before(text, i), denied.after(text, end):
				without = true
			default:
				return m.where != Denied
			}
		}
	}
	return without && m.where == Denied
}

// gramsNear is how many characters and pairs, which overlap with the next word, are looked at.
const gramsNear = 3

// denials are the numbers of the words with which a language denies in one view. The nil value
// denies nothing.
type denials struct {
	ahead       [][]uint32 // phrases
	without     [][]uint32 // those of them that hold for what "and" joins, too
	between     []uint32
	or, and     []uint32
	behind      []uint32
	notBehind   []uint32
	gramsAhead  []uint32
	gramsBehind []uint32
}

// denialsIn looks up, for each language of a view's items, how it denies: once, since it takes
// longer than to find where most things are mentioned.
func denialsIn(v *segment.View, a *analysis.Analyzer) map[uint8]*denials {
	denied := &derivedOf(v).denied
	if known := denied.Load(); known != nil {
		return *known
	}
	all := map[uint8]*denials{}
	for _, t := range a.Languages {
		if slices.Contains(v.Languages, t.Index) {
			all[t.Index] = newDenials(v, t)
		}
	}
	denied.Store(&all)
	return all
}

// newDenials looks up how a language denies.
func newDenials(v *segment.View, t *analysis.Language) *denials {
	by := t.Denial()
	return &denials{
		between: numbersIn(v, by.Between), or: numbersIn(v, by.Or), and: numbersIn(v, by.And),
		behind: numbersIn(v, by.After), notBehind: numbersIn(v, by.NotAfter), gramsAhead: numbersIn(v, by.GramsBefore),
		gramsBehind: numbersIn(v, by.GramsAfter), ahead: phrasesIn(v, by.Before), without: phrasesIn(v, by.Without),
	}
}

// phrasesIn gives the terms of the phrases that a view has whole, by their numbers.
func phrasesIn(v *segment.View, phrases [][]string) (in [][]uint32) {
	for _, phrase := range phrases {
		if numbers := numbersIn(v, phrase); len(numbers) == len(phrase) {
			in = append(in, numbers)
		}
	}
	return in
}

// numbersIn gives the numbers of those terms that a view has.
func numbersIn(v *segment.View, terms []string) []uint32 {
	var numbers []uint32
	for _, term := range terms {
		if number, ok := v.Words.Find(term, segment.Hash(term)); ok && number != segment.Separator {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// deniedBetween is how many words may stand between a denial and what is denied.
const deniedBetween = 2

// before says whether what begins at place i is denied by what stands before it: by a denial with
// few words between, or by one that goes on ("without onion or ginger"); "no onion and ginger" may
// have ginger.
func (d *denials) before(text segment.Codes, i int) bool {
	for n, at := 0, i; n < gramsNear; n++ {
		var number uint32
		if number, at = text.Previous(at); slices.Contains(d.gramsAhead, number) {
			return true
		}
	}
	i = d.skipBetween(text, i)
	by := d.ahead
	number, at := text.Previous(i)
	if and := slices.Contains(d.and, number); and || slices.Contains(d.or, number) {
		if _, at = text.Previous(at); and { // the other that is denied
			by = d.without
		}
		i = d.skipBetween(text, at)
	}
	return slices.ContainsFunc(by, func(phrase []uint32) bool { return text.EndsWith(phrase, i) })
}

// skipBetween goes back from place i over words that may stand between a denial and what is denied.
func (d *denials) skipBetween(text segment.Codes, i int) int {
	for range deniedBetween {
		number, at := text.Previous(i)
		if !slices.Contains(d.between, number) {
			break
		}
		i = at
	}
	return i
}

// after says whether what ends at place i is denied by what follows it.
func (d *denials) after(text segment.Codes, i int) bool {
	number, next := text.Following(i)
	if slices.Contains(d.behind, number) {
		number, _ = text.Following(next)
		return !slices.Contains(d.notBehind, number)
	}
	for range gramsNear {
		if slices.Contains(d.gramsBehind, number) {
			return true
		}
		number, next = text.Following(next)
	}
	return false
}
