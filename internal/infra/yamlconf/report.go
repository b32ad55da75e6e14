package yamlconf

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Checker is a section with rules that hold between its keys. What holds for a key by itself stands
// in the tag of its field.
type Checker interface{ Check(*Report) }

// FirstChecker is a section with something that the rest of it depends on. CheckFirst comes before
// all else, and says whether the rest can be checked.
type FirstChecker interface{ CheckFirst(*Report) bool }

// Report takes what is wrong with a section, and what is odd about it. Keys begin at the section.
type Report struct {
	path  string
	notes *[]Note
}

// Note is one thing that is wrong or odd about the value of a key.
type Note struct {
	Key          string // the whole key path
	Detail       string
	Warning      bool
	Line, Column int // how far into the text of the key it is
}

// NewReport gives an empty report on a whole configuration.
func NewReport() *Report { return &Report{notes: new([]Note)} }

// Notes are what was reported, in order.
func (r *Report) Notes() []Note { return *r.notes }

// Section is the report on a section below this one, such as "limits", or on an entry of a list
// below it.
func (r *Report) Section(key string) *Report { return &Report{join(r.path, key), r.notes} }

// Entry is the report on an entry of a list of sections.
func (r *Report) Entry(key string, i int) *Report { return r.Section(Index(key, i)) }

// Index is the key of an entry of a list.
func Index(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// Problem reports what is wrong with a key; without a key, with the section.
func (r *Report) Problem(key, format string, args ...any) {
	r.note(Note{Key: key, Detail: fmt.Sprintf(format, args...)})
}

// ProblemWithin reports what is wrong within the text of a key: so many lines below its first, and
// behind so many characters.
func (r *Report) ProblemWithin(key string, line, column int, format string, args ...any) {
	r.note(Note{Key: key, Detail: fmt.Sprintf(format, args...), Line: line, Column: column})
}

// Warning reports what works and is probably not meant.
func (r *Report) Warning(key, format string, args ...any) {
	r.note(Note{Key: key, Detail: fmt.Sprintf(format, args...), Warning: true})
}

func (r *Report) note(n Note) {
	switch {
	case n.Key == "":
		n.Key = r.path
	case n.Key[0] == '[': // an entry of the section, which is a list
		n.Key = r.path + n.Key
	default:
		n.Key = join(r.path, n.Key)
	}
	*r.notes = append(*r.notes, n)
}

// OneOf reports a text that is none of the choices.
func (r *Report) OneOf(key, value string, choices ...string) {
	if !slices.Contains(choices, value) {
		r.Problem(key, "%q is none of %s", value, strings.Join(choices, ", "))
	}
}

// Between reports a value out of bounds.
func Between[T int | float64 | time.Duration | Size](r *Report, key string, value, least, most T) {
	if !(value >= least && value <= most) { // no number is neither
		r.Problem(key, "%s is not between %s and %s", Show(value), Show(least), Show(most))
	}
}

// Match reports a text that does not do, with what would be right: "is no host; write it like
// www.example.com".
func (r *Report) Match(key, text string, does func(string) bool, otherwise string) {
	if !does(text) {
		r.Problem(key, "%q %s", text, otherwise)
	}
}

// MatchAll is Match of each text of a list.
func (r *Report) MatchAll(key string, texts []string, does func(string) bool, otherwise string) {
	for i, text := range texts {
		r.Match(Index(key, i), text, does, otherwise)
	}
}

// Failed says whether any problem was reported, in whichever section.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(*r.notes, func(n Note) bool { return !n.Warning })
}

var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// IsHostName says whether a text is a host name in lower case and ASCII.
func IsHostName(text string) bool { return hostName.MatchString(text) }

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// IsCurrency says whether a text is written as currencies are (ISO 4217).
func IsCurrency(text string) bool { return currency.MatchString(text) }

// IsFieldName says whether a text can name a field of a report or a parameter of an address.
func IsFieldName(text string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
	return text != "" && strings.Trim(text, plain) == ""
}

// Unjoin takes joined errors apart.
func Unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return nil
}

// WebAddress checks an address on the web, or none.
func WebAddress(address string) error {
	u, err := url.Parse(address)
	if address != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("%q is no web address; write it like https://www.example.com", address)
	}
	return nil
}
