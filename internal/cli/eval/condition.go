package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Condition is something that can be checked of an item by a look at its schema.org object. All
// that it says must hold; testdata/constrained/README.md explains the members. It reads the object
// by itself, with nothing of what the program knows of items, so that it is a judge and no echo.
type Condition struct {
	All []Condition `json:"all,omitempty"`
	Any []Condition `json:"any,omitempty"`
	Not *Condition  `json:"not,omitempty"`

	Type []string `json:"type,omitempty"` // names of types; "*Event" is any that ends so
	Says []string `json:"says,omitempty"` // words or phrases, one of which stands in what the item says of itself

	At    []string `json:"at,omitempty"` // paths of members, such as "offers.price"
	Has   []string `json:"has,omitempty"`
	Is    []string `json:"is,omitempty"`
	Ends  []string `json:"ends,omitempty"`
	As    string   `json:"as,omitempty"` // "minutes" or "date"; empty reads a number
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	Over  *float64 `json:"over,omitempty"`
	Under *float64 `json:"under,omitempty"`
	From  string   `json:"from,omitempty"`  // a day, 2027-02-01
	Until string   `json:"until,omitempty"` // a day, included
}

// How a value is read.
const (
	asMinutes = "minutes"
	asDate    = "date"
)

// says are the members in which Says looks.
var says = []string{"name", "headline", "description", "keywords", "category", "recipeCategory",
	"articleSection", "about"}

// Holds tells whether an item fulfils the condition. The item is what encoding/json makes of its
// object. An empty condition holds for every item.
func (c Condition) Holds(item any) bool {
	for _, each := range c.All {
		if !each.Holds(item) {
			return false
		}
	}
	switch {
	case len(c.Any) > 0 && !slices.ContainsFunc(c.Any, func(each Condition) bool { return each.Holds(item) }),
		c.Not != nil && c.Not.Holds(item),
		len(c.Type) > 0 && !c.typed(item),
		len(c.Says) > 0 && !slices.ContainsFunc(valuesAt(item, says), func(v any) bool { return hasWords(v, c.Says) }),
		len(c.At) > 0 && !slices.ContainsFunc(valuesAt(item, c.At), c.fits):
		return false
	}
	return true
}

func (c Condition) typed(item any) bool {
	return slices.ContainsFunc(valuesAt(item, []string{"@type"}), func(v any) bool {
		return slices.ContainsFunc(c.Type, func(name string) bool {
			ending, open := strings.CutPrefix(name, "*")
			return v == name || open && strings.HasSuffix(fmt.Sprint(v), ending)
		})
	})
}

// fits tells whether one value is what c says of the values at its paths.
func (c Condition) fits(v any) bool {
	text := asText(v)
	switch {
	case len(c.Has) > 0:
		return hasWords(v, c.Has)
	case len(c.Is) > 0:
		return slices.ContainsFunc(c.Is, func(is string) bool { return fold(bare(text)) == fold(is) })
	case len(c.Ends) > 0:
		return slices.ContainsFunc(c.Ends, func(end string) bool { return strings.HasSuffix(text, end) })
	case c.As == asDate:
		day, ok := dayOf(text)
		return ok && c.From <= day && (c.Until == "" || day <= c.Until)
	}
	n, ok := quantity(v, c.As)
	return ok && (c.Min == nil || n >= *c.Min) && (c.Max == nil || n <= *c.Max) && (c.Over == nil || n > *c.Over) &&
		(c.Under == nil || n < *c.Under)
}

// check finds what a condition says in vain.
func (c Condition) check() error {
	tests := 0
	for _, there := range []bool{
		len(c.Has) > 0, len(c.Is) > 0, len(c.Ends) > 0, c.From != "" || c.Until != "", c.bounded(),
	} {
		if there {
			tests++
		}
	}
	switch {
	case len(c.At) == 0 && tests > 0:
		return errors.New(`a condition on a value says no path; add "at"`)
	case len(c.At) > 0 && tests != 1:
		return fmt.Errorf("the condition on %s says %d things of the value; say one", strings.Join(c.At, ", "), tests)
	case c.As != "" && c.As != asMinutes && c.As != asDate:
		return fmt.Errorf(`"as" is %q; it can be "minutes" or "date"`, c.As)
	case (c.As == asDate) != (c.From != "" || c.Until != ""):
		return errors.New(`"as": "date" goes with "from" or "until", and they with it`)
	case len(c.All)+len(c.Any)+len(c.Type)+len(c.Says)+len(c.At) == 0 && c.Not == nil:
		return errors.New("a condition says nothing")
	}
	for _, day := range []string{c.From, c.Until} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fmt.Errorf("%q is no day; write it as 2027-02-28", day)
		}
	}
	within := slices.Concat(c.All, c.Any)
	if c.Not != nil {
		within = append(within, *c.Not)
	}
	for _, each := range within {
		if err := each.check(); err != nil {
			return err
		}
	}
	return nil
}

func (c Condition) bounded() bool {
	return c.Min != nil || c.Max != nil || c.Over != nil || c.Under != nil
}

// valuesAt are the values at the paths: arrays are walked through, and an object stands for its
// name, value or text.
func valuesAt(item any, paths []string) (values []any) {
	for _, path := range paths {
		walk(item, strings.Split(path, "."), func(v any) { values = append(values, v) })
	}
	return values
}

func walk(v any, path []string, found func(any)) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			walk(each, path, found)
		}
	case map[string]any:
		if len(path) > 0 {
			walk(v[path[0]], path[1:], found)
			return
		}
		for _, name := range []string{"name", "value", "@value", "text"} {
			if inner, ok := v[name]; ok {
				walk(inner, nil, found)
				return
			}
		}
	case nil:
	default:
		if len(path) == 0 {
			found(v)
		}
	}
}

func asText(v any) string {
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// bare takes the schema.org prefix from a value of an enumeration.
func bare(text string) string {
	for _, prefix := range []string{"https://schema.org/", "http://schema.org/"} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// fold brings text to words in lower case without accents, one blank between them.
func fold(text string) string {
	var b strings.Builder
	apart := false
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if apart && b.Len() > 0 {
				b.WriteByte(' ')
			}
			apart = false
			b.WriteRune(r)
		default:
			apart = true
		}
	}
	return b.String()
}

// hasWords tells whether one of the phrases stands in a value, word by word.
func hasWords(v any, phrases []string) bool {
	text := " " + fold(asText(v)) + " "
	return slices.ContainsFunc(phrases, func(phrase string) bool {
		return strings.Contains(text, " "+fold(phrase)+" ")
	})
}

var (
	number   = regexp.MustCompile(`-?\d[\d,]*(?:\.\d+)?`)
	duration = regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$`)
)

// quantity reads a value as a number, or as minutes.
func quantity(v any, as string) (n float64, ok bool) {
	if n, ok := v.(float64); ok {
		return n, as != asMinutes
	}
	text, ok := v.(string)
	switch {
	case !ok:
		return 0, false
	case as == asMinutes:
		return minutes(text)
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(number.FindString(text), ",", ""), 64)
	return n, err == nil
}

func minutes(text string) (n float64, ok bool) {
	parts := duration.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil || strings.Join(parts[1:], "") == "" {
		return 0, false
	}
	for i, weight := range []float64{24 * 60, 60, 1, 1.0 / 60} {
		if parts[i+1] != "" {
			each, _ := strconv.ParseFloat(parts[i+1], 64) // digits alone
			n += each * weight
		}
	}
	return n, !math.IsInf(n, 0)
}

// dayOf is the day of a date or of a date and time, as they are written.
func dayOf(text string) (day string, ok bool) {
	if len(text) < len(time.DateOnly) {
		return "", false
	}
	day = text[:len(time.DateOnly)]
	_, err := time.Parse(time.DateOnly, day)
	return day, err == nil
}

// Item reads an item's JSON for Holds.
func Item(object []byte) (any, error) {
	var item map[string]any
	if err := json.Unmarshal(object, &item); err != nil {
		return nil, err
	}
	return item, nil
}
