package words

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bounds of files.
const (
	mostDimensions = 4096
	mostPieces     = 1 << 26
	mostLine       = 1 << 20
)

// lineRows are the directions of words that stand in lines of text, the most frequent word first.
type lineRows struct {
	text       []byte
	rest       []uint64 // by word: where its numbers begin
	dimensions int
}

func (r *lineRows) Dimensions() int { return r.dimensions }

// often is the share of a text's words above which a word counts less, as in Arora, Liang and Ma
// (2017).
const often = 1e-3

func (r *lineRows) add(sum []float32, piece int) {
	// By Zipf's law the share of word n is about 1/(n ln N).
	share := 1 / (float64(piece+1) * math.Log(float64(len(r.rest)+2)))
	weight := float32(often / (often + share))
	values, ok := numbers(r.text[r.rest[piece]:], r.dimensions)
	if !ok {
		return
	}
	length := float32(0)
	for _, x := range values {
		length += x * x
	}
	if length == 0 {
		return
	}
	weight /= float32(math.Sqrt(float64(length)))
	for i, x := range values {
		sum[i] += weight * x
	}
}

// numbers reads the numbers up to the end of a line; false unless they are so many finite ones.
func numbers(text []byte, dimensions int) ([]float32, bool) {
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	values := make([]float32, 0, dimensions)
	for field := range bytes.FieldsSeq(text) {
		x, err := strconv.ParseFloat(string(field), 32)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || len(values) == dimensions {
			return nil, false
		}
		values = append(values, float32(x))
	}
	return values, len(values) == dimensions
}

// whole cuts a text into the words that have directions by themselves.
type whole struct{ lexicon }

func (w *whole) cut(text string, yield func(piece int)) {
	if len(text) > maxText {
		text = text[:maxText]
	}
	for word := range wordsOf(text, false) {
		for _, form := range [2]string{word, strings.ToLower(word)} {
			if piece := w.find(form, hash(seed, form)); piece >= 0 {
				yield(piece)
				break
			}
		}
	}
}

// tried is how many lines are read to their last number at the start; of the others only the fields
// are counted.
const tried = 100

// ReadText reads a table in the form of GloVe, a word and its numbers a line, or of fastText, which
// begins with how many words and numbers there are. The table keeps the text, which must not
// change.
func ReadText(text []byte) (*Table, error) { return aligned(readLines(text)) }

func readLines(text []byte) (*Table, error) {
	r := &lineRows{text: text}
	form, first := "GloVe", strings.Fields(string(text[:min(mostLine, max(0, bytes.IndexByte(text, '\n')))]))
	at := 0
	if len(first) == 2 {
		_, wordsErr := strconv.Atoi(first[0])
		n, err := strconv.Atoi(first[1])
		if wordsErr != nil || err != nil {
			return nil, errors.New("its first line is neither a word with its numbers nor two whole numbers")
		}
		form, r.dimensions, at = "fastText", n, bytes.IndexByte(text, '\n')+1
	} else {
		r.dimensions = len(first) - 1
	}
	if r.dimensions < 2 || r.dimensions > mostDimensions {
		return nil, fmt.Errorf("its lines have %d numbers; a table in text has a word and its 2 to %d numbers a line",
			max(0, r.dimensions), mostDimensions)
	}
	var spans []span
	for line := 1; at < len(text); line++ {
		end := at + bytes.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		numbersAt, ok := cutLine(text[at:end], r.dimensions)
		if !ok {
			return nil, fmt.Errorf("line %d is not a word with %d numbers: is the file whole?", line, r.dimensions)
		}
		if len(spans) < tried {
			if _, ok := numbers(text[at+numbersAt:end], r.dimensions); !ok {
				return nil, fmt.Errorf("line %d has something that is no number", line)
			}
		}
		if numbersAt <= math.MaxUint16 && len(spans) < mostPieces {
			spans = append(spans, span{uint64(at), uint16(numbersAt - 1)})
			r.rest = append(r.rest, uint64(at+numbersAt))
		}
		at = end + 1
	}
	return &Table{pieces: &whole{newLexicon(text, spans)}, rows: r, Form: "text of " + form}, nil
}

// cutLine tells where the numbers of a line begin, behind its word, which may have blanks.
func cutLine(line []byte, dimensions int) (at int, ok bool) {
	line = bytes.TrimRight(line, " \r")
	blanks := bytes.Count(line, []byte(" "))
	if blanks == dimensions {
		return bytes.IndexByte(line, ' ') + 1, true
	}
	at = len(line)
	for range dimensions {
		if at = bytes.LastIndexByte(line[:max(0, at)], ' '); at <= 0 {
			return 0, false
		}
	}
	return at + 1, true
}
