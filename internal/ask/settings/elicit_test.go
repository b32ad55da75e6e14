package settings

import (
	"testing"

	"frontdesk/internal/ask/elicitation"
)

func TestSlotsAreAskedOfTypesAsSchemaOrgWritesThem(t *testing.T) {
	t.Parallel()
	given := []elicitation.Slot{{Types: []string{"recipe"}, When: elicitation.When{Types: []string{"product", "Own"}}}}
	slots := canonicalSlots(given)
	got := append(slots[0].Types, slots[0].When.Types...)
	if got[0] != "Recipe" || got[1] != "Product" || got[2] != "Own" {
		t.Errorf("the types are %q", got)
	}
	if given[0].Types[0] != "recipe" {
		t.Error("the configuration itself was changed")
	}
}
