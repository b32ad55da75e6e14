package app

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/delivery/botstats"
)

// TestTheConsoleShowsWhomEdgesSaw counts sightings as edges tell of them, and finds them by agent,
// day, path and what came of them; names that are made up to be markup are text.
func TestTheConsoleShowsWhomEdgesSaw(t *testing.T) {
	t.Parallel()
	s, p, _, c := salesOf(t, identity.Viewer)
	p.sees("/console/sales/bots", 200, "No edge has seen an AI agent in these days", `aria-current="page"`)
	today := c.Now().UTC().Truncate(24 * time.Hour)
	yesterday := today.AddDate(0, 0, -1)
	site := s.config.AllSites()[0].ID
	const odd = `Odd<i>"&'Bot`
	all := []botstats.Sighting{
		{Site: site, Hour: today, Agent: "GPTBot", Path: "/premium", Outcome: "refused", Count: 40},
		{Site: site, Hour: today.Add(-time.Hour), Agent: "GPTBot", Path: "/premium", Outcome: "delivered", Count: 3},
		{Site: site, Hour: yesterday, Agent: odd, Path: "/a/<script>", Outcome: "invalid", Count: 7},
		{Site: site, Hour: yesterday, Agent: "CCBot", Path: "", Outcome: "surprised", Count: 1},
		{Site: site, Hour: today.AddDate(0, 0, -31), Agent: "OldBot", Path: "/old", Outcome: "refused", Count: 900},
		{Site: "other", Hour: today, Agent: "OtherBot", Path: "/other", Outcome: "refused", Count: 900},
	}
	for _, agent := range []string{"A", "B", "C", "D", "E"} {
		all = append(all,
			botstats.Sighting{Site: site, Hour: yesterday, Agent: agent, Path: "/open", Outcome: "open", Count: 2})
	}
	if err := s.db.Update(t.Context(),
		func(tx *store.Tx) error { return botstats.Add(t.Context(), tx, "batch", c.Now(), all) }); err != nil {
		t.Fatal(err)
	}
	lacks := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if strings.Contains(p.page, text) {
				t.Errorf("the page has %s", text)
			}
		}
	}
	p.sees("/console/sales/bots", 200, "GPTBot", "Odd&lt;i&gt;", "/a/&lt;script&gt;", "CCBot", "surprised",
		"many others", "told where a licence is had", "its address opens nothing",
		"61 requests of 8 agents, of which 48 got nothing; at most 40 on one day", "<td>43</td><td>40</td><td>3</td>",
		`class="p5"`, "?day="+today.Format(time.DateOnly))
	lacks("OldBot", "OtherBot", "<script>", "<i>")
	p.sees("/console/sales/bots?agent="+url.QueryEscape(odd), 200, "7 requests of 1 agent", "/a/&lt;script&gt;")
	lacks("GPTBot", "CCBot")
	p.sees("/console/sales/bots?outcome=delivered", 200, "3 requests of 1 agent", "for which somebody had bought",
		"bots?day="+yesterday.Format(time.DateOnly)+"&amp;days=30&amp;outcome=delivered")
	lacks("/open")
	p.sees("/console/sales/bots?day="+today.Format(time.DateOnly), 200, `<td class="n">40</td>`)
	lacks("/a/&lt;script", "surprised") // the plot is of all days
	p.sees("/console/sales/bots?day=2020-01-01", 200, "Nothing was seen on this day")
	p.sees("/console/sales/bots?agent=nobody", 200, "Nothing fits what you chose")
	p.sees("/console/sales/bots?site=other", 200, "OtherBot")
	lacks("GPTBot")
}
