package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// prefixes finds the longest of many beginnings of a text.
type prefixes struct {
	texts  []string // in order
	parent []int    // the place of the longest other one that the text begins with, -1 for none
	items  []string
}

func newPrefixes(items map[string]string) prefixes {
	p := prefixes{texts: slices.Sorted(maps.Keys(items))}
	p.parent = make([]int, len(p.texts))
	for i, text := range p.texts {
		p.items = append(p.items, items[text])
		above := i - 1
		for above >= 0 && !strings.HasPrefix(text, p.texts[above]) {
			above = p.parent[above]
		}
		p.parent[i] = above
	}
	return p
}

// find walks up from the last text that is not after the one asked for: whatever that begins with,
// the one before it in order begins with, too.
func (p prefixes) find(text string) (item string, ok bool) {
	at, exact := slices.BinarySearch(p.texts, text)
	if !exact {
		at--
	}
	for at >= 0 && !strings.HasPrefix(text, p.texts[at]) {
		at = p.parent[at]
	}
	if at < 0 {
		return "", false
	}
	return p.items[at], true
}

// sort puts the longest pattern first.
func (h *hostAliases) sort() {
	slices.SortFunc(h.globs, func(a, b glob) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), slices.Compare(a.parts, b.parts))
	})
}

// match says whether a text fits the pattern as a whole. Each part is taken at its first place,
// which is enough.
func (g *glob) match(text string) bool {
	last := len(g.parts) - 1
	if !strings.HasPrefix(text, g.parts[0]) {
		return false
	}
	text = text[len(g.parts[0]):]
	for _, part := range g.parts[1:last] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return strings.HasSuffix(text, g.parts[last])
}
