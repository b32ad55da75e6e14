package identity

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/clock"
)

// TestProvidersAreHeldToWhatTheyPublish lets a provider name an Exchange, no more name it, and go
// silent.
func TestProvidersAreHeldToWhatTheyPublish(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
	const named = `{"ver":"1.0","provider":"site.example","exchanges":[{"domain":"other.example","endpoint":"https://other.example"},{"domain":"x.example","endpoint":"https://x.example","relationship":"DIRECT"}]}`
	status, body := http.StatusOK, named
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	p := NewProviders(fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		MaxRedirects: -1, Timeout: 5 * time.Second}), "x.example", now.Now)
	names := func(step string, want, fails bool) {
		t.Helper()
		if err := p.Refresh(t.Context(), []string{host}); (err != nil) != fails || fails &&
			!strings.Contains(err.Error(), host) {
			t.Errorf("%s: %v", step, err)
		}
		if got := p.Names(host); got != want {
			t.Errorf("%s: named %v", step, got)
		}
	}
	if p.Names(host) || p.Names("") {
		t.Error("who was never asked lets it sell")
	}
	names("it names it", true, false)
	status = http.StatusInternalServerError
	names("it is broken", true, true)
	now.Advance(providerHolds)
	names("it is broken for long", false, true)
	status = http.StatusOK
	names("it names it again", true, false)
	body = `{"exchanges":`
	names("it is garbled", true, true)
	body = strings.Replace(named, "x.example", "y.example", 1)
	names("it names another", false, false)
	body = named
	names("and again", true, false)
	status = http.StatusNotFound
	names("it publishes nothing", false, false)
	status = http.StatusOK
	names("once more", true, false)
	if err := p.Refresh(t.Context(), nil); err != nil || p.Names(host) {
		t.Errorf("what is sold no more is remembered, %v", err)
	}
	if paths[0] != "/.well-known/ramp.json" {
		t.Errorf("asked at %s", paths[0])
	}
}
