package client_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/client"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestAPeerOfALaterProtocolIsNamed has a buyer meet Exchanges of RAMP 2, of a later revision that
// calls itself ramp.v1 as well, and of FORA: each is refused with its name, before anything is
// bought.
func TestAPeerOfALaterProtocolIsNamed(t *testing.T) {
	t.Parallel()
	const manifest = `{"domain":"x.example","name":"X","operator":"X","exchange_endpoint":"https://x.example","keys_uri":"https://x.example/keys","pricing_models_supported":["per_access"],"delivery_methods_supported":["direct"],`
	for name, c := range map[string]struct {
		documents map[string]string
		want      string
	}{
		"RAMP 2":                 {map[string]string{"ramp-exchange.json": manifest + `"ver":"2.0","protocol_versions_supported":["2.0"]}`}, "RAMP 2.0"},
		"RAMP 2 by its list":     {map[string]string{"ramp-exchange.json": manifest + `"ver":"1.0","protocol_versions_supported":["2.1"]}`}, "RAMP 2.1"},
		"a later ramp.v1":        {map[string]string{"ramp.json": `{"ver":"1.0","role":"ROLE_EXCHANGE","endpoint":"https://x.example"}`}, "a later revision of ramp.v1"},
		"FORA":                   {map[string]string{"fora.json": `{"ver":"1.0","role":"ROLE_EXCHANGE","endpoint":"https://x.example"}`}, "FORA"},
		"a provider of RAMP 1.0": {map[string]string{"ramp.json": `{"ver":"1.0","provider":"x.example"}`}, "there is no manifest here"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, is := c.documents[strings.TrimPrefix(r.URL.Path, "/.well-known/")]
			if !is {
				http.NotFound(w, r)
				return
			}
			_, _ = io.WriteString(w, text)
		}))
		_, err := client.OpenExchange(t.Context(), server.URL, client.Buyer{ID: "bot", Domain: "buyer.example"},
			client.Options{})
		server.Close()
		var wrong *client.NotAnExchange
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	c := newCounter(t)
	x := c.open()
	for name, one := range map[string]struct{ answer, want string }{
		"another version": {`{"ver":"2.0","id":"q","exchange":"x.example","offers":[]}`, "RAMP 2.0"},
		"JWS":             {`{"ver":"1.0","exchange":"x.example","offers":[{"offer_id":"o-1","pricing":{"model":"PRICING_MODEL_PER_ACCESS","rate":"0.02","currency":"USD"},"signature":"eyJh.e.s","signature_algorithm":"EdDSA"}]}`, "a later revision of ramp.v1"},
	} {
		c.mu.Lock()
		c.before = func(_ string, w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "application/json")
			_, err := io.WriteString(w, one.answer)
			return err == nil
		}
		c.mu.Unlock()
		var wrong *client.NotAnExchange
		if quotes, err := x.Discover(t.Context(), wanted("a")); !errors.As(err, &wrong) ||
			!strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: %+v, %v, want %q", name, quotes, err, one.want)
		}
		if all, err := x.Buy(t.Context(), "mine",
			&rampv1.Offer{OfferId: "o", ExchangeSignature: "s"}); name == "another version" &&
			(!errors.As(err, &wrong) || !strings.Contains(err.Error(), one.want)) {
			t.Errorf("%s: %+v, %v, want %q", name, all, err, one.want)
		}
	}
}
