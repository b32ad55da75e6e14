package fetch_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/infra/fetch"
)

// TestTransportJudgesEachAddress has a program that makes its own requests reach this machine where
// the operator typed the address, and nowhere else there, by a redirect no more than at once.
func TestTransportJudgesEachAddress(t *testing.T) {
	t.Parallel()
	inner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("secret"))
	}))
	defer inner.Close()
	typed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, inner.URL, http.StatusFound)
			return
		}
		w.Write([]byte("open"))
	}))
	defer typed.Close()
	f := fetch.New(fetch.Options{})
	defer f.Close()
	way, err := f.Transport(typed.URL)
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Client{Transport: way}
	answer, err := web.Get(typed.URL)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("what the operator typed: %v, %v", answer, err)
	}
	answer.Body.Close()
	for _, address := range []string{inner.URL, typed.URL + "/away",
		strings.Replace(inner.URL, "127.0.0.1", "localhost", 1), "http://[::ffff:127.0.0.1]:80/", "ftp://127.0.0.1/"} {
		answer, err := web.Get(address)
		if err == nil {
			answer.Body.Close()
		}
		if refused := new(fetch.Error); !errors.As(err, &refused) || refused.Reason != fetch.Refused {
			t.Errorf("%s: %v, want it refused", address, err)
		}
	}
	typed.Close()
	for _, address := range []string{typed.URL + "/?sign=secret", inner.URL + "/?sign=secret",
		"ftp://127.0.0.1/?sign=secret"} {
		request, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		// http.Client itself adds the address
		if _, err := way.RoundTrip(request); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v tells what opens the address", address, err)
		}
	}
	if _, err := f.Transport("file:///etc/passwd"); err == nil {
		t.Error("an address that is none was taken")
	}
}
