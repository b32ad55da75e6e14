package query

import (
	"slices"
	"strings"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/wording"
	"frontdesk/internal/content/facets"
)

// TypeName is the name of the attribute that says which types of items are wanted.
const TypeName = string(facets.OfType)

// SayTypes puts the types in plain words.
func (u *Understood) SayTypes(s i18n.Speaker) string {
	return s.Say(i18n.OfKind, s.Say(i18n.Kind), s.Any(s.Kinds(u.Types)))
}

// Say puts all that is wanted in plain words, each thing once: the words searched for, the
// conditions that they do not say, the order.
func (u *Understood) Say(s i18n.Speaker) string {
	var parts []string
	if u.Text != "" {
		parts = append(parts, u.Text)
	}
	if len(u.Types) > 0 {
		parts = append(parts, u.SayTypes(s))
	}
	searched := " " + facets.Fold(u.Text) + " "
	for i := range u.Constraints {
		c := &u.Constraints[i]
		if said := facets.Fold(c.Said); c.Soft && !c.Not && said != "" && strings.Contains(searched, " "+said+" ") {
			continue
		}
		if text := wording.Constraint(s, c); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if u.Sort.By != "" {
		parts = append(parts, wording.Sort(s, u.Sort))
	}
	if u.Count > 0 {
		parts = append(parts, s.Say(i18n.SoMany, u.Count))
	}
	return strings.Join(parts, "; ")
}
