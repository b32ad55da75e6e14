package catalog_test

import (
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/licensing/catalog"
)

func TestAddressesThatAreTheSamePlaceHaveOneForm(t *testing.T) {
	t.Parallel()
	for want, spellings := range map[string][]string{
		"a.example/": {"https://a.example", "http://A.EXAMPLE/", "https://a.example:443/",
			"http://a.example:80", "HTTPS://a.example./#top", "https://a.example/./", "https://a.example/x/..", `https:\\a.example\`},
		"a.example:8080/x": {"https://a.example:8080/x", "http://a.example:08080/%78"},
		"a.example:80/":    {"https://a.example:80/"},
		"a.example/x/":     {"https://a.example/x/", "https://a.example/x/.", "https://a.example/x/y/.."},
		"a.example/x": {"https://a.example/x", "https://a.example/%7e/../x",
			"https://a.example/y/%2e%2e/x"},
		"a.example/~a-b_c.d":   {"https://a.example/%7Ea%2Db%5fc%2ed"},
		"a.example/a%2Fb":      {"https://a.example/a%2fb"},
		"a.example/a%20b":      {"https://a.example/a b", "https://a.example/a%20b"},
		"a.example/%C3%A4":     {"https://a.example/ä", "https://a.example/%c3%a4"},
		"a.example/100%25":     {"https://a.example/100%", "https://a.example/100%25"},
		"a.example/%25zz":      {"https://a.example/%zz"},
		"a.example//x":         {"https://a.example//x"},
		"a.example/x?b=2&a=1":  {"https://a.example/x?b=2&a=1#f", "https://a.example/x?%62=2&a=%31"},
		"a.example/x?q=a/../b": {"https://a.example/x?q=a/../b"},
		"a.example/x?":         {"https://a.example/x?"},
		"xn--mnchen-3ya.example/": {"https://münchen.example/", "https://MÜNCHEN.example",
			"https://xn--mnchen-3ya.example/", "https://m%C3%BCnchen.example"},
		"[2001:db8::1]:8443/":           {"https://[2001:DB8::1]:8443/"},
		"[2001:db8::1]/":                {"https://[2001:db8::1]:443", "http://[2001:db8:0:0:0::1]/"},
		"a.example/x;y=1/,$&'()*+!:@=z": {"https://a.example/x;y=1/,$&'()*+!:@=z"},
	} {
		for _, spelling := range spellings {
			if got, err := catalog.Canonical(spelling); err != nil || got != want {
				t.Errorf("%s: %q, %v; want %q", spelling, got, err, want)
			}
		}
	}
}

func TestWhatIsNoAddressOfTheWebIsRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "/x", "a.example/x", "//a.example/x", "ftp://a.example/", "urn:isbn:9783161484100", "https:",
		"https:/a.example", "https:///x", "https://", "https://u@a.example/",
		"https://u:p@a.example/", "https://a.example:0/", "https://a.example:65536/", "https://a.example:x/",
		"https://a..example/", "https://a b/", "https://a.example/\n",
		" https://a.example/", "https://a.example/x ", "https://[::1/", "http://[.]", "http://[1.2.3.4]/",
		"https://a.example/" + strings.Repeat("x", 8200), "https://a%2Fb.example/",
	} {
		if got, err := catalog.Canonical(address); err == nil {
			t.Errorf("%q is taken for %q", address, got)
		}
	}
}

// The form of a form is itself, and both are the same place to a reader of URLs.
func FuzzCanonical(f *testing.F) {
	for _, address := range []string{"https://a.example/%7Ex/../y?q=%zz#f", "http://[::1]:80/", `https:\\A.b\c`,
		"https://münchen.example/ä%C3%A4?ä"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		once, err := catalog.Canonical(address)
		if err != nil {
			return
		}
		for _, scheme := range []string{"https://", "http://"} {
			host, _, _ := strings.Cut(once, "/")
			if scheme == "https://" && strings.HasSuffix(host, ":80") || scheme == "http://" &&
				strings.HasSuffix(host, ":443") || len(once) > 8000 {
				continue
			}
			if scheme == "https://" && strings.HasSuffix(host, ":443") || scheme == "http://" &&
				strings.HasSuffix(host, ":80") {
				continue // the usual port of the other scheme
			}
			if again, err := catalog.Canonical(scheme + once); err != nil || again != once {
				t.Fatalf("%q has the form %q, which has the form %q, %v", address, once, again, err)
			}
		}
		u, err := url.Parse("https://" + once)
		if err != nil || strings.Contains(u.EscapedPath(), "/../") || strings.Contains(u.EscapedPath(), "/./") ||
			u.User != nil || u.Fragment != "" {
			t.Fatalf("%q has the form %q: %+v, %v", address, once, u, err)
		}
	})
}

// TestURIsOfOtherSchemesHaveOneForm that no address of the web has, and none of what runs or is a
// file.
func TestURIsOfOtherSchemesHaveOneForm(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"duns:804735132": "/duns:804735132", "DUNS:80%34735132": "/duns:804735132",
		"urn:ISBN:9783161484100": "/urn:ISBN:9783161484100", "urn:x:ä/b?c#d": "/urn:x:%C3%A4/b?c#d",
		"https://A.example/x": "a.example/x", "spotify:track:1": "/spotify:track:1",
		"tag:a.example,2026:1": "/tag:a.example,2026:1",
	} {
		got, err := catalog.CanonicalURI(uri)
		if err != nil || got != want || catalog.IsPage(got) != strings.HasPrefix(uri, "https:") {
			t.Errorf("%s: %q, %v; want %q", uri, got, err, want)
		}
		if again := catalog.PlaceOf(catalog.URIOf(got)); again != got {
			t.Errorf("%s is %q again", got, again)
		}
	}
	for _, uri := range []string{
		"", ":", "duns", "duns:", ":804735132", "d:1", "8:1", "a.example:8080/x", "localhost:8080", "duns: 1",
		"duns:1\n", " duns:1", "/duns:1", "javascript:alert(1)", "JavaScript:x", "data:,x",
		"file:/etc/passwd", "blob:x", "about:blank", "vbscript:x", "https:x", "duns:" + strings.Repeat("1", 8200),
		"dü:1",
	} {
		if got, err := catalog.CanonicalURI(uri); err == nil {
			t.Errorf("%q is taken for %q", uri, got)
		}
	}
}
