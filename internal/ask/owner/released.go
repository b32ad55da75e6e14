package owner

import (
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// PageOf is an item as far as it was released. What the terms keep from being made into other texts
// has its name alone.
func PageOf(l *index.Doc, c *released.RenderedItem) Page {
	r := c.Result(index.Hit{Doc: l})
	page := Page{Site: l.Site, URL: l.URL, Type: r.Type(), Name: r.Name(), Language: r.Language()}
	if !c.Input() || r.Licensed() {
		return page
	}
	page.Object = r.AppendObject(nil)
	page.Texts = append(page.Texts, r.Description())
	for n := 0; ; n++ {
		text := c.Result(index.Hit{Doc: l, Passage: n}).Passage()
		if text == "" {
			return page
		}
		page.Texts = append(page.Texts, text)
	}
}
