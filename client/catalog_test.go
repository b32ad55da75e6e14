package client_test

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/client"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// shelf is the scripted catalog of an Exchange. It refuses entries whose path has a dot.
type shelf struct {
	*httptest.Server
	t       *testing.T
	without bool // its manifest names no catalog

	mu       sync.Mutex
	entries  map[string]bool
	pushes   []int // entries of each request
	removals []int
	before   func(method string, w http.ResponseWriter) bool // answers instead
	unsigned int
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{t: t, entries: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/ramp-exchange.json", func(w http.ResponseWriter, r *http.Request) {
		manifest := &rampv1.ExchangeManifest{
			Ver: "1.0", Domain: "x.example", Name: "X", Operator: "X", ExchangeEndpoint: s.URL + "/rpc",
			KeysUri: s.URL + "/keys", ProtocolVersionsSupported: []string{"1.0"},
			PricingModelsSupported: []string{"per_access"}, DeliveryMethodsSupported: []string{"direct"},
		}
		if !s.without {
			manifest.CatalogEndpoint = proto.String(s.URL + "/catalog/")
		}
		text, err := ramp.WriteExchangeManifest(manifest)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(text)
	})
	mux.HandleFunc("POST /catalog/ramp.v1.CatalogService/{method}", s.rpc)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *shelf) rpc(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	method := r.PathValue("method")
	body, _ := io.ReadAll(r.Body)
	all, err := sign.ReadHTTPSignatures(r.Header)
	if err != nil || len(all) != 1 || all[0].KeyID != "acme-cms" || !all[0].Covers(sign.RequestComponents...) ||
		all[0].Fresh(time.Now()) != nil ||
		sign.CheckContentDigest(r.Header.Values(sign.HeaderContentDigest), body) != nil ||
		all[0].Verify(buyerKey.Public().(ed25519.PublicKey),
			sign.Request{Method: r.Method, Target: s.URL + r.URL.RequestURI(), Header: r.Header}) != nil {
		s.unsigned++
	}
	if s.before != nil && s.before(method, w) {
		return
	}
	read := func(m proto.Message) {
		if err := errors.Join(ramp.Unmarshal(body, m), ramp.Validate(m)); err != nil {
			s.t.Error(err)
		}
	}
	var out proto.Message
	switch method {
	case "PushResources":
		m := &rampv1.PushResourcesRequest{}
		read(m)
		if m.TenantId != "acme" || m.CallerId != "acme-cms" {
			s.t.Errorf("pushed for %s by %s", m.TenantId, m.CallerId)
		}
		answer := &rampv1.PushResourcesResponse{}
		for _, e := range m.Entries {
			if strings.Contains(e.Path, ".") {
				answer.Rejected++
				continue
			}
			answer.Accepted++
			s.entries[e.Path] = true
		}
		s.pushes = append(s.pushes, len(m.Entries))
		out = answer
	case "RemoveResources":
		m := &rampv1.RemoveResourcesRequest{}
		read(m)
		answer := &rampv1.RemoveResourcesResponse{}
		for _, path := range m.Paths {
			if s.entries[path] {
				delete(s.entries, path)
				answer.Removed++
			}
		}
		s.removals = append(s.removals, len(m.Paths))
		out = answer
	case "RefreshCatalog":
		m := &rampv1.RefreshCatalogRequest{}
		read(m)
		out = &rampv1.RefreshCatalogResponse{Started: m.TenantId == "acme"}
	}
	text, err := ramp.Marshal(out)
	if err != nil {
		s.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

func (s *shelf) open() *client.Catalog {
	s.t.Helper()
	c, err := client.OpenCatalog(s.t.Context(), s.URL,
		client.Supplier{Caller: "acme-cms", Key: buyerKey, Tenant: "acme"}, client.Options{Retries: -1})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// answering has requests answered by before from now on.
func (s *shelf) answering(before func(method string, w http.ResponseWriter) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
}

func entriesOf(n, title int) (all []*rampv1.ResourceEntry) {
	for i := range n {
		all = append(all, &rampv1.ResourceEntry{Domain: "www.acme.example", Path: fmt.Sprintf("/%d", i),
			Title: proto.String(strings.Repeat("t", title))})
	}
	return all
}

func TestACatalogIsPushedByAsManyRequestsAsItTakes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		n, title int
		want     []int
	}{
		{0, 0, nil}, {1, 0, []int{1}}, {1000, 10, []int{1000}}, {1001, 10, []int{1000, 1}},
		{2500, 10, []int{1000, 1000, 500}},
		{900, 5000, []int{418, 418, 64}}, // two megabytes at about
	} {
		s := newShelf(t)
		accepted, rejected, err := s.open().Push(t.Context(), entriesOf(row.n, row.title))
		if err != nil || accepted != row.n || rejected != 0 || len(s.entries) != row.n {
			t.Fatalf("%d: %d, %d, %v, %d there", row.n, accepted, rejected, err, len(s.entries))
		}
		if !slices.Equal(s.pushes, row.want) {
			t.Errorf("%d entries by requests of %v, want %v", row.n, s.pushes, row.want)
		}
		if s.unsigned > 0 {
			t.Errorf("%d requests are not signed as they should be", s.unsigned)
		}
	}
}

func TestWhatIsRefusedIsCounted(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	entries := entriesOf(3, 1)
	entries[1].Path = "/a.b"
	if accepted, rejected, err := s.open().Push(t.Context(), entries); accepted != 2 || rejected != 1 || err != nil {
		t.Errorf("%d, %d, %v", accepted, rejected, err)
	}
}

// TestAFailureTellsWhatWasTakenBefore fails the third request of several, in the words of the
// protocol, in no words, and by a line that breaks.
func TestAFailureTellsWhatWasTakenBefore(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		fail func(w http.ResponseWriter)
		code string
	}{
		"a wrong tenant": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"code":"permission_denied","message":"the caller may not push for acme"}`)
		}, "permission_denied"},
		"a wrong key": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"code":"unauthenticated","message":"no"}`)
		}, "unauthenticated"},
		"a gateway": {
			func(w http.ResponseWriter) { http.Error(w, "<html>", http.StatusBadGateway) }, "http_502",
		},
		"a line that breaks": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, ""},
		"an answer that is cut": {
			func(w http.ResponseWriter) { w.Header().Set("Content-Length", "100"); fmt.Fprint(w, `{"accepted":`) }, "",
		},
		"no answer of RAMP": {func(w http.ResponseWriter) { fmt.Fprint(w, `{"accepted":"many"}`) }, ""},
	} {
		s := newShelf(t)
		n := 0
		s.answering(func(_ string, w http.ResponseWriter) bool {
			if n++; n < 3 {
				return false
			}
			row.fail(w)
			return true
		})
		c := s.open()
		entries := entriesOf(3500, 1)
		accepted, rejected, err := c.Push(t.Context(), entries)
		if accepted != 2000 || rejected != 0 || err == nil {
			t.Errorf("%s: %d, %d, %v", name, accepted, rejected, err)
		}
		var told *client.ExchangeError
		if errors.As(err, &told) != (row.code != "") || told != nil && told.Code != row.code {
			t.Errorf("%s: %v", name, err)
		}
		// All of it can be pushed again.
		s.answering(nil)
		if accepted, _, err := c.Push(t.Context(), entries); accepted != 3500 || err != nil || len(s.entries) != 3500 {
			t.Errorf("%s, again: %d, %v, %d there", name, accepted, err, len(s.entries))
		}
		s.answering(func(string, http.ResponseWriter) bool { panic(http.ErrAbortHandler) })
		if removed, err := c.Remove(t.Context(), []string{"/1"}); removed != 0 || err == nil {
			t.Errorf("%s: removed %d, %v", name, removed, err)
		}
		if started, err := c.Refresh(t.Context()); started || err == nil {
			t.Errorf("%s: started %t, %v", name, started, err)
		}
	}
}

func TestEntriesAreTakenOutAndReadAnew(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	c := s.open()
	if _, _, err := c.Push(t.Context(), entriesOf(1500, 1)); err != nil {
		t.Fatal(err)
	}
	paths := []string{"/none"}
	for i := range 1200 {
		paths = append(paths, fmt.Sprintf("/%d", i))
	}
	if removed, err := c.Remove(t.Context(), paths); removed != 1200 || err != nil ||
		!slices.Equal(s.removals, []int{1000, 201}) || len(s.entries) != 300 {
		t.Errorf("%d, %v, by %v, %d left", removed, err, s.removals, len(s.entries))
	}
	if started, err := c.Refresh(t.Context()); !started || err != nil {
		t.Errorf("%t, %v", started, err)
	}
}

func TestACatalogHasToBeOne(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for name, who := range map[string]client.Supplier{
		"no caller": {Key: buyerKey, Tenant: "acme"}, "no key": {Caller: "acme-cms", Tenant: "acme"},
		"no tenant": {Caller: "acme-cms", Key: buyerKey},
	} {
		if _, err := client.OpenCatalog(t.Context(), s.URL, who, client.Options{}); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	who := client.Supplier{Caller: "acme-cms", Key: buyerKey, Tenant: "acme"}
	s.without = true
	var wrong *client.NotAnExchange
	if _, err := client.OpenCatalog(t.Context(), s.URL, who, client.Options{}); !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "catalog_endpoint") {
		t.Errorf("%v", err)
	}
	if _, err := client.OpenCatalog(t.Context(), s.URL+"/nothing", who, client.Options{}); err == nil {
		t.Error("nothing is opened")
	}
	if _, err := client.OpenCatalog(t.Context(), "http://exchange.example.com", who, client.Options{}); err == nil {
		t.Error("opened without https")
	}
}
