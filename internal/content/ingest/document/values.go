package document

import (
	"strings"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/content/ingest/vocabulary"
	"frontdesk/internal/infra/language"
)

// text gives a value as one text: a string, a number, a thing's name, the first of several that has
// one.
func text(n *jsonrepair.Node) string {
	if n == nil {
		return ""
	}
	switch n.Kind {
	case jsonrepair.String, jsonrepair.Number:
		return n.Text
	case jsonrepair.Array:
		for _, item := range n.Items {
			if s := text(item); s != "" {
				return s
			}
		}
	case jsonrepair.Object:
		return firstText(n, "name", "headline", "title", "@value", "text")
	}
	return ""
}

// firstText gives the text of the first property that has one.
func firstText(n *jsonrepair.Node, properties ...string) string {
	for _, property := range properties {
		value := n.Get(property)
		if value == nil {
			continue
		}
		if s := text(value); s != "" {
			return s
		}
	}
	return ""
}

// labels gives the names of the things that a property holds: strings as they are, members of
// enumerations in words, objects by name. URLs name nothing.
func labels(n *jsonrepair.Node) []string {
	var all []string
	for _, value := range n.List() {
		switch value.Kind {
		case jsonrepair.String:
			all = appendLabel(all, value.Text)
		case jsonrepair.Number:
			all = append(all, value.Text)
		case jsonrepair.Array:
			all = append(all, labels(value)...)
		case jsonrepair.Object:
			all = append(all, thingLabels(value)...)
		}
	}
	return all
}

func appendLabel(all []string, s string) []string {
	if member := vocabulary.Term(s); member != s {
		return append(all, language.SplitWords(member))
	}
	if s == "" || strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		return all
	}
	return append(all, s)
}

// thingLabels are the names under which a person looks for what hangs on a nested thing.
func thingLabels(n *jsonrepair.Node) []string {
	var all []string
	if s := firstText(n, "name", "headline", "title", "termCode", "@value"); s != "" {
		all = appendLabel(all, s)
	} else if s := markup.CollapseSpace(text(n.Get("givenName")) + " " + text(n.Get("familyName"))); s != "" {
		all = append(all, s)
	}
	for _, property := range []string{"value", "address", "addressLocality", "addressRegion", "postalCode",
		"addressCountry", "streetAddress", "item"} {
		if value := n.Get(property); value != nil {
			all = append(all, labels(value)...)
		}
	}
	if len(all) == 0 {
		if id := text(n.Get("@id")); vocabulary.Term(id) != id {
			all = append(all, language.SplitWords(vocabulary.Term(id)))
		}
	}
	return all
}

// imageOf gives the first picture of the properties that has an http URL.
func imageOf(n *jsonrepair.Node, properties ...string) string {
	for _, property := range properties {
		if s := picture(n.Get(property)); s != "" {
			return s
		}
	}
	return ""
}

// picture gives the URL of a picture: a string, an ImageObject, or the first of several.
func picture(n *jsonrepair.Node) string {
	for _, value := range n.List() {
		switch value.Kind {
		case jsonrepair.String:
			if u := pageurl.Parse(value.Text, nil); u != nil {
				return u.String()
			}
		case jsonrepair.Array:
			if s := picture(value); s != "" {
				return s
			}
		case jsonrepair.Object:
			for _, property := range []string{"contentUrl", "url", "@id"} {
				if s := picture(value.Get(property)); s != "" {
					return s
				}
			}
		}
	}
	return ""
}
