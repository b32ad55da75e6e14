package ask

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

// reported asks for a report, and reads it.
func (b *bench) reported(t *testing.T, q Question) (report struct {
	Type   string `json:"@type"`
	Text   string
	Items  int `json:"numberOfItems"`
	Words  []string
	Passed []string `json:"words_passed_over"`
	Facets []struct {
		Name     string
		Items    int
		Min, Max any
		Unit     string
		Values   []struct {
			Value string
			Items int
		}
	}
}) {
	t.Helper()
	q.Report = ReportAlone
	reply, err := b.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Answer != nil {
		t.Error("there are items beside the report")
	}
	if err := json.Unmarshal(reply.Report.AppendJSON(nil), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAReportCountsAllThatMatches(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop", "other")
	var items []string
	for i := range 1500 { // more than any answer holds
		items = append(items, fmt.Sprintf("lamp %d", i))
	}
	lamps := []struct{ name, more string }{}
	for i, name := range items {
		lamps = append(lamps, struct{ name, more string }{name, fmt.Sprintf(`,"offers":{"@type":"Offer","price":%d,"priceCurrency":"EUR"},"color":%q`, 10+i, []string{"red", "blue"}[i%2])})
	}
	content := make([]itemOf, 0, len(lamps)+1)
	for i, l := range lamps {
		content = append(content, itemOf{fmt.Sprintf("lamp-%d", i), "Product", l.name, "A lamp that shines.", l.more})
	}
	content = append(content, itemOf{"kettle", "Recipe", "Tea", "No lamp is needed, but light.", ""})
	b.fill(t, "shop", "files", made("shop", content...)...)

	r := b.reported(t, Question{Text: "lamp shines zzyzx"})
	if r.Type != TypeReport || r.Items != 1500 || strings.Join(r.Words, " ") != "lamp shines" ||
		strings.Join(r.Passed, " ") != "zzyzx" {
		t.Errorf("%+v", r)
	}
	if r.Facets[0].Name != "@type" || r.Facets[0].Values[0].Value != "Product" || r.Facets[0].Values[0].Items != 1500 {
		t.Errorf("the first facet is %+v", r.Facets[0])
	}
	for _, f := range r.Facets {
		switch f.Name {
		case "price":
			if f.Items != 1500 || f.Min != 10.0 || f.Max != 1509.0 || f.Unit != "EUR" {
				t.Errorf("%+v", f)
			}
		case "color":
			if len(f.Values) != 2 || f.Values[0].Items != 750 {
				t.Errorf("%+v", f)
			}
		}
	}
	if want := "1500 items match: Product (1500). 1500 tell a price: from €10 to " +
		"€1,509, half of them at most €760."; r.Text != want {
		t.Errorf("the text is %q, want %q", r.Text, want)
	}
	if r := b.reported(t, Question{Text: "*", Languages: []string{"de"}}); r.Items != 1501 ||
		!strings.HasPrefix(r.Text, "1501 Einträge passen: Produkt (1500) und Rezept (1).") {
		t.Errorf("%+v", r)
	}
	if r := b.reported(t, Question{Text: "*", Types: []string{"Recipe"}}); r.Items != 1 {
		t.Errorf("%+v", r)
	}
	for _, q := range []Question{{Text: "*", Sites: []string{"other"}}, {Text: "*", Types: []string{"Volcano"}}} {
		q.Report = ReportBeside
		if _, err := b.Ask(t.Context(), q); fail.From(err).Code != fail.NoResults {
			t.Errorf("a report on nothing: %v", err)
		}
	}
}

func TestAReportKeepsToTheTerms(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "files", made("shop",
		itemOf{"open", "Product", "Open lamp", "A lamp.", `,"color":"red"`},
		itemOf{"blocked/1", "Product", "Blocked lamp", "A lamp of uranium.", `,"color":"green"`},
		itemOf{"noinput/1", "Product", "Kept lamp", "A lamp of thorium.", `,"color":"violet"`},
		itemOf{"licensed/1", "Product", "Licensed lamp", "A lamp of radium that nobody saw.", `,"color":"white"`},
	)...)
	b.obey(t,
		policy.Rule{Match: policy.Match{Path: []string{"/blocked/**"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Path: []string{"/noinput/**"}}, Access: policy.Open,
			Functions: policy.Functions{Prohibit: []string{"ai-input"}}},
		policy.Rule{Match: policy.Match{Path: []string{"/licensed/**"}}, Access: policy.Licensed,
			Excerpt: policy.Excerpt{Words: 2}},
		policy.Rule{Access: policy.Open},
	)
	reply, err := b.Ask(t.Context(), Question{Text: "*", Report: ReportAlone})
	if err != nil {
		t.Fatal(err)
	}
	text := string(reply.Report.AppendJSON(nil))
	if !strings.Contains(text, `"numberOfItems":2`) || !strings.Contains(text, "red") {
		t.Errorf("%s", text)
	}
	for _, held := range []string{"green", "violet", "white"} {
		if strings.Contains(text, held) {
			t.Errorf("the report tells of %s: %s", held, text)
		}
	}
	reply, err = b.Ask(t.Context(), Question{Text: "lamp uranium", Report: ReportAlone})
	if err != nil || strings.Join(reply.Report.Counted.Passed, " ") != "uranium" {
		t.Errorf("what is blocked is mentioned: %+v, %v", reply, err)
	}
}
