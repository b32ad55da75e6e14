package query

import "frontdesk/internal/content/facets"

// maxNormal bounds a normal form, in bytes: what a question has beyond does not tell it from
// others.
const maxNormal = 300

// Normal is a question's normal form. Questions count as the same where they have the same words in
// the same order, whatever their case, accents and signs. It is at most maxNormal bytes long, and
// the normal form of itself. It is empty for a text without letters and digits.
func Normal(text string) string {
	// Accents and signs fall away, and a character has 4 bytes at most: no more has to be read.
	if most := 8 * maxNormal; len(text) > most {
		text = text[:most]
	}
	form := facets.Fold(text)
	if len(form) <= maxNormal {
		return form
	}
	return facets.Fold(form[:maxNormal]) // which drops what is left of a character that was cut
}
