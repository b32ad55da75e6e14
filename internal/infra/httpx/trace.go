package httpx

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// Trace is the place of a request in a trace that its caller keeps (W3C Trace Context).
type Trace struct {
	ID     string // of the trace: 32 hexadecimal digits
	Parent string // of the caller's span: 16 hexadecimal digits
	Span   string // of ours
	Flags  string // two hexadecimal digits
}

// ParseTrace reads the header traceparent, and begins a span of ours. Of a version to come it reads
// what is known of it (W3C Trace Context §4.3).
func ParseTrace(header string) (t Trace, ok bool) {
	parts := strings.Split(header, "-")
	if len(parts) < 4 || !isHex(parts[0], 2) || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 {
		return t, false
	}
	t = Trace{ID: parts[1], Parent: parts[2], Flags: parts[3]}
	if !isHex(t.ID, 32) || !isHex(t.Parent, 16) || !isHex(t.Flags, 2) || strings.Trim(t.ID, "0") == "" ||
		strings.Trim(t.Parent, "0") == "" {
		return Trace{}, false
	}
	var span [8]byte
	rand.Read(span[:])
	t.Span = hex.EncodeToString(span[:])
	return t, true
}

// isHex says whether a text is so many hexadecimal digits in lower case.
func isHex(text string, digits int) bool {
	return len(text) == digits && strings.Trim(text, "0123456789abcdef") == ""
}

// String is our span as the header traceparent has it, for whom we ask in turn.
func (t Trace) String() string { return "00-" + t.ID + "-" + t.Span + "-" + t.Flags }

// SetTrace adds the trace that the request belongs to.
func (e *Event) SetTrace(t Trace) {
	if e == nil {
		return
	}
	e.mu.Lock()
	e.trace = t
	e.mu.Unlock()
	e.Set("trace", t.ID)
	e.Set("span", t.Span)
}

// Traceparent is the header for requests that are made on behalf of the context's request; empty
// when that is part of no trace.
func Traceparent(ctx context.Context) string {
	e := EventFrom(ctx)
	if e == nil {
		return ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.trace.ID == "" {
		return ""
	}
	return e.trace.String()
}
