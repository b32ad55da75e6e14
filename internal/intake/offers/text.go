package offers

import (
	"errors"
	"fmt"
	"strings"
)

// part is a piece of a text: letters that stand as they are, or an expression.
type part struct {
	literal    string
	expression string
	before     string // what stands before the expression in the text
}

// splitText parts a text into what stands and what is computed: {...} is an expression, {{ and }}
// are braces.
func splitText(text string) (parts []part, err error) {
	var literal strings.Builder
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "{{"), strings.HasPrefix(text[i:], "}}"):
			literal.WriteByte(text[i])
			i += 2
		case text[i] == '{':
			end := closing(text[i+1:])
			if end < 0 {
				return nil,
					fmt.Errorf("the brace at character %d is not closed; write {{ for a brace that is meant as one",
						runes(text[:i])+1)
			}
			expression := text[i+1 : i+1+end]
			if strings.TrimSpace(expression) == "" {
				return nil,
					errors.New("between {} stands no expression; write {{ and }} for braces that are meant as such")
			}
			if literal.Len() > 0 {
				parts = append(parts, part{literal: literal.String()})
				literal.Reset()
			}
			parts = append(parts, part{expression: expression, before: text[:i+1]})
			i += end + 2
		default:
			literal.WriteByte(text[i])
			i++
		}
	}
	if literal.Len() > 0 {
		parts = append(parts, part{literal: literal.String()})
	}
	return parts, nil
}

func runes(text string) int { return len([]rune(text)) }

// closing finds the brace that ends an expression, past braces and texts within it; -1 if there is
// none.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		case '"', '\'':
			raw := i > 0 && strings.ContainsRune("rR", rune(text[i-1]))
			length := quoted(text[i:], raw)
			if length < 0 {
				return -1
			}
			i += length - 1
		}
	}
	return -1
}

// quoted is the length of the text literal of CEL that text begins with; -1 if it does not end.
func quoted(text string, raw bool) int {
	quote := text[:1]
	if strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\' && !raw:
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		}
	}
	return -1
}
