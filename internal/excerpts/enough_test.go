package excerpts

import (
	"strings"
	"testing"

	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// TestASessionThatHasSeenEnoughIsToldSo, and one to which nothing could be given from the beginning
// is not.
func TestASessionThatHasSeenEnoughIsToldSo(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.owner.Limits.Chunks, g.owner.Limits.SharePerDay = 1, 1
	lamps, kettles := sentences("one", 6), strings.ReplaceAll(sentences("two", 6), "lamp", "kettle")
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", lamps, kettles), contenttest.NewArticle("a/2", "A zebra."))
	asking := func(session, text string) RetrieveRequest {
		r := g.request(session)
		r.Text = text
		return g.again(r)
	}
	g.given(t, asking("session", "lamp"))
	if reason := g.refused(t, asking("session", "kettle")); reason != PolicyViolation {
		t.Errorf("the other half of an article: %s", reason)
	}
	g.given(t, asking("another session", "kettle"))
	if reason := g.refused(t, asking("session", "zebra")); reason != NoContent {
		t.Errorf("an article that is too short to give half of it: %s", reason)
	}
	g.owner.Limits.Tokens = 1
	if reason := g.refused(t, asking("a third session", "lamp")); reason != NoContent {
		t.Errorf("a limit that no passage fits: %s", reason)
	}
}
