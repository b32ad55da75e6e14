package biscuit

import "google.golang.org/protobuf/encoding/protowire"

// expression reads an expression: operations for a stack, which have to leave one value.
func (d *decoder) expression(message []byte) (*node, error) {
	return d.stack(message, "an expression", 1, 0)
}

// stack reads the operations in a field of a message, as the tree that they make.
func (d *decoder) stack(message []byte, what string, number protowire.Number, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, malformed("closures are nested more than %d deep", maxDepth)
	}
	var stack []*node
	seen := once{what: what}
	var parameters []term
	err := fields(message, what, func(f field) error {
		if number == 2 && f.number == 1 {
			return d.parameters(f, &parameters)
		}
		if f.number != number {
			return seen.unknown(f)
		}
		data, err := seen.element(f)
		if err == nil {
			stack, err = d.push(stack, data, depth)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(stack) != 1 || stack[0].op == opClosure {
		return nil, malformed("%s leaves %d values instead of one", what, len(stack))
	}
	if number == 2 {
		return &node{op: opClosure, parameters: parameters, left: stack[0], depth: stack[0].depth + 1}, nil
	}
	return stack[0], nil
}

// parameters reads the parameters of a closure, one by one or packed.
func (d *decoder) parameters(f field, to *[]term) error {
	packed := f.bytes
	if f.kind == protowire.VarintType {
		packed = protowire.AppendVarint(nil, f.value)
	}
	for len(packed) > 0 {
		n, size := protowire.ConsumeVarint(packed)
		if size < 0 || n > 1<<32-1 {
			return malformed("the parameters of a closure are garbled")
		}
		packed = packed[size:]
		name, err := d.tables.symbol(n)
		if err != nil {
			return err
		}
		*to = append(*to, term{kind: kindVariable, s: name})
	}
	return nil
}

// push takes one operation: values and closures go on the stack, others take their arguments from
// it.
func (d *decoder) push(stack []*node, message []byte, depth int) ([]*node, error) {
	var it *node
	seen := once{what: "an operation"}
	count := 0
	err := fields(message, seen.what, func(f field) error {
		if count++; count > 1 {
			return malformed("an operation says two things")
		}
		data, err := seen.element(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			var value term
			value, err = d.term(data, 0)
			it = &node{op: opValue, value: value}
		case 2, 3:
			it, stack, err = d.apply(stack, data, f.number == 2)
		case 4:
			it, err = d.stack(data, "a closure", 2, depth+1)
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if it == nil {
		return nil, malformed("an operation is empty")
	}
	if d.terms++; d.terms > maxTerms {
		return nil, malformed("a statement has more than %d values and operations", maxTerms)
	}
	return append(stack, it), nil
}

// apply takes the arguments of an operation from the stack.
func (d *decoder) apply(stack []*node, message []byte, unary bool) (*node, []*node, error) {
	o, err := d.operation(message, unary)
	if err != nil {
		return nil, nil, err
	}
	if unary {
		if len(stack) < 1 {
			return nil, nil, malformed("an operation lacks its argument")
		}
		it, err := operate(o, stack[len(stack)-1], nil)
		return it, stack[:len(stack)-1], err
	}
	if len(stack) < 2 {
		return nil, nil, malformed("an operation lacks its arguments")
	}
	it, err := operate(o, stack[len(stack)-2], stack[len(stack)-1])
	return it, stack[:len(stack)-2], err
}

// operation reads which operation it is.
func (d *decoder) operation(message []byte, unary bool) (op, error) {
	seen := once{what: "an operation"}
	var kind, name uint64
	named := false
	err := fields(message, seen.what, func(f field) (err error) {
		switch f.number {
		case 1:
			kind, err = seen.number(f)
		case 2:
			named = true
			name, err = seen.number(f)
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil {
		err = seen.need(1)
	}
	if err != nil {
		return 0, err
	}
	extern := uint64(wireBinaryExtern)
	known := binaryOps
	if unary {
		extern, known = wireUnaryExtern, unaryOps
	}
	switch {
	case kind == extern && !named:
		return 0, malformed("it calls a function of the host without a name")
	case kind == extern:
		function, err := d.tables.symbol(name)
		if err != nil {
			return 0, err
		}
		return 0, malformed("it calls the function extern::%.64s of the host, and there are none here", function)
	case named:
		return 0, malformed("an operation that is no function of the host has a name")
	case !unary && kind == wireTryOr:
		return opTryOr, nil
	case kind < uint64(len(known)):
		return known[kind], nil
	}
	return 0, malformed("an operation is of kind %d, which is not known", kind)
}
