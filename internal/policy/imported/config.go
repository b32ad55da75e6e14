package imported

import (
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section licences: what is read of what sites state of the use of their addresses:
// RSL documents, and the RAMP extension of their sitemaps. What they state stands below `terms`.
// Changes need a restart.
type Settings struct {
	// From are the sites whose licences are read.
	From []PlaceSettings `yaml:"from"`
	// Tenants reads licences at the first domain of each tenant of RAMP, too, with the addresses of
	// its sitemaps. These addresses are then for sale.
	Tenants bool `yaml:"tenants"`
	// Pages is how many pages of a tenant each reading looks at, for licences that they name; 0 is
	// the first page only.
	Pages int `yaml:"pages" check:"0..200"`
	// Every is how often licences are read.
	Every time.Duration `yaml:"every" check:"1m..8784h"`
	// Warn is the age of content or licences from the web from which on a warning says that they
	// are stale.
	Warn time.Duration `yaml:"warn" check:"1m..87840h"`
	// Critical is the age from which on the warning says that they are critical.
	Critical time.Duration `yaml:"critical" check:"1m..87840h"`
}

// PlaceSettings is a place where a site states how its addresses may be used.
type PlaceSettings struct {
	// Site is the id of the site, or of a tenant. It is needed when there are several sites.
	Site string `yaml:"site"`
	// URL is the first page of the site. Frontdesk asks its robots.txt, its headers, the page, its
	// feeds, `/rsl.txt` and the sitemaps.
	URL string `yaml:"url,required" check:"url"`
	// AllowShrink accepts a reading with no licence at all, or with less than half of the former
	// ones. Otherwise the former reading stays, because most often something went wrong.
	AllowShrink bool `yaml:"allow_shrink"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{Pages: 100, Every: 24 * time.Hour, Warn: 48 * time.Hour, Critical: 7 * 24 * time.Hour}
}

// Check looks at which warning comes first.
func (l Settings) Check(r *yamlconf.Report) {
	if l.Critical < l.Warn {
		r.Problem("critical", "%s comes before licences.warn, %s", l.Critical, l.Warn)
	}
}
