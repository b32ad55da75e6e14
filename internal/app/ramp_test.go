package app

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/clock"
	wire "frontdesk/wire/ramp"
)

const rampConfig = "ramp:\n  enabled: true\n"

func TestWhatIsNoExchangeIsFoundBeforehand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ url, line, says string }{
		"right":                     {"https://x.example", "", ""},
		"its own domain":            {"https://x.example", "domain: exchange.example", ""},
		"no domain":                 {"", "", "ramp.domain: the Exchange needs a domain"},
		"a domain without url":      {"", "domain: exchange.example", ""},
		"a domain with a scheme":    {"https://x.example", "domain: https://x.example", `ramp.domain: "https://x.example" is no host name`},
		"an operator in capitals":   {"https://x.example", "operator_domain: X.example", `ramp.operator_domain: "X.example" is no host name`},
		"a name for a contact":      {"https://x.example", `contact: "Desk <desk@x.example>"`, "ramp.contact: "},
		"a currency in small":       {"https://x.example", "currency: eur", `ramp.currency: "eur" is no currency`},
		"terms that are no address": {"https://x.example", "terms_url: terms", "ramp.terms_url: "},
		"no way to sign":            {"https://x.example", "signatures: some", `ramp.signatures: "some" is none of required, body, none`},
		"no deadline":               {"https://x.example", "deadline: 0s", "ramp.deadline: "},
		"more than the most": {"https://x.example", "{deadline: 8s, max_deadline: 5s}",
			"ramp.deadline: 8s is more than ramp.max_deadline, 5s"},
		"more than the answer's own": {"https://x.example", "max_deadline: 40s",
			"ramp.max_deadline: 40s is not less than limits.write_timeout, 30s"},
		"a part of more than all": {"https://x.example", "reports: {percent: 101}", "ramp.reports.percent: "},
		"offers for ever":         {"https://x.example", "offers: {lifetime: 10000h}", "ramp.offers.lifetime: "},
	} {
		text := "ramp:\n  enabled: true\n  " + c.line + "\n"
		if strings.HasPrefix(c.line, "{") {
			text = "ramp: {enabled: true, " + c.line[1:] + "\n"
		}
		if c.url != "" {
			text = "url: " + c.url + "\n" + text
		}
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestLicencesThatPermitNothingAreWarnedOf(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "rsl.xml", `<rsl xmlns="https://rslstandard.org/rsl"><content url="/a"><permits>search</permits></content><content url="/b"/></rsl>`)
	loaded, err := Load(Layers{File: write(t, folder, "frontdesk.yaml", "rsl: [rsl.xml]\n")})
	if err != nil || len(loaded.Warnings) != 1 || !strings.Contains(loaded.Warnings.Error(), `rsl[0]: the content "/b" in rsl.xml permits nothing`) {
		t.Errorf("%v, %v", loaded.Warnings, err)
	}
}

func TestWhatIsDoubtfulAboutAnExchangeIsTold(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"ramp: {enabled: true, domain: x.example}": "ramp.enabled: without url, " +
			"a signature that was made for another Exchange",
		"url: https://x.example\nramp: {enabled: true, signatures: none}": "ramp.signatures: " +
			"nobody has to show who they are",
		"url: https://x.example\nramp: {enabled: true, signatures: body}": "ramp.purchases is not set, " +
			"so it is what ramp.signatures says: body",
		"url: https://x.example\nramp: {enabled: true, purchases: body}": "ramp.purchases: body: " +
			"everybody who sees the signature",
		// what ramp.signatures asks for
		"url: https://x.example\nramp: {enabled: true, purchases: none}": "ramp.purchases: body: " +
			"everybody who sees the signature",
	} {
		loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if err != nil || !strings.Contains(loaded.Warnings.Error(), says) {
			t.Errorf("%s: %v, %v", text, loaded.Warnings, err)
		}
	}
}

func TestExchangeIsServedOnlyWhereItIsEnabled(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://x.example\n")
	for _, path := range []string{"/.well-known/ramp.json", "/.well-known/ramp-exchange.json", "/exchange/v1/keys",
		"/ramp.v1.ExchangeService/DiscoverResources", "/grpc.health.v1.Health/Check"} {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}"))
		r.Header.Set("Content-Type", "application/json")
		for _, w := range []*httptest.ResponseRecorder{get(s, path), send(s, r)} {
			if w.Code != http.StatusNotFound {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	}
}

// Each site is a provider of its own, by the host at which it is asked; what is not a site's is the
// first one's.
func TestEachSiteNamesItsExchange(t *testing.T) {
	t.Parallel()
	s, _ := open(t, `
url: https://desk.example/shop
sites: [{id: news, url: "https://news.example"}, {id: docs, url: "https://docs.example", hosts: [handbook.example]}]
`+rampConfig)
	w := get(s, "https://desk.example/shop/.well-known/ramp.json")
	m, err := wire.ReadProviderManifest(w.Body.Bytes())
	if err != nil || m.Provider != "news.example" || m.Exchanges[0].Domain != "desk.example" ||
		m.Exchanges[0].Endpoint != "https://desk.example/shop" {
		t.Errorf("%v, %v", m, err)
	}
	several, _ := open(t, `
sites: [{id: news, url: "https://news.example"}, {id: docs, url: "https://docs.example", hosts: [handbook.example]}]
ramp: {enabled: true, domain: desk.example}
`)
	for host, provider := range map[string]string{"news.example": "news.example", "docs.example": "docs.example",
		"handbook.example": "handbook.example", "else.example": "news.example"} {
		m, err := wire.ReadProviderManifest(get(several, "http://"+host+"/.well-known/ramp.json").Body.Bytes())
		if err != nil || m.Provider != provider || m.Exchanges[0].Endpoint != "http://"+host {
			t.Errorf("%s: %v, %v", host, m, err)
		}
	}
}

func TestExchangeNamesItself(t *testing.T) {
	t.Parallel()
	s, _ := open(t, `
url: https://desk.example
site: {name: Example News, url: "https://news.example"}
ramp: {enabled: true, operator: Example Inc, currency: EUR, privacy_url: "https://news.example/privacy"}
`)
	m, err := wire.ReadExchangeManifest(get(s, "/.well-known/ramp-exchange.json").Body.Bytes())
	if err != nil || m.Domain != "desk.example" || m.Name != "Example News" || m.Operator != "Example Inc" ||
		m.GetBaseCurrency() != "EUR" ||
		m.GetPrivacyUri() != "https://news.example/privacy" {
		t.Errorf("%v, %v", m, err)
	}
}

// Offers that were signed before a rotation are verified with the key that signed them.
func TestKeysOfTheExchangeRotateWithTheSites(t *testing.T) {
	t.Parallel()
	c := clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
	s, _ := open(t, "url: https://desk.example\n"+rampConfig, func(o *Options) { o.Now = c.Now })
	keys := func() (all []wire.Key) {
		_, all, err := wire.ReadKeys(get(s, "/exchange/v1/keys").Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first := keys()
	if id, _, _ := s.SiteKeys.Current(); len(first) != 1 || first[0].ID != id || !first[0].Active {
		t.Fatalf("at first %+v", first)
	}
	if _, err := s.SiteKeys.Rotate(time.Hour); err != nil {
		t.Fatal(err)
	}
	active := func(k wire.Key) bool { return k.Active }
	if both := keys(); len(both) != 2 || !slices.ContainsFunc(both,
		func(k wire.Key) bool { return k.Public.Equal(first[0].Public) && k.Active }) || !active(both[0]) {
		t.Errorf("while they overlap %+v", both)
	}
	c.Advance(2 * time.Hour)
	if after := keys(); len(after) != 2 || !after[0].Active || after[1].Active ||
		!after[1].Public.Equal(first[0].Public) {
		t.Errorf("afterwards %+v", after)
	}
}

// What was signed for another address counts nowhere here, whatever host the request names.
func TestRequestsAreSignedForThePublicAddress(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://desk.example/shop\n"+rampConfig)
	for _, address := range []string{"http://other.example/shop/ramp.v1.ExchangeService/ReportUsage?a=%20",
		"http://desk.example/ramp.v1.ExchangeService/ReportUsage?a=%20"} {
		r := s.outside.Strip(httptest.NewRequest(http.MethodPost, address, nil))
		if got := s.signedTargets(r); !slices.Equal(got,
			[]string{"https://desk.example/shop/ramp.v1.ExchangeService/ReportUsage?a=%20"}) {
			t.Errorf("%s: %q", address, got)
		}
	}
}

func TestOneEventTellsOfAnRPC(t *testing.T) {
	t.Parallel()
	s, log := open(t, "url: https://desk.example\n"+rampConfig)
	r := httptest.NewRequest(http.MethodPost, "/ramp.v1.ExchangeService/DiscoverResources", strings.NewReader(`{"ver":"1.0","id":"secret-id"}`))
	r.Header.Set("Content-Type", "application/json")
	if w := send(s, r); w.Code != http.StatusBadRequest {
		t.Error(w.Code, w.Body)
	}
	text := log.String()
	if strings.Count(text, `"msg":"request"`) != 1 || strings.Contains(text, "secret-id") {
		t.Error(text)
	}
	for _, part := range []string{`"route":"/ramp.v1.ExchangeService/DiscoverResources"`, `"rpc":"DiscoverResources"`, `"protocol":"connect"`, `"failure":"invalid_argument"`, `"status":400`} {
		if !strings.Contains(text, part) {
			t.Errorf("the event lacks %s: %s", part, text)
		}
	}
}

func TestAgentsThatArriveAreToldOfTheExchange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config string
		told   bool
	}{{"url: https://desk.example\n" + rampConfig, true}, {"url: https://desk.example\n", false}} {
		s, _ := open(t, c.config)
		for path, says := range map[string]string{
			"/llms.txt":                "https://desk.example/.well-known/ramp-exchange.json",
			"/openapi.json":            "/ramp.v1.ExchangeService/ExecuteTransaction",
			"/.well-known/api-catalog": "https://desk.example/ramp.v1.ExchangeService/",
		} {
			if got := strings.Contains(get(s, path).Body.String(), says); got != c.told {
				t.Errorf("%s tells of the Exchange: %v, want %v", path, got, c.told)
			}
		}
		if got := strings.Contains(get(s, "/openapi.json").Body.String(), `"comp.v1.Package"`); got != c.told {
			t.Errorf("the description has RAMP's schemas: %v, want %v", got, c.told)
		}
	}
}
