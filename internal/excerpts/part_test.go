package excerpts

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/content/search"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/wire/intent"
)

// of is a passage that was found for a question of some words.
func of(text string, words ...string) passage {
	c := &candidates{}
	for _, word := range words {
		c.terms = append(c.terms, search.Term{Word: word, Stems: []string{word}, Weight: 1 / float64(len(words))})
	}
	return passage{article: &article{language: "en", passages: []content.Passage{{ID: "p", Text: text}},
		tokens: []int{intent.Tokens(text)}}, foundFor: c}
}

// again is the same passage of which a part was given before.
func (p passage) again(from int, text string) passage {
	p.from, p.bytes, p.foundFor = from, len(text), nil
	return p
}

func drawText(t *rapid.T) string {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "word", "sentence.", "é", "End!", "long\nline", "日本。",
		"1.5", "some", "more?", "Lamp", "lamps."}), 1, 60).Draw(t, "words")
	return strings.TrimSpace(strings.Join(words, " "))
}

func drawBudget(t *rapid.T, text, name string) budget {
	left := budget{bytes: rapid.IntRange(0, len(text)+5).Draw(t, name+" bytes"), words: math.MaxInt}
	if rapid.IntRange(0, 2).Draw(t, name+" by words") == 0 {
		left.words = rapid.IntRange(0, 30).Draw(t, name+" words")
	}
	return left
}

// A passage that was given in part is given again just so, and never in more: an answer that was
// lost on its way is asked for again.
func TestAPartStaysWhenItIsCutAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		left, tokens := drawBudget(t, text, "first"), rapid.IntRange(0, 100).Draw(t, "tokens")
		p := of(text, rapid.SampledFrom([]string{"lamp", "sentence", "other"}).Draw(t, "question"))
		from, first := p.part(left, tokens)
		if first == "" {
			return
		}
		if text[from:from+len(first)] != first || len(first) > left.bytes || len(strings.Fields(first)) > left.words ||
			intent.Tokens(first) > tokens || !utf8.ValidString(first) {
			t.Fatalf("%q at %d of %q in %+v and %d tokens", first, from, text, left, tokens)
		}
		if first == text {
			return
		}
		left.bytes /= 2
		if _, less := p.again(from, first).part(left, tokens); len(less) > left.bytes {
			t.Fatalf("%q is given again although only %d bytes may be", less, left.bytes)
		}
		if at, again := p.again(from, first).part(budget{bytes: len(text), words: math.MaxInt}, tokens); again !=
			first || at != from {
			t.Fatalf("%q at %d is cut to %q at %d the second time", first, from, again, at)
		}
	})
}

// TestTighterLimitsGiveNothingElse holds that whoever may see less sees a part of what others see.
func TestTighterLimitsGiveNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t) + ". The pier lamp burns. " + drawText(t)
		wide, tokens := drawBudget(t, text, "wide"), rapid.IntRange(0, 100).Draw(t, "tokens")
		tight, fewer := wide, rapid.IntRange(0, tokens).Draw(t, "fewer tokens")
		tight.bytes = rapid.IntRange(0, wide.bytes).Draw(t, "fewer bytes")
		tight.words = min(tight.words, rapid.SampledFrom([]int{math.MaxInt, 12, 5}).Draw(t, "fewer words"))
		p := of(text, "lamp")
		from, more := p.part(wide, tokens)
		at, less := p.part(tight, fewer)
		if less != "" && (at < from || at+len(less) > from+len(more)) {
			t.Fatalf("%q of %q is given where less may be, and %q where more may", less, text, more)
		}
	})
	around := strings.Repeat("The mud is dredged by day. ", 30)
	if at, less := of(around+"The pier lamp burns. "+around, "lamp").part(budget{bytes: 60, words: math.MaxInt},
		100); at == 0 || !strings.Contains(less, "lamp") {
		t.Errorf("%q at %d is given, and nothing from the middle of the text", less, at)
	}
}

// TestTheSentencesAroundWhatFitsAreGiven reads one long passage.
func TestTheSentencesAroundWhatFitsAreGiven(t *testing.T) {
	t.Parallel()
	const text = "Cranes lift what ships bring. They stand at the quay. The tide lifts the ships. A lamp burns at " +
		"the pier all night. The pilot sees it from afar. Ropes are coiled. The end."
	sentence := func(from, to string) string {
		i := strings.Index(text, from)
		return text[i : i+strings.Index(text[i:], to)+len(to)]
	}
	all := budget{bytes: len(text) / 2, words: math.MaxInt}
	for _, c := range []struct {
		name  string
		words []string
		left  budget
		want  string
	}{
		{"nothing asked", nil, all, sentence("Cranes", "ships.")},
		{"nothing fits", []string{"zeppelin"}, all, sentence("Cranes", "ships.")},
		{"the first", []string{"crane"}, all, sentence("Cranes", "ships.")},
		{"in the middle", []string{"lamp"}, all, sentence("A lamp", "afar.")},
		{"in the middle, with more", []string{"lamp"}, budget{bytes: 95, words: math.MaxInt},
			sentence("The tide", "afar.")},
		{"the last", []string{"end"}, all, sentence("The pilot", "The end.")},
		{"few words", []string{"lamp"}, budget{bytes: len(text), words: 8}, "A lamp burns at the pier all night."},
		{"fewer words than the sentence", []string{"lamp"}, budget{bytes: len(text), words: 7},
			"A lamp burns at the pier"},
		{"too few to be worth it", []string{"lamp"}, budget{bytes: 10, words: math.MaxInt}, ""},
		{"seen before, and no more left", []string{"lamp"}, budget{seen: grants.Spans{{From: 0, To: 29}}},
			"Cranes lift what ships bring."},
		{"seen before, and next to it", []string{"tide"},
			budget{seen: grants.Spans{{From: 0, To: 53}}, bytes: 30, words: math.MaxInt}, "The tide lifts the ships."},
	} {
		if _, got := of(text, c.words...).part(c.left, 100); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
