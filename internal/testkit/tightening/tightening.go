// Package tightening holds of all that lets text out of the content, that a tighter rule of the
// terms never lets more of it out, and that nothing leaves that the rules keep inside.
package tightening

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// Exit is one way by which text leaves a service.
type Exit struct {
	Name string
	// Function is what the exit uses items for.
	Function string
	// Chosen says that the exit chooses among the text of several items, so that less of one may
	// make room for another.
	Chosen bool
	// Given says that passages are given away, to platforms, by the rules for them: of items with
	// the label "news".
	Given bool
	// Rare says that the exit may release nothing at all in a whole test.
	Rare bool
	// Released is everything that the exit gives away to one who asks for lamps.
	Released func(t contenttest.T) string
}

// Check draws items of the site "site", rules, and a tighter one among them, and compares what
// leaves by each exit. The exits are made anew for each draw.
func Check(t *testing.T, c *contenttest.Corpus, exits func() []Exit) {
	k := &check{corpus: c, left: map[string]int{}}
	for range 20 { // a few draws may by chance let nothing out, or no less
		rapid.Check(t, func(t *rapid.T) { k.draw(t, exits()) })
		if t.Failed() || len(k.silent(exits())) == 0 && k.shrunk > 0 {
			return
		}
	}
	for _, name := range k.silent(exits()) {
		t.Errorf("%s released nothing at all", name)
	}
	if k.shrunk == 0 {
		t.Error("no tightening made any difference")
	}
}

// check counts what happens in the draws, so that a test of nothing is noticed.
type check struct {
	corpus *contenttest.Corpus
	left   map[string]int // words, by the exit
	shrunk int            // how often less left under a tighter rule
}

// silent are the exits by which nothing has left and something must.
func (k *check) silent(exits []Exit) (names []string) {
	for _, exit := range exits {
		if k.left[exit.Name] == 0 && !exit.Rare {
			names = append(names, exit.Name)
		}
	}
	return names
}

// draw is one draw.
func (k *check) draw(t *rapid.T, exits []Exit) {
	var items []marked
	var stored []content.Item
	for i := range rapid.IntRange(1, 5).Draw(t, "items") {
		items = append(items, drawItem(t, i))
		stored = append(stored, items[i].item)
	}
	k.corpus.SetRules(t)
	k.corpus.Fill(t, "site", "s", stored...)
	var rules []policy.Rule
	for range rapid.IntRange(1, 3).Draw(t, "rules") {
		rules = append(rules, drawRule(t))
	}
	rules = append(rules, policy.Rule{
		Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Open, policy.Blocked}).Draw(t, "else"),
	})
	before := leaves(t, k.corpus, exits, items, rules)
	at := rapid.IntRange(0, len(rules)-1).Draw(t, "rule")
	tighter := slices.Clone(rules)
	var ok bool
	if tighter[at], ok = tightened(t, rules[at]); !ok {
		return
	}
	after := leaves(t, k.corpus, exits, items, tighter)
	for i, exit := range exits {
		k.left[exit.Name] += len(before[i])
		if len(after[i]) < len(before[i]) {
			k.shrunk++
		}
		for word := range after[i] {
			if !exit.Chosen && !before[i][word] {
				t.Fatalf("%s releases %s under\n%+v\nand not under\n%+v", exit.Name, word, tighter, rules)
			}
		}
	}
}

// leaves are the marked words that leave by each exit under rules. None may be one that the rules
// keep inside.
func leaves(
	t *rapid.T, c *contenttest.Corpus, exits []Exit, items []marked, rules []policy.Rule,
) (all []map[string]bool) {
	c.SetTerms(t, contenttest.Terms(t, licences, rules...))
	for _, exit := range exits {
		allowed := map[string]bool{}
		for _, item := range items {
			may := item.may(exit.Function, c.Terms())
			if exit.Given {
				may = item.mayGive(c.Terms())
			}
			for word := range may {
				allowed[word] = true
			}
		}
		words := wordsIn(exit.Released(t))
		for word := range words {
			if !allowed[word] {
				t.Fatalf("%s releases %s under\n%+v", exit.Name, word, rules)
			}
		}
		all = append(all, words)
	}
	return all
}

// marked is an item in whose texts every word but one is its own: n of its name, d of its
// description, p of its passages, c of a thing within it, each with the item's number and its
// place.
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
	m.item = contenttest.Item("site", path, typ, "lamp "+tokens("n", n, m.name), "lamp "+tokens("d", n, m.text))
	m.item.Passages = nil
	for i := range rapid.IntRange(0, 2).Draw(t, "passages") {
		m.item.Passages = append(m.item.Passages,
			content.Passage{ID: fmt.Sprint(i), Text: "lamp " + tokens("p", n*10+i, 3)})
	}
	stated := rapid.SampledFrom([]string{"", "", `"isAccessibleForFree":false`, `"license":"https://creativecommons.org/licenses/by-nc/4.0/"`}).Draw(t, "stated")
	if stated != "" {
		m.item.Object = fmt.Appendf(nil, `{"@type":%q,"url":%q,"name":%q,%s}`, typ, m.item.URL, m.item.Name, stated)
	}
	if rapid.Bool().Draw(t, "within") {
		m.child, m.childType = "https://site.example/c/"+
			fmt.Sprint(n), rapid.SampledFrom([]string{"Article", "Person"}).Draw(t, "type within")
		m.item.Object = fmt.Appendf(nil, `{"@type":%q,"url":%q,"name":%q,"mentions":{"@type":%q,"url":%q,"name":"c%dx0","text":"c%dx1"}}`,
			typ, m.item.URL, m.item.Name, m.childType, m.child, n, n)
	}
	return m
}

// mayGive is what may be given of the item to platforms: its passages and its name.
func (m marked) mayGive(rules *policy.Terms) map[string]bool {
	d := rules.Decide(policy.Facts{Site: "site", Source: "s", URL: m.item.URL, Types: m.item.Types,
		Own: policy.Markup(m.item.Types, m.item.Object, content.IsA)})
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
	facts := policy.Facts{Site: "site", Source: "s", URL: m.item.URL, Types: m.item.Types,
		Own: policy.Markup(m.item.Types, m.item.Object, content.IsA)}
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
			if within.Access == policy.Open &&
				(within.Allows(released.Input) || function == released.Search && within.Rule == d.Rule && own) {
				allowed[fmt.Sprintf("c%dx1", m.number)] = true
			}
		}
	}
	return allowed
}

func drawRule(t *rapid.T) policy.Rule {
	r := policy.Rule{Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Open, policy.Licensed,
		policy.Blocked}).Draw(t, "access")}
	r.Match.Path = rapid.SampledFrom([][]string{nil, {"/a/**"}, {"/b/**"}, {"/c/**"}, {"/a/*", "/c/*"}}).Draw(t, "path")
	r.Match.Type = rapid.SampledFrom([][]string{nil, nil, {"Article"}, {"Recipe"}, {"CreativeWork"}}).Draw(t, "type")
	if r.Access == policy.Licensed {
		r.Excerpt.Words = rapid.IntRange(0, 9).Draw(t, "words")
	}
	r.Labels = rapid.SampledFrom([][]string{{"news"}, {"news"}, nil, {"sport"}}).Draw(t, "labels")
	r.Imported = rapid.SampledFrom([]string{"", "obey", "ignore"}).Draw(t, "imported")
	r.Functions.Permit = rapid.SampledFrom([][]string{nil, nil, {"search", "ai-input"}, {"search"}, {"all"}}).Draw(t,
		"permit")
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
		tighter.Functions.Permit = slices.DeleteFunc(slices.Clone(r.Functions.Permit), func(f string) bool {
			return f == function
		})
		if tighter.Functions.Prohibit = append(slices.Clone(r.Functions.Prohibit),
			function); len(tighter.Functions.Permit) == 0 {
			tighter.Functions.Permit = nil
			if len(r.Functions.Permit) > 0 {
				tighter.Functions.Permit = []string{"ai-index"}
				tighter.Functions.Prohibit = []string{"ai-train", function}
			}
		}
	case 3:
		tighter.Functions.Permit = rapid.SampledFrom([][]string{{"search"}, {"ai-train"}}).Draw(t, "only")
		tighter.Functions.Prohibit = slices.DeleteFunc(slices.Clone(r.Functions.Prohibit), func(f string) bool {
			return f == tighter.Functions.Permit[0]
		})
		if len(tighter.Functions.Prohibit) == 0 {
			tighter.Functions.Prohibit = nil
		}
		if len(r.Functions.Permit) > 0 && !slices.Contains(r.Functions.Permit, tighter.Functions.Permit[0]) &&
			r.Functions.Permit[0] != "all" {
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
		// nothing for strangers
		tighter.Users.Prohibit, tighter.Countries.Prohibit = []string{"government"}, []string{"US"}
	}
	return tighter, true
}
