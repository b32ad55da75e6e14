package sign

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Structured fields (RFC 9651), as much of them as signatures and digests have: dictionaries of inner lists and of single values
// that are strings, tokens, byte sequences, booleans or whole numbers. They are read strictly: what could be read in two ways,
// such as a key that stands twice or a number with leading zeros, is an error, so that a value is written again just as it came.

// The bounds of a field. No honest signature comes near them.
const (
	maxField   = 8 << 10
	maxMembers = 16 // of a dictionary
	maxItems   = 64 // of an inner list, and parameters of one thing
)

// fieldToken is a token of structured fields: a word without quotation marks.
type fieldToken string

// parameter is a name with a value: a string, a fieldToken, an int64, a bool or []byte.
type parameter struct {
	name  string
	value any
}

// item is a value with its parameters.
type item struct {
	value      any
	parameters []parameter
}

// member is one entry of a dictionary: an inner list, or a single value.
type member struct {
	key        string
	inner      bool
	items      []item // of an inner list
	value      any    // otherwise
	parameters []parameter
}

var errField = errors.New("it is no structured field (RFC 9651)")

// parseDictionary reads a dictionary out of the lines of a header field.
func parseDictionary(lines []string) ([]member, error) {
	p := fieldParser{rest: strings.Join(lines, ", ")}
	if len(p.rest) > maxField {
		return nil, fmt.Errorf("it is longer than %d characters", maxField)
	}
	p.blanks(" ")
	var members []member
	for p.rest != "" {
		m, err := p.member()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(members, func(other member) bool { return other.key == m.key }) {
			return nil, fmt.Errorf("%s stands in it twice", m.key)
		}
		if members = append(members, m); len(members) > maxMembers {
			return nil, fmt.Errorf("it has more than %d members", maxMembers)
		}
		if p.blanks(" \t"); p.rest == "" {
			break
		}
		if !p.take(',') {
			return nil, errField
		}
		if p.blanks(" \t"); p.rest == "" {
			return nil, errField
		}
	}
	return members, nil
}

// fieldParser has what is still to be read.
type fieldParser struct{ rest string }

func (p *fieldParser) blanks(which string) { p.rest = strings.TrimLeft(p.rest, which) }

// take takes a character if it is the next.
func (p *fieldParser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// word takes the longest beginning whose characters all fit.
func (p *fieldParser) word(fits func(c byte) bool) string {
	n := 0
	for n < len(p.rest) && fits(p.rest[n]) {
		n++
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return word
}

func lower(c byte) bool { return c >= 'a' && c <= 'z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

// key takes a key of a dictionary or the name of a parameter (RFC 9651 §4.2.3.3).
func (p *fieldParser) key() (string, error) {
	if p.rest == "" || !lower(p.rest[0]) && p.rest[0] != '*' {
		return "", errField
	}
	return p.word(func(c byte) bool { return lower(c) || digit(c) || strings.IndexByte("_-.*", c) >= 0 }), nil
}

func (p *fieldParser) member() (m member, err error) {
	if m.key, err = p.key(); err != nil {
		return m, err
	}
	switch {
	case !p.take('='):
		m.value = true
	case p.take('('):
		m.inner = true
		m.items, err = p.innerList()
	default:
		m.value, err = p.value()
	}
	if err == nil {
		m.parameters, err = p.parameters()
	}
	return m, err
}

func (p *fieldParser) innerList() ([]item, error) {
	var items []item
	for {
		if p.blanks(" "); p.take(')') {
			return items, nil
		}
		var one item
		var err error
		if one.value, err = p.value(); err == nil {
			one.parameters, err = p.parameters()
		}
		switch {
		case err != nil:
			return nil, err
		case p.rest == "" || p.rest[0] != ' ' && p.rest[0] != ')' || len(items) == maxItems:
			return nil, errField
		}
		items = append(items, one)
	}
}

func (p *fieldParser) parameters() ([]parameter, error) {
	var all []parameter
	for p.take(';') {
		p.blanks(" ")
		name, err := p.key()
		if err != nil {
			return nil, err
		}
		one := parameter{name, true}
		if p.take('=') {
			if one.value, err = p.value(); err != nil {
				return nil, err
			}
		}
		if slices.ContainsFunc(all, func(other parameter) bool { return other.name == name }) {
			return nil, fmt.Errorf("the parameter %s stands in it twice", name)
		}
		if all = append(all, one); len(all) > maxItems {
			return nil, errField
		}
	}
	return all, nil
}

// value takes a single value (RFC 9651 §4.2.3.1).
func (p *fieldParser) value() (any, error) {
	if p.rest == "" {
		return nil, errField
	}
	switch c := p.rest[0]; {
	case c == '"':
		return p.text()
	case c == ':':
		return p.bytes()
	case c == '?':
		return p.boolean()
	case c == '-' || digit(c):
		return p.number()
	case c == '*' || lower(c|0x20):
		return fieldToken(p.word(func(c byte) bool {
			return lower(c|0x20) || digit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
		})), nil
	}
	return nil, errField
}

func (p *fieldParser) text() (any, error) {
	var before []byte // what comes before the last character that was escaped
	from := 1         // where what comes after it begins
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			text := string(before) + p.rest[from:i]
			p.rest = p.rest[i+1:]
			return text, nil
		case c < ' ' || c > '~':
			return nil, errField
		case c == '\\':
			before = append(before, p.rest[from:i]...)
			if i++; i == len(p.rest) || p.rest[i] != '"' && p.rest[i] != '\\' {
				return nil, errField
			}
			from = i
		}
	}
	return nil, errField
}

func (p *fieldParser) bytes() (any, error) {
	text, rest, ended := strings.Cut(p.rest[1:], ":")
	if !ended || strings.ContainsAny(text, "\r\n") { // which the decoder would pass over
		return nil, errField
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errors.New("a byte sequence in it is no base64 with padding")
	}
	p.rest = rest
	return raw, nil
}

func (p *fieldParser) boolean() (any, error) {
	switch {
	case strings.HasPrefix(p.rest, "?1"):
		p.rest = p.rest[2:]
		return true, nil
	case strings.HasPrefix(p.rest, "?0"):
		p.rest = p.rest[2:]
		return false, nil
	}
	return nil, errField
}

// number takes a whole number of at most 15 digits, in the one way it is written.
func (p *fieldParser) number() (any, error) {
	text := p.word(func(c byte) bool { return c == '-' || c == '.' || digit(c) })
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text || len(strings.TrimPrefix(text, "-")) > 15 {
		return nil, errors.New("a number in it is not whole, or not written as whole numbers are")
	}
	return n, nil
}

// write writes an inner list, or a value, with its parameters, in the one way that RFC 9651 §4.1 has.
func (m *member) write(b *strings.Builder) {
	if m.inner {
		b.WriteByte('(')
		for i := range m.items {
			if i > 0 {
				b.WriteByte(' ')
			}
			m.items[i].write(b)
		}
		b.WriteByte(')')
	} else {
		writeValue(b, m.value)
	}
	writeParameters(b, m.parameters)
}

func (it *item) write(b *strings.Builder) {
	writeValue(b, it.value)
	writeParameters(b, it.parameters)
}

func writeParameters(b *strings.Builder, parameters []parameter) {
	for _, one := range parameters {
		b.WriteByte(';')
		b.WriteString(one.name)
		if one.value != true {
			b.WriteByte('=')
			writeValue(b, one.value)
		}
	}
}

func writeValue(b *strings.Builder, value any) {
	switch v := value.(type) {
	case string:
		b.WriteByte('"')
		for i := range len(v) {
			if v[i] == '"' || v[i] == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(v[i])
		}
		b.WriteByte('"')
	case fieldToken:
		b.WriteString(string(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case bool:
		b.WriteString(map[bool]string{true: "?1", false: "?0"}[v])
	case []byte:
		b.WriteByte(':')
		b.WriteString(base64.StdEncoding.EncodeToString(v))
		b.WriteByte(':')
	}
}
