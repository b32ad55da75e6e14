package biscuit

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Source is the content of a block to be made, or of an authorizer.
type Source struct {
	Context   string  // a text beside the block, for whoever looks at it
	RootKeyID *uint32 // of a token to be minted: the number of the root key, a hint for verifiers

	statements statements
}

// ParseSource reads Datalog as the official libraries write it: facts, rules, check if, check all,
// reject if, and for an authorizer allow if and deny if, each with a semicolon after it; trusting
// ...; first, for the whole block. Parameters in braces are not read. The error is ErrDatalog, and
// says where.
func ParseSource(code string) (*Source, error) {
	if len(code) > MaxSize || !utf8.ValidString(code) {
		return nil, fmt.Errorf("%w: it is larger than %d bytes, or no UTF-8", ErrDatalog, MaxSize)
	}
	p := &parser{code: code}
	s := &Source{}
	if err := p.source(&s.statements); err != nil {
		line := 1 + strings.Count(code[:p.at], "\n")
		column := 1 + utf8.RuneCountInString(code[strings.LastIndexByte(code[:p.at], '\n')+1:p.at])
		return nil, fmt.Errorf("%w: line %d, column %d: %w", ErrDatalog, line, column, err)
	}
	return s, nil
}

// Add puts a fact of values into the source: string, int, int64, bool, time.Time (in seconds) and
// []byte.
func (s *Source) Add(name string, values ...any) error {
	if !isName(name) || len(values) == 0 || len(values) > maxArity {
		return fmt.Errorf("%w: a fact has a name of letters, digits, _ and :, and 1 to %d values", ErrDatalog, maxArity)
	}
	fact := predicate{name: name}
	for _, value := range values {
		t, err := termOf(value)
		if err != nil {
			return err
		}
		fact.terms = append(fact.terms, t)
	}
	s.statements.facts = append(s.statements.facts, fact)
	return nil
}

func termOf(value any) (term, error) {
	switch v := value.(type) {
	case string:
		if !utf8.ValidString(v) {
			return term{}, fmt.Errorf("%w: a string that is no UTF-8", ErrDatalog)
		}
		return stringTerm(v), nil
	case int:
		return integer(int64(v)), nil
	case int64:
		return integer(v), nil
	case bool:
		return boolean(v), nil
	case []byte:
		return term{kind: kindBytes, s: string(v)}, nil
	case time.Time:
		if v.Unix() < 0 {
			return term{}, fmt.Errorf("%w: a date before 1970", ErrDatalog)
		}
		return term{kind: kindDate, n: v.Unix()}, nil
	}
	return term{}, fmt.Errorf("%w: a value of Go type %T", ErrDatalog, value)
}

// String is the source as Datalog.
func (s *Source) String() string { return s.statements.String() }

func isName(s string) bool {
	for i := range len(s) {
		if !nameByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':'
}
