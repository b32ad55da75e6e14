package biscuit

import (
	"errors"
	"fmt"
	"strings"
)

// infix are the infix operations of each level, the longer of two with the same beginning first.
var infix = [mulLevel + 1][]struct {
	text string
	op   op
}{
	lazyOrLevel:  {{"||", opLazyOr}},
	lazyAndLevel: {{"&&", opLazyAnd}},
	comparisonLevel: {
		{"===", opStrictEqual}, {"!==", opStrictNotEqual}, {"==", opEqual}, {"!=", opNotEqual},
		{"<=", opLessOrEqual}, {">=", opGreaterOrEqual}, {"<", opLess}, {">", opGreater},
	},
	bitXorLevel: {{"^", opBitXor}},
	bitOrLevel:  {{"|", opBitOr}},
	bitAndLevel: {{"&", opBitAnd}},
	addLevel:    {{"+", opAdd}, {"-", opSub}},
	mulLevel:    {{"*", opMul}, {"/", opDiv}},
}

// expression reads an expression whose operations bind at least as tight as a level.
func (p *parser) expression(level int) (*node, error) {
	if p.depth++; p.depth > maxDepth*unaryLevel {
		return nil, fmt.Errorf("expressions are nested at most %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	if level == unaryLevel {
		return p.unary()
	}
	left, err := p.expression(level + 1)
	for err == nil {
		o, found := p.infix(level)
		if !found {
			return left, nil
		}
		var right *node
		if right, err = p.expression(level + 1); err != nil {
			break
		}
		if operations[o].closure == rightSide {
			right = &node{op: opClosure, left: right, depth: right.depth + 1}
		}
		if left, err = operate(o, left, right); err == nil && level == comparisonLevel {
			return left, nil
		}
	}
	return nil, err
}

// infix goes over an infix operation of a level, if one comes next.
func (p *parser) infix(level int) (op, bool) {
	p.space()
	for _, it := range infix[level] {
		rest := p.rest()
		if !strings.HasPrefix(rest, it.text) {
			continue
		}
		if doubled := it.text == "|" || it.text == "&"; doubled && strings.HasPrefix(rest[1:], it.text) {
			continue
		}
		p.at += len(it.text)
		return it.op, true
	}
	return 0, false
}

func (p *parser) unary() (*node, error) {
	if p.take("!") {
		argument, err := p.expression(unaryLevel)
		if err != nil {
			return nil, err
		}
		return operate(opNegate, argument, nil)
	}
	var it *node
	if p.take("(") {
		inner, err := p.expression(lazyOrLevel)
		if err == nil {
			err = p.expect(")", "an expression in parentheses")
		}
		if err != nil {
			return nil, err
		}
		if it, err = operate(opParens, inner, nil); err != nil {
			return nil, err
		}
	} else {
		value, err := p.term()
		if err != nil {
			return nil, err
		}
		it = &node{op: opValue, value: value}
	}
	for p.take(".") {
		var err error
		if it, err = p.method(it); err != nil {
			return nil, err
		}
	}
	return it, nil
}

var methods = func() map[string]op {
	named := map[string]op{}
	for o := range operations {
		if operations[o].form == formMethod {
			named[operations[o].text] = op(o)
		}
	}
	return named
}()

// method reads name(argument) after a value and a dot.
func (p *parser) method(receiver *node) (*node, error) {
	before := p.at
	name := p.name()
	o, known := methods[name]
	if !known {
		p.at = before
		if strings.HasPrefix(name, "extern::") {
			return nil, errors.New("functions of the host (extern::) are not provided here")
		}
		return nil, errors.New("there is no such operation after the dot")
	}
	if err := p.expect("(", "the name of an operation"); err != nil {
		return nil, err
	}
	var argument *node
	var err error
	switch {
	case o.unary():
	case operations[o].closure == rightSide:
		argument, err = p.closure()
	default:
		argument, err = p.expression(lazyOrLevel)
	}
	if err == nil {
		err = p.expect(")", "the argument of an operation")
	}
	if err != nil {
		return nil, err
	}
	if operations[o].closure == leftSide {
		receiver = &node{op: opClosure, left: receiver, depth: receiver.depth + 1}
	}
	return operate(o, receiver, argument)
}

// closure reads $parameter -> expression.
func (p *parser) closure() (*node, error) {
	parameter, err := p.term()
	if err != nil {
		return nil, err
	}
	if parameter.kind != kindVariable || !p.take("->") {
		return nil, errors.New("any and all take a closure: $x -> an expression")
	}
	body, err := p.expression(lazyOrLevel)
	if err != nil {
		return nil, err
	}
	return &node{op: opClosure, parameters: []term{parameter}, left: body, depth: body.depth + 1}, nil
}
