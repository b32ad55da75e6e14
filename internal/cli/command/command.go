// Package command has what the commands of the command line share: what they see of the world, the
// flags that choose the configuration, opening the database without a server, and how results,
// errors and progress are printed.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
)

// Environment is what a command sees of the world.
type Environment struct {
	Ctx            context.Context
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            []string
}

// Print writes to standard output.
func (e *Environment) Print(format string, args ...any) { fmt.Fprintf(e.Stdout, format, args...) }

// tokenVariable is where a token can be without being seen in the list of processes.
const tokenVariable = "FRONTDESK_TOKEN="

// Token is the one given by a flag, or that of the environment.
func (e *Environment) Token(flag string) string {
	if flag != "" {
		return flag
	}
	for _, variable := range e.Env {
		if token, ok := strings.CutPrefix(variable, tokenVariable); ok {
			return token
		}
	}
	return ""
}

// UsageError is a mistake in how a command was called.
type UsageError struct{ message string }

func (e UsageError) Error() string { return e.message }

// Usage is an error of that kind.
func Usage(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// Misused is a mistake in what an operation is told, as one in how its command was called.
func Misused(err error) error {
	var of *operator.FieldError
	if errors.As(err, &of) {
		return Usage("--%s %s", of.Field, of.Problem)
	}
	return Usage("%s", Explained(err))
}

// ErrTold is a failure that was told already.
var ErrTold = errors.New("")

// Explained is an error's text for the owner, who may know the cause and has no use for codes.
func Explained(err error) string {
	var coded *fail.Error
	if !errors.As(err, &coded) {
		return err.Error()
	}
	if cause := coded.Unwrap(); cause != nil && !strings.Contains(coded.Detail, cause.Error()) {
		return fmt.Sprintf("%s (%v)", coded.Detail, cause)
	}
	return coded.Detail
}

// IsNotFound says whether an error is that there is no such thing.
func IsNotFound(err error) bool { return err != nil && fail.From(err).Code == fail.NotFound }

// Table begins a table for people.
func (e *Environment) Table(heads ...string) *tabwriter.Writer {
	table := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(heads, "\t"))
	return table
}
