package discovery

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/feed"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
)

// newest is the name of a site's RSS feed.
const newest = "newest.rss"

func feedURL(base, site, part string) string { return base + "/feeds/" + site + "/" + part }

func newestURL(base, site string) string { return feedURL(base, site, newest) }

// partName is the name of a part of a feed, counted from 1.
func partName(part, of int) string { return fmt.Sprintf("%d-of-%d.jsonl", part+1, of) }

// parsePart reads what partName wrote, and nothing else.
func parsePart(name string) (part, of int, ok bool) {
	first, rest, _ := strings.Cut(name, "-of-")
	last, suffixed := strings.CutSuffix(rest, ".jsonl")
	part, err := strconv.Atoi(first)
	of, errOf := strconv.Atoi(last)
	return part - 1, of, suffixed && err == nil && errOf == nil && part >= 1 && part <= of &&
		partName(part-1, of) == name
}

// The content types of entries in a schema map.
const (
	entryItems = "structuredData/schema.org"
	entryRSS   = "structuredData/rss"
)

// urlset is a schema map: a site map whose entries are feeds and say what is in them. Some readers
// look for the attribute, others for the element, so entries have both.
type urlset struct {
	XMLName xml.Name   `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	SF      string     `xml:"xmlns:sf,attr"`
	Entries []urlEntry `xml:"url"`
}

type urlEntry struct {
	Type        string `xml:"contentType,attr"`
	Loc         string `xml:"loc"`
	ContentType string `xml:"sf:contentType"`
}

// schemaMap is /schemamap.xml: the feeds of the view's sites.
func (d *documents) schemaMap(ctx context.Context, v view) (document, error) {
	all := urlset{SF: "http://schema.org/schemas/schemafeed/0.1"}
	for _, site := range v.sites {
		feed, err := d.service.Feed(ctx, site.ID)
		if err != nil {
			return document{}, err
		}
		for part := range feed.Parts() {
			all.Entries = append(all.Entries,
				urlEntry{entryItems, feedURL(v.base, site.ID, partName(part, feed.Parts())), entryItems})
		}
		all.Entries = append(all.Entries, urlEntry{entryRSS, newestURL(v.base, site.ID), entryRSS})
	}
	return xmlDocument("application/xml; charset=utf-8", all)
}

func xmlDocument(kind string, value any) (document, error) {
	text, err := xml.MarshalIndent(value, "", "  ")
	if err != nil {
		return document{}, err
	}
	return document{kind, append(append([]byte(xml.Header), text...), '\n')}, nil
}

// feed serves /feeds/SITE/PART.
func (d *documents) feed(w http.ResponseWriter, r *http.Request) error {
	site, name := r.PathValue("site"), r.PathValue("part")
	// one address for each part, not one for each way to name a site
	if id, ok := d.service.Sites().Find(site); !ok || id != site {
		return fail.New(fail.NotFound, "there is no feed here; /schemamap.xml lists those that there are")
	}
	feed, err := d.service.Feed(r.Context(), site)
	if err != nil {
		return err
	}
	if name == newest {
		d.page(func(ctx context.Context, v view) (document, error) { return d.rss(ctx, v, feed, site) }).ServeHTTP(w, r)
		return nil
	}
	part, of, ok := parsePart(name)
	if !ok || of != feed.Parts() {
		return fail.New(fail.NotFound, "there is no such part of this feed; /schemamap.xml lists those that there are")
	}
	return d.part(w, r, feed, part)
}

// part streams a part of a feed: one item to a line. The tag is weak, since it names the items and
// not their bytes.
func (d *documents) part(w http.ResponseWriter, r *http.Request, feed *feed.Feed, part int) error {
	ctx := r.Context()
	tag, err := feed.Tag(ctx, part)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("ETag", `W/"`+tag+`"`)
	header.Set("Cache-Control", "public, no-cache")
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	header.Set("Content-Type", "application/jsonl; charset=utf-8")
	if r.Method == http.MethodHead {
		return nil
	}
	s := sender{w: w, control: http.NewResponseController(w), timeout: d.config.WriteTimeout}
	count := 0
	for result, err := range feed.Part(ctx, part) {
		if s.err != nil || ctx.Err() != nil {
			return nil // the client has gone
		}
		if err != nil && count == 0 {
			header.Del("ETag")
			return err
		}
		if err != nil {
			httpx.EventFrom(ctx).Set("error", err.Error())
			panic(http.ErrAbortHandler) // the client must see that the feed is not whole
		}
		s.line(result)
		count++
	}
	s.flush()
	httpx.EventFrom(ctx).Set("results", count)
	return nil
}

// matches says whether a list of entity tags has this one, or is "*".
func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for one := range strings.SplitSeq(header, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || strings.TrimPrefix(one, "W/") == `"`+tag+`"` {
				return true
			}
		}
	}
	return false
}

// sender collects lines and sends them in pieces. The client must take each piece within the
// timeout. After a failed write it does nothing more.
type sender struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	buffer  []byte
	err     error
}

// piece is how much is sent at a time.
const piece = 64 << 10

func (s *sender) line(r released.Result) {
	from := len(s.buffer)
	s.buffer = append(r.AppendObject(s.buffer), '\n')
	const context = `"@context":"https://schema.org",`
	s.buffer = append(s.buffer, context...) // to have the room
	copy(s.buffer[from+1+len(context):], s.buffer[from+1:])
	copy(s.buffer[from+1:], context)
	if len(s.buffer) >= piece {
		s.flush()
	}
}

func (s *sender) flush() {
	if s.err != nil || len(s.buffer) == 0 {
		return
	}
	// A writer without deadlines, as in some tests, is written to all the same.
	_ = s.control.SetWriteDeadline(time.Now().Add(s.timeout))
	_, s.err = s.w.Write(s.buffer)
	s.buffer = s.buffer[:0]
}

// rss is an RSS 2.0 document.
type rss struct {
	XMLName xml.Name `xml:"rss"`
	Version string   `xml:"version,attr"`
	Atom    string   `xml:"xmlns:atom,attr"`
	Channel channel  `xml:"channel"`
}

type channel struct {
	Title       string    `xml:"title"`
	Link        string    `xml:"link"`
	Description string    `xml:"description"`
	Self        atomLink  `xml:"atom:link"`
	Items       []rssItem `xml:"item"`
}

type atomLink struct {
	Href string `xml:"href,attr"`
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
}

type rssItem struct {
	Title       string `xml:"title"`
	Link        string `xml:"link"`
	GUID        string `xml:"guid"`
	Category    string `xml:"category"`
	Published   string `xml:"pubDate,omitempty"`
	Description string `xml:"description,omitempty"` // HTML
}

// maxDescription is how many words of an item's description an RSS entry has.
const maxDescription = 200

// rss is a site's newest items.
func (d *documents) rss(ctx context.Context, v view, feed *feed.Feed, id string) (document, error) {
	v = v.of(id)
	site := v.sites[0]
	doc := rss{Version: "2.0", Atom: "http://www.w3.org/2005/Atom", Channel: channel{
		Title: site.title(), Link: v.base + "/", Description: d.summary(v),
		Self: atomLink{newestURL(v.base, id), "self", "application/rss+xml"},
	}}
	if site.URL != "" {
		doc.Channel.Link = site.URL
	}
	for r, err := range feed.Newest(ctx) {
		if err != nil {
			return document{}, err
		}
		item := rssItem{Title: r.Name(), Link: r.URL(), GUID: r.URL(), Category: r.Type(),
			Description: html.EscapeString(released.Excerpt(r.Description(), maxDescription))}
		if dated := r.Date(); !dated.IsZero() {
			item.Published = dated.Format(time.RFC1123Z)
		}
		doc.Channel.Items = append(doc.Channel.Items, item)
	}
	document, err := xmlDocument("application/rss+xml; charset=utf-8", doc)
	document.body = bytes.ToValidUTF8(document.body, []byte("\uFFFD"))
	return document, err
}
