package released

import (
	"bytes"
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// RenderedItem is a released item in ready bytes. One serves every question under the same
// decision.
type RenderedItem struct {
	typ, name, description string
	object                 []byte   // the released members, a whole object
	head                   []byte   // the object without its closing brace, and the site
	grounding              []byte   // `,"grounding":{...` left open
	passages               [][]byte // JSON objects; none when the object holds the text already
	texts                  []string // the passages' text
	licensed               bool     // only a notice was released
	input                  bool     // the terms allow its text as input to other texts
}

func (c *RenderedItem) weight() uint32 {
	n := 256 + len(c.name) + len(c.description) + len(c.object) + len(c.head) + len(c.grounding)
	for i := range c.passages {
		n += len(c.passages[i]) + len(c.texts[i]) + 48
	}
	return uint32(min(n, 1<<30))
}

// renderedKey identifies a rendered item: a version of an item and the terms, which decide how much
// of it may be shown.
type renderedKey struct {
	listing *index.Doc
	rules   *policy.Terms
}

// render makes what may be shown of an item. Anything that is not open is shown as a notice. Its
// actions are made of what is shown, and of nothing else.
func (v *View) render(l *index.Doc, stored *content.Item) *RenderedItem {
	item, decision := *stored, Decide(v.Terms, l)
	c := &RenderedItem{typ: item.Types[0], licensed: decision.Access != policy.Open, input: decision.Allows(Input)}
	if c.licensed && calledByText(item) {
		item.Name = Excerpt(item.Name, decision.ExcerptWords)
	}
	c.name = item.Name
	var omitted []string
	within := redactor{v.Terms, l}
	if within.withholdsText(item.Object) {
		item.Description, item.Passages = ownDescription(item.Object), nil
	}
	if !c.licensed {
		c.description = item.Description
		c.object, omitted = openObject(item, within)
		c.texts = furtherText(c.object, item.Passages)
		for i, text := range c.texts {
			c.passages = append(c.passages, passageJSON(item.Passages[i].ID, text))
		}
	} else {
		c.description = Excerpt(item.Description, decision.ExcerptWords)
		c.object = notice(item, c.description)
	}
	c.head = append(c.head, c.object[:len(c.object)-1]...)
	c.head = append(c.head, `,"site":`...)
	c.head = AppendQuote(c.head, l.Site)
	c.head = v.appendActions(c.head, l, decision, stored, c.object)
	c.grounding = append(c.grounding, `,"grounding":{"source_urls":[`...)
	c.grounding = AppendQuote(c.grounding, item.URL)
	c.grounding = append(c.grounding, `],"source":`...)
	c.grounding = AppendQuote(c.grounding, l.Source)
	if len(omitted) > 0 {
		c.grounding = append(c.grounding, `,"omitted":[`...)
		for i, name := range omitted {
			if i > 0 {
				c.grounding = append(c.grounding, ',')
			}
			c.grounding = AppendQuote(c.grounding, name)
		}
		c.grounding = append(c.grounding, ']')
	}
	return c
}

// appendActions appends what can be done with an item, as a member.
func (v *View) appendActions(dst []byte, l *index.Doc, d policy.Decision, item *content.Item, shown []byte) []byte {
	options := &v.corpus.options
	sold := options.ForSale(v.Terms, l, d, &ItemVersion{ref: l.Ref, item: item})
	facts := policy.Facts{Site: l.Site, Source: l.Source, URL: item.URL, Types: item.Types}
	if told, some := options.Actions(facts, sold, shown); some {
		dst = append(append(dst, `,"actions":`...), told...)
	}
	return dst
}

// furtherText returns an item's passages unless its released object carries their text already.
func furtherText(object []byte, passages []content.Passage) []string {
	texts := make([]string, len(passages))
	held := true
	for i, p := range passages {
		texts[i] = p.Text
		held = held && carries(object, p.Text)
	}
	if held {
		return nil
	}
	return texts
}

// carries says whether each line of a text begins somewhere in the object as it does in the text.
func carries(object []byte, text string) bool {
	const enough = 60 // bytes of a line that tell it from others
	for line := range strings.Lines(text) {
		line = strings.ToValidUTF8(line[:min(len(line), enough)], "")
		quoted := AppendQuote(nil, strings.TrimSpace(line))
		if !bytes.Contains(object, quoted[1:len(quoted)-1]) {
			return false
		}
	}
	return true
}

func passageJSON(id, text string) []byte {
	object := append([]byte(nil), `{"id":`...)
	object = AppendQuote(object, id)
	return append(appendText(object, "text", text), '}')
}

// Type is the item's first type.
func (c *RenderedItem) Type() string { return c.typ }

// Name is what the item is called; of a licensed item that is called by its text, an excerpt.
func (c *RenderedItem) Name() string { return c.name }

// Input says whether the terms allow the item's text as input to other texts.
func (c *RenderedItem) Input() bool { return c.input }

// Result returns the item as the answer to a question that found it so.
func (c *RenderedItem) Result(hit index.Hit) Result { return Result{item: c, hit: hit} }
