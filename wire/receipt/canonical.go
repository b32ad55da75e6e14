package receipt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/strictjson"
)

// canonical gives the canonical form (RFC 8785) of a JSON text. Numbers that it would change in value are refused: those
// that no float64 holds, and whole numbers beyond those that it holds exactly.
func canonical(text strictjson.Value) (strictjson.Value, error) {
	if err := exact(text); err != nil {
		return nil, err
	}
	text = bytes.Clone(text)
	err := text.Canonicalize()
	return text, err
}

// exact refuses numbers that the canonical form would change in value.
func exact(text strictjson.Value) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case token.Kind() != '0':
			continue
		}
		written := token.String()
		number, err := strconv.ParseFloat(written, 64)
		if err != nil || math.IsInf(number, 0) {
			return fmt.Errorf("the number %s is larger than any that others can read; write it as text", written)
		}
		if number == math.Trunc(number) && math.Abs(number) >= 1<<53 {
			return fmt.Errorf("the number %s has more digits than others can read; write it as text", written)
		}
	}
}
