package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content/ingest"
)

func TestProgressTellsRateAndTimeLeft(t *testing.T) {
	t.Parallel()
	at := ingest.Progress{Source: "shop\x1b", Files: 10, FilesDone: 2, Bytes: 1000, BytesDone: 250, Kept: 600,
		Skipped: 3, Elapsed: 2 * time.Second}
	if got, want := line(at), "shop: 2 of 10 files, 600 items, 3 skipped, 300/s, 6s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	at.Done = true
	if got := line(at); strings.Contains(got, "left") {
		t.Errorf("a run that is done: %q", got)
	}
}

func TestProgressIsShownOnATerminalOnly(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&Environment{Stderr: &out})
	p.Update(ingest.Progress{Source: "shop"})
	p.End()
	if out.Len() > 0 {
		t.Errorf("a file got %q", out.String())
	}
	now := time.Now()
	p = &Progress{out: &out, now: func() time.Time { return now }}
	for range 5 { // within a moment it is written once
		p.Update(ingest.Progress{Source: "shop"})
	}
	if n := strings.Count(out.String(), "shop"); n != 1 {
		t.Errorf("written %d times", n)
	}
	p.End()
	if !strings.HasSuffix(out.String(), "\r\033[K") {
		t.Errorf("the line is not cleared: %q", out.String())
	}
}
