package requesters

import (
	"net/netip"
	"strings"
	"testing"
	"time"
	"unsafe"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/clock"
)

// TestWhatIsRememberedOfADomainKeepsNoHeader asks for a domain that is a part of a long text, as it
// is of a header with signatures: what is remembered for hours, of failures too, must not hold all
// of that.
func TestWhatIsRememberedOfADomainKeepsNoHeader(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
	a := newAgents(fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Timeout: 5 * time.Second}), now.Now)
	header := "127.0.0.1:1#" + strings.Repeat("k", 8<<10)
	domain, _, _ := strings.Cut(header, "#")
	if _, err := a.find(t.Context(), domain, false, nil); err == nil {
		t.Fatal("there are keys where nobody answers")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) != 1 {
		t.Fatalf("%d domains are remembered", len(a.known))
	}
	for known := range a.known {
		if unsafe.StringData(known) == unsafe.StringData(header) {
			t.Errorf("the name %s that is remembered is a part of the header", known)
		}
	}
}
