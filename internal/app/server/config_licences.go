package server

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// Licences sets what is read of what sites state of the use of their addresses: RSL documents, and the RAMP extension of their
// sitemaps. What they state stands below `terms`. Changes need a restart.
type Licences struct {
	// From are the places where it is read.
	From []LicencePlace `yaml:"from"`
	// Tenants has it read at each first domain of a tenant of RAMP too, with the addresses of its sitemaps, which are then for sale.
	Tenants bool `yaml:"tenants"`
	// Pages is how many pages of a tenant are looked at, each time, for licences that they name; 0 is none but the first.
	Pages int `yaml:"pages" check:"0..200"`
	// Every is how often it is read.
	Every time.Duration `yaml:"every" check:"1m..8784h"`
	// Warn is how old what was last read of the web, content among it, may be before a warning says so.
	Warn time.Duration `yaml:"warn" check:"1m..87840h"`
	// Critical is how old it may be before the warning says that it is critical.
	Critical time.Duration `yaml:"critical" check:"1m..87840h"`
}

// LicencePlace is a place where a site states how its addresses may be used.
type LicencePlace struct {
	// Site is the id of the site, or of a tenant. It is needed when there are several sites.
	Site string `yaml:"site"`
	// URL is the first page of the site. Its robots.txt, its headers, the page, its feeds, `/rsl.txt` and the sitemaps are asked.
	URL string `yaml:"url,required" check:"url"`
	// AllowShrink lets a reading put nothing, or less than half, in the place of what was read before. Otherwise the old stays,
	// because most often something went wrong.
	AllowShrink bool `yaml:"allow_shrink"`
}

func defaultLicences() Licences {
	return Licences{Pages: 100, Every: onceADay, Warn: 48 * time.Hour, Critical: 7 * 24 * time.Hour}
}

// place is whose a place is.
func (c Config) licenceSite(p LicencePlace) string {
	if sites := c.AllSites(); p.Site == "" && len(sites) == 1 {
		return sites[0].ID
	}
	return p.Site
}

func (c *checks) licences() {
	l := c.Config.Licences
	sites, seen := c.Config.AllSites(), map[string]bool{}
	for i, p := range l.From {
		path := fmt.Sprintf("licences.from[%d]", i)
		if u, err := url.Parse(p.URL); err == nil && u.User != nil {
			c.Problem(path+".url", "an address must not hold a user or a password, since it is logged and listed")
		}
		site := c.Config.licenceSite(p)
		at := slices.IndexFunc(sites, func(s Site) bool { return s.ID == site })
		switch {
		case site == "":
			c.Problem(path+".site", "there are several sites, so say whose licences these are")
		case seen[site]:
			c.Problem(path+".site", "the licences of %s are read at another place already; one is enough", site)
		case at < 0 && !c.Config.RAMP.Enabled:
			c.Problem(path+".site", "there is no site %s; without RAMP there are no tenants either", site)
		case at >= 0 && len(sites[at].Hosts) == 0:
			c.Problem(path+".site", "the site %s has no host that licences could be of; write its url", site)
		case at >= 0 && !sites[at].has(p.URL):
			c.Warning(path+".url", "its host is none of the site's, so that what is stated there counts for the site's hosts alone")
		}
		seen[site] = true
	}
	if l.Tenants && !c.Config.RAMP.Enabled {
		c.Problem("licences.tenants", "there are tenants with `ramp: {enabled: true}` alone")
	}
}

// Check looks at which warning comes first.
func (l Licences) Check(r *yamlconf.Report) {
	if l.Critical < l.Warn {
		r.Problem("critical", "%s comes before licences.warn, %s", l.Critical, l.Warn)
	}
}

// has says whether an address is of one of the site's hosts.
func (s Site) has(address string) bool {
	host, ok := policy.Host(address)
	return ok && slices.ContainsFunc(s.Hosts, func(one string) bool { return strings.EqualFold(one, host) })
}
