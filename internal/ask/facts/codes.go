package facts

import (
	"slices"
	"sync"

	lang "frontdesk/internal/infra/language"
)

// codes are what codes.txt lists.
var codes = sync.OnceValue(func() (c struct {
	units      map[string]string
	times      map[string]string
	postalLast []string
	europe     []string
}) {
	c.units, c.times = map[string]string{}, map[string]string{}
	for _, fields := range lang.Records(tables, "codes.txt") {
		switch fields[0] {
		case "unit":
			c.units[fields[1]] = fields[2]
		case "time":
			c.times[fields[1]] = fields[2]
		case "postal-last":
			c.postalLast = append(c.postalLast, fields[1:]...)
		case "europe":
			c.europe = append(c.europe, fields[1:]...)
		}
	}
	return c
})

// postalCodeLast says whether a country writes the postal code behind the town.
func postalCodeLast(country string) bool { return slices.Contains(codes().postalLast, country) }
