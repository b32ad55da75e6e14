package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Reason is why the model was not used, in a word for metrics and for the answer's _meta.
type Reason string

// The reasons. Whatever the endpoint does, it is one of them.
const (
	Unreachable       Reason = "unreachable" // no connection
	Slow              Reason = "slow"        // not done within its time
	Truncated         Reason = "cut off"     // the reply ended before its end, or reached the most that one may have
	Malformed         Reason = "garbled"     // the reply does not have the interface's form
	Unusable          Reason = "unusable"    // it has, and what the model wrote cannot be used
	TooLong           Reason = "too long"    // the reply did not end
	Refused           Reason = "refused"     // 4xx: a wrong key, address or name of the model
	Limited           Reason = "limited"     // 429
	Failed            Reason = "failed"      // 5xx
	Busy              Reason = "busy"        // all calls that may be in flight are
	CircuitOpen       Reason = "resting"     // it failed again and again, and is left alone for a while
	TokenBudget       Reason = "budget"      // the answer's tokens are used up
	DailyLimitReached Reason = "day"         // what may be taken in a day is used up
	Cancelled         Reason = "cancelled"   // nobody waits for it any more
)

// Error says why the model was not used. Its text is for the log, and holds nothing that was sent
// or received.
type Error struct {
	Reason     Reason
	Status     int           // HTTP status, where there was one
	RetryAfter time.Duration // when to come back, where the endpoint said so
	cause      error
}

func (f *Error) Error() string {
	text := string(f.Reason)
	switch {
	case f.Reason == Refused && (f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden):
		text = fmt.Sprintf("it refuses the key (HTTP %d); look at model.key_env or model.key_file", f.Status)
	case f.Reason == Refused && f.Status == http.StatusNotFound:
		text = "it knows no such address or model (HTTP 404); look at model.url, which mostly ends in /v1, and at " +
			"the model's name"
	case f.Reason == Refused && f.Status >= 300 && f.Status < 400:
		text = fmt.Sprintf("it redirects (HTTP %d), and redirects are not followed; write the last address "+
			"as model.url", f.Status)
	case f.Reason == DailyLimitReached:
		text = "what it may take in a day is used up; it is asked again after midnight UTC, or when model.day " +
			"allows more"
	case f.Status != 0:
		text = fmt.Sprintf("%s (HTTP %d)", text, f.Status)
	}
	if f.cause != nil {
		text += ": " + f.cause.Error()
	}
	return text
}

func (f *Error) Unwrap() error { return f.cause }

// fault makes an Error of a reason and what is wrong.
func fault(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, cause: fmt.Errorf(format, args...)}
}

// reasonOf is the reason of any error of this package.
func reasonOf(err error) Reason {
	if err == nil {
		return ""
	}
	if f, ok := errors.AsType[*Error](err); ok {
		return f.Reason
	}
	return Failed
}

// errSlow is the cause of contexts that end with a use's time.
var errSlow = errors.New("the time for it is over")

// broken turns an error of the connection into an Error. Addresses in it are left out: they may
// hold what is secret.
func broken(ctx context.Context, err error) *Error {
	switch {
	case errors.Is(context.Cause(ctx), errSlow), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Reason: Slow}
	case ctx.Err() != nil:
		return &Error{Reason: Cancelled}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{Reason: Truncated}
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op != "dial" {
		return &Error{Reason: Truncated, cause: err}
	}
	return &Error{Reason: Unreachable, cause: err}
}

// statusFault turns an HTTP status into an Error; nil for success.
func statusFault(response *http.Response, now time.Time) *Error {
	f := &Error{Status: response.StatusCode, RetryAfter: retryAfter(response.Header.Get("Retry-After"), now)}
	switch status := response.StatusCode; {
	case status == http.StatusOK:
		return nil
	case status == http.StatusTooManyRequests:
		f.Reason = Limited
	case status >= 500:
		f.Reason = Failed
	default:
		f.Reason = Refused
	}
	return f
}

// maxAfter is the longest that an endpoint can ask us to stay away.
const maxAfter = 10 * time.Minute

// retryAfter reads the header Retry-After (RFC 9110 §10.2.3); 0 when it says nothing.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return min(time.Duration(min(seconds, 3600))*time.Second, maxAfter)
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return min(at.Sub(now), maxAfter)
	}
	return 0
}

// redact takes the secrets out of an address.
func redact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its address"
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}
