package http

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/infra/httpx"
)

// from makes a request as it comes over the network, with headers written "Name: value".
func from(remote, host string, headers ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr, r.Host = remote, host
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	return r
}

func TestAddressesAreReadPastTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	proxied := AddressOptions{Proxies: []string{"10.0.0.0/8", "fd00::/8", "192.0.2.7"}, ProxyHeaders: HeadersX}
	standard := AddressOptions{Proxies: proxied.Proxies, ProxyHeaders: HeadersRFC}
	fixed := AddressOptions{URL: "https://www.example.com/desk/", Proxies: proxied.Proxies, ProxyHeaders: HeadersX}
	for _, test := range []struct {
		name        string
		config      AddressOptions
		request     *http.Request
		url, client string
	}{
		{"a plain request", AddressOptions{}, from("203.0.113.5:1", "desk.example"), "http://desk.example",
			"203.0.113.5"},
		{"a port", AddressOptions{}, from("203.0.113.5:1", "desk.example:8080"), "http://desk.example:8080",
			"203.0.113.5"},
		{"the usual port", AddressOptions{}, from("203.0.113.5:1", "Desk.Example:80"), "http://desk.example",
			"203.0.113.5"},
		{"an IPv6 host", AddressOptions{}, from("[2001:db8::1]:1", "[::1]:8080"), "http://[::1]:8080", "2001:db8::1"},
		{"an IPv4 client on an IPv6 socket", AddressOptions{}, from("[::ffff:203.0.113.5]:1", "desk.example"),
			"http://desk.example", "203.0.113.5"},
		{"a client's zone", AddressOptions{}, from("[fe80::1%eth0]:1", "desk.example"),
			"http://desk.example", "fe80::1"},
		{"no host", AddressOptions{}, from("203.0.113.5:1", ""), "http://localhost", "203.0.113.5"},
		{"a host with a path", AddressOptions{}, from("203.0.113.5:1", "desk.example/evil"), "http://localhost",
			"203.0.113.5"},
		{"a host with a user", AddressOptions{}, from("203.0.113.5:1", "a@desk.example"), "http://localhost",
			"203.0.113.5"},
		{"a host with markup", AddressOptions{}, from("203.0.113.5:1", `desk"><script>`), "http://localhost", "203.0.113.5"},
		{"a host with a line break", AddressOptions{}, from("203.0.113.5:1", "desk\r\nX: y"), "http://localhost",
			"203.0.113.5"},
		{"a host with a zone", AddressOptions{}, from("203.0.113.5:1", "[fe80::1%25eth0]"), "http://localhost",
			"203.0.113.5"},
		{"a host that is too long", AddressOptions{}, from("203.0.113.5:1", strings.Repeat("a.", 150)),
			"http://localhost", "203.0.113.5"},
		{
			"nobody is trusted", AddressOptions{ProxyHeaders: HeadersX},
			from("10.0.0.1:1", "desk.example", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: https",
				"X-Forwarded-Host: evil.example", "X-Forwarded-Prefix: /evil"),
			"http://desk.example", "10.0.0.1",
		},
		{
			"a stranger claims", proxied,
			from("203.0.113.5:1", "desk.example", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: https",
				"X-Forwarded-Host: evil.example"),
			"http://desk.example", "203.0.113.5",
		},
		{
			"one proxy", proxied,
			from("10.0.0.1:1", "inside:8080", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: https",
				"X-Forwarded-Host: desk.example", "X-Forwarded-Prefix: /desk/"),
			"https://desk.example/desk", "198.51.100.9",
		},
		{
			"a single address is a network", proxied,
			from("192.0.2.7:1", "inside", "X-Forwarded-For: 198.51.100.9"), "http://inside", "198.51.100.9",
		},
		{
			"its neighbour is not in it", proxied,
			from("192.0.2.8:1", "inside", "X-Forwarded-For: 198.51.100.9"), "http://inside", "192.0.2.8",
		},
		{
			"a proxy on an IPv6 socket", proxied,
			from("[::ffff:10.0.0.1]:1", "inside", "X-Forwarded-For: 198.51.100.9"), "http://inside", "198.51.100.9",
		},
		{
			"the client claims before the proxy speaks", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 10.9.9.9, 1.1.1.1, 198.51.100.9"), "http://inside",
			"198.51.100.9",
		},
		{
			"the client's claim is a header of its own", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 198.51.100.9"), "http://inside",
			"198.51.100.9",
		},
		{
			"two proxies", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 6.6.6.6, 198.51.100.9, fd00::2",
				"X-Forwarded-Proto: https, http", "X-Forwarded-Host: desk.example, middle"),
			"https://desk.example", "198.51.100.9",
		},
		{
			"two proxies of which the nearer replaces", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9, 10.0.0.2", "X-Forwarded-Proto: https"),
			"https://inside", "198.51.100.9",
		},
		{
			"scheme and host of before the proxy do not count", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 1.1.1.1, 198.51.100.9", "X-Forwarded-Proto: http, https",
				"X-Forwarded-Host: evil.example, desk.example"),
			"https://desk.example", "198.51.100.9",
		},
		{
			"a proxy that says nothing of the client", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-Proto: https"), "https://inside", "10.0.0.1",
		},
		{
			"an address that cannot be read", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9, somebody"), "http://inside", "10.0.0.1",
		},
		{"an address with a port", proxied, from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9:4711"),
			"http://inside", "198.51.100.9"},
		{"an IPv6 address with a port", proxied, from("10.0.0.1:1", "inside", "X-Forwarded-For: [2001:db8::9]:4711"),
			"http://inside", "2001:db8::9"},
		{"an IPv6 address in brackets", proxied, from("10.0.0.1:1", "inside", "X-Forwarded-For: [2001:db8::9]"),
			"http://inside", "2001:db8::9"},
		{"everyone is trusted", AddressOptions{Proxies: []string{"0.0.0.0/0"}, ProxyHeaders: HeadersX},
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 1.1.1.1, 2.2.2.2"), "http://inside", "1.1.1.1"},
		{
			"bad words of a trusted proxy", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: javascript",
				"X-Forwarded-Host: a/b", "X-Forwarded-Prefix: //evil.example"),
			"http://inside", "198.51.100.9",
		},
		{
			"the other headers are not read", proxied,
			from("10.0.0.1:1", "inside", "Forwarded: for=198.51.100.9;proto=https;host=evil.example"), "http://inside",
			"10.0.0.1",
		},
		{
			"nor are these", standard,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Host: evil.example"),
			"http://inside", "10.0.0.1",
		},
		{
			"the standard header", standard,
			from("10.0.0.1:1", "inside", `Forwarded: for="[2001:db8::9]:4711";Proto=https; host="desk.example:8443"`), "https://desk.example:8443", "2001:db8::9",
		},
		{
			"the standard header of two proxies", standard,
			from("10.0.0.1:1", "inside", `Forwarded: for=6.6.6.6;host=evil.example, for=198.51.100.9;proto=https;host=desk.example`, `Forwarded: for=10.0.0.2;proto=http;host=middle`),
			"https://desk.example", "198.51.100.9",
		},
		{
			"a comma in quotes", standard,
			from("10.0.0.1:1", "inside", `Forwarded: for=198.51.100.9;secret="a,for=6.6.6.6"`), "http://inside", "198.51.100.9",
		},
		{"a hidden client", standard, from("10.0.0.1:1", "inside", `Forwarded: for=_hidden;proto=https`), "https://inside", "10.0.0.1"},
		{"an unknown client", standard, from("10.0.0.1:1", "inside", `Forwarded: for=unknown`), "http://inside", "10.0.0.1"},
		{
			"a configured address", fixed,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: http",
				"X-Forwarded-Host: other.example"),
			"https://www.example.com/desk", "198.51.100.9",
		},
	} {
		o := NewClientAddress(test.config)
		if got := o.PublicURL(test.request); got != test.url {
			t.Errorf("%s: the public address is %s, want %s", test.name, got, test.url)
		}
		if got := o.Client(test.request).String(); got != test.client {
			t.Errorf("%s: the client is %s, want %s", test.name, got, test.client)
		}
	}
}

func TestTLSAndTrustedProxiesMakeARequestSecure(t *testing.T) {
	t.Parallel()
	o := NewClientAddress(AddressOptions{Proxies: []string{"10.0.0.0/8"}, ProxyHeaders: HeadersX})
	direct := from("203.0.113.5:1", "desk.example:443")
	direct.TLS = &tls.ConnectionState{}
	if got := o.PublicURL(direct); got != "https://desk.example" || !o.Secure(direct) {
		t.Errorf("over TLS the address is %s, secure %v", got, o.Secure(direct))
	}
	if r := from("10.0.0.1:1", "inside", "X-Forwarded-Proto: https"); !o.Secure(r) {
		t.Error("what came by https to a trusted proxy is not secure")
	}
	if r := from("203.0.113.5:1", "inside", "X-Forwarded-Proto: https"); o.Secure(r) {
		t.Error("a stranger's claim made a request secure")
	}
}

func FuzzWhatProxiesSayMakesAnAddress(f *testing.F) {
	f.Add("desk.example", "198.51.100.9", "https", "desk.example", "/desk", `for=1.1.1.1;proto=https;host=a`)
	f.Add("[::1]:80", "a,b", ",", "a/b", "//x", `for="[::1]";host="a\"b,"`)
	f.Fuzz(func(t *testing.T, host, for_, proto, forwardedHost, prefix, standard string) {
		r := from("10.0.0.1:1", host)
		r.Header = http.Header{
			"X-Forwarded-For": {for_}, "X-Forwarded-Proto": {proto}, "X-Forwarded-Host": {forwardedHost},
			"X-Forwarded-Prefix": {prefix}, "Forwarded": {standard},
		}
		for _, headers := range []string{HeadersX, HeadersRFC} {
			o := NewClientAddress(AddressOptions{Proxies: []string{"10.0.0.0/8"}, ProxyHeaders: headers})
			base := o.PublicURL(r)
			if strings.ContainsAny(base, "\"'<>\\?#@% \r\n\t") || strings.HasSuffix(base, "/") {
				t.Errorf("%q cannot be put into a page or before a path", base)
			}
			scheme, rest, _ := strings.Cut(base, "://")
			authority, path, _ := strings.Cut(rest, "/")
			if scheme != "http" && scheme != "https" || !httpx.IsHost(authority) || strings.Contains(path, "//") {
				t.Errorf("%q is no public address", base)
			}
			if !o.Client(r).IsValid() {
				t.Error("no client")
			}
		}
	})
}
