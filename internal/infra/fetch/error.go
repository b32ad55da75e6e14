package fetch

import (
	"fmt"
	"net/url"
)

// Reason is why a document could not be fetched.
type Reason string

// The reasons.
const (
	// Refused is an address that the guard does not allow, or a redirect to one.
	Refused Reason = "refused"
	// Disallowed is an address that the site's robots.txt closes to crawlers.
	Disallowed Reason = "disallowed"
	// Unreachable is a host that does not exist, does not answer, or has no trusted certificate.
	Unreachable Reason = "unreachable"
	// TimedOut is an exchange that took too long.
	TimedOut Reason = "timed out"
	// TooLarge is an answer beyond the bounds.
	TooLarge Reason = "too large"
	// Undecodable is a body that cannot be decoded.
	Undecodable Reason = "garbled"
	// Redirects is an address that redirects too often or in a circle.
	Redirects Reason = "redirects"
)

// Error says why a document could not be fetched, and what to do about it.
type Error struct {
	Reason Reason
	// URL is the address that failed, which is another than the one asked for after a redirect.
	URL string
	// Detail is a sentence without the address. It is for the operator: it may tell where a name
	// leads.
	Detail string
	// Err is what lies below, or nil.
	Err error
}

// Error gives address and detail.
func (e *Error) Error() string {
	if e.URL == "" {
		return e.Detail
	}
	return e.URL + " cannot be fetched: " + e.Detail
}

// Unwrap gives what lies below.
func (e *Error) Unwrap() error { return e.Err }

// Cause is the reason, for people.
func (e *Error) Cause() string { return string(e.Reason) }

func failure(reason Reason, at *url.URL, cause error, format string, args ...any) *Error {
	e := &Error{Reason: reason, Detail: fmt.Sprintf(format, args...), Err: cause}
	if at != nil {
		e.URL = at.Redacted()
	}
	return e
}
