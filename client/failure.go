package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/nlweb"
)

// Failure is what a desk answers instead of an answer (NLWeb 0.55 §4.1.4).
type Failure struct {
	Code       string          // nlweb.CodeNoResults and others; a desk may have codes of its own
	Message    string          // for people, in the desk's words
	Status     int             // of HTTP; 200 where the question needed understanding to be refused
	RetryAfter time.Duration   // how long the desk wants to be left alone; 0 where it did not say
	Meta       nlweb.Meta      // with the session, where the question was part of one
	Raw        json.RawMessage // the whole response, or the error event of a stream
}

// Error is the desk's message, with its code.
func (f *Failure) Error() string {
	if f.Message == "" {
		return fmt.Sprintf("the front desk answered %s", f.Code)
	}
	return fmt.Sprintf("%s (%s)", f.Message, f.Code)
}

// IsNoResults says whether an error is a desk's answer that nothing matches.
func IsNoResults(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Code == nlweb.CodeNoResults
}

// NotADesk is a response that is none of NLWeb's: that of a proxy, or of another kind of server.
type NotADesk struct {
	URL     string
	Status  int    // of HTTP
	Problem string // what is wrong with the response
}

// Error says what came instead of an answer.
func (e *NotADesk) Error() string {
	return fmt.Sprintf("%s did not answer as a front desk does (status %d %s): %s; is the address right?",
		e.URL, e.Status, http.StatusText(e.Status), e.Problem)
}

// Broken is a response that began and could not be read to its end.
type Broken struct {
	URL string
	Err error // ErrTooLarge, ErrSilent, ErrIncomplete or one of the connection
}

// Error says why.
func (e *Broken) Error() string { return fmt.Sprintf("the answer of %s broke off: %v", e.URL, e.Err) }

// Unwrap gives the cause.
func (e *Broken) Unwrap() error { return e.Err }

// Unreachable says that no response came.
type Unreachable struct {
	URL string
	Err error
}

// Error says why.
func (e *Unreachable) Error() string {
	return fmt.Sprintf("%s cannot be reached: %v; is a front desk running there?", e.URL, e.Err)
}

// Unwrap gives the cause.
func (e *Unreachable) Unwrap() error { return e.Err }

// The causes that an error of this package may have, for errors.Is.
var (
	// ErrTooLarge is an answer or event larger than Options allow.
	ErrTooLarge = errors.New("it is larger than this client reads")
	// ErrSilent is a desk that sent nothing for longer than Options.Silence.
	ErrSilent = errors.New("it stayed silent for too long")
	// ErrIncomplete is a stream that ended without its complete event.
	ErrIncomplete = errors.New("the stream ended before it was complete")
	// ErrPromised is what a Promise is, for errors.Is.
	ErrPromised = errors.New("the front desk promises an answer for later")
)

// Closest are the nearest items where nothing is an answer, as the front desk tells them beside its
// failure; nil for none.
func (f *Failure) Closest() (items []Result) {
	for i, raw := range f.Meta.Closest {
		if r, _, ok := result(i, jsontext.Value(raw)); ok {
			items = append(items, r)
		}
	}
	return items
}
