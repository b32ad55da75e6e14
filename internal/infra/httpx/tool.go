// Package httpx says what a tool for agents is, as a plain value: a name, words that tell a model
// when to use it, a schema of its arguments, and a function. Doors make tools of their operations,
// and mcp offers them in its protocol, so that neither needs to know the other.
//
// It is a leaf: it imports nothing of ours and no protocol's library.
package httpx

import "context"

// Tool is one tool.
type Tool struct {
	Name        string // unique among the tools of a server, such as "ask"
	Title       string // for people
	Description string // for models: what it does and when to use it
	Input       []byte // JSON Schema 2020-12 of the arguments, of type object
	Output      []byte // JSON Schema 2020-12 of Result.Object; nil for none
	// ReadOnly says that the tool changes nothing, so that calling it again does no more than
	// calling it once.
	ReadOnly bool
	// OpenWorld says that the tool reaches beyond what this server keeps.
	OpenWorld bool
	// Meta is what a list of tools says of it beside the protocol's own members, such as a widget
	// for its results; nil for nothing.
	Meta map[string]any
	// Fill puts a person's answers to the Form of a result, by the names of its fields, into the
	// arguments of the call that asked; state is the form's. Nil for a tool that asks nothing.
	Fill func(arguments []byte, state string, answers map[string]any) []byte
	// Call does it. What goes wrong is a Result too: a failure in the words of the tool's own
	// protocol.
	Call func(context.Context, Call) Result
}

// Call is one use of a tool.
type Call struct {
	Arguments []byte // one JSON object as it came, or empty when none came
	// Progress takes how far the work is, in steps of any size, and a sentence about it; done grows
	// from call to call. It is nil when nobody wants to know.
	Progress func(done, total int, message string)
	// Languages are those that the caller's transport prefers, as an Accept-Language header writes
	// them; empty for none. What the arguments say of languages goes before it.
	Languages string
}

// Result is what came of a call.
type Result struct {
	Text   string // for a model to read ahead of the object; empty for none
	Object []byte // the whole result, one JSON object
	Meta   []byte // the object's metadata, one JSON object
	Failed bool   // the tool could not do what was asked
	// Form is what has to be asked of a person before there is more than Object, which asks the
	// same; nil for nothing.
	Form *Form
}

// Form are questions to a person, which some clients can put.
type Form struct {
	Message string // what it is about
	Schema  []byte // JSON Schema of an object: a property for each question, none of them nested
	State   string // for Fill; it goes out and comes back
}
