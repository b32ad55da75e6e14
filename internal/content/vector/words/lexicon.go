package words

import "bytes"

// lexicon finds pieces by their names, which stand in a text.
type lexicon struct {
	text  []byte
	spans []span   // by piece
	slots []uint32 // by hash of the name: the piece, plus one; 0 for none
}

// span is where a name stands.
type span struct {
	begin  uint64
	length uint16
}

// newLexicon reads the names of pieces. Of those with the same name the first is found.
func newLexicon(text []byte, spans []span) lexicon {
	size := 64
	for size < 2*len(spans) {
		size *= 2
	}
	l := lexicon{text, spans, make([]uint32, size)}
	for piece := range spans {
		name := l.named(piece)
		at := hash(seed, name) & uint32(size-1)
		for l.slots[at] != 0 && !bytes.Equal(l.named(int(l.slots[at])-1), name) {
			at = (at + 1) & uint32(size-1)
		}
		if l.slots[at] == 0 {
			l.slots[at] = uint32(piece) + 1
		}
	}
	return l
}

func (l *lexicon) count() int { return len(l.spans) }

func (l *lexicon) name(piece int) string { return string(l.named(piece)) }

func (l *lexicon) named(piece int) []byte {
	s := l.spans[piece]
	return l.text[s.begin : s.begin+uint64(s.length)]
}

// find gives the piece of a name whose hash is known; -1 for none.
func (l *lexicon) find(name string, h uint32) int {
	mask := uint32(len(l.slots) - 1)
	for at := h & mask; l.slots[at] != 0; at = (at + 1) & mask {
		if piece := int(l.slots[at]) - 1; string(l.named(piece)) == name {
			return piece
		}
	}
	return -1
}

const seed = 2166136261

// hash goes on with the hash of what stands before text: FNV-1a.
func hash[T string | []byte](h uint32, text T) uint32 {
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}
