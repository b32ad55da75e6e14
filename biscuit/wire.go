package biscuit

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a protocol buffer message: a number, or bytes.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64
	bytes  []byte
}

// fields calls f for each field of a message. Groups, fixed numbers and what is cut short are
// errors; what names the message in them.
func fields(message []byte, what string, f func(field) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return malformed("%s is cut short or garbled", what)
		}
		message = message[n:]
		it := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			it.value, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			it.bytes, n = protowire.ConsumeBytes(message)
		default:
			return malformed("%s has field %d of wire type %d", what, number, kind)
		}
		if n < 0 {
			return malformed("%s is cut short or garbled in field %d", what, number)
		}
		message = message[n:]
		if err := f(it); err != nil {
			return err
		}
	}
	return nil
}

// once notes the single fields of a message that came, so that none comes twice and none that is
// required is missing.
type once struct {
	what string
	seen uint64
}

func (o *once) mark(f field) error {
	if f.number < 64 {
		if o.seen&(1<<f.number) != 0 {
			return malformed("%s has field %d twice", o.what, f.number)
		}
		o.seen |= 1 << f.number
	}
	return nil
}

func (o *once) need(numbers ...protowire.Number) error {
	for _, number := range numbers {
		if o.seen&(1<<number) == 0 {
			return malformed("%s lacks field %d", o.what, number)
		}
	}
	return nil
}

// number and data take a field as what it has to be.
func (o *once) number(f field) (uint64, error) {
	if f.kind != protowire.VarintType {
		return 0, malformed("field %d of %s is no number", f.number, o.what)
	}
	return f.value, o.mark(f)
}

func (o *once) data(f field) ([]byte, error) {
	if f.kind != protowire.BytesType {
		return nil, malformed("field %d of %s is a number", f.number, o.what)
	}
	return f.bytes, o.mark(f)
}

// unknown is the answer to a field that the form does not have.
func (o *once) unknown(f field) error {
	return malformed("%s has field %d, which is not known", o.what, f.number)
}

// element takes a field that may come more than once.
func (o *once) element(f field) ([]byte, error) {
	if f.kind != protowire.BytesType {
		return nil, malformed("field %d of %s is a number", f.number, o.what)
	}
	return f.bytes, nil
}

func text(b []byte, what string) (string, error) {
	if !utf8.Valid(b) {
		return "", malformed("%s is no UTF-8", what)
	}
	return string(b), nil
}

// appendNumber and appendData write one field.
func appendNumber(to []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, number, protowire.VarintType), value)
}

func appendData[T []byte | string](to []byte, number protowire.Number, value T) []byte {
	to = protowire.AppendVarint(protowire.AppendTag(to, number, protowire.BytesType), uint64(len(value)))
	return append(to, value...)
}
