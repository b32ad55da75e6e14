package excerpts

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/tightening"
)

// exits are the ways by which text leaves the service. One that is added gets a row here.
func (g *giver) exits() []tightening.Exit {
	first := fmt.Sprint("again ", g.made.Add(1))
	return []tightening.Exit{
		{Name: "passages for platforms", Function: released.Input, Chosen: true, Given: true,
			Released: func(t contenttest.T) string {
				return g.retrieved(t, fmt.Sprint("first ", g.made.Add(1)))
			}},
		// Asked under one set of rules, and again under the next.
		{Name: "passages that are asked for again", Function: released.Input, Given: true,
			Released: func(t contenttest.T) string {
				return g.retrieved(t, first)
			}},
	}
}

// retrieved is what a platform is given for the request of an id.
func (g *giver) retrieved(t contenttest.T, id string) string {
	r := g.request(id)
	r.ID, r.Domain = id, "news"
	out, err := g.Retrieve(context.Background(), g.again(r))
	var refusal *Refusal
	if errors.As(err, &refusal) && (refusal.Reason == NoContent || refusal.Reason == PolicyViolation) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(out.Chunks, out.Sources)
}

func TestTighteningARuleNeverGrowsWhatAnyExitReleases(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.owner = &Policy{
		Publisher: Publisher{ID: "site", Name: "Site", Domain: "site.example"}, Domains: []string{"news"},
		Access:   Access{Enabled: true},
		Supports: Supports{Chunks: true, Citations: true, FullArticle: true},
		Limits:   Limits{Chunks: 100, Tokens: 100_000, Share: 1, Session: time.Hour},
	}
	tightening.Check(t, g.Corpus, g.exits)
}
