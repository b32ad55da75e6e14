// Package docsite makes a web site of the documentation's Markdown: pages with a menu, and a search
// that is theirs alone and no part of what the owner's site answers.
//
// It must not know what the pages say, nor the configuration. Enter at [New]; [Site.Handler] serves
// the site, [Site.Write] makes files for any web server of it.
package docsite

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"frontdesk/docs"
	"frontdesk/internal/content/search"
)

// Map is the page that lists all others: a heading for each group, and below it a list of links.
const Map = "README.md"

// Site is the documentation. It is safe for use by several goroutines.
type Site struct {
	groups []Group
	pages  map[string]*Page  // by the path of their Markdown
	order  []*Page           // as the map lists them, the map first
	files  map[string][]byte // pictures, style sheet and icon, by their path

	indexed sync.Once
	index   *search.Index
}

// Group is a part of the menu.
type Group struct {
	Title string
	Pages []*Page
}

// Page is one page.
type Page struct {
	Path     string // of its Markdown, below the documentation: "terms/terms.md"
	Title    string // its first heading
	Menu     string // what the menu calls it
	Group    string // the heading of its group; empty for the map
	Sections []Section

	source []byte
	body   string // as HTML, without the title
}

// Address is the path of the page as HTML.
func (p *Page) Address() string {
	if p.Path == Map {
		return "index.html"
	}
	return strings.TrimSuffix(p.Path, ".md") + ".html"
}

// Section is a part of a page below a heading.
type Section struct {
	ID    string // of its heading; empty for what stands above the first
	Title string
	Level int
	text  string // without marks
}

var listed = regexp.MustCompile(`^(?:##+ +(.+)|- +\[([^\]]+)\]\(([^)#:]+\.md)\))`)

// New reads the pages of a folder. A page that the map does not list, or lists twice, is an error.
func New(files fs.FS) (*Site, error) {
	s := &Site{pages: map[string]*Page{}, files: map[string][]byte{}}
	for _, folder := range []struct {
		fs.FS
		pattern string
	}{{files, "img/*.png"}, {own, "*.css"}, {own, "*.svg"}} {
		names, err := fs.Glob(folder, folder.pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if s.files[name], err = fs.ReadFile(folder, name); err != nil {
				return nil, err
			}
		}
	}
	text, err := fs.ReadFile(files, Map)
	if err != nil {
		return nil, fmt.Errorf("the documentation has no list of its pages: %w", err)
	}
	if err := s.add(files, &Page{Path: Map, Menu: "All pages"}); err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		found := listed.FindStringSubmatch(strings.TrimSpace(line))
		switch {
		case found == nil:
		case found[1] != "":
			s.groups = append(s.groups, Group{Title: found[1]})
		case len(s.groups) == 0:
			return nil, fmt.Errorf("%s lists %s above the first group", Map, found[3])
		default:
			group := &s.groups[len(s.groups)-1]
			p := &Page{Path: path.Clean(found[3]), Menu: found[2], Group: group.Title}
			if err := s.add(files, p); err != nil {
				return nil, err
			}
			group.Pages = append(group.Pages, p)
		}
	}
	return s, s.complete(files)
}

// add reads a page.
func (s *Site) add(files fs.FS, p *Page) (err error) {
	if s.pages[p.Path] != nil {
		return fmt.Errorf("%s lists %s twice", Map, p.Path)
	}
	if p.source, err = fs.ReadFile(files, p.Path); err != nil {
		return fmt.Errorf("%s lists a page that is not there: %w", Map, err)
	}
	if err := p.render(); err != nil {
		return fmt.Errorf("%s: %w", p.Path, err)
	}
	s.pages[p.Path] = p
	s.order = append(s.order, p)
	return nil
}

// complete looks for pages that the map does not list.
func (s *Site) complete(files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Ext(name) == ".md" && s.pages[name] == nil {
			err = fmt.Errorf("%s does not list %s: add it to the group of its readers", Map, name)
		}
		return err
	})
}

// Own is the documentation of this program. It is read once, when it is first asked for.
var Own = sync.OnceValue(func() *Site {
	s, err := New(docs.Files)
	if err != nil {
		panic(err) // the pages are part of the build, and a test reads them
	}
	return s
})

// Pages are all pages in the order of the map, the map first.
func (s *Site) Pages() []*Page { return s.order }

// beside are the pages before and after a page; nil for none.
func (s *Site) beside(p *Page) (before, after *Page) {
	for i, one := range s.order {
		if one != p {
			continue
		}
		if i > 0 {
			before = s.order[i-1]
		}
		if i+1 < len(s.order) {
			after = s.order[i+1]
		}
	}
	return before, after
}
