package app

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/policy"
	"frontdesk/internal/policy/imported"
)

// place is whose a place is.
func (c Config) licenceSite(p imported.PlaceSettings) string {
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
			c.Warning(path+".url",
				"its host is none of the site's, so that what is stated there counts for the site's hosts alone")
		}
		seen[site] = true
	}
	if l.Tenants && !c.Config.RAMP.Enabled {
		c.Problem("licences.tenants", "there are tenants with `ramp: {enabled: true}` alone")
	}
}

// has says whether an address is of one of the site's hosts.
func (s Site) has(address string) bool {
	host, ok := policy.Host(address)
	return ok && slices.ContainsFunc(s.Hosts, func(one string) bool { return strings.EqualFold(one, host) })
}
