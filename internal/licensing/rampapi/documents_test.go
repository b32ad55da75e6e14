package rampapi

import (
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/ramp"
)

func served(t *testing.T, document *httpx.Document) (body, cache string) {
	t.Helper()
	w := httptest.NewRecorder()
	document.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Body.String(), w.Header().Get("Cache-Control")
}

func TestProviderManifestNamesTheExchange(t *testing.T) {
	t.Parallel()
	document, err := DeclareProvider("www.example.com", Identity{Domain: "x.example", Contact: "desk@example.com"},
		"https://x.example/desk")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "ver": "1.0",
  "provider": "www.example.com",
  "contact": "desk@example.com",
  "exchanges": [
    {
      "domain": "x.example",
      "endpoint": "https://x.example/desk",
      "relationship": "DIRECT"
    }
  ],
  "ext": {
    "ramp.access_policy_uri": "https://x.example/desk/provider/www.example.com/access-policy.json"
  }
}
`
	body, cache := served(t, document)
	if diff := cmp.Diff(want, body); diff != "" || cache != "public, max-age=300" {
		t.Errorf("%s\n%s", diff, cache)
	}
	if _, err := wire.ReadProviderManifest([]byte(body)); err != nil {
		t.Error(err)
	}
}

func TestExchangeManifestSaysWhatIsServedAndWhere(t *testing.T) {
	t.Parallel()
	exchange := Identity{Domain: "x.example", Name: "X", Operator: "O", TermsURL: "https://x.example/terms",
		Currency: "EUR"}
	document, err := DeclareExchange(exchange, "https://x.example/desk")
	if err != nil {
		t.Fatal(err)
	}
	body, cache := served(t, document)
	m, err := wire.ReadExchangeManifest([]byte(body))
	if err != nil || cache != "max-age=3600, must-revalidate" {
		t.Fatal(cache, err)
	}
	if m.ExchangeEndpoint != "https://x.example/desk" || m.KeysUri != "https://x.example/desk/exchange/v1/keys" ||
		m.GetHealthEndpoint() != "https://x.example/desk/healthz" ||
		m.GetTermsUri() != "https://x.example/terms" || m.GetBaseCurrency() != "EUR" || m.PrivacyUri != nil ||
		m.ContactEmail != nil {
		t.Errorf("got %v", m)
	}
	models := strings.Join(m.PricingModelsSupported, " ")
	if models != "per_access per_token per_fetch subscription free attribution contribution training revenue_share "+
		"per_page per_minute per_record" {
		t.Errorf("models %s", models)
	}
	if ways := strings.Join(m.DeliveryMethodsSupported, " "); ways != "direct instructions streaming" {
		t.Errorf("ways of delivery: %s", ways)
	}
	if _, err := DeclareExchange(Identity{Domain: "x.example"}, "https://x.example"); err == nil {
		t.Error("an Exchange without a name was declared")
	}
}

func TestKeysOfTheExchangeAreReadBack(t *testing.T) {
	t.Parallel()
	public := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	document, err := DeclareKeys([]wire.Key{{ID: "k", Public: public, From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Active: true}})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := served(t, document)
	if _, keys, err := wire.ReadKeys([]byte(body)); err != nil || len(keys) != 1 || keys[0].ID != "k" ||
		!keys[0].Public.Equal(public) || !keys[0].Active {
		t.Errorf("read %+v, %v", keys, err)
	}
}
