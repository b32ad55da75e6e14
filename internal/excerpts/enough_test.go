package desk

import (
	"strings"
	"testing"

	"frontdesk/internal/policy"
)

// TestASessionThatHasSeenEnoughIsToldSo, and one to which nothing could be given from the beginning is not.
func TestASessionThatHasSeenEnoughIsToldSo(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.obey(t, labelled(policy.Rule{Access: policy.Open})...)
	g.owner.MaxChunks, g.owner.SharePerDay = 1, 1
	lamps, kettles := sentences("one", 6), strings.ReplaceAll(sentences("two", 6), "lamp", "kettle")
	g.fill(t, "site", "s", story("a/1", lamps, kettles), story("a/2", "A zebra."))
	asking := func(session, text string) Retrieval {
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
	g.owner.MaxTokens = 1
	if reason := g.refused(t, asking("a third session", "lamp")); reason != NoContent {
		t.Errorf("a limit that no passage fits: %s", reason)
	}
}
