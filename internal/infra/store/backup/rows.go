package backup

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A batch of rows is the rows' values one after the other, each after a letter for its kind: n
// nothing, i an integer (zigzag varint), f a float (8 bytes, little endian), s a text and b bytes
// (length, content).

func appendRow(dst []byte, values []any) ([]byte, error) {
	for _, value := range values {
		switch v := value.(type) {
		case nil:
			dst = append(dst, 'n')
		case int64:
			dst = binary.AppendVarint(append(dst, 'i'), v)
		case float64:
			dst = binary.LittleEndian.AppendUint64(append(dst, 'f'), math.Float64bits(v))
		case string:
			dst = append(binary.AppendUvarint(append(dst, 's'), uint64(len(v))), v...)
		case []byte:
			dst = append(binary.AppendUvarint(append(dst, 'b'), uint64(len(v))), v...)
		default:
			return dst, fmt.Errorf("the database gave a %T, which a backup cannot hold", value)
		}
	}
	return dst, nil
}

// readRows takes a batch apart into rows of so many values. Texts and bytes share the batch's
// memory.
func readRows(text []byte, columns int) ([][]any, error) {
	var rows [][]any
	for len(text) > 0 {
		row := make([]any, columns)
		for i := range row {
			var ok bool
			if row[i], text, ok = readValue(text); !ok {
				return nil, errBroken
			}
		}
		if columns == 0 {
			return nil, errBroken
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func readValue(text []byte) (value any, rest []byte, ok bool) {
	if len(text) == 0 {
		return nil, nil, false
	}
	kind, text := text[0], text[1:]
	switch kind {
	case 'n':
		return nil, text, true
	case 'i':
		n, size := binary.Varint(text)
		return n, text[max(size, 0):], size > 0
	case 'f':
		if len(text) < 8 {
			return nil, nil, false
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(text)), text[8:], true
	case 's', 'b':
		length, size := binary.Uvarint(text)
		if size <= 0 || length > uint64(len(text)-size) {
			return nil, nil, false
		}
		content, rest := text[size:size+int(length)], text[size+int(length):]
		if kind == 's' {
			return string(content), rest, true
		}
		return content[:length:length], rest, true
	}
	return nil, nil, false
}
