package desk

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A passage that was given in part is given again just so, and never in more: an answer that was lost on its way is
// asked for again.
func TestABeginningStaysWhenItIsCutAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "word", "sentence.", "é", "End!", "long\nline", "日本。", "1.5", "some", "more?"}), 1, 60).Draw(t, "words")
		text := strings.Join(words, " ")
		bytes, tokens := rapid.IntRange(0, len(text)+5).Draw(t, "bytes"), rapid.IntRange(0, 100).Draw(t, "tokens")
		first := (passage{}).part(text, bytes, tokens)
		if !strings.HasPrefix(text, first) || first != text && len(first) > bytes {
			t.Fatalf("%q is no beginning of %q in %d bytes", first, text, bytes)
		}
		if first == "" {
			return
		}
		if less := (passage{bytes: len(first)}).part(text, bytes/2, tokens); first != text && len(less) > bytes/2 {
			t.Fatalf("%q is given again although only %d bytes may be", less, bytes/2)
		}
		if again := (passage{bytes: len(first)}).part(text, len(text), tokens); again != first {
			t.Fatalf("%q is cut to %q the second time", first, again)
		}
	})
}
