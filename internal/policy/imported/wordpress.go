package imported

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/policy"
	"frontdesk/wire/licence"
)

// The bounds of what is asked of a site's WordPress.
const (
	postsAtOnce  = 100 // the most that its REST API gives
	maxPostPages = 500
	maxPosts     = 16 << 20 // bytes of one page
	// between what is asked for and what was had: the API's times are those of the site's zone
	overlap    = 24 * time.Hour
	wholeEvery = 7 * 24 * time.Hour
)

// postFields are the members of posts that are asked for.
const postFields = "id,link,status,modified_gmt,title,content"

// Posts is what is known of the posts of a site's WordPress, beside what is told of each.
type Posts struct {
	Whole  time.Time // when all of them were asked for
	Latest string    // when the post was changed that was changed last, as the site has it; empty for none
	IDs    []int64   // of all that it lists, those among them of which nothing is told
	Cut    bool      `json:",omitempty"` // there are more than were asked for
}

// press asks a WordPress for its posts.
type press struct {
	*reading
	before *Posts // nil for none, so that everything is asked for
	found  map[int64]*Address
	order  []int64 // of what was found
	gone   map[int64]bool
	latest string
	cut    bool
}

// posts asks a WordPress for its posts (its REST API, /wp-json/wp/v2/posts): their addresses,
// titles, times of change and how many words they have. What was asked for less than a week ago is
// asked for what changed since, and how many there are; where that does not fit, which they are. A
// site that has none says so at once. One that fails in the middle fails the reading; at the first
// page only where it had posts before.
func (r *reading) posts(ctx context.Context) error {
	p := &press{reading: r, found: map[int64]*Address{}, gone: map[int64]bool{}}
	had := false
	if r.Previous != nil {
		p.before = r.Previous.Posts
		had = p.before != nil ||
			slices.ContainsFunc(r.Previous.Addresses, func(a Address) bool { return a.Source == CMS })
	}
	if p.before != nil && date(p.before.Latest).IsZero() {
		p.before = nil
	}
	whole := p.before == nil || r.Now().Sub(p.before.Whole) >= wholeEvery || p.before.Whole.After(r.Now())
	var none bool
	var err error
	if whole {
		none, err = p.all(ctx)
	} else {
		none, err = p.changes(ctx)
	}
	switch {
	case err != nil && !had && len(p.found) == 0 && ctx.Err() == nil:
		r.note("the site's WordPress is not read: %v", err)
		return nil
	case err != nil || none:
		return err
	}
	p.settle(whole)
	return nil
}

// all asks for every post. Those of before that are not among them are gone, unless some moved from
// page to page meanwhile.
func (p *press) all(ctx context.Context) (none bool, err error) {
	total, none, err := p.list(ctx, "_fields", postFields)
	if err != nil || none || p.before == nil || p.cut || len(p.found) < total {
		return none, err
	}
	for _, id := range p.before.IDs {
		if _, there := p.found[id]; !there {
			p.gone[id] = true
		}
	}
	return false, nil
}

// changes asks for what is new or was changed, and finds out what is gone where the numbers do not
// fit.
func (p *press) changes(ctx context.Context) (none bool, err error) {
	p.latest, p.cut = p.before.Latest, p.before.Cut
	since := date(p.before.Latest).Add(-overlap).Format("2006-01-02T15:04:05Z")
	// what was planned long ago is not changed when it appears
	for _, parameter := range []string{"modified_after", "after"} {
		if _, none, err = p.list(ctx, "_fields", postFields, parameter, since); err != nil || none {
			return none, err
		}
	}
	if p.cut {
		return false, nil
	}
	response, err := p.ask(ctx, "per_page", "1", "_fields", "id")
	if err != nil || response == nil {
		return response == nil, err
	}
	if total := totalOf(response); total == len(p.ids()) {
		return false, nil
	}
	return p.reconcile(ctx)
}

// ids are the posts that there are, as far as is known.
func (p *press) ids() map[int64]bool {
	all := map[int64]bool{}
	for _, id := range p.before.IDs {
		all[id] = true
	}
	for id := range p.found {
		all[id] = true
	}
	return all
}

// reconcile asks which posts there are: others are gone, and those that nobody knows are asked for.
func (p *press) reconcile(ctx context.Context) (none bool, err error) {
	there, known := map[int64]bool{}, p.ids()
	var unknown []string
	total, none, err := p.pages(ctx, func(posts []post) {
		for _, one := range posts {
			if !known[one.ID] && !there[one.ID] {
				unknown = append(unknown, strconv.FormatInt(one.ID, 10))
			}
			there[one.ID] = true
		}
	}, "_fields", "id")
	if err != nil || none {
		return none, err
	}
	for part := range slices.Chunk(unknown, postsAtOnce) {
		if _, _, err := p.list(ctx, "_fields", postFields, "include", strings.Join(part, ",")); err != nil {
			return false, err
		}
	}
	if len(there) < total || p.cut {
		return false, nil // it changed while it was asked for: the next reading will see
	}
	for id := range known {
		if !there[id] {
			p.gone[id] = true
		}
	}
	return false, nil
}

// settle tells of all posts that there are: of those that were not asked for, what was told before.
func (p *press) settle(whole bool) {
	out := &Posts{Latest: p.latest, Cut: p.cut}
	told := map[int64]bool{}
	if p.before != nil {
		out.Whole = p.before.Whole
	}
	if whole {
		out.Whole = p.Now().UTC()
	}
	if p.before != nil {
		for _, a := range p.Previous.Addresses {
			one, again := p.found[a.Post]
			switch {
			case a.Source != CMS || a.Post == 0 || p.gone[a.Post]:
				continue
			case !again:
				one = &a
			}
			if told[a.Post] = true; one != nil {
				p.tell(*one)
			}
		}
		for _, id := range p.before.IDs {
			if _, again := p.found[id]; !again && !p.gone[id] {
				out.IDs = append(out.IDs, id)
			}
		}
	}
	for _, id := range p.order {
		if p.gone[id] {
			continue
		}
		out.IDs = append(out.IDs, id)
		if one := p.found[id]; one != nil && !told[id] {
			p.tell(*one)
		}
	}
	slices.Sort(out.IDs)
	if p.cut {
		p.note("the site has more than %d posts, of which the others are not read", maxPostPages*postsAtOnce)
	}
	p.out.Posts = out
}

// post is a post as the API tells of it.
type post struct {
	ID       int64  `json:"id"`
	Link     string `json:"link"`
	Modified string `json:"modified_gmt"`
	Title    struct {
		Rendered string `json:"rendered"`
	} `json:"title"`
	Content struct {
		Rendered  string `json:"rendered"`
		Protected bool   `json:"protected"`
	} `json:"content"`
	Status string `json:"status"`
}

// list asks for posts page by page and takes them.
func (p *press) list(ctx context.Context, parameters ...string) (total int, none bool, err error) {
	return p.pages(ctx, func(posts []post) {
		for i := range posts {
			p.take(&posts[i])
		}
	}, parameters...)
}

// pages asks for posts page by page. total is how many there are of them, -1 where nobody says;
// none says that the site shows none to anybody.
func (p *press) pages(ctx context.Context, fn func([]post), parameters ...string) (total int, none bool, err error) {
	total = -1
	for page, pages := 1, 1; page <= pages; page++ {
		if page > maxPostPages {
			p.cut = true
			return total, false, nil
		}
		response, err := p.ask(ctx,
			append([]string{"per_page", strconv.Itoa(postsAtOnce), "page", strconv.Itoa(page), "orderby", "id", "order",
				"asc"}, parameters...)...)
		switch {
		case err != nil:
			return total, false, err
		case response == nil && page == 1:
			return 0, true, nil
		case response == nil:
			return total, false,
				fail.New(fail.Invalid, "page %d of the posts of %s is not there, though the site says that it has "+
					"%d pages", page, p.root.Host, pages)
		}
		var posts []post
		if err := json.Unmarshal(response.Body, &posts); err != nil {
			return total, false, fail.New(fail.Invalid, "%s is no list of posts: %v", response.URL, err)
		}
		total = max(total, totalOf(response))
		if n, err := strconv.Atoi(response.Header.Get("X-Wp-Totalpages")); err == nil {
			pages = n
		}
		for _, one := range posts {
			if one.ID <= 0 {
				return total, false, fail.New(fail.Invalid, "%s lists a post that has no id", response.URL)
			}
		}
		fn(posts)
	}
	return total, false, nil
}

// totalOf is how many posts an answer says that there are; -1 for one that does not.
func totalOf(response *fetch.Response) int {
	if n, err := strconv.Atoi(response.Header.Get("X-Wp-Total")); err == nil && n >= 0 {
		return n
	}
	return -1
}

// ask asks for posts; nil where there are none.
func (p *press) ask(ctx context.Context, parameters ...string) (*fetch.Response, error) {
	address := "/wp-json/wp/v2/posts"
	for i := 0; i < len(parameters); i += 2 {
		address += fmt.Sprintf("%c%s=%s", "?&"[min(i, 1)], parameters[i], parameters[i+1])
	}
	places := len(p.out.Places)
	response, err := p.get(ctx, resolve(address, p.root), maxPosts, false)
	p.out.Places = p.out.Places[:places] // each question is another address
	if err == nil && response != nil && response.Status != http.StatusOK {
		return nil, fail.New(fail.Invalid, "%s answers with status %d", address, response.Status)
	}
	return response, err
}

// take takes a post, of which nothing is told where not everybody may see it, and where it is
// elsewhere.
func (p *press) take(one *post) {
	if _, twice := p.found[one.ID]; !twice {
		p.order = append(p.order, one.ID)
	}
	p.found[one.ID] = nil
	if at := date(one.Modified); !at.IsZero() && one.Modified > p.latest && at.Before(p.Now().Add(overlap)) {
		p.latest = one.Modified
	}
	u := resolve(one.Link, p.root)
	if u == nil || one.Content.Protected || one.Status != "" && one.Status != "publish" {
		return
	}
	if host, ok := policy.Host(u.String()); !ok || !slices.Contains(p.Hosts, host) {
		p.others++
		return
	}
	p.found[one.ID] = &Address{
		URL: u.String(), Place: resolve("/wp-json/wp/v2/posts", p.root).String(), Source: CMS, Post: one.ID,
		Title: strings.Join(strings.Fields(plain(one.Title.Rendered)), " "), Modified: one.Modified,
		Stated: &licence.Stated{Words: len(strings.Fields(plain(one.Content.Rendered)))},
	}
}

// date is a time as the API writes it; zero for none.
func date(text string) time.Time {
	at, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// plain is a text without its tags, and with the entities that WordPress writes for signs of text.
func plain(html string) string {
	var b strings.Builder
	within := false
	for _, c := range html {
		switch {
		case c == '<':
			within = true
			b.WriteByte(' ')
		case c == '>' && within:
			within = false
		case !within:
			b.WriteRune(c)
		}
	}
	return entities.Replace(b.String())
}

var entities = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&nbsp;", " ", "&#8217;", "’",
	"&#8216;", "‘", "&#8220;", "“", "&#8221;", "”", "&#8211;", "–", "&#8212;", "—", "&#8230;", "…", "&#038;", "&")
