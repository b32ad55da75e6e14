package app

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/infra/yamlconf"
)

// AllSources are the sources with defaults filled in: those of the site, and a name made of the
// path or the address.
func (c Config) AllSources() []ingest.SourceSettings {
	sites := c.AllSites()
	all := make([]ingest.SourceSettings, len(c.Sources))
	for i, source := range c.Sources {
		if source.Site == "" && len(sites) == 1 {
			source.Site = sites[0].ID
		}
		for _, site := range sites {
			if site.ID == source.Site {
				if source.URL == "" {
					source.Base = first(source.Base, site.URL)
				}
				source.Language = first(source.Language, site.Language)
				source.Publisher = first(source.Publisher, site.Publisher)
			}
		}
		if source.URL != "" && source.Every == 0 {
			source.Every = ingest.OnceADay
		}
		source.Name = first(source.Name, source.MadeName())
		all[i] = source
	}
	return all
}

// isStored says whether the owner added a source beside the file.
func isStored(s ingest.SourceSettings) bool { return s.Stored }

// brought are the sources as they are read once a configuration is in force: those of the file stay
// as the server began with them.
func (c Config) brought(fresh Config) []ingest.SourceSettings {
	added := slices.DeleteFunc(fresh.AllSources(), func(s ingest.SourceSettings) bool { return !s.Stored })
	return append(slices.DeleteFunc(c.AllSources(), isStored), added...)
}

// allSources are those that are read now; a new slice.
func (b *base) allSources() []ingest.SourceSettings {
	if now := b.reading.Load(); now != nil {
		return slices.Clone(*now)
	}
	return b.config.AllSources()
}

func (c *checks) sources() {
	ids := c.Config.siteIDs()
	seen := map[[2]string]int{}
	for i, source := range c.Config.AllSources() {
		path := fmt.Sprintf("sources[%d]", i)
		switch {
		case source.Site == "":
			c.Problem(path+".site", "there are several sites, so say which one this content belongs to: %s",
				strings.Join(ids, ", "))
		case !slices.Contains(ids, source.Site):
			c.Problem(path+".site", "there is no site %s; there are %s", source.Site, strings.Join(ids, ", "))
		}
		key := [2]string{source.Site, source.Name}
		if before, twice := seen[key]; twice {
			c.Problem(path+".name", "%q is the name of another source too (%s); give each its own name", source.Name,
				c.Config.Sources[before].Where())
		}
		seen[key] = i
		if err := yamlconf.WebAddress(source.Base); err != nil { // which may be the site's
			c.Problem(path+".base", "%v", err)
		}
		if err := document.Permalink(source.Permalink).Check(); err != nil {
			c.Problem(path+".permalink", "%v", err)
		} else if source.Permalink != "" && source.Base == "" && source.URL == "" {
			c.Warning(path+".permalink", "the addresses begin with https://%s/ while site.url is not set; "+
				"set it to the address of your pages", source.Site)
		}
		for n, scheme := range source.Schemes {
			if _, ok := supplyResource(scheme + ":"); !ok || scheme != strings.ToLower(scheme) ||
				strings.Contains(scheme, ":") {
				c.Problem(fmt.Sprintf("%s.schemes[%d]", path, n),
					"%q is no scheme of such a URI; write what stands before the colon, like duns", scheme)
			}
		}
	}
}
