package search

// terms reports what became of each distinct word.
func (a *asking) terms() []Term {
	terms := make([]Term, 0, len(a.words))
	stems := make([]string, 0, 2*len(a.words))
	for i := range a.words {
		w := &a.words[i]
		if w.silent || a.repeats(i) {
			continue
		}
		t := Term{Word: a.written(w), Use: w.use}
		from := len(stems)
		for _, g := range w.groups[:w.counted] {
			for _, term := range a.groups[g].terms[:a.groups[g].n] {
				stems = append(stems, a.lookup.sought[term].term)
			}
			if whole := a.groups[g].whole; whole != nil {
				stems = append(stems, whole.terms...)
			}
			if akin := a.groups[g].akin; akin != nil {
				stems = append(stems, akin.terms...)
			}
			t.Weight += float64(a.groups[g].weight) / fullWeight
		}
		t.Stems = stems[from:len(stems):len(stems)]
		terms = append(terms, t)
	}
	return terms
}

// repeats says whether words[i] came before.
func (a *asking) repeats(i int) bool {
	w := &a.words[i]
	for j := range i {
		before := &a.words[j]
		if before.forms[0] == w.forms[0] && before.use == w.use && before.silent == w.silent {
			return true
		}
	}
	return false
}
