package desk

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// released gives what of an item's object may be said of it: filters, facets and the words that questions are understood
// with are made of that alone. whole says that it is all of the object, so that misspelt words may be corrected to those
// of its text. open is false for an item of which only a notice is shown.
func released(rules *policy.Terms, l *index.Listing, object []byte) (shown []byte, whole, open bool) {
	if decision := decide(rules, l); decision.Access != policy.Open || !decision.Allows(functionSearch) {
		return nil, false, false
	}
	if rules.OpensAll() {
		return object, true, true // within it, too
	}
	whole = true
	within := sieve{rules, l}
	shown = append(shown, '{')
	eachMember(object, func(name string, value jsontext.Value) {
		if isThing(value) && within.holds(value, 0) {
			whole = false
		}
		if value = within.value(value, 0); value == nil {
			return
		}
		if len(shown) > 1 {
			shown = append(shown, ',')
		}
		shown = append(append(quote(shown, name), ':'), value...)
	})
	return append(shown, '}'), whole, true
}

// tellRelaxed words the conditions that gave way, since nothing met them.
func (in *inquiry) tellRelaxed(relaxed []index.Relaxed) (told []Relaxation) {
	speaker := i18n.For(in.Languages...)
	for i := range relaxed {
		r := &relaxed[i]
		text := r.Constraint.Say(speaker)
		switch {
		case r.Words:
			text = strings.Join(r.Constraint.Values, " ")
		case r.Types:
			text = in.understood.SayTypes(speaker)
		case r.Unknown:
			text = speaker.Say(i18n.NotSaid, text)
		}
		told = append(told, Relaxation{Name: string(r.Constraint.Slot), Text: text})
	}
	return told
}
