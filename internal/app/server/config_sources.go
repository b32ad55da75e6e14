package server

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/yamlconf"
)

// Source is one place where content comes from: a `path` on this machine, or a `url` on the web.
type Source struct {
	// Site is the id of the site that the content belongs to. It is needed when there are several.
	Site string `yaml:"site"`
	// Name tells the sources of a site apart, and stays when the path changes. Without it, it is made of the last
	// part of the path, or of the address.
	Name string `yaml:"name"`
	// Path is a file or a folder: schema.org JSON-LD (`.json`, `.jsonl`, `.jsonl.gz`), Markdown, HTML. A relative
	// path in a file starts from the file's folder.
	Path string `yaml:"path" relative:"path"`
	// URL is an address on the web to begin at: a site's page, a feed (RSS, Atom, JSON Feed), a sitemap, a schema map,
	// or a file of schema.org JSON-LD. Of a site, what is below the address is read. `fetch` says how.
	URL string `yaml:"url"`
	// Kind is what stands at the `url`: `auto` finds out, and takes a site's schema map or else its sitemap, which its
	// robots.txt names, before it follows links. `feed`, `sitemap`, `schemamap` and `data` refuse anything else, and
	// `crawl` follows links whatever maps there are. `wordpress` asks the site's WordPress for its posts and pages
	// (REST API), and from then on for what changed.
	Kind string `yaml:"kind"`
	// Every is how often a running server reads the source again. Without it, a `url` is read once a day and a `path`
	// at the start of the server only.
	Every time.Duration `yaml:"every" check:"optional,1m..8784h"`
	// Complete says of a feed that it lists everything, so that what it no longer names is removed. Without it, entries
	// that have moved out at the end of the feed stay.
	Complete bool `yaml:"complete"`
	// Crawl bounds what is read of a site.
	Crawl Crawl `yaml:"crawl"`
	// Base is the address from which items without an absolute URL get theirs; without it, the site's `url`, and for
	// content of the web the address that it was found at.
	Base string `yaml:"base"`
	// Language is the language of content that does not say its own; without it, the site's.
	Language string `yaml:"language"`
	// Publisher is the publisher of content that does not name one; without it, the site's.
	Publisher string `yaml:"publisher"`
	// Schemes are those of URIs that items may have as their `url` beside addresses of the web, such as `duns` for
	// `duns:804735132`. An Exchange sells such an item under its URI. `match.path` sees what follows the colon.
	Schemes []string `yaml:"schemes"`
	// AllowShrink lets a run replace the source's content by less than half of it, or by nothing. Otherwise such a
	// run is refused and the old content stays, because most often something went wrong.
	AllowShrink bool `yaml:"allow_shrink"`
}

// Crawl bounds what is read of a site. Without a value, or with 0, each has its default.
type Crawl struct {
	// Pages is the most addresses that a run asks for (10000).
	Pages int `yaml:"pages"`
	// Depth is how many links away from the first page another may be (20). It does not count for pages of a sitemap.
	Depth int `yaml:"depth"`
	// Time is the longest that a run may take (`12h`). What it has not seen by then stays as it was.
	Time time.Duration `yaml:"time"`
	// Parallel is how many addresses are asked for at a time (8). One host is still asked no more often than
	// `fetch.interval` says.
	Parallel int `yaml:"parallel"`
	// Include are patterns of the paths to read, such as `/recipes/**`; `*` stands for characters of a name, `**` for
	// any folders. Without one, everything below the address is read.
	Include []string `yaml:"include"`
	// Exclude are patterns of paths that are left out.
	Exclude []string `yaml:"exclude"`
	// Hosts are further hosts that belong to the site, such as `docs.example.com`; `www.` makes no difference.
	Hosts []string `yaml:"hosts"`
}

// onceADay is how often a source of the web is read when nothing is said.
const onceADay = 24 * time.Hour

// AllSources are the sources with defaults filled in: those of the site, and a name made of the path or the address.
func (c Config) AllSources() []Source {
	sites := c.AllSites()
	all := make([]Source, len(c.Sources))
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
			source.Every = onceADay
		}
		source.Name = first(source.Name, source.madeName())
		all[i] = source
	}
	return all
}

// Where is the source's address or path.
func (s Source) Where() string { return first(s.URL, s.Path) }

// madeName is the name of a source that was given none.
func (s Source) madeName() string {
	if s.URL == "" {
		return sourceName(s.Path)
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return "web"
	}
	stem := strings.TrimSuffix(u.Path, path.Ext(u.Path))
	return plainName(strings.TrimPrefix(u.Hostname(), "www.") + "-" + stem)
}

// sourceName makes a source's name of its path: "content/My Recipes.jsonl.gz" gives "my-recipes".
func sourceName(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	base := strings.TrimLeft(filepath.Base(path), ".")
	stem, _, _ := strings.Cut(base, ".")
	return plainName(stem)
}

// plainName makes a name of letters, digits and dashes.
func plainName(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r > 0x7f:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return first(strings.TrimRight(b.String(), "-"), "content")
}

func (c *checks) sources() {
	var ids []string
	for _, site := range c.Config.AllSites() {
		ids = append(ids, site.ID)
	}
	seen := map[[2]string]int{}
	for i, source := range c.Config.AllSources() {
		path := fmt.Sprintf("sources[%d]", i)
		switch {
		case source.Site == "":
			c.Problem(path+".site", "there are several sites, so say which one this content belongs to: %s", strings.Join(ids, ", "))
		case !slices.Contains(ids, source.Site):
			c.Problem(path+".site", "there is no site %s; there are %s", source.Site, strings.Join(ids, ", "))
		}
		key := [2]string{source.Site, source.Name}
		if before, twice := seen[key]; twice {
			c.Problem(path+".name", "%q is the name of another source too (%s); give each its own name", source.Name, c.Config.Sources[before].Where())
		}
		seen[key] = i
		c.web(path+".base", source.Base)
		c.sourceOf(path, source)
		for n, scheme := range source.Schemes {
			if _, ok := supplyResource(scheme + ":"); !ok || scheme != strings.ToLower(scheme) || strings.Contains(scheme, ":") {
				c.Problem(fmt.Sprintf("%s.schemes[%d]", path, n), "%q is no scheme of such a URI; write what stands before the colon, like duns", scheme)
			}
		}
	}
}

// sourceOf looks at where a source is.
func (c *checks) sourceOf(path string, source Source) {
	switch {
	case source.Path == "" && source.URL == "":
		c.Problem(path+".path", "name a file or a folder, or write an address as url")
	case source.Path != "" && source.URL != "":
		c.Problem(path+".url", "there is a path, too; make two sources of it")
	case source.URL != "":
		c.webSource(path, source)
	default:
		if _, err := os.Stat(source.Path); err != nil && !strings.ContainsAny(source.Path, "*?") {
			c.Warning(path+".path", "there is no %s; what is in the catalog already stays", source.Path)
		}
		if source.Kind != "" {
			c.Problem(path+".kind", "this is for a source with a url; the form of a file is told by its name")
		}
	}
}

// web checks an address that a tag does not stand for, since it may be another's or has a meaning only beside others.
func (c *checks) web(path, address string) {
	if err := yamlconf.WebAddress(address); err != nil {
		c.Problem(path, "%v", err)
	}
}

func (c *checks) webSource(path string, source Source) {
	c.web(path+".url", source.URL)
	if u, err := url.Parse(source.URL); err == nil && u.User != nil {
		c.Problem(path+".url", "an address must not hold a user or a password, since sources are logged and listed")
	}
	if source.Kind != "" {
		c.OneOf(path+".kind", source.Kind, ingest.Kinds...)
	}
	crawl := source.Crawl
	yamlconf.Between(c.Report, path+".crawl.pages", crawl.Pages, 0, 1_000_000)
	yamlconf.Between(c.Report, path+".crawl.depth", crawl.Depth, 0, 1000)
	yamlconf.Between(c.Report, path+".crawl.parallel", crawl.Parallel, 0, 64)
	yamlconf.Between(c.Report, path+".crawl.time", crawl.Time, 0, 30*24*time.Hour)
	rooted := func(pattern string) bool { return strings.HasPrefix(pattern, "/") }
	c.MatchAll(path+".crawl.include", crawl.Include, rooted, "is no path; begin it with a slash, like /recipes/**")
	c.MatchAll(path+".crawl.exclude", crawl.Exclude, rooted, "is no path; begin it with a slash, like /recipes/**")
	c.MatchAll(path+".crawl.hosts", crawl.Hosts, func(host string) bool { return host != "" && !strings.ContainsAny(host, "/ @") },
		"is no host; write it like docs.example.com")
}
