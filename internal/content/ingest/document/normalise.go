package document

import (
	"net/url"
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/content/ingest/vocabulary"
)

// normaliser brings a document into one form: names of properties and types without prefix,
// JSON-LD's value objects replaced by their values, texts without markup, URLs absolute.
type normaliser struct {
	base     *url.URL // for relative URLs
	page     *url.URL // for fragments
	language string   // preferred where a text is given in several
	ids      bool     // Set when a node had an @id
}

// node brings n and all in it into form.
func (z *normaliser) node(n *jsonrepair.Node) {
	switch n.Kind {
	case jsonrepair.Object:
		z.object(n)
	case jsonrepair.Array:
		for i, item := range n.Items {
			n.Items[i] = z.value("", item)
		}
	}
}

func (z *normaliser) object(n *jsonrepair.Node) {
	z.aliases(n)
	kept := n.Members[:0]
	renamed := false
	for _, m := range n.Members {
		name := vocabulary.Term(m.Name)
		if name == "@context" || name == "" {
			continue
		}
		renamed = renamed || name != m.Name
		z.ids = z.ids || name == "@id"
		kept = append(kept, jsonrepair.Member{Name: name, Value: z.value(name, m.Value)})
	}
	n.Members = kept
	if renamed {
		n.Members = merged(n.Members)
	}
}

// aliases names what documents write without the sign, as contexts may allow.
func (z *normaliser) aliases(n *jsonrepair.Node) {
	hasType, hasID := n.Get("@type") != nil, n.Get("@id") != nil
	for i := range n.Members {
		m := &n.Members[i]
		switch m.Name {
		case "type", "rdf:type", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type":
			if hasType || len(m.Value.List()) == 0 {
				continue
			}
			if first := m.Value.List()[0]; first.Kind == jsonrepair.String {
				if _, known := content.KnownType(vocabulary.Term(first.Text)); known {
					m.Name, hasType = "@type", true
				}
			}
		case "id":
			if !hasID && m.Value.Kind == jsonrepair.String && identifies(m.Value.Text) {
				m.Name, hasID = "@id", true
			}
		}
	}
}

// identifies says whether a member named "id" means JSON-LD's identity: a URL or a blank node.
func identifies(id string) bool {
	return strings.HasPrefix(id, "http://") || strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "_:") ||
		strings.HasPrefix(id, "#")
}

// merged joins members that came to have the same name.
func merged(members []jsonrepair.Member) []jsonrepair.Member {
	kept := members[:0]
	places := map[string]int{}
	for _, m := range members {
		if place, found := places[m.Name]; found {
			both := append(append([]*jsonrepair.Node(nil), kept[place].Value.List()...), m.Value.List()...)
			kept[place].Value = jsonrepair.NewArray(both...)
			continue
		}
		places[m.Name] = len(kept)
		kept = append(kept, m)
	}
	return kept
}

// value brings the value of a property into form, and gives what stands for it.
func (z *normaliser) value(name string, n *jsonrepair.Node) *jsonrepair.Node {
	switch {
	case name == "@type":
		return types(n)
	case n.Kind == jsonrepair.String:
		n.Text = z.text(name, n.Text)
	case n.Kind == jsonrepair.Array:
		if one := z.spoken(n.Items); one != nil {
			return z.value(name, one)
		}
		for i, item := range n.Items {
			n.Items[i] = z.value(name, item)
		}
	case n.Kind == jsonrepair.Object:
		return z.unwrap(name, n)
	}
	return n
}

// unwrap replaces JSON-LD's value, list and set objects by what they hold.
func (z *normaliser) unwrap(name string, n *jsonrepair.Node) *jsonrepair.Node {
	if len(n.Members) <= 3 {
		for _, wrapper := range []string{"@value", "@list", "@set"} {
			if inner := n.Get(wrapper); inner != nil {
				inner.Offset = n.Offset
				return z.value(name, inner)
			}
		}
	}
	z.object(n)
	return n
}

// spoken chooses among values of several languages; nil if the items are anything else, or expanded
// JSON-LD's one value in an array.
func (z *normaliser) spoken(items []*jsonrepair.Node) *jsonrepair.Node {
	var best *jsonrepair.Node
	for _, item := range items {
		language := item.Get("@language")
		if item.Get("@value") == nil || language == nil && len(items) > 1 {
			return nil
		}
		if best == nil || language != nil && z.prefers(language.Text) && !z.prefers(best.Get("@language").Text) {
			best = item
		}
	}
	return best
}

func (z *normaliser) prefers(language string) bool {
	return z.language != "" && primary(language) == primary(z.language)
}

// types gives @type as a string, or an array of several.
func types(n *jsonrepair.Node) *jsonrepair.Node {
	var names []*jsonrepair.Node
	for _, t := range n.List() {
		if t.Kind != jsonrepair.String {
			t = t.Get("@id")
		}
		if t == nil || t.Kind != jsonrepair.String {
			continue
		}
		if name := vocabulary.TypeName(charset.Printable(t.Text)); name != "" && len(names) < maxTypes {
			names = append(names, &jsonrepair.Node{Kind: jsonrepair.String, Text: name, Offset: t.Offset})
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return jsonrepair.NewArray(names...)
}

// text brings a text into form by what kind of property it stands in.
func (z *normaliser) text(property, s string) string {
	switch {
	case vocabulary.HoldsURL(property):
		return z.address(property, strings.TrimSpace(markup.Plain(s, true)))
	case nameProperties[property]:
		return markup.PlainLine(charset.Printable(s))
	}
	return strings.TrimSpace(markup.WithoutShortcodes(markup.Plain(charset.Printable(s), false)))
}

// address makes a URL absolute that is plainly relative; what may be a text instead stays.
func (z *normaliser) address(property, s string) string {
	relative := strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") ||
		strings.HasPrefix(s, "#")
	if !relative && pureAddresses[property] {
		relative = s != "" && !strings.ContainsAny(s, ": ") && !strings.HasPrefix(s, "www.") // no scheme, no host
	}
	base := z.base
	if strings.HasPrefix(s, "#") {
		base = z.page
	}
	if relative && base != nil && !pageurl.LacksHost(s) {
		if u, err := base.Parse(s); err == nil {
			return u.String()
		}
	}
	return s
}

// pureAddresses are properties that hold URLs and nothing else.
var pureAddresses = vocabulary.Set(`url image thumbnailUrl contentUrl embedUrl logo photo mainEntityOfPage installUrl downloadUrl`)

// nameProperties hold a text of one line.
var nameProperties = vocabulary.Set(`name headline title alternativeHeadline alternateName caption givenName familyName legalName sku mpn gtin
	keywords category brand color model material recipeCuisine recipeCategory genre articleSection jobTitle`)

// typesOf gives a node's types; none for a node without.
func typesOf(n *jsonrepair.Node) []string {
	var names []string
	for _, t := range n.Get("@type").List() {
		names = append(names, t.Text)
	}
	return names
}

// primary is the language of a tag without region and script.
func primary(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	return tag
}

// languageOf reads inLanguage: a tag, a name, or a Language with either.
func languageOf(n *jsonrepair.Node) string {
	for _, value := range n.Get("inLanguage").List() {
		if value.Kind == jsonrepair.String {
			if tag := vocabulary.LanguageTag(value.Text); tag != "" {
				return tag
			}
			continue
		}
		for _, property := range []string{"alternateName", "identifier", "name"} {
			if tag := vocabulary.LanguageTag(text(value.Get(property))); tag != "" {
				return tag
			}
		}
	}
	return ""
}
