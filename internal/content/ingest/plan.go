package ingest

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/infra/fail"
)

// This file begins a crawl: it asks for the first address, and plans by what it is.

// prepare asks for the first address and plans by what it is. Without it there is nothing to do.
func (c *crawl) prepare(ctx context.Context) (*visit, error) {
	c.began = c.now()
	v := &visit{role: startRole, address: c.start, at: c.start, looks: true, done: make(chan struct{})}
	c.fetch(ctx, v)
	close(v.done)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if v.broken != nil {
		return nil, v.broken
	}
	if err := c.judge(v); err != nil {
		return nil, err
	}
	scope := *c.start
	scope.Scheme, scope.Host = v.at.Scheme, v.at.Host
	if !strings.HasPrefix(v.at.Path, strings.TrimSuffix(scope.Path, "/")) {
		scope.Path = v.at.Path
	}
	c.start = &scope
	kind, err := c.kindOf(v)
	if err != nil {
		return nil, err
	}
	if kind == "sitemap" || kind == "schemamap" || kind == "feed" || kind == "data" {
		root := scope
		root.Path, root.RawPath, root.RawQuery = "/", "", ""
		c.within(&root, &c.Web)
	} else {
		c.within(&scope, &c.Web)
	}
	c.front.MarkSeen(v.address)
	c.front.MarkSeen(v.at)
	c.report.Kind = kind
	switch kind {
	case "crawl":
		c.stages = []func(){c.crawlOn}
		c.probe(ctx)
	case "auto":
		err = c.plan(ctx)
		c.probe(ctx)
	}
	return v, err
}

// judge says why a first answer is none.
func (c *crawl) judge(v *visit) error {
	switch {
	case v.err != nil:
		return fail.New(fail.Invalid, "source %s of site %s: %v; nothing was changed", c.source.Name, c.source.Site,
			v.err).Wrap(v.err)
	case v.response.NotModified, v.response.Status >= 200 && v.response.Status < 300:
		return nil
	}
	return fail.New(fail.Invalid,
		"source %s of site %s: %s answers with status %d, so nothing was changed; check the address, or try "+
			"again later",
		c.source.Name, c.source.Site, v.address, v.response.Status)
}

// kindOf tells what the first answer is, and refuses one that is not what the configuration says.
// "auto" is a page whose site is still to be asked for its lists.
func (c *crawl) kindOf(v *visit) (string, error) {
	is := c.sniff(v)
	switch {
	case v.response.NotModified && v.known != nil:
		return cmp.Or(v.known.Kind, c.Kind), nil
	case c.Kind == "auto" && is == "page":
		return "auto", nil
	case c.Kind == "crawl" && is == "page":
		return "crawl", nil
	case is == c.Kind, c.Kind == "auto" && is != "":
		return is, nil
	case c.Kind == "schemamap" && is == "sitemap": // written with the elements of a sitemap
		return "schemamap", nil
	}
	if err := v.unzip(c.MaxBytes); err != nil {
		return "", fail.New(fail.Invalid,
			"source %s of site %s: %s is compressed and cannot be unpacked: %v; nothing was changed", c.source.Name,
			c.source.Site, v.address, err)
	}
	if v.damage != nil {
		return "", fail.New(fail.Invalid, "source %s of site %s: %s cannot be read: %v; nothing was changed",
			c.source.Name, c.source.Site, v.address, v.damage)
	}
	what := map[string]string{"page": "a page", "": "a document of no form that is read (" + v.media() + ")"}[is]
	if what == "" {
		what = "a " + is
	}
	return "", fail.New(fail.Invalid,
		"source %s of site %s: at %s there is %s, and not what kind: %s says; nothing was changed", c.source.Name,
		c.source.Site, v.address, what, c.Kind)
}

// plan says where to look for what the site has: in its schema map, or else in its sitemap, or else
// behind its links.
func (c *crawl) plan(ctx context.Context) error {
	rules, err := c.Crawler.Robots(ctx, c.start.String(), c.own(c.start))
	if err != nil {
		return fail.New(fail.Invalid, "source %s of site %s: %v", c.source.Name, c.source.Site, err).Wrap(err)
	}
	var maps, sitemaps []string
	if rules != nil {
		maps, sitemaps = rules.Schemamaps, rules.Sitemaps
	}
	guess := len(sitemaps) == 0
	if guess {
		sitemaps = []string{"/sitemap.xml"}
	}
	c.stages = []func(){
		func() { c.report.Kind = "schemamap"; c.offerLists(maps, c.start, 0, false) },
		func() {
			c.report.Kind = "sitemap"
			c.offerLists(sitemaps, c.start, 0, guess)
		},
		c.crawlOn,
	}
	return nil
}

// crawlOn begins to follow links, with those of the first page.
func (c *crawl) crawlOn() {
	c.report.Kind = "crawl"
	c.followLinks()
}

// probe asks for a page that cannot exist, to know such a page by its look when the site does not
// say so by status.
func (c *crawl) probe(ctx context.Context) {
	at := *c.start
	at.Path = strings.TrimSuffix(at.Path[:strings.LastIndexByte(at.Path, '/')+1], "/") + "/" + probeAddress +
		strings.ToLower(rand.Text()[:10])
	at.RawPath, at.RawQuery = "", ""
	v := &visit{role: pageRole, address: &at, at: &at, fresh: true, looks: true}
	c.fetch(ctx, v)
	if v.broken != nil || v.err != nil || v.response.Status != http.StatusOK || c.sniff(v) != "page" ||
		v.form(v.address.Path) != document.HTML {
		return
	}
	text := charset.Printable(charset.DecodePage(string(v.response.Body), v.response.Header.Get("Content-Type")))
	v.look(markup.Read(text, v.at), c.Agent)
	c.missing = &v.sight.Page
}

// own says whether the operator named a host himself.
func (c *crawl) own(u *url.URL) bool {
	if c.Public {
		return false
	}
	typed := pageurl.FromLink(c.URL, nil)
	if typed != nil && u.Host == typed.Host {
		return true
	}
	for _, host := range c.Hosts {
		if strings.EqualFold(host, u.Host) {
			return true
		}
	}
	return false
}
