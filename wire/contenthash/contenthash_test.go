package contenthash_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"frontdesk/wire/contenthash"
)

// worked are the values of docs/content-hashes.md, which another program computed, in Python.
var worked = []struct{ text, simhash string }{
	{"", "0000000000000000"},
	{"...", "0000000000000000"},
	{"lamp", "c98e85f249002f03"},
	{"One lamp lights a room.", "e31f3395de2ad9ca"},
	{"one LAMP\n\nlights — a room", "e31f3395de2ad9ca"},
	{"One lamp lights the room.", "4a6b2de31d4ac8e6"},
	{"Don't panic: 42 lamps.", "19c66bd0512f5df4"},
	{"Čaj a ÉCLAIR, naïve Σίσυφος", "022a9ec0039b6802"},
	{"灯は部屋を照らす。", "814b0352b8275738"},
	{"The quick brown fox jumps over the lazy dog, and the lazy dog does not mind at all.", "c7f484a04d42e90c"},
	{"The quick brown fox jumps over the lazy dog, and the lazy cat does not mind at all.", "c46016200f42a95c"},
}

func TestWorkedValues(t *testing.T) {
	t.Parallel()
	for _, w := range worked {
		if got := contenthash.Of(contenthash.SimHash, []byte(w.text)); got.Digits != w.simhash {
			t.Errorf("%q has %s, want %s", w.text, got.Digits, w.simhash)
		}
	}
	if got := contenthash.Of(contenthash.SHA256, []byte("lamp\n")).String(); got != fmt.Sprintf("sha256:%x",
		sha256.Sum256([]byte("lamp\n"))) {
		t.Error(got)
	}
	if got := contenthash.Of("md5", []byte("x")); got != (contenthash.Hash{}) || got.String() != "" {
		t.Errorf("a hash of no method: %v", got)
	}
}

// plain is simhash-v1 as its description has it, with no thought of time.
func plain(text string) (out uint64) {
	var words []string
	word := ""
	end := func() {
		if word != "" {
			words = append(words, word)
		}
		word = ""
	}
	for _, r := range text {
		alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
			unicode.Khmer, unicode.Myanmar)
		part := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
		if !part || alone {
			end()
		}
		if part {
			word += string(unicode.ToLower(r))
		}
		if part && alone {
			end()
		}
	}
	end()
	var features []string
	for i := 0; i+3 <= len(words); i++ {
		features = append(features, strings.Join(words[i:i+3], " "))
	}
	if len(words) == 1 || len(words) == 2 {
		features = []string{strings.Join(words, " ")}
	}
	for bit := range 64 {
		balance := 0
		for _, f := range features {
			sum := sha256.Sum256([]byte(f))
			if binary.BigEndian.Uint64(sum[:])>>bit&1 == 1 {
				balance++
			} else {
				balance--
			}
		}
		if balance > 0 {
			out |= 1 << bit
		}
	}
	return out
}

// letters are what random texts are made of: words of many scripts, marks, digits, what parts
// words, and bytes that are no text.
var letters = []string{"a", "Z", "é", "ß", "İ", "Σ", "0", "9", "٣", "e\u0301", "灯", "は", "ー", "ก", "\u0e31", "한", " ",
	" ", " ", "\n", "-", "’", "\u00a0", "\u200b", "😀", "\xff", "\xe3\x81"}

// TestSimilarityIsThatOfItsDescription holds the fast form against the plain one, for short and
// long texts.
func TestSimilarityIsThatOfItsDescription(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var text strings.Builder
		for range r.IntN(2000) {
			text.WriteString(letters[r.IntN(len(letters))])
		}
		if got, want := contenthash.Similarity([]byte(text.String())), plain(text.String()); got != want {
			t.Fatalf("%q has %016x, want %016x", text.String(), got, want)
		}
	}
	same := strings.Repeat("lamp ", 3000) // one feature, more often than a byte counts
	if got, want := contenthash.Similarity([]byte(same)), plain("lamp lamp lamp"); got != want {
		t.Errorf("%016x, want %016x", got, want)
	}
}

// prose makes a text of so many words, of which few are alike.
func prose(r *rand.Rand, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", r.IntN(5000))
	}
	return words
}

// TestNearIsWhatItSays holds what docs/content-hashes.md says of texts that are near: the same
// words in other dress are the same, one changed word in a hundred does not part two texts, and
// texts that have nothing in common are never near.
func TestNearIsWhatItSays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	near := func(a, b []string) bool {
		x := contenthash.Of(contenthash.SimHash, []byte(strings.Join(a, " ")))
		y := contenthash.Of(contenthash.SimHash, []byte(strings.Join(b, ", ")))
		if x.Holds(y) != y.Holds(x) || contenthash.Distance(x, y) != contenthash.Distance(y, x) || !x.Holds(x) ||
			contenthash.Distance(x, x) != 0 {
			t.Fatal("near is not the same both ways")
		}
		return x.Holds(y)
	}
	for _, n := range []int{300, 1000} {
		changed, strange := 0, 0
		for range 200 {
			a := prose(r, n)
			if !near(a, strings.Fields(strings.ToUpper(strings.Join(a, " ")))) {
				t.Error("the same words in capitals are not near")
			}
			b := append([]string(nil), a...)
			for range n / 100 {
				b[r.IntN(n)] = "other"
			}
			if !near(a, b) {
				changed++
			}
			if near(a, prose(r, n)) {
				strange++
			}
		}
		if changed > 8 || strange > 0 {
			t.Errorf("of 200 texts of %d words %d with one word in a hundred changed are not near, and %d others are",
				n, changed, strange)
		}
	}
}

func TestHoldsAsksForOneMethod(t *testing.T) {
	t.Parallel()
	sum := contenthash.Of(contenthash.SHA256, []byte("a"))
	near := contenthash.Of(contenthash.SimHash, []byte("a"))
	flipped := func(n int) contenthash.Hash {
		return contenthash.OfSimilarity(contenthash.Similarity([]byte("a")) ^ (1<<n - 1))
	}
	for name, c := range map[string]struct {
		said, got contenthash.Hash
		holds     bool
	}{
		"the same bytes": {sum, sum, true}, "other bytes": {sum, contenthash.Of(contenthash.SHA256, []byte("b")),
			false}, "two methods": {sum, near, false},
		"none": {contenthash.Hash{}, contenthash.Hash{}, false}, "near": {near, flipped(contenthash.Near), true},
		"not near": {near, flipped(contenthash.Near + 1), false},
	} {
		if c.said.Holds(c.got) != c.holds {
			t.Errorf("%s: %v", name, !c.holds)
		}
	}
	if contenthash.Distance(sum, near) != 64 || contenthash.Distance(near, flipped(7)) != 7 {
		t.Error("the distance of two methods, or of seven bits")
	}
}

func TestHashesAreReadInEverySpelling(t *testing.T) {
	t.Parallel()
	sum, near := strings.Repeat("0a", 32), "e31f3395de2ad9ca"
	for _, c := range []struct{ text, method, want string }{
		{sum, "", "sha256:" + sum}, {sum, "SHA-256", "sha256:" + sum}, {"sha256:" + sum, "sha-256", "sha256:" + sum},
		{"SHA-256:" + strings.ToUpper(sum), "", "sha256:" + sum},
		{near, "simhash-v1", "simhash-v1:" + near}, {"SimHash-v1:" + near, "", "simhash-v1:" + near},
		{"simhash-v1:" + near, "simhash-v1", "simhash-v1:" + near},
		{near, "", ""}, {near, "sha256", ""}, {"simhash-v1:" + near, "sha256", ""}, {sum, "simhash-v1", ""},
		{"md5:" + sum, "", ""}, {sum, "md5", ""}, {"", "", ""},
		{"sha256:" + sum[2:], "", ""}, {"sha256:" + sum[1:] + "g", "", ""}, {"simhash-v1:" + near + "00", "", ""},
		{"sha256:sha256:" + sum, "", ""},
	} {
		h, ok := contenthash.Parse(c.text, c.method)
		if h.String() != c.want || ok != (c.want != "") {
			t.Errorf("%q with %q is %q, %v", c.text, c.method, h, ok)
		}
	}
}

func FuzzSimilarity(f *testing.F) {
	for _, w := range worked {
		f.Add(w.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := contenthash.Of(contenthash.SimHash, []byte(text))
		if want := plain(text); got != contenthash.OfSimilarity(want) {
			t.Errorf("%q has %s, want %016x", text, got, want)
		}
		if h, ok := contenthash.Parse(got.String(), ""); !ok || h != got {
			t.Errorf("%s is read as %v, %v", got, h, ok)
		}
	})
}

func BenchmarkSimilarity(b *testing.B) {
	text := []byte(strings.Join(prose(rand.New(rand.NewPCG(5, 6)), 1000), " "))
	b.SetBytes(int64(len(text)))
	for range b.N {
		contenthash.Similarity(text)
	}
}
