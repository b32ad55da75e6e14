package app

import (
	"net/http"
	"strings"
	"testing"
)

func TestAddressOfADeliveryOpensNothingUnlessItWasSignedHere(t *testing.T) {
	t.Parallel()
	s, log := open(t, "url: https://desk.example\n"+rampConfig)
	const address = "/deliver/txn-01HZZZZZZZZZZZZZZZZZZZZZZZ"
	for _, query := range []string{"", "?expires=4102444800",
		"?expires=4102444800&agent_id=a&txn_id=txn-01HZZZZZZZZZZZZZZZZZZZZZZZ&sig=" + strings.Repeat("0", 64)} {
		w := get(s, address+query)
		if w.Code != http.StatusForbidden || !strings.HasPrefix(w.Body.String(), `{"code":"permission_denied"`) ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%q: %d %s", query, w.Code, w.Body)
		}
	}
	if strings.Contains(log.String(), "4102444800") {
		t.Errorf("the log holds what opens an address: %s", log)
	}
	off, _ := open(t, "url: https://desk.example\n")
	if w := get(off, address); w.Code != http.StatusNotFound {
		t.Errorf("where nothing is sold: %d", w.Code)
	}
}

func TestDeliveriesAreCountedByAddress(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://desk.example\nlimits: {rate: {address: 1/1h}}\n"+rampConfig)
	const address = "/deliver/txn-01HZZZZZZZZZZZZZZZZZZZZZZZ"
	if w := get(s, address); w.Code != http.StatusForbidden {
		t.Error(w.Code, w.Body)
	}
	if w := get(s, address); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Error(w.Code, w.Header(), w.Body)
	}
}
