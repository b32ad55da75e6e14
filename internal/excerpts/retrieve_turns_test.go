package excerpts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// seen is what a model of the platform knows: by session, address and passage, which bytes of it.
type seen map[string]map[string]map[string][]bool

func (s seen) of(session, url string) map[string][]bool {
	if s[session] == nil {
		s[session] = map[string]map[string][]bool{}
	}
	if s[session][url] == nil {
		s[session][url] = map[string][]bool{}
	}
	return s[session][url]
}

type corpus struct {
	items []content.Item
	// within says of an item by its address that something in it is blocked or not open.
	within map[string]bool
}

func drawCorpus(t *rapid.T) corpus {
	c := corpus{within: map[string]bool{}}
	for i := range rapid.IntRange(1, 5).Draw(t, "items") {
		path := fmt.Sprintf("%s/%d", rapid.SampledFrom([]string{"a", "a", "b", "elsewhere"}).Draw(t, "folder"), i)
		var parts []string
		for j := range rapid.SampledFrom([]int{1, 2, 4, 3, 0}).Draw(t, "passages") {
			text := sentences(fmt.Sprintf("i%dp%d", i, j), rapid.IntRange(2, 8).Draw(t, "sentences"))
			switch rapid.IntRange(0, 5).Draw(t, "kind of text") {
			case 5:
				text = strings.Repeat(fmt.Sprintf("lamp灯%d火", j), rapid.IntRange(1, 30).Draw(t, "characters"))
			case 4:
				text = "Same lamp words for everybody."
			}
			parts = append(parts, text)
		}
		one := contenttest.NewArticle(path, parts...)
		if rapid.IntRange(0, 4).Draw(t, "nested") == 4 {
			one.Object = fmt.Appendf(nil, `{"@type":"Article","url":%q,"name":"Story","liveBlogUpdate":{"@type":"Article","url":"https://site.example/c/%d","text":"inner"}}`, one.URL, i)
			c.within[one.URL] = true
		}
		c.items = append(c.items, one)
	}
	return c
}

func drawOwner(t *rapid.T) *Policy {
	e := usualOwner()
	e.Limits.Chunks, e.Limits.Tokens = rapid.IntRange(1, 4).Draw(t,
		"chunks"), rapid.SampledFrom([]int{60, 90, 40, 20, 200, 12, 5, 1}).Draw(t, "tokens")
	e.Limits.Share, e.Supports.FullArticle = rapid.SampledFrom([]float64{0.5, 0.95, 0.3, 0.01}).Draw(t,
		"share"), rapid.IntRange(0, 3).Draw(t, "full") == 3
	e.Limits.SharePerDay = rapid.SampledFrom([]float64{0, 0, 1, 0.7, 0.2}).Draw(t, "share of a day")
	e.Domains = rapid.SampledFrom([][]string{{"news.a", "news.b"}, {"news"}, {"news.a", "news.b"},
		{"news.b.c"}}).Draw(t, "domains")
	return e
}

// drawRules are rules by which passages may be given or not.
func drawRules(t *rapid.T) []policy.Rule {
	like := policy.Rule{Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Open, policy.Licensed}).Draw(t,
		"access")}
	like.Display.Words = rapid.SampledFrom([]int{0, 0, 5, 20}).Draw(t, "words")
	like.Countries.Prohibit = rapid.SampledFrom([][]string{nil, nil, {"FR"}}).Draw(t, "prohibited")
	if like.Countries.Prohibit == nil {
		like.Countries.Permit = rapid.SampledFrom([][]string{nil, nil, {"DE", "US"}}).Draw(t, "permitted")
	}
	like.Delivery = rapid.SampledFrom([][]string{nil, nil, nil, {"direct"}, {"instructions"}}).Draw(t, "delivery")
	rules := []policy.Rule{{Match: policy.Match{Path: []string{"/c/**"}}, Access: policy.Blocked}}
	for _, rule := range labelled(like) {
		switch rapid.IntRange(0, 9).Draw(t, "otherwise") {
		case 9:
			rule.Access, rule.Labels, rule.Display.Words = policy.Blocked, nil, 0
			rule.Countries, rule.Delivery = policy.Restriction{}, nil
		case 8:
			rule.Functions.Prohibit = []string{"ai-input"}
		}
		rules = append(rules, rule)
	}
	return rules
}

// tightenedForPlatforms are rules of which one is tighter.
func tightenedForPlatforms(t *rapid.T, rules []policy.Rule) []policy.Rule {
	rules = slices.Clone(rules)
	r := &rules[rapid.IntRange(1, 2).Draw(t, "rule")]
	if r.Access == policy.Blocked {
		return rules
	}
	switch rapid.IntRange(0, 5).Draw(t, "how") {
	case 0:
		*r = policy.Rule{Match: r.Match, Access: policy.Blocked}
	case 1:
		r.Functions.Prohibit = []string{"ai-input"}
	case 2:
		r.Display.Words = max(1, r.Display.Words/2)
	case 3:
		r.Countries = policy.Restriction{Permit: []string{"AT"}}
	case 4:
		r.Labels = []string{"other"}
	case 5:
		r.Delivery = []string{"instructions"}
	}
	return rules
}

// may says of an item by its address whether it may give passages to a request, by the
// documentation, and how many words of it.
func (c corpus) may(rules *policy.Terms, owner *Policy, area, url, country string) (bool, int) {
	d := rules.Decide(policy.Facts{Site: "site", Source: "s", URL: url, Types: []string{"Article"}})
	labelled := slices.ContainsFunc(d.Labels, func(l string) bool {
		return l == area || strings.HasPrefix(l, area+".")
	})
	fits := labelled && d.Access != policy.Blocked &&
		d.Permits(policy.Use{Function: "ai-input", Country: country}) == policy.Permitted &&
		(len(d.Delivery) == 0 || slices.Contains(d.Delivery, "direct")) && !c.within[url]
	return fits, d.DisplayWords
}

// holds checks an answer against everything that bounds it, and adds it to what the platform has
// seen.
func (c corpus) holds(t *rapid.T, g *giver, r RetrieveRequest, area string, given *RetrieveResult, seen seen) {
	rules := g.Terms()
	maxChunks, maxTokens := g.owner.Limits.Chunks, g.owner.Limits.Tokens
	if r.Key.MaxChunks > 0 {
		maxChunks = min(maxChunks, r.Key.MaxChunks)
	}
	if r.Key.MaxTokens > 0 {
		maxTokens = min(maxTokens, r.Key.MaxTokens)
	}
	if given.MaxChunks != maxChunks || given.MaxTokens > maxTokens ||
		given.MaxTokens < maxTokens && !given.LimitedByDay {
		t.Fatalf("the limits are told as %d and %d, and are %d and %d", given.MaxChunks, given.MaxTokens, maxChunks,
			maxTokens)
	}
	if len(given.Chunks) == 0 || len(given.Chunks) > maxChunks {
		t.Fatalf("%d chunks, at most %d", len(given.Chunks), maxChunks)
	}
	tokens := 0
	sourceOf := map[string]string{}
	for _, s := range given.Sources {
		if len(s.Chunks) == 0 {
			t.Fatalf("the source %s has no chunk", s.URL)
		}
		for _, id := range s.Chunks {
			if sourceOf[id] != "" {
				t.Fatalf("chunk %s is of two sources", id)
			}
			sourceOf[id] = s.URL
		}
	}
	ids := map[string]bool{}
	for _, chunk := range given.Chunks {
		if ids[chunk.ID] {
			t.Fatalf("chunk %s is there twice", chunk.ID)
		}
		ids[chunk.ID] = true
		if want := (utf8.RuneCountInString(chunk.Text) + 3) / 4; chunk.Tokens != want || chunk.Text == "" ||
			!utf8.ValidString(chunk.Text) {
			t.Fatalf("chunk %q is counted as %d tokens, and has %d", chunk.Text, chunk.Tokens, want)
		}
		tokens += chunk.Tokens
		url := sourceOf[chunk.ID]
		at := slices.IndexFunc(c.items, func(i content.Item) bool { return i.URL == url })
		if at < 0 {
			t.Fatalf("chunk %q has the source %q", chunk.Text, url)
		}
		if fits, _ := c.may(rules, g.owner, area, url, r.Country); !fits {
			t.Fatalf("%s may give nothing, and gave %q", url, chunk.Text)
		}
		if _, from := c.whence(c.items[at], chunk); from < 0 {
			t.Fatalf("%q is no part of a passage of %s", chunk.Text, url)
		}
	}
	if tokens > given.MaxTokens ||
		given.LimitedByDay && (g.owner.Supports.FullArticle || g.owner.Limits.SharePerDay == 1) {
		t.Fatalf("%d tokens, at most %d are told, limited by the day: %v", tokens, given.MaxTokens, given.LimitedByDay)
	}
	for id := range sourceOf {
		if !ids[id] {
			t.Fatalf("a source names chunk %s, which was not given", id)
		}
	}
	c.adds(t, g, r, given, sourceOf, seen)
	c.together(t, g, given, sourceOf, seen)
}

// together takes an answer into what all sessions have seen, and holds that they have seen no more
// than a day's share.
func (c corpus) together(t *rapid.T, g *giver, given *RetrieveResult, sourceOf map[string]string, seen seen) {
	for _, one := range c.items {
		of := seen.of("all", one.URL)
		before, _ := c.amount(one, of)
		c.marks(one, given, sourceOf, of)
		after, _ := c.amount(one, of)
		whole := 0
		for _, p := range one.Passages {
			whole += len(p.Text)
		}
		share := cmp.Or(g.owner.Limits.SharePerDay, g.owner.Limits.Share)
		if after > before && !g.owner.Supports.FullArticle && share < 1 && float64(after) > share*float64(whole) {
			t.Fatalf("all sessions saw %d of %d bytes of %s, the share of a day is %g", after, whole, one.URL, share)
		}
	}
}

// marks takes in what an answer has of an item, and says how many words that is.
func (c corpus) marks(
	one content.Item, given *RetrieveResult, sourceOf map[string]string, of map[string][]bool,
) (shown int) {
	for _, chunk := range given.Chunks {
		if sourceOf[chunk.ID] != one.URL {
			continue
		}
		shown += len(strings.Fields(chunk.Text))
		id, from := c.whence(one, chunk)
		for _, p := range one.Passages {
			if p.ID == id {
				of[id] = append(of[id], make([]bool, len(p.Text)-len(of[id]))...)
			}
		}
		for i := range chunk.Text {
			for j := i; j < len(chunk.Text) && (j == i || chunk.Text[j]&0xC0 == 0x80); j++ {
				of[id][from+j] = true
			}
		}
	}
	return shown
}

// adds takes an answer into what the platform has seen, and holds that nobody has seen more of an
// item than may be.
func (c corpus) adds(
	t *rapid.T, g *giver, r RetrieveRequest, given *RetrieveResult, sourceOf map[string]string, seen seen,
) {
	for _, one := range c.items {
		of := seen.of(r.Session, one.URL)
		before, wordsBefore := c.amount(one, of)
		_, words := c.may(g.Terms(), g.owner, "", one.URL, r.Country)
		shown := c.marks(one, given, sourceOf, of)
		if words > 0 && shown > words {
			t.Fatalf("session %s was shown %d words of %s, %d may be shown", r.Session, shown, one.URL, words)
		}
		after, wordsAfter := c.amount(one, of)
		if after == before {
			continue
		}
		whole := 0
		for _, p := range one.Passages {
			whole += len(p.Text)
		}
		if !g.owner.Supports.FullArticle && (float64(after) > g.owner.Limits.Share*float64(whole) || after >= whole) {
			t.Fatalf("session %s saw %d of %d bytes of %s, share %g", r.Session, after, whole, one.URL,
				g.owner.Limits.Share)
		}
		if words > 0 && wordsAfter > max(words, wordsBefore) {
			t.Fatalf("session %s saw %d words of %s, %d may be shown", r.Session, wordsAfter, one.URL, words)
		}
	}
}

// whence finds a chunk in an item by its id: in which passage it is, and from which byte on; -1 for
// nowhere.
func (c corpus) whence(one content.Item, chunk Chunk) (passage string, from int) {
	for _, p := range one.Passages {
		for from := 0; from+len(chunk.Text) <= len(p.Text); from++ {
			if strings.HasPrefix(p.Text[from:], chunk.Text) &&
				chunkID(grants.Chunk{Site: "site", URL: one.URL, Passage: p.ID, From: from}) == chunk.ID {
				return p.ID, from
			}
		}
	}
	return "", -1
}

// amount is how much of an item somebody has seen. A word counts where any of it was seen.
func (c corpus) amount(one content.Item, of map[string][]bool) (bytes, words int) {
	for _, p := range one.Passages {
		within := false // a word of which something was seen
		for i, saw := range of[p.ID] {
			if p.Text[i] == ' ' || p.Text[i] == '\n' {
				within = false
			} else if saw && !within {
				within = true
				words++
			}
			if saw {
				bytes++
			}
		}
	}
	return bytes, words
}

// TestNoTurnsGetMoreThanMayBe asks in any sequence, of any corpus, under any limits and terms,
// which may get tighter in between, and repeats requests.
func TestNoTurnsGetMoreThanMayBe(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	answers, repeated, cut, inside := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawCorpus(t)
		g.owner = drawOwner(t)
		rules := drawRules(t)
		g.SetRules(t, append(slices.Clone(rules), policy.Rule{Access: policy.Open})...)
		g.Fill(t, "site", "s", c.items...)
		known := seen{}
		type asked struct {
			RetrieveRequest
			area  string
			given *RetrieveResult
			loose bool // the rules have been tightened since
		}
		var before []asked
		name := fmt.Sprint("run ", g.made.Add(1), " ")
		for range rapid.IntRange(3, 10).Draw(t, "turns") {
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what == 9: // small numbers are drawn more often
				rules = tightenedForPlatforms(t, rules)
				g.SetRules(t, append(slices.Clone(rules), policy.Rule{Access: policy.Open})...)
				for i := range before {
					before[i].loose = true
				}
			case what >= 7 && len(before) > 0:
				old := before[rapid.IntRange(0, len(before)-1).Draw(t, "which")]
				entries := g.rows(t, "ledger_entry") + g.rows(t, "ledger_pending")
				given, err := g.Retrieve(context.Background(), g.again(old.RetrieveRequest))
				repeated++
				var refusal *Refusal
				switch {
				case errors.As(err, &refusal) && refusal.Reason == PolicyViolation && old.loose:
					continue
				case err != nil:
					t.Fatalf("the repetition: %v", err)
				}
				c.holds(t, g, old.RetrieveRequest, old.area, given, known)
				if entries != g.rows(t, "ledger_entry")+g.rows(t, "ledger_pending") {
					t.Fatal("the repetition has an entry")
				}
				if !old.loose {
					if diff := gocmp.Diff(old.given.Chunks, given.Chunks); diff != "" {
						t.Fatalf("the repetition differs: %s", diff)
					}
				}
				for _, chunk := range given.Chunks {
					if !slices.ContainsFunc(old.given.Chunks, func(o Chunk) bool {
						return o.ID == chunk.ID && strings.HasPrefix(o.Text, chunk.Text)
					}) {
						t.Fatalf("the repetition gives %q, which was not given before", chunk.Text)
					}
				}
			default:
				r := g.request(name + rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "session"))
				r.Key.Platform = name
				r.Domain = rapid.SampledFrom([]string{"news.a", "news.a", "news.b", "news.b.c", "news.b.c.d",
					"news"}).Draw(t, "domain")
				r.Country = rapid.SampledFrom([]string{"", "DE", "FR"}).Draw(t, "country")
				r.Text = rapid.SampledFrom([]string{"", "lamp", "same lamp words", "lamp part 1 room", "part 2",
					"part 3 corner", "zeppelin"}).Draw(t, "text")
				r.Key.MaxChunks, r.Key.MaxTokens = rapid.SampledFrom([]int{0, 0, 1, 9}).Draw(t,
					"own chunks"), rapid.SampledFrom([]int{0, 0, 20, 900}).Draw(t, "own tokens")
				r = g.again(r)
				area := ""
				for _, label := range g.owner.Domains {
					if r.Domain == label || strings.HasPrefix(r.Domain, label+".") {
						area = label
					}
				}
				given, err := g.Retrieve(context.Background(), r)
				var refusal *Refusal
				if errors.As(err, &refusal) {
					if n := len(g.entries(t, r.ID)); n != 0 || area == "" != (refusal.Reason == OutOfScope) {
						t.Fatalf("%v, and %d entries, in area %q", refusal, n, area)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				answers++
				c.holds(t, g, r, area, given, known)
				if n := len(g.entries(t, r.ID)); n != 1 {
					t.Fatalf("%d entries", n)
				}
				for _, chunk := range given.Chunks {
					if !slices.ContainsFunc(c.items, func(i content.Item) bool {
						return slices.ContainsFunc(i.Passages, func(p content.Passage) bool {
							return p.Text == chunk.Text
						})
					}) {
						cut++
					}
					for _, one := range c.items {
						if _, from := c.whence(one, chunk); from > 0 {
							inside++
						}
					}
				}
				before = append(before, asked{r, area, given, false})
			}
		}
	})
	if testing.Short() {
		return // there are few tries
	}
	t.Logf("%d answers, %d repetitions, %d passages cut, %d from their middle", answers, repeated, cut, inside)
	if answers == 0 || repeated == 0 || cut == 0 || inside == 0 && answers > 20 {
		t.Errorf("the turns tell nothing: %d answers, %d repetitions, %d passages cut, %d from their middle", answers,
			repeated, cut, inside)
	}
}
