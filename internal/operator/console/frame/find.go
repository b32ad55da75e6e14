package frame

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/identity"
)

// Finder finds what a page lists, for the box above every page. It is asked where that page is
// served alone, for whoever may see it.
type Finder struct {
	Path string // of the list, which the menu has, too
	Kind string // "frame.found_KIND" says what one of them is; empty where the list says it
	All  string // the list with what is looked for, which is put behind it; empty for none
	// Find gives what a text that is not empty names or is part of, up to one over MaxFound.
	Find func(ctx context.Context, text string) ([]Found, error)
}

// Found is what was found.
type Found struct {
	Text, Note string
	Path       string // of its page, below the console's
	Exact      bool   // the text is its id, its address or its whole name
}

// MaxFound is how much is shown of a group.
const MaxFound = 10

// Bounds of what is looked for, in characters, and of how long a finder may take.
const (
	maxFind      = 200
	findPatience = 3 * time.Second
)

// Findings are what the page of the box shows.
type Findings struct {
	Asked  bool // something was looked for
	Groups []FoundGroup
	Unread []string // the lists that could not be searched
	Places []Place
}

// FoundGroup is what was found in a list.
type FoundGroup struct {
	Title string
	Rows  []FoundRow
	More  bool   // there is more than is shown
	All   string // the list with all of it; empty for none
}

// FoundRow is a thing of a group.
type FoundRow struct {
	Found
	Kind string
}

// Place is a list that is searched, and by what.
type Place struct{ Path, Title, By string }

// seekers are the finders that somebody may ask, in the order of the menu.
func (f *Frame) seekers(v *Visit) (all []Finder) {
	for _, e := range menu {
		at := slices.IndexFunc(f.rows, func(p Page) bool { return p.Pattern == "GET "+e.path })
		if at < 0 || !identity.May(v.In.Role, e.right) || !identity.May(v.In.Role, f.rows[at].Right) {
			continue
		}
		for _, one := range f.finders {
			if one.Path == e.path {
				all = append(all, one)
			}
		}
	}
	return all
}

// find serves what was found. Where one thing alone is meant, it leads there.
func (f *Frame) find(w http.ResponseWriter, r *http.Request, v *Visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	text := sought(r.URL.Query().Get("q"))
	sheet, status, seekers := v.Sheet(v.Say("frame.find"), "found", nil), http.StatusOK, f.seekers(v)
	var body Findings
	if utf8.RuneCountInString(text) > maxFind {
		sheet.Problem, status = Text(v.Say("frame.find_long", maxFind)), http.StatusBadRequest
	} else if text != "" {
		var lead string
		if body, lead = findings(ctx, seekers, text, v); lead != "" {
			return Elsewhere(lead)
		}
		sheet.Find, body.Asked = text, true
	}
	for _, one := range seekers {
		word := wordOf(one.Path)
		if n := len(body.Places); n == 0 || body.Places[n-1].Path != one.Path {
			body.Places = append(body.Places, Place{one.Path, v.Say("frame." + word), v.Say("frame.find_" + word)})
		}
	}
	sheet.Body = body
	f.Show(w, r, status, sheet)
	return nil
}

// sought is a text as it is looked for: in one line, and without what no name has.
func sought(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, text)
}

// wordOf is the word of a list in the menu.
func wordOf(path string) string {
	return menu[slices.IndexFunc(menu, func(e entry) bool { return e.path == path })].word
}

// findings asks finders. It leads to what alone is named, or alone is found, once all were asked.
func findings(ctx context.Context, seekers []Finder, text string, v *Visit) (out Findings, lead string) {
	var exact, all []string // paths
	for _, one := range seekers {
		title := v.Say("frame." + wordOf(one.Path))
		found, err := one.ask(ctx, text)
		if err != nil && !slices.Contains(out.Unread, title) {
			out.Unread = append(out.Unread, title)
		}
		if len(found) == 0 {
			continue
		}
		if n := len(out.Groups); n == 0 || out.Groups[n-1].Title != title {
			out.Groups = append(out.Groups, FoundGroup{Title: title})
		}
		group := &out.Groups[len(out.Groups)-1]
		for _, thing := range found {
			all = append(all, thing.Path)
			if thing.Exact {
				exact = append(exact, thing.Path)
			}
			row := FoundRow{Found: thing}
			if one.Kind != "" {
				row.Kind = v.Say("frame.found_" + one.Kind)
			}
			group.Rows = append(group.Rows, row)
		}
		if one.All != "" {
			group.All = one.All + url.QueryEscape(text)
		}
		if group.More = len(group.Rows) > MaxFound; group.More {
			group.Rows = group.Rows[:MaxFound]
		}
	}
	switch {
	case len(exact) == 1:
		return out, exact[0]
	case len(all) == 1 && len(out.Unread) == 0:
		return out, all[0]
	}
	return out, ""
}

// ask asks a finder for no longer than it may take.
func (one Finder) ask(ctx context.Context, text string) ([]Found, error) {
	ctx, cancel := context.WithTimeout(ctx, findPatience)
	defer cancel()
	return one.Find(ctx, text)
}
