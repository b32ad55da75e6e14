package practical

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
)

//go:embed weights.bin
var weightFile []byte

// Sure is the confidence from which a question is taken for what it was recognised as.
const Sure = 0.5

// Weigh gives how likely a text, which may be the title of a page, belongs to each intent; together
// they are 1.
func Weigh(text string) map[string]float64 {
	m := model()
	scores := m.Scores(Features(text))
	told := make(map[string]float64, len(scores))
	for i, p := range scores {
		told[m.Intents[i]] = float64(p)
	}
	return told
}

// Model is a logistic regression with one class for each intent.
type Model struct {
	Intents []string
	Bias    []float32
	Weights []float32 // of bucket b for intent i at b*len(Intents)+i
	Tables  [32]byte  // what the tables were that it was made from
}

// Scores gives the probabilities of the intents.
func (m *Model) Scores(features []Feature) []float32 {
	scores := slices.Clone(m.Bias)
	n := len(m.Intents)
	for _, f := range features {
		for i, w := range m.Weights[f.Bucket*n : (f.Bucket+1)*n] {
			scores[i] += w * f.Value
		}
	}
	top := slices.Max(scores)
	sum := float32(0)
	for i, s := range scores {
		scores[i] = float32(math.Exp(float64(s - top)))
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
	return scores
}

// Pack writes the model with one byte a weight: the digest of the tables, the scale of a step of a
// weight, the intents, their biases, and the weights; in place of those that round to nothing stand
// how many follow each other.
func (m *Model) Pack() ([]byte, error) {
	most := float32(0)
	for _, w := range m.Weights {
		most = max(most, max(w, -w))
	}
	step := max(most/127, 1e-9)
	var b bytes.Buffer
	b.Write(m.Tables[:])
	names := strings.Join(m.Intents, " ")
	head := []any{step, uint16(len(names)), []byte(names), m.Bias}
	for _, value := range head {
		if err := binary.Write(&b, binary.LittleEndian, value); err != nil {
			return nil, err
		}
	}
	run := 0 // of weights that round to nothing, which are counted
	for i, w := range m.Weights {
		s := int8(math.Round(float64(w / step)))
		if s == 0 {
			run++
		}
		if run > 0 && (s != 0 || run == math.MaxUint8 || i == len(m.Weights)-1) {
			b.Write([]byte{0, byte(run)})
			run = 0
		}
		if s != 0 {
			b.WriteByte(byte(s))
		}
	}
	return b.Bytes(), nil
}

// Unpack reads what Pack wrote.
func Unpack(packed []byte) (*Model, error) {
	m := &Model{}
	r := bytes.NewReader(packed)
	if _, err := io.ReadFull(r, m.Tables[:]); err != nil {
		return nil, err
	}
	var step float32
	var length uint16
	for _, value := range []any{&step, &length} {
		if err := binary.Read(r, binary.LittleEndian, value); err != nil {
			return nil, err
		}
	}
	names := make([]byte, length)
	if _, err := io.ReadFull(r, names); err != nil {
		return nil, err
	}
	m.Intents = strings.Fields(string(names))
	m.Bias = make([]float32, len(m.Intents))
	if err := binary.Read(r, binary.LittleEndian, m.Bias); err != nil {
		return nil, err
	}
	m.Weights = make([]float32, Buckets*len(m.Intents))
	i := 0
	for r.Len() > 0 && i < len(m.Weights) {
		s, _ := r.ReadByte()
		if s == 0 {
			run, _ := r.ReadByte()
			i += int(run)
			continue
		}
		m.Weights[i] = float32(int8(s)) * step
		i++
	}
	if i != len(m.Weights) || r.Len() > 0 {
		return nil, errors.New(
			"practical: the weights are not those of this shape of model; go generate makes them anew")
	}
	return m, nil
}

// model is the one that the binary carries. A broken one recognises nothing, which a test would
// tell.
var model = sync.OnceValue(func() *Model {
	m, err := Unpack(weightFile)
	if err != nil {
		return &Model{Intents: []string{None}, Bias: []float32{0}, Weights: make([]float32, Buckets)}
	}
	return m
})

// TablesDigest tells the tables from others, so that weights that were not made from them are
// noticed.
func TablesDigest() [32]byte {
	h := sha256.New()
	for _, language := range Languages {
		text, _ := tables.ReadFile("tables/" + language + ".txt")
		h.Write(text)
	}
	return [32]byte(h.Sum(nil))
}
