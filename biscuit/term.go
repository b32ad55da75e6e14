package biscuit

import (
	"encoding/binary"
	"slices"
	"strings"
)

// kind is the type of a term.
type kind uint8

const (
	kindVariable kind = iota
	kindInteger
	kindString
	kindDate
	kindBytes
	kindBool
	kindSet
	kindNull
	kindArray
	kindMap
)

// kindNames are the types as the operation type() names them.
var kindNames = [...]string{"variable", "integer", "string", "date", "bytes", "bool", "set", "null", "array", "map"}

// term is one value of Datalog, or a variable. Terms are never changed once made: they share what
// they are made of.
type term struct {
	kind kind
	// an integer, the seconds of a date as they are on the wire, 1 for true, the place of a
	// variable in its rule
	n    int64
	s    string // a string, the bytes of bytes, the name of a variable
	list []term // the elements of an array, those of a set in order; the keys and values of a map, in order of the keys
}

func boolean(b bool) term {
	if b {
		return term{kind: kindBool, n: 1}
	}
	return term{kind: kindBool}
}

func integer(n int64) term     { return term{kind: kindInteger, n: n} }
func stringTerm(s string) term { return term{kind: kindString, s: s} }

func (t *term) truth() bool { return t.n != 0 }

// equal tells whether two values are the same, of the same type.
func equal(a, b *term) bool {
	if a.kind != b.kind || a.n != b.n || a.s != b.s || len(a.list) != len(b.list) {
		return false
	}
	for i := range a.list {
		if !equal(&a.list[i], &b.list[i]) {
			return false
		}
	}
	return true
}

// compare is an order over all values, for sets and the keys of maps.
func compare(a, b term) int {
	switch {
	case a.kind != b.kind:
		return int(a.kind) - int(b.kind)
	case a.kind == kindDate && a.n != b.n:
		if uint64(a.n) < uint64(b.n) {
			return -1
		}
		return 1
	case a.n != b.n:
		if a.n < b.n {
			return -1
		}
		return 1
	case a.s != b.s:
		return strings.Compare(a.s, b.s)
	}
	return slices.CompareFunc(a.list, b.list, compare)
}

// set makes a set of elements, which it may put into order.
func set(elements []term) term {
	slices.SortFunc(elements, compare)
	return term{kind: kindSet, list: slices.CompactFunc(elements, func(a, b term) bool { return equal(&a, &b) })}
}

// dictionary makes a map of keys and values, the later of two of the same key, as the official
// libraries do.
func dictionary(entries [][2]term) term {
	slices.SortStableFunc(entries, func(a, b [2]term) int { return compare(a[0], b[0]) })
	it := term{kind: kindMap}
	for i, entry := range entries {
		if i+1 < len(entries) && equal(&entry[0], &entries[i+1][0]) {
			continue
		}
		it.list = append(it.list, entry[0], entry[1])
	}
	return it
}

// has tells whether a set or an array has an element.
func (t *term) has(element *term) bool {
	if t.kind == kindSet {
		_, found := slices.BinarySearchFunc(t.list, *element, compare)
		return found
	}
	for i := range t.list {
		if equal(&t.list[i], element) {
			return true
		}
	}
	return false
}

// at is the value of a map at a key, nil where there is none.
func (t *term) at(key *term) *term {
	for i := 0; i+1 < len(t.list); i += 2 {
		if equal(&t.list[i], key) {
			return &t.list[i+1]
		}
	}
	return nil
}

// weight is what looking at a value costs, in steps.
func (t *term) weight() int {
	n := 1 + len(t.s)/64
	for i := range t.list {
		n += t.list[i].weight()
	}
	return n
}

// appendIdentity writes a value so that two are the same exactly when their bytes are.
func (t *term) appendIdentity(to []byte) []byte {
	to = binary.AppendVarint(append(to, byte(t.kind)), t.n)
	to = append(binary.AppendUvarint(to, uint64(len(t.s))), t.s...)
	to = binary.AppendUvarint(to, uint64(len(t.list)))
	for i := range t.list {
		to = t.list[i].appendIdentity(to)
	}
	return to
}
