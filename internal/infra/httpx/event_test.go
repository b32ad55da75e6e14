package httpx

import (
	"context"
	"testing"
)

func TestEventKeepsTheLastValueOfEachName(t *testing.T) {
	t.Parallel()
	ctx, e := BeginEvent(context.Background())
	EventFrom(ctx).Set("results", 3)
	EventFrom(ctx).Set("kind", "answer")
	EventFrom(ctx).Set("results", 7)
	attrs := e.Attrs()
	if len(attrs) != 2 || attrs[0].Key != "results" || attrs[0].Value.Int64() != 7 {
		t.Errorf("got %v", attrs)
	}
	if e.Text("kind") != "answer" || e.Text("results") != "" || e.Text("none") != "" {
		t.Errorf("texts: %q, %q", e.Text("kind"), e.Text("results"))
	}
}

func TestWithoutEventNothingIsKept(t *testing.T) {
	t.Parallel()
	e := EventFrom(context.Background())
	e.Set("a", 1)
	if e.Attrs() != nil || e.Text("a") != "" {
		t.Errorf("got %v", e.Attrs())
	}
}
