package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/ledger"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

// exit is one way by which text leaves the desk. A way that is added gets a row here.
type exit struct {
	name string
	// function is what the exit uses items for.
	function string
	// chosen says that the exit chooses among the text of several items, so that less of one may make room for another.
	chosen bool
	// given says that passages are given away, to platforms, by the rules for them.
	given bool
	// released is everything that the exit gives away.
	released func(t tester, b *bench) string
}

var exits = []exit{
	{"the list of answers", released.Search, false, false, func(t tester, b *bench) string {
		var all []byte
		for result, err := range b.answered(t).Results(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(result.AppendJSON(append(append(all, result.Name()...), result.Description()...)), '\n')
		}
		return string(all)
	}},
	{"a summary", released.Input, true, false, func(t tester, b *bench) string {
		return fmt.Sprint(builtIn(t, b.answered(t)))
	}},
	{"a report", released.Input, true, false, func(t tester, b *bench) string {
		reply, err := b.Ask(context.Background(), Question{Text: "lamp", Report: true, ReportOnly: true, AnswersOnly: true})
		if err != nil && fail.From(err).Code == fail.NoResults {
			return ""
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(reply.Report)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}},
	{"the parts of the feed", released.Input, false, false, func(t tester, b *bench) string {
		items, _ := all(t, b.feed(t, "site"))
		return fmt.Sprint(items)
	}},
	{"the newest of the feed", released.Input, false, false, func(t tester, b *bench) string {
		_, items := objects(t, b.feed(t, "site").Newest(context.Background()))
		return fmt.Sprint(items)
	}},
	{"the list of resources", released.Search, false, false, func(t tester, b *bench) string {
		_, items := b.listed(t, nil, 3)
		return fmt.Sprint(items)
	}},
	{"resources by their address", released.Search, false, false, func(t tester, b *bench) string {
		var all []byte
		for i := range 6 {
			for _, folder := range []string{"a", "b"} {
				found, err := b.Item(context.Background(), fmt.Sprintf("https://site.example/%s/%d", folder, i))
				if err != nil && fail.From(err).Code != fail.NotFound {
					t.Fatal(err)
				}
				for _, item := range found {
					all = item.AppendItem(all)
				}
			}
		}
		return string(all)
	}},
	{"passages for platforms", released.Input, true, true, func(t tester, b *bench) string {
		return b.retrieved(t, fmt.Sprint("first ", b.requests))
	}},
	// Asked under one set of rules, and again under the next.
	{"passages that are asked for again", released.Input, false, true, func(t tester, b *bench) string {
		if b.again == "" {
			b.again = fmt.Sprint("again ", b.requests)
		}
		return b.retrieved(t, b.again)
	}},
}

// retrieved is what a platform is given for the request of an id.
func (b *bench) retrieved(t tester, id string) string {
	b.requests++
	now := time.Now()
	out, err := b.Retrieve(context.Background(), Retrieval{
		Key: identity.PlatformKey{ID: "k", Platform: "p", Roles: identity.Roles}, Nonce: fmt.Sprint(b.requests), Until: now.Add(time.Minute), ID: id, Version: "0.1",
		Stated: now, Domain: "news", Language: "en-US", Session: id, Text: "lamp",
	})
	var refusal *Refusal
	if errors.As(err, &refusal) && (refusal.Reason == NoContent || refusal.Reason == PolicyViolation) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(out.Chunks, out.Sources)
}

// newExits is a bench all of whose exits are open.
func newExits(t *testing.T) *bench {
	t.Helper()
	db := storetest.Chosen(t, content.Schema, vector.Schema, identity.PlatformSchema, grants.Schema, outbox.Schema, ledger.Schema)
	b := &bench{catalog: content.New(db, content.Options{}), db: db}
	b.obey(t)
	var err error
	if b.Desk, err = New(Config{Catalog: b.catalog, Terms: b.rules.Load, MinScore: 1, Passages: true, Sites: []Site{{ID: "site", Name: "Site", Hosts: []string{"site.example"}}}}); err != nil {
		t.Fatal(err)
	}
	owner := &Excerpts{
		PublisherID: "site", PublisherName: "Site", Domain: "site.example", Domains: []string{"news"}, Enabled: true, Chunks: true, Citations: true,
		FullArticle: true, MaxChunks: 100, MaxTokens: 100_000, Share: 1, SessionFor: time.Hour, Keep: time.Hour,
	}
	keys, err := identity.OpenSiteKeys(t.TempDir(), nil)
	if err == nil {
		err = keys.Make()
	}
	if err != nil {
		t.Fatal(err)
	}
	err = b.OpenExcerpts(&Excerpting{
		Owner: func() *Excerpts { return owner }, DB: db, Nonces: identity.NewNonces(db, 0, nil),
		Ledger: ledger.New(db, ledger.Options{Origin: "site/ledger", Signers: keys.Signers}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answered is the answer to a question that every item fits.
func (b *bench) answered(t tester) *Answer {
	zero := 0.0
	a, err := answerTo(b.Ask(context.Background(), Question{Text: "lamp", Limit: 50, MinScore: &zero, AnswersOnly: true}))
	if err != nil && fail.From(err).Code == fail.NoResults {
		return &Answer{desk: b.Desk}
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// marked is an item in whose texts every word but one is its own: n of its name, d of its description, p of its
// passages, c of a thing within it, each with the item's number and its place.
type marked struct {
	item       content.Item
	number     int
	name, text int    // words
	child      string // address of the thing within it; empty for none
	childType  string
}

// licences are those of an RSL document, which speaks of some of the addresses.
const licences = `<rsl><content url="/b/2"><license><permits type="usage">search</permits></license></content>` +
	`<content url="/a/1"><license><permits type="usage">all</permits><payment type="purchase"/></license></content>` +
	`<content url="/c/3"><license><prohibits type="usage">search</prohibits></license></content></rsl>`

// obeyWith is obey with an RSL document.
func (b *bench) obeyWith(t tester, text string, rules ...policy.Rule) {
	t.Helper()
	document, err := policy.ParseRSL("rsl.xml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := policy.Options{IsA: content.IsA, RSL: []*policy.RSL{document}}.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	b.rules.Store(compiled)
	if err := b.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func tokens(kind string, item, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%s%dx%d", kind, item, i))
	}
	return strings.Join(all, " ")
}

var token = regexp.MustCompile(`\b[ndpc][0-9]+x[0-9]+\b`)

// wordsIn are the marked words of a text.
func wordsIn(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range token.FindAllString(text, -1) {
		all[word] = true
	}
	return all
}

func drawItem(t *rapid.T, n int) marked {
	m := marked{number: n, name: rapid.IntRange(1, 3).Draw(t, "name"), text: rapid.IntRange(1, 12).Draw(t, "text")}
	typ := rapid.SampledFrom([]string{"Article", "Recipe", "Product"}).Draw(t, "type")
	path := fmt.Sprintf("%s/%d", rapid.SampledFrom([]string{"a", "b"}).Draw(t, "folder"), n)
	m.item = item("site", path, typ, "lamp "+tokens("n", n, m.name), "lamp "+tokens("d", n, m.text))
	m.item.Passages = nil
	for i := range rapid.IntRange(0, 2).Draw(t, "passages") {
		m.item.Passages = append(m.item.Passages, content.Passage{ID: fmt.Sprint(i), Text: "lamp " + tokens("p", n*10+i, 3)})
	}
	stated := rapid.SampledFrom([]string{"", "", `"isAccessibleForFree":false`, `"license":"https://creativecommons.org/licenses/by-nc/4.0/"`}).Draw(t, "stated")
	if stated != "" {
		m.item.Object = fmt.Appendf(nil, `{"@type":%q,"url":%q,"name":%q,%s}`, typ, m.item.URL, m.item.Name, stated)
	}
	if rapid.Bool().Draw(t, "within") {
		m.child, m.childType = "https://site.example/c/"+fmt.Sprint(n), rapid.SampledFrom([]string{"Article", "Person"}).Draw(t, "type within")
		m.item.Object = fmt.Appendf(nil, `{"@type":%q,"url":%q,"name":%q,"mentions":{"@type":%q,"url":%q,"name":"c%dx0","text":"c%dx1"}}`,
			typ, m.item.URL, m.item.Name, m.childType, m.child, n, n)
	}
	return m
}

// mayGive is what may be given of the item to platforms: its passages and its name.
func (m marked) mayGive(rules *policy.Terms) map[string]bool {
	d := rules.Decide(policy.Facts{Site: "site", Source: "s", URL: m.item.URL, Types: m.item.Types, Own: policy.Markup(m.item.Types, m.item.Object, content.IsA)})
	if !d.Allows(released.Input) || !slices.Contains(d.Labels, "news") {
		return nil
	}
	text := m.item.Name
	for _, p := range m.item.Passages {
		text += " " + p.Text
	}
	return wordsIn(text)
}

// may is what an exit may release of the item under rules, by the documentation.
func (m marked) may(function string, rules *policy.Terms) map[string]bool {
	facts := policy.Facts{Site: "site", Source: "s", URL: m.item.URL, Types: m.item.Types, Own: policy.Markup(m.item.Types, m.item.Object, content.IsA)}
	d := rules.Decide(facts)
	if !d.Allows(released.Search) || !d.Allows(function) {
		return nil
	}
	if d.Access == policy.Licensed {
		return wordsIn(m.item.Name + " " + released.Excerpt(m.item.Description, d.ExcerptWords))
	}
	allowed := wordsIn(m.item.Name + " " + m.item.Description)
	for _, p := range m.item.Passages {
		for word := range wordsIn(p.Text) {
			allowed[word] = true
		}
	}
	if m.child != "" {
		within := rules.Decide(policy.Facts{Site: "site", Source: "s", URL: m.child, Types: []string{m.childType}})
		if within.Allows(released.Search) {
			allowed[fmt.Sprintf("c%dx0", m.number)] = true
			own := within.OwnPermits(policy.Use{Function: released.Input})
			if within.Access == policy.Open && (within.Allows(released.Input) || function == released.Search && within.Rule == d.Rule && own) {
				allowed[fmt.Sprintf("c%dx1", m.number)] = true
			}
		}
	}
	return allowed
}

func drawRule(t *rapid.T) policy.Rule {
	r := policy.Rule{Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Open, policy.Licensed, policy.Blocked}).Draw(t, "access")}
	r.Match.Path = rapid.SampledFrom([][]string{nil, {"/a/**"}, {"/b/**"}, {"/c/**"}, {"/a/*", "/c/*"}}).Draw(t, "path")
	r.Match.Type = rapid.SampledFrom([][]string{nil, nil, {"Article"}, {"Recipe"}, {"CreativeWork"}}).Draw(t, "type")
	if r.Access == policy.Licensed {
		r.Excerpt.Words = rapid.IntRange(0, 9).Draw(t, "words")
	}
	r.Labels = rapid.SampledFrom([][]string{{"news"}, {"news"}, nil, {"sport"}}).Draw(t, "labels")
	r.Imported = rapid.SampledFrom([]string{"", "obey", "ignore"}).Draw(t, "imported")
	r.Functions.Permit = rapid.SampledFrom([][]string{nil, nil, {"search", "ai-input"}, {"search"}, {"all"}}).Draw(t, "permit")
	r.Functions.Prohibit = rapid.SampledFrom([][]string{nil, nil, {"ai-train"}, {"ai-index"}}).Draw(t, "prohibit")
	return r
}

// tightened is the rule with one thing in it made tighter; ok is false when that cannot be.
func tightened(t *rapid.T, r policy.Rule) (tighter policy.Rule, ok bool) {
	tighter = r
	switch rapid.IntRange(0, 9).Draw(t, "how") {
	case 0:
		tighter.Excerpt.Words = 0
		switch r.Access {
		case policy.Open:
			tighter.Access = policy.Licensed
			tighter.Excerpt.Words = rapid.IntRange(0, 9).Draw(t, "words")
		case policy.Licensed:
			tighter.Access = policy.Blocked
		default:
			return r, false
		}
	case 1:
		if r.Excerpt.Words == 0 {
			return r, false
		}
		tighter.Excerpt.Words = rapid.IntRange(0, r.Excerpt.Words-1).Draw(t, "fewer")
	case 2:
		function := rapid.SampledFrom([]string{"search", "ai-input", "ai-all", "all"}).Draw(t, "function")
		tighter.Functions.Permit = slices.DeleteFunc(slices.Clone(r.Functions.Permit), func(f string) bool { return f == function })
		if tighter.Functions.Prohibit = append(slices.Clone(r.Functions.Prohibit), function); len(tighter.Functions.Permit) == 0 {
			tighter.Functions.Permit = nil
			if len(r.Functions.Permit) > 0 {
				tighter.Functions.Permit = []string{"ai-index"}
				tighter.Functions.Prohibit = []string{"ai-train", function}
			}
		}
	case 3:
		tighter.Functions.Permit = rapid.SampledFrom([][]string{{"search"}, {"ai-train"}}).Draw(t, "only")
		tighter.Functions.Prohibit = slices.DeleteFunc(slices.Clone(r.Functions.Prohibit), func(f string) bool { return f == tighter.Functions.Permit[0] })
		if len(tighter.Functions.Prohibit) == 0 {
			tighter.Functions.Prohibit = nil
		}
		if len(r.Functions.Permit) > 0 && !slices.Contains(r.Functions.Permit, tighter.Functions.Permit[0]) && r.Functions.Permit[0] != "all" {
			return r, false // which would permit something else
		}
	case 4:
		tighter.Users.Permit = []string{"education"}
	case 8:
		tighter.Labels = nil
	case 9:
		tighter.Display.Words = rapid.IntRange(1, 3).Draw(t, "display")
	case 7:
		if r.Imported != "ignore" {
			return r, false
		}
		tighter.Imported = "obey"
	case 5:
		tighter.Countries.Permit = []string{"DE"}
	case 6:
		tighter.Users.Prohibit, tighter.Countries.Prohibit = []string{"government"}, []string{"US"} // nothing for strangers
	}
	return tighter, true
}

func TestTighteningARuleNeverGrowsWhatAnyExitReleases(t *testing.T) {
	t.Parallel()
	b := newExits(t)
	released := map[string]int{} // so that a test of nothing is noticed
	shrunk := 0
	rapid.Check(t, func(t *rapid.T) {
		var items []marked
		var stored []content.Item
		for i := range rapid.IntRange(1, 5).Draw(t, "items") {
			items = append(items, drawItem(t, i))
			stored = append(stored, items[i].item)
		}
		b.obey(t)
		b.fill(t, "site", "s", stored...)
		var rules []policy.Rule
		for range rapid.IntRange(1, 3).Draw(t, "rules") {
			rules = append(rules, drawRule(t))
		}
		rules = append(rules, policy.Rule{Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Open, policy.Blocked}).Draw(t, "else")})
		b.again = ""
		before := b.leaves(t, items, rules)
		at := rapid.IntRange(0, len(rules)-1).Draw(t, "rule")
		tighter := slices.Clone(rules)
		var ok bool
		if tighter[at], ok = tightened(t, rules[at]); !ok {
			return
		}
		after := b.leaves(t, items, tighter)
		for i, exit := range exits {
			released[exit.name] += len(before[i])
			if len(after[i]) < len(before[i]) {
				shrunk++
			}
			for word := range after[i] {
				if !exit.chosen && !before[i][word] {
					t.Fatalf("%s releases %s under\n%+v\nand not under\n%+v", exit.name, word, tighter, rules)
				}
			}
		}
	})
	for _, exit := range exits {
		if released[exit.name] == 0 && exit.name != "a report" {
			t.Errorf("%s released nothing at all", exit.name)
		}
	}
	if shrunk == 0 {
		t.Error("no tightening made any difference")
	}
}

// leaves are the marked words that leave by each exit under rules. None may be one that the rules keep inside.
func (b *bench) leaves(t *rapid.T, items []marked, rules []policy.Rule) []map[string]bool {
	b.obeyWith(t, licences, rules...)
	var all []map[string]bool
	for _, exit := range exits {
		allowed := map[string]bool{}
		for _, item := range items {
			may := item.may(exit.function, b.rules.Load())
			if exit.given {
				may = item.mayGive(b.rules.Load())
			}
			for word := range may {
				allowed[word] = true
			}
		}
		words := wordsIn(exit.released(t, b))
		for word := range words {
			if !allowed[word] {
				t.Fatalf("%s releases %s under\n%+v", exit.name, word, rules)
			}
		}
		all = append(all, words)
	}
	return all
}
