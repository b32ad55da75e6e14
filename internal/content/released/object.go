package released

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// The bounds of a released item, so that one odd item cannot fill an answer.
const (
	MaxMember = 16 << 10 // bytes of one member
	maxObject = 64 << 10 // bytes of all members
)

// reserved are the members of an item that are ours to write.
var reserved = map[string]bool{
	"@type": true, "@context": true, "additionalType": true, "url": true, "site": true, "score": true,
	"grounding": true, "actions": true,
}

// openObject is an open item whole: its own members in their order, type and URL first, and name
// and description if it has none. Members beyond the bounds are left out and named, and things
// within it that are not open are sieved.
func openObject(item content.Item, within redactor) (object []byte, omitted []string) {
	object = append(object, `{"@type":`...)
	object = AppendQuote(object, item.Types[0])
	if len(item.Types) > 1 {
		object = append(object, `,"additionalType":[`...)
		for i, t := range item.Types[1:] {
			if i > 0 {
				object = append(object, ',')
			}
			object = AppendQuote(object, t)
		}
		object = append(object, ']')
	}
	object = append(object, `,"url":`...)
	object = AppendQuote(object, item.URL)
	named, described := false, false
	eachMember(item.Object, func(name string, value jsontext.Value) {
		if value = within.value(value, 0); value == nil {
			return
		}
		switch {
		case reserved[name]:
		case len(value) > MaxMember || len(object)+len(value) > maxObject:
			omitted = append(omitted, name)
		default:
			named, described = named || name == "name", described || name == "description"
			object = append(object, ',')
			object = AppendQuote(object, name)
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

// eachMember calls fn with the members of an object, in order. It stops where the object cannot be
// read.
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

// calledByText says whether an item has no name of its own and is called by its text: a question,
// or the caption of a picture.
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

// notice is what anybody is shown of a licensed item: what it is, where, and one excerpt. The
// excerpt does not depend on the question, so that many questions show no more than one.
func notice(item content.Item, excerpt string) []byte {
	object := append([]byte(nil), `{"@type":`...)
	object = AppendQuote(object, item.Types[0])
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

// appendText appends a member whose value is a string.
func appendText(dst []byte, name, text string) []byte {
	dst = append(dst, ',')
	dst = AppendQuote(dst, name)
	dst = append(dst, ':')
	return AppendQuote(dst, text)
}

// AppendQuote appends a JSON string; invalid UTF-8 is replaced.
func AppendQuote(dst []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return quoted
}

// said gives what of an item's object may be said of it: filters, facets and the words that
// questions are understood with are made of that alone. whole says that it is all of the object, so
// that misspelt words may be corrected to those of its text. open is false for an item that is
// shown as a notice.
func said(rules *policy.Terms, l *index.Doc, object []byte) (shown []byte, whole, open bool) {
	if decision := Decide(rules, l); decision.Access != policy.Open || !decision.Allows(Search) {
		return nil, false, false
	}
	if rules.OpensAll() {
		return object, true, true // within it, too
	}
	whole = true
	within := redactor{rules, l}
	shown = append(shown, '{')
	eachMember(object, func(name string, value jsontext.Value) {
		if isThing(value) && within.withholds(value, 0) {
			whole = false
		}
		if value = within.value(value, 0); value == nil {
			return
		}
		if len(shown) > 1 {
			shown = append(shown, ',')
		}
		shown = append(append(AppendQuote(shown, name), ':'), value...)
	})
	return append(shown, '}'), whole, true
}
