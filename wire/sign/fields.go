package sign

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dunglas/httpsfv"
)

// The bounds of a structured field (RFC 9651). No honest signature comes near them.
const (
	maxField   = 8 << 10
	maxMembers = 16 // of a dictionary
	maxItems   = 64 // of an inner list
)

var errField = errors.New("it is no structured field (RFC 9651), or could be read in two ways")

// optional drops what a field may be written with or without: blanks, and the value of a true
// parameter. Text within quotation marks loses them, too: good enough to compare two spellings of
// one field.
var optional = strings.NewReplacer(" ", "", "\t", "", "=?1", "")

// ReadDictionary reads a dictionary out of the lines of a header field. RFC 9651 lets a later
// member or parameter replace an earlier one of its name, and lets numbers have leading zeros. What
// is signed must have one reading, so a field that is not written again as it came is an error.
func ReadDictionary(lines []string) (*httpsfv.Dictionary, error) {
	return readText(strings.Join(lines, ", "))
}

func readText(text string) (*httpsfv.Dictionary, error) {
	if len(text) > maxField {
		return nil, fmt.Errorf("it is longer than %d characters", maxField)
	}
	dictionary, err := httpsfv.UnmarshalDictionary([]string{text})
	if err != nil {
		return nil, errField
	}
	if len(dictionary.Names()) > maxMembers {
		return nil, fmt.Errorf("it has more than %d members", maxMembers)
	}
	if again, err := httpsfv.Marshal(dictionary); err != nil || optional.Replace(again) != optional.Replace(text) {
		return nil, errField
	}
	return dictionary, nil
}

// Members are the members of a dictionary as they are written, each with its name, in their order.
// Nothing of a member is read before it is asked for, so that one which cannot be read is no matter
// of the others.
type Members []RawMember

// RawMember is a member as it is written: `sig1=("@method");created=1`.
type RawMember struct{ Name, Text string }

// SplitMembers gives the members that stand in the lines of a header field.
func SplitMembers(lines []string) (members Members) {
	add := func(text string) {
		if text = strings.Trim(text, " \t"); text == "" {
			return
		}
		end := strings.IndexAny(text, "=; \t")
		if end < 0 {
			end = len(text)
		}
		members = append(members, RawMember{text[:end], text})
	}
	for _, line := range lines {
		begin, quoted := 0, false
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case c == ',' && !quoted:
				add(line[begin:i])
				begin = i + 1
			}
		}
		add(line[begin:])
	}
	return members
}

// Read reads the member of a name. One that is there twice, or that has more than one reading, is
// an error, as is one that is not there.
func (m Members) Read(name string) (httpsfv.Member, error) {
	var found *RawMember
	for i := range m {
		if m[i].Name != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		found = &m[i]
	}
	if found == nil {
		return nil, fmt.Errorf("%s is not there", name)
	}
	dictionary, err := readText(found.Text)
	if err != nil {
		return nil, err
	}
	member, ok := dictionary.Get(name)
	if !ok {
		return nil, errField
	}
	return member, nil
}
