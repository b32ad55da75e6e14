package httpx

import (
	"context"
	"log/slog"
	"sync"
)

// Event is the log event of one request: whoever learns something adds it, and the server logs it
// once at the end. A nil Event drops everything, so that callers need not check. It may be used
// from many goroutines.
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

// Set adds a value under a name. A later value replaces an earlier one.
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
	if e == nil {
		return ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, a := range e.attrs {
		if a.Key == name && a.Value.Kind() == slog.KindString {
			return a.Value.String()
		}
	}
	return ""
}

// Attrs returns all values, in the order in which their names were first set.
func (e *Event) Attrs() []slog.Attr {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]slog.Attr(nil), e.attrs...)
}
