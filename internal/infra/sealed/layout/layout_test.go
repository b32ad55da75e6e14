package layout

import (
	"slices"
	"testing"
)

func TestValuesAreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	type pair struct {
		A float64
		B uint16
	}
	pairs := []pair{{1.5, 2}, {-3, 65535}}
	if got, ok := Of[pair](Bytes(pairs)); !ok || !slices.Equal(got, pairs) {
		t.Errorf("pairs are read as %v, %v", got, ok)
	}
	numbers := []uint32{1, 1 << 31, 7}
	shifted := append([]byte{0}, Bytes(numbers)...)[1:] // not aligned
	if got, ok := Of[uint32](shifted); !ok || !slices.Equal(got, numbers) {
		t.Errorf("numbers are read as %v, %v", got, ok)
	}
	if _, ok := Of[uint32](shifted[1:]); ok {
		t.Error("a part of a number was read")
	}
	texts := []string{"", "one", "zwei", ""}
	text, ends := Texts(texts)
	if got, ok := ReadTexts(text, Bytes(ends)); !ok || !slices.Equal(got, texts) {
		t.Errorf("texts are read as %q, %v", got, ok)
	}
	ends[1], ends[2] = 5, 3
	if _, ok := ReadTexts(text, Bytes(ends)); ok {
		t.Error("texts that end before they begin were read")
	}
}
