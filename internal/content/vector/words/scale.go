package words

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	_ "embed"
)

//go:embed probes.txt
var probesText string

// scale brings the cosines of a table to those that the program's own table gives: tables differ in
// how alike words are that have nothing to do with each other, and words that do. What is held
// against a cosine was measured with the program's.
type scale struct{ slope, base float64 }

// Likeness is how alike directions are whose cosine is known: the cosine that the program's own
// table would give about such texts, from -1 to 1.
func (s scale) Likeness(cosine float64) float64 { return min(1, max(-1, s.slope*cosine+s.base)) }

// cosine is where directions are as alike.
func (s scale) cosine(likeness float64) float64 { return min(1, max(-1, (likeness-s.base)/s.slope)) }

// Alike is how alike two directions of the table are; 0 where one is missing.
func (t *Table) Alike(a, b Vector) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	return t.Likeness(Cosine(a, b))
}

// probe is two words for about the same thing.
type probe [2]string

// probes are by language, in rows that are of one thing in all languages.
var probes = sync.OnceValue(func() map[string][]probe {
	read := map[string][]probe{}
	for line := range strings.Lines(probesText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for part := range strings.SplitSeq(line, "|") {
			w := strings.Fields(part)
			read[w[0]] = append(read[w[0]], probe{w[1], w[2]})
		}
	}
	return read
})

// Reading is how well a table reads the everyday words of a language.
type Reading struct {
	Known, Asked int     // words that have a direction, of so many
	Same         float64 // the mean cosine of two words for about the same thing,
	Other        float64 // and of two words for different things
	English      float64 // the mean cosine of a word and the English one for the same; 0 where none has both
}

// Reads tells how well the table reads a language, "en" or another of the seven that the program
// knows.
func (t *Table) Reads(language string) Reading {
	var r Reading
	var same, other, english mean
	known := make([][2]Vector, len(probes()[language]))
	for i, p := range probes()[language] {
		for k, word := range p {
			r.Asked++
			if v, ok := t.Embed(word); ok {
				r.Known++
				known[i][k] = v
			}
		}
	}
	for i, row := range known {
		same.add(row[0], row[1])
		if there, ok := t.Embed(probes()["en"][i][0]); ok {
			english.add(row[0], there)
		}
		for j := range known {
			if j != i {
				other.add(row[0], known[j][1])
			}
		}
	}
	r.Same, r.Other, r.English = same.value(), other.value(), english.value()
	return r
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(a, b Vector) {
	if a != nil && b != nil {
		m.sum += Cosine(a, b)
		m.n++
	}
}

func (m *mean) value() float64 { return m.sum / math.Max(1, float64(m.n)) }

// Languages are those whose everyday words a table is tried with, as probes.txt has them.
func Languages() []string { return slices.Sorted(maps.Keys(probes())) }

// Bounds of what serves.
const (
	enoughKnown = 0.75 // of the everyday words of a language that is read
	enoughApart = 0.2  // by which words for the same are more alike than others
)

// Read says whether a language's words are known well enough to count.
func (r Reading) Read() bool {
	return r.Asked > 0 && float64(r.Known) >= enoughKnown*float64(r.Asked) && r.Same-r.Other >= enoughApart
}

var errUnread = errors.New(
	"of none of the languages that the program reads does it know the everyday words, with words " +
		"for the same pointing the same way: make it of a model of texts or words in one of them")

// aligned finds a table's scale, by the languages that it reads.
func aligned(t *Table, err error) (*Table, error) {
	if err != nil {
		return nil, err
	}
	var same, other, theirSame, theirOther, n float64
	for _, language := range Languages() {
		if r := t.Reads(language); r.Read() {
			own := Builtin().Reads(language)
			same, other, theirSame, theirOther, n = same+own.Same, other+own.Other, theirSame+r.Same,
				theirOther+r.Other, n+1
		}
	}
	if n == 0 {
		return nil, errUnread
	}
	t.slope = (same - other) / (theirSame - theirOther)
	t.base = (same - t.slope*theirSame) / n
	return t, nil
}
