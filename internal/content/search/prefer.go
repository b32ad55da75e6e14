package search

// preferred gives the bit of the language in which items are preferred; 0 when that makes no
// difference.
func (s *Snapshot) preferred(tags []string) uint32 {
	for _, tag := range tags {
		t := s.analyzer.Language(tag)
		items := s.census.Languages[t.Index]
		switch {
		case t.Tag == "" || items == 0:
			continue
		case items == s.Len():
			return 0
		}
		return 1 << t.Index
	}
	return 0
}
