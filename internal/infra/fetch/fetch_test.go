package fetch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"frontdesk/internal/infra/fetch"
)

// peer is a server on this machine that answers as the handler says.
func peer(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// newFetcher is a Fetcher that is closed with the test.
func newFetcher(t *testing.T, options fetch.Options) *fetch.Fetcher {
	t.Helper()
	f := fetch.New(options)
	t.Cleanup(f.Close)
	return f
}

// reasonOf is why a document could not be had.
func reasonOf(err error) fetch.Reason {
	var failed *fetch.Error
	if errors.As(err, &failed) {
		return failed.Reason
	}
	return fetch.Reason(fmt.Sprint(err))
}

func TestADocumentComesWithItsAddressStatusHeaderAndBody(t *testing.T) {
	t.Parallel()
	server := peer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new?a=b#part", http.StatusFound)
		default:
			w.Header().Set("X-Seen", r.Header.Get("User-Agent"))
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprint(w, "short and stout")
		}
	})
	f := newFetcher(t, fetch.Options{UserAgent: "Tester/2 (+https://tester.example)"})
	response, err := f.Get(t.Context(), fetch.Request{URL: server.URL + "/old#fragment", Own: true})
	if err != nil {
		t.Fatal(err)
	}
	if response.URL != server.URL+"/new?a=b" || response.Status != http.StatusTeapot ||
		string(response.Body) != "short and stout" {
		t.Errorf("got %s, status %d, body %q", response.URL, response.Status, response.Body)
	}
	if agent := response.Header.Get("X-Seen"); agent != "Tester/2 (+https://tester.example)" {
		t.Errorf("the server saw the visitor's name as %q", agent)
	}
}

func TestADocumentThatDidNotChangeIsNotSentAgain(t *testing.T) {
	t.Parallel()
	server := peer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"v1"` && r.Header.Get("If-Modified-Since") == "Sat, 21 Nov 2026 10:00:00 GMT" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, "whole")
	})
	f := newFetcher(t, fetch.Options{})
	request := fetch.Request{URL: server.URL, Own: true}
	if response, err := f.Get(t.Context(), request); err != nil || response.NotModified ||
		string(response.Body) != "whole" {
		t.Fatalf("without validators: %+v, %v", response, err)
	}
	request.ETag, request.LastModified = `"v1"`, "Sat, 21 Nov 2026 10:00:00 GMT"
	if response, err := f.Get(t.Context(), request); err != nil || !response.NotModified ||
		response.Status != http.StatusNotModified {
		t.Fatalf("with validators: %+v, %v", response, err)
	}
}

func TestABodyIsUnpacked(t *testing.T) {
	t.Parallel()
	server := peer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("asked for encoding %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		fmt.Fprint(packed, strings.Repeat("word ", 1000))
		packed.Close()
	})
	response, err := newFetcher(t, fetch.Options{}).Get(t.Context(), fetch.Request{URL: server.URL, Own: true})
	if err != nil {
		t.Fatal(err)
	}
	if string(response.Body) != strings.Repeat("word ", 1000) {
		t.Errorf("got %d bytes", len(response.Body))
	}
}

func TestOnlyTheOperatorReachesThisMachine(t *testing.T) {
	t.Parallel()
	server := peer(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "inside") })
	strange, own := fetch.Request{URL: server.URL}, fetch.Request{URL: server.URL, Own: true}
	f := newFetcher(t, fetch.Options{})
	if _, err := f.Get(t.Context(), own); err != nil {
		t.Errorf("the operator's own host: %v", err)
	}
	if _, err := f.Get(t.Context(), strange); reasonOf(err) != fetch.Refused {
		t.Errorf("a stranger's address, with a connection of the operator's at hand: %v", err)
	}
	allowing := newFetcher(t, fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if _, err := allowing.Get(t.Context(), strange); err != nil {
		t.Errorf("a stranger's address in an allowed network: %v", err)
	}
}

func TestAnExchangeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := peer(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := newFetcher(t, fetch.Options{}).Get(ctx, fetch.Request{URL: server.URL, Own: true})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestEachRequestOnTheWayIsSigned: a signature is for one address, and does not go along to the
// next.
func TestEachRequestOnTheWayIsSigned(t *testing.T) {
	t.Parallel()
	var seen []string
	server := peer(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.Path+" "+strings.Join(r.Header.Values("Signature"), ","))
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusFound)
		}
	})
	f := newFetcher(t, fetch.Options{Sign: func(r *http.Request) { r.Header.Add("Signature", "of "+r.URL.Path) }})
	header := http.Header{"Accept": {"text/html"}}
	if _, err := f.Get(t.Context(), fetch.Request{URL: server.URL + "/old", Own: true, Header: header}); err != nil {
		t.Fatal(err)
	}
	way, err := f.Transport(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: way}).Post(server.URL+"/rpc", "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := strings.Join(seen, "; "); got != "/old of /old; /new of /new; /rpc of /rpc" || len(header) != 1 {
		t.Errorf("the server saw %s; the header is %v", got, header)
	}
}
