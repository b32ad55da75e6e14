package passage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sentences(line string) []string {
	var out []string
	at := 0
	for _, end := range Sentences(nil, line, strings.ToLower(line) != line) {
		out = append(out, strings.TrimSpace(line[at:end]))
		at = end
	}
	return out
}

func TestSentencesEndWhereAReaderStops(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{
		{"One.", "Two!", "Three?", "Four"},
		{"“Is it done?”", "“Yes.”", "(It was.)", "Good."},
		{"Dr. Weiss and Mrs. Lamb met J. R. Smith in the U.S. Army.", "They talked."},
		{"Pi is 3.14 and not 3.", "It never was."}, // not a numbered list: see below
		{"Use e.g. flour, i.e. wheat flour.", "Or rye etc. if you like."},
		{"1. Mix the flour.", "2. Add water."},
		{"See No. 5 and fig. 3 there.", "I said no.", "Then I left."},
		{"Wait... what?", "Nothing!", "Really?!", "Yes."},
		{"Yahoo! is a name.", "What? said she."},
		{"Der Termin am 3. Mai gilt z. B. für Hrn. Kurz.", "Er ist da."},
		{"Bake 10 min. Add salt after approx. Nine turns."}, // the last is an abbreviation before a name
		{"M. Dupont arrive.", "Mme. Petit part."},
		{"水を入れる。", "よく混ぜる！", "「できた？」", "はい。"},
		{"加入面粉。", "然后搅拌？", "好的"},
		{"यह पहला वाक्य है।", "यह दूसरा है।"},
		{"هل هذا صحيح؟", "نعم"},
		{"Привет. Как дела?", "Всё в 2019 г. Хорошо."},
		{"a wing in a slipstream .", "the lift is known .", "it was measured"},
		{"no capitals here at all.", "none. so a stop is enough"},
		{"Visit example.com/a.html now.", "Version 1.2.3 is out."},
	} {
		want := slices.Clone(want)
		line := strings.Join(want, " ")
		switch want[0] {
		case "Pi is 3.14 and not 3.": // one digit before a stop reads as a numbered list
			want = []string{line}
		case "水を入れる。", "加入面粉。":
			line = strings.Join(want, "")
		case "Bake 10 min. Add salt after approx. Nine turns.":
			want = []string{"Bake 10 min.", "Add salt after approx. Nine turns."}
		case "Привет. Как дела?":
			want = []string{"Привет.", "Как дела?", "Всё в 2019 г. Хорошо."}
		case "no capitals here at all.":
			want = []string{"no capitals here at all.", "none.", "so a stop is enough"}
		case "Yahoo! is a name.":
			want = []string{"Yahoo! is a name.", "What? said she."}
		}
		if diff := cmp.Diff(want, sentences(line)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", line, diff)
		}
	}
}

func TestWordsAreCountedInEveryScript(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, " \n": 0, "one": 1, "one  two\nthree": 3, "ice-cream, 3.5": 2, "日本語の文章": 3, "日": 1,
		"สวัสดีครับ": 2, "한국어 문장": 2, "a\u00a0b\u3000c": 3,
	} {
		if got := Words(text); got != want {
			t.Errorf("Words(%q) = %d, want %d", text, got, want)
		}
	}
}

// essay makes a text of paragraphs of one to seven sentences, each of 5 to 30 words.
func essay(r *rand.Rand, paragraphs int) []string {
	var text []string
	for range paragraphs {
		var p []string
		for range 1 + r.IntN(7) {
			words := []string{"The"}
			for range 4 + r.IntN(26) {
				words = append(words, fmt.Sprintf("w%d", r.IntN(5000)))
			}
			p = append(p, strings.Join(words, " ")+".")
		}
		text = append(text, strings.Join(p, " "))
	}
	return text
}

func cut(paragraphs []string) []string { return Split(Blocks(strings.Join(paragraphs, "\n\n"))) }

func TestShortTextIsOnePassage(t *testing.T) {
	t.Parallel()
	if got := Split(nil); got != nil {
		t.Errorf("no text gave %q", got)
	}
	if got := Split(Blocks(" \n\n ")); got != nil {
		t.Errorf("blanks gave %q", got)
	}
	text := strings.Repeat("Ten words are in this sentence if you count them. ", 20)
	if got := Split(Blocks(text)); len(got) != 1 || Words(got[0]) != 200 {
		t.Errorf("200 words gave %d passages", len(got))
	}
	if got := Split(Blocks(text + "One more.")); len(got) != 2 {
		t.Errorf("202 words gave %d passages", len(got))
	}
}

func TestPassagesEndAtParagraphsWhereTheyCan(t *testing.T) {
	t.Parallel()
	text := essay(rand.New(rand.NewPCG(1, 1)), 60)
	text = slices.DeleteFunc(text, func(p string) bool { return Words(p) > MaxWords-MinWords })
	inside := 0
	for _, p := range cut(text) {
		last := p[strings.LastIndexByte(p, '\n')+1:]
		if !slices.ContainsFunc(text, func(s string) bool { return strings.HasSuffix(s, last) }) {
			inside++
		}
	}
	if inside > 0 {
		t.Errorf("%d passages end inside of a paragraph", inside)
	}
}

func TestHeadingStaysWithItsText(t *testing.T) {
	t.Parallel()
	var blocks []Block
	for i := range 30 {
		blocks = append(blocks, Block{Text: fmt.Sprintf("Heading %d", i), Leads: true},
			Block{Text: strings.Repeat("Ten words are in this sentence if you count them. ", 5)})
	}
	for _, p := range Split(blocks) {
		if strings.HasPrefix(p[strings.LastIndexByte(p, '\n')+1:], "Heading") {
			t.Errorf("a passage ends with a heading: %q", p)
		}
	}
}

func TestLongSentenceIsCut(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("word ", 450))
	var sizes []int
	for _, p := range Split(Blocks(long)) {
		sizes = append(sizes, Words(p))
	}
	if diff := cmp.Diff([]int{200, 200, 50}, sizes); diff != "" {
		t.Error(diff)
	}
	sizes = nil
	for _, p := range Split(Blocks(strings.Repeat("長い文章が続く", 100))) {
		sizes = append(sizes, Words(p))
		if !utf8.ValidString(p) {
			t.Error("cut inside of a character")
		}
	}
	if diff := cmp.Diff([]int{200, 150}, sizes); diff != "" {
		t.Error(diff)
	}
}

func TestEveryPassageHasItsSize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := essay(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)),
			rapid.IntRange(1, 30).Draw(t, "paragraphs"))
		passages := cut(text)
		if got, want := strings.Join(strings.Fields(strings.Join(passages, " ")), " "), strings.Join(text, " "); got !=
			want {
			t.Fatalf("the passages together are not the text:\n%s\n%s", got, want)
		}
		for i, p := range passages {
			if n := Words(p); n > MaxWords || n < MinWords && i < len(passages)-1 {
				t.Fatalf("passage %d of %d has %d words", i, len(passages), n)
			}
			if !strings.HasSuffix(p, ".") {
				t.Fatalf("passage %d ends inside a sentence: %q", i, p)
			}
		}
	})
}

// TestEditChangesPassagesNearIt edits one paragraph in the middle of a text, in many texts, and
// counts the passages that are new: those before the edit stay but for one, and those behind it
// soon fall into step.
func TestEditChangesPassagesNearIt(t *testing.T) {
	t.Parallel()
	const texts, paragraphs = 100, 80
	var changed []int
	for seed := range uint64(texts) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := essay(r, paragraphs)
		before := cut(text)
		at := paragraphs/2 - 5 + r.IntN(10)
		edited := slices.Clone(text)
		switch seed % 3 {
		case 0:
			edited[at] = essay(r, 1)[0]
		case 1:
			edited = slices.Delete(edited, at, at+1)
		case 2:
			edited = slices.Insert(edited, at, essay(r, 2)...)
		}
		after := cut(edited)
		n := 0
		for _, p := range after {
			if !slices.Contains(before, p) {
				n++
			}
		}
		changed = append(changed, n)
		if after[0] != before[0] || after[len(after)-1] != before[len(before)-1] {
			t.Errorf("seed %d: an edit in the middle changed the first or the last passage", seed)
		}
	}
	slices.Sort(changed)
	median, worst := changed[texts/2], changed[texts*99/100]
	t.Logf("new passages after an edit: median %d, 99 in 100 at most %d, worst %d", median, worst, changed[texts-1])
	if median > 4 || worst > 14 {
		t.Errorf("an edit made %d passages new (median), %d (99 in 100)", median, worst)
	}
}

func TestOpeningIsWholeSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"Short.", 100, "Short."},
		{"One here. Two here. Three here.", 20, "One here. Two here."},
		{"A first sentence that is far too long for this", 20, "A first sentence…"},
		{"日本語の文章がとても長い", 10, "日本語…"},
		{"  a \n b ", 10, "a b"},
		{"", 10, ""},
	} {
		if got := FirstSentences(c.in, c.most); got != c.want {
			t.Errorf("Opening(%q, %d) = %q, want %q", c.in, c.most, got, c.want)
		}
	}
}

func FuzzCutLosesNothing(f *testing.F) {
	f.Add("One. Two.\n\nThree… “four”。五")
	f.Add(strings.Repeat("word ", 300))
	f.Add(strings.Repeat("長い文。", 300))
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		passages := Split(Blocks(text))
		squeezed := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := squeezed(strings.Join(passages, "")); got != squeezed(text) {
			t.Fatalf("%q became %q", text, passages)
		}
		for _, p := range passages {
			if p == "" || Words(p) > MaxWords || strings.TrimSpace(p) != p {
				t.Fatalf("a passage of %d words: %q", Words(p), p)
			}
		}
		if opening := FirstSentences(text, 50); len(opening) > 50+len("…") || !utf8.ValidString(opening) {
			t.Fatalf("opening %q", opening)
		}
	})
}

func BenchmarkCut(b *testing.B) {
	text := strings.Join(essay(rand.New(rand.NewPCG(1, 1)), 50), "\n\n")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Split(Blocks(text))
	}
}
