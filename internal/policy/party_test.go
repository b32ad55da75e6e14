package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/policy"
)

// The parties that tests ask as.
var (
	gpt = policy.Traits{Classes: []string{"agent", "training"}, Operators: []string{"https://openai.com"},
		Name: "GPTBot"}
	verifiedGPT = policy.Party{Proven: policy.Traits{Classes: []string{"verified", "agent", "training"},
		Operators: []string{"https://openai.com"}, Name: "GPTBot"}}
	saysGPT = policy.Party{Said: gpt}
	reader  = policy.Party{}
	member  = policy.Party{Proven: policy.Traits{Classes: []string{"known"}}}
	below   = policy.Party{Proven: policy.Traits{Classes: []string{"verified", "agent"},
		Operators: []string{"https://bots.openai.com"}}}
	// saysMore holds a credential, which proves nothing of the name that it gives itself.
	saysMore = policy.Party{Proven: policy.Traits{Classes: []string{"known"}}, Said: gpt}
)

func TestWhomARuleAdmits(t *testing.T) {
	t.Parallel()
	type of = []string
	for name, row := range map[string]struct {
		parties policy.Restriction
		admits  []policy.Party
		refuses []policy.Party
	}{
		"everybody": {policy.Restriction{}, []policy.Party{verifiedGPT, saysGPT, reader, member, below}, nil},
		"verified": {policy.Restriction{Permit: of{"verified"}}, []policy.Party{verifiedGPT, below},
			[]policy.Party{saysGPT, reader, member}},
		"an operator": {policy.Restriction{Permit: of{"https://openai.com"}}, []policy.Party{verifiedGPT},
			[]policy.Party{saysGPT, saysMore, reader, member, below}},
		"a name": {policy.Restriction{Permit: of{"gptbot"}}, []policy.Party{verifiedGPT},
			[]policy.Party{saysGPT, saysMore, below}},
		"members or agents": {policy.Restriction{Permit: of{"known", "verified"}}, []policy.Party{member, verifiedGPT},
			[]policy.Party{reader, saysGPT}},
		"no training": {policy.Restriction{Prohibit: of{"training"}}, []policy.Party{reader, member, below},
			[]policy.Party{verifiedGPT, saysGPT}},
		"not an operator": {policy.Restriction{Prohibit: of{"openai.com"}}, []policy.Party{reader, member},
			[]policy.Party{verifiedGPT, saysGPT, below}},
		"nobody unknown": {policy.Restriction{Prohibit: of{"anonymous"}}, []policy.Party{member, saysGPT},
			[]policy.Party{reader}},
		"verified, but not for training": {policy.Restriction{Permit: of{"verified"}, Prohibit: of{"training"}},
			[]policy.Party{below},
			[]policy.Party{verifiedGPT, reader}},
	} {
		terms, err := policy.Options{Agents: []string{"GPTBot"}}.New([]policy.Rule{{Access: policy.Open,
			Parties: row.parties}})
		if err != nil {
			t.Fatal(name, err)
		}
		for want, parties := range map[policy.Access][]policy.Party{policy.Open: row.admits,
			policy.Blocked: row.refuses} {
			for _, party := range parties {
				got := terms.For(party).Decide(policy.Facts{URL: "https://a.example/x"})
				if got.Access != want ||
					want == policy.Blocked && !strings.Contains(got.Reason, "for certain parties") {
					t.Errorf("%s, %+v: %s: %s", name, party, got.Access, got.Reason)
				}
			}
		}
		if got := terms.Decide(policy.Facts{}).Access; got != terms.For(reader).Decide(policy.Facts{}).Access {
			t.Errorf("%s: without a party: %s", name, got)
		}
		if got := terms.ForAny().Decide(policy.Facts{}).Access; got != policy.Open {
			t.Errorf("%s: for any: %s", name, got)
		}
	}
}

// TestARefusedPartyGetsNoLaterRule: whoever a rule does not admit is not served by one behind it.
func TestARefusedPartyGetsNoLaterRule(t *testing.T) {
	t.Parallel()
	terms, err := policy.New([]policy.Rule{
		{Match: policy.Match{Path: []string{"/a/**"}}, Access: policy.Licensed,
			Parties: policy.Restriction{Permit: []string{"verified"}}},
		{Access: policy.Open},
	})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]policy.Access{"https://x.example/a/b": policy.Blocked,
		"https://x.example/b": policy.Open} {
		if got := terms.Decide(policy.Facts{URL: url}).Access; got != want {
			t.Errorf("%s: %s", url, got)
		}
		e := terms.Explain(policy.Facts{URL: url})
		why := e.Steps[len(e.Steps)-1].Why
		if e.Decision.Access != want ||
			strings.Contains(why, "who asks is not among them") != (want == policy.Blocked) {
			t.Errorf("%s is explained as %s: %s", url, e.Decision.Access, why)
		}
	}
}

func TestWordsForParties(t *testing.T) {
	t.Parallel()
	options := policy.Options{Agents: []string{"GPTBot", "bingbot"}}
	for word, ok := range map[string]bool{"verified": true, "verifed": false, "GPTBot": true, "bingbot": true,
		"OtherBot":           false,
		"https://openai.com": true, "openai.com": true, "http://openai.com": false, "https://openai.com/x": false,
		"":                     false,
		"https://*.openai.com": false, "https://localhost": false, "https://openai.com:8443": true} {
		for _, parties := range []policy.Restriction{{Permit: []string{word}}, {Prohibit: []string{word}}} {
			if _, err := options.New([]policy.Rule{{Access: policy.Open, Parties: parties}}); (err == nil) != ok {
				t.Errorf("%q: %v", word, err)
			}
		}
	}
	for _, parties := range []policy.Restriction{{Permit: []string{"anonymous"}}, {Permit: []string{}},
		{Permit: []string{"verified"}, Prohibit: []string{"verified"}}} {
		if _, err := options.New([]policy.Rule{{Access: policy.Open, Parties: parties}}); err == nil {
			t.Errorf("%+v passes", parties)
		}
	}
}

// TestACheckOfPartiesNeverGrowsWhatIsReleased adds a condition on the party to a rule of any terms:
// no item is released further to anybody.
func TestACheckOfPartiesNeverGrowsWhatIsReleased(t *testing.T) {
	t.Parallel()
	words := []string{"verified", "known", "agent", "training", "search", "assistant", "data", "https://openai.com",
		"bots.openai.com", "GPTBot"}
	list := rapid.SliceOfNDistinct(rapid.SampledFrom(words), 1, 3, rapid.ID[string])
	options := policy.Options{Agents: []string{"GPTBot"}}
	rapid.Check(t, func(t *rapid.T) {
		paths := []string{"/a/**", "/b/**", "/**"}
		var rules []policy.Rule
		for range rapid.IntRange(1, 4).Draw(t, "rules") {
			rule := policy.Rule{Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Licensed,
				policy.Blocked}).Draw(t, "access"),
				Match: policy.Match{Path: []string{rapid.SampledFrom(paths).Draw(t, "path")}}}
			if rapid.Bool().Draw(t, "asks") {
				rule.Parties.Prohibit = list.Draw(t, "prohibit")
			}
			rules = append(rules, rule)
		}
		traits := func(name string) policy.Traits {
			return policy.Traits{
				Classes: rapid.SliceOfDistinct(rapid.SampledFrom(words[:7]), rapid.ID[string]).Draw(t, name+" classes"),
				Operators: rapid.SliceOfDistinct(
					rapid.SampledFrom([]string{"https://openai.com", "https://bots.openai.com"}),
					rapid.ID[string]).Draw(t, name+" operators"),
				Name: rapid.SampledFrom([]string{"", "GPTBot"}).Draw(t, name+" name")}
		}
		party := policy.Party{Proven: traits("proven"), Said: traits("said")}
		tighter := slices.Clone(rules)
		at := rapid.IntRange(0, len(rules)-1).Draw(t, "at")
		if rapid.Bool().Draw(t, "permit") {
			permit := list.Draw(t, "permit")
			tighter[at].Parties.Permit = slices.DeleteFunc(permit, func(w string) bool {
				return slices.Contains(tighter[at].Parties.Prohibit, w)
			})
			if len(tighter[at].Parties.Permit) == 0 {
				tighter[at].Parties.Permit = nil
			}
		} else {
			more := append(slices.Clone(tighter[at].Parties.Prohibit), list.Draw(t, "more")...)
			tighter[at].Parties.Prohibit = more
		}
		before, err := options.New(rules)
		if err != nil {
			t.Fatal(err)
		}
		after, err := options.New(tighter)
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range []string{"https://x.example/a/1", "https://x.example/b/1", "https://x.example/c"} {
			facts := policy.Facts{URL: url}
			was, is := before.For(party).Decide(facts), after.For(party).Decide(facts)
			if is.Access != policy.Blocked && (is.Access != was.Access || is.Rule != was.Rule) {
				t.Errorf("%s: %s becomes %s for %+v", url, was.Access, is.Access, party)
			}
			for _, function := range []string{"search", "ai-input", "ai-train"} {
				if is.Allows(function) && !was.Allows(function) {
					t.Errorf("%s: %s is allowed now", url, function)
				}
			}
			if whole := after.ForAny().Decide(facts); is.Access != policy.Blocked && whole.Access != is.Access {
				t.Errorf("%s: for any it is %s, and for one %s", url, whole.Access, is.Access)
			}
		}
	})
}

func TestPartiesThatTheSameRulesAdmitShareTheirTerms(t *testing.T) {
	t.Parallel()
	terms, err := policy.New([]policy.Rule{{Access: policy.Open,
		Parties: policy.Restriction{Permit: []string{"verified"}}}})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := policy.New([]policy.Rule{{Access: policy.Open}})
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case terms.For(verifiedGPT) != terms.For(below), terms.For(reader) != terms,
		terms.For(verifiedGPT).For(reader) != terms:
		t.Error("terms are made twice")
	case terms.For(verifiedGPT) == terms, !terms.DependsOnParty(), terms.Version() != terms.For(verifiedGPT).Version():
		t.Error("terms are mixed up")
	case plain.For(verifiedGPT) != plain, plain.DependsOnParty():
		t.Error("terms that ask for nobody depend on who asks")
	}
}

// TestWhatIsSaidOfPathsIsForTheParty: documents and gates that go by paths say no more than a party
// is given.
func TestWhatIsSaidOfPathsIsForTheParty(t *testing.T) {
	t.Parallel()
	terms, err := policy.New([]policy.Rule{
		{Access: policy.Open, Match: policy.Match{Path: []string{"/archive/**"}},
			Parties: policy.Restriction{Permit: []string{"verified"}}},
		{Access: policy.Open},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		terms *policy.Terms
		want  policy.Access
	}{
		"a stranger": {terms, policy.Blocked}, "by its word": {terms.For(policy.Party{Said: gpt}), policy.Blocked},
		"verified": {terms.For(verifiedGPT), policy.Open},
	} {
		said := c.terms.Policy("main", "www.example.com")
		if got := said.At("/archive/a"); got != c.want || said.At("/other") != policy.Open {
			t.Errorf("%s: %s", name, got)
		}
		written := c.terms.Paths("main", "www.example.com", policy.Money{}, "")
		license, _ := written.At("/archive/a")
		if (license == policy.RSLNothing) != (c.want == policy.Blocked) {
			t.Errorf("%s: the licence is %s", name, license)
		}
	}
}

// TestAnOperatorIsProhibitedAtAllItsPorts, and below its host, whatever else it shows.
func TestAnOperatorIsProhibitedAtAllItsPorts(t *testing.T) {
	t.Parallel()
	terms, err := policy.New([]policy.Rule{
		{Access: policy.Open, Parties: policy.Restriction{Prohibit: []string{"https://bad.example"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for operators, want := range map[string]bool{
		"https://bad.example": false, "https://bad.example:8443": false, "https://a.bad.example:1": false,
		"https://good.example https://bad.example": false, "https://notbad.example": true, "": true,
	} {
		traits := policy.Traits{Classes: []string{"verified"}, Operators: strings.Fields(operators)}
		for _, party := range []policy.Party{{Proven: traits}, {Said: traits}} {
			said := terms.For(party).Policy("main", "www.example.com")
			if got := said.At("/a") == policy.Open; got != want {
				t.Errorf("%s: %v", operators, got)
			}
		}
	}
}

// TestPartiesBeyondNumberAreNotKept holds that ever new parties cost no memory, and are decided on
// all the same.
func TestPartiesBeyondNumberAreNotKept(t *testing.T) {
	t.Parallel()
	var rules []policy.Rule
	for i := range 10 { // so that there are a thousand kinds of parties
		host := fmt.Sprintf("https://a%d.example", i)
		rules = append(rules,
			policy.Rule{Access: policy.Open, Match: policy.Match{Path: []string{fmt.Sprintf("/%d", i)}},
				Parties: policy.Restriction{Permit: []string{host}}})
	}
	terms, err := policy.Options{}.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	passing := 0
	for n := range 1 << len(rules) {
		party := policy.Party{}
		for i := range rules {
			if n>>i&1 == 1 {
				party.Proven.Operators = append(party.Proven.Operators, fmt.Sprintf("https://a%d.example", i))
			}
		}
		own := terms.For(party)
		if own.Passing() {
			passing++
		}
		decided := own.Policy("main", "www.example.com")
		for i := range rules {
			want := map[bool]policy.Access{true: policy.Open, false: policy.Blocked}[n>>i&1 == 1]
			if got := decided.At(fmt.Sprintf("/%d", i)); got != want {
				t.Fatalf("party %b at /%d: %s", n, i, got)
			}
		}
	}
	if kept := 1<<len(rules) - passing; kept < 100 || kept > 300 || terms.For(policy.Party{}).Passing() {
		t.Errorf("of %d kinds of parties %d are kept", 1<<len(rules), kept)
	}
}
