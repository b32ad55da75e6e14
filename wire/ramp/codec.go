package ramp

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"frontdesk/wire/strictjson"
)

// Codec is the protocol's JSON for Connect and gRPC (a connect.Codec), in place of the library's
// own: [Unmarshal] and [Marshal]. Messages of other packages, such as those of the health service,
// keep the library's form. It has no state.
type Codec struct {
	// Charset has the codec answer to "application/json; charset=utf-8"; a server registers one
	// codec with it, and one without.
	Charset bool
}

// Name is the content type's subtype that the codec is for.
func (c Codec) Name() string {
	if c.Charset {
		return "json; charset=utf-8"
	}
	return "json"
}

// Marshal writes a message.
func (c Codec) Marshal(message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is no protocol buffer message: hand a generated one to the codec", message)
	}
	if ours(m.ProtoReflect().Descriptor()) {
		return Marshal(m)
	}
	return protojson.Marshal(m)
}

// Unmarshal reads a message.
func (c Codec) Unmarshal(data []byte, message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is no protocol buffer message: hand a generated one to the codec", message)
	}
	if ours(m.ProtoReflect().Descriptor()) {
		return Unmarshal(data, m)
	}
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, m)
}

// Binary is the protocol's binary form for Connect and gRPC (a connect.Codec), in place of the
// library's own: it bounds how deep messages may nest, as [Unmarshal] does. It has no state.
type Binary struct{}

// maxNesting is how deep messages may nest in binary: an object of JSON within an object takes
// three messages.
const maxNesting = 3 * strictjson.MaxDepth

// Name is the content type's subtype that the codec is for.
func (Binary) Name() string { return "proto" }

// Marshal writes a message.
func (Binary) Marshal(message any) ([]byte, error) { return Binary{}.MarshalAppend(nil, message) }

// MarshalAppend writes a message behind what is there.
func (Binary) MarshalAppend(to []byte, message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is no protocol buffer message: hand a generated one to the codec", message)
	}
	return proto.MarshalOptions{}.MarshalAppend(to, m)
}

// Unmarshal reads a message. The error says what may be shown to the sender.
func (Binary) Unmarshal(data []byte, message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is no protocol buffer message: hand a generated one to the codec", message)
	}
	if err := (proto.UnmarshalOptions{RecursionLimit: maxNesting}).Unmarshal(data, m); err != nil {
		return fmt.Errorf("not the binary form of %s, or nested too deep, or with text that is not UTF-8",
			m.ProtoReflect().Descriptor().FullName())
	}
	return nil
}
