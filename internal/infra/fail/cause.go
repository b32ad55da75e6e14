package fail

import "errors"

// Cause is a word for what an error comes of. The console tells it in its reader's language. It is
// that of the first error in its chain with a method Cause, or else the Code of its Error; empty
// where it has neither.
func Cause(err error) string {
	var named interface{ Cause() string }
	if errors.As(err, &named) {
		return named.Cause()
	}
	var coded *Error
	if errors.As(err, &coded) {
		return string(coded.Code)
	}
	return ""
}

// Caused is an error with its cause.
func Caused(cause string, err error) error { return &caused{err, cause} }

type caused struct {
	error
	cause string
}

func (c *caused) Cause() string { return c.cause }
func (c *caused) Unwrap() error { return c.error }
