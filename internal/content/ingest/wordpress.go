package ingest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
)

// This file reads what a WordPress publishes, by its REST API (RAMP v1, Ingestion, CMS API): posts
// and pages, a hundred at a time. A run asks for what changed since the one before, and how many
// there are; where that does not fit, and every seven days, it asks for all. Any answer that cannot
// be read ends the run, and changes nothing.

// wordpressKind is the kind of such a source.
const wordpressKind = "wordpress"

// collections are what is read, by their names in the API. A site has posts; it need not let others
// see its pages.
var collections = []string{"posts", "pages"}

// The bounds of a reading.
const (
	postsAtOnce = 100 // the most that the API gives
	fewPosts    = 10  // where those are too much for one answer
	overlap     = 24 * time.Hour
	wholeEvery  = believedFor
)

// postFields are the members that are asked for.
const postFields = "id,link,type,status,date_gmt,modified_gmt,title,content,excerpt,_links,_embedded"

// press reads a WordPress.
type press struct {
	*crawl
	api    *url.URL              // the root of the API
	before map[string]*recalling // what is known of posts, by collection and id
	state  *recollection         // of the last run; nil for none
	whole  bool                  // everything is asked for
	seen   map[string]bool
	gone   map[string]bool // of those of before
	torn   bool            // something may have been missed, so that nothing leaves
	latest string          // when the post was changed that was changed last
	other  int             // posts elsewhere
}

// recalling is a post as it is remembered.
type recalling struct {
	address string
	*recollection
}

// post is a post or a page as the API tells of it.
type post struct {
	ID       int64    `json:"id"`
	Link     string   `json:"link"`
	Status   string   `json:"status"`
	Date     string   `json:"date_gmt"`
	Modified string   `json:"modified_gmt"`
	Title    rendered `json:"title"`
	Content  rendered `json:"content"`
	Excerpt  rendered `json:"excerpt"`
	Embedded struct {
		Author []struct {
			Name string `json:"name"`
		} `json:"author"`
		Media []struct {
			Source string `json:"source_url"`
		} `json:"wp:featuredmedia"`
		Terms [][]struct {
			Name string `json:"name"`
		} `json:"wp:term"`
	} `json:"_embedded"`
}

type rendered struct {
	Rendered  string `json:"rendered"`
	Protected bool   `json:"protected"`
}

// thing is a post in schema.org's terms.
type thing struct {
	Type        string   `json:"@type"`
	URL         string   `json:"url"`
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Text        string   `json:"text,omitempty"`
	Published   string   `json:"datePublished,omitempty"`
	Modified    string   `json:"dateModified,omitempty"`
	Author      []string `json:"author,omitempty"`
	Image       string   `json:"image,omitempty"`
	Keywords    string   `json:"keywords,omitempty"`
}

// pumpPosts reads the posts, and emits each as a unit of its own.
func (c *crawl) pumpPosts(ctx context.Context, emit func(context.Context, *unit) error) error {
	c.began = c.now()
	c.report.Kind = wordpressKind
	c.start = c.scopeOf()
	c.within(c.start, &c.Web)
	p := &press{crawl: c, before: map[string]*recalling{}, seen: map[string]bool{}, gone: map[string]bool{}}
	c.press = p
	if err := p.recall(ctx); err != nil {
		return err
	}
	p.whole = p.state == nil || p.state.Reader != c.reader || len(p.state.Links) != 1 ||
		c.now().Sub(p.state.Seen) >= wholeEvery || p.latest == ""
	if p.whole {
		if err := p.discover(ctx); err != nil {
			return err
		}
	} else {
		p.api = pageurl.Parse(p.state.Links[0], nil)
	}
	for _, collection := range collections {
		var err error
		if p.whole {
			err = p.all(ctx, collection, emit)
		} else {
			err = p.changes(ctx, collection, emit)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// scopeOf is the site's address, below which what is read must be: without that of its API.
func (c *crawl) scopeOf() *url.URL {
	u := *c.start
	u.Path, _, _ = strings.Cut(u.Path, "/wp-json")
	u.Path = cmp.Or(u.Path, "/")
	u.RawPath, u.RawQuery = "", ""
	return &u
}

// recall reads what is remembered of posts.
func (p *press) recall(ctx context.Context) error {
	if p.run == nil {
		return nil
	}
	return p.run.EachPageState(ctx, func(address string, state []byte) error {
		m := recalled(state)
		switch {
		case m == nil:
		case m.Kind == wordpressKind:
			p.state, p.latest = m, m.Listed
		case m.Post != "":
			p.before[m.Post] = &recalling{address, m}
		}
		return nil
	})
}

// discover finds the API: as the configuration names it, as the site's first page does, or at its
// usual place.
func (p *press) discover(ctx context.Context) error {
	typed := pageurl.FromLink(p.URL, nil)
	if strings.Contains(typed.Path, "/wp-json") {
		before, _, _ := strings.Cut(typed.Path, "/wp-json")
		p.api = typed.ResolveReference(&url.URL{Path: before + "/wp-json/"})
		return nil
	}
	page, err := p.ask(ctx, p.start)
	if err != nil {
		return err
	}
	if page.Status < 200 || page.Status > 299 {
		return p.fault("%s answers with status %d", p.start, page.Status)
	}
	at := pageurl.Parse(page.URL, nil)
	for _, line := range page.Header.Values("Link") {
		for one := range strings.SplitSeq(line, ",") {
			address, rest, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(one), "<"), ">")
			if found && strings.Contains(rest, "https://api.w.org/") {
				p.api = pageurl.Parse(address, at)
			}
		}
	}
	if p.api == nil {
		p.api = at.ResolveReference(&url.URL{Path: strings.TrimSuffix(at.Path[:strings.LastIndexByte(at.Path, '/')+1],
			"/") + "/wp-json/"})
	}
	if !p.own(p.api) && strings.TrimPrefix(p.api.Host, "www.") != strings.TrimPrefix(at.Host, "www.") {
		return p.fault("%s names %s as its API, on another host; name that as url, and the site's host in crawl.hosts",
			p.start, p.api)
	}
	return nil
}

// endpoint is the address of a collection, with parameters.
func (p *press) endpoint(collection string, parameters ...string) *url.URL {
	u := *p.api
	query := u.Query()
	if route := query.Get("rest_route"); route != "" { // a site without addresses that speak
		query.Set("rest_route", strings.TrimSuffix(route, "/")+"/wp/v2/"+collection)
	} else {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/wp/v2/" + collection
	}
	u.RawPath = ""
	for i := 0; i < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	u.RawQuery = query.Encode()
	return &u
}

// fault is an error that changes nothing.
func (p *press) fault(format string, args ...any) error {
	return fail.New(fail.Invalid, "source %s of site %s: %s; nothing was changed", p.source.Name, p.source.Site,
		fmt.Sprintf(format, args...))
}

// ask asks for an address, and a second time where the server wants to be asked later.
func (p *press) ask(ctx context.Context, u *url.URL) (response *fetch.Response, err error) {
	request := fetch.Request{URL: u.String(), Own: p.own(u), MaxBytes: p.MaxBytes,
		Header: http.Header{"Accept": {"application/json, text/html;q=0.9, */*;q=0.8"}}}
	for range 2 {
		p.mu.Lock()
		p.report.Asked++
		p.mu.Unlock()
		response, err = p.Crawler.Get(ctx, request)
		if err != nil ||
			response.Status != http.StatusTooManyRequests && response.Status != http.StatusServiceUnavailable {
			break
		}
	}
	var known *fetch.Error
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &known):
		return nil, fail.New(fail.Invalid, "source %s of site %s: %s; nothing was changed", p.source.Name,
			p.source.Site, known.Detail).Wrap(err)
	case err != nil:
		return nil, err
	}
	p.mu.Lock()
	p.report.Bytes += int64(len(response.Body))
	p.mu.Unlock()
	return response, nil
}

// list asks for a collection page by page, and calls fn with the entries of each. total is how many
// there are in all, the most that was said, and -1 where nobody says; none says that the site has
// no such collection, or shows it to nobody. It ends early, without an error, where the pages are
// at an end sooner than was said.
func (p *press) list(
	ctx context.Context, collection string, size int, fn func(at string,
		entries []json.RawMessage) error, parameters ...string,
) (total int, none bool, err error) {
	total = -1
	for page, pages := 1, 1; page <= pages; page++ {
		if p.now().Sub(p.began) > p.Time {
			return total, false, p.fault("it took longer than %s, the most that a run may; raise crawl.time", p.Time)
		}
		u := p.endpoint(collection,
			append([]string{"per_page", strconv.Itoa(size), "page", strconv.Itoa(page), "orderby", "id", "order",
				"asc"}, parameters...)...)
		response, err := p.ask(ctx, u)
		if err != nil {
			return total, false, err
		}
		switch s := response.Status; {
		case s == http.StatusOK:
		// posts were taken out meanwhile, or nobody said how many pages there are
		case page > 1 && s == http.StatusBadRequest:
			return total, false, nil
		case page == 1 && (s == http.StatusNotFound || s == http.StatusUnauthorized || s == http.StatusForbidden):
			return 0, true, nil
		default:
			return total, false, p.fault("%s answers with status %d", u, s)
		}
		var entries []json.RawMessage
		if err := json.Unmarshal(bytes.TrimPrefix(response.Body, []byte("\ufeff")), &entries); err != nil {
			return total, false, p.fault("%s is no list of %s: %v", u, collection, err)
		}
		if n, err := strconv.Atoi(response.Header.Get("X-Wp-Total")); err == nil && n >= 0 {
			total = max(total, n)
		}
		if n, err := strconv.Atoi(response.Header.Get("X-Wp-Totalpages")); err == nil {
			pages = n
		} else if len(entries) == size {
			pages = page + 1
		}
		if err := fn(u.String(), entries); err != nil {
			return total, false, err
		}
		if pages > page && page*size >= p.Pages {
			p.mu.Lock()
			p.report.Beyond += max(0, total-page*size)
			p.mu.Unlock()
			p.torn = true
			return total, false, nil
		}
	}
	return total, false, nil
}

// posts lists a collection in whole entries, in smaller answers where they are too large.
func (p *press) posts(
	ctx context.Context, collection string, emit func(context.Context, *unit) error, parameters ...string,
) (found, total int, none bool, err error) {
	parameters = append([]string{"_embed", "author,wp:featuredmedia,wp:term", "_fields", postFields}, parameters...)
	for _, size := range []int{postsAtOnce, fewPosts} {
		ids := map[int64]bool{}
		total, none, err = p.list(ctx, collection, size, func(at string, entries []json.RawMessage) error {
			for i, entry := range entries {
				if err := p.take(ctx, collection, fmt.Sprintf("%s#%d", at, i+1), entry, ids, emit); err != nil {
					return err
				}
			}
			return nil
		}, parameters...)
		found = len(ids)
		var known *fetch.Error
		if !errors.As(err, &known) || known.Reason != fetch.TooLarge {
			break
		}
	}
	return found, total, none, err
}

// all reads a collection whole.
func (p *press) all(ctx context.Context, collection string, emit func(context.Context, *unit) error) error {
	found, total, none, err := p.posts(ctx, collection, emit)
	if err != nil {
		return err
	}
	if none {
		return p.missing(collection)
	}
	if found < total { // some moved from page to page while it was read
		p.torn = true
	}
	if !p.torn {
		for id := range p.before {
			if strings.HasPrefix(id, collection+"/") && !p.seen[id] {
				p.gone[id] = true
			}
		}
	}
	return nil
}

// missing is what it means that a site has no such collection.
func (p *press) missing(collection string) error {
	for id := range p.before {
		if strings.HasPrefix(id, collection+"/") {
			return p.fault("its API no longer shows its %s", collection)
		}
	}
	if collection == collections[0] {
		return p.fault("%s shows no posts: this is no WordPress, or its REST API is closed", p.endpoint(collection))
	}
	return nil
}

// changes reads what is new or was changed in a collection, and finds out what is gone where the
// numbers do not fit.
func (p *press) changes(ctx context.Context, collection string, emit func(context.Context, *unit) error) error {
	if at := document.ParseDate(p.state.Listed); !at.IsZero() {
		since := at.Add(-overlap).Format("2006-01-02T15:04:05Z")
		// what was planned long ago is not changed when it appears
		for _, parameter := range []string{"modified_after", "after"} {
			_, _, none, err := p.posts(ctx, collection, emit, parameter, since)
			if err != nil {
				return err
			}
			if none {
				return p.missing(collection)
			}
		}
	}
	here := map[string]bool{}
	for _, ids := range []map[string]bool{p.seen, p.known()} {
		for id := range ids {
			if strings.HasPrefix(id, collection+"/") {
				here[id] = true
			}
		}
	}
	total := -1
	response, err := p.ask(ctx, p.endpoint(collection, "per_page", "1", "_fields", "id"))
	if err != nil {
		return err
	}
	if response.Status != http.StatusOK {
		return p.fault("%s answers with status %d", p.endpoint(collection), response.Status)
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(response.Body, []byte("\ufeff")), &entries); err != nil {
		return p.fault("%s is no list of %s: %v", p.endpoint(collection), collection, err)
	}
	if n, err := strconv.Atoi(response.Header.Get("X-Wp-Total")); err == nil {
		total = n
	}
	if total == len(here) {
		return nil
	}
	return p.reconcile(ctx, collection, emit)
}

func (p *press) known() map[string]bool {
	all := make(map[string]bool, len(p.before))
	for id := range p.before {
		all[id] = true
	}
	return all
}

// reconcile asks which posts there are: others are gone, and those that nobody knows are read.
func (p *press) reconcile(ctx context.Context, collection string, emit func(context.Context, *unit) error) error {
	there := map[string]bool{}
	var unknown []string
	total, _, err := p.list(ctx, collection, postsAtOnce, func(at string, entries []json.RawMessage) error {
		for _, entry := range entries {
			var one struct {
				ID int64 `json:"id"`
			}
			if err := json.Unmarshal(entry, &one); err != nil || one.ID <= 0 {
				return p.fault("%s lists what has no id", at)
			}
			id := fmt.Sprintf("%s/%d", collection, one.ID)
			there[id] = true
			if p.before[id] == nil && !p.seen[id] {
				unknown = append(unknown, strconv.FormatInt(one.ID, 10))
			}
		}
		return nil
	}, "_fields", "id")
	if err != nil {
		return err
	}
	for part := range slices.Chunk(unknown, postsAtOnce) {
		if _, _, _, err := p.posts(ctx, collection, emit, "include", strings.Join(part, ",")); err != nil {
			return err
		}
	}
	if len(there) < total || p.torn {
		return nil // it changed while it was read: the next run will see
	}
	for id := range p.before {
		if strings.HasPrefix(id, collection+"/") && !there[id] && !p.seen[id] {
			p.gone[id] = true
		}
	}
	return nil
}

// take takes one entry of a list. One that cannot be read is named, and what was known of it stays.
func (p *press) take(
	ctx context.Context, collection, at string, entry json.RawMessage, ids map[int64]bool, emit func(context.Context,
		*unit) error,
) error {
	var one post
	err := json.Unmarshal(entry, &one)
	if one.ID > 0 {
		ids[one.ID] = true
	}
	id := fmt.Sprintf("%s/%d", collection, one.ID)
	v := &visit{role: postRole, post: id, changed: one.Modified, yield: yield{feed: true}}
	last := &unit{visit: v, Portion: document.Portion{File: document.File{Name: at}, Format: document.JSON}, last: true}
	u := p.normal(one.Link, p.start)
	switch {
	case err != nil:
		last.Problem = &document.Problem{Origin: at, Reason: "this is no post that can be read: " + err.Error()}
	case one.ID <= 0:
		last.Problem = &document.Problem{Origin: at, Reason: "the post has no id"}
	case u == nil:
		last.Problem = &document.Problem{Origin: at, Reason: "the post has no address"}
	}
	if last.Problem != nil {
		if one.ID > 0 {
			p.seen[id] = true
		} else {
			p.torn = true // nobody knows which it was
		}
		v.outcome, v.address, v.at = failed, p.start, p.start
		return emit(ctx, last)
	}
	if p.seen[id] {
		return nil // by another question
	}
	p.seen[id] = true
	v.address, v.at = u, u
	if modified := one.Modified; modified > p.latest && !document.ParseDate(modified).IsZero() &&
		document.ParseDate(modified).Before(p.now().Add(overlap)) {
		p.latest = modified
	}
	switch {
	case !p.front.InBounds(u):
		p.other++
		v.outcome = useless
	case one.Content.Protected || one.Excerpt.Protected || one.Status != "" && one.Status != "publish":
		v.outcome = hidden
	default:
		text, err := json.Marshal(one.thing(collection, u.String()))
		if err != nil {
			return err
		}
		last.Text = string(text)
	}
	if v.outcome != wasRead {
		last.Format = document.Unknown
	}
	return emit(ctx, last)
}

// thing is a post in schema.org's terms.
func (one *post) thing(collection, address string) thing {
	t := thing{
		Type: "Article", URL: address, Name: strings.Join(strings.Fields(markup.WithoutTags(one.Title.Rendered)), " "),
		Description: one.Excerpt.Rendered, Text: one.Content.Rendered,
		Published: gmt(one.Date), Modified: gmt(one.Modified),
	}
	if collection == "pages" {
		t.Type = "WebPage"
	}
	for _, author := range one.Embedded.Author {
		if author.Name != "" {
			t.Author = append(t.Author, author.Name)
		}
	}
	for _, media := range one.Embedded.Media {
		t.Image = cmp.Or(t.Image, media.Source)
	}
	var words []string
	for _, taxonomy := range one.Embedded.Terms {
		for _, term := range taxonomy {
			words = append(words, markup.WithoutTags(term.Name))
		}
	}
	t.Keywords = strings.Join(words, ", ")
	return t
}

// gmt is a time of WordPress's, which has no zone.
func gmt(text string) string {
	if document.ParseDate(text).IsZero() {
		return ""
	}
	return text + "Z"
}

// recordPost remembers a post, with what came of it.
func (c *crawl) recordPost(ctx context.Context, v *visit) error {
	if c.run == nil {
		return nil
	}
	known := c.press.before[v.post]
	m := &recollection{Reader: c.reader, Post: v.post, Items: v.items, Listed: v.changed, Seen: c.now()}
	switch {
	case v.outcome == failed, v.outcome == wasRead && len(v.items) == 0: // it cannot be read, so what it was stays
		c.report.Failed++
		if known == nil && v.outcome == failed {
			return nil
		}
		if known == nil {
			break
		}
		m = known.recollection
		if _, err := c.run.KeepItems(ctx, m.Items...); err != nil {
			return err
		}
		return c.note(ctx, known.address, m)
	case v.outcome == hidden:
		c.report.Hidden++
	case v.outcome == useless:
		c.report.Useless++
	}
	return c.note(ctx, v.address.String(), m)
}

// endPosts keeps the posts that were not asked for, since they are what they were.
func (c *crawl) endPosts(ctx context.Context) error {
	p, r := c.press, &c.report
	if p.other > 0 {
		r.Note = fmt.Sprintf("%s posts have addresses that do not lie below %s; name their host in crawl.hosts if "+
			"they belong to the site", countText(p.other), c.start)
	}
	if c.run == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(p.before)) {
		m := p.before[id]
		switch {
		case p.seen[id]:
			continue
		case p.gone[id]:
			r.Gone++
			continue
		}
		if _, err := c.run.KeepItems(ctx, m.Items...); err != nil {
			return err
		}
		r.Unchanged++
		if err := c.note(ctx, m.address, m.recollection); err != nil {
			return err
		}
	}
	state := &recollection{Reader: c.reader, Kind: wordpressKind, Listed: p.latest, Seen: c.now(),
		Links: []string{p.api.String()}}
	if !p.whole {
		state.Seen = p.state.Seen // when everything was asked for
	}
	return c.note(ctx, wordpressKind+":", state)
}
