package imported

import (
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section licences: what is read of what sites state of the use of their addresses:
// RSL documents, and the RAMP extension of their sitemaps. What they state stands below `terms`.
// Changes need a restart.
type Settings struct {
	// From are the places where it is read.
	From []PlaceSettings `yaml:"from"`
	// Tenants has it read at each first domain of a tenant of RAMP too, with the addresses of its
	// sitemaps, which are then for sale.
	Tenants bool `yaml:"tenants"`
	// Pages is how many pages of a tenant are looked at, each time, for licences that they name; 0
	// is none but the first.
	Pages int `yaml:"pages" check:"0..200"`
	// Every is how often it is read.
	Every time.Duration `yaml:"every" check:"1m..8784h"`
	// Warn is how old what was last read of the web, content among it, may be before a warning says
	// so.
	Warn time.Duration `yaml:"warn" check:"1m..87840h"`
	// Critical is how old it may be before the warning says that it is critical.
	Critical time.Duration `yaml:"critical" check:"1m..87840h"`
}

// PlaceSettings is a place where a site states how its addresses may be used.
type PlaceSettings struct {
	// Site is the id of the site, or of a tenant. It is needed when there are several sites.
	Site string `yaml:"site"`
	// URL is the first page of the site. Its robots.txt, its headers, the page, its feeds,
	// `/rsl.txt` and the sitemaps are asked.
	URL string `yaml:"url,required" check:"url"`
	// AllowShrink lets a reading put nothing, or less than half, in the place of what was read
	// before. Otherwise the old stays, because most often something went wrong.
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
