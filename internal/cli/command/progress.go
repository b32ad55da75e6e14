package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"frontdesk/client"
	"frontdesk/internal/content/ingest"
)

// Promise shows how far a promise is, as update does of a run.
func (p *Progress) Promise(at *client.Promise) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil {
		return
	}
	p.last, p.open = p.now(), true
	fmt.Fprintf(p.out, "\r\033[K%s", Shorten(PromiseLine(at), 100))
}

// PromiseLine is a promise in words: "The answer is being worked on. 40 % done, 12s left".
func PromiseLine(at *client.Promise) string {
	text := Clean(at.Message)
	if text == "" {
		text = "The answer is being worked on."
	}
	text += fmt.Sprintf(" %.0f %% done", 100*at.Progress)
	if at.Left > 0 {
		text += fmt.Sprintf(", %s left", at.Left.Round(time.Second))
	}
	return text
}

// Progress shows how far a run is, on one line of a terminal that is written over. Elsewhere it
// shows nothing: the table at the end says it all.
type Progress struct {
	out  io.Writer // nil shows nothing
	now  func() time.Time
	mu   sync.Mutex
	last time.Time
	open bool // there is an unfinished line
}

// redrawEvery is how often the line is written.
const redrawEvery = 100 * time.Millisecond

// NewProgress makes one, which draws on a terminal alone.
func NewProgress(env *Environment) *Progress {
	p := &Progress{now: time.Now}
	if IsTerminal(env.Stderr) {
		p.out = env.Stderr
	}
	return p
}

// IsTerminal says whether what is read from or written to is one.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Update is told by the run, from any goroutine.
func (p *Progress) Update(at ingest.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil || !at.Done && p.now().Sub(p.last) < redrawEvery {
		return
	}
	p.last, p.open = p.now(), true
	fmt.Fprintf(p.out, "\r\033[K%s", Shorten(line(at), 100))
}

// line is a run in words: "recipes: 1234 of 5678 files, 8901 items, 12 skipped, 4500/s, 3s left".
func line(at ingest.Progress) string {
	text := fmt.Sprintf("%s: %d of %d files, %d items", Clean(at.Source), at.FilesDone, at.Files, at.Kept)
	if at.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", at.Skipped)
	}
	if seconds := at.Elapsed.Seconds(); seconds > 0.2 {
		text += fmt.Sprintf(", %.0f/s", float64(at.Kept)/seconds)
	}
	if left, ok := timeLeft(at); ok {
		text += fmt.Sprintf(", %s left", left)
	}
	return text
}

// timeLeft guesses by the bytes that were read so far.
func timeLeft(at ingest.Progress) (time.Duration, bool) {
	if at.Done || at.BytesDone <= 0 || at.Bytes <= at.BytesDone || at.Elapsed < time.Second {
		return 0, false
	}
	rest := float64(at.Bytes-at.BytesDone) / float64(at.BytesDone)
	return time.Duration(rest * float64(at.Elapsed)).Round(time.Second), true
}

// End clears the line.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		fmt.Fprint(p.out, "\r\033[K")
		p.open = false
	}
}
