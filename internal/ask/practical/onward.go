package practical

import (
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content/facets"
)

// maxOnward is how many words a question has at most that goes on with the one before: "and on
// Saturday?"
const maxOnward = 6

// ReadAfter reads a question that comes after others. It gives the one that it goes on with, empty
// for none, and how the last of them was read. A long first one is read by the clause that asks,
// and goes on with all of itself.
func ReadAfter(earlier []string, text, language string, now time.Time) (asked Asked, before string, last Asked) {
	origin := "" // of the last
	for i, one := range append(slices.Clip(earlier), text) {
		asked = Read(one, language, now)
		onward := false
		if last.Sure() >= Sure {
			asked, onward = last.Onward(one, asked)
		}
		if i == len(earlier) {
			if onward {
				before = origin
			}
			break
		}
		if !onward {
			origin = one
		}
		last = asked
	}
	if len(earlier) == 0 && asked.Practical < Sure {
		if said, ok := readClauses(text, language, now); ok {
			return said, text, last
		}
	}
	return asked, before, last
}

// The bounds of reading a long text by its clauses.
const (
	longText   = 14  // words from which a text may tell a story beside what it asks
	fewInAsk   = 3   // words that a clause has at least
	clauseSure = 0.6 // how sure it has to be that a clause asks, and what
)

// readClauses reads the clause of a long text that is most surely a practical question: people tell
// how it came before they ask. It is false where none is one.
func readClauses(text, language string, now time.Time) (asked Asked, ok bool) {
	if len(strings.Fields(text)) < longText {
		return asked, false
	}
	most := clauseSure
	ends := func(r rune) bool { return strings.ContainsRune(".,;:!?¿¡()\n。、！？", r) }
	for clause := range strings.FieldsFuncSeq(text, ends) {
		if len(strings.Fields(clause)) < fewInAsk {
			continue
		}
		read := Read(clause, language, now)
		if sure := min(read.Practical, read.KinSure()); sure > most && !IntentOf(read.Intent).Is("chat") {
			asked, ok, most = read, true, sure
		}
	}
	return asked, ok
}

// Onward reads a question that comes after another. Where it only names another day, country or
// person, it asks the same of that, and onward is true; where it asks something else and names no
// place, it is still about the place of the one before.
func (before Asked) Onward(text string, now Asked) (whole Asked, onward bool) {
	folded := facets.Fold(text)
	leads := Begins(folded, "onward")
	short := len(strings.Fields(folded)) <= maxOnward
	params := len(now.Days) > 0 || len(now.Countries)+len(now.Places) > 0 || slices.ContainsFunc(now.Names, groups)
	related := now.Intent == before.Intent || slices.Contains(kin()[before.Intent], now.Intent)
	same := short && (leads || params) && (now.bare(folded) || related || now.Sure() < 0.6 || now.Practical < Sure)
	if !same {
		if len(now.Places) == 0 {
			now.Places = before.Places
		}
		return now, false
	}
	whole = now
	whole.Intent, whole.Weights, whole.Practical = before.Intent, before.Weights, before.Practical
	if len(now.Countries) == 0 && len(now.Places) == 0 {
		whole.Countries = before.Countries
	}
	if len(now.Places) == 0 {
		whole.Places = before.Places
	}
	if len(now.Days) == 0 && now.Holiday == "" {
		whole.Days, whole.Timed, whole.Holiday = before.Days, before.Timed, before.Holiday
	}
	for _, name := range before.Names {
		if !groups(name) && !slices.Contains(weekdays, name) && !slices.Contains(whole.Names, name) {
			whole.Names = append(slices.Clip(whole.Names), name) // as "closes" is asked again of another day
		}
	}
	return whole, true
}

// bare says whether a folded text has nothing but common words, and days, countries or people.
func (a *Asked) bare(folded string) bool {
	for word := range fields(folded) {
		if !a.Common(word) && len(NamesOf(word)) == 0 {
			return false
		}
	}
	return true
}

// groups says whether a name is one of people, of which a price or an answer may differ.
func groups(name string) bool {
	return slices.Contains([]string{"child", "student", "senior", "adult", "family", "group", "disabled", "dog"}, name)
}
