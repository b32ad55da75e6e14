package excerpts

import (
	"testing"

	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// TestARareWordInASmallDomainHidesNothing asks as people do, with a word that nothing has beside
// one that fits. The words that are not found must not outweigh the ones that are: the platform has
// said which domain it asks in.
func TestARareWordInASmallDomainHidesNothing(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.deps.MinScore = 20
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.Fill(t, "site", "s",
		contenttest.NewArticle("a/1", sentences("brass", 8)), contenttest.NewArticle("a/2", sentences("paper", 8)),
		contenttest.NewArticle("a/3", "A cupboard is made of oak. It has four drawers and a key."),
		contenttest.NewArticle("b/1", "The zebu is an ox."))
	for _, c := range []struct {
		text  string
		given string // the article that is given first; empty for none
	}{
		{"brass lamp", "a/1"},
		{"brass lamp zeppelin", "a/1"},
		{"cupboard Xanthippe", "a/3"},
		{"which cupboard does Xanthippe have?", "a/3"},
		{"cupboard zebu", "a/3"}, // which another domain has
		{"zebu", ""},
		{"brass zeppelin quokka marsupial", ""}, // hardly what was asked for
		{"zeppelin", ""},
		{"zeppelin quokka", ""},
	} {
		r := g.request("session " + c.text)
		r.Text = c.text
		if c.given == "" {
			if reason := g.refused(t, g.again(r)); reason != NoContent {
				t.Errorf("%s: %s", c.text, reason)
			}
			continue
		}
		out, err := g.Retrieve(t.Context(), g.again(r))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := out.Sources[0].URL; got != "https://site.example/"+c.given {
			t.Errorf("%s: %s is given first", c.text, got)
		}
	}
}
