package search

// Named says whether a text is the whole name of an item of a selection: all words of the one stand
// in the other.
func (s *Snapshot) Named(text string, within *Selection) bool {
	named := map[Place]bool{}
	s.Search(Query{Text: text, Limit: 3, Within: within, Literal: true, named: named,
		Settle: func([]Hit) []Hit { return nil }})
	return len(named) > 0
}
