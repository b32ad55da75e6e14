package biscuit

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// maxProgram is how many instructions the program of a regular expression may have.
const maxProgram = 1000

// pattern is a regular expression, compiled when it is first needed.
//
// The official libraries match with a library of the same family as package regexp: linear in time,
// and the same syntax but for some forms. Those are refused where they are met, since a check that
// both sides read in different ways is worse than none: classes within classes and operations on
// classes, backslashes before digits, < and >, braces that are no repetition, \Q and \C. Their \d,
// \w, \s and \b are those of Unicode and ours those of ASCII, so that patterns with one of them are
// refused for texts that are not ASCII.
type pattern struct {
	text string

	compile sync.Once
	matcher *regexp.Regexp
	size    int  // instructions
	ascii   bool // it agrees with others only on ASCII
	err     error
}

var errPattern = errors.New("a regular expression that is not read in the same way everywhere")

func (p *pattern) prepare() error {
	p.compile.Do(func() {
		if p.err = p.common(); p.err != nil {
			return
		}
		parsed, err := syntax.Parse(p.text, syntax.Perl)
		if err != nil {
			p.err = fmt.Errorf("%w: it does not compile", errPattern)
			return
		}
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil || len(program.Inst) > maxProgram {
			p.err = fmt.Errorf("%w: a regular expression of more than %d instructions", ErrLimit, maxProgram)
			return
		}
		p.size = len(program.Inst)
		p.matcher, p.err = regexp.Compile(p.text)
	})
	return p.err
}

// common goes through the text of the pattern, and refuses what others read in another way.
func (p *pattern) common() error {
	s := p.text
	if len(s) > maxPattern {
		return fmt.Errorf("%w: a regular expression of more than %d bytes", ErrLimit, maxPattern)
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			n, err := p.escape(s[i:])
			if err != nil {
				return err
			}
			i += n - 1
		case '[':
			n, err := p.class(s[i:])
			if err != nil {
				return err
			}
			i += n - 1
		case '{':
			n := strings.IndexByte(s[i:], '}')
			if n < 0 || !repetition(s[i+1:i+n]) {
				return fmt.Errorf("%w: a brace that is no repetition", errPattern)
			}
			i += n
		}
	}
	return nil
}

// escape is how long the escape at the beginning of s is.
func (p *pattern) escape(s string) (int, error) {
	if len(s) < 2 {
		return 0, fmt.Errorf("%w: a backslash at its end", errPattern)
	}
	switch c := s[1]; {
	case c >= '0' && c <= '9', c == '<', c == '>', c == 'Q', c == 'E', c == 'C':
		return 0, fmt.Errorf("%w: a backslash before %c", errPattern, c)
	case strings.IndexByte("dDwWsSbB", c) >= 0:
		p.ascii = true
	case (c == 'p' || c == 'P' || c == 'x') && len(s) > 2 && s[2] == '{':
		if n := strings.IndexByte(s, '}'); n > 0 {
			return n + 1, nil
		}
	}
	return 2, nil
}

// class is how long the class at the beginning of s is.
func (p *pattern) class(s string) (int, error) {
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		i++
	}
	if strings.HasPrefix(s[i:], "]") {
		i++
	}
	for i < len(s) {
		switch rest := s[i:]; {
		case rest[0] == ']':
			return i + 1, nil
		case rest[0] == '\\':
			n, err := p.escape(rest)
			if err != nil {
				return 0, err
			}
			i += n
		case strings.HasPrefix(rest, "[:"):
			n := strings.Index(rest, ":]")
			if n < 0 {
				return 0, fmt.Errorf("%w: a class in a class", errPattern)
			}
			i += n + 2
		case rest[0] == '[':
			return 0, fmt.Errorf("%w: a class in a class", errPattern)
		case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "~~"):
			return 0, fmt.Errorf("%w: an operation on classes", errPattern)
		default:
			i++
		}
	}
	return 0, fmt.Errorf("%w: a class without an end", errPattern)
}

// repetition tells whether what is in braces is n, n, or n,m.
func repetition(s string) bool {
	from, to, _ := strings.Cut(s, ",")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return from != "" && digits(from) && digits(to)
}

func (p *pattern) match(subject string) (bool, error) {
	if err := p.prepare(); err != nil {
		return false, err
	}
	if p.ascii && strings.IndexFunc(subject, func(r rune) bool { return r > 127 }) >= 0 {
		return false, fmt.Errorf("%w: classes of characters, matched with other letters than those of ASCII",
			errPattern)
	}
	return p.matcher.MatchString(subject), nil
}
