package i18n

import "strings"

// page is before the key of every text of the page on which people ask, and widget before those
// that the element on other pages has beside them.
const (
	page    = "page."
	widget  = "widget."
	connect = "connect." // of the page on how assistants are connected
)

// PageTypes gives the words for types of the vocabulary, each by its name.
func (s Speaker) PageTypes() map[string]string { return s.types() }

// Page gives the texts of the page on which people ask, by name, with their places as they are: its
// script fills them in.
func (s Speaker) Page() map[string]string { return s.named(page) }

// Widget gives the texts for the element on other pages: those of the page, and its own in their
// place.
func (s Speaker) Widget() map[string]string { return s.named(page, widget) }

// Connect gives the texts of the page on how assistants are connected, whose title is one of those
// of the page.
func (s Speaker) Connect() map[string]string { return s.named(page, connect) }

func (s Speaker) named(prefixes ...string) map[string]string {
	said := map[string]string{
		"no_preference": s.Say(NoPreference), "quoted": s.Say(Quotes), "then": s.Say(Then), "yes": s.Say(Yes),
		"no": s.Say(No),
	}
	for _, prefix := range prefixes {
		for key, text := range s.table().Texts {
			if name, ok := strings.CutPrefix(key, prefix); ok {
				said[name] = text
			}
		}
	}
	return said
}
