package intake

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// The bounds of a pattern: its text, and what it becomes. `^[a-z]{1,255}$` becomes some 500
// instructions.
const (
	maxPattern      = 2000 // bytes
	maxInstructions = 4000
)

// pattern is a regular expression of a schema. Schemas have them in JavaScript's dialect; what RE2
// reads alike is taken, so that what is published is what is enforced.
type pattern struct {
	*regexp.Regexp
	source       string
	instructions int
}

// String is the pattern as the schema has it.
func (p pattern) String() string { return p.source }

func compilePattern(source string) (pattern, error) {
	if len(source) > maxPattern {
		return pattern{}, fmt.Errorf("the pattern has %d bytes, and may have at most %d; use several, or an enum",
			len(source), maxPattern)
	}
	translated, err := translate(source)
	if err != nil {
		return pattern{}, err
	}
	parsed, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		var told *syntax.Error
		if errors.As(err, &told) {
			switch told.Code {
			case syntax.ErrLarge, syntax.ErrInvalidRepeatSize, syntax.ErrNestingDepth:
				return pattern{},
					errors.New("the pattern repeats or nests too much; use minLength and maxLength for how long a " +
						"text may be")
			}
			return pattern{},
				fmt.Errorf("the pattern cannot be read: %s; write a regular expression that RE2 and JavaScript take",
					told.Code)
		}
		return pattern{}, errors.New("the pattern cannot be read")
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxInstructions {
		return pattern{},
			errors.New("the pattern repeats too much; use minLength and maxLength for how long a text may be")
	}
	compiled, err := regexp.Compile(translated)
	if err != nil {
		return pattern{}, errors.New("the pattern cannot be read")
	}
	return pattern{compiled, source, len(program.Inst)}, nil
}

// translate writes a pattern as Go reads it. What only one of the two dialects has is refused, with
// what to write.
func translate(source string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(source); i++ {
		rest := source[i:]
		switch {
		case rest[0] == '(' && strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?:"):
			if err := group(rest); err != nil {
				return "", err
			}
		case strings.HasPrefix(rest, "[["):
			return "",
				errors.New("the pattern has [[, which not everybody reads alike; write [\\[ for the sign, or the " +
					"characters of the class")
		case strings.HasPrefix(rest, "[^]") || strings.HasPrefix(rest, "[]"):
			return "", errors.New("the pattern has an empty class; write [\\s\\S] for any character")
		case rest[0] == '\\' && len(rest) > 1:
			text, length, err := escape(rest)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			i += length - 1
			continue
		}
		b.WriteByte(rest[0])
	}
	return b.String(), nil
}

// group looks at what begins with "(?".
func group(rest string) error {
	switch {
	case strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!"):
		return errors.New("the pattern looks ahead, which takes too long on long texts; write several schemas with a " +
			"pattern each under allOf, or not, or an enum")
	case strings.HasPrefix(rest, "(?<=") || strings.HasPrefix(rest, "(?<!"):
		return errors.New("the pattern looks behind, which takes too long on long texts; write what stands before " +
			"into the pattern itself")
	case strings.HasPrefix(rest, "(?<"):
		return nil // a name
	}
	return errors.New("the pattern has a group with flags, which not everybody reads alike; write (?:…), and letters " +
		"in both cases as [aA]")
}

// escape reads what begins with a backslash, and gives its length.
func escape(rest string) (text string, length int, err error) {
	switch c := rest[1]; {
	case c >= '1' && c <= '9' || c == 'k':
		return "", 0,
			errors.New("the pattern refers back to a group, which takes too long on long texts; write it without")
	case strings.IndexByte("AzZQEaCGhHRKX", c) >= 0:
		return "", 0,
			fmt.Errorf("the pattern has \\%c, which not everybody reads alike; write ^ and $ for the ends of a text, "+
				"and signs as they are", c)
	case c == 'p' || c == 'P':
		if len(rest) < 3 || rest[2] != '{' {
			return "", 0, errors.New("the pattern has \\p without braces; write it like \\p{L}")
		}
	case c == 'u':
		return unicodeEscape(rest)
	}
	return rest[:2], 2, nil
}

// unicodeEscape writes \uXXXX and \u{X} as Go does.
func unicodeEscape(rest string) (text string, length int, err error) {
	if digits, _, ok := strings.Cut(strings.TrimPrefix(rest, `\u{`), "}"); strings.HasPrefix(rest, `\u{`) && ok {
		return `\x{` + digits + `}`, len(digits) + 4, nil
	}
	if len(rest) < 6 {
		return "", 0, errors.New("the pattern has \\u without four digits; write it like \\u00e4")
	}
	return `\x{` + rest[2:6] + `}`, 6, nil
}
