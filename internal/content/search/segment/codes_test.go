package segment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// numbers of words that take one code or two, and near the border between them.
func drawNumber(t *rapid.T) uint32 {
	return rapid.OneOf(
		rapid.Uint32Range(0, 5),
		rapid.Uint32Range(pairHigh-3, pairHigh+3),
		rapid.Uint32Range(pairHigh, pairHigh+1<<13),
		rapid.Uint32Range(pairHigh+1<<24-3, pairHigh+1<<24-1),
	).Draw(t, "number")
}

func TestCodesKeepNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.Custom(drawNumber)).Draw(t, "numbers")
		var c Codes
		var places []int
		for _, n := range numbers {
			places = append(places, len(c))
			c = c.Put(n)
		}
		at := 0
		for i, n := range numbers {
			if at != places[i] {
				t.Fatalf("number %d stands at %d, want %d", i, at, places[i])
			}
			got, next := c.Get(at)
			if got != n {
				t.Fatalf("number %d is %d, want %d", i, got, n)
			}
			if c.Before(next) != at {
				t.Fatalf("before %d is %d, want %d", next, c.Before(next), at)
			}
			at = next
		}
		wanted := drawNumber(t)
		var want, got []int
		for i, n := range numbers {
			if n == wanted {
				want = append(want, places[i])
			}
		}
		for i := c.Index(wanted, 0); i < len(c); i = c.Index(wanted, i+CodeSize) {
			got = append(got, i)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("places of %d (-want +got):\n%s", wanted, diff)
		}
	})
}

func TestWordListNumbersWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-c]{0,3}`)).Draw(t, "words")
		var l WordList
		numbers := map[string]uint32{}
		for _, word := range words {
			n := l.Add(word)
			if known, ok := numbers[word]; ok && known != n {
				t.Fatalf("%q is %d and %d", word, known, n)
			}
			numbers[word] = n
		}
		if l.Len() != len(numbers) {
			t.Fatalf("%d words, want %d", l.Len(), len(numbers))
		}
		for word, n := range numbers {
			if found, ok := l.Find(word, Hash(word)); !ok || found != n || string(l.Word(n)) != word {
				t.Fatalf("%q is found as %d, %v; want %d", word, found, ok, n)
			}
		}
		if _, ok := l.Find("absent", Hash("absent")); ok {
			t.Fatal("a word is found that was never added")
		}
	})
}
