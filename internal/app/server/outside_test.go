package server

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
	proxied := Config{Proxies: []string{"10.0.0.0/8", "fd00::/8", "192.0.2.7"}, ProxyHeaders: headersX}
	standard := Config{Proxies: proxied.Proxies, ProxyHeaders: headersRFC}
	fixed := Config{URL: "https://www.example.com/desk/", Proxies: proxied.Proxies, ProxyHeaders: headersX}
	for _, test := range []struct {
		name        string
		config      Config
		request     *http.Request
		url, client string
	}{
		{"a plain request", Config{}, from("203.0.113.5:1", "desk.example"), "http://desk.example", "203.0.113.5"},
		{"a port", Config{}, from("203.0.113.5:1", "desk.example:8080"), "http://desk.example:8080", "203.0.113.5"},
		{"the usual port", Config{}, from("203.0.113.5:1", "Desk.Example:80"), "http://desk.example", "203.0.113.5"},
		{"an IPv6 host", Config{}, from("[2001:db8::1]:1", "[::1]:8080"), "http://[::1]:8080", "2001:db8::1"},
		{"an IPv4 client on an IPv6 socket", Config{}, from("[::ffff:203.0.113.5]:1", "desk.example"), "http://desk.example", "203.0.113.5"},
		{"a client's zone", Config{}, from("[fe80::1%eth0]:1", "desk.example"), "http://desk.example", "fe80::1"},
		{"no host", Config{}, from("203.0.113.5:1", ""), "http://localhost", "203.0.113.5"},
		{"a host with a path", Config{}, from("203.0.113.5:1", "desk.example/evil"), "http://localhost", "203.0.113.5"},
		{"a host with a user", Config{}, from("203.0.113.5:1", "a@desk.example"), "http://localhost", "203.0.113.5"},
		{"a host with markup", Config{}, from("203.0.113.5:1", `desk"><script>`), "http://localhost", "203.0.113.5"},
		{"a host with a line break", Config{}, from("203.0.113.5:1", "desk\r\nX: y"), "http://localhost", "203.0.113.5"},
		{"a host with a zone", Config{}, from("203.0.113.5:1", "[fe80::1%25eth0]"), "http://localhost", "203.0.113.5"},
		{"a host that is too long", Config{}, from("203.0.113.5:1", strings.Repeat("a.", 150)), "http://localhost", "203.0.113.5"},
		{
			"nobody is trusted", Config{ProxyHeaders: headersX},
			from("10.0.0.1:1", "desk.example", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example", "X-Forwarded-Prefix: /evil"),
			"http://desk.example", "10.0.0.1",
		},
		{
			"a stranger claims", proxied,
			from("203.0.113.5:1", "desk.example", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example"),
			"http://desk.example", "203.0.113.5",
		},
		{
			"one proxy", proxied,
			from("10.0.0.1:1", "inside:8080", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: https", "X-Forwarded-Host: desk.example", "X-Forwarded-Prefix: /desk/"),
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
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 10.9.9.9, 1.1.1.1, 198.51.100.9"), "http://inside", "198.51.100.9",
		},
		{
			"the client's claim is a header of its own", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 198.51.100.9"), "http://inside", "198.51.100.9",
		},
		{
			"two proxies", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 6.6.6.6, 198.51.100.9, fd00::2", "X-Forwarded-Proto: https, http", "X-Forwarded-Host: desk.example, middle"),
			"https://desk.example", "198.51.100.9",
		},
		{
			"two proxies of which the nearer replaces", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9, 10.0.0.2", "X-Forwarded-Proto: https"), "https://inside", "198.51.100.9",
		},
		{
			"scheme and host of before the proxy do not count", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 1.1.1.1, 198.51.100.9", "X-Forwarded-Proto: http, https", "X-Forwarded-Host: evil.example, desk.example"),
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
		{"an address with a port", proxied, from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9:4711"), "http://inside", "198.51.100.9"},
		{"an IPv6 address with a port", proxied, from("10.0.0.1:1", "inside", "X-Forwarded-For: [2001:db8::9]:4711"), "http://inside", "2001:db8::9"},
		{"an IPv6 address in brackets", proxied, from("10.0.0.1:1", "inside", "X-Forwarded-For: [2001:db8::9]"), "http://inside", "2001:db8::9"},
		{"everyone is trusted", Config{Proxies: []string{"0.0.0.0/0"}, ProxyHeaders: headersX}, from("10.0.0.1:1", "inside", "X-Forwarded-For: 1.1.1.1, 2.2.2.2"), "http://inside", "1.1.1.1"},
		{
			"bad words of a trusted proxy", proxied,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: javascript", "X-Forwarded-Host: a/b", "X-Forwarded-Prefix: //evil.example"),
			"http://inside", "198.51.100.9",
		},
		{
			"the other headers are not read", proxied,
			from("10.0.0.1:1", "inside", "Forwarded: for=198.51.100.9;proto=https;host=evil.example"), "http://inside", "10.0.0.1",
		},
		{
			"nor are these", standard,
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Host: evil.example"), "http://inside", "10.0.0.1",
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
			from("10.0.0.1:1", "inside", "X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: http", "X-Forwarded-Host: other.example"),
			"https://www.example.com/desk", "198.51.100.9",
		},
	} {
		o := newOutside(test.config)
		if got := o.PublicURL(test.request); got != test.url {
			t.Errorf("%s: the public address is %s, want %s", test.name, got, test.url)
		}
		if got := o.Client(test.request).String(); got != test.client {
			t.Errorf("%s: the client is %s, want %s", test.name, got, test.client)
		}
	}
}

func TestLogNamesClientsOnlyAsItsOwnerChose(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string][2]string{
		"off": {"", ""}, "network": {"198.51.100.0/24", "2001:db8:1::/48"}, "address": {"198.51.100.9", "2001:db8:1:2::9"},
	} {
		s, log := open(t, "proxies: [10.0.0.0/8]\nlog: {clients: "+choice+"}\n")
		for i, client := range []string{"198.51.100.9", "2001:db8:1:2::9"} {
			send(s, from("10.0.0.1:1", "desk.example", "X-Forwarded-For: "+client))
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			last := lines[len(lines)-1]
			if got := strings.Contains(last, `"client":"`+want[i]+`"`); got != (want[i] != "") || want[i] == "" && strings.Contains(last, "client") {
				t.Errorf("%s: %s", choice, last)
			}
			if choice != "address" && strings.Contains(last, client) {
				t.Errorf("%s: the log has the whole address: %s", choice, last)
			}
		}
	}
}

func TestLogNamesClientsOfStreamsToo(t *testing.T) {
	t.Parallel()
	s, log := open(t, "log: {clients: address}\n")
	address, stop := run(t, s)
	response, err := http.Post(address+"/ask", "application/json", strings.NewReader(`{"query":{"text":"soup"},"prefer":{"streaming":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	stop()
	if !strings.Contains(log.String(), `"client":"127.0.0.1"`) {
		t.Errorf("the log does not name the client of a stream:\n%s", log)
	}
}

func TestTLSAndTrustedProxiesMakeARequestSecure(t *testing.T) {
	t.Parallel()
	o := newOutside(Config{Proxies: []string{"10.0.0.0/8"}, ProxyHeaders: headersX})
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

func TestPathOfThePublicAddressMayStayOnRequests(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://www.example.com/desk\n")
	for _, test := range []struct {
		path   string
		status int
	}{
		{"/healthz", 200}, {"/desk/healthz", 200}, {"/desk", 200}, {"/desk/", 200}, {"/", 200}, {"/desk/ask", 200}, {"/ask", 200},
		{"/desk/desk/healthz", 404}, {"/deskhealthz", 404}, {"/desk//healthz", 404}, {"//desk/healthz", 404}, {"/Desk/healthz", 404}, {"/desk/../desk/healthz", 404},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path = test.path
		if got := send(s, r); got.Code != test.status {
			t.Errorf("GET %s: %d, want %d", test.path, got.Code, test.status)
		}
	}
	page := send(s, httptest.NewRequest("GET", "/desk/", nil)).Body.String()
	for _, link := range []string{`action="/desk/"`, `href="/desk/assets/`, `"ask":"/desk/ask"`, `https://www.example.com/desk/ask`} {
		if !strings.Contains(page, link) {
			t.Errorf("the page lacks %s", link)
		}
	}
	for _, link := range []string{`="/assets/`, `"/ask"`, `="/"`, `="/?q`} {
		if strings.Contains(page, link) {
			t.Errorf("the page has %s, which is not below the prefix", link)
		}
	}
}

func TestAddressesOfTheOutsideAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"url: https://www.example.com/desk/":                     "",
		"url: http://127.0.0.1:8080":                             "",
		"url: https://www.example.com/desk?x=1":                  "more than a scheme",
		"url: https://user@www.example.com/":                     "more than a scheme",
		"url: https://www.example.com/a%20b":                     "the path of",
		"url: https://www.example.com/a//b":                      "the path of",
		"url: https://www.example.com/ask":                       "an address of the server's own, /ask",
		"url: https://www.example.com/.well-known/desk":          "an address of the server's own",
		"url: https://www.example.com:/":                         "no web address",
		"url: ftp://www.example.com":                             "no web address",
		"proxies: [10.0.0.0/8, 192.0.2.7, 'fd00::/8', '::1']":    "",
		"proxies: [10.0.0.0/33]":                                 "no network",
		"proxies: ['::ffff:10.0.0.0/104']":                       "no network",
		"proxies: [nginx]":                                       "no network",
		"proxies: [10.0.0.0/8]\nproxy_headers: forwarded":        "",
		"proxies: [10.0.0.0/8]\nproxy_headers: cf-connecting-ip": "none of x-forwarded, forwarded",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text+"\n")})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want a word on %q", text, err, want)
		}
	}
}

func FuzzWhatProxiesSayMakesAnAddress(f *testing.F) {
	f.Add("desk.example", "198.51.100.9", "https", "desk.example", "/desk", `for=1.1.1.1;proto=https;host=a`)
	f.Add("[::1]:80", "a,b", ",", "a/b", "//x", `for="[::1]";host="a\"b,"`)
	f.Fuzz(func(t *testing.T, host, for_, proto, forwardedHost, prefix, standard string) {
		r := from("10.0.0.1:1", host)
		r.Header = http.Header{
			"X-Forwarded-For": {for_}, "X-Forwarded-Proto": {proto}, "X-Forwarded-Host": {forwardedHost}, "X-Forwarded-Prefix": {prefix}, "Forwarded": {standard},
		}
		for _, headers := range []string{headersX, headersRFC} {
			o := newOutside(Config{Proxies: []string{"10.0.0.0/8"}, ProxyHeaders: headers})
			base := o.PublicURL(r)
			if strings.ContainsAny(base, "\"'<>\\?#@% \r\n\t") || strings.HasSuffix(base, "/") {
				t.Errorf("%q cannot be put into a page or before a path", base)
			}
			scheme, rest, _ := strings.Cut(base, "://")
			authority, path, _ := strings.Cut(rest, "/")
			if scheme != "http" && scheme != "https" || !validHost(authority) || strings.Contains(path, "//") {
				t.Errorf("%q is no public address", base)
			}
			if !o.Client(r).IsValid() {
				t.Error("no client")
			}
		}
	})
}
