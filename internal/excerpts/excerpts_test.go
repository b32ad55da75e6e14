package excerpts

import (
	"reflect"
	"testing"
)

// TestNewNamesWhatIsMissing takes away each dependency that is required.
func TestNewNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	whole := newGiver(t).deps
	for _, name := range []string{"Corpus", "Policy", "DB", "Ledger", "Nonces"} {
		deps := whole
		reflect.ValueOf(&deps).Elem().FieldByName(name).SetZero()
		if _, err := New(deps); err == nil || err.Error() != "excerpts.New: "+name+" is missing" {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
