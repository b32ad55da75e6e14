package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"frontdesk/internal/content/ingest"
)

// progress shows how far a run is, on one line of a terminal that is written over. Elsewhere it shows nothing: the
// table at the end says it all.
type progress struct {
	out  io.Writer // nil shows nothing
	now  func() time.Time
	mu   sync.Mutex
	last time.Time
	open bool // there is an unfinished line
}

// redrawEvery is how often the line is written.
const redrawEvery = 100 * time.Millisecond

func newProgress(env *environment) *progress {
	p := &progress{now: time.Now}
	if isTerminal(env.stderr) {
		p.out = env.stderr
	}
	return p
}

// isTerminal says whether what is read from or written to is one.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// update is told by the run, from any goroutine.
func (p *progress) update(at ingest.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil || !at.Done && p.now().Sub(p.last) < redrawEvery {
		return
	}
	p.last, p.open = p.now(), true
	fmt.Fprintf(p.out, "\r\033[K%s", shorten(line(at), 100))
}

// line is a run in words: "recipes: 1234 of 5678 files, 8901 items, 12 skipped, 4500/s, 3s left".
func line(at ingest.Progress) string {
	text := fmt.Sprintf("%s: %d of %d files, %d items", clean(at.Source), at.FilesDone, at.Files, at.Kept)
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

// end clears the line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		fmt.Fprint(p.out, "\r\033[K")
		p.open = false
	}
}
