package biscuit

import (
	"errors"
	"math"
	"strings"
)

// Errors of expressions that try_or catches. Whatever else goes wrong in an expression refuses the
// token.
var (
	errType     = errors.New("an operation on values of a type that it does not have")
	errOverflow = errors.New("a number that does not fit in 64 bits")
	errDivision = errors.New("a division that has no result")
)

func caught(err error) bool {
	return errors.Is(err, errType) || errors.Is(err, errOverflow) || errors.Is(err, errDivision)
}

// environment is where an expression is evaluated: the values of variables by their places, and the
// meter that runs.
type environment struct {
	values []term
	meter  *meter
}

// evaluate computes an expression.
func (v *environment) evaluate(n *node) (term, error) {
	if err := v.meter.spend(1); err != nil {
		return term{}, err
	}
	switch n.op {
	case opValue:
		if n.value.kind == kindVariable {
			return v.values[n.value.n], nil
		}
		return n.value, nil
	case opParens:
		return v.evaluate(n.left)
	case opTryOr:
		return v.tryOr(n)
	}
	left, err := v.evaluate(n.left)
	if err != nil {
		return term{}, err
	}
	switch n.op {
	case opNegate, opLength, opType:
		return monadic(n.op, &left)
	case opLazyAnd, opLazyOr:
		if left.kind != kindBool {
			return term{}, errType
		}
		if left.truth() == (n.op == opLazyOr) {
			return left, nil
		}
		return v.evaluate(n.right.left)
	case opAll, opAny:
		return v.quantified(n, &left)
	}
	right, err := v.evaluate(n.right)
	if err != nil {
		return term{}, err
	}
	if err := v.meter.spend(left.weight() + right.weight()); err != nil {
		return term{}, err
	}
	if n.op == opMatches {
		return v.matches(n, &left, &right)
	}
	return dyadic(n.op, &left, &right)
}

// tryOr computes try_or, whose second argument is evaluated whether it is needed or not.
func (v *environment) tryOr(n *node) (term, error) {
	otherwise, err := v.evaluate(n.right)
	if err != nil {
		return term{}, err
	}
	tried, err := v.evaluate(n.left.left)
	if err != nil && caught(err) {
		return otherwise, nil
	}
	return tried, err
}

// quantified computes all and any over the elements of a set or an array, or the entries of a map
// as arrays of two.
func (v *environment) quantified(n *node, over *term) (term, error) {
	step := 1
	switch over.kind {
	case kindSet, kindArray:
	case kindMap:
		step = 2
	default:
		return term{}, errType
	}
	place := n.right.parameters[0].n
	for i := 0; i < len(over.list); i += step {
		v.values[place] = over.list[i]
		if step == 2 {
			v.values[place] = term{kind: kindArray, list: over.list[i : i+2 : i+2]}
		}
		result, err := v.evaluate(n.right.left)
		if err != nil {
			return term{}, err
		}
		if result.kind != kindBool {
			return term{}, errType
		}
		if result.truth() == (n.op == opAny) {
			return result, nil
		}
	}
	return boolean(n.op == opAll), nil
}

func (v *environment) matches(n *node, left, right *term) (term, error) {
	if left.kind != kindString || right.kind != kindString {
		return term{}, errType
	}
	p := n.pattern
	if p == nil { // the pattern is no constant: it is compiled each time
		p = &pattern{text: right.s}
		if err := v.meter.spend(1000); err != nil {
			return term{}, err
		}
	}
	if err := p.prepare(); err != nil {
		return term{}, err
	}
	if err := v.meter.spend(p.size * (len(left.s) + 8) / 8); err != nil {
		return term{}, err
	}
	found, err := p.match(left.s)
	return boolean(found), err
}

func monadic(o op, t *term) (term, error) {
	switch {
	case o == opNegate && t.kind == kindBool:
		return boolean(!t.truth()), nil
	case o == opType:
		return stringTerm(kindNames[t.kind]), nil
	case o == opLength:
		switch t.kind {
		case kindString, kindBytes:
			return integer(int64(len(t.s))), nil
		case kindSet, kindArray:
			return integer(int64(len(t.list))), nil
		case kindMap:
			return integer(int64(len(t.list) / 2)), nil
		}
	}
	return term{}, errType
}

// dyadic computes the operations of two values that are the same whatever surrounds them.
func dyadic(o op, a, b *term) (term, error) {
	switch o {
	case opEqual:
		return boolean(equal(a, b)), nil
	case opNotEqual:
		return boolean(!equal(a, b)), nil
	case opStrictEqual, opStrictNotEqual:
		if a.kind != b.kind {
			return term{}, errType
		}
		return boolean(equal(a, b) == (o == opStrictEqual)), nil
	case opContains:
		return contains(a, b)
	case opGet:
		return get(a, b)
	}
	if a.kind != b.kind {
		return term{}, errType
	}
	switch a.kind {
	case kindInteger:
		return arithmetic(o, a.n, b.n)
	case kindDate:
		return ordered(o, uint64(a.n), uint64(b.n))
	case kindString:
		return strung(o, a.s, b.s)
	case kindBool:
		switch o {
		case opAnd:
			return boolean(a.truth() && b.truth()), nil
		case opOr:
			return boolean(a.truth() || b.truth()), nil
		}
	case kindSet:
		return sets(o, a, b)
	case kindArray:
		return arrays(o, a.list, b.list)
	}
	return term{}, errType
}

func ordered[T int64 | uint64](o op, a, b T) (term, error) {
	switch o {
	case opLess:
		return boolean(a < b), nil
	case opGreater:
		return boolean(a > b), nil
	case opLessOrEqual:
		return boolean(a <= b), nil
	case opGreaterOrEqual:
		return boolean(a >= b), nil
	}
	return term{}, errType
}

func arithmetic(o op, a, b int64) (term, error) {
	overflows := false
	var n int64
	switch o {
	case opAdd:
		n = a + b
		overflows = (n > a) != (b > 0)
	case opSub:
		n = a - b
		overflows = (n < a) != (b > 0)
	case opMul:
		n = a * b
		overflows = a != 0 && (n/a != b || a == -1 && b == math.MinInt64)
	case opDiv:
		if b == 0 || a == math.MinInt64 && b == -1 {
			return term{}, errDivision
		}
		n = a / b
	case opBitAnd:
		n = a & b
	case opBitOr:
		n = a | b
	case opBitXor:
		n = a ^ b
	default:
		return ordered(o, a, b)
	}
	if overflows {
		return term{}, errOverflow
	}
	return integer(n), nil
}

func strung(o op, a, b string) (term, error) {
	switch o {
	case opPrefix:
		return boolean(strings.HasPrefix(a, b)), nil
	case opSuffix:
		return boolean(strings.HasSuffix(a, b)), nil
	case opAdd:
		if len(a)+len(b) > MaxSize {
			return term{}, ErrLimit
		}
		return stringTerm(a + b), nil
	}
	return term{}, errType
}

func sets(o op, a, b *term) (term, error) {
	switch o {
	case opIntersection:
		var both []term
		for i := range a.list {
			if b.has(&a.list[i]) {
				both = append(both, a.list[i])
			}
		}
		return set(both), nil
	case opUnion:
		return set(append(append([]term(nil), a.list...), b.list...)), nil
	}
	return term{}, errType
}

// arrays computes starts_with and ends_with of arrays.
func arrays(o op, a, b []term) (term, error) {
	if o != opPrefix && o != opSuffix {
		return term{}, errType
	}
	if len(b) > len(a) {
		return boolean(false), nil
	}
	part := a[:len(b)]
	if o == opSuffix {
		part = a[len(a)-len(b):]
	}
	for i := range b {
		if !equal(&part[i], &b[i]) {
			return boolean(false), nil
		}
	}
	return boolean(true), nil
}

// contains: a text in a text, a value or all of a set in a set, a value in an array, a key in a
// map.
func contains(a, b *term) (term, error) {
	switch a.kind {
	case kindString:
		if b.kind == kindString {
			return boolean(strings.Contains(a.s, b.s)), nil
		}
	case kindSet:
		switch b.kind {
		case kindInteger, kindString, kindDate, kindBytes, kindBool:
			return boolean(a.has(b)), nil
		case kindSet:
		default: // null among them, though a set may have it: the official libraries do so
			return term{}, errType
		}
		for i := range b.list {
			if !a.has(&b.list[i]) {
				return boolean(false), nil
			}
		}
		return boolean(true), nil
	case kindArray:
		return boolean(a.has(b)), nil
	case kindMap:
		return boolean((b.kind == kindInteger || b.kind == kindString) && a.at(b) != nil), nil
	}
	return term{}, errType
}

// get is the element of an array at a place, or the value of a map at a key; null where there is
// none.
func get(a, b *term) (term, error) {
	switch {
	case a.kind == kindArray && b.kind == kindInteger:
		if b.n >= 0 && b.n < int64(len(a.list)) {
			return a.list[b.n], nil
		}
	case a.kind == kindMap && (b.kind == kindInteger || b.kind == kindString):
		if value := a.at(b); value != nil {
			return *value, nil
		}
	default:
		return term{}, errType
	}
	return term{kind: kindNull}, nil
}
