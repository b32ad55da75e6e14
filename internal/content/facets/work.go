package facets

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Slots of how and where one works.
const (
	Employment Slot = "employmentType"  // schema.org's values: "FULL_TIME", "PART_TIME", "INTERN" and the like
	Workplace  Slot = "jobLocationType" // Remote, or as the item says it
)

// Remote is the value of Workplace for work that can be done from anywhere.
const Remote = "TELECOMMUTE"

// EmploymentOf finds the value of Employment that folded words say in one of our languages: "full
// time", "Teilzeit".
func EmploymentOf(folded string) (name string, ok bool) {
	name, ok = works()[folded]
	return name, ok && name != Remote
}

// IsRemote says whether folded words mean work that can be done from anywhere.
func IsRemote(folded string) bool { return works()[folded] == Remote }

// works are the ways to be employed and to work, by how they are said and by their own names.
var works = sync.OnceValue(func() map[string]string {
	all := wordsOf("work")()
	for _, name := range slices.Collect(maps.Values(all)) {
		all[Fold(name)] = name
	}
	return all
})

// employment reads how one is employed, in schema.org's words where they can be told.
func (r *reader) employment(_ string, v *node) {
	v.each(func(n *node) {
		for part := range splitList(enumerated(n.name())) {
			if name, ok := EmploymentOf(Fold(part)); ok {
				part = name
			}
			r.word(Employment, part)
		}
	})
}

// workplace reads where one works.
func (r *reader) workplace(_ string, v *node) {
	v.each(func(n *node) {
		where := strings.TrimSpace(enumerated(n.name()))
		if IsRemote(Fold(where)) {
			where = Remote
		}
		r.word(Workplace, where)
	})
}
