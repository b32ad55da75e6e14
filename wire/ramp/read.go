package ramp

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/strictjson"
)

// MaxMessage is how many bytes of JSON one message may have.
const MaxMessage = 4 << 20

// Unmarshal reads the JSON of a message of ramp.v1 or comp.v1, and replaces what the message held.
//
// Members may be written in snake_case, in camelCase, or by the name that an earlier schema gave
// them; enums by name or number; unknown members are ignored. Members of the final CoMP 1.0 that
// ours has not are kept in ext under "comp." and their name. A null is an absent member.
//
// What could be read in two ways is refused: members that stand twice, under one name or several,
// invalid UTF-8, data after the message, nesting beyond [strictjson.MaxDepth], wrong types, numbers
// out of range. The error is a *[strictjson.Error] that names the place and may be shown to the
// sender.
func Unmarshal(data []byte, m proto.Message) error {
	if len(data) > MaxMessage {
		return &strictjson.Error{Problem: fmt.Sprintf("%d bytes; a message has at most %d", len(data), MaxMessage)}
	}
	var whole strictjson.Value // its syntax, once and for all
	if err := strictjson.Decode(data, &whole); err != nil {
		return err
	}
	proto.Reset(m)
	return newReader(whole).message(m.ProtoReflect())
}

// reader reads a text whose syntax is known to be right.
type reader struct {
	decoder *jsontext.Decoder
	unknown bool // there were members that no field has
}

func newReader(text strictjson.Value) *reader {
	return &reader{decoder: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))}
}

// wrong blames the value that was read last.
func (r *reader) wrong(format string, args ...any) error {
	return &strictjson.Error{Pointer: string(r.decoder.StackPointer()), Problem: fmt.Sprintf(format, args...)}
}

// token reads the next token, which is of one of the kinds.
func (r *reader) token(what string, kinds ...jsontext.Kind) (jsontext.Token, error) {
	token, err := r.decoder.ReadToken()
	if err != nil {
		return token, r.wrong("not JSON: %v", err)
	}
	for _, kind := range kinds {
		if token.Kind() == kind {
			return token, nil
		}
	}
	return token, r.wrong("expected %s, found %s", what, strictjson.KindName(token.Kind()))
}

// isNull reads the next value if it is null.
func (r *reader) isNull() bool {
	if r.decoder.PeekKind() != 'n' {
		return false
	}
	_, err := r.decoder.ReadToken()
	return err == nil
}

func (r *reader) message(m protoreflect.Message) error {
	if _, err := r.token("an object", '{'); err != nil {
		return err
	}
	shape := shapeOf(m.Descriptor())
	seen := map[protoreflect.FieldNumber]bool{}
	final := map[string]*structpb.Value{}
	for r.decoder.PeekKind() != '}' {
		name, err := r.token("a name", '"')
		if err != nil {
			return err
		}
		member := name.String()
		field, known := shape.members[member]
		switch {
		case known && seen[field.Number()]:
			return r.wrong("this member stands twice, under two of its names; its name is %q", field.Name())
		case known:
			seen[field.Number()] = true
			err = r.field(m, field)
		case shape.finals[member]:
			r.unknown = true
			final["comp."+member], err = r.anyValue()
		default:
			r.unknown = true
			err = r.decoder.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return r.wrong("not JSON: %v", err)
	}
	keepFinal(m, final)
	return nil
}

// keepFinal puts members of the final CoMP 1.0 into ext, where nothing has their place.
func keepFinal(m protoreflect.Message, final map[string]*structpb.Value) {
	if len(final) == 0 {
		return
	}
	ext := m.Mutable(m.Descriptor().Fields().ByName("ext")).Message().Interface().(*structpb.Struct)
	if ext.Fields == nil {
		ext.Fields = map[string]*structpb.Value{}
	}
	for key, value := range final {
		if _, taken := ext.Fields[key]; !taken {
			ext.Fields[key] = value
		}
	}
}

func (r *reader) field(m protoreflect.Message, field protoreflect.FieldDescriptor) error {
	if r.isNull() {
		return nil
	}
	if !field.IsList() {
		value, err := r.value(m, field, m.NewField)
		if err == nil {
			m.Set(field, value)
		}
		return err
	}
	if _, err := r.token("an array", '['); err != nil {
		return err
	}
	list := m.Mutable(field).List()
	for r.decoder.PeekKind() != ']' {
		value, err := r.value(m, field,
			func(protoreflect.FieldDescriptor) protoreflect.Value { return list.NewElement() })
		if err != nil {
			return err
		}
		list.Append(value)
	}
	_, err := r.decoder.ReadToken()
	return err
}

// value reads one value of a field; fresh makes an empty message for it.
func (r *reader) value(m protoreflect.Message, field protoreflect.FieldDescriptor,
	fresh func(protoreflect.FieldDescriptor) protoreflect.Value) (protoreflect.Value, error) {
	switch field.Kind() {
	case protoreflect.StringKind:
		token, err := r.token("a string", '"')
		if err != nil {
			return protoreflect.Value{}, err
		}
		return protoreflect.ValueOfString(token.String()), nil
	case protoreflect.BoolKind:
		token, err := r.token("true or false", 't', 'f')
		if err != nil {
			return protoreflect.Value{}, err
		}
		return protoreflect.ValueOfBool(token.Bool()), nil
	case protoreflect.Int32Kind:
		number, err := r.whole()
		return protoreflect.ValueOfInt32(number), err
	case protoreflect.DoubleKind:
		number, err := r.double()
		return protoreflect.ValueOfFloat64(number), err
	case protoreflect.EnumKind:
		number, err := r.enum(field.Enum())
		return protoreflect.ValueOfEnum(number), err
	case protoreflect.MessageKind:
		value := fresh(field)
		return value, r.inner(m, field, value.Message())
	}
	return protoreflect.Value{}, r.wrong("cannot be read: its kind is %s", field.Kind())
}

// inner reads a message within a message; the well-known ones have forms of their own.
func (r *reader) inner(m protoreflect.Message, field protoreflect.FieldDescriptor, into protoreflect.Message) error {
	switch into.Descriptor().FullName() {
	case "google.protobuf.Struct":
		fields, err := r.object()
		into.Interface().(*structpb.Struct).Fields = fields
		return err
	case "google.protobuf.Timestamp":
		return r.timestamp(m, field, into)
	case "google.protobuf.Duration":
		return r.duration(into)
	}
	return r.message(into)
}

// number reads a number, which may stand in a string.
func (r *reader) number() (string, error) {
	token, err := r.token("a number", '0', '"')
	if err != nil {
		return "", err
	}
	text := token.String()
	if token.Kind() == '"' && (text == "" || strings.Trim(text, "0123456789+-.eE") != "") {
		return "", r.wrong("expected a number, found a string")
	}
	return text, nil
}

func (r *reader) double() (float64, error) {
	text, err := r.number()
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, r.wrong("expected a number within the range of a double")
	}
	return number, nil
}

func (r *reader) whole() (int32, error) {
	text, err := r.number()
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseFloat(text, 64) // exact for every int32, and reads 1.0 and 1e3
	if err != nil || number != math.Trunc(number) || number < math.MinInt32 || number > math.MaxInt32 {
		return 0, r.wrong("expected a whole number from %d to %d", math.MinInt32, math.MaxInt32)
	}
	return int32(number), nil
}

func (r *reader) enum(of protoreflect.EnumDescriptor) (protoreflect.EnumNumber, error) {
	if r.decoder.PeekKind() == '0' {
		number, err := r.whole()
		return protoreflect.EnumNumber(number), err
	}
	token, err := r.token("a name or a number", '"')
	if err != nil {
		return 0, err
	}
	number, ok := enumNumber(of, token.String())
	if !ok {
		return 0, r.wrong("no value of %s; one is %q", of.Name(), of.Values().Get(of.Values().Len()-1).Name())
	}
	return number, nil
}

// object reads any JSON object.
func (r *reader) object() (map[string]*structpb.Value, error) {
	if _, err := r.token("an object", '{'); err != nil {
		return nil, err
	}
	fields := map[string]*structpb.Value{}
	for r.decoder.PeekKind() != '}' {
		name, err := r.token("a name", '"')
		if err != nil {
			return nil, err
		}
		key := name.String()
		if fields[key], err = r.anyValue(); err != nil {
			return nil, err
		}
	}
	_, err := r.decoder.ReadToken()
	return fields, err
}

// anyValue reads any JSON value.
func (r *reader) anyValue() (*structpb.Value, error) {
	switch kind := r.decoder.PeekKind(); kind {
	case '{':
		fields, err := r.object()
		return structpb.NewStructValue(&structpb.Struct{Fields: fields}), err
	case '[':
		if _, err := r.decoder.ReadToken(); err != nil {
			return nil, err
		}
		list := &structpb.ListValue{}
		for r.decoder.PeekKind() != ']' {
			value, err := r.anyValue()
			if err != nil {
				return nil, err
			}
			list.Values = append(list.Values, value)
		}
		_, err := r.decoder.ReadToken()
		return structpb.NewListValue(list), err
	case '0':
		number, err := r.double()
		return structpb.NewNumberValue(number), err
	default:
		token, err := r.decoder.ReadToken()
		if err != nil {
			return nil, r.wrong("not JSON: %v", err)
		}
		switch kind {
		case '"':
			return structpb.NewStringValue(token.String()), nil
		case 'n':
			return structpb.NewNullValue(), nil
		}
		return structpb.NewBoolValue(token.Bool()), nil
	}
}
