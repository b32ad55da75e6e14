package kill

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// slowSite is a web site with a first page that links to others. A page that stalls is not answered
// until its asker goes away, which is told on left.
type slowSite struct {
	server *httptest.Server
	came   chan string // pages that were asked for while they stall
	left   chan string // stalled pages whose asker has gone

	mu     sync.Mutex
	stalls string // the page that stalls
	lamp   string // what the page of the lamp says
	asked  []string
}

func newSlowSite(t *testing.T) *slowSite {
	s := &slowSite{came: make(chan string, 16), left: make(chan string, 16), lamp: "brass"}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		stalls, lamp := s.stalls == r.URL.Path, s.lamp
		s.mu.Unlock()
		if stalls {
			s.came <- r.URL.Path
			<-r.Context().Done()
			s.left <- r.URL.Path
			return
		}
		page := func(name, text, links string) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<html lang="en"><head><title>%s</title></head><body><main><h1>%s</h1><p>%s</p></main>%s</body></html>`, name, name, text, links)
		}
		switch r.URL.Path {
		case "/":
			page("Lamps", "Welcome to the house of lamps, which are kept in order and lit at night.", `<a href="/lamp.html">one</a> <a href="/chair.html">two</a>`)
		case "/lamp.html":
			page("Night lamp", "This lamp is made of "+lamp+", and gives light for as long as somebody reads.", "")
		case "/chair.html":
			page("Garden chair", "This chair stands in the garden, where somebody sits for as long as it is light.", "")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.server.Close)
	return s
}

// set says which page stalls, empty for none, and of what the lamp is, and gives how often the site
// was asked so far.
func (s *slowSite) set(stalls, lamp string) (asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalls, s.lamp = stalls, lamp
	return len(s.asked)
}

func (s *slowSite) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// TestASiteIsReadAgainForAPromise has a question read a web site again before it is answered, while
// the site is slow: what is asked meanwhile is answered from before, cancelling ends the request
// that is under way and asks for nothing more, and after a kill the site is read anew.
func TestASiteIsReadAgainForAPromise(t *testing.T) {
	t.Parallel()
	site := newSlowSite(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "frontdesk.yaml")
	text := fmt.Sprintf(`
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
fetch: {interval: 0s}
sources: [{name: lamps, url: %q, kind: crawl}]
ask: {promise: {fresh: {enabled: true, every: 0s}}}
`, site.server.URL+"/")
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	process.MustRun(t, "ingest", "--config", config)
	server := process.Start(t, "serve", "--config", config)
	fresh := func() string {
		t.Helper()
		status, r := post(t, server, "/ask", `{"query":{"text":"night lamp"},"prefer":{"fresh":true}}`)
		if status != http.StatusAccepted || r.Promise.Token == "" {
			t.Fatalf("%d: %s", status, r.raw)
		}
		return r.Promise.Token
	}
	hears := func(what string, told chan string) {
		t.Helper()
		select {
		case page := <-told:
			if page != "/lamp.html" {
				t.Fatalf("%s: %s", what, page)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: never", what)
		}
	}

	site.set("/lamp.html", "silver")
	token := fresh()
	hears("the page that stalls is asked for", site.came)
	if status, r := post(t, server, "/await", `{"promise_token":"`+token+`","action":"checkin"}`); status != http.StatusAccepted {
		t.Errorf("meanwhile the promise is %d: %s", status, r.raw)
	}
	if _, r := post(t, server, "/ask", `{"query":{"text":"night lamp"}}`); !strings.Contains(r.raw, "brass") {
		t.Errorf("meanwhile a question is answered with %s", r.raw)
	}
	if _, r := post(t, server, "/await", `{"promise_token":"`+token+`","action":"cancel"}`); r.Error.Code != "CANCELLED" {
		t.Fatalf("cancelled: %s", r.raw)
	}
	hears("the request under way ends", site.left)
	before := site.set("", "silver")
	if _, r := post(t, server, "/ask", `{"query":{"text":"night lamp"}}`); !strings.Contains(r.raw, "brass") {
		t.Errorf("what was read in part is taken over: %s", r.raw)
	}
	if answer := awaited(t, server, fresh()); !strings.Contains(answer, "silver") {
		t.Errorf("read again, it is answered with %s", answer)
	}
	if again := site.requests() - before; again == 0 || again > 5 { // robots.txt, a sitemap it may be, and three pages
		t.Errorf("the site was asked %d times", again)
	}

	site.set("/lamp.html", "gold")
	token = fresh()
	hears("the page that stalls is asked for", site.came)
	server.Kill()
	hears("the request of the server that was killed ends", site.left)
	site.set("", "gold")
	server = process.Start(t, "serve", "--config", config)
	if answer := awaited(t, server, token); !strings.Contains(answer, "gold") {
		t.Errorf("after a kill it is answered with %s", answer)
	}
}
