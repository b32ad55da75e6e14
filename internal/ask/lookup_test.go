package ask

import (
	"encoding/json"
	"slices"
	"testing"

	"frontdesk/internal/policy"
)

// TestAProgramFindsWhatAStrangerWould looks items up: those that the terms show, with what they
// show of them.
func TestAProgramFindsWhatAStrangerWould(t *testing.T) {
	t.Parallel()
	b := newBench(t, "site")
	b.obey(t, policy.Rule{Match: policy.Match{Path: []string{"/hidden/**"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Path: []string{"/paid/**"}}, Access: policy.Licensed},
		policy.Rule{Access: policy.Open})
	b.fill(t, "site", "s",
		item("site", "open/1", "LocalBusiness", "Anna the plumber", "A plumber in Bonn who mends pipes."),
		item("site", "paid/2", "LocalBusiness", "Bert the plumber", "A plumber in Bonn who mends everything and more."),
		item("site", "hidden/3", "LocalBusiness", "Carl the plumber", "A plumber in Bonn whom nobody may see."),
		item("site", "open/4", "Article", "On plumbers", "What a plumber in Bonn does all day."),
	)
	items, err := b.LookUp(t.Context(), Question{Text: "plumber Bonn", Types: []string{"LocalBusiness"}, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, i := range items {
		urls = append(urls, i.URL())
		var object map[string]any
		text := i.AppendObject(nil)
		if err := json.Unmarshal(text, &object); err != nil || i.Type() != "LocalBusiness" || i.Site() != "site" ||
			i.Name() == "" || i.Score() <= 0 {
			t.Errorf("%s: %v", text, err)
		}
		if _, shown := object["sku"]; shown != (i.Name() == "Anna the plumber") {
			t.Errorf("of %s there is %s", i.Name(), text)
		}
	}
	if nothing, err := b.LookUp(t.Context(), Question{Text: "xylophone", Limit: 5}); err != nil || len(nothing) != 0 {
		t.Errorf("nothing that fits gives %v, %v", nothing, err)
	}
	if one, err := b.LookUp(t.Context(), Question{Text: "plumber", Limit: 1}); err != nil || len(one) != 1 {
		t.Errorf("the first gives %d, %v", len(one), err)
	}
	slices.Sort(urls)
	if !slices.Equal(urls, []string{"https://site.example/open/1", "https://site.example/paid/2"}) {
		t.Errorf("found are %s", urls)
	}
}
