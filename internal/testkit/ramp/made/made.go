// Package made makes messages of RAMP v1 and CoMP for tests: of every message one that holds
// everything, and of every field messages that hold it alone, with each value that could be lost on
// the way.
package made

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	compv1 "frontdesk/wire/comp/v1"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Case is a message, and what it is made for.
type Case struct {
	Name    string // such as "ramp.v1.Offer.package 0"
	Message proto.Message
}

// depth is how far messages within messages are filled.
const depth = 4

// Cases makes all messages of both packages. They are the same at each call.
func Cases() []Case {
	var cases []Case
	for _, file := range []protoreflect.FileDescriptor{compv1.File_comp_v1_comp_proto, rampv1.File_ramp_v1_ramp_proto} {
		for i := range file.Messages().Len() {
			of := file.Messages().Get(i)
			cases = append(cases, Case{string(of.FullName()) + " empty", fresh(of)},
				Case{string(of.FullName()), Full(of)})
			for f := range of.Fields().Len() {
				cases = append(cases, alone(of, of.Fields().Get(f))...)
			}
		}
	}
	return cases
}

// Full makes a message in which every field holds something.
func Full(of protoreflect.MessageDescriptor) proto.Message {
	message := fresh(of)
	fill(message.ProtoReflect(), depth)
	return message
}

// alone makes messages that hold one field: each of its values, and of a list all of them together.
func alone(of protoreflect.MessageDescriptor, field protoreflect.FieldDescriptor) []Case {
	var cases []Case
	message := fresh(of)
	for i, value := range values(message.ProtoReflect(), field, depth) {
		one := fresh(of)
		if field.IsList() {
			one.ProtoReflect().Mutable(field).List().Append(value)
		} else {
			one.ProtoReflect().Set(field, value)
		}
		cases = append(cases, Case{fmt.Sprintf("%s.%s %d", of.FullName(), field.Name(), i), one})
	}
	if field.IsList() {
		for _, value := range values(message.ProtoReflect(), field, depth) {
			message.ProtoReflect().Mutable(field).List().Append(value)
		}
		cases = append(cases, Case{fmt.Sprintf("%s.%s all", of.FullName(), field.Name()), message})
	}
	return cases
}

func fill(m protoreflect.Message, left int) {
	for i := range m.Descriptor().Fields().Len() {
		field := m.Descriptor().Fields().Get(i)
		all := values(m, field, left)
		switch {
		case len(all) == 0:
		case field.IsList():
			for _, value := range all {
				m.Mutable(field).List().Append(value)
			}
		default:
			m.Set(field, all[len(all)-1])
		}
	}
}

// values are the values that one field is tried with; the last is no default.
func values(m protoreflect.Message, field protoreflect.FieldDescriptor, left int) []protoreflect.Value {
	var all []protoreflect.Value
	switch field.Kind() {
	case protoreflect.StringKind:
		for _, text := range []string{"", "\"\\/\b\n\u0000\u2028", "ein Wort, 言葉, 😀 " + string(field.Name())} {
			all = append(all, protoreflect.ValueOfString(text))
		}
	case protoreflect.BoolKind:
		all = append(all, protoreflect.ValueOfBool(false), protoreflect.ValueOfBool(true))
	case protoreflect.Int32Kind:
		for _, number := range []int32{0, math.MinInt32, math.MaxInt32, 7} {
			all = append(all, protoreflect.ValueOfInt32(number))
		}
	case protoreflect.DoubleKind:
		for _, number := range []float64{0, math.SmallestNonzeroFloat64, math.MaxFloat64, -1e21, 1e-7, 0.1,
			333333333.33333329, 0.00001515} {
			all = append(all, protoreflect.ValueOfFloat64(number))
		}
	case protoreflect.EnumKind:
		for i := range field.Enum().Values().Len() {
			all = append(all, protoreflect.ValueOfEnum(field.Enum().Values().Get(i).Number()))
		}
		all = append(all, protoreflect.ValueOfEnum(1))
	case protoreflect.MessageKind:
		for _, inner := range messages(m, field, left) {
			all = append(all, protoreflect.ValueOfMessage(inner))
		}
	}
	return all
}

func messages(m protoreflect.Message, field protoreflect.FieldDescriptor, left int) []protoreflect.Message {
	if left == 0 {
		return nil
	}
	var known []proto.Message
	switch field.Message().FullName() {
	case "google.protobuf.Timestamp":
		known = []proto.Message{
			&timestamppb.Timestamp{}, &timestamppb.Timestamp{Seconds: -62135596800},
			&timestamppb.Timestamp{Seconds: 253402300799, Nanos: 999999999},
			&timestamppb.Timestamp{Seconds: 1773824400, Nanos: 120000000},
		}
	case "google.protobuf.Duration":
		known = []proto.Message{
			&durationpb.Duration{}, &durationpb.Duration{Seconds: -315576000000}, &durationpb.Duration{Nanos: -500},
			&durationpb.Duration{Seconds: 86400},
			&durationpb.Duration{Seconds: 1, Nanos: 500000000},
		}
	case "google.protobuf.Struct":
		known = []proto.Message{&structpb.Struct{}, object()}
	default:
		var inner protoreflect.Message
		if field.IsList() {
			inner = m.NewField(field).List().NewElement().Message()
		} else {
			inner = m.NewField(field).Message()
		}
		empty := inner.New()
		fill(inner, left-1)
		return []protoreflect.Message{empty, inner}
	}
	var all []protoreflect.Message
	for _, message := range known {
		all = append(all, message.ProtoReflect())
	}
	return all
}

func object() *structpb.Struct {
	made, err := structpb.NewStruct(map[string]any{
		"ramp.geo": "DE", "": nil, "news.tags": []any{"a", 1.5, true, nil, map[string]any{"b": []any{}}},
		"z": map[string]any{}, "n": -0.5,
	})
	if err != nil {
		panic(err)
	}
	return made
}

// fresh makes an empty message.
func fresh(of protoreflect.MessageDescriptor) proto.Message {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(of.FullName())
	if err != nil {
		panic(err)
	}
	return kind.New().Interface()
}
