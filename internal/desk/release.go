package desk

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// The bounds of a released item, so that one odd item cannot fill an answer.
const (
	maxMember = 16 << 10 // bytes of one member
	maxObject = 64 << 10 // bytes of all members
)

// Result is one released item.
type Result struct {
	card *card
	hit  index.Hit
}

// Type is the item's first type.
func (r Result) Type() string { return r.card.typ }

// Name is the item's name.
func (r Result) Name() string { return r.card.name }

// URL is the item's address.
func (r Result) URL() string { return r.hit.URL }

// Site is the id of the item's site.
func (r Result) Site() string { return r.hit.Site }

// Score is how well the item fits, 0 to 100.
func (r Result) Score() float64 { return r.hit.Score }

// Description is the released description: the item's own, or a licensed item's excerpt.
func (r Result) Description() string { return r.card.description }

// Dated is when the item was published or changed last, by what it says of itself; zero when it says nothing.
func (r Result) Dated() time.Time {
	if r.hit.Dated == 0 {
		return time.Time{}
	}
	return time.Unix(r.hit.Dated, 0).UTC()
}

// Licensed says whether only a notice of the item was released.
func (r Result) Licensed() bool { return r.card.licensed }

// AppendJSON appends the item as one JSON object: what was released of it, then site, score and grounding. The
// members are ready bytes; only the score and the choice of the passage are the question's.
func (r Result) AppendJSON(dst []byte) []byte {
	dst = append(dst, r.card.head...)
	dst = append(dst, `,"score":`...)
	dst = strconv.AppendFloat(dst, r.hit.Score, 'f', 1, 64)
	dst = append(dst, r.card.grounding...)
	if i := r.hit.Passage; i < len(r.card.passages) {
		dst = append(dst, `,"passage":`...)
		dst = append(dst, r.card.passages[i]...)
	}
	return append(dst, "}}"...)
}

// AppendObject appends what was released of the item alone, as one JSON object: its type, address and members.
func (r Result) AppendObject(dst []byte) []byte { return append(dst, r.card.object...) }

// told is the item as a summary may speak of it.
func (r Result) told() index.Told {
	t := index.Told{Type: r.card.typ, Name: r.card.name, Language: r.hit.Language, Text: r.card.description}
	if r.Licensed() {
		return t
	}
	t.Facts = facets.Read(r.card.object)
	if i := r.hit.Passage; i < len(r.card.texts) {
		t.Text += "\n" + r.card.texts[i]
	}
	return t
}

// card is a released item in ready bytes. One card serves every question under the same decision.
type card struct {
	typ, name, description string
	object                 []byte   // the released members, a whole object
	head                   []byte   // the object without its closing brace, and the site
	grounding              []byte   // `,"grounding":{...` left open
	passages               [][]byte // JSON objects; none when the object holds the text already
	texts                  []string // the passages' text
	licensed               bool     // only a notice was released
	input                  bool     // the terms allow its text as input to other texts
}

func (c *card) weight() uint32 {
	n := 256 + len(c.name) + len(c.description) + len(c.object) + len(c.head) + len(c.grounding)
	for i := range c.passages {
		n += len(c.passages[i]) + len(c.texts[i]) + 48
	}
	return uint32(min(n, 1<<30))
}

// cardKey tells cards apart: a version of an item and the terms, which decide how much of it may be shown.
type cardKey struct {
	listing *index.Listing
	rules   *policy.Terms
}

// newCard renders what may be shown of an item. Anything that is not open is shown as a notice. Its actions are made
// of what is shown, and of nothing else; sold says whether it is for sale.
func newCard(hit granted, item content.Item, rules *policy.Terms, actions *actions.Set, sold bool) *card {
	c := &card{typ: item.Types[0], licensed: hit.decision.Access != policy.Open, input: hit.decision.Allows(functionInput)}
	if c.licensed && calledByText(item) {
		item.Name = Excerpt(item.Name, hit.decision.ExcerptWords)
	}
	c.name = item.Name
	var omitted []string
	within := sieve{rules, hit.Listing}
	if within.holdsText(item.Object) {
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
		c.description = Excerpt(item.Description, hit.decision.ExcerptWords)
		c.object = notice(item, c.description)
	}
	c.head = append(c.head, c.object[:len(c.object)-1]...)
	c.head = append(c.head, `,"site":`...)
	c.head = quote(c.head, hit.Site)
	facts := policy.Facts{Site: hit.Site, Source: hit.Source, URL: item.URL, Types: item.Types}
	if told, some := actions.Append(nil, facts, sold, c.object); some {
		c.head = append(append(c.head, `,"actions":`...), told...)
	}
	c.grounding = append(c.grounding, `,"grounding":{"source_urls":[`...)
	c.grounding = quote(c.grounding, item.URL)
	c.grounding = append(c.grounding, `],"source":`...)
	c.grounding = quote(c.grounding, hit.Source)
	if len(omitted) > 0 {
		c.grounding = append(c.grounding, `,"omitted":[`...)
		for i, name := range omitted {
			if i > 0 {
				c.grounding = append(c.grounding, ',')
			}
			c.grounding = quote(c.grounding, name)
		}
		c.grounding = append(c.grounding, ']')
	}
	return c
}

// reserved are the members of an item that are ours to write.
var reserved = map[string]bool{
	"@type": true, "@context": true, "additionalType": true, "url": true, "site": true, "score": true, "grounding": true, "actions": true,
}

// openObject is an open item whole: its own members in their order, type and URL first, and name and description if
// it has none. Members beyond the bounds are left out and named, and things within it that are not open are sieved.
func openObject(item content.Item, within sieve) (object []byte, omitted []string) {
	object = append(object, `{"@type":`...)
	object = quote(object, item.Types[0])
	if len(item.Types) > 1 {
		object = append(object, `,"additionalType":[`...)
		for i, t := range item.Types[1:] {
			if i > 0 {
				object = append(object, ',')
			}
			object = quote(object, t)
		}
		object = append(object, ']')
	}
	object = append(object, `,"url":`...)
	object = quote(object, item.URL)
	named, described := false, false
	eachMember(item.Object, func(name string, value jsontext.Value) {
		if value = within.value(value, 0); value == nil {
			return
		}
		switch {
		case reserved[name]:
		case len(value) > maxMember || len(object)+len(value) > maxObject:
			omitted = append(omitted, name)
		default:
			named, described = named || name == "name", described || name == "description"
			object = append(object, ',')
			object = quote(object, name)
			object = append(object, ':')
			object = append(object, value...)
		}
	})
	if !named && item.Name != "" {
		object = appendText(object, "name", item.Name)
	}
	if !described && item.Description != "" {
		object = appendText(object, "description", item.Description)
	}
	return append(object, '}'), omitted
}

// eachMember calls fn with the members of an object, in order. It stops where the object cannot be read.
func eachMember(object []byte, fn func(name string, value jsontext.Value)) {
	dec := jsontext.NewDecoder(strings.NewReader(string(object)), jsontext.AllowDuplicateNames(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return
		}
		fn(key, value)
	}
}

// calledByText says whether an item has no name of its own and is called by its text: a question, or the caption of a
// picture.
func calledByText(item content.Item) bool {
	text, named := slices.Contains(item.Types, "Question"), false
	eachMember(item.Object, func(name string, _ jsontext.Value) {
		switch name {
		case "caption":
			text = true
		case "name", "headline", "title", "alternativeHeadline", "alternateName", "legalName":
			named = true
		}
	})
	return text && !named
}

// notice is what an open door shows of a licensed item: what it is, where, and one excerpt. The excerpt does not
// depend on the question, so that many questions show no more than one.
func notice(item content.Item, excerpt string) []byte {
	object := append([]byte(nil), `{"@type":`...)
	object = quote(object, item.Types[0])
	object = appendText(object, "url", item.URL)
	for _, member := range []struct{ name, text string }{
		{"name", item.Name},
		{"description", excerpt},
		{"image", item.Image},
		{"datePublished", date(item.Published)},
		{"dateModified", date(item.Modified)},
	} {
		if member.text != "" {
			object = appendText(object, member.name, member.text)
		}
	}
	if item.Publisher != "" {
		object = append(object, `,"publisher":{"@type":"Organization"`...)
		object = appendText(object, "name", item.Publisher)
		object = append(object, '}')
	}
	return append(object, `,"isAccessibleForFree":false}`...)
}

// date writes a time as schema.org does: a day alone when it has no time of day.
func date(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.UTC().Format(time.DateOnly)
	}
	return t.UTC().Format(time.RFC3339)
}

// longWord is how many letters count as one word at most, so that text without blanks is no way around the limit.
const longWord = 30

// Excerpt returns the first words of a text, and marks where it was cut. In scripts that are written without
// blanks every letter counts as a word.
func Excerpt(text string, words int) string {
	count, letters := 0, 0
	for i, r := range text {
		if unicode.IsSpace(r) {
			letters = 0
			continue
		}
		if letters == 0 || letters >= longWord || unbroken(r) {
			if count++; count > words {
				return strings.TrimRightFunc(text[:i], unicode.IsSpace) + ellipsis(words)
			}
			letters = 0
		}
		letters++
	}
	return text
}

func ellipsis(words int) string {
	if words == 0 {
		return ""
	}
	return " …"
}

// unbroken says whether a letter belongs to a script that is written without blanks between words.
func unbroken(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
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
		quoted := quote(nil, strings.TrimSpace(line))
		if !bytes.Contains(object, quoted[1:len(quoted)-1]) {
			return false
		}
	}
	return true
}

func passageJSON(id, text string) []byte {
	object := append([]byte(nil), `{"id":`...)
	object = quote(object, id)
	return append(appendText(object, "text", text), '}')
}

// appendText appends a member whose value is a string.
func appendText(dst []byte, name, text string) []byte {
	dst = append(dst, ',')
	dst = quote(dst, name)
	dst = append(dst, ':')
	return quote(dst, text)
}

// quote appends a JSON string; invalid UTF-8 is replaced.
func quote(dst []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return quoted
}
