package released

import (
	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
)

// Written is an answer in the owner's own words. The terms let it out, as nothing of it is taken
// from an item.
type Written struct {
	Question, Text string
	URL            string // where it comes from
	Site           string // id
}

// writtenSource is what the grounding of a written answer calls its source.
const writtenSource = "owner"

// Render gives a written answer in the form of an item, of the type Answer.
func (w Written) Render() (*index.Doc, *RenderedItem) {
	doc := &index.Doc{Ref: content.Ref{Site: w.Site, Source: writtenSource}, URL: w.URL, Types: []string{"Answer"}}
	c := &RenderedItem{typ: "Answer", name: w.Question, description: w.Text, input: true}
	c.object = append(c.object, `{"@type":"Answer"`...)
	c.object = appendText(c.object, "url", w.URL)
	c.object = appendText(c.object, "name", w.Question)
	c.object = appendText(c.object, "description", w.Text)
	c.object = append(appendText(c.object, "text", w.Text), '}')
	c.head = append(c.head, c.object[:len(c.object)-1]...)
	c.head = appendText(c.head, "site", w.Site)
	c.grounding = AppendQuote(append(c.grounding, `,"grounding":{"source_urls":[`...), w.URL)
	c.grounding = AppendQuote(append(c.grounding, `],"source":`...), writtenSource)
	return doc, c
}
