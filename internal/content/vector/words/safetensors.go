package words

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// mostHead is how long the head of a file of tensors may be, in bytes.
const mostHead = 16 << 20

// tensor is one of the tensors of a safetensors file.
type tensor struct {
	Type    string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
	data    []byte
}

// tensorSizes are the bytes that a value of each type takes.
var tensorSizes = map[string]int{"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I8": 1, "I64": 8, "I32": 4}

// readTensors reads the head of a safetensors file, whose tensors stay where they are.
func readTensors(file []byte) (map[string]*tensor, error) {
	if len(file) < 8 {
		return nil, errors.New("it is shorter than the head of a safetensors file")
	}
	size := binary.LittleEndian.Uint64(file)
	if size > mostHead || size > uint64(len(file)-8) {
		return nil, errors.New("it is no safetensors file, or only a part of one")
	}
	var head map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+size], &head); err != nil {
		return nil, fmt.Errorf("its head is no JSON: %w", err)
	}
	delete(head, "__metadata__")
	body, all := file[8+size:], map[string]*tensor{}
	for name, raw := range head {
		t := &tensor{}
		if err := json.Unmarshal(raw, t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		if t.Offsets[0] > t.Offsets[1] || t.Offsets[1] > uint64(len(body)) {
			return nil, fmt.Errorf("tensor %q ends beyond the file: is it only a part?", name)
		}
		t.data = body[t.Offsets[0]:t.Offsets[1]]
		if values, ok := t.values(); !ok || values*tensorSizes[t.Type] != len(t.data) {
			return nil, fmt.Errorf("tensor %q has %d bytes, not those of %v values of type %s", name, len(t.data),
				t.Shape, t.Type)
		}
		all[name] = t
	}
	return all, nil
}

// values is how many values a tensor's shape has; false for a type that is not known or a shape
// that no file has.
func (t *tensor) values() (int, bool) {
	n := 1
	for _, of := range t.Shape {
		if of < 0 || of > 0 && n > math.MaxInt32*64/of {
			return 0, false
		}
		n *= of
	}
	return n, tensorSizes[t.Type] > 0
}

// at is value i.
func (t *tensor) at(i int) float64 {
	size := tensorSizes[t.Type]
	b := t.data[i*size : (i+1)*size]
	switch t.Type {
	case "F64":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case "F32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "BF16":
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	case "F16":
		return half(binary.LittleEndian.Uint16(b))
	case "I8":
		return float64(int8(b[0]))
	case "I32":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	}
	return float64(int64(binary.LittleEndian.Uint64(b)))
}

// half reads a number of 16 bits (IEEE 754 binary16).
func half(b uint16) float64 {
	sign, exponent, fraction := 1.0, int(b>>10&31), float64(b&1023)
	if b>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction > 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// tensorRows are the directions of pieces as model2vec keeps them: a row each, or the row that
// mapping names, weighed by weights where those stand apart.
type tensorRows struct{ directions, weights, mapping *tensor }

func (r *tensorRows) Dimensions() int { return r.directions.Shape[1] }

func (r *tensorRows) add(sum []float32, piece int) {
	weight, row := 1.0, piece
	if r.weights != nil {
		weight = r.weights.at(piece)
	}
	if r.mapping != nil {
		row = int(r.mapping.at(piece))
	}
	if row < 0 || row >= r.directions.Shape[0] {
		return
	}
	row *= len(sum)
	for i := range sum {
		sum[i] += float32(weight * r.directions.at(row+i))
	}
}

// tokenizer is what is read of tokenizer.json, the form of Hugging Face's tokenizers.
type tokenizer struct {
	Normalizer *normalizer `json:"normalizer"`
	Model      struct {
		Type       string          `json:"type"`
		Vocab      json.RawMessage `json:"vocab"`
		Continuing string          `json:"continuing_subword_prefix"`
		Unknown    string          `json:"unk_token"`
	} `json:"model"`
}

type normalizer struct {
	Type        string       `json:"type"`
	Lowercase   bool         `json:"lowercase"`
	Accents     *bool        `json:"strip_accents"`
	Normalizers []normalizer `json:"normalizers"`
}

// does says whether the normalizer, or a part of it, does something.
func (n *normalizer) does(what func(*normalizer) bool) bool {
	if n == nil {
		return false
	}
	return what(n) || slices.ContainsFunc(n.Normalizers, func(part normalizer) bool { return part.does(what) })
}

// readTokenizer gives the pieces of a tokenizer.json of so many rows.
func readTokenizer(data []byte, rows int) (pieces, string, error) {
	var t tokenizer
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, "", err
	}
	lower := t.Normalizer.does(func(n *normalizer) bool {
		return n.Type == "Lowercase" || n.Type == "BertNormalizer" && n.Lowercase
	})
	var names bytes.Buffer
	spans, scores := make([]span, rows), make([]float32, rows)
	put := func(piece int, name string) {
		if piece >= 0 && piece < rows && len(name) <= math.MaxUint16 {
			spans[piece] = span{uint64(names.Len()), uint16(len(name))}
			names.WriteString(name)
		}
	}
	switch t.Model.Type {
	case "WordPiece":
		var vocab map[string]int
		if err := json.Unmarshal(t.Model.Vocab, &vocab); err != nil {
			return nil, "", err
		}
		if t.Model.Continuing != continued {
			return nil, "", fmt.Errorf("its pieces go on by %q; %q can be read", t.Model.Continuing, continued)
		}
		for name, piece := range vocab {
			if name != t.Model.Unknown {
				put(piece, name)
			}
		}
		bare := t.Normalizer.does(func(n *normalizer) bool {
			return n.Type == "StripAccents" ||
				n.Type == "BertNormalizer" && (n.Accents == nil && n.Lowercase || n.Accents != nil && *n.Accents)
		})
		return &greedy{newLexicon(names.Bytes(), spans), !lower, !bare}, "WordPiece", nil
	case "Unigram":
		var vocab []unigram
		if err := json.Unmarshal(t.Model.Vocab, &vocab); err != nil {
			return nil, "", err
		}
		for piece, one := range vocab {
			if piece < rows {
				put(piece, one.name)
				scores[piece] = one.score
			}
		}
		return newCutter(newLexicon(names.Bytes(), spans), scores, !lower), "Unigram", nil
	}
	return nil, "", fmt.Errorf("it cuts texts by %q; WordPiece and Unigram can be read", t.Model.Type)
}

// unigram is a piece with the logarithm of its probability.
type unigram struct {
	name  string
	score float32
}

func (u *unigram) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&u.name, &u.score})
}

// ReadTensors reads a table as model2vec writes it, a safetensors file with its tokenizer.json. The
// table keeps the file, which must not change.
func ReadTensors(file, tokenizer []byte) (*Table, error) { return aligned(readStatic(file, tokenizer)) }

func readStatic(file, tokens []byte) (*Table, error) {
	all, err := readTensors(file)
	if err != nil {
		return nil, err
	}
	r := &tensorRows{directions: all["embeddings"], weights: all["weights"], mapping: all["mapping"]}
	if r.directions == nil {
		r.directions = all["embedding.weight"] // as sentence-transformers calls it
	}
	if r.directions == nil || len(r.directions.Shape) != 2 {
		return nil, errors.New("it has no tensor \"embeddings\" of rows: make the file with model2vec")
	}
	if n := r.Dimensions(); n < 2 || n > mostDimensions {
		return nil, fmt.Errorf("its directions have %d numbers; 2 to %d can be read", n, mostDimensions)
	}
	rows := r.directions.Shape[0]
	for name, t := range map[string]*tensor{"weights": r.weights, "mapping": r.mapping} {
		if t == nil {
			continue
		}
		if len(t.Shape) != 1 {
			return nil, fmt.Errorf("its tensor %q has the shape %v, and should be a list", name, t.Shape)
		}
		rows = t.Shape[0]
	}
	if r.weights != nil && r.mapping != nil && r.weights.Shape[0] != r.mapping.Shape[0] {
		return nil, errors.New("its tensors \"weights\" and \"mapping\" are not of one length")
	}
	p, how, err := readTokenizer(tokens, rows)
	if err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	return &Table{pieces: p, rows: r, Form: fmt.Sprintf("safetensors (%s), %s", r.directions.Type, how)}, nil
}
