package elicitation

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
)

// span is a range of figures as an option offers it.
type span struct {
	min, max *float64 // one of which may be nil
	unit     string   // minutes, or an ISO 4217 currency; empty for a bare figure
}

// minutes is the unit of times.
const minutes = "min"

// label is the span as people read it.
func (s span) label(speaker i18n.Speaker) string {
	switch {
	case s.min == nil:
		return speaker.Say(i18n.UpTo, s.figure(*s.max, speaker))
	case s.max == nil:
		return speaker.Say(i18n.From, s.figure(*s.min, speaker))
	case s.unit == minutes: // the unit once
		return speaker.Say(i18n.Between, number(*s.min), s.figure(*s.max, speaker))
	}
	return speaker.Say(i18n.Between, s.figure(*s.min, speaker), s.figure(*s.max, speaker))
}

// figure is a figure with its unit, where the speaker's language puts it.
func (s span) figure(f float64, speaker i18n.Speaker) string {
	if s.unit == minutes {
		return speaker.Say(i18n.Minutes, number(f))
	}
	return speaker.With(s.unit, number(f))
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

var (
	digits   = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`)
	currency = regexp.MustCompile(`\b[A-Z]{3}\b`)
)

// readSpan reads a label back, in whatever language it was written; nil when it is none.
func readSpan(said string) *span {
	if len(said) > maxText {
		return nil
	}
	found := digits.FindAllString(said, 3)
	if len(found) == 0 || len(found) > 2 {
		return nil
	}
	figures := make([]float64, len(found))
	for i, text := range found {
		var err error
		if figures[i], err = strconv.ParseFloat(text, 64); err != nil {
			return nil
		}
	}
	units := append([]string{minutes, ""}, slices.Sorted(i18n.Currencies())...)
	if code := currency.FindString(said); code != "" {
		units = append(units, code)
	}
	for _, unit := range units {
		spans := []span{{max: &figures[0], unit: unit}, {min: &figures[0], unit: unit}}
		if len(figures) == 2 {
			spans = []span{{min: &figures[0], max: &figures[1], unit: unit}}
		}
		for _, s := range spans {
			if i18n.Understands(said, s.label) == 0 {
				return &s
			}
		}
	}
	return nil
}

// attribute is the span as the value of an attribute.
func (s span) attribute() jsontext.Value {
	v := []byte{'{'}
	if s.min != nil {
		v = append(append(v, `"min":`...), number(*s.min)...)
	}
	if s.max != nil {
		if s.min != nil {
			v = append(v, ',')
		}
		v = append(append(v, `"max":`...), number(*s.max)...)
	}
	if s.unit != "" {
		v = append(append(v, `,"unit":`...), quote(s.unit)...)
	}
	return append(v, '}')
}
