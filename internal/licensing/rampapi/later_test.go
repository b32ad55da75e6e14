package rampapi

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestARequesterOfALaterProtocolIsNamed refuses a query of RAMP 2, one of a later revision of
// ramp.v1 and one of FORA with the name of what it speaks.
func TestARequesterOfALaterProtocolIsNamed(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 1_000_000_000)
	for _, one := range []struct {
		path, body, want string
		status           int
	}{
		{"/ramp.v1.ExchangeService/DiscoverResources", `{"ver":"2.0","id":"q","requester":{"id":"bot","domain":"b.example","uris":["https://site.example/a"]}}`, "ver: it speaks RAMP 2.0", 400},
		{"/ramp.v1.ExchangeService/DiscoverResources", `{"ver":"1.0","requester":{"id":"bot","domain":"b.example"},"uris":["https://site.example/a"]}`, "a later revision of ramp.v1 (uris)", 400},
		{"/ramp.v1.ExchangeService/ExecuteTransaction", `{"ver":"1.0","idempotency_key":"k","requester":{"id":"bot","domain":"b.example"},"items":[{"offer_id":"o"}]}`, "a later revision of ramp.v1 (idempotency_key)", 400},
		{"/ramp.v1.ExchangeService/ReportUsage", `{"ver":"3.1","id":"r"}`, "RAMP 3.1", 400},
		{"/ramp.v1.ExchangeService/DiscoverResources", `{"ver":"1.1","requester":{"id":"bot","domain":"b.example","uris":["https://site.example/a"]}}`, "id: is required", 400},
		{"/fora.v1.ExchangeService/DiscoverResources", `{"ver":"1.0"}`, "FORA is not spoken here", 501},
		{"/ramp.v2.ExchangeService/DiscoverResources", `{"ver":"2.0"}`, "RAMP 2 is not spoken here", 501},
	} {
		response, err := s.fetches.Post(s.at+one.path, "application/json", bytes.NewReader([]byte(one.body)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != one.status || !strings.Contains(string(text), one.want) {
			t.Errorf("%s %s: %d %s, %v; want %q", one.path, one.body, response.StatusCode, text, err, one.want)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	response, err := http.Post(s.at+"/ramp.v1.ExchangeService/DiscoverResources", "application/json",
		strings.NewReader(`{"ver":"1.1","id":"q","requester":{"id":"bot","domain":"b.example","uris":["https://site.example/a"]}}`))
	if err != nil || response.StatusCode != 200 {
		t.Errorf("RAMP 1.1: %v, %v", response, err)
	}
}
