package grants

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSpansAreASetOfBytes holds them against a row of bytes, each seen or not.
func TestSpansAreASetOfBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const size = 40
		var model [size]bool
		var s Spans
		draw := func() Span {
			from := rapid.IntRange(0, size-1).Draw(t, "from")
			return Span{from, rapid.IntRange(from+1, size).Draw(t, "to")}
		}
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			one := draw()
			s = s.Add(one)
			for i := one.From; i < one.To; i++ {
				model[i] = true
			}
		}
		n := 0
		for _, saw := range model {
			if saw {
				n++
			}
		}
		for i, one := range s {
			if one.From >= one.To || i > 0 && one.From <= s[i-1].To {
				t.Fatalf("%v are not apart and in order", s)
			}
		}
		if s.Bytes() != n {
			t.Fatalf("%v have %d bytes, want %d", s, s.Bytes(), n)
		}
		of, rest := draw(), [size]bool{}
		for part := range s.Without(of) {
			for i := part.From; i < part.To; i++ {
				rest[i] = true
			}
		}
		for i := range size {
			if want := i >= of.From && i < of.To && !model[i]; rest[i] != want {
				t.Fatalf("of %v beside %v, byte %d is %v", of, s, i, rest[i])
			}
		}
		given := Coverage{}
		for part := range slices.Values(s) {
			given.Add("url", "p", part)
		}
		again, err := unpack(given.pack())
		if err != nil || !slices.Equal(again.SpansOf("url", "p"), s) {
			t.Fatalf("%v is written as %x and read as %v: %v", s, given.pack(), again, err)
		}
	})
}
