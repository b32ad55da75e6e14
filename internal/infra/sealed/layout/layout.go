// Package layout turns slices of numbers, and of structs of numbers, into sections of bytes and
// back, without copying them.
//
// It knows nothing of files: package sealed keeps sections in them. Enter at Bytes and Of. The
// package is pure.
package layout

import "unsafe"

// Of gives the values that a section consists of; false where it is no whole number of them. T must
// have no pointers. The section is aligned, as those of a mapped file are; another one is copied.
func Of[T any](section []byte) ([]T, bool) {
	var one T
	size := int(unsafe.Sizeof(one))
	n := len(section) / size
	if n*size != len(section) {
		return nil, false
	}
	if n == 0 {
		return nil, true
	}
	first := unsafe.Pointer(unsafe.SliceData(section))
	if uintptr(first)%unsafe.Alignof(one) == 0 {
		return unsafe.Slice((*T)(first), n), true
	}
	copied := make([]T, n)
	copy(Bytes(copied), section)
	return copied, true
}

// Bytes gives the bytes of values, which must have no pointers. They are the same memory.
func Bytes[T any](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(values[0])))
}

// Text is the text in bytes that never change.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Texts writes many texts as two sections: their bytes, and where each ends.
func Texts(all []string) (text []byte, ends []uint32) {
	ends = make([]uint32, 0, len(all))
	for _, one := range all {
		text = append(text, one...)
		ends = append(ends, uint32(len(text)))
	}
	return text, ends
}

// ReadTexts reads what Texts wrote; false where it is something else.
func ReadTexts(text, ends []byte) ([]string, bool) {
	bounds, ok := Of[uint32](ends)
	if !ok || !Rising(bounds, len(text)) {
		return nil, false
	}
	all := make([]string, len(bounds))
	from := uint32(0)
	for i, to := range bounds {
		all[i] = Text(text[from:to])
		from = to
	}
	return all, true
}

// Rising says whether numbers never fall, and the last is a bound; without any the bound is zero.
func Rising[T uint16 | uint32](numbers []T, bound int) bool {
	last := T(0)
	for _, n := range numbers {
		if n < last {
			return false
		}
		last = n
	}
	return uint64(last) == uint64(bound)
}

// Below says whether all numbers are below a bound.
func Below[T uint8 | uint16 | uint32](numbers []T, bound int) bool {
	for _, n := range numbers {
		if uint64(n) >= uint64(bound) {
			return false
		}
	}
	return true
}
