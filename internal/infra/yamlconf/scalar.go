package yamlconf

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes, written as 512, 64KiB, 1MiB or 2GiB.
type Size int64

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1}}

// UnmarshalText reads a size.
func (s *Size) UnmarshalText(text []byte) error {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(string(text), unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > (1<<62)/unit.bytes {
			break
		}
		*s = Size(n * unit.bytes)
		return nil
	}
	return fmt.Errorf("%q is no size; write bytes with a unit, like 64KiB or 1MiB", text)
}

// String writes the size in the largest unit that leaves no rest.
func (s Size) String() string {
	for _, unit := range sizeUnits[:3] {
		if int64(s) >= unit.bytes && int64(s)%unit.bytes == 0 {
			return strconv.FormatInt(int64(s)/unit.bytes, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// Span writes a time span without the parts that are zero: 2m, not 2m0s.
func Span(d time.Duration) string {
	text := d.String()
	if d != 0 {
		for _, zero := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(text, zero) {
				text = text[:len(text)-2]
			}
		}
	}
	return text
}

// Show writes a value that is no text as a document does.
func Show(value any) string {
	if span, ok := value.(time.Duration); ok {
		return Span(span)
	}
	return fmt.Sprint(value)
}

var durationType = reflect.TypeFor[time.Duration]()

// Set reads text into a field of a simple kind: text, truth value, number, duration, size, or a
// list of texts divided by commas. It serves values that come from elsewhere, such as the
// environment, by the same rules.
func Set(into reflect.Value, text string) error {
	if reader, ok := into.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return reader.UnmarshalText([]byte(text))
	}
	wrong := fmt.Errorf("%q should be %s", text, Wanted(into.Type()))
	switch into.Kind() {
	case reflect.String:
		into.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return wrong
		}
		into.SetBool(text == "true")
	case reflect.Int, reflect.Int64:
		return setInt(into, text, wrong)
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != f || f-f != 0 { // neither NaN nor infinite
			return wrong
		}
		into.SetFloat(f)
	case reflect.Slice:
		setList(into, text)
	default:
		return fmt.Errorf("a %s cannot be given here; write it into the file", into.Kind())
	}
	return nil
}

func setInt(into reflect.Value, text string, wrong error) error {
	if into.Type() == durationType {
		span, err := parseSpan(text)
		if err != nil {
			return wrong
		}
		into.SetInt(int64(span))
		return nil
	}
	n, err := strconv.ParseInt(text, 10, into.Type().Bits())
	if err != nil {
		return wrong
	}
	into.SetInt(n)
	return nil
}

// maxDays is how many days a time span may have, so that it can be counted.
const maxDays = 100_000

// parseSpan reads a time span as Go writes it, or a number of days: 90d.
func parseSpan(text string) (time.Duration, error) {
	number, inDays := strings.CutSuffix(text, "d")
	if days, err := strconv.ParseUint(number, 10, 32); err == nil && inDays && days <= maxDays {
		return time.Duration(days) * 24 * time.Hour, nil
	}
	return time.ParseDuration(text)
}

func setList(into reflect.Value, text string) {
	parts := strings.Split(text, ",")
	list := reflect.MakeSlice(into.Type(), len(parts), len(parts))
	for i, part := range parts {
		list.Index(i).SetString(strings.TrimSpace(part))
	}
	into.Set(list)
}

// Settable says whether Set can read into a field of this type.
func Settable(t reflect.Type) bool {
	return t != reflect.TypeFor[Object]() && t.Kind() != reflect.Struct &&
		(t.Kind() != reflect.Slice || t.Elem().Kind() == reflect.String)
}

// Wanted says in words what a value of a type looks like.
func Wanted(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a time span like 10s or 2m"
	case t == reflect.TypeFor[Size]():
		return "a size like 64KiB or 1MiB"
	case t == reflect.TypeFor[Object]():
		return "keys with values of your choice"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "a text or a list of texts"
		}
		return "a list"
	case reflect.Struct:
		return "a section with keys"
	default:
		return "a text"
	}
}
