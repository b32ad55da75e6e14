package desk

import (
	"strings"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content/index"
)

// tellRelaxed words the conditions that gave way, since nothing met them.
func (in *inquiry) tellRelaxed(relaxed []index.Relaxed) (told []Relaxation) {
	speaker := i18n.For(in.Languages...)
	for i := range relaxed {
		r := &relaxed[i]
		text := query.SayConstraint(speaker, &r.Constraint)
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
