package app

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/content"
)

func TestWhatIsSaidOfItemsIsChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`items: [{match: {}, isbn: 978-3-16-148410-1}]`:   "ramp.items[0].isbn: it cannot be read",
		`items: [{match: {}, isni: 0000 0001 2103 2684}]`: "ramp.items[0].isni: it cannot be read",
		`items: [{match: {}, doi: abc}]`: "ramp.items[0].doi: " +
			"it cannot be read",
		`items: [{match: {}, c2pa: /manifest}]`: "ramp.items[0].c2pa: " +
			"it cannot be read",
		`items: [{match: {}, mutability: often}]`:                                                                             "ramp.items[0].mutability",
		`items: [{match: {path: [premium]}}]`:                                                                                 "ramp.items[0].match.path[0]",
		`items: [{match: {}, categories: ["4 8"]}]`:                                                                           "ramp.items[0].categories[0]",
		`aliases: [{pattern: "https://a.example/x", item: "https://a.example/y"}]`:                                            "ramp.aliases[0]",
		`aliases: [{pattern: "https://*.example/x/", item: "https://a.example/y"}]`:                                           "ramp.aliases[0]",
		`aliases: [{pattern: "/x/", item: "https://a.example/y"}]`:                                                            "ramp.aliases[0]",
		`tokens: [{language: German, per_word: 1.4}]`:                                                                         "ramp.tokens[0].language",
		`tokens: [{language: de, per_word: 1.4}, {language: de, per_word: 2}]`:                                                "ramp.tokens[1].language",
		`tokens: [{language: de, per_word: 0}]`:                                                                               "ramp.tokens[0].per_word",
		`items: [{match: {type: recipe}, isbn: 3-16-148410-X, doi: "https://doi.org/10.1234/Ab", isni: 0000 0001 2103 2683}]`: "",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", "ramp: {"+text+"}\n")})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%s: said %q, want %q", text, said, want)
		}
	}
}

func TestAccessPolicyIsServedAndNamedInTheManifest(t *testing.T) {
	t.Parallel()
	s, _ := open(t, `
url: https://shop.example
site: {name: Shop, hosts: [shop.example]}
ramp: {enabled: true}
terms:
  - {match: {path: "/reports/**"}, access: licensed}
  - {match: {type: Recipe}, access: licensed}
  - {match: {}, access: open}
`)
	fill(t, s,
		content.Item{URL: "https://shop.example/soup", Types: []string{"Recipe"}, Name: "Soup", Object: []byte(`{"@type":"Recipe"}`)},
		content.Item{URL: "https://shop.example/pan", Types: []string{"Product"}, Name: "Pan", Object: []byte(`{"@type":"Product"}`)})
	get := func(path string, status int) *httptest.ResponseRecorder {
		t.Helper()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://shop.example"+path, nil))
		if w.Code != status {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		return w
	}
	var manifest struct {
		Ext map[string]string `json:"ext"`
	}
	if err := json.Unmarshal(get("/.well-known/ramp.json", http.StatusOK).Body.Bytes(), &manifest); err != nil {
		t.Fatal(err)
	}
	at := manifest.Ext["ramp.access_policy_uri"]
	if at != "https://shop.example/provider/shop.example/access-policy.json" {
		t.Fatalf("the manifest names %q", at)
	}
	policy := get(strings.TrimPrefix(at, "https://shop.example"), http.StatusOK)
	want := `{"default_policy":"RESOURCE_ACCESS_POLICY_OPEN","rules":[` +
		`{"pattern":"/soup","policy":"RESOURCE_ACCESS_POLICY_LICENSED"},` +
		`{"pattern":"/reports","policy":"RESOURCE_ACCESS_POLICY_LICENSED"},{"pattern":"/reports/*","policy":"RESOURCE_ACCESS_POLICY_LICENSED"}]}`
	var compact bytes.Buffer
	if err := json.Compact(&compact, policy.Body.Bytes()); err != nil {
		t.Fatal(err)
	}
	if got := compact.String(); got != want || policy.Header().Get("Cache-Control") != "public, max-age=300" ||
		policy.Header().Get("ETag") == "" {
		t.Errorf("%v\n%s\nwant\n%s", policy.Header(), got, want)
	}
	get("/provider/other.example/access-policy.json", http.StatusNotFound)
}
