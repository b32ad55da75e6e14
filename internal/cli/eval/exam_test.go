package eval

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestEachMemberOfAnEverydayQuestionIsHeld gives each member an answer that fulfils it and one that
// does not.
func TestEachMemberOfAnEverydayQuestionIsHeld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		member, question string
		right, wrong     Answered
	}{
		{"first", `"first":["Tea","Cocoa"]`, Answered{Names: []string{"Green Tea", "Milk"}}, Answered{Names: []string{"Milk", "Green Tea"}}},
		{"in3", `"in3":["Tea"]`, Answered{Names: []string{"A", "B", "Tea"}}, Answered{Names: []string{"A", "B", "C", "Tea"}}},
		{
			"all", `"all":["Tea","Milk"]`, Answered{Names: []string{"Milk", "A", "Tea"}},
			Answered{Names: []string{"Tea", "1", "2", "3", "4", "5", "6", "7", "8", "9", "Milk"}},
		},
		{"none", `"none":["Nut"]`, Answered{Names: []string{"Oat"}}, Answered{Names: []string{"Oat", "Nutmeg"}}},
		{"empty", `"empty":true`, Answered{}, Answered{Names: []string{"Oat"}}},
		{"say", `"say":"(?i)(?<!from )£ ?4"`, Answered{Summary: "It costs £4."}, Answered{Summary: "Priced from £4."}},
	} {
		questions, err := ReadExam(strings.NewReader(`{"q":"what?","kind":"find",` + c.question + "}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := questions[0].Misses(c.right); len(got) > 0 {
			t.Errorf("%s: a right answer misses %q", c.member, got)
		}
		if got := questions[0].Misses(c.wrong); !slices.Equal(got, []string{c.member}) {
			t.Errorf("%s: a wrong answer misses %q", c.member, got)
		}
	}
}

func TestWhatIsNoExamIsToldWithItsLine(t *testing.T) {
	t.Parallel()
	const good = `{"q":"a","kind":"find","first":["A"]}` + "\n"
	for line, wants := range map[string]string{
		`{"q":"a","kind":"find"}`:                    "nothing is said of the answer",
		`{"q":"","kind":"find","empty":true}`:        "q or kind is empty",
		`{"q":"a","kind":"find","frist":["A"]}`:      "frist",
		`{"q":"a","kind":"find","say":"(un"}`:        "say",
		`{"q":"a","kind":"find","now":"soon"}`:       "soon",
		`{"q":"a","kind":"find","first":["A"]} junk`: "",
	} {
		_, err := ReadExam(strings.NewReader(good + line + "\n"))
		if wants == "" {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), wants) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v, and not %q of line 2", line, err, wants)
		}
	}
}

func TestAnExamIsCountedBySiteAndKind(t *testing.T) {
	t.Parallel()
	report := Exam([]Examined{
		{Site: "a", Kind: "find", Text: "1"},
		{Site: "a", Kind: "negation", Text: "2", Misses: []string{"first", "none"}},
		{Site: "b", Kind: "find", Text: "3", Misses: []string{"say"}},
	})
	if report.All != (Tally{3, 1, 1}) || *report.Sites["a"] != (Tally{2, 1, 1}) ||
		*report.Kinds["find"] != (Tally{2, 1, 0}) {
		t.Errorf("%+v, %+v, %+v", report.All, report.Sites["a"], report.Kinds["find"])
	}
	var b bytes.Buffer
	if err := report.WriteText(&b, true); err != nil || !strings.Contains(b.String(), `a: "2": first, none`) ||
		!strings.Contains(b.String(), "all      1      3   0.33") {
		t.Errorf("%v\n%s", err, &b)
	}
}
