package index

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// The bounds of a lexicon.
const (
	maxTaught  = 20000 // values of one slot, the most frequent
	mostSplits = 4     // values in one: "Black/White"
)

// taught are the slots whose values questions say in their own words.
var taught = []facets.Slot{
	facets.Brand, facets.Color, facets.Category, facets.Author, facets.Location, facets.Material, facets.Audience,
	facets.Cuisine, facets.Size, "genre", "publisher", "performer", "instructor", "educationalLevel", "organizer",
	"provider", "hiringOrganization", "director", facets.Properties,
}

// teaching is what a view teaches a lexicon: by items that are open alone.
func (v *View) teaching() facets.Taught {
	counts := v.count(v.everything.All(), func(l *Doc) bool { return l.open })
	t := facets.Taught{Items: counts.items, Types: counts.types, Values: map[facets.Slot][]facets.Value{}}
	for slot, tally := range counts.slots {
		t.Slots = append(t.Slots, facets.Known{Slot: slot, Kind: tally.kind(), Unit: tally.unit(), Count: tally.items})
	}
	slices.SortFunc(t.Slots, func(a, b facets.Known) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(string(a.Slot), string(b.Slot)))
	})
	for _, slot := range taught {
		if tally := counts.slots[slot]; tally != nil {
			t.Values[slot] = teachable(slot, tally.values)
		}
	}
	return t
}

// teachable gives the values of a slot, the most frequent first. Colours and materials come apart
// too: "Black/White" teaches both.
func teachable(slot facets.Slot, values map[string]int) []facets.Value {
	counts := map[string]int{}
	for text, n := range values {
		counts[text] += n
		if slot != facets.Color && slot != facets.Material && slot != facets.Audience {
			continue
		}
		parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("/,;&+|", r) })
		if len(parts) > 1 && len(parts) <= mostSplits {
			for _, part := range parts {
				if part = strings.TrimSpace(part); part != "" {
					counts[part] += n
				}
			}
		}
	}
	all := make([]facets.Value, 0, len(counts))
	for text, n := range counts {
		all = append(all, facets.Value{Text: text, Count: n})
	}
	slices.SortFunc(all, func(a, b facets.Value) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return all[:min(len(all), maxTaught)]
}
