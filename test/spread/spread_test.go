package spread

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/wire/nlweb"
)

// questions are asked of the front and of the node that holds all sites.
var questions = []string{
	"green tea", "Misty Ridge", "teapot from Copper Lane", "Museum im Winter", "Hafenfest Helfer",
	"soupe aux poireaux", "omelette au fromage",
	"Tee und Kuchen", "thé vert", "whisk", "Leuchtturm hundert Jahre", "tarte aux pommes", "Salt Meadow tray",
	"Bücherei",
}

// near is how far apart two results of one node may be in score and stand the other way round where
// their sites are on different nodes: each node knows how rare a word is on its own sites alone and
// orders the first by more than their scores.
const near = 3

func TestSpread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("one answer", w.oneAnswer)
	t.Run("a node holds its own", w.nodeHoldsItsOwn)
	t.Run("who", w.who)
	t.Run("stream", w.stream)
	t.Run("MCP", w.mcp)
	t.Run("conversation", w.conversation)
	t.Run("dead node", w.deadNode)
	t.Run("slow node", w.slowNode)
}

// oneAnswer holds that the front answers as the node that holds everything: the same best result,
// and of others none that is clearly better behind one that is clearly worse.
func (w *world) oneAnswer(t *testing.T) {
	apart, pairs, across, both, only := 0.0, 0, 0, 0, 0
	for _, text := range questions {
		got, want := ask(t, w.front.URL, question(text)), ask(t, w.all.URL, question(text))
		if len(got.Results) == 0 || len(got.Meta.Unanswered) > 0 {
			t.Errorf("%q: %+v", text, got)
			continue
		}
		scores := map[string]float64{}
		for _, r := range want.Results {
			scores[r.URL] = r.Score
		}
		if best, ok := scores[got.Results[0].URL]; !ok || want.Results[0].Score-best > near {
			t.Errorf("%q: the front has %s first, one node %s", text, got.Results[0].Name, want.Results[0].Name)
		}
		for i, a := range got.Results {
			if i > 0 && a.Score > got.Results[i-1].Score && a.Site != got.Results[i-1].Site {
				t.Errorf("%q: %s is behind a lower score", text, a.Name)
			}
			if _, also := scores[a.URL]; also {
				both++
			} else {
				only++
			}
			for _, b := range got.Results[i+1:] {
				first, ok := scores[a.URL]
				second, also := scores[b.URL]
				if !ok || !also {
					continue
				}
				if pairs++; a.Site != b.Site {
					across++
				}
				if apart = math.Max(apart, second-first); second-first > near {
					t.Errorf("%q: the front has %s (%v) before %s (%v)", text, a.Name, first, b.Name, second)
				}
			}
		}
	}
	t.Logf("%d results are in both answers, %d in the front's alone; "+
		"of %d pairs, %d of them of two sites, the farthest that stand the other way round are %.1f apart",
		both, only, pairs, across, apart)
	if across < 20 {
		t.Errorf("only %d pairs of two sites were compared", across)
	}
}

func (w *world) nodeHoldsItsOwn(t *testing.T) {
	if a := ask(t, w.one.URL, question("Kesselhafen")); len(a.Results) == 0 || slices.ContainsFunc(a.Results,
		func(r found) bool { return r.Site != "shop" }) {
		t.Errorf("the shop's node answers with %+v", a)
	}
	a := ask(t, w.one.URL, object{"query": object{"text": "Hafenfest", "site": "https://www.zeitung.example/"}})
	if a.Error == nil || a.Error.Code != nlweb.CodeInvalidQuery || !strings.Contains(a.Error.Message,
		`the node "two"`) {
		t.Errorf("the shop's node says %+v of the paper's site", a.Error)
	}
	if a := ask(t, w.front.URL, object{"query": object{"text": "tea", "site": "nowhere"}}); a.Error == nil ||
		a.Error.Code != nlweb.CodeInvalidQuery {
		t.Errorf("the front says %+v of a site that nobody holds", a.Error)
	}
	for _, site := range []string{"shop", "zeitung.example", "cuisine"} {
		a := ask(t, w.front.URL, object{"query": object{"text": "Kesselhafen", "site": site}})
		id, _, _ := strings.Cut(site, ".")
		if len(a.Results) == 0 || slices.ContainsFunc(a.Results, func(r found) bool { return r.Site != id }) {
			t.Errorf("of the site %s: %+v", site, a)
		}
	}
}

func (w *world) who(t *testing.T) {
	var sites nlweb.LegacySites
	body, _ := send(t, http.MethodGet, w.front.URL+"/sites", nil)
	if err := json.Unmarshal(body, &sites); err != nil || strings.Join(sites.Sites, " ") != "shop zeitung cuisine" {
		t.Errorf("the front has the sites %v (%v)", sites.Sites, err)
	}
	var who nlweb.LegacyWho
	body, _ = send(t, http.MethodGet, w.front.URL+"/who?query=Kesselhafen", nil)
	if err := json.Unmarshal(body, &who); err != nil || len(who.Content) != 3 {
		t.Fatalf("%v: %s", err, body)
	}
	for i, site := range who.Content {
		node := w.one.URL
		if site.Site != "shop" {
			node = w.two.URL
		}
		var own nlweb.LegacyWho
		body, _ := send(t, http.MethodGet, node+"/who?query=Kesselhafen", nil)
		if err := json.Unmarshal(body, &own); err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(own.Content, func(s nlweb.LegacySite) bool { return s.Site == site.Site })
		if at < 0 || own.Content[at] != site {
			t.Errorf("the front has %+v, its node %+v", site, own.Content)
		}
		if i > 0 && site.Score > who.Content[i-1].Score {
			t.Errorf("%+v is behind a lower score", site)
		}
	}
	flat, _ := send(t, http.MethodGet, w.front.URL+"/ask?query=green+tea&streaming=false", nil)
	var whole nlweb.LegacyResponse
	if err := json.Unmarshal(flat, &whole); err != nil || len(whole.Results) == 0 || whole.Results[0].Site != "shop" {
		t.Errorf("in the flat dialect: %v %s", err, flat)
	}
}

func (w *world) stream(t *testing.T) {
	body := object{"query": object{"text": "Kesselhafen"}, "prefer": object{"streaming": true,
		"mode": "list, summarize"}}
	text, _ := send(t, http.MethodPost, w.front.URL+"/ask", body)
	events := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	if len(events) < 4 || !strings.HasPrefix(events[0], "event: start\n") || !strings.HasPrefix(events[len(events)-1],
		"event: complete\n") {
		t.Fatalf("a stream of %q", text)
	}
	whole := ask(t, w.front.URL, object{"query": object{"text": "Kesselhafen"},
		"prefer": object{"mode": "list, summarize"}})
	if len(whole.Results) != len(events)-2 || whole.Results[0].Type != nlweb.TypeSummary {
		t.Errorf("%d events for %d items, the first a %s", len(events), len(whole.Results), whole.Results[0].Type)
	}
	for i, e := range events[1 : len(events)-1] {
		var one struct {
			Index int
			Item  found
		}
		_, data, _ := strings.Cut(e, "\ndata: ")
		if err := json.Unmarshal([]byte(data), &one); err != nil || one.Index != i || i < len(whole.Results) &&
			one.Item != whole.Results[i] {
			t.Errorf("event %d: %v %s, want %+v", i, err, e, whole.Results[i])
		}
	}
}

func (w *world) mcp(t *testing.T) {
	call := func(method string, params object) (result struct {
		Result struct {
			Tools             []struct{ Name string }
			StructuredContent answer
		}
	}) {
		t.Helper()
		body, _ := send(t, http.MethodPost, w.front.URL+"/mcp", object{"jsonrpc": "2.0", "id": 1, "method": method,
			"params": params},
			"Accept", "application/json, text/event-stream")
		if err := json.Unmarshal(body, &result); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		return result
	}
	var tools []string
	for _, tool := range call("tools/list", object{}).Result.Tools {
		tools = append(tools, tool.Name)
	}
	if strings.Join(tools, " ") != "ask await" {
		t.Errorf("the front has the tools %v", tools)
	}
	got := call("tools/call", object{"name": "ask", "arguments": question("green tea")}).Result.StructuredContent
	if want := ask(t, w.front.URL, question("green tea")); names(got.Results) != names(want.Results) {
		t.Errorf("over MCP %s, over HTTP %s", names(got.Results), names(want.Results))
	}
}

// conversation holds that a further question goes on with the one before, at each node, and that
// the conversation can be forgotten.
func (w *world) conversation(t *testing.T) {
	first := ask(t, w.front.URL, question("tea"))
	again := ask(t, w.front.URL, object{"query": object{"text": "under 9 euros"},
		"meta": object{"session_context": first.Meta.SessionContext}})
	if again.Meta.Understood == nil || !strings.Contains(again.Meta.Understood.Query, "tea") {
		t.Errorf("the second question was understood as %+v", again.Meta.Understood)
	}
	got := nlweb.ReadSession(again.Meta.SessionContext)
	if got.ConversationID != nlweb.ReadSession(first.Meta.SessionContext).ConversationID {
		t.Errorf("the conversation became %s", got.ConversationID)
	}
	prev := ask(t, w.front.URL, object{"query": object{"text": "under 9 euros"},
		"context": object{"@type": "ConversationalContext", "prev": []string{"tea"}}})
	if names(prev.Results) != names(again.Results) {
		t.Errorf("with prev %s, with the session %s", names(prev.Results), names(again.Results))
	}
	session := nlweb.ReadSession(again.Meta.SessionContext)
	if _, status := send(t, http.MethodDelete, w.front.URL+"/sessions/"+session.ConversationID, nil, "Session-State",
		session.StateToken); status != http.StatusNoContent {
		t.Errorf("forgetting is answered with %d", status)
	}
}

func (w *world) deadNode(t *testing.T) {
	w.two.Kill()
	a := ask(t, w.front.URL, question("Kesselhafen"))
	if len(a.Results) == 0 || len(a.Meta.Unanswered) != 1 || a.Meta.Unanswered[0].Node != "two" ||
		a.Meta.Unanswered[0].Reason != nlweb.ReasonUnreachable ||
		strings.Join(a.Meta.Unanswered[0].Sites, " ") != "zeitung cuisine" {
		t.Errorf("with a dead node: %+v", a)
	}
	if a := ask(t, w.front.URL, object{"query": object{"text": "Museum",
		"site": "zeitung"}}); a.status != http.StatusServiceUnavailable || a.Error.Code != nlweb.CodeUnavailable {
		t.Errorf("of the dead node's site: %d %+v", a.status, a.Error)
	}
	w.two = w.serve(w.config, "two", w.addressTwo, "--sites", "zeitung,cuisine")
	await(t, w.two, 57)
	if a := ask(t, w.front.URL, question("Museum")); len(a.Results) == 0 || len(a.Meta.Unanswered) > 0 {
		t.Errorf("once the node is back: %+v", a)
	}
}

func (w *world) slowNode(t *testing.T) {
	w.one.Pause()
	defer w.one.Resume()
	for range 1000 { // a process stands still a little after it was told to
		began := time.Now()
		a := ask(t, w.front.URL, question("Museum"))
		took := time.Since(began)
		if len(a.Results) > 0 && len(a.Meta.Unanswered) == 0 && took < 2*time.Second {
			continue
		}
		if len(a.Results) == 0 || len(a.Meta.Unanswered) != 1 || a.Meta.Unanswered[0].Reason != nlweb.ReasonTimeout ||
			took > 10*time.Second {
			t.Errorf("with a node that stands still, after %s: %+v", took, a)
		}
		return
	}
	t.Error("a node that stands still is not missing")
}
