package page

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"golang.org/x/net/html"
)

// FuzzPage holds that nothing in the page's address becomes an element of the page, whatever it is.
func FuzzPage(f *testing.F) {
	f.Add("tea", "lamps", "Product")
	f.Add(`</script><script>alert(1)</script>`, `"><img src=x>`, "<b>")
	f.Add("\x00\xff\u2028 '\"`", "", "\\")
	h := Handler(sample)
	count := func(t *testing.T, query url.Values) map[string]int {
		r := httptest.NewRequest("GET", "/?"+query.Encode(), nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("status %d", w.Code)
		}
		root, err := html.Parse(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		elements := map[string]int{}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode {
				elements[n.Data]++
			}
		}
		return elements
	}
	f.Fuzz(func(t *testing.T, q, site, typ string) {
		want := count(t, url.Values{"q": {"tea"}})
		for name, n := range count(t, url.Values{"q": {q}, "site": {site}, "type": {typ}}) {
			if want[name] != n {
				t.Errorf("%d <%s>, want %d", n, name, want[name])
			}
		}
	})
}
