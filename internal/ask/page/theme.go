package page

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"frontdesk/internal/infra/yamlconf"
)

var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// contactSchemes are those of addresses at which people reach the owner.
var contactSchemes = []string{"https", "http", "mailto", "tel"}

// Check looks at the colour and the contact.
func (c Config) Check(r *yamlconf.Report) {
	if c.Color != "" && !hexColor.MatchString(c.Color) {
		r.Problem("color", "%q is no colour; write it as # and six hexadecimal digits, such as #143b32", c.Color)
	}
	if u, err := url.Parse(c.Contact); c.Contact != "" && (err != nil || !slices.Contains(contactSchemes, u.Scheme)) {
		r.Problem("contact", "%q is no address; write https://..., mailto:... or tel:...", c.Contact)
	}
}

// theme is the style sheet that gives the page a colour: empty for its own.
func theme(color string) []byte {
	if !hexColor.MatchString(color) {
		return nil
	}
	on := "#ffffff"
	if light := luminance(color); (light+0.05)*(light+0.05) > 1.05*0.05 { // black contrasts more
		on = "#000000"
	}
	const rule = ":root { --pine: %s; --on-pine: %s; --pine-soft: %s; }\n"
	sheet := fmt.Sprintf(rule, color, on, on)
	return []byte(sheet + "@media (prefers-color-scheme: dark) { " + sheet + "}\n")
}

// luminance is that of a colour relative to white (WCAG 2.2): 0 to 1.
func luminance(color string) float64 {
	value, _ := strconv.ParseUint(color[1:], 16, 32)
	linear := func(shift int) float64 {
		c := float64(value>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}
