package fetch_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/infra/fetch"
)

// journeys are redirects, each from the address of a world where the public hosts redirect as pages
// say.
var journeys = []struct {
	what  string
	pages map[string]string // host and path, and where it redirects to
	start string
	own   bool
	want  fetch.Reason
	ends  string   // the address that answers
	dials []string // all connections
}{
	{what: "to a path of the same host", start: "https://a.example/1",
		pages: map[string]string{"a.example/1": "/2?x#y"}, ends: "https://a.example/2?x",
		dials: []string{there + ":443"}},
	{what: "to another public host", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://b.example/"}, ends: "https://b.example/",
		dials: []string{there + ":443", "93.184.215.15:443"}},
	{what: "without a scheme to another public host", start: "https://a.example/",
		pages: map[string]string{"a.example/": "//b.example/"}, ends: "https://b.example/",
		dials: []string{there + ":443", "93.184.215.15:443"}},
	{what: "within this machine's own host", own: true, start: "http://localhost:8000/",
		pages: map[string]string{"localhost:8000/": "/there"}, ends: "http://localhost:8000/there",
		dials: []string{"127.0.0.1:8000"}},
	{what: "from the operator's own host to the public", own: true, start: "http://localhost:8000/",
		pages: map[string]string{"localhost:8000/": "https://b.example/"}, ends: "https://b.example/",
		dials: []string{"127.0.0.1:8000", "93.184.215.15:443"}},

	{what: "from own http to own https", own: true, start: "http://localhost/",
		pages: map[string]string{"localhost/": "https://localhost/in"}, ends: "https://localhost/in",
		dials: []string{"127.0.0.1:80", "127.0.0.1:443"}},

	{what: "to a path with a blank in it", start: "https://a.example/",
		pages: map[string]string{"a.example/": "/two words"}, ends: "https://a.example/two%20words",
		dials: []string{there + ":443"}},
	{what: "to a path in another script", start: "https://a.example/", pages: map[string]string{"a.example/": "/crème"},
		ends: "https://a.example/cr%C3%A8me", dials: []string{there + ":443"}},

	{what: "to loopback", start: "https://a.example/", pages: map[string]string{"a.example/": "https://127.0.0.1/"},
		want: stop, dials: []string{there + ":443"}},
	{what: "to loopback without a scheme", start: "https://a.example/",
		pages: map[string]string{"a.example/": "//127.0.0.1/"}, want: stop, dials: []string{there + ":443"}},
	{what: "to metadata", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://169.254.169.254/latest/"}, want: stop,
		dials: []string{there + ":443"}},
	{what: "to metadata by http", start: "https://a.example/",
		pages: map[string]string{"a.example/": "http://169.254.169.254/latest/"}, want: stop,
		dials: []string{there + ":443"}},
	{what: "to a name that leads inside", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://inside.example/"}, want: stop, dials: []string{there + ":443"}},
	{what: "to localhost", start: "https://a.example/", pages: map[string]string{"a.example/": "https://localhost/"},
		want: stop, dials: []string{there + ":443"}},
	{what: "to an octal number", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://0177.0.0.1/"}, want: stop, dials: []string{there + ":443"}},
	{what: "to mapped loopback", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://[::ffff:7f00:1]/"}, want: stop,
		dials: []string{there + ":443"}},
	{what: "over another public host inside", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://b.example/", "b.example/": "https://10.0.0.1/"}, want: stop,
		dials: []string{there + ":443", "93.184.215.15:443"}},
	{what: "to the same machine's plain form", start: "https://a.example/",
		pages: map[string]string{"a.example/": "http://a.example/"}, want: stop, dials: []string{there + ":443"}},
	{what: "to a file", start: "https://a.example/", pages: map[string]string{"a.example/": "file:///etc/passwd"},
		want: stop, dials: []string{there + ":443"}},
	{what: "to data", start: "https://a.example/", pages: map[string]string{"a.example/": "data:text/html,hello"},
		want: stop, dials: []string{there + ":443"}},
	{what: "to a user's address", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://user@b.example/"}, want: stop, dials: []string{there + ":443"}},
	{what: "to a backslash", start: "https://a.example/", pages: map[string]string{"a.example/": `/\127.0.0.1/`},
		want: stop, dials: []string{there + ":443"}},
	{what: "to a port of mail", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://a.example:25/"}, want: stop, dials: []string{there + ":443"}},
	{what: "from own to another port of this machine", own: true, start: "http://localhost:8000/",
		pages: map[string]string{"localhost:8000/": "http://localhost:9000/"}, want: stop,
		dials: []string{"127.0.0.1:8000"}},
	{what: "from own to another name of this machine", own: true, start: "http://localhost:8000/",
		pages: map[string]string{"localhost:8000/": "http://127.0.0.1:8000/"}, want: stop,
		dials: []string{"127.0.0.1:8000"}},
	{what: "from own over a public host back", own: true, start: "http://localhost:8000/",
		pages: map[string]string{"localhost:8000/": "https://b.example/", "b.example/": "https://localhost:8000/in"},
		ends:  "https://localhost:8000/in", dials: []string{"127.0.0.1:8000", "93.184.215.15:443", "127.0.0.1:8000"}},
	{what: "from own to a private network", own: true, start: "http://localhost:8000/",
		pages: map[string]string{"localhost:8000/": "http://10.0.0.1/"}, want: stop, dials: []string{"127.0.0.1:8000"}},
	{what: "to itself", start: "https://a.example/", pages: map[string]string{"a.example/": "/"}, want: fetch.Redirects,
		dials: []string{there + ":443"}},
	{what: "in a circle", start: "https://a.example/",
		pages: map[string]string{"a.example/": "https://b.example/", "b.example/": "https://a.example/"},
		want:  fetch.Redirects, dials: []string{there + ":443", "93.184.215.15:443"}},
	{what: "five times", start: "https://a.example/0", pages: steps(5), ends: "https://a.example/5",
		dials: []string{there + ":443"}},
	{what: "six times", start: "https://a.example/0", pages: steps(6), want: fetch.Redirects,
		dials: []string{there + ":443"}},
}

// steps are n redirects in a row.
func steps(n int) map[string]string {
	pages := map[string]string{}
	for i := range n {
		pages[fmt.Sprintf("a.example/%d", i)] = fmt.Sprintf("/%d", i+1)
	}
	return pages
}

func TestEveryRedirectIsJudgedAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.example", "b.example", "localhost")
	w.names = map[string][][]string{"a.example": {{there}}, "b.example": {{"93.184.215.15"}},
		"inside.example": {{"127.0.0.1"}}}
	for _, journey := range journeys {
		t.Run(journey.what, func(t *testing.T) {
			w.dialled, w.pages = nil, map[string]http.HandlerFunc{}
			for page, to := range journey.pages {
				w.pages[page] = moved(to)
			}
			f := newFetcher(t, w.options())
			response, err := f.Get(t.Context(), fetch.Request{URL: journey.start, Own: journey.own})
			switch {
			case journey.want == good && err != nil:
				t.Errorf("it should end at %s: %v", journey.ends, err)
			case journey.want == good && response.URL != journey.ends:
				t.Errorf("it ended at %s instead of %s", response.URL, journey.ends)
			case journey.want != good && reasonOf(err) != journey.want:
				t.Errorf("it should be %s: %v", journey.want, err)
			}
			if !slices.Equal(w.dialled, journey.dials) {
				t.Errorf("dialled %v, wanted %v", w.dialled, journey.dials)
			}
		})
	}
}

func TestARedirectThatIsNoneIsTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.example")
	w.names["a.example"] = [][]string{{there}}
	w.pages["a.example/"] = func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusFound) }
	w.pages["a.example/choices"] = func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Location", "https://127.0.0.1/")
		out.WriteHeader(http.StatusMultipleChoices)
	}
	f := newFetcher(t, w.options())
	for _, page := range []string{"/", "/choices"} {
		response, err := f.Get(t.Context(), fetch.Request{URL: "https://a.example" + page})
		if err != nil || response.Status < 300 || response.Status > 399 {
			t.Errorf("%s: %+v, %v", page, response, err)
		}
	}
}

// TestANameThatChangesItsMeaningGainsNothing looks a name up as public and dials it when it has
// come to mean this machine: the address that was judged is the one that is dialled, and a next
// connection is judged anew.
func TestANameThatChangesItsMeaningGainsNothing(t *testing.T) {
	t.Parallel()
	reached := 0
	canary := onEveryAddress(t, func() { reached++ })
	w := newWorld(t, "turns.example")
	w.names["turns.example"] = [][]string{{there}, {"127.0.0.1"}}
	f := newFetcher(t, w.options())
	address := "https://turns.example:" + canary + "/"
	if _, err := f.Get(t.Context(), fetch.Request{URL: address}); err != nil {
		t.Errorf("while it leads to the public: %v", err)
	}
	f.Close() // or else the connection is used again
	if _, err := f.Get(t.Context(), fetch.Request{URL: address}); reasonOf(err) != fetch.Refused {
		t.Errorf("when it leads to this machine: %v", err)
	}
	if want := []string{there + ":" + canary}; !slices.Equal(w.dialled, want) || w.lookups["turns.example"] != 2 {
		t.Errorf("dialled %v after %d look-ups, wanted %v after 2", w.dialled, w.lookups["turns.example"], want)
	}
	// And by the machine's own dialer.
	w.lookups["turns.example"] = 1
	options := w.options()
	options.Dial = nil
	if _, err := newFetcher(t, options).Get(t.Context(), fetch.Request{URL: address}); reasonOf(err) != fetch.Refused {
		t.Errorf("when it leads to this machine, on the real network: %v", err)
	}
	if reached != 0 {
		t.Errorf("this machine was reached %d times", reached)
	}
}

func TestWhatSaysWhoAsksStaysAtItsOrigin(t *testing.T) {
	t.Parallel()
	secrets := http.Header{
		"Authorization": {"Bearer hush"}, "Cookie": {"session=hush"}, "X-Api-Key": {"hush"},
		"Referer": {"https://hush.example/"},
		"Accept":  {"text/html"}, "Accept-Language": {"de"},
	}
	for _, step := range []struct {
		to     string
		stays  bool
		reason string
	}{
		{to: "https://a.example/next", stays: true, reason: "the same origin"},
		{to: "https://b.example/", reason: "another host"},
		{to: "https://a.example:8443/", reason: "another port"},
	} {
		w := newWorld(t, "a.example", "b.example")
		w.names = map[string][][]string{"a.example": {{there}}, "b.example": {{"93.184.215.15"}}}
		w.pages["a.example/"] = func(out http.ResponseWriter, r *http.Request) {
			http.SetCookie(out, &http.Cookie{Name: "planted", Value: "hush", Domain: "example", Path: "/"})
			moved(step.to)(out, r)
		}
		if _, err := newFetcher(t, w.options()).Get(t.Context(),
			fetch.Request{URL: "https://a.example/", Header: secrets}); err != nil {
			t.Fatal(err)
		}
		if len(w.requests) != 2 {
			t.Fatalf("%d requests", len(w.requests))
		}
		last := w.requests[1].Header
		if had := strings.Contains(fmt.Sprint(last), "hush"); had != step.stays {
			t.Errorf("%s: it got %v", step.reason, last)
		}
		if last.Get("Accept") != "text/html" || last.Get("Accept-Language") != "de" ||
			last.Get("User-Agent") != fetch.DefaultUserAgent {
			t.Errorf("%s: what is nobody's secret is missing from %v", step.reason, last)
		}
		if strings.Contains(fmt.Sprint(last), "planted") {
			t.Errorf("%s: it got a cookie of the answer before", step.reason)
		}
	}
	if secrets.Get("User-Agent") != "" {
		t.Error("the caller's header was changed")
	}
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	reached := 0
	proxy := onEveryAddress(t, func() { reached++ })
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, "http://127.0.0.1:"+proxy)
	}
	w := newWorld(t, "a.example")
	w.names["a.example"] = [][]string{{there}}
	options := w.options()
	options.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f := newFetcher(t, options)
	for _, address := range []string{"https://a.example/", "http://10.0.0.1/"} {
		if _, err := f.Get(t.Context(), fetch.Request{URL: address}); err != nil {
			t.Error(err)
		}
	}
	if reached != 0 {
		t.Errorf("the proxy was asked %d times", reached)
	}
}

func TestACertificateMustBeTheHosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.example")
	w.names = map[string][][]string{"a.example": {{there}}, "b.example": {{there}}}
	options := w.options()
	if _, err := newFetcher(t, options).Get(t.Context(), fetch.Request{URL: "https://b.example/"}); reasonOf(err) !=
		fetch.Unreachable {
		t.Errorf("another host's certificate: %v", err)
	}
	options.Roots = nil
	if _, err := newFetcher(t, options).Get(t.Context(), fetch.Request{URL: "https://a.example/"}); reasonOf(err) !=
		fetch.Unreachable {
		t.Errorf("a certificate of an unknown authority: %v", err)
	}
	options.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) { return nil, net.ErrClosed }
	if _, err := newFetcher(t, options).Get(t.Context(), fetch.Request{URL: "https://a.example/"}); reasonOf(err) !=
		fetch.Unreachable {
		t.Errorf("a host that does not answer: %v", err)
	}
}

func TestSearchDomainsAreForTheOperatorAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "wiki.inner", "wiki")
	var asked []string
	options := w.options()
	options.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	options.Resolve = func(_ context.Context, host string) ([]netip.Addr, error) {
		asked = append(asked, host)
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}
	f := newFetcher(t, options)
	for _, own := range []bool{false, true} {
		if _, err := f.Get(t.Context(), fetch.Request{URL: "https://wiki.inner/", Own: own}); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"wiki.inner.", "wiki.inner"}; !slices.Equal(asked, want) {
		t.Errorf("looked up %q, wanted %q", asked, want)
	}
}

func TestHTTP2IsSpokenWhereItIsOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.example")
	w.names["a.example"] = [][]string{{there}}
	f := newFetcher(t, w.options())
	for range 3 {
		if _, err := f.Get(t.Context(), fetch.Request{URL: "https://a.example/"}); err != nil {
			t.Fatal(err)
		}
	}
	if w.requests[0].ProtoMajor != 2 || len(w.dialled) != 1 {
		t.Errorf("%s over %d connections", w.requests[0].Proto, len(w.dialled))
	}
}

func TestAFloodOfHeadersIsStemmedInHTTP2Too(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.example")
	w.names["a.example"] = [][]string{{there}}
	for page, count := range map[string]int{"a.example/many": 100, "a.example/some": 10} {
		w.pages[page] = func(out http.ResponseWriter, _ *http.Request) {
			for i := range count {
				out.Header().Set(fmt.Sprintf("X-Flood-%d", i), strings.Repeat("a", 1000))
			}
		}
	}
	f := newFetcher(t, w.options())
	if _, err := f.Get(t.Context(), fetch.Request{URL: "https://a.example/many"}); reasonOf(err) != fetch.TooLarge &&
		reasonOf(err) != fetch.Unreachable {
		t.Errorf("100 KB of headers: %v", err) // HTTP/2 takes it for a fault of the connection
	}
	if _, err := f.Get(t.Context(), fetch.Request{URL: "https://a.example/some"}); err != nil {
		t.Errorf("10 KB of headers: %v", err)
	}
}
