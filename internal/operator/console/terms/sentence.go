package terms

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/ownerterms"
	"frontdesk/internal/policy"
)

// sayer says texts of the words of pages, and figures, in one language.
type sayer struct {
	i18n.Speaker
	text func(key string, args ...any) string
}

// part is something that can be said of a decision: by the end of its key in the words, with what
// is filled in.
type part struct {
	word string
	of   func(policy.Decision, i18n.Speaker) (fill []any, said bool)
}

// access is a part that is said of one kind of access, with as few words of an excerpt.
func access(word string, access policy.Access, excerpt bool) part {
	return part{word, func(d policy.Decision, s i18n.Speaker) (fill []any, said bool) {
		if excerpt {
			fill = []any{s.Number(float64(d.ExcerptWords), 0)}
		}
		return fill, d.Access == access && (access != policy.Licensed || (d.ExcerptWords > 0) == excerpt)
	}}
}

// not is a part that is said where a function is not allowed.
func not(function string) part {
	return part{"not_" + function, func(d policy.Decision, _ i18n.Speaker) ([]any, bool) {
		return nil, !(policy.Functions{Permit: d.Permit, Prohibit: d.Prohibit}).Allow(function)
	}}
}

// listed is a part that lists names, where there are any.
func listed(word string, names func(policy.Decision) []string) part {
	return part{word, func(d policy.Decision, s i18n.Speaker) ([]any, bool) {
		all := names(d)
		return []any{s.Any(all)}, len(all) > 0
	}}
}

// parts are what a sentence on a decision is made of, in their order. Of what is blocked the first
// one alone is said.
var parts = []part{
	access("sees_nothing", policy.Blocked, false),
	access("sees_all", policy.Open, false),
	access("sees_title", policy.Licensed, false),
	access("sees_words", policy.Licensed, true),
	price("per_access"), price("per_token"), price("flat"), price("free"), price("attribution"), price("other"),
	not("search"), not("ai-input"), not("ai-index"), not("ai-train"),
	listed("only_for", func(d policy.Decision) []string { return d.Users.Permit }),
	listed("not_for", func(d policy.Decision) []string { return d.Users.Prohibit }),
	listed("only_for", func(d policy.Decision) []string { return d.Countries.Permit }),
	listed("not_for", func(d policy.Decision) []string { return d.Countries.Prohibit }),
	listed("only_for", func(d policy.Decision) []string { return d.Parties.Permit }),
	listed("not_for", func(d policy.Decision) []string { return d.Parties.Prohibit }),
	{"display", func(d policy.Decision, s i18n.Speaker) ([]any, bool) {
		return []any{s.Number(float64(d.DisplayWords), 0)}, d.DisplayWords > 0
	}},
	{"report", func(d policy.Decision, s i18n.Speaker) ([]any, bool) {
		return []any{s.Span(float64(d.Reporting / time.Minute))}, d.Reporting > 0
	}},
	listed("delivered", func(d policy.Decision) []string { return d.Delivery }),
	listed("needs", func(d policy.Decision) []string { return d.Scopes }),
	listed("labelled", func(d policy.Decision) []string { return d.Labels }),
}

// spoken are the models of prices that have a text of their own. Others share one, which names
// them.
var spoken = []string{"per_access", "per_token", "flat", "free", "attribution"}

// price is a part that is said of one model of prices, or of those that share a text.
func price(model string) part {
	return part{"price_" + model, func(d policy.Decision, s i18n.Speaker) (fill []any, said bool) {
		has := d.Price.Model
		sum := s.With(d.Price.Currency, amount(d.Price.Rate, s))
		switch {
		case model != "other":
			if has != "free" && has != "attribution" {
				fill = []any{sum}
			}
			return fill, has == model
		case has == "" || slices.Contains(spoken, has):
			return nil, false
		}
		return []any{sum, has}, true
	}}
}

// amount writes a rate: with as many decimals as it has, and of money at least two.
func amount(rate int64, s i18n.Speaker) string {
	text := policy.Amount(rate)
	value, _ := strconv.ParseFloat(text, 64)
	_, decimals, _ := strings.Cut(text, ".")
	if len(decimals) == 1 {
		return s.Number(value, 2)
	}
	return s.Number(value, -1)
}

// sentence is what is said of a decision on what everybody may see, or one party alone.
func (s sayer) sentence(d policy.Decision, party bool) (all []string) {
	for _, p := range parts {
		word := p.word
		if party && strings.HasPrefix(word, "sees_") {
			word = "party_" + word
		}
		if fill, said := p.of(d, s.Speaker); said {
			all = append(all, s.text("terms."+word, fill...))
		}
		if d.Access == policy.Blocked {
			break
		}
	}
	return all
}

// subject is what a rule is for.
func (s sayer) subject(r ownerterms.ListedRule) string {
	m := r.Placed.Written.Match
	var said []string
	for _, one := range []struct {
		word   string
		values []string
	}{
		{"of_path", m.Path}, {"of_type", m.Type}, {"of_host", m.Host}, {"of_site", m.Site}, {"of_source", m.Source},
	} {
		if len(one.values) > 0 {
			said = append(said, s.text("terms."+one.word, s.Any(one.values)))
		}
	}
	switch {
	case said != nil:
		return strings.Join(said, ", ")
	case r.Rule > 1:
		return s.text("terms.everything_else")
	}
	return s.text("terms.everything")
}

// Card is a rule as it is shown.
type Card struct {
	ownerterms.ListedRule
	Subject string
	Parts   []string
	Earlier string // the rules that decide on its items in its place, if any does
}

// cards are the rules as they are shown.
func (s sayer) cards(rules []ownerterms.ListedRule) []Card {
	all := make([]Card, len(rules))
	for i, r := range rules {
		all[i] = Card{ListedRule: r, Subject: s.subject(r), Parts: s.sentence(r.Placed.Decision, false)}
		if r.Placed.Written.Imported == "ignore" {
			all[i].Parts = append(all[i].Parts, s.text("terms.ignores_own"))
		}
		var earlier []string
		for _, t := range r.Taken {
			earlier = append(earlier, strconv.Itoa(t.Rule))
		}
		all[i].Earlier = s.List(earlier)
	}
	return all
}

// values are words of differences that have a text; others are figures and names.
var values = []string{"open", "licensed", "blocked", "allowed", "not allowed", "none"}

// value is one side of a difference.
func (s sayer) value(text string) string {
	if slices.Contains(values, text) {
		return s.text("terms.value_" + strings.ReplaceAll(text, " ", "_"))
	}
	if n, found := strings.CutSuffix(text, " words"); found {
		return s.text("terms.value_words", n)
	}
	if of := strings.Fields(text); len(of) == 3 && of[0] == "per_access" {
		rate, _ := policy.ParseAmount(of[1])
		return s.text("terms.value_per_access", s.With(of[2], amount(rate, s.Speaker)))
	}
	return text
}

// whats are what can differ and has a text; others go by their key in a rule.
var whats = []string{"access", "search", "ai-input", "ai-index", "ai-train", "excerpt", "price"}

// Effect is what other terms change, as it is shown.
type Effect struct {
	Items, Changed int
	Reads          *ownerterms.ReadsEffect // nil where they are not counted
	Changes        []Change
}

// Change is a difference as it is shown.
type Change struct {
	What, From, To string
	Items          int
	Examples       []string // where the first of them are on their site
	More           int      // items that are no examples
}

// effect is what other terms change, as it is shown; nil for nil.
func (s sayer) effect(e *ownerterms.Effect) *Effect {
	if e == nil {
		return nil
	}
	out := &Effect{Items: e.Items, Changed: e.Changed, Reads: e.Reads}
	for _, d := range e.Changes {
		c := Change{
			What: d.What, From: s.value(d.From), To: s.value(d.To), Items: d.Items, More: d.Items - len(d.Examples),
		}
		for _, address := range d.Examples {
			if at, err := url.Parse(address); err == nil && at.Path != "" {
				address = at.RequestURI()
			}
			c.Examples = append(c.Examples, address)
		}
		if slices.Contains(whats, d.What) {
			c.What = s.text("terms.change_" + d.What)
		}
		out.Changes = append(out.Changes, c)
	}
	return out
}
