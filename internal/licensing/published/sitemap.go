package published

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/wire/licence"
)

// sitemaps are what RAMP sitemaps say of hosts, made when one is first asked for, and kept as
// policies are.
type sitemaps struct {
	mu    sync.Mutex
	rules *policy.Terms // of which they are, with how things are sold
	owner *exchange.OfferPolicy
	made  time.Time
	hosts map[string][]string // elements of a sitemap, by their addresses
}

// The bounds of RAMP sitemaps: how many addresses one has, and how many are told of a host.
const (
	sitemapPage = 10_000
	sitemapMost = 200_000
)

// Sitemap gives a sitemap of a host's items with the RAMP extension (RAMP v1, Ingestion): what each
// is, how much of it there is, and under what terms it may be used; at is the address of the
// sitemap itself. Of more items than one sitemap has page 0 is an index, and pages count from 1.
// Items that may not be found here are not in it; of what the extension has no words for it says
// that nothing is permitted. It returns fail.NotFound for a host or page that there is not, and
// fail.Unavailable before the content is loaded.
func (s *Service) Sitemap(ctx context.Context, host, at string, page int) ([]byte, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	name, ok := policy.Host("https://" + host + "/")
	if !ok {
		return nil, fail.New(fail.NotFound, "%q is no host; write it like www.example.com", fail.Clip(host))
	}
	lines, err := s.sitemapOf(ctx, name)
	if err != nil {
		return nil, err
	}
	pages := (len(lines) + sitemapPage - 1) / sitemapPage
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + licence.Mark + "\n")
	switch {
	case page < 0 || page > pages:
		return nil, fail.New(fail.NotFound, "the sitemap has %d pages", pages)
	case page == 0 && pages > 1:
		b.WriteString(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
		for n := 1; n <= pages; n++ {
			b.WriteString("<sitemap><loc>")
			_ = xml.EscapeText(&b, fmt.Appendf(nil, "%s?page=%d", at, n)) // a buffer takes everything
			b.WriteString("</loc></sitemap>\n")
		}
		b.WriteString("</sitemapindex>\n")
		return b.Bytes(), nil
	}
	from := max(page-1, 0) * sitemapPage
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:ramp="` + licence.SitemapNamespace + `">` + "\n")
	for _, line := range lines[from:min(from+sitemapPage, len(lines))] {
		b.WriteString(line)
	}
	b.WriteString("</urlset>\n")
	return b.Bytes(), nil
}

// sitemapOf gives the elements of a host's sitemap.
func (s *Service) sitemapOf(ctx context.Context, host string) ([]string, error) {
	rules, owner, now := s.deps.Corpus.Terms(), s.deps.OfferPolicy(), s.deps.Now()
	kept := &s.sitemaps
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.hosts == nil || kept.rules != rules || kept.owner != owner || now.Sub(kept.made).Abs() >= policiesFor {
		made := map[string][]string{}
		for _, site := range s.deps.Corpus.Sites().All() {
			for _, host := range site.Hosts {
				if name, ok := policy.Host("https://" + host + "/"); ok {
					made[name] = nil
				}
			}
		}
		for entry := range s.deps.Catalog.All() {
			if ctx.Err() != nil {
				return nil,
					fail.New(fail.Timeout, "the time allowed ran out before the answer was ready").Wrap(ctx.Err())
			}
			of, ok := policy.Host(entry.URL)
			if !ok || !s.deps.Corpus.Sites().Serves(entry.Site) || entry.IsPushed() || len(made[of]) >= sitemapMost {
				continue
			}
			if decision := rules.Decide(entry.Facts()); decision.Allows(released.Search) {
				made[of] = append(made[of], sitemapLine(&entry, decision.SitemapTerms(fallbackOf(owner, entry.Site))))
			}
		}
		for _, lines := range made {
			slices.Sort(lines)
		}
		kept.rules, kept.owner, kept.made, kept.hosts = rules, owner, now, made
	}
	lines, known := kept.hosts[host]
	if !known {
		return nil, fail.New(fail.NotFound, "nothing is served here of %s", fail.Clip(host))
	}
	return lines, nil
}

// sitemapLine is the element of an item.
func sitemapLine(e *catalog.Entry, stated licence.Stated) string {
	stated.Tokens, stated.Words, stated.Authors, stated.ContentID = e.Tokens(), e.Words, e.Authors,
		exchange.PackageID(e.Site, e.URL)
	stated.ContentType = contentType(e.Types)
	var b strings.Builder
	b.WriteString("<url><loc>")
	_ = xml.EscapeText(&b, []byte(e.URL)) // a builder takes everything
	b.WriteString("</loc>")
	if at := e.Modified; !at.IsZero() {
		b.WriteString("<lastmod>" + at.UTC().Format(time.RFC3339) + "</lastmod>")
	}
	b.WriteString(stated.XML() + "</url>\n")
	return b.String()
}

// contentType is what kind of thing the extension calls an item; empty where it has no word for it.
func contentType(types []string) string {
	for _, t := range types {
		for _, kind := range [][2]string{{"VideoObject", "video"}, {"AudioObject", "audio"}, {"ImageObject", "image"},
			{"Article", "text"}, {"Book", "text"}, {"WebPage", "text"}, {"Review", "text"}} {
			if content.IsA(t, kind[0]) {
				return kind[1]
			}
		}
	}
	return ""
}
