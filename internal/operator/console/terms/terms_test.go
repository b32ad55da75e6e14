package terms

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/ownerterms"
	"frontdesk/internal/policy"
)

// said says texts by their keys, with what is filled in.
func said(key string, args ...any) string {
	return strings.TrimSpace(strings.TrimPrefix(key, "terms.") + " " + fmt.Sprintln(args...))
}

// card is the card of a rule at a place.
func card(t *testing.T, at int, rules ...policy.Rule) Card {
	t.Helper()
	made, err := policy.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	var all []ownerterms.ListedRule
	for _, placed := range made.Rules() {
		all = append(all, ownerterms.ListedRule{Rule: placed.Rule + 1, Placed: placed})
	}
	return sayer{i18n.Speaker{}, said}.cards(all)[at]
}

// TestRulesAreSentences holds what is said of rules, part by part.
func TestRulesAreSentences(t *testing.T) {
	t.Parallel()
	paid := policy.Price{Model: "per_access", Rate: "0.05", Currency: "EUR"}
	for _, v := range []struct {
		rule    policy.Rule
		subject string
		parts   []string
	}{
		{policy.Rule{Access: policy.Open}, "everything", []string{"sees_all"}},
		{
			policy.Rule{
				Match:  policy.Match{Path: []string{"/a/**", "/b"}, Type: []string{"Recipe"}},
				Access: policy.Blocked, Functions: policy.Functions{Prohibit: []string{"all"}},
			},
			"of_path /a/** or /b, of_type Recipe", []string{"sees_nothing"},
		},
		{
			policy.Rule{Access: policy.Licensed, Excerpt: policy.Excerpt{Words: 40}, Price: paid,
				Functions: policy.Functions{Prohibit: []string{"ai-train"}}},
			"everything", []string{"sees_words 40", "price_per_access €0.05", "not_ai-train"},
		},
		{
			policy.Rule{
				Access: policy.Licensed, Price: policy.Price{Model: "per_token", Rate: "0.000002", Currency: "USD"},
				Reporting: policy.Reporting{Window: 24 * time.Hour}, Imported: "ignore",
			},
			"everything", []string{"sees_title", "price_per_token $0.000002", "report 24 h", "ignores_own"},
		},
		{
			policy.Rule{
				Access: policy.Licensed,
				Price:  policy.Price{Model: "subscription", Rate: "10", Currency: "EUR", Months: 1},
			},
			"everything", []string{"sees_title", "price_other €10 subscription"},
		},
		{
			policy.Rule{
				Access: policy.Open, Price: policy.Price{Model: "free"}, Labels: []string{"food.bread"},
				Functions: policy.Functions{Permit: []string{"search"}},
				Users:     policy.Restriction{Permit: []string{"education"}},
				Countries: policy.Restriction{Prohibit: []string{"US", "DE"}},
			},
			"everything", []string{"sees_all", "price_free", "not_ai-input", "not_ai-index", "not_ai-train",
				"only_for education", "not_for US or DE", "labelled food.bread"},
		},
	} {
		got := card(t, 0, v.rule)
		if got.Subject != v.subject || !slices.Equal(got.Parts, v.parts) {
			t.Errorf("%+v: %q: %q, want %q: %q", v.rule, got.Subject, got.Parts, v.subject, v.parts)
		}
	}
	host := policy.Match{Host: []string{"www.example.com"}}
	got := card(t, 1, policy.Rule{Match: host, Access: policy.Open}, policy.Rule{Access: policy.Blocked})
	if got.Subject != "everything_else" {
		t.Errorf("the last rule is for %q", got.Subject)
	}
	of := sayer{i18n.Speaker{}, said}.sentence(policy.Decision{Access: policy.Blocked}, true)
	if !slices.Equal(of, []string{"party_sees_nothing"}) {
		t.Errorf("of a party: %q", of)
	}
}

// TestDifferencesAreInWords holds how both sides of a difference are written.
func TestDifferencesAreInWords(t *testing.T) {
	t.Parallel()
	s := sayer{i18n.Speaker{}, said}
	for text, want := range map[string]string{
		"open": "value_open", "not allowed": "value_not_allowed", "60 words": "value_words 60", "24h": "24h",
		"per_access 0.5 EUR": "value_per_access €0.50", "flat 3 EUR": "flat 3 EUR",
	} {
		if got := s.value(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	got := s.effect(&ownerterms.Effect{Items: 9, Changed: 4, Changes: []policy.Difference{
		{
			What: "access", From: "open", To: "blocked", Items: 4,
			Examples: []string{"https://www.example.com/a?b=c", "%zz"},
		},
		{What: "users", From: "none", To: "only personal", Items: 1},
	}})
	c := got.Changes[0]
	if c.What != "change_access" || c.More != 2 || !slices.Equal(c.Examples, []string{"/a?b=c", "%zz"}) ||
		got.Changes[1].What != "users" {
		t.Errorf("%+v", got)
	}
	if s.effect(nil) != nil {
		t.Error("nothing has an effect")
	}
}
