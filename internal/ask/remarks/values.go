package remarks

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-json-experiment/json"
)

// maxValues bounds the values of one attribute.
const maxValues = 16

// Limited puts a word before a value that is a figure: "under 50".
func Limited(value, word string) string {
	if figure := strings.TrimLeft(value, "$€£¥ "); figure != "" && figure[0] >= '0' && figure[0] <= '9' {
		return word + value
	}
	return value
}

// Minutes is what a figure without a unit counts where it is a time.
func Minutes(value string) string { return counted(value, " minutes") }

// People is what it counts where it is a party.
func People(value string) string { return counted(value, " people") }

func counted(value, unit string) string {
	if strings.Trim(value, "0123456789.") == "" {
		return unit
	}
	return ""
}

// Values are the values of an attribute in words: a text or a figure, several of them, or a range
// of figures.
func Values(v jsontext.Value) (values []string) {
	switch v.Kind() {
	case '"':
		var text string
		if json.Unmarshal(v, &text) == nil && strings.TrimSpace(text) != "" {
			values = append(values, text)
		}
	case '0':
		values = append(values, string(v))
	case '[':
		var all []jsontext.Value
		if json.Unmarshal(v, &all) == nil {
			for _, one := range all[:min(len(all), maxValues)] {
				if one.Kind() == '"' || one.Kind() == '0' {
					values = append(values, Values(one)...)
				}
			}
		}
	case '{':
		var r struct {
			Min      *float64 `json:"min"`
			Max      *float64 `json:"max"`
			MaxValue *float64 `json:"maxValue"`
			Amount   *float64 `json:"amount"`
			Value    *float64 `json:"value"`
			Currency string   `json:"currency"`
			Unit     string   `json:"unit"`
			Name     string   `json:"name"`
		}
		if json.Unmarshal(v, &r, json.MatchCaseInsensitiveNames(true)) != nil {
			return nil
		}
		unit := strings.TrimSpace(" " + r.Currency + " " + r.Unit)
		for _, most := range []*float64{r.Max, r.MaxValue, r.Amount, r.Value} {
			if most != nil {
				return []string{strings.TrimSpace(fmt.Sprintf("%g %s", *most, unit))}
			}
		}
		if r.Name != "" {
			return []string{r.Name}
		}
	}
	return values
}
