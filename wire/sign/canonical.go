// Package sign makes and verifies signatures and defines their form on the wire: canonical JSON
// (RFC 8785), the five headers of the Agentic Intent Protocol, HTTP message signatures (RFC 9421)
// with digests of bodies (RFC 9530) for RAMP, and signed addresses ([URLKeys]) for fetching
// purchases.
//
// Server, client and checker share it. It has no I/O, no clock and no randomness: callers pass
// times and nonces.
package sign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/strictjson"
)

// Canonical is the one way to write a JSON value that everybody agrees on (RFC 8785): members in
// order, no blanks, numbers as the double they denote. Two texts are the same value just when their
// canonical forms are the same bytes.
//
// What would be read in two ways is refused: members that stand twice, numbers beyond the range of
// a double, invalid UTF-8, data after the value, nesting beyond [strictjson.MaxDepth]. The error is
// a *[strictjson.Error], which names the place. The input stays as it is.
func Canonical(text []byte) ([]byte, error) {
	if isCanonical(text) {
		return bytes.Clone(text), nil
	}
	if !modest(text) {
		if err := checkNumbers(text); err != nil {
			return nil, err
		}
	}
	value := jsontext.Value(bytes.Clone(text))
	if err := value.Canonicalize(); err != nil {
		if told := checkNumbers(text); told != nil {
			return nil, told // it names the place
		}
		return nil, &strictjson.Error{Problem: fmt.Sprintf("not JSON: %v", err)}
	}
	return value, nil
}

// isCanonical says of a text whose strings are printable ASCII without escapes and whose numbers
// are whole and below 10^15, as most of ours are, whether it is in its canonical form. It says
// false of all others.
func isCanonical(text []byte) bool { return plainValue(text, 0, 0) == len(text) }

// plainValue gives where a canonical value ends that begins at a place, or -1.
func plainValue(text []byte, at, depth int) int {
	if at >= len(text) {
		return -1
	}
	switch c := text[at]; {
	case c == '"':
		return plainString(text, at)
	case c == '{':
		return plainObject(text, at+1, depth+1)
	case c == '[':
		return plainArray(text, at+1, depth+1)
	case c == '0':
		return at + 1
	case c == '-' || c >= '1' && c <= '9':
		return plainNumber(text, at)
	}
	for _, literal := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(text[at:], []byte(literal)) {
			return at + len(literal)
		}
	}
	return -1
}

func plainString(text []byte, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i + 1
		case c < ' ' || c > '~' || c == '\\':
			return -1
		}
	}
	return -1
}

func plainNumber(text []byte, at int) int {
	if text[at] == '-' {
		at++
	}
	end := at
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == at || end-at > 15 || text[at] == '0' {
		return -1
	}
	return end
}

func plainArray(text []byte, at, depth int) int {
	switch {
	case depth > strictjson.MaxDepth:
		return -1
	case at < len(text) && text[at] == ']':
		return at + 1
	}
	for {
		at = plainValue(text, at, depth)
		switch {
		case at < 0 || at == len(text):
			return -1
		case text[at] == ']':
			return at + 1
		case text[at] != ',':
			return -1
		}
		at++
	}
}

func plainObject(text []byte, at, depth int) int {
	switch {
	case depth > strictjson.MaxDepth:
		return -1
	case at < len(text) && text[at] == '}':
		return at + 1
	}
	var last []byte // the name before; nil before the first
	for {
		if at >= len(text) || text[at] != '"' {
			return -1
		}
		end := plainString(text, at)
		if end < 0 || end == len(text) || text[end] != ':' {
			return -1
		}
		name := text[at+1 : end-1]
		if last != nil && bytes.Compare(last, name) >= 0 {
			return -1
		}
		last = name
		at = plainValue(text, end+1, depth)
		switch {
		case at < 0 || at == len(text):
			return -1
		case text[at] == '}':
			return at + 1
		case text[at] != ',':
			return -1
		}
		at++
	}
}

// modest says that no number of a text can be too large, and that it does not nest too deep: a look
// at its bytes, which spares most texts from being read twice.
func modest(text []byte) bool {
	depth, digits := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if digits++; digits > 300 {
				return false
			}
			continue
		case (c == 'e' || c == 'E') && digits > 0:
			return false
		case c == '"':
			end := bytes.IndexByte(text[i+1:], '"')
			if end < 0 || bytes.IndexByte(text[i+1:i+1+end], '\\') >= 0 {
				return false // not worth the trouble
			}
			i += end + 1
		case c == '{' || c == '[':
			if depth++; depth > strictjson.MaxDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
		digits = 0
	}
	return true
}

// checkNumbers reads the tokens of a text: the library would write a number that is too large as
// the largest there is.
func checkNumbers(text []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return &strictjson.Error{Pointer: string(decoder.StackPointer()), Problem: fmt.Sprintf("not JSON: %v", err)}
		}
		if token.Kind() == '0' {
			if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
				return &strictjson.Error{Pointer: string(decoder.StackPointer()),
					Problem: "this number is beyond the range of a double"}
			}
		}
		if decoder.StackDepth() > strictjson.MaxDepth {
			return &strictjson.Error{Problem: fmt.Sprintf("objects and arrays nest deeper than %d levels",
				strictjson.MaxDepth)}
		}
	}
}

// Same says whether two JSON texts are the same value. What has no canonical form is the same as
// nothing.
func Same(a, b []byte) bool {
	x, err := Canonical(a)
	if err != nil {
		return false
	}
	y, err := Canonical(b)
	return err == nil && bytes.Equal(x, y)
}
