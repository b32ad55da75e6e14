package ramp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	rampv1 "frontdesk/wire/ramp/v1"
)

// Bounds of messages.
const (
	MaxItems        = 100   // offers in one TransactionRequest
	MaxEntries      = 1_000 // entries in one PushResourcesRequest
	MaxAttestations = 64    // attestations of one offer or entry
	MaxPath         = 2_048 // characters of a path or an address
	MaxClaims       = 4_096 // bytes of an attestation's claims in canonical form
)

// Invalid says what is wrong with a message and where. Its text is safe to show to whoever sent the
// message.
type Invalid struct {
	Path    string // such as "offers[1].pricing.rate"; "" is the whole message
	Problem string
}

// Error gives problem and place in one sentence.
func (e *Invalid) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// Validate says what keeps a message, or one within it, from being well-formed: a required member
// that is missing, a value out of range, members that exclude each other, a key in ext_critical
// that ext has not, a number that is not finite. The error is an *[Invalid] that names the first
// such member. Whether its keys in ext_critical are known, its times right and its signatures good
// are other questions: see [UnknownCritical].
func Validate(m proto.Message) error {
	if found := check(m.ProtoReflect()); found != nil {
		return found
	}
	return nil
}

// UnknownCritical lists the keys that a message, or one within it, names in ext_critical and that
// the caller does not know in a message of that name ("ramp.v1.Requester"), sorted and each once.
// Who finds any must not act on the message.
func UnknownCritical(m proto.Message, known func(message, key string) bool) []string {
	var unknown []string
	visit(m.ProtoReflect(), func(m protoreflect.Message) *Invalid {
		for _, key := range critical(m) {
			if !known(string(m.Descriptor().FullName()), key) {
				unknown = append(unknown, key)
			}
		}
		return nil
	})
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

// critical is what a message names in ext_critical.
func critical(m protoreflect.Message) []string {
	withCritical, ok := m.Interface().(interface{ GetExtCritical() []string })
	if !ok {
		return nil
	}
	return withCritical.GetExtCritical()
}

// check holds a message and all within it against the rules: its own first.
func check(m protoreflect.Message) *Invalid {
	return visit(m, func(m protoreflect.Message) *Invalid {
		if found := checkPlain(m); found != nil {
			return found
		}
		return rules(m.Interface())
	})
}

// visit hands a message and those of the protocol within it to a function, until that finds
// something. What it finds is named from the message that visit was called with: the path is put
// together only where there is something.
func visit(m protoreflect.Message, look func(protoreflect.Message) *Invalid) *Invalid {
	if found := look(m); found != nil {
		return found
	}
	for _, field := range shapeOf(m.Descriptor()).below {
		if !m.Has(field) {
			continue
		}
		if !field.IsList() {
			if found := visit(m.Get(field).Message(), look); found != nil {
				return at(string(field.Name()), found)
			}
			continue
		}
		list := m.Get(field).List()
		for i := range list.Len() {
			if found := visit(list.Get(i).Message(), look); found != nil {
				return at(fmt.Sprintf("%s[%d]", field.Name(), i), found)
			}
		}
	}
	return nil
}

// at puts a path before what was found below it.
func at(path string, found *Invalid) *Invalid {
	if found == nil {
		return nil
	}
	return &Invalid{Path: join(path, found.Path), Problem: found.Problem}
}

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// checkPlain holds what every message has to keep: texts that databases can hold, finite numbers,
// times and durations in range, ext_critical within ext.
func checkPlain(m protoreflect.Message) *Invalid {
	for _, field := range shapeOf(m.Descriptor()).plain {
		name := string(field.Name())
		switch {
		case field.IsList():
			if found := checkTexts(name, m.Get(field).List()); found != nil {
				return found
			}
		case field.Kind() == protoreflect.StringKind:
			if found := checkText(name, m.Get(field).String()); found != nil {
				return found
			}
		case field.Kind() == protoreflect.DoubleKind:
			if number := m.Get(field).Float(); math.IsNaN(number) || math.IsInf(number, 0) {
				return &Invalid{name, "has to be a finite number"}
			}
		case m.Has(field):
			if problem := knownProblem(m.Get(field).Message().Interface()); problem != "" {
				return &Invalid{name, problem}
			}
		}
	}
	keys := critical(m)
	if len(keys) == 0 {
		return nil
	}
	ext, _ := m.Get(m.Descriptor().Fields().ByName("ext")).Message().Interface().(*structpb.Struct)
	for i, key := range keys {
		if _, ok := ext.GetFields()[key]; !ok {
			return &Invalid{fmt.Sprintf("ext_critical[%d]", i), "names a key that ext has not"}
		}
	}
	return nil
}

// checkText holds that a text has no character that PostgreSQL cannot hold, and that ends texts in
// C.
func checkText(name, text string) *Invalid {
	if strings.IndexByte(text, 0) >= 0 {
		return &Invalid{name, "has the character U+0000, which no text may have"}
	}
	return nil
}

func checkTexts(name string, list protoreflect.List) *Invalid {
	for i := range list.Len() {
		if text := list.Get(i).String(); checkText(name, text) != nil {
			return checkText(fmt.Sprintf("%s[%d]", name, i), text)
		}
	}
	return nil
}

// knownProblem says what is wrong with a time, a duration or an object.
func knownProblem(m any) string {
	switch known := m.(type) {
	case *timestamppb.Timestamp:
		if !known.IsValid() {
			return "has to be a time of the years 1 to 9999"
		}
	case *durationpb.Duration:
		if !known.IsValid() {
			return "has to be a duration of at most 10,000 years"
		}
	case *structpb.Struct:
		if carried(known, plainLevels) {
			return ""
		}
		if _, err := Marshal(&rampv1.Offer{Ext: known}); err != nil {
			return "has to be an object that JSON can carry"
		}
	}
	return ""
}

// first gives the first that was found.
func first(all ...*Invalid) *Invalid {
	for _, found := range all {
		if found != nil {
			return found
		}
	}
	return nil
}

func required(name, text string) *Invalid {
	if text == "" {
		return &Invalid{name, "is required"}
	}
	return nil
}

// version holds that a version is stated, and no later, incompatible one.
func version(ver string) *Invalid {
	if err := CheckVersion(ver); err != nil {
		return &Invalid{"ver", err.Error()}
	}
	return required("ver", ver)
}

// set holds that a member is there.
func set(name string, there bool) *Invalid {
	if !there {
		return &Invalid{name, "is required"}
	}
	return nil
}

func notNegative[N int32 | float64](name string, number N) *Invalid {
	if number < 0 {
		return &Invalid{name, "has to be 0 or more"}
	}
	return nil
}

func share(name string, number float64) *Invalid {
	if number < 0 || number > 1 {
		return &Invalid{name, "has to be from 0 to 1"}
	}
	return nil
}

// positive holds that a duration that is there is above zero.
func positive(name string, d *durationpb.Duration) *Invalid {
	if d != nil && d.AsDuration() <= 0 {
		return &Invalid{name, "has to be longer than 0"}
	}
	return nil
}

func atMost(name string, count, most int) *Invalid {
	if count > most {
		return &Invalid{name, fmt.Sprintf("has %d; at most %d are allowed", count, most)}
	}
	return nil
}

func short2048(name, text string) *Invalid {
	if len(text) > MaxPath {
		return &Invalid{name, fmt.Sprintf("is longer than %d characters", MaxPath)}
	}
	return nil
}

// currency holds that a currency is a code of ISO 4217, and is there if an amount needs one.
func currency(name, code string, needed bool) *Invalid {
	switch {
	case code == "" && needed:
		return &Invalid{name, "is required beside an amount"}
	case code != "" && !capitals(code, 3):
		return &Invalid{name, `has to be a code of ISO 4217 such as "EUR"`}
	}
	return nil
}

func capitals(code string, size int) bool {
	return len(code) == size && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// countries holds that all are codes of ISO 3166-1 alpha-2.
func countries(name string, codes []string) *Invalid {
	for i, code := range codes {
		if !capitals(code, 2) {
			return &Invalid{fmt.Sprintf("%s[%d]", name, i), `has to be a code of ISO 3166-1 alpha-2 such as "DE"`}
		}
	}
	return nil
}

// filled holds that no element is empty.
func filled(name string, list []string) *Invalid {
	for i, text := range list {
		if text == "" || len(text) > MaxPath {
			return &Invalid{fmt.Sprintf("%s[%d]", name, i), fmt.Sprintf("has to have 1 to %d characters", MaxPath)}
		}
	}
	return nil
}

// domain holds that a name is a host's, in lower case, maybe with a port: what keys are fetched
// from.
func domain(name, text string) *Invalid {
	host, port, ported := strings.Cut(text, ":")
	switch {
	case text == "":
		return &Invalid{name, "is required"}
	case len(text) > 253, strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-._") != "", host == "", ported &&
		!digits(port),
		strings.HasPrefix(host, "."), strings.Contains(host, ".."):
		return &Invalid{name, `has to be a domain in lower case such as "example.com"`}
	}
	return nil
}

// algorithm holds that a signature's algorithm is the one there is.
func algorithm(name, text string) *Invalid {
	if text != "" && !strings.EqualFold(text, "ed25519") && !strings.EqualFold(text, "eddsa") {
		return &Invalid{name, `has to be "ed25519"`}
	}
	return nil
}
