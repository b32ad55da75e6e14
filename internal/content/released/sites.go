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
	// Away says that another node holds the site: it is named here, and not served. Node is what
	// that one is called, where somebody said.
	Away bool
	Node string
}

// Sites are the sites that are served. They never change, so that many goroutines may use them.
type Sites struct {
	all     []Site
	named   map[string]string // name, host or id, folded, to id
	away    map[string]Site   // the same, to sites that other nodes hold
	nothing bool              // is served of any
}

// NewSites returns the sites of a list, in its order.
func NewSites(all ...Site) *Sites {
	s := &Sites{named: map[string]string{}, away: map[string]Site{}}
	for _, site := range all {
		if !site.Away {
			s.all = append(s.all, site)
		}
		for _, name := range append([]string{site.ID, site.Name}, site.Hosts...) {
			switch name = foldSite(name); {
			case name == "":
			case site.Away:
				s.away[name] = site
			default:
				s.named[name] = site.ID
			}
		}
	}
	return s
}

// Named returns sites that can be named, and of which nothing is served here.
func Named(all ...Site) *Sites {
	s := NewSites(all...)
	s.nothing = true
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
	return !s.nothing && slices.ContainsFunc(s.all, func(site Site) bool { return site.ID == id })
}

// Find gives the id of a site by its id, name or host, as requests name it, and whether it is
// served.
func (s *Sites) Find(name string) (id string, ok bool) {
	id, ok = s.named[foldSite(name)]
	return id, ok
}

// Resolve turns names of sites, as requests have them, into ids; nil means all. It returns
// fail.Invalid for a site that is not served, which says what node has it, where that is known.
func (s *Sites) Resolve(names []string) ([]string, error) {
	var ids []string
	for _, name := range names {
		if foldSite(name) == "all" {
			return nil, nil
		}
		id, ok := s.Find(name)
		if there, away := s.away[foldSite(name)]; away && !ok {
			return nil, there.elsewhere(s)
		}
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

// elsewhere says that another node holds a site.
func (s Site) elsewhere(here *Sites) error {
	if s.Node == "" {
		return fail.New(fail.Invalid, "site %q is held by another node; this one holds %s", s.ID, here)
	}
	return fail.New(fail.Invalid, "site %q is held by the node %q; ask that one, or the front. This node holds %s",
		s.ID, s.Node, here)
}

// String lists the ids for people.
func (s *Sites) String() string {
	ids := make([]string, len(s.all))
	for i, site := range s.all {
		ids[i] = fmt.Sprintf("%q", site.ID)
	}
	return strings.Join(ids, ", ")
}
