// Package httpx is the one structured log event of a request. The server makes it, every room that
// learns something on the way adds to it, and the server writes it once, when the request is done.
//
// It is a leaf: every room may import it. What goes in may be read by whoever reads logs: counts,
// kinds, names of the owner's own things. Never the text of a question, a secret, or anything that
// points to a person.
package httpx

import (
	"context"
	"log/slog"
	"sync"
)

// Event collects what is learnt about one request. A nil Event takes everything and keeps nothing,
// so that rooms need not ask whether there is one. It may be used from many goroutines.
type Event struct {
	mu    sync.Mutex
	attrs []slog.Attr
	trace Trace
}

type key struct{}

// BeginEvent gives a context that carries a new event, and the event.
func BeginEvent(ctx context.Context) (context.Context, *Event) {
	e := &Event{attrs: make([]slog.Attr, 0, 8)}
	return context.WithValue(ctx, key{}, e), e
}

// EventFrom gives the context's event, nil if it carries none.
func EventFrom(ctx context.Context) *Event {
	e, _ := ctx.Value(key{}).(*Event)
	return e
}

// Set notes a value under a name. The last value of a name counts.
func (e *Event) Set(name string, value any) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.attrs {
		if e.attrs[i].Key == name {
			e.attrs[i].Value = slog.AnyValue(value)
			return
		}
	}
	e.attrs = append(e.attrs, slog.Any(name, value))
}

// Text gives a value that was noted as a text, and "" for any other.
func (e *Event) Text(name string) string {
	for _, a := range e.Attrs() {
		if a.Key == name && a.Value.Kind() == slog.KindString {
			return a.Value.String()
		}
	}
	return ""
}

// Attrs gives all that was noted, in the order in which the names came up.
func (e *Event) Attrs() []slog.Attr {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]slog.Attr(nil), e.attrs...)
}
