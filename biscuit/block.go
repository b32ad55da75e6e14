package biscuit

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// rawBlock is a block as its bytes have it, before its numbers are looked up.
type rawBlock struct {
	version uint64
	context string
	symbols []string
	keys    []PublicKey
	facts   [][]byte
	rules   [][]byte
	checks  [][]byte
	scopes  [][]byte
}

func readBlock(message []byte) (*rawBlock, error) {
	seen := once{what: "a block"}
	it := &rawBlock{}
	err := fields(message, seen.what, func(f field) error {
		if f.number == 3 {
			var err error
			it.version, err = seen.number(f)
			return err
		}
		data, err := seen.element(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			symbol, err := text(data, "a symbol")
			if err != nil {
				return err
			}
			it.symbols = append(it.symbols, symbol)
		case 2:
			if it.context, err = text(data, "a context"); err != nil {
				return err
			}
			return seen.mark(f)
		case 4:
			it.facts = append(it.facts, data)
		case 5:
			it.rules = append(it.rules, data)
		case 6:
			it.checks = append(it.checks, data)
		case 7:
			it.scopes = append(it.scopes, data)
		case 8:
			key, err := readKey(data)
			if err != nil {
				return err
			}
			it.keys = append(it.keys, key)
		default:
			return seen.unknown(f)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if it.version < minVersion || it.version > maxVersion {
		return nil, fmt.Errorf("%w: a block of version %d; versions %d to %d are", ErrVersion, it.version, minVersion,
			maxVersion)
	}
	if len(it.facts)+len(it.rules)+len(it.checks) > maxStatements {
		return nil, malformed("a block has more than %d statements", maxStatements)
	}
	return it, nil
}

// statements looks up what the block says.
func (b *rawBlock) statements(t *tables) (*statements, error) {
	d := decoder{tables: t}
	it := &statements{}
	for _, message := range b.scopes {
		s, err := d.scope(message)
		if err != nil {
			return nil, err
		}
		it.trusting = append(it.trusting, s)
	}
	for _, message := range b.facts {
		fact, err := d.fact(message)
		if err != nil {
			return nil, err
		}
		it.facts = append(it.facts, fact)
	}
	for _, message := range b.rules {
		r, err := d.rule(message)
		if err != nil {
			return nil, err
		}
		it.rules = append(it.rules, r)
	}
	for _, message := range b.checks {
		c, err := d.check(message, b.version)
		if err != nil {
			return nil, err
		}
		it.checks = append(it.checks, c)
	}
	return it, it.allowed(int(b.version))
}

// decoder reads statements of the wire by the tables of their block.
type decoder struct {
	tables *tables
	terms  int // so far, in one statement
}

func (d *decoder) fact(message []byte) (predicate, error) {
	d.terms = 0
	var it predicate
	seen := once{what: "a fact"}
	err := fields(message, seen.what, func(f field) error {
		if f.number != 1 {
			return seen.unknown(f)
		}
		data, err := seen.data(f)
		if err == nil {
			it, err = d.predicate(data)
		}
		return err
	})
	if err != nil {
		return it, err
	}
	for i := range it.terms {
		if it.terms[i].kind == kindVariable {
			return it, malformed("a fact has a variable")
		}
	}
	return it, seen.need(1)
}

func (d *decoder) rule(message []byte) (rule, error) {
	d.terms = 0
	return d.query(message)
}

// query reads one rule, without starting to count anew.
func (d *decoder) query(message []byte) (rule, error) {
	var it rule
	seen := once{what: "a rule"}
	err := fields(message, seen.what, func(f field) error {
		data, err := seen.element(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			if err := seen.mark(f); err != nil {
				return err
			}
			it.head, err = d.predicate(data)
		case 2:
			var p predicate
			p, err = d.predicate(data)
			it.body = append(it.body, p)
		case 3:
			var e *node
			e, err = d.expression(data)
			it.expressions = append(it.expressions, e)
		case 4:
			var s scope
			s, err = d.scope(data)
			it.trusting = append(it.trusting, s)
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil {
		err = seen.need(1)
	}
	if err != nil {
		return it, err
	}
	if err := it.bind(); err != nil {
		return it, malformed("%v", err)
	}
	return it, nil
}

func (d *decoder) check(message []byte, version uint64) (check, error) {
	d.terms = 0
	var it check
	seen := once{what: "a check"}
	err := fields(message, seen.what, func(f field) error {
		switch f.number {
		case 1:
			data, err := seen.element(f)
			if err != nil {
				return err
			}
			r, err := d.query(data)
			it.queries = append(it.queries, r)
			return err
		case 2:
			kind, err := seen.number(f)
			if err != nil {
				return err
			}
			if version < scopesVersion {
				return fmt.Errorf("%w: a block of version %d has a check that says its kind", ErrVersion, version)
			}
			if kind > uint64(rejectIf) {
				return malformed("a check is of kind %d, which is not known", kind)
			}
			it.kind = checkKind(kind)
			return nil
		}
		return seen.unknown(f)
	})
	if err == nil && len(it.queries) == 0 {
		err = malformed("a check has no query")
	}
	return it, err
}

func (d *decoder) predicate(message []byte) (predicate, error) {
	var it predicate
	seen := once{what: "a predicate"}
	err := fields(message, seen.what, func(f field) error {
		switch f.number {
		case 1:
			n, err := seen.number(f)
			if err == nil {
				it.name, err = d.tables.symbol(n)
			}
			return err
		case 2:
			data, err := seen.element(f)
			if err != nil {
				return err
			}
			t, err := d.term(data, 0)
			if it.terms = append(it.terms, t); len(it.terms) > maxArity {
				return malformed("a predicate has more than %d terms", maxArity)
			}
			return err
		}
		return seen.unknown(f)
	})
	if err == nil {
		err = seen.need(1)
	}
	return it, err
}

// scope reads one element of what is trusted.
func (d *decoder) scope(message []byte) (scope, error) {
	var it scope
	seen := once{what: "a scope"}
	count := 0
	err := fields(message, seen.what, func(f field) error {
		count++
		n, err := seen.number(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			if n > uint64(scopePrevious) {
				return malformed("a scope is of type %d, which is not known", n)
			}
			it.kind = scopeKind(n)
		case 2:
			it.kind = scopeKey
			it.key, err = d.tables.key(n)
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil && count != 1 {
		err = malformed("a scope says %d things instead of one", count)
	}
	return it, err
}

// term reads a value or a variable.
func (d *decoder) term(message []byte, depth int) (term, error) {
	if d.terms++; d.terms > maxTerms {
		return term{}, malformed("a statement has more than %d values", maxTerms)
	}
	if depth > maxDepth {
		return term{}, malformed("a value is nested more than %d deep", maxDepth)
	}
	var it term
	seen := once{what: "a value"}
	count := 0
	err := fields(message, seen.what, func(f field) (err error) {
		if count++; count > 1 {
			return malformed("a value says two things")
		}
		if f.kind == protowire.VarintType {
			it, err = d.scalar(f, &seen)
		} else {
			it, err = d.composed(f, &seen, depth)
		}
		return err
	})
	if err == nil && count == 0 {
		err = malformed("a value is empty")
	}
	return it, err
}

// scalar reads the values that are one number.
func (d *decoder) scalar(f field, seen *once) (term, error) {
	switch f.number {
	case 1:
		if f.value > 1<<32-1 {
			return term{}, malformed("a variable has a number of more than 32 bits")
		}
		name, err := d.tables.symbol(f.value)
		return term{kind: kindVariable, s: name}, err
	case 2:
		return integer(int64(f.value)), nil
	case 3:
		s, err := d.tables.symbol(f.value)
		return stringTerm(s), err
	case 4:
		return term{kind: kindDate, n: int64(f.value)}, nil
	case 6:
		return boolean(f.value != 0), nil
	}
	return term{}, seen.unknown(f)
}

// composed reads the values that are bytes or messages of their own.
func (d *decoder) composed(f field, seen *once, depth int) (term, error) {
	switch f.number {
	case 5:
		return term{kind: kindBytes, s: string(f.bytes)}, nil
	case 7:
		elements, err := d.elements(f.bytes, "a set", depth)
		if err != nil {
			return term{}, err
		}
		for i := range elements {
			if k := elements[i].kind; k == kindSet || k == kindVariable || k != elements[0].kind {
				return term{}, malformed("a set has variables, sets or values of several types in it")
			}
		}
		return set(elements), nil
	case 8:
		if len(f.bytes) != 0 {
			return term{}, malformed("null has content")
		}
		return term{kind: kindNull}, nil
	case 9:
		elements, err := d.elements(f.bytes, "an array", depth)
		return term{kind: kindArray, list: elements}, err
	case 10:
		return d.dictionary(f.bytes, depth)
	}
	return term{}, seen.unknown(f)
}

// elements reads the elements of a set or an array.
func (d *decoder) elements(message []byte, what string, depth int) ([]term, error) {
	var list []term
	seen := once{what: what}
	err := fields(message, what, func(f field) error {
		if f.number != 1 {
			return seen.unknown(f)
		}
		data, err := seen.element(f)
		if err != nil {
			return err
		}
		t, err := d.term(data, depth+1)
		if err == nil && t.kind == kindVariable {
			err = malformed("%s has a variable in it", what)
		}
		list = append(list, t)
		return err
	})
	return list, err
}

func (d *decoder) dictionary(message []byte, depth int) (term, error) {
	var entries [][2]term
	seen := once{what: "a map"}
	err := fields(message, seen.what, func(f field) error {
		if f.number != 1 {
			return seen.unknown(f)
		}
		data, err := seen.element(f)
		if err != nil {
			return err
		}
		entry, err := d.entry(data, depth)
		entries = append(entries, entry)
		return err
	})
	if err != nil {
		return term{}, err
	}
	return dictionary(entries), nil
}

// entry reads the key and the value of one entry of a map.
func (d *decoder) entry(message []byte, depth int) ([2]term, error) {
	var it [2]term
	seen := once{what: "an entry of a map"}
	err := fields(message, seen.what, func(f field) error {
		data, err := seen.data(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			it[0], err = d.mapKey(data)
		case 2:
			it[1], err = d.term(data, depth+1)
			if err == nil && it[1].kind == kindVariable {
				err = malformed("a map has a variable in it")
			}
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil {
		err = seen.need(1, 2)
	}
	return it, err
}

func (d *decoder) mapKey(message []byte) (term, error) {
	var it term
	seen := once{what: "the key of a map"}
	count := 0
	err := fields(message, seen.what, func(f field) error {
		count++
		n, err := seen.number(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			it = integer(int64(n))
		case 2:
			var s string
			s, err = d.tables.symbol(n)
			it = stringTerm(s)
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil && count != 1 {
		err = malformed("the key of a map says %d things instead of one", count)
	}
	return it, err
}
