package released

import (
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
)

// Result is one released item.
type Result struct {
	item *RenderedItem
	hit  index.Hit
}

// Type is the item's first type.
func (r Result) Type() string { return r.item.typ }

// Name is the item's name.
func (r Result) Name() string { return r.item.name }

// URL is the item's address.
func (r Result) URL() string { return r.hit.URL }

// Site is the id of the item's site.
func (r Result) Site() string { return r.hit.Site }

// Score is how well the item fits, 0 to 100.
func (r Result) Score() float64 { return r.hit.Score }

// Description is the released description: the item's own, or a licensed item's excerpt.
func (r Result) Description() string { return r.item.description }

// ShortDescription is the released description on one line, up to a number of words.
func (r Result) ShortDescription(words int) string {
	return Excerpt(strings.Join(strings.Fields(r.item.description), " "), words)
}

// Date is when the item was published or changed last, by what it says of itself; zero when it says
// nothing.
func (r Result) Date() time.Time {
	if r.hit.Dated == 0 {
		return time.Time{}
	}
	return time.Unix(r.hit.Dated, 0).UTC()
}

// Licensed says whether only a notice of the item was released.
func (r Result) Licensed() bool { return r.item.licensed }

// AppendJSON appends the item as one JSON object: what was released of it, then site, score and
// grounding. The members are ready bytes; only the score and the choice of the passage are the
// question's.
func (r Result) AppendJSON(dst []byte) []byte {
	dst = append(dst, r.item.head...)
	dst = append(dst, `,"score":`...)
	dst = strconv.AppendFloat(dst, r.hit.Score, 'f', 1, 64)
	dst = append(dst, r.item.grounding...)
	if i := r.hit.Passage; i < len(r.item.passages) {
		dst = append(dst, `,"passage":`...)
		dst = append(dst, r.item.passages[i]...)
	}
	return append(dst, "}}"...)
}

// AppendObject appends what was released of the item alone, as one JSON object: its type, address
// and members.
func (r Result) AppendObject(dst []byte) []byte { return append(dst, r.item.object...) }

// Language is the language of the item's text; empty where it is not known.
func (r Result) Language() string { return r.hit.Language }

// Input says whether the terms allow the item's text as input to other texts.
func (r Result) Input() bool { return r.item.input }

// Facts are what the released members say of the item.
func (r Result) Facts() facets.Facts { return facets.Read(r.item.object) }

// Passage is the text of the passage that the question found, where it is released and the members
// have it not already.
func (r Result) Passage() string {
	if i := r.hit.Passage; i < len(r.item.texts) {
		return r.item.texts[i]
	}
	return ""
}

// AppendItem appends the item by itself, as no question found it: without a score, and with all of
// its text where the terms allow that as input to other texts.
func (r Result) AppendItem(dst []byte) []byte {
	dst = append(dst, r.item.head...)
	dst = append(dst, r.item.grounding...)
	if r.item.input && len(r.item.passages) > 0 { // a licensed item has none
		dst = append(dst, `,"passages":[`...)
		for i, p := range r.item.passages {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, p...)
		}
		dst = append(dst, ']')
	}
	return append(dst, "}}"...)
}

// Text is the item's text for a reader: its description, and all of its further text where the
// terms allow that as input to other texts. An open item whose members hold its text has them as
// JSON.
func (r Result) Text() string {
	parts := []string{}
	if r.item.description != "" {
		parts = append(parts, r.item.description)
	}
	switch {
	case r.item.licensed || !r.item.input:
	case len(r.item.texts) > 0:
		parts = append(parts, r.item.texts...)
	default:
		parts = append(parts, string(r.item.object))
	}
	return strings.Join(parts, "\n\n")
}
