package ramp

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

// Object gives a message as the object of JSON that [Marshal] writes, for the ext of another:
// without the text in between. What JSON cannot carry is an error that names the member.
func Object(m proto.Message) (*structpb.Struct, error) { return objectOf(m.ProtoReflect()) }

// ReadObject reads an object of JSON for the ext of a message. The error is a *[strictjson.Error].
func ReadObject(text []byte) (*structpb.Struct, error) {
	if len(text) > MaxMessage {
		return nil, &strictjson.Error{Problem: fmt.Sprintf("%d bytes; a message has at most %d", len(text), MaxMessage)}
	}
	var whole strictjson.Value
	if err := strictjson.Decode(text, &whole); err != nil {
		return nil, err
	}
	fields, err := newReader(whole).object()
	return &structpb.Struct{Fields: fields}, err
}

func objectOf(m protoreflect.Message) (out *structpb.Struct, err error) {
	out = &structpb.Struct{Fields: map[string]*structpb.Value{}}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		var one *structpb.Value
		if one, err = memberOf(m, field, value); err != nil {
			err = fmt.Errorf("cannot write %s: %w", field.FullName(), err)
			return false
		}
		out.Fields[string(field.Name())] = one
		return true
	})
	if field := m.Descriptor().Fields().ByName("accepted"); field != nil && always(field) && !m.Has(field) {
		out.Fields["accepted"] = structpb.NewBoolValue(false)
	}
	return out, err
}

func memberOf(m protoreflect.Message, field protoreflect.FieldDescriptor, value protoreflect.Value) (*structpb.Value,
	error) {
	if attestation, ok := m.Interface().(*rampv1.ResourceAttestation); ok && field.Name() == "attested_at" {
		if text := AttestedAt(attestation); text != "" {
			return stringValue(text), nil
		}
	}
	if !field.IsList() {
		return valueOf(field, value)
	}
	list := &structpb.ListValue{Values: make([]*structpb.Value, value.List().Len())}
	for i := range list.Values {
		var err error
		if list.Values[i], err = valueOf(field, value.List().Get(i)); err != nil {
			return nil, err
		}
	}
	return structpb.NewListValue(list), nil
}

func valueOf(field protoreflect.FieldDescriptor, value protoreflect.Value) (*structpb.Value, error) {
	switch field.Kind() {
	case protoreflect.StringKind:
		if !utf8.ValidString(value.String()) {
			return nil, errors.New("the text is not UTF-8")
		}
		return stringValue(value.String()), nil
	case protoreflect.BoolKind:
		return structpb.NewBoolValue(value.Bool()), nil
	case protoreflect.Int32Kind:
		return numberValue(float64(value.Int())), nil
	case protoreflect.DoubleKind:
		if number := value.Float(); math.IsNaN(number) || math.IsInf(number, 0) {
			return nil, errors.New("the number is not finite")
		}
		return numberValue(value.Float()), nil
	case protoreflect.EnumKind:
		if named := field.Enum().Values().ByNumber(value.Enum()); named != nil {
			return stringValue(string(named.Name())), nil
		}
		return numberValue(float64(value.Enum())), nil
	case protoreflect.MessageKind:
		return innerOf(value.Message())
	}
	return nil, fmt.Errorf("its kind is %s", field.Kind())
}

func innerOf(m protoreflect.Message) (*structpb.Value, error) {
	switch known := m.Interface().(type) {
	case *structpb.Struct:
		return structValue(known), nil
	case *timestamppb.Timestamp:
		if err := known.CheckValid(); err != nil {
			return nil, errors.New("the time is out of range")
		}
		return stringValue(formatTime(known)), nil
	case *durationpb.Duration:
		if err := known.CheckValid(); err != nil {
			return nil, errors.New("the duration is out of range")
		}
		return stringValue(formatDuration(known)), nil
	}
	out, err := objectOf(m)
	return structValue(out), err
}

// stringValue, numberValue and structValue make the values of the package structpb, each in one
// piece: most of what an object takes is its values.
func stringValue(text string) *structpb.Value {
	made := &struct {
		value structpb.Value
		kind  structpb.Value_StringValue
	}{kind: structpb.Value_StringValue{StringValue: text}}
	made.value.Kind = &made.kind
	return &made.value
}

func numberValue(number float64) *structpb.Value {
	made := &struct {
		value structpb.Value
		kind  structpb.Value_NumberValue
	}{kind: structpb.Value_NumberValue{NumberValue: number}}
	made.value.Kind = &made.kind
	return &made.value
}

func structValue(object *structpb.Struct) *structpb.Value {
	made := &struct {
		value structpb.Value
		kind  structpb.Value_StructValue
	}{kind: structpb.Value_StructValue{StructValue: object}}
	made.value.Kind = &made.kind
	return &made.value
}
