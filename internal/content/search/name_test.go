package search

import "testing"

// A function word of the question is no word of a title: "women's rain jackets for walks" is not
// the name of one that has another word in that place.
func TestANameIsTheWholeTitle(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	x.Apply([]Document{
		{Key: "a", Language: "it", Title: "Giacca impermeabile Temporale Donna"},
		{Key: "b", Language: "it", Title: "Guida alla scelta della giacca"},
	}, nil)
	s := x.Snapshot()
	for text, want := range map[string]bool{
		"giacche impermeabili da donna":       false,
		"giacca impermeabile temporale donna": true,
		"guida alla scelta della giacca":      true,
		"guida alla scelta":                   false,
	} {
		if got := s.Named(text, s.Select(func(any) bool { return true })); got != want {
			t.Errorf("%q is a name: %v, want %v", text, got, want)
		}
	}
}
