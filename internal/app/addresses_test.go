package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestLogNamesClientsOnlyAsItsOwnerChose(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string][2]string{
		"off": {"", ""}, "network": {"198.51.100.0/24", "2001:db8:1::/48"},
		"address": {"198.51.100.9", "2001:db8:1:2::9"},
	} {
		s, log := open(t, "proxies: [10.0.0.0/8]\nlog: {clients: "+choice+"}\n")
		for i, client := range []string{"198.51.100.9", "2001:db8:1:2::9"} {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr, r.Host = "10.0.0.1:1", "desk.example"
			r.Header.Set("X-Forwarded-For", client)
			send(s, r)
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			last := lines[len(lines)-1]
			if got := strings.Contains(last, `"client":"`+want[i]+`"`); got != (want[i] != "") ||
				want[i] == "" && strings.Contains(last, "client") {
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

func TestPathOfThePublicAddressMayStayOnRequests(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://www.example.com/desk\n")
	for _, test := range []struct {
		path   string
		status int
	}{
		{"/healthz", 200}, {"/desk/healthz", 200}, {"/desk", 200}, {"/desk/", 200}, {"/", 200}, {"/desk/ask", 200},
		{"/ask", 200}, {"/desk/desk/healthz", 404}, {"/deskhealthz", 404}, {"/desk//healthz", 404},
		{"//desk/healthz", 404}, {"/Desk/healthz", 404}, {"/desk/../desk/healthz", 404},
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
