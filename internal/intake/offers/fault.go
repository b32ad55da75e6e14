package offers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/interpreter"

	"frontdesk/internal/infra/fail"
)

// fault is what went wrong with a rule, in words without anything of what was submitted.
type fault string

func (f fault) Error() string { return string(f) }

// ruleError is a rule that could not be followed.
type ruleError struct {
	where string // as a key path within the rules
	what  fault
}

func (e *ruleError) Error() string { return fmt.Sprintf("%s: %s", e.where, e.what) }

// faultsOfCEL are the beginnings of what CEL says when an expression fails, and what we say: its
// own texts hold values.
var faultsOfCEL = []struct {
	begins string
	fault  fault
}{
	{"division by zero", "it divides by zero"},
	{"modulus by zero", "it divides by zero"},
	{"integer overflow", "a whole number gets too large"},
	{"unsigned integer overflow", "a whole number gets too large"},
	{"timestamp overflow", "a time gets too large"},
	{"duration overflow", "a time span gets too large"},
	{"range error", "a number is too large to be converted"},
	{"no such key", "a key is not there; ask with `in` first"},
	{"no such attribute", "a member is not there; ask with has() first"},
	{"no such field", "a member is not there; ask with has() first"},
	{"index out of bounds", "a list has no element there; ask size() first"},
	{"index '", "a list has no element there; ask size() first"},
	{"no such overload", "a value is of another type than the rule expects"},
	{"unsupported", "a value is of another type than the rule expects"},
	{"type conversion error", "a value cannot be converted"},
	{"NaN values cannot be ordered", errInfinite},
	{"optional.none() dereference", "it reads what is not there; ask with hasValue() first, or write orValue(...)"},
}

// explain makes what failed while a rule was followed safe to be logged. A failure of what the rule
// asked for, such as the search, stays as it is.
func explain(where string, err error) error {
	var coded *fail.Error
	var ours *ruleError
	var known fault
	var cancelled interpreter.EvalCancelledError
	switch {
	case errors.As(err, &coded):
		return coded
	case errors.As(err, &ours):
		return ours
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &known):
		return &ruleError{where, known}
	case errors.As(err, &cancelled):
		return &ruleError{where, "it takes more steps than it may"}
	}
	for _, f := range faultsOfCEL {
		if strings.HasPrefix(err.Error(), f.begins) {
			return &ruleError{where, f.fault}
		}
	}
	return &ruleError{where, "the expression failed"}
}
