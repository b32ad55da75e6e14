package ingest

import (
	"bytes"
	"slices"

	"frontdesk/internal/ingest/passage"
	"frontdesk/internal/ingest/tree"
)

// bodyMembers are left out of an item's object where they are long: they are its passages.
var bodyMembers = set("articleBody text reviewBody transcript mainContentOfPage lyrics liveBlogUpdate")

// object writes the thing as the item's object: its members in the order of the source, with the item's type and
// absolute URL, and without long texts.
func object(n *tree.Node, types []string, address string) []byte {
	out := &tree.Node{Kind: tree.Object, Members: make([]tree.Member, 0, len(n.Members)+2)}
	if n.Get("@type") == nil {
		out.Set("@type", typeNode(types))
	}
	for _, m := range n.Members {
		switch {
		case m.Name == "@type":
			m.Value = typeNode(types)
		case m.Name == "url":
			m.Value = tree.Text(address)
		case bodyMembers[m.Name] && size(m.Value) > shortBody:
			named := outline(m.Value, nil)
			if len(named) == 0 {
				continue
			}
			m.Value = tree.List(named...)
		case m.Name == "description" && m.Value.Kind == tree.String && len(m.Value.Text) > longestMember:
			m.Value = tree.Text(passage.Opening(m.Value.Text, longestMember))
		}
		out.Members = append(out.Members, m)
	}
	if n.Get("url") == nil {
		out.Set("url", tree.Text(address))
	}
	return tree.Append(make([]byte, 0, size(out)*9/8+256), out)
}

// outline is what things within a long text are and where they are, each once: by that the owner's terms decide on the
// text.
func outline(n *tree.Node, named []*tree.Node) []*tree.Node {
	short := &tree.Node{Kind: tree.Object}
	for _, name := range []string{"@type", "@id", "url", "mainEntityOfPage", "additionalType"} {
		if value := n.Get(name); value != nil {
			short.Set(name, value)
		}
	}
	same := func(other *tree.Node) bool { return bytes.Equal(tree.Append(nil, short), tree.Append(nil, other)) }
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

func typeNode(types []string) *tree.Node {
	if len(types) == 1 {
		return tree.Text(types[0])
	}
	var names []*tree.Node
	for _, t := range types {
		names = append(names, tree.Text(t))
	}
	return tree.List(names...)
}

// size is about the number of bytes of text in n.
func size(n *tree.Node) int {
	sum := len(n.Text)
	for _, item := range n.Items {
		sum += size(item)
	}
	for _, m := range n.Members {
		sum += size(m.Value)
	}
	return sum
}
