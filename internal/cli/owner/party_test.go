package owner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/policy"
)

// TestPartyAsNamed holds whom --as means, and what of it counts as proven.
func TestPartyAsNamed(t *testing.T) {
	t.Parallel()
	known := agents.Settings{
		Known: []agents.KnownSettings{{Operator: "Shop", Origin: "https://shop.example", Kind: "data",
			UserAgent: "ShopBot", Addresses: []string{"198.51.100.0/24", "2001:db8::/32"}}}}
	shop := policy.Traits{Classes: []string{"data", "agent"}, Operators: []string{"https://shop.example"},
		Name: "ShopBot"}
	for words, want := range map[string]policy.Party{
		"":                            {},
		"ShopBot":                     {Said: shop},
		"shopbot,198.51.100.7":        {Proven: shop},
		"198.51.100.7,ShopBot":        {Proven: shop},
		"ShopBot,2001:db8::7":         {Proven: shop},
		"ShopBot,::ffff:198.51.100.7": {Proven: shop},
		"ShopBot,203.0.113.7":         {Said: shop}, // not one of its own
		"known":                       {Proven: policy.Traits{Classes: []string{"known"}}},
		"verified,https://shop.example": {
			Proven: policy.Traits{Classes: []string{"verified", "agent", "agent"}, Operators: shop.Operators},
		},
		"chatgpt.com": {Said: policy.Traits{Classes: []string{"agent"},
			Operators: []string{"https://chatgpt.com", "https://openai.com"}}},
	} {
		var list []string
		if words != "" {
			list = strings.Split(words, ",")
		}
		got, err := partyAs(list, known)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("--as %s: %v %s", words, err, diff)
		}
	}
	for words, want := range map[string]string{"198.51.100.7": "name the agent, too", "verfied": "is no party",
		"anonymous": "is no party"} {
		if _, err := partyAs(strings.Split(words, ","), known); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--as %s: %v", words, err)
		}
	}
}
