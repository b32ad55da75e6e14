package httpx

import (
	"context"
	"strings"
	"testing"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestATraceGoesOnWithASpanOfOurs(t *testing.T) {
	t.Parallel()
	ctx, e := BeginEvent(context.Background())
	if got := Traceparent(ctx); got != "" {
		t.Errorf("without a trace: %q", got)
	}
	trace, ok := ParseTrace(parent)
	if !ok || trace.ID != "0af7651916cd43dd8448eb211c80319c" || trace.Parent != "b7ad6b7169203331" ||
		trace.Flags != "01" {
		t.Fatalf("%+v, %t", trace, ok)
	}
	e.SetTrace(trace)
	got := Traceparent(ctx)
	if !strings.HasPrefix(got, "00-0af7651916cd43dd8448eb211c80319c-") || !strings.HasSuffix(got, "-01") ||
		strings.Contains(got, trace.Parent) {
		t.Errorf("others are told %q", got)
	}
	if e.Text("trace") != trace.ID || e.Text("span") != trace.Span {
		t.Errorf("the log has %v", e.Attrs())
	}
}

func TestWhatIsNoTraceIsNone(t *testing.T) {
	t.Parallel()
	if _, ok := ParseTrace(strings.Replace(parent, "00-", "01-", 1) + "-more"); !ok {
		t.Error("what a version to come adds makes it unreadable")
	}
	for _, header := range []string{
		"", "x", parent + "-more", strings.ToUpper(parent), strings.Replace(parent, "00-", "ff-", 1), parent[:54],
		"00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
	} {
		if _, ok := ParseTrace(header); ok {
			t.Errorf("%q was taken for a trace", header)
		}
	}
}

func FuzzParseTrace(f *testing.F) {
	f.Add(parent)
	f.Fuzz(func(t *testing.T, header string) {
		trace, ok := ParseTrace(header)
		if !ok {
			return
		}
		if again, ok := ParseTrace(trace.String()); !ok || again.ID != trace.ID || again.Parent != trace.Span ||
			len(trace.String()) != 55 {
			t.Fatalf("%q became %q", header, trace)
		}
	})
}
