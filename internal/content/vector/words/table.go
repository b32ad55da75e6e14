package words

import (
	"encoding/binary"
	"errors"
	"math"
)

// The form of the table that distil.py writes: a head of the magic, the number of pieces, the
// number of dimensions and the unit of scales; then by piece, the most frequent first, the length
// of its name, its score, its scale, its values, and its name. Numbers are little-endian, scores
// and scales of 16 bits.
const (
	magic     = "FDW1"
	headSize  = 16
	scoreUnit = -1.0 / 2048
	middle    = 8 // the step that is zero
)

var errBroken = errors.New("it is no table of word pieces, or only a part of one")

// read reads a table.
func read(data []byte) (*Table, error) {
	if len(data) < headSize || string(data[:4]) != magic {
		return nil, errBroken
	}
	head := data[:headSize]
	count, dimensions := int(binary.LittleEndian.Uint32(head[4:])), int(binary.LittleEndian.Uint32(head[8:]))
	unit := math.Float32frombits(binary.LittleEndian.Uint32(head[12:]))
	if count > len(data) || dimensions > len(data) || dimensions%2 != 0 {
		return nil, errBroken
	}
	data = data[headSize:]
	if len(data) < count*(1+2+2+dimensions/2) {
		return nil, errBroken
	}
	lengths, data := data[:count], data[count:]
	scores, data := data[:2*count], data[2*count:]
	packed := steps{scales: data[:2*count], unit: unit, dimensions: dimensions}
	data = data[2*count:]
	packed.values, data = data[:count*dimensions/2], data[count*dimensions/2:]
	spans, likely, end := make([]span, count), make([]float32, count), uint64(0)
	for piece := range count {
		spans[piece] = span{end, uint16(lengths[piece])}
		end += uint64(lengths[piece])
		likely[piece] = scoreUnit * float32(number(scores, piece))
	}
	if end != uint64(len(data)) {
		return nil, errBroken
	}
	return &Table{pieces: newCutter(newLexicon(data, spans), likely, false), rows: packed}, nil
}

// number gives number i of 16 bits.
func number(data []byte, i int) uint16 { return uint16(data[2*i]) | uint16(data[2*i+1])<<8 }

// steps are directions of four bits a value, as they stand in the table.
type steps struct {
	scales, values []byte
	unit           float32
	dimensions     int
}

func (s steps) Dimensions() int { return s.dimensions }

func (s steps) add(sum []float32, piece int) {
	scale := s.unit * float32(number(s.scales, piece))
	row := s.values[piece*s.dimensions/2 : (piece+1)*s.dimensions/2]
	sum = sum[:2*len(row)]
	for i := range len(row) {
		sum[2*i] += scale * float32(int(row[i]&15)-middle)
		sum[2*i+1] += scale * float32(int(row[i]>>4)-middle)
	}
}
