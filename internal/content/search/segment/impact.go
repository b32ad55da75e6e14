package segment

import "math"

// The parameters of BM25F. A word's frequency in a unit is the weighted sum of its frequencies in
// the fields, each divided by how long the field is beside the average; the sum then saturates. The
// weights stand inside the saturation: adding up scores of fields that were each saturated ranks
// worse.
const (
	titleWeight = 8.0
	keysWeight  = 1.0
	bodyWeight  = 1.0
	saturation  = 1.4  // k1: the weighted frequency at which half of the impact is reached
	lengthShare = 0.75 // b: how much of a field's length counts
)

var fieldWeights = [fields]float64{titleWeight, keysWeight, bodyWeight}

// averages are the average lengths of the fields, as steps on a geometric scale. Impacts depend on
// them; because they are coarse, they rarely change, and because they are computed from exact sums,
// equal content has equal ones.
type averages [fields]int8

// averageSteps is how many steps of the scale double a length.
const averageSteps = 4

// Census counts what the scores need to know of all live units together.
type Census struct {
	Units     int
	Items     int
	Languages [MaxLanguages]int // items in each language

	words  [fields]int64 // words in each field
	having [fields]int   // units that have the field
}

// MaxLanguages is how many languages items may be in; their numbers are below it.
const MaxLanguages = 32

// census counts the units of a batch.
func (f *Forward) census() *Census {
	c := &Census{Items: len(f.Refs)}
	for u := range f.Units() {
		c.count(f.Text(u), 1)
	}
	for _, t := range f.Languages {
		c.Languages[t]++
	}
	return c
}

// count adds a unit, or takes it away when sign is -1.
func (c *Census) count(text Codes, sign int) {
	c.Units += sign
	for f, n := range text.lengths() {
		if n > 0 {
			c.words[f] += int64(sign * n)
			c.having[f] += sign
		}
	}
}

// Add adds what another census counted.
func (c *Census) Add(d *Census) {
	c.Units += d.Units
	c.Items += d.Items
	for f := range fields {
		c.words[f] += d.words[f]
		c.having[f] += d.having[f]
	}
	for i := range c.Languages {
		c.Languages[i] += d.Languages[i]
	}
}

// TitleWords is how many words titles have on average; 0 without any.
func (c *Census) TitleWords() float64 {
	if c.having[0] == 0 {
		return 0
	}
	return float64(c.words[0]) / float64(c.having[0])
}

// averages gives the average length of each field over the units that have it.
func (c *Census) averages() (a averages) {
	for f := range fields {
		if c.having[f] > 0 {
			mean := float64(c.words[f]) / float64(c.having[f])
			a[f] = int8(math.Round(math.Log2(mean) * averageSteps))
		}
	}
	return a
}

// shares gives what one occurrence of a word adds to its weighted frequency, by field, in a unit of
// these lengths.
func (a averages) shares(n [fields]int) (share [fields]float32) {
	for f := range fields {
		average := math.Exp2(float64(a[f]) / averageSteps)
		share[f] = float32(fieldWeights[f] / (1 - lengthShare + lengthShare*float64(n[f])/average))
	}
	return share
}

// FullImpact stands for an impact of 1, which no frequency reaches.
const FullImpact = 1<<16 - 1

// impactOf gives the impact of a weighted frequency.
func impactOf(frequency float32) uint16 {
	f := float64(frequency)
	return uint16(max(1, math.Round(FullImpact*f/(saturation+f))))
}
