package ramp

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// Marshal writes a message of ramp.v1 or comp.v1 as JSON: members in the order of their numbers, in
// snake_case, without those that hold nothing, but for accepted of answers to reports and disputes;
// enums by name; no blanks. The same message gives the same bytes, always. An attestation's time
// keeps the text that it was read from. What JSON cannot carry is an error that names the member: a
// number that is not finite, a time or a duration out of range, invalid UTF-8.
func Marshal(m proto.Message) ([]byte, error) { return marshal(m, false) }

// marshal writes a message; brief has a provider's manifest say DIRECT, as the protocol's examples
// do.
func marshal(m proto.Message, brief bool) ([]byte, error) {
	if a, ok := m.(*rampv1.ResourceAttestation); ok && a != nil {
		if text, ok := plainAttestation(a); ok {
			return text, nil
		}
	}
	return textOf(m, brief, false)
}

type writer struct {
	out     bytes.Buffer
	encoder *jsontext.Encoder
	brief   bool
	sorted  bool // members stand in the order of their names
}

// writers are used again and again: what grows in them while they write is most of what writing
// takes.
var writers = sync.Pool{New: func() any {
	w := &writer{}
	w.encoder = jsontext.NewEncoder(&w.out)
	return w
}}

// maxKept is how many bytes a writer may have to be used again.
const maxKept = 64 << 10

// textOf is a message as a writer writes it.
func textOf(m proto.Message, brief, sorted bool) ([]byte, error) {
	w := writers.Get().(*writer)
	w.brief, w.sorted = brief, sorted
	w.out.Reset()
	w.encoder.Reset(&w.out, jsontext.AllowDuplicateNames(true))
	err := w.message(m.ProtoReflect())
	var text []byte
	if err == nil {
		text = bytes.Clone(bytes.TrimSuffix(w.out.Bytes(), []byte("\n")))
	}
	if w.out.Cap() <= maxKept {
		writers.Put(w)
	}
	return text, err
}

// canonicalMessage writes a message as canonical JSON (RFC 8785): as Marshal does, with its members
// in order. Numbers and strings are written as the standard has them in either case. An object with
// names beyond ASCII goes the long way, since the standard orders those by UTF-16.
func canonicalMessage(m proto.Message) ([]byte, error) {
	text, err := textOf(m, false, true)
	if errors.Is(err, errBeyondASCII) {
		text, err := Marshal(m)
		if err != nil {
			return nil, err
		}
		return sign.Canonical(text)
	}
	return text, err
}

// errBeyondASCII is of an object with a name that has other letters than those of ASCII.
var errBeyondASCII = errors.New("a name has letters beyond ASCII")

func (w *writer) wrong(format string, args ...any) error {
	return fmt.Errorf("cannot write %s: %s", w.encoder.StackPointer(), fmt.Sprintf(format, args...))
}

func (w *writer) message(m protoreflect.Message) error {
	if err := w.encoder.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	fields := m.Descriptor().Fields()
	var named []protoreflect.FieldDescriptor
	if w.sorted {
		named = shapeOf(m.Descriptor()).named
	}
	for i := range fields.Len() {
		field := fields.Get(i)
		if w.sorted {
			field = named[i]
		}
		if !m.Has(field) && !always(field) {
			continue
		}
		if err := w.encoder.WriteToken(jsontext.String(string(field.Name()))); err != nil {
			return err
		}
		if err := w.field(m, field); err != nil {
			return err
		}
	}
	return w.encoder.WriteToken(jsontext.EndObject)
}

// always says of a member that it is written also where it holds nothing: whether a report or a
// dispute was accepted is what the answer is for.
func always(field protoreflect.FieldDescriptor) bool {
	if field.Kind() != protoreflect.BoolKind || field.Name() != "accepted" {
		return false
	}
	name := field.FullName()
	return name == "ramp.v1.UsageReportResponse.accepted" || name == "ramp.v1.DisputeResponse.accepted"
}

func (w *writer) field(m protoreflect.Message, field protoreflect.FieldDescriptor) error {
	value := m.Get(field)
	if attestation, ok := m.Interface().(*rampv1.ResourceAttestation); ok && field.Name() == "attested_at" {
		if text := AttestedAt(attestation); text != "" {
			return w.encoder.WriteToken(jsontext.String(text))
		}
	}
	if !field.IsList() {
		return w.value(field, value)
	}
	if err := w.encoder.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for i := range value.List().Len() {
		if err := w.value(field, value.List().Get(i)); err != nil {
			return err
		}
	}
	return w.encoder.WriteToken(jsontext.EndArray)
}

func (w *writer) value(field protoreflect.FieldDescriptor, value protoreflect.Value) error {
	switch field.Kind() {
	case protoreflect.StringKind:
		return w.encoder.WriteToken(jsontext.String(value.String()))
	case protoreflect.BoolKind:
		return w.encoder.WriteToken(jsontext.Bool(value.Bool()))
	case protoreflect.Int32Kind:
		return w.encoder.WriteToken(jsontext.Int(value.Int()))
	case protoreflect.DoubleKind:
		return w.double(value.Float())
	case protoreflect.EnumKind:
		return w.enum(field.Enum(), value.Enum())
	case protoreflect.MessageKind:
		return w.inner(value.Message())
	}
	return w.wrong("its kind is %s", field.Kind())
}

func (w *writer) double(number float64) error {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return w.wrong("the number is not finite")
	}
	if w.sorted && number == 0 {
		number = 0 // of the two zeros the one that the standard writes
	}
	return w.encoder.WriteToken(jsontext.Float(number))
}

// enum writes a value's name, or its number if it has none.
func (w *writer) enum(of protoreflect.EnumDescriptor, number protoreflect.EnumNumber) error {
	value := of.Values().ByNumber(number)
	switch {
	case value == nil:
		return w.encoder.WriteToken(jsontext.Int(int64(number)))
	case w.brief && of.FullName() == "ramp.v1.ProviderRelationship" && number != 0:
		return w.encoder.WriteToken(jsontext.String(short(of, value)))
	}
	return w.encoder.WriteToken(jsontext.String(string(value.Name())))
}

func (w *writer) inner(m protoreflect.Message) error {
	switch known := m.Interface().(type) {
	case *structpb.Struct:
		return w.object(known)
	case *timestamppb.Timestamp:
		if err := known.CheckValid(); err != nil {
			return w.wrong("the time is out of range")
		}
		return w.encoder.WriteToken(jsontext.String(formatTime(known)))
	case *durationpb.Duration:
		if err := known.CheckValid(); err != nil {
			return w.wrong("the duration is out of range")
		}
		return w.encoder.WriteToken(jsontext.String(formatDuration(known)))
	}
	return w.message(m)
}

// object writes any JSON object, its members in the order of their names.
func (w *writer) object(s *structpb.Struct) error {
	if err := w.encoder.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(s.GetFields())) {
		if w.sorted && strings.ContainsFunc(key, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return errBeyondASCII
		}
		if err := w.encoder.WriteToken(jsontext.String(key)); err != nil {
			return err
		}
		if err := w.any(s.Fields[key]); err != nil {
			return err
		}
	}
	return w.encoder.WriteToken(jsontext.EndObject)
}

func (w *writer) any(value *structpb.Value) error {
	switch kind := value.GetKind().(type) {
	case *structpb.Value_StringValue:
		return w.encoder.WriteToken(jsontext.String(kind.StringValue))
	case *structpb.Value_NumberValue:
		return w.double(kind.NumberValue)
	case *structpb.Value_BoolValue:
		return w.encoder.WriteToken(jsontext.Bool(kind.BoolValue))
	case *structpb.Value_StructValue:
		return w.object(kind.StructValue)
	case *structpb.Value_ListValue:
		if err := w.encoder.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for _, element := range kind.ListValue.GetValues() {
			if err := w.any(element); err != nil {
				return err
			}
		}
		return w.encoder.WriteToken(jsontext.EndArray)
	}
	return w.encoder.WriteToken(jsontext.Null)
}
