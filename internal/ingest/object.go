package ingest

import (
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
			continue
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
