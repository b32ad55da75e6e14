package released

import (
	"bytes"
	"encoding/json"
	"strings"

	"frontdesk/internal/content"
)

// The media types of what is delivered.
const (
	PlainText    = "text/plain; charset=utf-8"
	Markdown     = "text/markdown; charset=utf-8"
	HTML         = "text/html; charset=utf-8"
	LinkedObject = "application/ld+json"
)

// forms are the media types in which an item can be had, the one first that it is given in where
// none is asked for. What has no running text is delivered as an object alone.
func forms(item *content.Item) []string {
	texts := []string{PlainText, Markdown, HTML}
	switch {
	case len(item.Object) < 2:
		return texts
	case len(item.Passages) == 0:
		return []string{LinkedObject}
	case isText(item.Types):
		return append(texts, LinkedObject)
	}
	return append([]string{LinkedObject}, texts...)
}

// render gives an item in one of its forms. The same version of an item is always the same bytes.
func render(item *content.Item, form string) []byte {
	switch form {
	case Markdown:
		return markdown(item)
	case HTML:
		return page(item)
	case LinkedObject:
		return linked(item)
	}
	return []byte(running(item))
}

// RenderDefault is an item as it is given to one who bought it and asks for no form, in the bytes
// that the hash of its offer is of: the running text of an article, a page or whatever else is a
// text to be read, its passages parted by empty lines; of other things the object.
func RenderDefault(item *content.Item) (media string, body []byte) {
	media = forms(item)[0]
	return media, render(item, media)
}

// linked is the object in schema.org terms, with the running text as its member "text" where it has
// none of its own.
func linked(item *content.Item) []byte {
	object := bytes.TrimSpace(item.Object)
	if len(item.Passages) == 0 || hasText(object) {
		return object
	}
	text, err := json.Marshal(running(item))
	if err != nil {
		panic("released: a string always encodes: " + err.Error())
	}
	body := append([]byte(nil), object[:len(object)-1]...)
	if len(bytes.TrimSpace(body)) > 1 {
		body = append(body, ',')
	}
	return append(append(append(body, `"text":`...), text...), '}')
}

// hasText says whether an object has a member "text" of its own, or cannot be read.
func hasText(object []byte) bool {
	if !bytes.Contains(object, []byte(`"text"`)) {
		return object[0] != '{' || object[len(object)-1] != '}'
	}
	var members map[string]json.RawMessage
	err := json.Unmarshal(object, &members)
	return err != nil || members["text"] != nil
}

// isText says whether what an item is made of is its running text.
func isText(types []string) bool {
	for _, t := range types {
		for _, text := range []string{"Article", "WebPage", "Book", "Chapter", "Legislation", "Message", "Review",
			"Thesis"} {
			if content.IsA(t, text) {
				return true
			}
		}
	}
	return false
}

func running(item *content.Item) string {
	texts := make([]string, len(item.Passages))
	for i, p := range item.Passages {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n\n")
}
