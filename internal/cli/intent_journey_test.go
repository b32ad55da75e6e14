package cli

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"frontdesk/client"
	"frontdesk/internal/app"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/identity"
	"frontdesk/wire/receipt"
)

const newsSite = `
site: {id: news, name: The News, url: "https://news.example"}
sources: [{name: site, path: site}]
terms: [{match: {}, access: open, labels: [finance]}]
intent: {enabled: true, publisher: {id: thenews}, compliance: {last_updated: "2026-11-01"}}
`

func TestPlatformsGetTheReceiptsThatConcernThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"frontdesk.yaml": newsSite,
		"site/yields.md": "# Bond yields\n\n" +
			"Bond yields fell to their lowest level this month. Analysts expect calm trading ahead of the meeting.\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755),
			os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := app.Load(app.Layers{
		File: filepath.Join(dir, "frontdesk.yaml"), Flags: map[string]string{"listen": "127.0.0.1:0",
			"metrics.listen": "off", "data": filepath.Join(dir, "data")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := app.Build(t.Context(), app.Options{Loaded: loaded})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, source := range loaded.Config.AllSources() {
		if _, err := s.Ingest(t.Context(), source, ingest.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	defer web.Close()
	as := func(platform string) *client.Publisher {
		key, secret, err := s.Platforms.Issue(t.Context(),
			identity.PlatformKey{Platform: platform, Roles: identity.Roles}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := client.OpenPublisher(t.Context(), web.URL, client.Platform{ID: platform,
			Key: client.NewKey(key.ID, secret), RequireSigned: true}, client.Options{Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	acme, other := as("acme"), as("other")
	passages, err := acme.Retrieve(t.Context(), client.Retrieval{Domain: "finance", Query: "bond yields"})
	if err != nil {
		t.Fatal(err)
	}
	address := passages.ReceiptURL()
	got, err := acme.Receipt(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	var keys receipt.Keys
	for _, k := range s.SiteKeys.Keys() {
		keys = append(keys, receipt.Key{ID: k.ID, Public: k.Public})
	}
	if _, err := receipt.Verify(got, keys); err != nil || got.Entry.Request != passages.Request.RequestID ||
		got.Entry.Party != "platform:acme" {
		t.Errorf("%v: %+v", err, got.Entry)
	}
	if _, err := acme.Receipt(t.Context(), "https://elsewhere.example/intent/receipts/1"); err == nil {
		t.Error("a signature went elsewhere")
	}
	for name, c := range map[string]struct {
		p  *client.Publisher
		at string
	}{
		"another's": {other, address},
		"none":      {acme, web.URL + "/intent/receipts/01930000-0000-7000-8000-000000000000"},
	} {
		_, err := c.p.Receipt(t.Context(), c.at)
		var failed *client.Failed
		if !errors.As(err, &failed) || failed.Code != "not_found" || failed.Status != http.StatusNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	for method, want := range map[string]int{
		http.MethodGet: http.StatusUnauthorized, http.MethodPost: http.StatusMethodNotAllowed,
	} {
		request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if response.Body.Close(); response.StatusCode != want {
			t.Errorf("unsigned, with %s: %s", method, response.Status)
		}
	}
}
