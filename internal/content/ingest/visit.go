package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/ingest/frontier"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/licence/sitemap"
)

// take turns an answer into units. The last of them stands for the visit and is always there.
func (c *crawl) take(ctx context.Context, v *visit, emit func(context.Context, *unit) error) error {
	last := &unit{visit: v, Portion: document.Portion{File: document.File{Name: v.address.String()}}, last: true}
	var problem string
	v.outcome, problem = c.outcomeOf(v)
	if v.outcome == wasRead {
		c.mu.Lock()
		c.report.Bytes += int64(len(v.response.Body))
		c.mu.Unlock()
		if err := v.unzip(c.MaxBytes); err != nil {
			v.outcome, problem = failed, "the answer is compressed and cannot be unpacked: "+err.Error()
		}
	}
	if v.outcome == wasRead {
		var err error
		if problem, err = c.open(ctx, v, last, emit); err != nil {
			return err
		}
		v.licences = v.licencesOf()
		v.response.Body = nil
	}
	if problem != "" {
		last.Problem = &document.Problem{Origin: last.File.Name, Reason: problem}
	}
	return emit(ctx, last)
}

// outcomeOf tells what an answer means before anybody has looked into it, and what to say of it.
func (c *crawl) outcomeOf(v *visit) (outcome, string) {
	var known *fetch.Error
	switch {
	case errors.As(v.err, &known) && known.Reason == fetch.Disallowed:
		if v.role == listRole {
			return disallowed, known.Detail
		}
		return disallowed, ""
	case errors.As(v.err, &known) &&
		(known.Reason == fetch.Refused || known.Reason == fetch.TooLarge || known.Reason == fetch.Redirects):
		return useless, known.Detail // and will be the next time
	case v.outcome == same:
		return same, ""
	case v.err != nil && v.guessed:
		return failed, ""
	case v.err != nil:
		return failed, v.reason()
	case v.response.NotModified:
		return same, ""
	}
	switch status := v.response.Status; {
	case status == http.StatusNotFound, status == http.StatusGone:
		if v.role == listRole && !v.guessed {
			return gone, "the list is not there (" + v.reason() + ")"
		}
		return gone, ""
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden,
		status == http.StatusUnavailableForLegalReasons:
		return closed, v.reason()
	case status < 200 || status > 299:
		return failed, v.reason()
	}
	if v.digest = v.sum(); v.damage != nil {
		v.digest = nil // what can be read of it may be what was read before
	}
	if v.at.String() != v.address.String() && v.role == pageRole {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.front.InBounds(v.at) {
			return useless, ""
		}
		if c.front.MarkSeen(v.at) {
			return repeated, ""
		}
	}
	if v.known != nil && v.known.Reader == c.reader && !v.fresh && bytes.Equal(v.known.Digest, v.digest) {
		return same, ""
	}
	return wasRead, ""
}

// sniff tells what an answer is: "sitemap", "schemamap", "feed", "data", "page", or empty for none
// of these.
func (c *crawl) sniff(v *visit) string {
	if v.unzip(c.MaxBytes) != nil {
		return ""
	}
	body := v.response.Body
	head := body[:min(len(body), 4<<10)]
	form := v.form(v.address.Path)
	if trimmed := bytes.TrimLeft(head, "\ufeff \t\r\n"); len(trimmed) > 0 && trimmed[0] == '<' && !looksLikePage(head) {
		switch root := strings.ToLower(sitemap.Root(trimmed)); root {
		case "rss", "feed", "rdf":
			return "feed"
		case "html":
			return "page"
		default:
			switch sitemap.KindOf(trimmed) {
			case sitemap.Sitemap, sitemap.Index:
				return "sitemap"
			case sitemap.SchemaMap:
				return "schemamap"
			}
		}
	}
	switch {
	case form == document.JSON && bytes.Contains(head, []byte("https://jsonfeed.org/version/")):
		return "feed"
	case form == document.Lines, form == document.JSON:
		return "data"
	case (form == document.HTML || form == document.Markdown) && !charset.IsBinary(head):
		return "page"
	case strings.HasPrefix(v.response.Header.Get("Content-Type"), "text/plain"):
		if kind, _ := sitemap.ReadText(string(body), func(sitemap.Entry) error { return nil }); kind == sitemap.Text {
			return "sitemap"
		}
	}
	return ""
}

// open deals with a document that was had: a list is read, anything else goes to the workers.
// problem says why nothing comes of it.
func (c *crawl) open(
	ctx context.Context, v *visit, last *unit, emit func(context.Context, *unit) error,
) (problem string, err error) {
	is := c.sniff(v)
	body := v.response.Body
	last.Media = v.response.Header.Get("Content-Type")
	switch {
	case v.damage != nil && is != "page":
		v.outcome = failed
		c.mu.Lock()
		c.lost = true
		c.mu.Unlock()
		return "what is there cannot be read: " + v.damage.Error(), nil
	case (is == "sitemap" || is == "schemamap") && v.role != pageRole:
		v.list = true
		return c.readList(v), nil
	case is == "feed" && v.role != pageRole:
		v.feed, v.brief = true, v.role == listRole
		last.Format, last.Text = document.Feed, string(body)
		return "", nil
	case is == "data":
		v.feed = v.role != pageRole
		return "", c.openData(ctx, v, emit)
	case is == "page" && v.role == listRole:
		v.outcome = useless
		if !v.guessed {
			problem = "it is a page, where a list or a feed was expected"
		}
		return problem, nil
	case is == "page" && len(body) == 0:
		v.outcome = useless
		return "the page is empty", nil
	case is == "page":
		last.Format, last.Text, last.Line = v.form(v.address.Path), string(body), 1
		if last.Format != document.Markdown {
			last.Format = document.HTML
		}
		return "", nil
	}
	v.outcome = useless
	if v.listed || v.role == startRole {
		problem = "it is of no form that is read (" + v.media() + ")"
	}
	return problem, nil
}

// openData emits a file of data in units.
func (c *crawl) openData(ctx context.Context, v *visit, emit func(context.Context, *unit) error) error {
	s := document.Splitter{Limits: c.limits, Emit: func(ctx context.Context, p *document.Portion) error {
		return emit(ctx, &unit{visit: v, Portion: *p})
	}}
	f := document.File{Name: v.address.String(), Format: v.form(v.address.Path)}
	return s.Body(ctx, f, bytes.NewReader(v.response.Body))
}

// errEnough ends the reading of a list of which no more can be taken.
var errEnough = errors.New("enough")

// readList queues what a list names.
func (c *crawl) readList(v *visit) (problem string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries, taken, outside := 0, 0, 0
	feeds := c.report.Kind == "schemamap"
	each := func(e sitemap.Entry) error {
		entries++
		switch {
		case e.List:
			c.offerLists([]string{e.URL}, v.at, v.depth+1, false)
			taken++
		case feeds || strings.Contains(strings.ToLower(e.Type), "structureddata"):
			c.offerLists([]string{e.URL}, v.at, v.depth, false)
			taken++
		default:
			for i, address := range append([]string{e.URL}, e.Alternates...) {
				changed := e.Modified
				if i > 0 {
					changed = ""
				}
				switch c.offerPage(address, changed, v.at) {
				case frontier.Outside:
					outside++
				case frontier.Full:
					return errEnough
				default:
					taken++
				}
			}
		}
		return nil
	}
	var err error
	if body := v.response.Body; sitemap.KindOf(body[:min(len(body), 4<<10)]) == sitemap.None {
		_, err = sitemap.ReadText(string(body), each)
	} else {
		_, err = sitemap.Read(bytes.NewReader(body), each)
	}
	switch {
	case err == errEnough:
		return fmt.Sprintf("the list names more than the %s addresses that are read; raise crawl.pages, or leave "+
			"parts out with crawl.exclude", countText(c.Pages))
	case err != nil:
		c.lost = true
		return err.Error()
	case taken == 0 && outside > 0:
		return fmt.Sprintf("the list names %s addresses, and none of them lies below %s; begin there, or name the "+
			"host in crawl.hosts", countText(outside), c.start)
	}
	return ""
}

// yield is what came of an answer.
type yield struct {
	list     bool // it is a list
	feed     bool
	brief    bool                // it is one of several feeds of entries
	cut      bool                // what came could not be read to its end
	items    []string            // the URLs of the first of them
	sight    *markup.VisitResult // of a page
	licences []string            // the places of licences that it names
}

// add notes an item. One more than are remembered tells that there are too many.
func (y *yield) add(address string) {
	if len(y.items) <= maxItems {
		y.items = append(y.items, address)
	}
}

// links are where a page leads.
func (y *yield) links() []string {
	if y.sight == nil {
		return nil
	}
	return y.sight.Links
}

// look is told of a page of HTML before items are made of it, and says whether they are.
func (v *visit) look(page *markup.Page, agent string) bool {
	v.sight = page.Visit(agent, v.directives(agent), v.looks)
	return !v.sight.NoIndex && !v.sight.Redirects
}

// foreign says whether an item that was found at an address has another's, or is there in brief: an
// entry of one feed among several says less of an item than the lines of data that a schema map
// names beside it.
func (v *visit) foreign(d *document.Draft) bool {
	switch {
	case v.brief:
		return true
	case v.feed || d.Derived:
		return false
	}
	address, _, _ := strings.Cut(d.URL, "#")
	return address != v.at.String() && address != v.address.String()
}
