package ingest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/document"
)

// blog is a WordPress of a test.
type blog struct {
	*host
	mu      sync.Mutex
	posts   map[string][]map[string]any // by collection, in the order of their ids
	asked   []string
	spoil   func(collection string, page int, w http.ResponseWriter) bool // instead of an answer
	without string                                                        // a header that is not sent
	old     bool                                                          // it does not know modified_after
}

func newBlog(t *testing.T) *blog {
	b := &blog{host: newHost(t), posts: map[string][]map[string]any{}}
	b.web.Kind = "wordpress"
	b.put("/", pageOf("home"), "Link", `<HOSTLESS/wp-json/>; rel="https://api.w.org/"`)
	b.set("/", answer{body: pageOf("home"), do: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<http://`+r.Host+`/wp-json/>; rel="https://api.w.org/", </x>; rel=preload`)
		fmt.Fprint(w, pageOf("home"))
	}})
	for _, collection := range []string{"posts", "pages"} {
		b.set("/wp-json/wp/v2/"+collection+"*",
			answer{do: func(w http.ResponseWriter, r *http.Request) { b.serve(collection, w, r) }})
	}
	return b
}

// write puts a post in, or changes it.
func (b *blog) write(collection string, id int, name, modified string, more ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := map[string]any{
		"id": id, "link": fmt.Sprintf("%s/%s/%d/", b.server.URL, collection, id), "status": "publish",
		"date_gmt": modified, "modified_gmt": modified,
		"title": map[string]any{"rendered": name},
		"content": map[string]any{"rendered": "<p>All there is to know of <b>" + name + "</b>.</p>",
			"protected": false},
		"excerpt": map[string]any{"rendered": "<p>Of " + name + "</p>"},
	}
	for i := 0; i < len(more); i += 2 {
		one[more[i].(string)] = more[i+1]
	}
	b.posts[collection] = slices.DeleteFunc(b.posts[collection], func(p map[string]any) bool { return p["id"] == id })
	b.posts[collection] = append(b.posts[collection], one)
	slices.SortFunc(b.posts[collection], func(a, b map[string]any) int { return a["id"].(int) - b["id"].(int) })
}

func (b *blog) remove(collection string, id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posts[collection] = slices.DeleteFunc(b.posts[collection], func(p map[string]any) bool { return p["id"] == id })
}

// spoiled has answers spoiled from now on.
func (b *blog) spoiled(how func(collection string, page int, w http.ResponseWriter) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spoil = how
}

// serve answers as WordPress does: what is asked for by the parameters that this program uses.
func (b *blog) serve(collection string, w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := r.URL.Query()
	page := max(1, atoi(q.Get("page")))
	size := atoi(q.Get("per_page"))
	note := fmt.Sprintf("%s %s", collection, q.Get("page"))
	for _, name := range []string{"modified_after", "after", "include"} {
		if q.Has(name) {
			note += " " + name + "=" + q.Get(name)
		}
	}
	if q.Get("_fields") == "id" {
		note += " ids"
	}
	b.asked = append(b.asked, strings.Join(strings.Fields(note), " "))
	if b.spoil != nil && b.spoil(collection, page, w) {
		return
	}
	if size < 1 || size > 100 {
		http.Error(w, `{"code":"rest_invalid_param"}`, http.StatusBadRequest)
		return
	}
	var all []map[string]any
	for _, p := range b.posts[collection] {
		after := func(parameter, field string) bool {
			value, _ := p[field].(string)
			return !q.Has(parameter) || document.ParseDate(value+"Z").After(document.ParseDate(q.Get(parameter)))
		}
		include := !q.Has("include") || slices.Contains(strings.Split(q.Get("include"), ","), fmt.Sprint(p["id"]))
		if (b.old || after("modified_after", "modified_gmt")) && after("after", "date_gmt") && include {
			all = append(all, p)
		}
	}
	pages := (len(all) + size - 1) / size
	if page > max(1, pages) {
		http.Error(w, `{"code":"rest_post_invalid_page_number"}`, http.StatusBadRequest)
		return
	}
	for name, value := range map[string]int{"X-WP-Total": len(all), "X-WP-TotalPages": pages} {
		if b.without != name && b.without != "*" {
			w.Header().Set(name, strconv.Itoa(value))
		}
	}
	w.Header().Set("Content-Type", "application/json")
	part := all[min((page-1)*size, len(all)):min(page*size, len(all))]
	if part == nil {
		part = []map[string]any{}
	}
	if err := json.NewEncoder(w).Encode(part); err != nil {
		b.Error(err)
	}
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

func (b *blog) read() Report {
	b.Helper()
	b.mu.Lock()
	b.asked = nil
	b.mu.Unlock()
	b.sleepFor(24 * time.Hour)
	return b.mustRun()
}

func (b *blog) wantRequests(want ...string) {
	b.Helper()
	if !slices.Equal(b.asked, want) {
		b.Errorf("asked for %q, want %q", b.asked, want)
	}
}

// TestAWordPressIsReadByItsAPI reads posts and pages, with what the API tells of them (RAMP v1,
// Ingestion, CMS API).
func TestAWordPressIsReadByItsAPI(t *testing.T) {
	t.Parallel()
	b := newBlog(t)
	b.write("posts", 7, "Tom &amp; <i>Jerry&#8217;s</i> soup", "2026-01-02T03:04:05", "_embedded", map[string]any{
		"author":           []any{map[string]any{"name": "Ann"}, map[string]any{"code": "rest_user_invalid_id"}},
		"wp:featuredmedia": []any{map[string]any{"source_url": b.server.URL + "/soup.jpg"}},
		"wp:term": []any{[]any{map[string]any{"name": "Food &amp; Drink"}},
			[]any{map[string]any{"name": "cats"}}},
	})
	b.write("pages", 2, "About", "2026-01-01T00:00:00")
	b.write("posts", 8,
		"Secret", "2026-01-03T00:00:00", "content", map[string]any{"rendered": "hidden", "protected": true})
	b.write("posts", 9, "Draft", "2026-01-03T00:00:00", "status", "draft")
	b.write("posts", 10, "Elsewhere", "2026-01-03T00:00:00", "link", "https://other.example/10")
	report := b.read()
	b.wantRequests("posts 1", "pages 1")
	b.wantItems("/pages/2/ About", "/posts/7/ Tom & Jerry’s soup")
	if report.Web.Kind != "wordpress" || report.Web.Hidden != 2 || report.Web.Useless != 1 ||
		!strings.Contains(report.Web.Note, "crawl.hosts") {
		t.Errorf("%+v", report.Web)
	}
	if err := b.catalog.EachItem(t.Context(), "shop.example", func(i content.Item) error {
		if strings.Contains(i.URL, "/7/") {
			text := i.Passages[0].Text
			for _, part := range []string{`"Article"`, `"author":`, `Ann`, `soup.jpg`, `Food & Drink, cats`, `2026-01-02T03:04:05Z`} {
				if !strings.Contains(string(i.Object), strings.ReplaceAll(part, "&", `&`)) &&
					!strings.Contains(strings.Join(i.Types, " "), strings.Trim(part, `"`)) {
					t.Errorf("no %s in %s", part, i.Object)
				}
			}
			if !strings.Contains(text, "All there is to know of Tom & Jerry’s soup.") || strings.Contains(text, "<") {
				t.Errorf("%q", text)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestAWordPressIsAskedForWhatChanged counts requests from run to run: what changed, what is new,
// what is gone, and what became hidden.
func TestAWordPressIsAskedForWhatChanged(t *testing.T) {
	t.Parallel()
	b := newBlog(t)
	for id := range 250 {
		b.write("posts", id+1, fmt.Sprintf("Post %d", id+1), "2026-01-01T00:00:00")
	}
	b.write("pages", 1, "About", "2026-01-02T00:00:00")
	b.read()
	b.wantRequests("posts 1", "posts 2", "posts 3", "pages 1")
	if got := len(b.items()); got != 251 {
		t.Fatalf("%d items", got)
	}
	since := func(at string) []string {
		return []string{"posts 1 modified_after=" + at, "posts 1 after=" + at, "posts ids",
			"pages 1 modified_after=" + at, "pages 1 after=" + at, "pages ids"}
	}
	// the page's day counts once more
	if report := b.read(); report.Summary.Unchanged != 251 || report.Web.Unchanged != 250 {
		t.Errorf("%+v %+v", report.Summary, report.Web)
	}
	b.wantRequests(since("2026-01-01T00:00:00Z")...)

	b.write("posts", 5, "Changed", "2026-02-01T10:00:00")
	b.write("posts", 900, "New", "2026-02-01T11:00:00")
	if report := b.read(); report.Summary.Changed != 1 || report.Summary.Added != 1 || report.Summary.Removed != 0 {
		t.Errorf("%+v", report.Summary)
	}
	b.wantRequests(since("2026-01-01T00:00:00Z")...)

	b.remove("posts", 6)
	b.write("posts", 7, "Secret", "2026-02-01T12:00:00", "content", map[string]any{"rendered": "", "protected": true})
	b.write("posts", 800, "Planned long ago", "2025-01-01T00:00:00", "date_gmt", "2026-02-01T12:00:00")
	if report := b.read(); report.Summary.Removed != 2 || report.Summary.Added != 1 || report.Web.Gone != 1 {
		t.Errorf("%+v %+v", report.Summary, report.Web)
	}
	want := since("2026-01-31T11:00:00Z")
	want = slices.Insert(want, 3, "posts 1 ids", "posts 2 ids", "posts 3 ids")
	b.wantRequests(want...)
	b.write("posts", 799, "Appeared", "2024-01-01T00:00:00") // which only the number of posts tells
	if report := b.read(); report.Summary.Added != 1 || !slices.Contains(b.asked, "posts 1 include=799") {
		t.Errorf("%+v %q", report.Summary, b.asked)
	}
	before := b.items()
	b.sleepFor(7 * 24 * time.Hour) // after which everything is asked for
	b.read()
	b.wantRequests("posts 1", "posts 2", "posts 3", "pages 1")
	b.wantItems(before...)
	b.old = true // one that does not know modified_after gives everything
	b.write("posts", 5, "Changed again", "2026-02-02T10:00:00")
	if report := b.read(); report.Summary.Changed != 1 || report.Summary.Removed != 0 {
		t.Errorf("%+v", report.Summary)
	}
}

// TestAWordPressThatFailsChangesNothing breaks each answer of a run in many ways: the old stands,
// and the error names the place.
func TestAWordPressThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBlog(t)
	for id := range 150 {
		b.write("posts", id+1, fmt.Sprintf("Post %d", id+1), "2026-01-01T00:00:00")
	}
	b.write("pages", 1, "About", "2026-01-02T00:00:00")
	b.read()
	before := b.items()
	spoils := map[string]func(w http.ResponseWriter){
		"500": func(w http.ResponseWriter) { http.Error(w, "no", http.StatusInternalServerError) },
		"429": func(w http.ResponseWriter) {
			http.Error(w, "no", http.StatusTooManyRequests)
		},
		"no JSON":   func(w http.ResponseWriter) { fmt.Fprint(w, "<br /><b>Warning</b>: mysqli_connect()") },
		"an object": func(w http.ResponseWriter) { fmt.Fprint(w, `{"code":"rest_disabled"}`) },
		"cut":       func(w http.ResponseWriter) { w.Header().Set("Content-Length", "1000"); fmt.Fprint(w, `[{"id":1,`) },
		"closed":    func(w http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"half":      func(w http.ResponseWriter) { fmt.Fprint(w, `[{"id":1},`) },
		"forbidden": func(w http.ResponseWriter) { http.Error(w, "no", http.StatusForbidden) },
	}
	for whole, passing := range map[bool]time.Duration{true: 8 * 24 * time.Hour, false: 0} {
		b.sleepFor(passing)
		for name, spoil := range spoils {
			if !whole && name != "500" && name != "no JSON" && name != "closed" {
				continue // which have been seen
			}
			for at := 1; ; at++ { // each answer of the run
				n := 0
				b.write("posts", 1, fmt.Sprintf("%s %d %t", name, at, whole), "2026-03-01T00:00:00")
				b.spoiled(func(_ string, _ int, w http.ResponseWriter) bool {
					if n++; n == at || (name == "429" || name == "closed") && n >= at {
						spoil(w)
						return true
					}
					return false
				})
				_, err := b.run()
				b.spoiled(nil) // from here on nobody counts
				if n < at {
					break
				}
				if err == nil || !strings.Contains(err.Error(), "wp-json") && !strings.Contains(err.Error(), "API") {
					t.Fatalf("%s, answer %d, whole %t: %v", name, at, whole, err)
				}
				b.wantItems(before...)
				if s := b.sources(); s.LastError == "" {
					t.Fatal("the source's owner is not told")
				}
			}
			b.mustRun()
			before = b.items()
			b.sleepFor(passing)
		}
	}
}

// TestABadPostIsNamedAndWhatItWasStays has entries that cannot be read among good ones.
func TestABadPostIsNamedAndWhatItWasStays(t *testing.T) {
	t.Parallel()
	b := newBlog(t)
	for id := range 6 {
		b.write("posts", id+1, fmt.Sprintf("Post %d", id+1), "2026-01-01T00:00:00")
	}
	b.read()
	before := b.items()
	b.write("posts", 2, "x", "2026-02-01T00:00:00", "title", "no object")
	b.write("posts", 3, "x", "2026-02-01T00:00:00", "link", "javascript:alert(1)")
	b.write("posts", 4, "x", "2026-02-01T00:00:00", "link", 7)
	b.write("posts", 5, "", "2026-02-01T00:00:00", "content", map[string]any{}, "excerpt", map[string]any{},
		"title", map[string]any{})
	b.write("posts", 6, "Six", "2026-02-01T00:00:00")
	for _, whole := range []bool{false, true} {
		if whole {
			b.sleepFor(8 * 24 * time.Hour)
		}
		report := b.read()
		if report.SkippedCount < 3 ||
			!strings.Contains(fmt.Sprint(report.Skipped), "page=1#2") &&
				!strings.Contains(fmt.Sprint(report.Skipped), "#") {
			t.Errorf("%d %+v", report.SkippedCount, report.Skipped)
		}
		want := slices.Clone(before)
		want[5] = "/posts/6/ Six"
		b.wantItems(want...)
	}
	b.write("posts", 2, "Two", "2026-03-01T00:00:00")
	b.read()
	if !slices.Contains(b.items(), "/posts/2/ Two") {
		t.Errorf("a post that was mended is not read: %q", b.items())
	}
}

// TestWordPressesOfTheWild do without headers, hide their pages, have their API elsewhere, and move
// posts while they are read.
func TestWordPressesOfTheWild(t *testing.T) {
	t.Parallel()
	for _, without := range []string{"X-WP-Total", "X-WP-TotalPages", "*"} {
		b := newBlog(t)
		b.without = without
		for id := range 200 { // a full last page
			b.write("posts", id+1, fmt.Sprintf("Post %d", id+1), "2026-01-01T00:00:00")
		}
		b.write("pages", 1, "About", "2026-01-01T00:00:00")
		b.read()
		b.remove("posts", 3)
		b.read()
		if got := len(b.items()); got != 200 {
			t.Errorf("without %s: %d items", without, got)
		}
	}
	t.Run("pages that nobody may see", func(t *testing.T) {
		b := newBlog(t)
		b.write("posts", 1, "One", "2026-01-01T00:00:00")
		b.spoiled(func(collection string, _ int, w http.ResponseWriter) bool {
			if collection == "pages" {
				http.Error(w, `{"code":"rest_forbidden"}`, http.StatusUnauthorized)
			}
			return collection == "pages"
		})
		b.read()
		b.wantItems("/posts/1/ One")
	})
	t.Run("an API elsewhere", func(t *testing.T) {
		b := newBlog(t)
		b.write("posts", 1, "One", "2026-01-01T00:00:00")
		b.set("/", answer{status: http.StatusInternalServerError})
		if _, err := b.run(); err == nil {
			t.Error("a site that is down is read")
		}
		b.web.URL = "/wp-json/"
		b.read()
		b.wantItems("/posts/1/ One")
		b.web.URL = "/"
		b.web.Agent = "another" // and so everything is asked for once more
		b.set("/", answer{do: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", `<https://evil.example/wp-json/>; rel="https://api.w.org/"`)
		}})
		if _, err := b.run(); err == nil || !strings.Contains(err.Error(), "evil.example") {
			t.Errorf("%v", err)
		}
		b.set("/index.php*", answer{do: func(w http.ResponseWriter, r *http.Request) {
			b.serve(strings.TrimPrefix(r.URL.Query().Get("rest_route"), "/wp/v2/"), w, r)
		}})
		b.set("/", answer{do: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", `</index.php?rest_route=/>; rel="https://api.w.org/"`)
		}})
		b.read()
		b.wantItems("/posts/1/ One")
	})
	t.Run("no WordPress", func(t *testing.T) {
		b := newBlog(t)
		b.drop("/wp-json/wp/v2/posts*", "/wp-json/wp/v2/pages*")
		if _, err := b.run(); err == nil || !strings.Contains(err.Error(), "no WordPress") {
			t.Errorf("%v", err)
		}
	})
	t.Run("posts that move while they are read", func(t *testing.T) {
		b := newBlog(t)
		for id := range 150 {
			b.write("posts", id+1, fmt.Sprintf("Post %d", id+1), "2026-01-01T00:00:00")
		}
		b.read()
		b.sleepFor(8 * 24 * time.Hour)
		b.spoiled(func(collection string, page int, _ http.ResponseWriter) bool {
			if collection == "posts" && page == 2 && len(b.posts["posts"]) == 150 {
				b.posts["posts"] = b.posts["posts"][1:] // so that the first of the second page is on the first now
			}
			return false
		})
		b.read()
		if !slices.Contains(b.items(), "/posts/101/ Post 101") {
			t.Error("a post leaves that only moved")
		}
	})
	t.Run("too many", func(t *testing.T) {
		b := newBlog(t)
		b.web.Pages = 100
		for id := range 150 {
			b.write("posts", id+1, fmt.Sprintf("Post %d", id+1), "2026-01-01T00:00:00")
		}
		if report := b.read(); len(b.items()) != 100 || report.Web.Beyond != 50 {
			t.Errorf("%d items, %+v", len(b.items()), report.Web)
		}
	})
	t.Run("answers that are too large", func(t *testing.T) {
		b := newBlog(t)
		b.web.MaxBytes = 20_000
		for id := range 90 {
			b.write("posts", id+1, fmt.Sprintf("Post %d", id+1), "2026-01-01T00:00:00")
		}
		if b.read(); len(b.items()) != 90 {
			t.Errorf("%d items", len(b.items()))
		}
	})
}
