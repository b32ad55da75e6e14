package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"pgregory.net/rapid"
)

// corpus makes varied text: its words are as frequent as those of natural language, which follow
// one power law up to some thousand words and fall faster beyond, without end.
type corpus struct {
	random *rand.Rand
	sum    []float64 // of the weights up to each word
}

func newCorpus(seed uint64, vocabulary int) *corpus {
	c := &corpus{random: rand.New(rand.NewPCG(seed, 7))}
	total := 0.0
	for i := range vocabulary {
		const common = 8000
		weight := 1 / (float64(min(i, common)) + 2.7)
		total += weight * math.Pow(common/float64(max(i, common)), 1.7)
		c.sum = append(c.sum, total)
	}
	return c
}

// word gives a random word: a number written in syllables, so that words look like words and stem
// little.
func (c *corpus) word() string {
	x := c.random.Float64() * c.sum[len(c.sum)-1]
	low, high := 0, len(c.sum)-1
	for low < high {
		if middle := (low + high) / 2; c.sum[middle] < x {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return spell(low)
}

// spell writes a number in syllables.
func spell(n int) string {
	const consonants, vowels = "bdfgklmnprtvz", "aiou"
	var b strings.Builder
	for n += len(consonants) * len(vowels); n > 0; n /= len(consonants) * len(vowels) {
		b.WriteByte(consonants[n%len(consonants)])
		b.WriteByte(vowels[n/len(consonants)%len(vowels)])
	}
	return b.String() + "k"
}

func (c *corpus) text(words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = c.word()
	}
	return strings.Join(out, " ")
}

// document gives a document with passages of about so many words each.
func (c *corpus) document(n, passages, words int) Document {
	d := Document{Ref: n, Key: fmt.Sprintf("doc-%07d", n), Language: "en", Title: c.text(2 + c.random.IntN(8))}
	if n%3 == 0 {
		d.Keys = c.text(1 + c.random.IntN(6))
	}
	for range passages {
		d.Passages = append(d.Passages, c.text(words/2+c.random.IntN(words+1)))
	}
	return d
}

func (c *corpus) documents(from, to, passages, words int) []Document {
	docs := make([]Document, 0, to-from)
	for n := from; n < to; n++ {
		docs = append(docs, c.document(n, passages, words))
	}
	return docs
}

// The words of drawn documents: few, so that everything matches and ties are many.
var smallWords = strings.Fields(`red reds blue green belt belts buckle without not the of with wi-fi wifi usb-c usb c
	tooth brush toothbrush café cafe 1/2 inch men's shirt t-shirt tshirt schuhe und über 日本語 本 x`)

func drawText(t *rapid.T, least, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(smallWords), least, most).Draw(t, "words"), " ")
}

func drawDocument(t *rapid.T) Document {
	key := rapid.IntRange(0, 40).Draw(t, "key")
	d := Document{
		Ref:      fmt.Sprint(key, "/", rapid.IntRange(0, 3).Draw(t, "version")),
		Key:      fmt.Sprintf("k%02d", key),
		Language: rapid.SampledFrom([]string{"en", "en", "de", "fr", "xx", ""}).Draw(t, "language"),
		Title:    drawText(t, 0, 5),
		Keys:     drawText(t, 0, 3),
	}
	for range rapid.IntRange(0, 3).Draw(t, "passages") {
		d.Passages = append(d.Passages, drawText(t, 0, 12))
	}
	return d
}

func drawQuery(t *rapid.T) Query {
	q := Query{
		Text:     drawText(t, 0, 8),
		Limit:    rapid.SampledFrom([]int{0, 1, 3, 10, 33, 1000}).Draw(t, "limit"),
		MinScore: rapid.SampledFrom([]float64{0, DefaultMinScore, 50}).Draw(t, "min score"),
		Literal:  rapid.Bool().Draw(t, "literal"),
		Prefer:   rapid.SampledFrom([][]string{nil, {"de"}, {"fr-CA", "xx"}, {"en", "de"}, {"sv"}}).Draw(t, "prefer"),
	}
	if rapid.Bool().Draw(t, "unknown words") {
		q.Text += " zonk belts"
	}
	return q
}
