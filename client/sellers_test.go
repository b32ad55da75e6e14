package client

import (
	"fmt"
	"testing"
)

// TestItemsTellTheirSeller reads the action of front desks of today and of before, and believes no
// other.
func TestItemsTellTheirSeller(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]string{
		`"license","endpoint":"https://x.example/a/.well-known/ramp-exchange.json"`:            "https://x.example/a",
		`"license","endpoint":"https://x.example/a/ramp.v1.ExchangeService/DiscoverResources"`: "https://x.example/a",
		`"license","endpoint":"https://x.example/a"`:                                           "",
		`"share","endpoint":"https://x.example/.well-known/ramp-exchange.json"`:                "",
	} {
		if got := toldSeller(fmt.Appendf(nil, `{"actions":[{"name":%s}]}`, action)); got != want {
			t.Errorf("%s leads to %q, want %q", action, got, want)
		}
	}
}
