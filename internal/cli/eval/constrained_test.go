package eval

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const porridge = `{"@type": ["Recipe", "Thing"], "url": "https://a.example/porridge", "name": "Crème & Oat Porridge",
	"totalTime": "PT1H5M", "datePublished": "2026-02-28T23:30:00+01:00", "suitableForDiet": ["https://schema.org/VeganDiet"],
	"recipeIngredient": ["50 g oats", "1 thumb fresh ginger"], "nutrition": {"calories": "1,421 calories"},
	"offers": [{"price": "9.50"}, {"price": 20}], "author": {"@type": "Person", "name": "Ann Lee"}, "isAccessibleForFree": true,
	"location": {"name": "Hall", "address": {"addressLocality": "Bern"}}}`

func TestConditionsReadTheObject(t *testing.T) {
	t.Parallel()
	item, err := Item([]byte(porridge))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{
		`{"type": ["Recipe"]}`:                                                           true,
		`{"type": ["*ipe", "Book"]}`:                                                     true,
		`{"type": ["Product"]}`:                                                          false,
		`{"says": ["creme"]}`:                                                            true,
		`{"says": ["oat porridge"]}`:                                                     true,
		`{"says": ["oats"]}`:                                                             false, // stands only among the ingredients
		`{"says": ["porridg"]}`:                                                          false, // a part of a word
		`{"at": ["recipeIngredient"], "has": ["ginger"]}`:                                true,
		`{"not": {"at": ["recipeIngredient"], "has": ["ginger"]}}`:                       false,
		`{"at": ["author"], "has": ["lee"]}`:                                             true,
		`{"at": ["location"], "has": ["hall"]}`:                                          true,
		`{"at": ["location.address.addressLocality"], "is": ["bern"]}`:                   true,
		`{"at": ["suitableForDiet"], "is": ["VeganDiet"]}`:                               true,
		`{"at": ["suitableForDiet"], "is": ["Vegan"]}`:                                   false,
		`{"at": ["isAccessibleForFree"], "is": ["true"]}`:                                true,
		`{"at": ["url"], "ends": ["/porridge"]}`:                                         true,
		`{"at": ["offers.price"], "under": 10}`:                                          true,
		`{"at": ["offers.price"], "min": 20}`:                                            true,
		`{"at": ["offers.price"], "over": 20}`:                                           false,
		`{"at": ["offers.lowPrice"], "max": 99}`:                                         false,
		`{"not": {"at": ["offers.lowPrice"], "max": 99}}`:                                true,
		`{"at": ["nutrition.calories"], "min": 1421, "max": 1421}`:                       true,
		`{"at": ["totalTime"], "as": "minutes", "min": 65, "max": 65}`:                   true,
		`{"at": ["totalTime"], "as": "minutes", "under": 65}`:                            false,
		`{"at": ["name"], "as": "minutes", "max": 65}`:                                   false,
		`{"at": ["datePublished"], "as": "date", "until": "2026-02-28"}`:                 true,
		`{"at": ["datePublished"], "as": "date", "from": "2026-03-01"}`:                  false,
		`{"all": [{"type": ["Recipe"]}, {"says": ["soup"]}]}`:                            false,
		`{"any": [{"type": ["Product"]}, {"says": ["porridge"]}]}`:                       true,
		`{"type": ["Recipe"], "any": [{"type": ["Product"]}]}`:                           false,
		`{"type": ["Recipe"], "not": {"at": ["offers.price"], "under": 1}}`:              true,
		`{"at": ["recipeIngredient", "keywords"], "has": ["coconut milk", "50 g oats"]}`: true,
	}
	for text, want := range tests {
		var c Condition
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		if err := c.check(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := c.Holds(item); got != want {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
}

func TestReadConstrainedNamesTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"id": "a", "kind": "k", "text": "t", "want": {}}`:                                                  "line 1: a condition says nothing",
		`{"id": "a", "kind": "k", "text": "t", "wants": {}}`:                                                 `unknown field "wants"`,
		`{"id": "a", "kind": "k", "want": {"says": ["x"]}}`:                                                  "the id, the kind or the text is empty",
		`{"id": "a", "kind": "k", "text": "t", "want": {"at": ["x"]}}`:                                       "the condition on x says 0 things",
		`{"id": "a", "kind": "k", "text": "t", "want": {"has": ["x"]}}`:                                      "says no path",
		`{"id": "a", "kind": "k", "text": "t", "want": {"not": {"at": ["x"], "as": "hours", "max": 1}}}`:     `"as" is "hours"`,
		`{"id": "a", "kind": "k", "text": "t", "want": {"at": ["x"], "as": "date", "from": "2026-13-01"}}`:   "is no day",
		`{"id": "a", "kind": "k", "text": "t", "want": {"at": ["x"], "from": "2026-12-01"}}`:                 `"as": "date" goes with`,
		`{"id": "a", "kind": "k", "text": "t", "want": {"says": ["x"]}, "empty": "maybe"}`:                   `"maybe" is nothing to expect`,
		`{"id": "a", "kind": "k", "text": "t", "want": {"says": ["x"]}, "order": {"at": ["x"], "by": "up"}}`: `"asc" or "desc"`,
		"{\"id\": \"a\", \"kind\": \"k\", \"text\": \"t\", \"want\": {\"says\": [\"x\"]}}\n" +
			`{"id": "a", "kind": "k", "text": "t", "want": {"says": ["x"]}}`: `line 2: question "a" stands on line 1`,
	} {
		if _, err := ReadConstrained(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", text, err, want)
		}
	}
}

// shelf has five lamps of which three cost under 10, a chair under 10, and one item without a
// price.
func shelf(t *testing.T) Items {
	t.Helper()
	items := Items{}
	for url, object := range map[string]string{
		"l3": `{"name": "lamp", "offers": {"price": "3"}}`, "l5": `{"name": "lamp", "offers": {"price": 5}}`,
		"l9": `{"name": "lamp", "offers": {"price": 9}}`, "l50": `{"name": "lamp", "offers": {"price": 50}}`,
		"l0": `{"name": "lamp"}`, "c4": `{"name": "chair", "offers": {"price": 4}}`,
	} {
		item, err := Item([]byte(object))
		if err != nil {
			t.Fatal(err)
		}
		items[url] = item
	}
	return items
}

func TestJudgeCountsWhatIsRight(t *testing.T) {
	t.Parallel()
	const cheapLamp = `"want": {"at": ["offers.price"], "under": 10}, "about": {"says": ["lamp"]}`
	tests := []struct {
		name, question   string
		found            []string
		relaxed          bool
		precision, share float64
		order, counted   string
	}{
		{"all three", cheapLamp, []string{"l3", "l5", "l9"}, false, 1, 1, "", ""},
		{"then what only fulfils the constraint", cheapLamp, []string{"l3", "l5", "l9", "c4"}, false, 1, 1, "", ""},
		{"but not before them", cheapLamp, []string{"c4", "l3", "l5", "l9"}, false, 0.75, 1, "", ""},
		{"never what breaks it", cheapLamp, []string{"l3", "l5", "l9", "l50"}, false, 0.75, 1, "", ""},
		{"nor what has no price", cheapLamp, []string{"l3", "l0"}, false, 0.5, 1.0 / 3, "", ""},
		{"fewer", cheapLamp, []string{"l5"}, false, 1, 1.0 / 3, "", ""},
		{"silence", cheapLamp, nil, false, 0, 0, "", ""},
		{"unknown", cheapLamp, []string{"x"}, false, 0, 0, "", ""},
		{"the same again", cheapLamp, []string{"l3", "l3"}, false, 0.5, 1.0 / 3, "", ""},
		{"the sixth does not count", cheapLamp, []string{"l3", "l5", "l9", "c4", "c4", "l50"}, false, 0.8, 1, "", ""},
		{"only the first counts", cheapLamp + `, "first": 1`, []string{"l9", "l50"}, false, 1, 1, "", ""},
		{"in order", cheapLamp + `, "order": {"at": ["offers.price"], "by": "asc", "exact": true}`, []string{"l3", "l5", "l9"}, false, 1, 1, "1", ""},
		{"not in order", cheapLamp + `, "order": {"at": ["offers.price"], "by": "asc"}`, []string{"l5", "l3", "l9"}, false, 1, 1, "0.667", ""},
		{"not the best first", cheapLamp + `, "order": {"at": ["offers.price"], "by": "desc", "exact": true}`, []string{"l5", "l3"}, false, 1, 2.0 / 3, "0", ""},
		{"as many as asked for", cheapLamp + `, "count": 2`, []string{"l3", "l5"}, false, 1, 2.0 / 3, "", "yes"},
		{"more than asked for", cheapLamp + `, "count": 2`, []string{"l3", "l5", "l9"}, false, 1, 1, "", "no"},
		{"more than there are", cheapLamp + `, "count": 7`, []string{"l3", "l5", "l9"}, false, 1, 1, "", "yes"},
		{"nothing, and none", `"want": {"says": ["sofa"]}, "empty": "none"`, nil, false, 1, 1, "", ""},
		{"nothing, and some", `"want": {"says": ["sofa"]}, "empty": "none"`, []string{"c4"}, true, 0, 0, "", ""},
		{"nothing, and relaxed", `"want": {"says": ["sofa"]}, "empty": "relaxed"`, []string{"c4"}, true, 1, 1, "", ""},
		{"nothing, and not said", `"want": {"says": ["sofa"]}, "empty": "relaxed"`, []string{"c4"}, false, 0, 0, "", ""},
		{"nothing, and the constraint kept", `"want": {"at": ["offers.price"], "max": 4}, "about": {"says": ["sofa"]}, "empty": "either"`, []string{"c4", "l3"}, false, 1, 1, "", ""},
		{"nothing, and the constraint broken", `"want": {"at": ["offers.price"], "max": 4}, "about": {"says": ["sofa"]}, "empty": "either"`, []string{"c4", "l5"}, false, 0, 0, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			questions, err := ReadConstrained(strings.NewReader(`{"id": "q", "kind": "k", "text": "t", ` + test.question + `}`))
			if err != nil {
				t.Fatal(err)
			}
			got, err := shelf(t).Judge(questions[0], Outcome{Documents: test.found, Relaxed: test.relaxed})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "precision", got.Precision, test.precision)
			near(t, "found", got.Found, test.share)
			if order := orderText(got.Order); order != test.order {
				t.Errorf("order = %q, want %q", order, test.order)
			}
			if counted := countedText(got.Counted); counted != test.counted {
				t.Errorf("counted = %q, want %q", counted, test.counted)
			}
		})
	}
}

func orderText(order *float64) string {
	if order == nil {
		return ""
	}
	return asText(math.Round(*order*1000) / 1000)
}

func countedText(counted *bool) string {
	switch {
	case counted == nil:
		return ""
	case *counted:
		return "yes"
	}
	return "no"
}

func TestJudgeRefusesQuestionsThatDoNotFit(t *testing.T) {
	t.Parallel()
	items := shelf(t)
	lamp, sofa := Condition{Says: []string{"lamp"}}, Condition{Says: []string{"sofa"}}
	if _, err := items.Judge(Constrained{ID: "q", Want: sofa}, Outcome{}); err == nil ||
		!strings.Contains(err.Error(), "no right item") {
		t.Errorf("a question without an answer: %v", err)
	}
	if _, err := items.Judge(Constrained{ID: "q", Want: lamp, Empty: ExpectNone}, Outcome{}); err == nil ||
		!strings.Contains(err.Error(), "expects nothing") {
		t.Errorf("a question with answers that expects none: %v", err)
	}
}

func TestConstrainedReportIsByKindAndComesBack(t *testing.T) {
	t.Parallel()
	half, no := 0.5, false
	report := Summarize([]ConstrainedResult{
		{ID: "1", Kind: "price", Text: "a", Right: 1, ConstrainedFigures: ConstrainedFigures{1, 1}},
		{ID: "2", Kind: "price", Text: "b", Right: 1, ConstrainedFigures: ConstrainedFigures{0.5, 1}, Order: &half,
			Wrong: []string{"https://a.example/x?a&b"}},
		{ID: "3", Kind: "count", Text: "c", Prev: []string{"before"}, Right: 1,
			ConstrainedFigures: ConstrainedFigures{1, 1}, Counted: &no},
	})
	near(t, "precision", report.Precision, 2.5/3)
	if report.Whole != 1 || len(report.Kinds) != 2 || report.Kinds[0].Kind != "count" ||
		report.Kinds[1].Precision != 0.75 {
		t.Errorf("report = %+v", report)
	}
	var text, object strings.Builder
	if err := report.WriteText(&text, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\ncount  1          1.000        1.000                0 of 1   0\n", "\nprice  2          0.750", "0.500 of 1",
		"\nall    3 ", `2 price: "b"`, "  wrong: https://a.example/x?a&b\n", `3 count: "c" after ["before"]`, "not as many as asked for",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), `1 price: "a"`) {
		t.Errorf("a whole answer stands among the misses:\n%s", text.String())
	}
	if err := report.WriteJSON(&object); err != nil {
		t.Fatal(err)
	}
	again, err := ReadConstrainedReport(strings.NewReader(object.String()))
	if err != nil || len(again.ByQuestion) != 3 || again.Precision != report.Precision ||
		*again.ByQuestion[1].Order != half {
		t.Errorf("read again: %+v, %v", again, err)
	}
}

func TestJudgedQuestionsCanBeRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/constrained/*.jsonl")
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	all := 0
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		questions, err := ReadConstrained(file)
		file.Close()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		all += len(questions)
	}
	if all < 200 {
		t.Errorf("%d constrained questions are judged, want at least 200", all)
	}
}

func FuzzConstrained(f *testing.F) {
	f.Add(`{"id": "a", "kind": "k", "text": "t", "want": {"at": ["offers.price"], "under": 10}}`, porridge)
	f.Add(`{"id": "a", "kind": "k", "text": "t", "want": {"any": [{"says": ["x"]}, {"not": {"type": ["*Event"]}}]}, "order": {"at": ["totalTime"], "as": "minutes", "by": "asc"}}`, `{"totalTime": ["PT9M", null, {"name": []}]}`)
	f.Fuzz(func(t *testing.T, line, object string) {
		questions, err := ReadConstrained(strings.NewReader(line))
		item, broken := Item([]byte(object))
		if err != nil || broken != nil {
			return
		}
		for _, q := range questions {
			result, err := Items{"u": item}.Judge(q, Outcome{Documents: []string{"u", "v", "u"}})
			if err == nil &&
				!(result.Precision >= 0 && result.Precision <= 1 && result.Found >= 0 && result.Found <= 1) {
				t.Errorf("figures outside 0..1: %+v", result)
			}
			if result.Order != nil && !(*result.Order >= 0 && *result.Order <= 1) {
				t.Errorf("order outside 0..1: %v", *result.Order)
			}
		}
	})
}
