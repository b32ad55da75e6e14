package telling_test

import (
	"testing"

	"frontdesk/internal/ask/details"
	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/telling"
)

// TestTheOnlyTemperatureIsTold holds that a property answers whatever it is called where it alone
// has such a value, and that none answers where none has.
func TestTheOnlyTemperatureIsTold(t *testing.T) {
	t.Parallel()
	q := telling.Question{Asked: details.Asked{Intent: "temperature", Kind: "temperature"}, Shown: true, Language: "fr"}
	for value, want := range map[string]string{"30 °C": "Brume : Entretien – 30 °C.", "à la main": ""} {
		object := facts.Read([]byte(`{"@type":"Product","name":"Brume","additionalProperty":[
			{"@type":"PropertyValue","name":"Laize","value":"135 cm"},
			{"@type":"PropertyValue","name":"Entretien","value":"` + value + `"}]}`))
		if got, _ := q.ByStatement(telling.Item{Name: "Brume", Language: "fr"}, object); got != want {
			t.Errorf("of %q, %q is told, want %q", value, got, want)
		}
	}
}
