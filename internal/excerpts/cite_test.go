package excerpts

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/wire/intent"
)

// shown is a citation of the first source of an answer, and that source.
func (g *giver) shown(t *testing.T) (Event, Source) {
	t.Helper()
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.Fill(t,
		"site", "s", contenttest.NewArticle("a/1", sentences("one", 3), sentences("two", 3), sentences("three", 3),
			sentences("four", 3)))
	asked := g.request("session")
	source := g.given(t, asked).Sources[0]
	return Event{
		Signature: Signature{Key: asked.Key}, Kind: intent.EventCitation, Request: asked.ID, PublisherID: "house",
		Domain: "site.example", StatedAt: g.clock.Now(),
		SourceURL: source.URL, Chunks: source.Chunks,
	}, source
}

// cited reports an event under an id of its own, and gives the body of its entry.
func (g *giver) cited(t *testing.T, r Event) map[string]any {
	t.Helper()
	n := g.made.Add(1)
	r.ID, r.Nonce, r.Until = fmt.Sprint("event ", n), fmt.Sprint("nonce ", n), g.clock.Now().Add(5*time.Minute)
	r.Digest = sha256.Sum256([]byte(r.ID))
	noted, err := g.Cite(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range g.entries(t, r.Request) {
		if e["id"] == noted.Entry {
			return e["body"].(map[string]any)
		}
	}
	t.Fatal("the event has no entry")
	return nil
}

// TestAnEntryOfACitationHoldsNoTextOfThePlatforms: an entry stays for ever, and what a platform
// writes freely may be anything, such as the question of a person.
func TestAnEntryOfACitationHoldsNoTextOfThePlatforms(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	r, _ := g.shown(t)
	for surface, want := range map[string]any{
		"": nil, "footnote": "footnote", "answer.card_2:top-left": "answer.card_2:top-left",
		"ana@example.com": "other", "how do I leave": "other", "fußnote": "other", "a\nb": "other",
		strings.Repeat("x", 65): "other",
	} {
		r.Surface = surface
		if got := g.cited(t, r)["display_surface"]; got != want {
			t.Errorf("surface %q is recorded as %v, want %v", surface, got, want)
		}
	}
}

// TestAPassageIsCitedOnceInAnEntry: naming one again and again makes an entry no larger.
func TestAPassageIsCitedOnceInAnEntry(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	r, source := g.shown(t)
	r.Chunks = nil
	for range 1000 {
		r.Chunks = append(r.Chunks, source.Chunks...)
	}
	var want []any
	for _, id := range source.Chunks {
		want = append(want, id)
	}
	if got := g.cited(t, r)["chunk_ids"].([]any); !slices.Equal(got, want) {
		t.Errorf("%d passages are recorded, want %v", len(got), want)
	}
}

// TestTheTimeOfACitationIsHeldAgainstOurs: what happened before the access, or is still to come, is
// flagged.
func TestTheTimeOfACitationIsHeldAgainstOurs(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	r, _ := g.shown(t)
	for _, c := range []struct {
		off  time.Duration
		want string
	}{{0, VerdictAgrees}, {-freshness, VerdictAgrees}, {-freshness - time.Second, VerdictEarly},
		{freshness, VerdictAgrees}, {freshness + time.Second, VerdictAhead}} {
		r.StatedAt = g.clock.Now().Add(c.off)
		if got := g.cited(t, r)["verdict"]; got != c.want {
			t.Errorf("%s away from now: %v, want %s", c.off, got, c.want)
		}
	}
}

// TestAPublishersDomainIsAHostName, which has no case.
func TestAPublishersDomainIsAHostName(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	r, _ := g.shown(t)
	r.Domain = "Site.Example"
	g.cited(t, r)
	r.Domain, r.ID, r.Nonce, r.Until = "www.site.example", "other", "other", g.clock.Now().Add(time.Minute)
	var refusal *Refusal
	if _, err := g.Cite(t.Context(), r); !errors.As(err, &refusal) || refusal.Reason != Unprocessable {
		t.Errorf("another host: %v", err)
	}
}

// TestAnEntrySaysThatNobodySignedAnEvent, where the owner takes such.
func TestAnEntrySaysThatNobodySignedAnEvent(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	r, _ := g.shown(t)
	if body := g.cited(t, r); body["unsigned"] != nil {
		t.Errorf("a signed citation: %v", body)
	}
	r.ID, r.Digest, r.Key = "from anybody", sha256.Sum256([]byte("from anybody")),
		identity.PlatformKey{Platform: r.Key.Platform}
	if _, err := g.Cite(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	all := g.entries(t, r.Request)
	if body := all[len(all)-1]["body"].(map[string]any); body["unsigned"] != true {
		t.Errorf("one that nobody signed: %v", body)
	}
}
