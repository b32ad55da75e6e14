package document

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/content/ingest/vocabulary"

	plaintext "frontdesk/internal/infra/plain"
)

// bodyMembers are left out of an item's object where they are long: they are its passages.
var bodyMembers = vocabulary.Set("articleBody text reviewBody transcript mainContentOfPage lyrics liveBlogUpdate")

// object writes the thing as the item's object: its members in the order of the source, with the
// item's type and absolute URL, and without long texts and addresses that run.
func object(n *jsonrepair.Node, types []string, address string) []byte {
	out := &jsonrepair.Node{Kind: jsonrepair.Object, Members: make([]jsonrepair.Member, 0, len(n.Members)+2)}
	if n.Get("@type") == nil {
		out.Set("@type", typeNode(types))
	}
	for _, m := range n.Members {
		switch {
		case m.Name == "@type":
			m.Value = typeNode(types)
		case m.Name == "url":
			m.Value = jsonrepair.NewString(address)
		case bodyMembers[m.Name] && size(m.Value) > shortBody:
			named := outline(m.Value, nil)
			if len(named) == 0 {
				continue
			}
			m.Value = jsonrepair.NewArray(named...)
		case m.Name == "description" && m.Value.Kind == jsonrepair.String && len(m.Value.Text) > longestMember:
			m.Value = jsonrepair.NewString(passage.FirstSentences(m.Value.Text, longestMember))
		}
		if m.Value = harmless(m.Name, m.Value); m.Value != nil {
			out.Members = append(out.Members, m)
		}
	}
	if n.Get("url") == nil {
		out.Set("url", jsonrepair.NewString(address))
	}
	return jsonrepair.Append(make([]byte, 0, size(out)*9/8+256), out)
}

// harmless is the value of a member without the addresses in it that are scripts or carry data,
// which whoever shows an item might open; nil where nothing is left. Values are shared, so what
// changes is a copy.
func harmless(name string, n *jsonrepair.Node) *jsonrepair.Node {
	switch n.Kind {
	case jsonrepair.String:
		if runs(name, n.Text) {
			return nil
		}
	case jsonrepair.Array:
		var kept []*jsonrepair.Node
		for i, item := range n.Items {
			safe := harmless(name, item)
			if safe != item && kept == nil {
				kept = append(make([]*jsonrepair.Node, 0, len(n.Items)), n.Items[:i]...)
			}
			if safe != nil && kept != nil {
				kept = append(kept, safe)
			}
		}
		if kept != nil {
			return list(n, kept)
		}
	case jsonrepair.Object:
		var kept []jsonrepair.Member
		for i, m := range n.Members {
			safe := harmless(m.Name, m.Value)
			if safe != m.Value && kept == nil {
				kept = append(make([]jsonrepair.Member, 0, len(n.Members)), n.Members[:i]...)
			}
			if safe != nil && kept != nil {
				kept = append(kept, jsonrepair.Member{Name: m.Name, Value: safe})
			}
		}
		if kept != nil {
			whole := *n
			whole.Members = kept
			return &whole
		}
	}
	return n
}

// list is n with other items; nil without any.
func list(n *jsonrepair.Node, items []*jsonrepair.Node) *jsonrepair.Node {
	if len(items) == 0 {
		return nil
	}
	whole := *n
	whole.Items = items
	return &whole
}

// proseMembers are texts that no program takes for an address, whatever they begin with; so are
// nameProperties.
var proseMembers = vocabulary.Set(`description disambiguatingDescription abstract summary articleBody text reviewBody transcript
	mainContentOfPage lyrics liveBlogUpdate recipeInstructions recipeIngredient`)

// runs says whether a member's text is the address of a script or of data, as a browser would read
// it and also after the catalog has taken out what only a model reads. Where a member may hold a
// text as well ("JavaScript: the good parts"), an address has no blank behind its scheme, and one
// of data its comma.
func runs(member, text string) bool {
	address := holdsAddress(member)
	if !strings.Contains(text, ":") || !address && (nameProperties[member] || proseMembers[member]) {
		return false
	}
	text = strings.TrimSpace(strings.Map(pageurl.DropControl, plaintext.Sanitize(text)))
	scheme, rest, found := strings.Cut(text, ":")
	if !found || len(scheme) > len("javascript") {
		return false
	}
	switch strings.ToLower(scheme) {
	case "javascript", "vbscript":
		return address || rest != "" && rest[0] != ' '
	case "data":
		return address || isData.MatchString(rest)
	}
	return false
}

// isData is what stands behind the scheme of an address that carries data, up to them.
var isData = regexp.MustCompile(`^[\w/+.-]*(?:;[^\s,]*)?,`)

// holdsAddress says whether a member is one for an address.
func holdsAddress(member string) bool {
	if vocabulary.HoldsURL(member) {
		return true
	}
	member = strings.ToLower(member)
	for _, end := range []string{"url", "uri", "urltemplate", "href", "link"} {
		if strings.HasSuffix(member, end) {
			return true
		}
	}
	return false
}

// outline is what things within a long text are and where they are, each once: by that the owner's
// terms decide on the text.
func outline(n *jsonrepair.Node, named []*jsonrepair.Node) []*jsonrepair.Node {
	short := &jsonrepair.Node{Kind: jsonrepair.Object}
	for _, name := range []string{"@type", "@id", "url", "mainEntityOfPage", "additionalType"} {
		if value := n.Get(name); value != nil {
			short.Set(name, value)
		}
	}
	same := func(other *jsonrepair.Node) bool {
		return bytes.Equal(jsonrepair.Append(nil, short), jsonrepair.Append(nil, other))
	}
	if len(short.Members) > 0 && !slices.ContainsFunc(named, same) {
		named = append(named, short)
	}
	for _, item := range n.Items {
		named = outline(item, named)
	}
	for _, m := range n.Members {
		named = outline(m.Value, named)
	}
	return named
}

func typeNode(types []string) *jsonrepair.Node {
	if len(types) == 1 {
		return jsonrepair.NewString(types[0])
	}
	var names []*jsonrepair.Node
	for _, t := range types {
		names = append(names, jsonrepair.NewString(t))
	}
	return jsonrepair.NewArray(names...)
}

// size is about the number of bytes of text in n.
func size(n *jsonrepair.Node) int {
	sum := len(n.Text)
	for _, item := range n.Items {
		sum += size(item)
	}
	for _, m := range n.Members {
		sum += size(m.Value)
	}
	return sum
}
