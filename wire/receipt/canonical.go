package receipt

import (
	"bytes"
	"fmt"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// canonical gives the canonical form (RFC 8785) of a JSON text. Whole numbers beyond those that a
// double holds exactly are refused: the form would change their value.
func canonical(text strictjson.Value) (strictjson.Value, error) {
	if err := exact(text); err != nil {
		return nil, err
	}
	return sign.Canonical(text)
}

// exact refuses whole numbers that the canonical form would change.
func exact(text strictjson.Value) error {
	if !manyDigits(text) {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil // its end, or what sign.Canonical tells of
		}
		if token.Kind() != '0' {
			continue
		}
		if number, err := token.Float(); err == nil && number == math.Trunc(number) && math.Abs(number) >= 1<<53 {
			return fmt.Errorf("the number %s has more digits than every reader keeps; write it as text", token.String())
		}
	}
}

// manyDigits says whether there may be such a number: it has sixteen digits, or an exponent. Texts
// are passed over, but for those that are too much trouble.
func manyDigits(text []byte) bool {
	digits := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if digits++; digits >= 16 {
				return true
			}
		case (c == 'e' || c == 'E') && digits > 0:
			return true
		case c == '"':
			end := bytes.IndexByte(text[i+1:], '"')
			if end < 0 || bytes.IndexByte(text[i+1:i+1+end], '\\') >= 0 {
				return true
			}
			i, digits = i+end+1, 0
		case c != '.':
			digits = 0
		}
	}
	return false
}
