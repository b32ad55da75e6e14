// Package httpx holds the few things that every protocol's handlers share: the log event of a
// request (Event), the choice of a media type (ChooseMedia), public JSON documents in ready bytes
// (Document), traces (Trace), and tools for agents as plain values (Tool).
//
// Tools are values so that handlers can offer their operations to package mcp without knowing its
// protocol, and mcp can serve them without knowing theirs. What goes into an Event may be read by
// whoever reads logs: counts, kinds, names of the owner's own things; never the text of a question,
// a secret, or anything that points to a person.
//
// The package must not know any protocol, and imports nothing of ours.
package httpx

import "context"

// Tool is an operation that agents may call.
type Tool struct {
	Name        string // unique among the tools of a server, such as "ask"
	Title       string // for people
	Description string // for models: what it does and when to use it
	Input       []byte // JSON Schema 2020-12 of the arguments, of type object
	Output      []byte // JSON Schema 2020-12 of Result.Object; nil for none
	// ReadOnly says that the tool changes nothing: calling it twice does no more than calling it
	// once.
	ReadOnly bool
	// OpenWorld says that the tool reaches beyond the data of this server.
	OpenWorld bool
	// Meta is what a list of tools says of it beside the protocol's own members, such as a widget
	// for its results; nil for nothing.
	Meta map[string]any
	// FillArguments puts a person's answers to the Form of a result, by the names of its fields,
	// into the arguments of the call that asked; state is the form's. Nil for a tool that asks
	// nothing.
	FillArguments func(arguments []byte, state string, answers map[string]any) []byte
	// Call does it. What goes wrong is a Result too: a failure in the words of the tool's own
	// protocol.
	Call func(context.Context, Call) Result
}

// Call is one call of a tool.
type Call struct {
	Arguments []byte // one JSON object as it came, or empty when none came
	// Progress reports how far the work is, in steps of any size, with a sentence about it; done
	// grows from call to call. It is nil when nobody listens.
	Progress func(done, total int, message string)
	// Languages are those that the caller's transport prefers, as an Accept-Language header writes
	// them; empty for none. What the arguments say of languages goes before it.
	Languages string
}

// Result is the outcome of a call.
type Result struct {
	Text    string // for a model to read ahead of the object; empty for none
	Object  []byte // the whole result, one JSON object
	Meta    []byte // the object's metadata, one JSON object
	IsError bool   // the tool could not do what was asked
	// Form is what has to be asked of a person before there is more than Object, which asks the
	// same; nil for nothing.
	Form *Form
}

// Form holds questions to a person, for clients that can ask them.
type Form struct {
	Message string // what it is about
	Schema  []byte // JSON Schema of an object: a property for each question, none of them nested
	State   string // for Fill; it goes out and comes back
}
