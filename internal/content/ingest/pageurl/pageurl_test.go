package pageurl

import (
	"net/url"
	"strings"
	"testing"
)

func TestPageAddressIsThatOfTheSite(t *testing.T) {
	t.Parallel()
	base, _ := AsFolder("https://www.example.com/docs")
	for name, want := range map[string]string{
		"a/b.html": "/docs/a/b.html", "a/index.html": "/docs/a/", "index.htm.gz": "/docs/", "a/b.md": "/docs/a/b",
		"a/_index.md":     "/docs/a/",
		"a/b.markdown.gz": "/docs/a/b", "data.jsonl.gz": "/docs/data.jsonl",
		"ü ä/ß.html": "/docs/%C3%BC%20%C3%A4/%C3%9F.html",
		"a:b.html":   "/docs/a:b.html", "50%.html": "/docs/50%25.html", "q?x#y.html": "/docs/q%3Fx%23y.html",
	} {
		if got := FromFile(base, name).String(); got != "https://www.example.com"+want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestSessionsAreNoPartOfAnAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/a?PHPSESSID=x&b=1":                    "/a?b=1",
		"/a;jsessionid=0123?b=1":                "/a?b=1",
		"/a?s=0123456789abcdef0123456789abcdef": "/a",
		"/a?s=soup&sid=7":                       "/a?s=soup",
		"/a?ASPSESSIONIDQQ=1":                   "/a",
		"/a?side=1":                             "/a?side=1",
		"/a?CFID=1&CFTOKEN=2&x=3":               "/a?x=3",
	} {
		if u := FromLink("https://x.example"+address, nil); u.String() != "https://x.example"+want {
			t.Errorf("%s: %s, want %s", address, u, want)
		}
	}
}

func FuzzAddressesHaveOneForm(f *testing.F) {
	for _, s := range []string{"HTTP://A.example:80/x/../y?utm_x=1&b=%20#f", "//b.example", "x y", "javascript:x",
		"http://[::1]/", "https://ü.example/ä", "?q", "#", "http://a:b@c.example/", "www.d.example",
		"http://e.example/%zz", "https://f.example/a|b?c|d", "//:", "//::", "//a:80:80/", "? #",
		strings.Repeat("ü", 4000)} {
		f.Add(s)
	}
	base, _ := url.Parse("https://www.example.com/dir/page")
	f.Fuzz(func(t *testing.T, raw string) {
		FromLink(raw, base)
		address := Absolute(raw, base)
		if address == "" {
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.User != nil {
			t.Fatalf("%q became %q: %v", raw, address, err)
		}
		if again := Absolute(address, nil); again != address {
			t.Fatalf("%q became %q and then %q", raw, address, again)
		}
	})
}
