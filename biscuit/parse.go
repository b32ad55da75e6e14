package biscuit

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// parser reads Datalog. It stands at a byte of the code.
type parser struct {
	code  string
	at    int
	depth int
	terms int // so far, in one statement
}

func (p *parser) rest() string { return p.code[p.at:] }

// space goes on over white space and comments.
func (p *parser) space() {
	for p.at < len(p.code) {
		switch rest := p.rest(); {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			p.at++
		case strings.HasPrefix(rest, "//"):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				p.at += n
			} else {
				p.at = len(p.code)
			}
		case strings.HasPrefix(rest, "/*") && strings.Contains(rest, "*/"):
			p.at += strings.Index(rest, "*/") + 2
		default:
			return
		}
	}
}

// take goes over a text, if it comes next.
func (p *parser) take(s string) bool {
	p.space()
	if !strings.HasPrefix(p.rest(), s) {
		return false
	}
	p.at += len(s)
	return true
}

// word goes over words, if they come next, with white space between them and no letter after.
func (p *parser) word(words ...string) bool {
	before := p.at
	for _, w := range words {
		if !p.take(w) || p.at < len(p.code) && nameByte(p.code[p.at]) {
			p.at = before
			return false
		}
	}
	return true
}

func (p *parser) expect(s, after string) error {
	if !p.take(s) {
		return fmt.Errorf("there should be %s after %s", s, after)
	}
	return nil
}

// name goes over a name, if one comes next.
func (p *parser) name() string {
	n := 0
	for n < len(p.rest()) && nameByte(p.rest()[n]) {
		n++
	}
	p.at += n
	return p.code[p.at-n : p.at]
}

func (p *parser) source(s *statements) error {
	if p.word("trusting") {
		if err := p.trusting(&s.trusting); err != nil {
			return err
		}
		if err := p.expect(";", "what the block trusts"); err != nil {
			return err
		}
	}
	for {
		if p.space(); p.at == len(p.code) {
			return nil
		}
		if err := p.statement(s); err != nil {
			return err
		}
		p.space()
		if p.at == len(p.code) {
			return nil
		}
		if err := p.expect(";", "a statement"); err != nil {
			return err
		}
		if len(s.facts)+len(s.rules)+len(s.checks) > maxStatements {
			return fmt.Errorf("there are more than %d statements", maxStatements)
		}
	}
}

func (p *parser) statement(s *statements) error {
	p.terms = 0
	for kind, words := range [][]string{{"check", "if"}, {"check", "all"}, {"reject", "if"}} {
		if p.word(words...) {
			queries, err := p.queries()
			s.checks = append(s.checks, check{kind: checkKind(kind), queries: queries})
			return err
		}
	}
	for i, words := range [][]string{{"allow", "if"}, {"deny", "if"}} {
		if p.word(words...) {
			queries, err := p.queries()
			s.policies = append(s.policies, policy{deny: i == 1, queries: queries})
			return err
		}
	}
	head, ok, err := p.predicate()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("there should be a fact, a rule, check if, check all, reject if, allow if or deny if")
	}
	if p.take("<-") {
		r := rule{head: head}
		if err := p.body(&r); err != nil {
			return err
		}
		if err := r.bind(); err != nil {
			return err
		}
		s.rules = append(s.rules, r)
		return nil
	}
	for i := range head.terms {
		if head.terms[i].kind == kindVariable {
			return errors.New("a fact has no variables")
		}
	}
	s.facts = append(s.facts, head)
	return nil
}

// queries reads bodies with or between them.
func (p *parser) queries() ([]rule, error) {
	var list []rule
	for {
		r := rule{head: predicate{name: "query"}}
		if err := p.body(&r); err != nil {
			return nil, err
		}
		if err := r.bind(); err != nil {
			return nil, err
		}
		list = append(list, r)
		if !p.word("or") {
			return list, nil
		}
	}
}

// body reads predicates and expressions, and what they trust.
func (p *parser) body(r *rule) error {
	for {
		found, ok, err := p.predicate()
		if err != nil {
			return err
		}
		if ok {
			r.body = append(r.body, found)
		} else {
			e, err := p.expression(lazyOrLevel)
			if err != nil {
				return err
			}
			r.expressions = append(r.expressions, e)
		}
		if p.take(",") {
			continue
		}
		if p.word("trusting") {
			return p.trusting(&r.trusting)
		}
		return nil
	}
}

func (p *parser) trusting(to *[]scope) error {
	for {
		p.space()
		switch {
		case p.word("authority"):
			*to = append(*to, scope{kind: scopeAuthority})
		case p.word("previous"):
			*to = append(*to, scope{kind: scopePrevious})
		default:
			start := p.at
			p.name()
			if strings.HasPrefix(p.rest(), "/") {
				p.at++
				p.name()
			}
			key, err := ParseKey(p.code[start:p.at])
			if err != nil {
				p.at = start
				return err
			}
			*to = append(*to, scope{kind: scopeKey, key: key})
		}
		if !p.take(",") {
			return nil
		}
	}
}

// predicate reads name(term, ...), if that comes next.
func (p *parser) predicate() (predicate, bool, error) {
	p.space()
	before := p.at
	it := predicate{name: p.name()}
	if it.name == "" || !p.take("(") {
		p.at = before
		return predicate{}, false, nil
	}
	for {
		t, err := p.term()
		if err != nil {
			return it, false, err
		}
		if it.terms = append(it.terms, t); len(it.terms) > maxArity {
			return it, false, fmt.Errorf("a predicate has at most %d terms", maxArity)
		}
		if !p.take(",") {
			return it, true, p.expect(")", "the terms of a predicate")
		}
	}
}

var date = regexp.MustCompile(`^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)

// term reads a value or a variable.
func (p *parser) term() (term, error) {
	if p.terms++; p.terms > maxTerms {
		return term{}, fmt.Errorf("a statement has at most %d values", maxTerms)
	}
	p.space()
	rest := p.rest()
	switch {
	case rest == "":
		return term{}, errors.New("there should be a value")
	case rest[0] == '$':
		p.at++
		name := p.name()
		if name == "" {
			return term{}, errors.New("a variable has a name of letters, digits, : and _")
		}
		return term{kind: kindVariable, s: name}, nil
	case rest[0] == '"':
		return p.quoted()
	case rest[0] == '[':
		p.at++
		list, err := p.list("]")
		return term{kind: kindArray, list: list}, err
	case rest[0] == '{':
		p.at++
		return p.braced()
	case strings.HasPrefix(rest, "hex:"):
		p.at += len("hex:")
		bytes, err := hex.DecodeString(p.name())
		if err != nil {
			return term{}, errors.New("bytes are written hex: and pairs of hexadecimal digits")
		}
		return term{kind: kindBytes, s: string(bytes)}, nil
	case p.word("true"):
		return boolean(true), nil
	case p.word("false"):
		return boolean(false), nil
	case p.word("null"):
		return term{kind: kindNull}, nil
	}
	if found := date.FindString(rest); found != "" {
		at, err := time.Parse(time.RFC3339, found)
		if err != nil || at.Unix() < 0 {
			return term{}, errors.New("a date is written as RFC 3339 has it, and is not before 1970")
		}
		p.at += len(found)
		return term{kind: kindDate, n: at.Unix()}, nil
	}
	return p.number()
}

func (p *parser) number() (term, error) {
	rest := p.rest()
	n := 0
	if rest[0] == '-' {
		n++
	}
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	value, err := strconv.ParseInt(rest[:n], 10, 64)
	if err != nil {
		return term{},
			errors.New("there should be a value: a string, an integer of 64 bits, a date, bytes, true, false, null, " +
				"a set, an array or a map")
	}
	p.at += n
	return integer(value), nil
}

// quoted reads a string.
func (p *parser) quoted() (term, error) {
	var b strings.Builder
	for i := p.at + 1; i < len(p.code); i++ {
		switch c := p.code[i]; c {
		case '"':
			p.at = i + 1
			return stringTerm(b.String()), nil
		case '\\':
			r, n, err := escaped(p.code[i+1:])
			if err != nil {
				p.at = i
				return term{}, err
			}
			b.WriteRune(r)
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return term{}, errors.New("a string has no end")
}

// escaped reads what stands after a backslash, and how long it is.
func escaped(s string) (rune, int, error) {
	switch {
	case strings.HasPrefix(s, `"`), strings.HasPrefix(s, `\`):
		return rune(s[0]), 1, nil
	case strings.HasPrefix(s, "n"):
		return '\n', 1, nil
	case strings.HasPrefix(s, "u{"):
		end := strings.IndexByte(s, '}')
		if n, err := strconv.ParseUint(s[2:max(end, 2)], 16, 32); err == nil && end > 2 && utf8.ValidRune(rune(n)) {
			return rune(n), end + 1, nil
		}
	}
	return 0, 0, errors.New(`in a string, a backslash stands before ", \, n or u{1f600}`)
}

// list reads values up to a bracket.
func (p *parser) list(end string) ([]term, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("values are nested at most %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	var list []term
	if p.take(end) {
		return nil, nil
	}
	for {
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		if t.kind == kindVariable {
			return nil, errors.New("there are no variables in arrays, sets and maps")
		}
		list = append(list, t)
		if !p.take(",") {
			return list, p.expect(end, "the elements")
		}
	}
}

// braced reads a set or a map: {,} is the empty set, {} the empty map.
func (p *parser) braced() (term, error) {
	if p.take(",") {
		return term{kind: kindSet}, p.expect("}", "the comma of the empty set")
	}
	if p.take("}") {
		return term{kind: kindMap}, nil
	}
	before, terms := p.at, p.terms
	first, err := p.term()
	if err != nil {
		return term{}, err
	}
	isMap := p.take(":")
	p.at, p.terms = before, terms
	if isMap {
		if first.kind != kindInteger && first.kind != kindString {
			return term{}, errors.New("the keys of a map are strings or integers")
		}
		return p.entries()
	}
	list, err := p.list("}")
	if err != nil {
		return term{}, err
	}
	for i := range list {
		if list[i].kind != list[0].kind || list[i].kind == kindSet || list[i].kind == kindArray ||
			list[i].kind == kindMap {
			return term{}, errors.New("the elements of a set are of one type, and no sets, arrays or maps")
		}
	}
	return set(list), nil
}

func (p *parser) entries() (term, error) {
	if p.depth++; p.depth > maxDepth {
		return term{}, fmt.Errorf("values are nested at most %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	var list [][2]term
	for {
		key, err := p.term()
		if err == nil && key.kind != kindInteger && key.kind != kindString {
			err = errors.New("the keys of a map are strings or integers")
		}
		if err == nil {
			err = p.expect(":", "the key of a map")
		}
		if err != nil {
			return term{}, err
		}
		value, err := p.term()
		if err == nil && value.kind == kindVariable {
			err = errors.New("there are no variables in arrays, sets and maps")
		}
		if err != nil {
			return term{}, err
		}
		list = append(list, [2]term{key, value})
		if !p.take(",") {
			return dictionary(list), p.expect("}", "the entries of a map")
		}
	}
}
