package ramp

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	rampv1 "frontdesk/wire/ramp/v1"
)

// attestedText is the number of an undeclared field of ResourceAttestation that keeps the text of
// attested_at, where it is not the text that we would write: signatures are over the text. It goes
// along in binary, where others pass over it.
const attestedText = 1000

// maxSeconds bounds a Duration: about 10,000 years.
const maxSeconds = 315_576_000_000

func (r *reader) timestamp(m protoreflect.Message, field protoreflect.FieldDescriptor,
	into protoreflect.Message) error {
	token, err := r.token("a time in a string", '"')
	if err != nil {
		return err
	}
	text := token.String()
	parsed, ok := parseTime(text)
	if !ok {
		return r.wrong(`expected a time such as "2026-03-18T09:00:00Z"`)
	}
	at := into.Interface().(*timestamppb.Timestamp)
	at.Seconds, at.Nanos = parsed.Seconds, parsed.Nanos
	if attestation, ok := m.Interface().(*rampv1.ResourceAttestation); ok && field.Name() == "attested_at" {
		keepText(attestation, text, at)
	}
	return nil
}

// parseTime reads an RFC 3339 time with up to nine digits of a second, of the years 1 to 9999.
func parseTime(text string) (*timestamppb.Timestamp, bool) {
	if len(text) > 35 || strings.Contains(text, ",") {
		return nil, false
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, false
	}
	stamp := timestamppb.New(at)
	return stamp, stamp.IsValid()
}

// formatTime writes a time in UTC with 0, 3, 6 or 9 digits of a second.
func formatTime(at *timestamppb.Timestamp) string {
	text := at.AsTime().Format("2006-01-02T15:04:05.000000000")
	for range 2 {
		text = strings.TrimSuffix(text, "000")
	}
	return strings.TrimSuffix(text, ".000") + "Z"
}

func keepText(attestation *rampv1.ResourceAttestation, text string, at *timestamppb.Timestamp) {
	if text == formatTime(at) {
		return
	}
	unknown := protowire.AppendTag(nil, attestedText, protowire.BytesType)
	attestation.ProtoReflect().SetUnknown(protowire.AppendString(unknown, text))
}

// AttestedAt is the text of an attestation's attested_at as it was received in JSON, to the digit:
// that is what was signed. Of one that was not, it is the protocol's text of the time. Empty if
// there is no time.
func AttestedAt(attestation *rampv1.ResourceAttestation) string {
	at := attestation.GetAttestedAt()
	if !at.IsValid() || at == nil {
		return ""
	}
	for unknown := attestation.ProtoReflect().GetUnknown(); len(unknown) > 0; {
		number, kind, size := protowire.ConsumeTag(unknown)
		if size < 0 {
			break
		}
		if number == attestedText && kind == protowire.BytesType {
			text, _ := protowire.ConsumeString(unknown[size:])
			if kept, ok := parseTime(text); ok && kept.AsTime().Equal(at.AsTime()) {
				return text
			}
		}
		rest := protowire.ConsumeFieldValue(number, kind, unknown[size:])
		if rest < 0 {
			break
		}
		unknown = unknown[size+rest:]
	}
	return formatTime(at)
}

func (r *reader) duration(into protoreflect.Message) error {
	token, err := r.token("a duration in a string", '"')
	if err != nil {
		return err
	}
	seconds, nanos, ok := parseDuration(token.String())
	if !ok {
		return r.wrong(`expected a duration in seconds, such as "86400s"`)
	}
	d := into.Interface().(*durationpb.Duration)
	d.Seconds, d.Nanos = seconds, nanos
	return nil
}

func parseDuration(text string) (seconds int64, nanos int32, ok bool) {
	text, ok = strings.CutSuffix(text, "s")
	if !ok {
		return 0, 0, false
	}
	text, negative := strings.CutPrefix(text, "-")
	whole, fraction, pointed := strings.Cut(text, ".")
	if !digits(whole) || pointed && (!digits(fraction) || len(fraction) > 9) {
		return 0, 0, false
	}
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || seconds > maxSeconds {
		return 0, 0, false
	}
	n, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 32)
	if seconds == maxSeconds && n > 0 {
		return 0, 0, false
	}
	if negative {
		return -seconds, int32(-n), true
	}
	return seconds, int32(n), true
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// formatDuration writes a duration with 0, 3, 6 or 9 digits of a second.
func formatDuration(d *durationpb.Duration) string {
	seconds, nanos := d.Seconds, int64(d.Nanos)
	text := make([]byte, 0, 32)
	if seconds < 0 || nanos < 0 {
		text, seconds, nanos = append(text, '-'), -seconds, -nanos
	}
	text = strconv.AppendInt(text, seconds, 10)
	if nanos > 0 {
		point := len(text)
		// whose first digit, the second's, gives way to the point
		text = strconv.AppendInt(text, int64(time.Second)+nanos, 10)
		text[point] = '.'
		for range 2 {
			text = bytes.TrimSuffix(text, []byte("000"))
		}
	}
	return string(append(text, 's'))
}
