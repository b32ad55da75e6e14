package demo

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const base = "http://desk.example:8080"

func get(h http.Handler, address string) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", address, nil))
	return w.Result()
}

// page fetches and parses a page, and reports what a page must not have.
func page(t *testing.T, h http.Handler, address string) *html.Node {
	t.Helper()
	answer := get(h, address)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s", address, answer.Status)
	}
	if csp := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") ||
		strings.Contains(csp, "unsafe") {
		t.Errorf("GET %s: policy %q", address, csp)
	}
	root, err := html.Parse(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestEveryPageIsSound(t *testing.T) {
	t.Parallel()
	h := Pages(base)
	addresses := []string{"/sample/"}
	for _, site := range Sites {
		addresses = append(addresses, "/sample/"+site.ID+"/")
	}
	for _, item := range sample(t) {
		if !item.Draft() {
			addresses = append(addresses, item.URL)
		}
	}
	leads := map[string]bool{} // the addresses that links lead to, each followed once
	for _, address := range addresses {
		count := map[string]int{}
		for n := range page(t, h, address).Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			count[n.Data]++
			checkElement(t, address, n, leads)
		}
		if count["h1"] != 1 || count["main"] != 1 || count["title"] != 1 {
			t.Errorf("%s has %d h1, %d main, %d title", address, count["h1"], count["main"], count["title"])
		}
		if strings.Count(address, "/") > 3 && count["script"] != 1 {
			t.Errorf("%s has %d JSON-LD blocks, want 1", address, count["script"])
		}
	}
	for target := range leads {
		if answer := get(h, target); answer.StatusCode != http.StatusOK {
			t.Errorf("a link leads to %s: %s", target, answer.Status)
		}
	}
}

// checkElement holds that links stay on the sites, that nothing is inline that the policy would
// refuse, and that the canonical address and the JSON-LD are those of the page. It notes where
// links lead.
func checkElement(t *testing.T, address string, n *html.Node, leads map[string]bool) {
	t.Helper()
	for _, a := range n.Attr {
		if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
			t.Errorf("%s: <%s> has an inline %s", address, n.Data, a.Key)
		}
	}
	switch n.Data {
	case "a", "img", "link":
		target := attribute(n, "href") + attribute(n, "src")
		if attribute(n, "rel") == "canonical" {
			if target != base+address {
				t.Errorf("%s: canonical address %q", address, target)
			}
			return
		}
		if strings.HasPrefix(target, "/sample/") {
			leads[target] = true
		} else if target != "/" && target != "#main" {
			t.Errorf("%s leads away, to %q", address, target)
		}
	case "script":
		var object map[string]any
		if err := json.Unmarshal([]byte(n.FirstChild.Data), &object); err != nil {
			t.Errorf("%s: JSON-LD: %v", address, err)
		} else if object["url"] != base+address {
			t.Errorf("%s: JSON-LD has the url %v", address, object["url"])
		}
	}
}

func TestPremiumPageShowsTheBeginningAlone(t *testing.T) {
	t.Parallel()
	h := Pages(base)
	const address = "/sample/review/premium/inside-the-dredging-contract"
	text, _ := io.ReadAll(get(h, address).Body)
	if !strings.Contains(string(text), "Mud is the one crop that never fails") {
		t.Error("the excerpt is missing")
	}
	for _, secret := range []string{"clause 14", "comma costs the town"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the page gives away %q", secret)
		}
	}
}

func TestDraftsAndUnknownAddressesHaveNoPage(t *testing.T) {
	t.Parallel()
	h := Pages(base)
	for _, address := range []string{
		"/sample/review/drafts/notes-mayor-interview", "/sample/images/notes-mayor-interview.svg",
		"/sample/kitchen/no-such-dish", "/sample/nowhere/", "/sample/images/..%2fdemo.svg", "/sample/images/x.png",
		"/other",
	} {
		if answer := get(h, address); answer.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s: %s, want 404", address, answer.Status)
		}
	}
}

func TestPicturesAreWellFormedAndKept(t *testing.T) {
	t.Parallel()
	h := Pages(base)
	for _, item := range sample(t) {
		if item.Draft() {
			continue
		}
		answer := get(h, item.Image)
		decoder := xml.NewDecoder(answer.Body)
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", item.Image, err)
			}
		}
		again := httptest.NewRequest("GET", item.Image, nil)
		again.Header.Set("If-None-Match", answer.Header.Get("ETag"))
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, again); w.Code != http.StatusNotModified {
			t.Errorf("%s asked for again: %d, want 304", item.Image, w.Code)
		}
	}
}

func TestWordsForNumbers(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		duration("PT1H15M"):                       "1 h 15 min",
		duration("PT20M"):                         "20 min",
		duration("a while"):                       "a while",
		day("2026-03-09"):                         "9 March 2026",
		diet("https://schema.org/GlutenFreeDiet"): "gluten free",
		money(offer{Price: "58.00"}):              "$58",
		money(offer{Price: "19.50"}):              "$19.50",
		money(offer{Price: "0"}):                  "Free",
		span("2027-04-24T11:00:00Z",
			"2027-04-25T18:00:00Z"): "Saturday 24 April 2027, 11:00 to Sunday 25 April 2027, 18:00",
		span("2027-02-05T19:00:00Z", "2027-02-05T21:15:00Z"): "Friday 5 February 2027, 19:00 to 21:15",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLinksBeginWithThePathOfTheBase(t *testing.T) {
	t.Parallel()
	h := Pages("https://www.example.com/desk")
	seen := map[string]bool{}
	var visit func(address string)
	visit = func(address string) {
		if seen[address] || len(seen) > 200 {
			return
		}
		seen[address] = true
		if !strings.HasPrefix(address, "/desk/") {
			t.Errorf("%s leads out of the front desk", address)
			return
		}
		if address == "/desk/" {
			return // the ask page, which is another's
		}
		answer := get(h, strings.TrimPrefix(address, "/desk"))
		if answer.StatusCode != http.StatusOK {
			t.Errorf("GET %s: %s", address, answer.Status)
		}
		if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			return
		}
		root, err := html.Parse(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			for _, key := range []string{"href", "src", "action"} {
				if link := attribute(n, key); strings.HasPrefix(link, "/") {
					visit(link)
				}
			}
		}
	}
	visit("/desk/sample/")
	if len(seen) < 100 {
		t.Errorf("only %d links were found", len(seen))
	}
}
