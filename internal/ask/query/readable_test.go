package query

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

func TestWhatAnAttributeCanBeIsToldWithoutACatalog(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name, value string
		want        bool
	}{
		{"price", `"under 20"`, true}, {"price", `"20 to 50 EUR"`, true}, {"price", `"a little"`, false}, {"price", `{"max":20}`, true},
		{"budget", `"lots"`, false}, {"totalTime", `"up to 30 minutes"`, true}, {"totalTime", `"quick-ish"`, false}, {"maxPrice", `"much"`, false},
		{"suitableForDiet", `"vegan"`, true}, {"suitableForDiet", `["vegan","gluten-free"]`, true}, {"brand", `"Acme"`, true},
		{"startDate", `"next weekend"`, true}, {"startDate", `"someday"`, false}, {"ratingValue", `"4 stars and more"`, true},
		{"ratingValue", `"good"`, false}, {"price", `"any"`, true}, {"price", `"bis 20 Euro"`, true}, {"totalTime", `"30分以内"`, true}, {"wattage", `"whatever it is"`, true},
	} {
		if got := Readable(row.name, jsontext.Value(row.value), now); got != row.want {
			t.Errorf("%s: %s is readable %v", row.name, row.value, got)
		}
	}
}
