package biscuit

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// String is what a block or an authorizer says, a statement a line, so that ParseSource reads the
// same. What came from the wire and can be said in no text is shown in angle brackets, which it
// does not read.
func (s *statements) String() string {
	var lines []string
	if len(s.trusting) > 0 {
		lines = append(lines, strings.TrimSpace(printTrusting(s.trusting)))
	}
	for i := range s.facts {
		lines = append(lines, s.facts[i].String())
	}
	for i := range s.rules {
		lines = append(lines, s.rules[i].head.String()+" <- "+s.rules[i].bodyText())
	}
	for i := range s.checks {
		lines = append(lines, s.checks[i].String())
	}
	for i := range s.policies {
		word := "allow if "
		if s.policies[i].deny {
			word = "deny if "
		}
		lines = append(lines, word+printQueries(s.policies[i].queries))
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, ";\n") + ";\n"
}

func (c *check) String() string {
	return [...]string{"check if ", "check all ", "reject if "}[c.kind] + printQueries(c.queries)
}

func printQueries(queries []rule) string {
	var list []string
	for i := range queries {
		list = append(list, queries[i].bodyText())
	}
	return strings.Join(list, " or ")
}

// bodyText is what stands on the right of a rule.
func (r *rule) bodyText() string {
	var parts []string
	for i := range r.body {
		parts = append(parts, r.body[i].String())
	}
	for _, e := range r.expressions {
		parts = append(parts, e.text(lazyOrLevel))
	}
	return strings.Join(parts, ", ") + printTrusting(r.trusting)
}

func printTrusting(scopes []scope) string {
	if len(scopes) == 0 {
		return ""
	}
	var list []string
	for _, s := range scopes {
		switch s.kind {
		case scopeAuthority:
			list = append(list, "authority")
		case scopePrevious:
			list = append(list, "previous")
		default:
			list = append(list, s.key.String())
		}
	}
	return " trusting " + strings.Join(list, ", ")
}

func (p *predicate) String() string { return printName(p.name) + "(" + printTerms(p.terms) + ")" }

func printName(name string) string {
	if isName(name) {
		return name
	}
	return "<" + quote(name) + ">"
}

func printTerms(terms []term) string {
	list := make([]string, len(terms))
	for i := range terms {
		list[i] = terms[i].String()
	}
	return strings.Join(list, ", ")
}

func (t term) String() string {
	switch t.kind {
	case kindVariable:
		return "$" + printName(t.s)
	case kindInteger:
		return strconv.FormatInt(t.n, 10)
	case kindString:
		return quote(t.s)
	case kindDate:
		if uint64(t.n) > 253402300799 { // the end of the year 9999
			return fmt.Sprintf("<date %d>", uint64(t.n))
		}
		return time.Unix(t.n, 0).UTC().Format(time.RFC3339)
	case kindBytes:
		return "hex:" + hex.EncodeToString([]byte(t.s))
	case kindBool:
		return strconv.FormatBool(t.truth())
	case kindNull:
		return "null"
	case kindArray:
		return "[" + printTerms(t.list) + "]"
	case kindSet:
		if len(t.list) == 0 {
			return "{,}"
		}
		return "{" + printTerms(t.list) + "}"
	}
	var entries []string
	for i := 0; i < len(t.list); i += 2 {
		entries = append(entries, t.list[i].String()+": "+t.list[i+1].String())
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// quote writes a string so that it cannot leave its quotation marks, and nothing in it moves a
// terminal.
func quote(s string) string { return Quote(s) }

// Quote writes a string as Datalog does.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// text is an expression, in parentheses where it binds looser than what surrounds it.
func (n *node) text(level int) string {
	if n.op == opClosure {
		return n.closureText()
	}
	described := &operations[n.op]
	if described.precedence < level {
		return "(" + n.text(lazyOrLevel) + ")"
	}
	switch {
	case n.op == opValue:
		return n.value.String()
	case n.op == opParens:
		return "(" + n.left.text(lazyOrLevel) + ")"
	case n.op == opNegate:
		return "!" + n.left.text(unaryLevel)
	case described.form == formMethod:
		receiver, argument := n.left, ""
		if receiver.op == opClosure {
			receiver = receiver.left
		}
		if n.right != nil {
			argument = n.right.text(lazyOrLevel)
		}
		// the official libraries do not read a dot after a date
		if receiver.op == opValue && receiver.value.kind == kindDate {
			return "(" + receiver.text(methodLevel) + ")." + described.text + "(" + argument + ")"
		}
		return receiver.text(methodLevel) + "." + described.text + "(" + argument + ")"
	}
	right := n.right
	if right.op == opClosure {
		right = right.left
	}
	left := described.precedence
	if left == comparisonLevel { // which do not follow each other without parentheses
		left++
	}
	return n.left.text(left) + " " + described.text + " " + right.text(described.precedence+1)
}

func (n *node) closureText() string {
	var names []string
	for _, parameter := range n.parameters {
		names = append(names, parameter.String())
	}
	return strings.Join(names, ", ") + " -> " + n.left.text(lazyOrLevel)
}
