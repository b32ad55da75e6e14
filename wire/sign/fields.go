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
	text := strings.Join(lines, ", ")
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
