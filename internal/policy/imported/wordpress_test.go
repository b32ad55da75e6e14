package imported

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/infra/fetch"
)

// blog is a WordPress of a test, as far as its posts are asked for.
type blog struct {
	mu     sync.Mutex
	posts  []*written
	silent bool // it does not say how many posts there are
	more   int  // it says so many more than it lists
	status int  // which it answers instead, unless 0
}

// written is a post of a blog.
type written struct {
	id                     int
	link, title, text      string
	date, modified, status string
	protected              bool
}

func (b *blog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.status != 0 {
		w.WriteHeader(b.status)
		return
	}
	query := r.URL.Query()
	var all []*written
	for _, p := range b.posts {
		since := func(name, value string) bool {
			return query.Get(name) == "" || value > strings.TrimSuffix(query.Get(name), "Z")
		}
		if p.status == "" && since("modified_after", p.modified) && since("after", p.date) &&
			(query.Get("include") == "" ||
				slices.Contains(strings.Split(query.Get("include"), ","), strconv.Itoa(p.id))) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *written) int { return cmp.Compare(a.id, b.id) })
	size, _ := strconv.Atoi(query.Get("per_page"))
	page := max(1, func() int { n, _ := strconv.Atoi(query.Get("page")); return n }())
	if !b.silent {
		w.Header().Set("X-WP-Total", strconv.Itoa(len(all)+b.more))
	}
	pages := (len(all) + size - 1) / size
	w.Header().Set("X-WP-TotalPages", strconv.Itoa(pages))
	if page > 1 && page > pages {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	out := []map[string]any{}
	for _, p := range all[(page-1)*size : min(page*size, len(all))] {
		one := map[string]any{"id": p.id}
		if query.Get("_fields") != "id" {
			one["link"], one["status"], one["modified_gmt"] = strings.ReplaceAll(p.link, "HOST", "http://"+r.Host),
				"publish", p.modified
			one["title"], one["content"] = map[string]any{"rendered": p.title},
				map[string]any{"rendered": p.text, "protected": p.protected}
		}
		out = append(out, one)
	}
	_ = json.NewEncoder(w).Encode(out)
}

// write puts a post there, changed at a time.
func (b *blog) write(id int, title string, at time.Time) *written {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := at.Format("2006-01-02T15:04:05")
	b.posts = append(b.posts, &written{id: id, link: fmt.Sprintf("HOST/%d", id), title: title,
		text: "<p>Some words</p>", date: text, modified: text})
	return b.posts[len(b.posts)-1]
}

func (b *blog) change(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
}

// at reads the site at a time, as of a tenant.
func (h *host) at(now time.Time, before *Snapshot, full bool) (*Snapshot, error) {
	h.mu.Lock()
	h.asked = nil
	h.mu.Unlock()
	return Read(h.Context(), Request{
		Site: "a", URL: h.server.URL + "/", Own: true, Hosts: []string{"127.0.0.1"}, PlainSitemaps: true,
		Previous: before, Full: full, Now: func() time.Time { return now },
		Visitor: fetch.NewCrawler(fetch.New(fetch.Options{}), fetch.CrawlerOptions{}),
	})
}

// asks are the questions for posts of the last reading, in words.
func (h *host) asks() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, uri := range h.asked {
		if query, of := strings.CutPrefix(uri, "/wp-json/wp/v2/posts?"); of {
			for _, word := range []string{"orderby=id", "order=asc", "per_page=100", "_fields=" + postFields,
				"_fields=id"} {
				query = strings.ReplaceAll(strings.ReplaceAll(query, "&"+word, ""), word+"&", "")
			}
			all = append(all, query)
		}
	}
	return all
}

// titles are the posts that a snapshot tells of.
func (h *host) titles(s *Snapshot) (all []string) {
	for _, a := range s.Addresses {
		if a.Source == CMS {
			all = append(all, strings.TrimPrefix(a.URL, h.server.URL)+" "+a.Title)
		}
	}
	slices.Sort(all)
	return all
}

func TestPostsOfAWordPressAreReadPageByPage(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.press = &blog{}
	one := h.press.write(1, "One &amp; <i>two</i>", noon)
	one.text = "<p>Three words here</p><p>more</p>"
	h.press.write(2, "Elsewhere", noon).link = "https://other.example/"
	h.press.write(3, "Secret", noon).protected = true
	for id := 4; id <= 150; id++ {
		h.press.write(id, "Another", noon)
	}
	h.pages["/sitemap.xml"] = page{body: ramp}
	s, err := h.at(noon, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	told := h.titles(s)
	if len(told) != 148 || !slices.Contains(told, "/1 One & two") || !slices.Contains(told, "/150 Another") ||
		len(s.Addresses) != 150 || slices.Contains(told, "/3 Secret") {
		t.Errorf("%d addresses, of posts %q", len(s.Addresses), told)
	}
	if a := s.Addresses[2]; a.Stated.Words != 4 || a.Modified != "2027-05-04T12:00:00" || a.Post != 1 {
		t.Errorf("%+v", a)
	}
	if want := []string{"page=1", "page=2"}; !slices.Equal(h.asks(), want) {
		t.Errorf("asked %q, want %q", h.asks(), want)
	}
	if own, err := h.read(nil, false); err != nil || len(h.asks()) > 0 {
		t.Errorf("of a site of one's own posts are asked for: %+v, %v", own, err)
	}
	h.press.change(func() { h.press.status = 500 })
	if again, err := h.at(noon, nil, true); err != nil || len(h.titles(again)) > 0 ||
		!strings.Contains(strings.Join(again.Notes, " "), "WordPress") {
		t.Errorf("of a site that never had posts: %+v, %v", again, err)
	}
	for _, full := range []bool{false, true} {
		if _, err := h.at(noon, s, full); err == nil {
			t.Errorf("posts that were there are gone by accident (full: %t)", full)
		}
	}
}

// TestPostsThatDoNotShowAnyMoreLeaveByWordAlone closes the API: what it told stays, unless that is
// meant.
func TestPostsThatDoNotShowAnyMoreLeaveByWordAlone(t *testing.T) {
	t.Parallel()
	before := &Status{Site: "a", Addresses: 200, Posts: 30}
	s := &Snapshot{Site: "a"}
	for i := range 200 {
		s.Addresses = append(s.Addresses, Address{URL: strconv.Itoa(i), Source: Sitemap})
	}
	if err := shrinks(before, s); err == nil || !strings.Contains(err.Error(), "allow_shrink") {
		t.Errorf("%v", err)
	}
	for i := range 15 {
		s.Addresses[i].Source = CMS
	}
	if err := shrinks(before, s); err != nil {
		t.Errorf("half of them: %v", err)
	}
	s.Addresses[0].Source = Sitemap
	if err := shrinks(before, s); err == nil {
		t.Error("less than half of them may go")
	}
	h := newHost(t)
	h.press = &blog{}
	h.press.write(1, "One", noon)
	had, err := h.at(noon, nil, false)
	if err != nil || had.posts() != 1 {
		t.Fatalf("%+v, %v", had, err)
	}
	h.press.change(func() { h.press.status = 401 })
	if s, err := h.at(noon, had, false); err != nil || s.posts() != 0 || s.Posts != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestATenantsWordPressIsAskedForWhatChanged(t *testing.T) {
	t.Parallel()
	h, now := newHost(t), noon
	h.press = &blog{}
	for id := 1; id <= 120; id++ {
		h.press.write(id, "First", now.Add(-time.Hour*time.Duration(1000+id)))
	}
	h.press.posts[3].link, h.press.posts[4].protected = "https://other.example/4", true
	s, err := h.at(now, nil, true)
	if err != nil || len(h.titles(s)) != 118 {
		t.Fatalf("%d posts, %v", len(h.titles(s)), err)
	}
	step := func(name string, full bool, asked []string, change func()) {
		t.Helper()
		now = now.Add(time.Hour)
		h.press.change(change)
		next, err := h.at(now, s, full)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		whole, err := h.at(now, nil, true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(h.titles(next), h.titles(whole)) || !slices.Equal(next.Posts.IDs, whole.Posts.IDs) {
			t.Errorf("%s: %d posts, and read whole %d", name, len(h.titles(next)), len(h.titles(whole)))
		}
		if _, err := h.at(now, s, full); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range h.asks() {
			one, _, _ = strings.Cut(one, "=2027-")
			got = append(got, one)
		}
		if !slices.Equal(got, asked) {
			t.Errorf("%s: asked %q, want %q", name, got, asked)
		}
		s = next
	}
	changed := []string{"page=1&modified_after", "page=1&after", "per_page=1"}
	stamp := func() string { return now.Format("2006-01-02T15:04:05") }
	byNumber := append(slices.Clone(changed), "page=1", "page=2")
	step("nothing", false, changed, func() {})
	step("nothing, once a day", true, changed, func() {})
	step("a post is changed", false, changed, func() {
		h.press.posts[0].title, h.press.posts[0].modified = "Second",
			stamp()
	})
	step("a post is added", false, changed, func() {
		h.press.posts = append(h.press.posts, &written{id: 500, link: "HOST/500", title: "New", date: stamp(),
			modified: stamp()})
	})
	step("one that was planned appears", false, changed, func() {
		h.press.posts = append(h.press.posts, &written{id: 501, link: "HOST/501", title: "Planned", date: stamp(),
			modified: "2027-01-01T00:00:00"})
	})
	step("one is locked, another opened", false, changed, func() {
		h.press.posts[1].protected, h.press.posts[1].modified = true, stamp()
		h.press.posts[4].protected, h.press.posts[4].modified = false, stamp()
	})
	step("one moves", false, changed, func() {
		h.press.posts[2].link, h.press.posts[2].modified = "HOST/moved",
			stamp()
	})
	step("one is taken out", false, byNumber, func() { h.press.posts = slices.Delete(h.press.posts, 10, 11) })
	step("one becomes a draft", false, byNumber, func() { h.press.posts[20].status = "draft" })
	step("it is published again", false, append(slices.Clone(byNumber), "page=1&include=22"), func() {
		h.press.posts[20].status = ""
	})
	step("nobody says how many there are", false, byNumber, func() { h.press.silent = true })

	// What changes without saying so is seen when all are asked for, after a week.
	h.press.change(func() { h.press.silent, h.press.posts[50].title = false, "In secret" })
	now = noon.Add(wholeEvery - time.Second)
	if next, err := h.at(now, s, true); err != nil ||
		slices.ContainsFunc(h.titles(next), func(one string) bool { return strings.Contains(one, "In secret") }) {
		t.Errorf("everything is asked for before a week is over: %v", err)
	}
	now = noon.Add(wholeEvery)
	if next, err := h.at(now, s, false); err != nil ||
		!slices.ContainsFunc(h.titles(next), func(one string) bool { return strings.Contains(one, "In secret") }) ||
		!next.Posts.Whole.Equal(now) {
		t.Errorf("not everything is asked for after a week: %v", err)
	}
}

// TestPostsThatWereMissedStay has a site list less than it says that it has, as one does whose
// posts move from page to page while they are asked for.
func TestPostsThatWereMissedStay(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.press = &blog{}
	for id := 1; id <= 10; id++ {
		h.press.write(id, "A post", noon)
	}
	s, err := h.at(noon, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	h.press.change(func() { h.press.posts, h.press.more = h.press.posts[1:], 1 })
	for _, now := range []time.Time{noon.Add(time.Hour), noon.Add(wholeEvery)} {
		if next, err := h.at(now, s, false); err != nil || next.posts() != 10 || len(next.Posts.IDs) != 10 {
			t.Errorf("%d posts, %v", next.posts(), err)
		}
	}
	h.press.change(func() { h.press.more = 0 })
	for _, now := range []time.Time{noon.Add(time.Hour), noon.Add(wholeEvery)} {
		if next, err := h.at(now, s, false); err != nil || next.posts() != 9 || len(next.Posts.IDs) != 9 {
			t.Errorf("%d posts, %v", next.posts(), err)
		}
	}
}

// TestWhatIsAskedForStepByStepIsWhatThereIs edits a blog at random: what is told of it by what
// changed is what is told of it read whole.
func TestWhatIsAskedForStepByStepIsWhatThereIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		h := newHost(t)
		defer h.server.Close()
		h.press = &blog{}
		now, next := noon, 1
		add := func() { h.press.write(next, fmt.Sprint("Title ", next), now); next++ }
		for range rapid.IntRange(1, 130).Draw(rt, "posts") {
			add()
		}
		s, err := h.at(now, nil, false)
		if err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(rt, "readings") {
			for range rapid.IntRange(0, 4).Draw(rt, "edits") {
				now = now.Add(time.Duration(rapid.IntRange(1, 30).Draw(rt, "hours")) * time.Hour)
				kind := rapid.IntRange(0, 3).Draw(rt, "edit")
				if len(h.press.posts) == 0 || kind == 0 {
					add()
					continue
				}
				i := rapid.IntRange(0, len(h.press.posts)-1).Draw(rt, "which")
				h.press.change(func() {
					p := h.press.posts[i]
					switch kind {
					case 1:
						p.title, p.modified = "Changed at "+now.String(), now.Format("2006-01-02T15:04:05")
					case 2:
						h.press.posts = slices.Delete(h.press.posts, i, i+1)
					case 3:
						p.protected, p.modified = !p.protected, now.Format("2006-01-02T15:04:05")
					}
				})
			}
			if s, err = h.at(now, s, false); err != nil {
				rt.Fatal(err)
			}
			whole, err := h.at(now, nil, true)
			if err != nil {
				rt.Fatal(err)
			}
			if !slices.Equal(h.titles(s), h.titles(whole)) {
				rt.Fatalf("%q, and read whole %q", h.titles(s), h.titles(whole))
			}
		}
	})
}
