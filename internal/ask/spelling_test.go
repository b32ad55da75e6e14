package ask

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

func TestAMisspeltWordIsCorrectedAndSaid(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "all", item("shop", "a", "Product", "Acoustic guitar", "Steel strings."),
		item("shop", "b", "Product", "Drum", "Two sticks."))
	for attribute, want := range map[string][]Correction{
		"":                  {{From: "guittar", To: "guitar"}},
		`"exact"`:           nil,
		`"No Preference"`:   nil,
		`null`:              nil,
		`false`:             nil,
		`"repaired"`:        {{From: "guittar", To: "guitar"}},
		`{"spelling":true}`: {{From: "guittar", To: "guitar"}},
	} {
		q := Question{Text: "guittar"}
		if attribute != "" {
			q.Attributes = map[string]jsontext.Value{"spelling": jsontext.Value(attribute)}
		}
		reply, err := b.Ask(context.Background(), q)
		if want == nil {
			if coded := fail.From(err); err == nil || coded.Code != fail.NoResults {
				t.Errorf("spelling %s: %v, want no results", attribute, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, reply.Understood.Corrected); diff != "" {
			t.Errorf("spelling %s (-want +got):\n%s", attribute, diff)
		}
		if n := len(reply.Understood.Ignored); n > 0 {
			t.Errorf("spelling %s: %d attributes are said to be ignored", attribute, n)
		}
	}
}

func TestTheOwnerMayHaveNothingCorrected(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "all", item("shop", "a", "Product", "Acoustic guitar", "Steel strings."),
		item("shop", "b", "Product", "Drum", "Two sticks."))
	b.deps.Reading.AsSpelled = true
	for _, question := range []string{"guittar", "drum without stiks", "drum undr 20 dolars"} {
		reply, err := b.Ask(context.Background(), Question{Text: question})
		if err == nil && len(reply.Understood.Corrected) > 0 {
			t.Errorf("%q is corrected: %v", question, reply.Understood.Corrected)
		}
	}
}

func TestNothingIsCorrectedToAWordOfTextThatIsLicensed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "all",
		item("shop", "a", "Product", "Acoustic guitar", "Steel strings."),
		item("shop", "b", "Article", "Instruments",
			"About music. "+strings.Repeat("Many words go by. ", 40)+"Then the theremin is played."))
	corrected := func() int {
		reply, err := b.Ask(context.Background(), Question{Text: "thereminn"})
		if err != nil {
			return 0
		}
		return len(reply.Understood.Corrected)
	}
	if corrected() != 1 {
		t.Fatal("not corrected while all is open")
	}
	b.obey(t, policy.Rule{Match: policy.Match{Type: []string{"Article"}}, Access: policy.Licensed},
		policy.Rule{Access: policy.Open})
	if corrected() != 0 {
		t.Error("corrected to a word that only licensed text has")
	}
}

func TestNothingIsCorrectedToAWordOfAThingWithinAnOpenItemThatIsNotOpen(t *testing.T) {
	t.Parallel()
	for _, access := range []policy.Access{policy.Blocked, policy.Licensed} {
		b := newBench(t, "mag")
		page := stating("page", "About soups",
			map[string]any{"mentions": map[string]any{"@type": "Recipe", "url": "https://mag.example/kept/tart",
				"name": "Soup", "recipeIngredient": "lingonberry"}})
		page.Keys = "lingonberry"
		b.fill(t, "mag", "pages", page)
		corrected := func() int {
			reply, err := b.Ask(context.Background(), Question{Text: "lingonbery soups"})
			if err != nil {
				return 0
			}
			return len(reply.Understood.Corrected)
		}
		if corrected() != 1 {
			t.Fatal("not corrected while all is open")
		}
		b.obey(t, policy.Rule{Match: policy.Match{Path: []string{"/other/**"}}, Access: policy.Blocked},
			policy.Rule{Access: policy.Open})
		if corrected() != 1 {
			t.Error("not corrected under terms that leave all of the item open")
		}
		b.obey(t, policy.Rule{Match: policy.Match{Path: []string{"/kept/**"}}, Access: access},
			policy.Rule{Access: policy.Open})
		if corrected() != 0 {
			t.Errorf("%s: corrected to a word that only a thing within the item has, which is not shown", access)
		}
	}
}
