package facets

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of what is read of an object.
const (
	maxDepth    = 12
	maxElements = 400 // of one array, and members of one object
)

// node is a JSON value as far as facts are in it. The text of a string is as it stands, of a number
// its digits, of others "true" or "false".
type node struct {
	kind    jsontext.Kind
	text    string
	names   []string // of members
	values  []node   // of members or elements
	skipped bool     // too deep, or not of interest
	prose   string   // running text of the whole beside its description
}

// maxProse is how many bytes are read of an item's running text.
const maxProse = 4000

// isProse says whether a member of the item is running text beside its description.
func isProse(name string) bool { return name == "text" || name == "articleBody" }

// unread are properties of which no facts are read: running text, pictures, other things.
var unread = map[string]bool{
	"@context": true, "@id": true, "@graph": true, "url": true, "sameAs": true, "image": true, "logo": true,
	"photo": true, "thumbnail": true, "thumbnailUrl": true, "thumbnailURL": true, "contentUrl": true,
	"embedUrl": true, "description": true, "text": true, "articleBody": true, "reviewBody": true,
	"recipeInstructions": true, "step": true, "review": true, "reviews": true, "comment": true,
	"mainEntityOfPage": true, "mainEntity": true, "potentialAction": true, "isPartOf": true, "isRelatedTo": true,
	"isSimilarTo": true, "hasPart": true, "subEvent": true, "superEvent": true, "video": true,
	"associatedMedia": true, "citation": true, "mentions": true, "abstract": true, "transcript": true,
	"acceptedAnswer": true, "suggestedAnswer": true, "breadcrumb": true, "headline": true,
	"alternateName": true, "alternativeHeadline": true, "disambiguatingDescription": true, "openingHours": true,
	"openingHoursSpecification": true, "telephone": true, "faxNumber": true, "email": true,
	"hasMap": true, "interactionStatistic": true, "speakable": true, "contactPoint": true, "shippingDetails": true,
	"hasMerchantReturnPolicy": true, "actions": true, "identifier": true,
}

// isUnread says whether a member is passed over. Below the top, other names of a thing tell what it
// is; at the top, its description states what is in it.
func isUnread(name string, depth int) bool {
	return unread[name] && (name != "alternateName" || depth == 0) && (name != "description" || depth > 0)
}

// parse reads an object as far as facts are in it; a node of another kind when it cannot be read to
// the end is what was read until then.
func parse(object []byte) node {
	dec := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	var n node
	n.read(dec, 0)
	return n
}

// read reads the next value and says whether it could be read.
func (n *node) read(dec *jsontext.Decoder, depth int) bool {
	n.kind = dec.PeekKind()
	if (n.kind == '{' || n.kind == '[') && depth >= maxDepth {
		n.skipped = true
		return dec.SkipValue() == nil
	}
	token, err := dec.ReadToken()
	if err != nil {
		n.kind = 0
		return false
	}
	switch n.kind {
	case '{':
		return n.readMembers(dec, depth)
	case '[':
		for dec.PeekKind() != ']' {
			var element node
			if len(n.values) >= maxElements {
				if dec.SkipValue() != nil {
					return false
				}
				continue
			}
			ok := element.read(dec, depth+1)
			n.values = append(n.values, element)
			if !ok {
				return false
			}
		}
		_, err = dec.ReadToken()
		return err == nil
	}
	n.text = token.String()
	return true
}

func (n *node) readMembers(dec *jsontext.Decoder, depth int) bool {
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return false
		}
		name := token.String()
		if depth == 0 && isProse(name) && dec.PeekKind() == '"' {
			text, err := dec.ReadToken()
			if err != nil {
				return false
			}
			n.describe(text.String())
			continue
		}
		if isUnread(name, depth) || len(n.names) >= maxElements {
			if dec.SkipValue() != nil {
				return false
			}
			continue
		}
		if n.names == nil {
			n.names, n.values = make([]string, 0, 8), make([]node, 0, 8)
		}
		var value node
		ok := value.read(dec, depth+1)
		n.names, n.values = append(n.names, name), append(n.values, value)
		if !ok {
			return false
		}
	}
	_, err := dec.ReadToken()
	return err == nil
}

// describe adds running text.
func (n *node) describe(text string) {
	if room := maxProse - len(n.prose); room > 0 {
		n.prose += "\n" + strings.ToValidUTF8(text[:min(len(text), room)], "")
	}
}

// member gives a member, or a node that is nothing.
func (n *node) member(name string) *node {
	if n.kind == '{' {
		for i := range n.names {
			if n.names[i] == name {
				return &n.values[i]
			}
		}
	}
	return &node{}
}

// each calls fn with a value, or with every element of an array, and of arrays in it.
func (n *node) each(fn func(*node)) {
	if n.kind != '[' {
		if n.kind != 0 && n.kind != 'n' && !n.skipped {
			fn(n)
		}
		return
	}
	for i := range n.values {
		n.values[i].each(fn)
	}
}

// name is what a value is called: its text, or the name of an object.
func (n *node) name() string {
	switch n.kind {
	case '"':
		return strings.TrimSpace(n.text)
	case '{':
		for _, member := range []string{"name", "legalName", "alternateName", "@value"} {
			if v := n.member(member); v.kind == '"' && strings.TrimSpace(v.text) != "" {
				return strings.TrimSpace(v.text)
			}
		}
	}
	return ""
}

// isType says whether a value names a type, with or without a prefix.
func (n *node) isType(name string) (is bool) {
	n.member("@type").each(func(t *node) { is = is || t.text == name || strings.HasSuffix(t.text, "/"+name) })
	return is
}
