package released

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/infra/fail"
)

// Site is a site that is served.
type Site struct {
	ID    string   // key of everything that belongs to the site
	Name  string   // what people call it; may be empty
	Hosts []string // host names under which requests may name it, such as "shop.example"
}

// Sites are the sites that are served. They never change, so that many goroutines may use them.
type Sites struct {
	all   []Site
	named map[string]string // name, host or id, folded, to id
}

// NewSites returns the sites of a list, in its order.
func NewSites(all ...Site) *Sites {
	s := &Sites{all: all, named: map[string]string{}}
	for _, site := range all {
		for _, name := range append([]string{site.ID, site.Name}, site.Hosts...) {
			if name = foldSite(name); name != "" {
				s.named[name] = site.ID
			}
		}
	}
	return s
}

// foldSite brings the ways to write a site's name to one: scheme, "www.", a slash at the end and
// case do not count.
func foldSite(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, prefix := range []string{"https://", "http://", "www."} {
		name = strings.TrimPrefix(name, prefix)
	}
	return strings.TrimRight(name, "/")
}

// All gives the sites in their order.
func (s *Sites) All() []Site { return s.all }

// Serves says whether there is a site with an id.
func (s *Sites) Serves(id string) bool {
	return slices.ContainsFunc(s.all, func(site Site) bool { return site.ID == id })
}

// Find gives the id of a site by its id, name or host, as requests name it, and whether it is
// served.
func (s *Sites) Find(name string) (id string, ok bool) {
	id, ok = s.named[foldSite(name)]
	return id, ok
}

// Resolve turns names of sites, as requests have them, into ids; nil means all. It returns
// fail.Invalid for a site that is not served.
func (s *Sites) Resolve(names []string) ([]string, error) {
	var ids []string
	for _, name := range names {
		if foldSite(name) == "all" {
			return nil, nil
		}
		id, ok := s.Find(name)
		if !ok {
			return nil, fail.New(fail.Invalid, "site %q is not served here; there are %s, or leave it out to ask all",
				fail.Clip(name), s)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// String lists the ids for people.
func (s *Sites) String() string {
	ids := make([]string, len(s.all))
	for i, site := range s.all {
		ids[i] = fmt.Sprintf("%q", site.ID)
	}
	return strings.Join(ids, ", ")
}
