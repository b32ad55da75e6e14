package query

import (
	"slices"
	"sync"

	"frontdesk/internal/ask/properties"
	"frontdesk/internal/ask/refusals"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
)

// refusalForms are the ways to say that something is not wanted.
var refusalForms = sync.OnceValue(func() *refusals.Forms { return refusals.Load(foldPhrase) })

// readRefusals reads which classes of things are not wanted. Nothing that says so is searched for.
func (r *reader) readRefusals() {
	q := refusals.Question{
		Words: make([]string, len(r.tokens)), Said: r.said, Together: r.together, Listed: r.listed, Free: r.freeBehind,
		Ends:    func(i int) bool { return r.tokens[i].comma || r.tokens[i].stop },
		Article: r.ofWords(r.linked), Function: r.ofWords(r.functional),
		Plain: r.ofWords(func(i int) bool { return r.plain(i) && !r.nounFirst() && !r.has(i, roleCourtesy) }),
	}
	for i := range q.Words {
		q.Words[i] = r.word(i)
	}
	found := refusalForms().Read(&q)
	r.accepted, r.unnamed = found.Accepted, found.Named
	for _, refusal := range found.Refusals {
		r.add(r.lacking(refusal.Class, refusal.Allergy), refusal.From, refusal.To)
	}
	r.around = found.Beside
	if len(found.Refusals) > 0 {
		r.dropAround()
	}
}

// ofWords is what holds of each word, found out once: many forms ask it of the same words.
func (r *reader) ofWords(holds func(i int) bool) func(i int) bool {
	of := make([]bool, len(r.tokens))
	for i := range of {
		of[i] = holds(i)
	}
	return func(i int) bool { return i < len(of) && of[i] }
}

// dropAround leaves out what is only said around what is not wanted.
func (r *reader) dropAround() {
	for _, span := range r.around {
		if r.together(span.From, span.To) {
			r.use(span.From, span.To)
		}
	}
}

// readNamed reads a name that is not wanted, whatever it is of, at i: "not by Okafor", "che non sia
// di Rossi". No item that states it is wanted.
func (r *reader) readNamed(i int) bool {
	at := slices.IndexFunc(r.unnamed, func(s refusals.Span) bool {
		return s.From == i && s.To < len(r.tokens) && !r.tokens[s.To].stop
	})
	if at < 0 || r.supposed(i) {
		return false
	}
	start := r.unnamed[at].To
	for start < len(r.tokens)-1 && r.linked(start) {
		start++
	}
	c, end := r.unwanted(start, negation{role: roleNot})
	if end == start {
		return false
	}
	r.add(c, i, end)
	r.dropAround()
	return true
}

// lacking is the condition that a class is not in an item.
func (r *reader) lacking(class string, allergy bool) facets.Constraint {
	switch kind := taxonomy.KindOf(class); {
	case kind == taxonomy.Food && !taxonomy.Provable(class) && r.known(facets.Diet):
		// what does not declare it is not meant
		r.food = true
		return facets.Constraint{Slot: facets.Diet, Values: []string{class + "free"}}
	case kind == taxonomy.Material:
		return facets.Constraint{Slot: facets.Material, Not: true, Values: []string{class}, Allergy: allergy}
	case kind == taxonomy.Power:
		return facets.Constraint{Slot: facets.Mention, Not: true, Values: []string{class}, Allergy: allergy}
	}
	r.food = true
	return facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{class}, Allergy: allergy}
}

// readProperties reads what items state under names of their own.
func (r *reader) readProperties() {
	q := properties.Question{
		Words: make([]string, len(r.tokens)), Free: func(i int) bool { return !r.tokens[i].used },
		Plain: func(i int) bool { return !r.functional(i) },
	}
	for i := range q.Words {
		q.Words[i] = r.word(i)
	}
	for _, f := range properties.Read(q, r.at.Lexicon.Properties()) {
		r.add(f.Condition, f.From, f.To)
	}
}
