// Package fail has the one type of errors that a caller can act on: an Error with a Code, which
// each protocol's handlers translate into its own word and status, and a Detail that strangers may
// read.
//
// Any other error is internal: From gives it a fixed detail, and its text goes to the log alone.
// Enter at New and Error.Wrap. The package owns the codes and must not know the protocols' words
// for them. It imports nothing of ours.
package fail

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Code is the kind of a failure. Codes are nouns; the handlers of each protocol own one table from
// Code to the protocol's own word and status.
type Code string

// The codes.
const (
	Malformed         Code = "malformed"          // the request's structure cannot be read
	Invalid           Code = "invalid"            // read, but a value is not acceptable
	NoResults         Code = "no results"         // understood, and nothing matches
	UnsupportedFormat Code = "unsupported format" // none of the formats asked for is served
	UnsupportedMode   Code = "unsupported mode"   // none of the modes asked for is served
	TooLong           Code = "too long"           // a text is longer than the limit
	TooLarge          Code = "too large"          // the body is larger than the handler allows
	NotFound          Code = "not found"          // no such thing here
	Method            Code = "method"             // the path exists, the method does not
	MediaType         Code = "media type"         // the body is in a media type that the handler does not read
	Unauthorized      Code = "unauthorized"       // who asks is not known, and must be
	Forbidden         Code = "forbidden"          // who asks is known, and may not
	Limited           Code = "limited"            // too many requests; RetryAfter says when
	Unavailable       Code = "unavailable"        // not now; RetryAfter says when
	Timeout           Code = "timeout"            // the time allowed ran out with nothing to show
	Slow              Code = "slow"               // the caller did not send its request in the time it has
	Cancelled         Code = "cancelled"          // the caller took the request back
	UnknownPromise    Code = "unknown promise"    // no promise of that token, or somebody else's, which are told alike
	Internal          Code = "internal"           // our fault; the detail says nothing of the cause
)

// Codes lists every code, for the tests that render each in every protocol.
var Codes = []Code{
	Malformed, Invalid, NoResults, UnsupportedFormat, UnsupportedMode, TooLong, TooLarge, NotFound, Method,
	MediaType, Unauthorized, Forbidden, Limited, Unavailable, Timeout, Slow, Cancelled, UnknownPromise, Internal,
}

// Field is one thing that is wrong with a request, named by JSON pointer.
type Field struct {
	Pointer string
	Detail  string
}

// Error is a failure that a caller can act on.
type Error struct {
	Code       Code
	Detail     string        // safe for strangers: what is wrong and what to do
	RetryAfter time.Duration // with Limited and Unavailable
	Fields     []Field       // what exactly, when several members are wrong
	cause      error         // for the log alone
}

// New returns an error with a detail formed as by fmt.Sprintf. The detail is shown to strangers.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// After returns a copy of e that says how long to wait before the next request.
func (e *Error) After(wait time.Duration) *Error {
	later := *e
	later.RetryAfter = wait
	return &later
}

// Wrap returns a copy of e that wraps cause. The cause goes to the log and never leaves the
// process.
func (e *Error) Wrap(cause error) *Error {
	wrapped := *e
	wrapped.cause = cause
	return &wrapped
}

// Error gives code, detail and cause, for logs.
func (e *Error) Error() string {
	if e.cause != nil && !strings.Contains(e.Detail, e.cause.Error()) {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Detail, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// Seconds rounds a wait up to whole seconds, as Retry-After states it (RFC 9110, section 10.2.3): a
// caller that came back a moment early would be refused again.
func Seconds(wait time.Duration) int { return int((wait + time.Second - 1) / time.Second) }

// From returns the Error in err's chain. Any other error becomes Internal with a fixed detail, so
// that its text never leaves the process. Where an outage is the cause (an error with the method
// Unavailable, such as the database's), Internal becomes Unavailable, and what is Unavailable says
// when to come back.
func From(err error) *Error {
	var coded *Error
	known := errors.As(err, &coded)
	var outage interface{ Unavailable() time.Duration }
	switch {
	case known && (coded.Code != Internal && coded.Code != Unavailable || coded.RetryAfter > 0):
		return coded
	case !errors.As(err, &outage):
	case known && coded.Code == Unavailable:
		return coded.After(outage.Unavailable())
	default:
		down := New(Unavailable, "this cannot be looked up or kept at the moment; send the same request again later")
		return down.After(outage.Unavailable()).Wrap(err)
	}
	if known {
		return coded
	}
	return New(Internal, "an internal error occurred; the server's log has the cause").Wrap(err)
}

// Clip shortens what a stranger sent, to at most 80 characters, before it is sent back in a detail.
func Clip(text string) string {
	const most = 80
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// Missing says which of the dependencies that a constructor requires it was not given, the first by
// name; nil where it has them all. What is given says by the names of the fields whether each is
// there.
func Missing(constructor string, given map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !given[name] {
			return fmt.Errorf("%s: %s is missing", constructor, name)
		}
	}
	return nil
}
