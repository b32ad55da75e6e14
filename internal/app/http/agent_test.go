package http

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestTargetIsWhatTheSenderWrote: a signature covers the address that its maker asked.
func TestTargetIsWhatTheSenderWrote(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		url, uri string
		secure   bool
		atGate   bool
		want     string
	}{
		"plain":                {"", "/ask?q=a%20b", false, false, "http://desk.example/ask?q=a%20b"},
		"over TLS":             {"", "/ask", true, false, "https://desk.example/ask"},
		"escapes":              {"", "/items/a%2Fb", false, false, "http://desk.example/items/a%2Fb"},
		"a configured address": {"https://www.example.com", "/ask", false, false, "https://www.example.com/ask"},
		"with a path": {"https://www.example.com/desk", "/desk/ask", false, false,
			"https://www.example.com/desk/ask"},
		"whose path was taken": {"https://www.example.com/desk", "/ask", false, false,
			"https://www.example.com/desk/ask"},
		"a path like it": {"https://www.example.com/desk", "/desktop", false, false,
			"https://www.example.com/desk/desktop"},
		"the form for proxies": {"", "http://desk.example/ask?x=1", false, false, "http://desk.example/ask?x=1"},
		"a site behind a gate": {"https://www.example.com/desk", "/desk/page", true, true,
			"https://desk.example/desk/page"},
		"a site without any TLS": {"", "/page?x", false, true, "http://desk.example/page?x"},
	} {
		o := NewClientAddress(AddressOptions{URL: row.url})
		r := httptest.NewRequest(http.MethodGet, row.uri, nil)
		r.Host, r.RequestURI = "desk.example", row.uri
		if r.TLS = nil; row.secure {
			r.TLS = &tls.ConnectionState{}
		}
		if !row.atGate {
			r = o.Strip(r)
		}
		if got := o.target(r, row.atGate); got != row.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
