package app

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestToolsNameTheAddressAtWhichTheyAreCalled holds that, where no address is configured, what is
// bought is fetched where it was bought.
func TestToolsNameTheAddressAtWhichTheyAreCalled(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "ramp: {enabled: true, domain: x.example, signatures: required}\n")
	w := send(s, call(1, "tools/call", `{"name":"ramp_discover","arguments":{"id":"q"}}`))
	if !strings.Contains(w.Body.String(), "to http://localhost"+discover) {
		t.Errorf("%s", w.Body)
	}
	r := httptest.NewRequest("POST", "http://desk.example:8080"+discover, nil)
	if got := s.exchange.api.FetchAt(s.gate.Caller(r)); got != "http://desk.example:8080/deliver/" {
		t.Errorf("what an RPC buys is fetched below %q", got)
	}
	if got := s.publicBase(context.Background()); got != "" {
		t.Errorf("where nobody came: %q", got)
	}
}
