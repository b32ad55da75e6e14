package excerpts

import (
	"fmt"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// TestAnOrdinaryQuestionInANarrowDomainGetsPassages asks in domains whose pages all are about one
// thing: the words that name it weigh little there, and the other words of an ordinary question are
// in none of the pages.
func TestAnOrdinaryQuestionInANarrowDomainGetsPassages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		pages []string
		near  []string
		far   []string
	}{
		{
			"bonds",
			[]string{
				"Bond markets rose after the central bank held its rate. Yields fell by a tenth.",
				"Investors sold long bonds. The bond markets saw most of it in June.",
				"Corporate issuers return to the bond markets with longer terms.",
				"Municipal bond markets are calm. Few cities borrow.",
				"How bond markets price inflation, and why yields lag.",
				"A short history of bond markets from Venice to London.",
			},
			[]string{
				"bond markets", "bond markets today", "what is happening in the bond markets today?",
				"latest news on bond markets this week", "will bond markets crash soon?",
				"bond market outlook for retirees", "are bonds a safe place for my savings?",
			},
			[]string{"zeppelin", "cheap flights to Lisbon", "cheap flights today"},
		},
		{
			"crm",
			[]string{
				"CRM tools compared: prices and contacts.", "CRM tools with a calendar for small teams.",
				"Open source CRM tools that you host yourself.", "How CRM tools import your address book.",
			},
			[]string{"CRM tools", "CRM tools for dentists", "which CRM tools are best for a dental practice?",
				"affordable CRM software for dentists"},
			[]string{"recipes for pancakes", "dentists in Bristol"},
		},
		{
			"pilze",
			[]string{
				"Pilze sammeln im Herbst: Körbe, Messer, Regeln.",
				"Pilze trocknen und lagern, ohne dass sie schimmeln.",
				"Giftige Pilze erkennen. Der Knollenblätterpilz ist weiß.",
				"Pilze im Wald und auf der Wiese bestimmen.", "Welche Pilze im Frühling wachsen.",
			},
			[]string{"Pilze sammeln", "Pilze sammeln mit Kindern", "Wo finde ich heute Pilze bei Freiburg?",
				"sind Pilze für Hunde gefährlich?"},
			[]string{"Winterreifen wechseln", "Hunde erziehen"},
		},
	} {
		g := newGiver(t)
		g.deps.MinScore = 20
		g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
		var all []content.Item
		for i, text := range c.pages {
			all = append(all, contenttest.NewArticle(fmt.Sprintf("a/%d", i), text+" "+text))
		}
		g.Fill(t, "site", "s", all...)
		ask := func(text string) error {
			r := g.request(c.name + text)
			r.Text = text
			_, err := g.Retrieve(t.Context(), g.again(r))
			return err
		}
		for _, text := range c.near {
			if err := ask(text); err != nil {
				t.Errorf("%s: %s: %v", c.name, text, err)
			}
		}
		for _, text := range c.far {
			if err := ask(text); err == nil {
				t.Errorf("%s: %s gets passages", c.name, text)
			}
		}
	}
}
