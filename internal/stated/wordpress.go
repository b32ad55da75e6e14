package stated

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/fail"
	"frontdesk/internal/fetch"
	"frontdesk/internal/terms"
	"frontdesk/wire/licence"
)

// The bounds of what is asked of a site's WordPress.
const (
	postsAtOnce  = 100 // the most that its REST API gives
	maxPostPages = 500
	maxPosts     = 16 << 20 // bytes of one page
)

// posts asks a WordPress for its posts (its REST API, /wp-json/wp/v2/posts), page by page: their addresses, titles, times of change and how many words they have.
// A site that has none says so at once. One that fails in the middle fails the reading; at the first page only where it had posts before.
func (r *reading) posts(ctx context.Context) error {
	had := r.Before != nil && slices.ContainsFunc(r.Before.Addresses, func(a Address) bool { return a.Source == CMS })
	for page, pages := 1, 1; page <= min(pages, maxPostPages); page++ {
		at := resolve(fmt.Sprintf("/wp-json/wp/v2/posts?per_page=%d&page=%d&orderby=id&order=asc&_fields=link,status,modified_gmt,title,content", postsAtOnce, page), r.root)
		response, err := r.get(ctx, at, maxPosts, false)
		var count int
		if err == nil && response != nil {
			count, err = r.postsOf(response, at.String())
		}
		switch {
		case err != nil && page == 1 && !had && ctx.Err() == nil:
			r.note("the site's WordPress is not read: %v", err)
			return nil
		case err != nil:
			return err
		case response == nil && page == 1:
			return nil // there is none
		case response == nil:
			return fail.New(fail.Invalid, "%s is not there, though the site says that it has %d pages of posts", at, pages)
		}
		if page == 1 {
			pages = max(1, count)
		}
	}
	return nil
}

// postsOf takes a page of posts, and says how many pages there are.
func (r *reading) postsOf(response *fetch.Response, at string) (pages int, err error) {
	place, _, _ := strings.Cut(at, "?")
	if response.Status != http.StatusOK { // 304: as it was; which posts it had, the number of its page tells
		return 0, fail.New(fail.Invalid, "%s answers with status %d", at, response.Status)
	}
	var posts []struct {
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
	if err := json.Unmarshal(response.Body, &posts); err != nil {
		return 0, fail.New(fail.Invalid, "%s is no list of posts: %v", at, err)
	}
	for _, post := range posts {
		u := resolve(post.Link, r.root)
		if u == nil || post.Content.Protected || post.Status != "" && post.Status != "publish" {
			continue
		}
		if host, ok := terms.Host(u.String()); !ok || !slices.Contains(r.Hosts, host) {
			r.others++
			continue
		}
		r.tell(Address{
			URL: u.String(), Place: place, Source: CMS, Title: strings.Join(strings.Fields(plain(post.Title.Rendered)), " "), Modified: post.Modified,
			Stated: &licence.Stated{Words: len(strings.Fields(plain(post.Content.Rendered)))},
		})
	}
	pages, err = strconv.Atoi(response.Header.Get("X-Wp-Totalpages"))
	if err != nil {
		return 1, nil
	}
	return pages, nil
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

var entities = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&nbsp;", " ", "&#8217;", "’", "&#8216;", "‘", "&#8220;", "“", "&#8221;", "”", "&#8211;", "–", "&#8212;", "—", "&#8230;", "…", "&#038;", "&")
