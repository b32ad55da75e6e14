package ramp

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Codec is the protocol's JSON for Connect and gRPC (a connect.Codec), in place of the library's own: [Unmarshal] and
// [Marshal]. Messages of other packages, such as those of the health service, keep the library's form. It has no state.
type Codec struct {
	// Charset has the codec answer to "application/json; charset=utf-8"; a server registers one codec with it, and one without.
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
