package frame

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/identity"
)

// entry is a line of the menu.
type entry struct {
	path  string // of its page, below Path; empty for Home
	word  string // "frame.WORD" is its text
	group string // "frame.GROUP" is the heading above it; empty for none
	right identity.Right
	// also are paths of pages that belong to it and are not below its own.
	also []string
}

// menu is the menu, from above. An entry is shown where its page is served, which it is where its
// capability is switched on, to whoever has the right.
var menu = []entry{
	{"", "home", "", identity.See, nil},
	{"questions", "questions", "answers", identity.See, nil},
	{"tuning", "tuning", "answers", identity.See, nil},
	{"content", "content", "answers", identity.See, nil},
	{"visitors", "visitors", "agents", identity.See, nil},
	{"inbox", "requests", "agents", identity.See, nil},
	{"terms", "terms", "agents", identity.See, nil},
	{"sales", "sales", "agents", identity.See, nil},
	{"receipts", "receipts", "trust", identity.See, []string{"denials", "verify"}},
	{"keys", "keys", "trust", identity.See, nil},
	{"embed", "embed", "setup", identity.See, nil},
	{"settings", "settings", "setup", identity.See, nil},
}

// of says whether a page belongs to an entry.
func (e entry) of(page string) bool {
	first, _, _ := strings.Cut(page, "/")
	return first == e.path || slices.Contains(e.also, first)
}

// Group is a part of the menu.
type Group struct {
	Word  string // the key of its heading; empty for none
	Items []Item
}

// Item is a line of the menu as it is shown.
type Item struct {
	Path, Word string
	Here       bool
	Waiting    int // how much of it waits for a person
}

// menuFor is the menu for somebody at a page.
func (f *Frame) menuFor(ctx context.Context, role, page string) (groups []Group) {
	for _, e := range menu {
		if !f.Has(e.path) || !identity.May(role, e.right) {
			continue
		}
		item := Item{Path: e.path, Word: "frame." + e.word, Here: e.of(page)}
		if count := f.waiting[e.path]; count != nil {
			item.Waiting, _ = count(ctx) // without a figure the menu is as good
		}
		word := ""
		if e.group != "" {
			word = "frame." + e.group
		}
		if len(groups) == 0 || groups[len(groups)-1].Word != word {
			groups = append(groups, Group{Word: word})
		}
		last := &groups[len(groups)-1]
		last.Items = append(last.Items, item)
	}
	return groups
}
