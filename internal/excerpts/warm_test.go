package excerpts

import (
	"testing"

	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// TestArticlesAreThereBeforeTheyAreAskedFor loads those that may give passages, and no others, anew
// with other terms.
func TestArticlesAreThereBeforeTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Licensed})...)
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", "A lamp that burns all night."),
		contenttest.NewArticle("a/2", "A lamp that does not."), contenttest.NewArticle("elsewhere/3", "No lamp."))
	there := func(want int) {
		t.Helper()
		found := 0
		for key, a := range g.articles.kept.All() {
			if key.terms != g.Terms() || len(a.passages) != 1 || len(a.tokens) != 1 || a.tokens[0] == 0 {
				t.Errorf("%s is kept as %+v", key.listing.URL, a)
			}
			found++
		}
		if found != want {
			t.Errorf("%d articles are there, want %d", found, want)
		}
	}
	there(2)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Blocked})...)
	there(0)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	there(2)
}
