package intake

import (
	"testing"
)

func TestNewNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]func(*Deps){
		"Intakes": func(d *Deps) { d.Intakes = nil },
		"DB":      func(d *Deps) { d.DB = nil },
		"Ledger":  func(d *Deps) { d.Ledger = nil },
		"Vault":   func(d *Deps) { d.Vault = nil },
	} {
		deps := newTaker(t).deps
		without(&deps)
		if s, err := New(deps); s != nil || err == nil || err.Error() != "intake.New: "+name+" is missing" {
			t.Errorf("without %s: %v, %v", name, s, err)
		}
	}
}
