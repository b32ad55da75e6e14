package ingest

import (
	"cmp"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// SourceSettings is one place where content comes from: a `path` on this machine, or a `url` on the
// web.
type SourceSettings struct {
	// Site is the id of the site that the content belongs to. It is needed when there are several.
	Site string `yaml:"site"`
	// Name tells the sources of a site apart, and stays when the path changes. Without it, it is
	// made of the last part of the path, or of the address.
	Name string `yaml:"name"`
	// Path is a file or a folder: schema.org JSON-LD (`.json`, `.jsonl`, `.jsonl.gz`), Markdown,
	// HTML. A relative path in a file starts from the file's folder.
	Path string `yaml:"path" relative:"path"`
	// URL is an address on the web to begin at: a site's page, a feed (RSS, Atom, JSON Feed), a
	// sitemap, a schema map, or a file of schema.org JSON-LD. For a site, Frontdesk reads the pages
	// below the address. `fetch` says how.
	URL string `yaml:"url"`
	// Kind is the kind of the `url`. `auto` finds out; for a site it takes the schema map or else
	// the sitemap of robots.txt, before it follows links. `feed`, `sitemap`, `schemamap` and `data`
	// refuse anything else. `crawl` follows links, even if there is a map. `wordpress` asks the
	// site's WordPress for its posts and pages (REST API), and from then on for changes.
	Kind string `yaml:"kind"`
	// Every is how often a running server reads the source again. Without it, a `url` is read once
	// a day and a `path` at the start of the server only.
	Every time.Duration `yaml:"every" check:"optional,1m..8784h"`
	// Complete says that a feed lists everything, so that items leave that it no longer names.
	// Without it, entries stay that have moved out at the end of the feed.
	Complete bool `yaml:"complete"`
	// Crawl limits the reading of a site.
	Crawl CrawlSettings `yaml:"crawl"`
	// Base is the address that completes relative addresses of items; without it, the site's `url`,
	// and for content of the web its own address.
	Base string `yaml:"base"`
	// Permalink is the pattern of addresses for Markdown pages that give none, such as
	// `/:year/:month/:slug/`. Its parts are `:year`, `:month`, `:day`, `:slug`, `:title` and
	// `:path`. The date comes from the front matter, or from a file's name like
	// `2026-03-09-title.md`. A page that lacks a part, and every page without a pattern, has the
	// path of its file.
	Permalink string `yaml:"permalink"`
	// Language is the language of content that does not say its own; without it, the site's.
	Language string `yaml:"language"`
	// Publisher is the publisher of content that does not name one; without it, the site's.
	Publisher string `yaml:"publisher"`
	// Schemes are further schemes of URIs that items may have as their `url`, such as `duns` for
	// `duns:804735132`. An Exchange sells such an item under its URI. `match.path` sees the part
	// after the colon.
	Schemes []string `yaml:"schemes"`
	// AllowShrink lets a run replace the source's content by less than half of it, or by nothing.
	// Otherwise such a run is refused and the old content stays, because most often something went
	// wrong.
	AllowShrink bool `yaml:"allow_shrink"`
	// Stored says that the owner added it without the file. Who did need not run the program, so
	// that its address has to be on the public internet.
	Stored bool `yaml:",stored"`
}

// CrawlSettings is the section crawl of a source. It bounds what is read of a site. Without a
// value, or with 0, each has its default.
type CrawlSettings struct {
	// Pages is the most addresses that a run asks for (10000).
	Pages int `yaml:"pages"`
	// Depth is how many links away from the first page another may be (20). It does not count for
	// pages of a sitemap.
	Depth int `yaml:"depth"`
	// Time is the longest time of a run (`12h`). Pages that it did not reach stay as they were.
	Time time.Duration `yaml:"time"`
	// Parallel is how many addresses are asked for at a time (8). One host is still asked no more
	// often than `fetch.interval` says.
	Parallel int `yaml:"parallel"`
	// Include are patterns of the paths to read, such as `/recipes/**`; `*` stands for characters
	// of a name, `**` for any folders. Without one, everything below the address is read.
	Include []string `yaml:"include"`
	// Exclude are patterns of paths that are left out.
	Exclude []string `yaml:"exclude"`
	// Hosts are further hosts that belong to the site, such as `docs.example.com`; `www.` makes no
	// difference.
	Hosts []string `yaml:"hosts"`
}

// OnceADay is how often a source of the web is read when nothing is said.
const OnceADay = 24 * time.Hour

// Where is the source's address or path.
func (s SourceSettings) Where() string { return cmp.Or(s.URL, s.Path) }

// MadeName is the name of a source that was given none.
func (s SourceSettings) MadeName() string {
	if s.URL == "" {
		return SourceName(s.Path)
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return "web"
	}
	stem := strings.TrimSuffix(u.Path, path.Ext(u.Path))
	return plainName(strings.TrimPrefix(u.Hostname(), "www.") + "-" + stem)
}

// SourceName makes a source's name of its path: "content/My Recipes.jsonl.gz" gives "my-recipes".
func SourceName(path string) string {
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
	return cmp.Or(strings.TrimRight(b.String(), "-"), "content")
}

// Check looks at where the source is.
func (s SourceSettings) Check(r *yamlconf.Report) {
	switch {
	case s.Path == "" && s.URL == "":
		r.Problem("path", "name a file or a folder, or write an address as url")
	case s.Path != "" && s.URL != "":
		r.Problem("url", "there is a path, too; make two sources of it")
	case s.URL != "":
		s.checkWeb(r)
	default:
		if _, err := os.Stat(s.Path); err != nil && !strings.ContainsAny(s.Path, "*?") {
			r.Warning("path", "there is no %s; what is in the catalog already stays", s.Path)
		}
		if s.Kind != "" {
			r.Problem("kind", "this is for a source with a url; the form of a file is told by its name")
		}
	}
}

func (s SourceSettings) checkWeb(r *yamlconf.Report) {
	if err := yamlconf.WebAddress(s.URL); err != nil {
		r.Problem("url", "%v", err)
	}
	if u, err := url.Parse(s.URL); err == nil && u.User != nil {
		r.Problem("url", "an address must not hold a user or a password, since sources are logged and listed")
	}
	if s.Kind != "" {
		r.OneOf("kind", s.Kind, Kinds...)
	}
	crawl := s.Crawl
	yamlconf.Between(r, "crawl.pages", crawl.Pages, 0, 1_000_000)
	yamlconf.Between(r, "crawl.depth", crawl.Depth, 0, 1000)
	yamlconf.Between(r, "crawl.parallel", crawl.Parallel, 0, 64)
	yamlconf.Between(r, "crawl.time", crawl.Time, 0, 30*24*time.Hour)
	rooted := func(pattern string) bool { return strings.HasPrefix(pattern, "/") }
	r.MatchAll("crawl.include", crawl.Include, rooted, "is no path; begin it with a slash, like /recipes/**")
	r.MatchAll("crawl.exclude", crawl.Exclude, rooted, "is no path; begin it with a slash, like /recipes/**")
	named := func(host string) bool { return host != "" && !strings.ContainsAny(host, "/ @") }
	r.MatchAll("crawl.hosts", crawl.Hosts, named, "is no host; write it like docs.example.com")
}
