// Package repeats keeps a log from saying the same again and again. Enter by [New].
package repeats

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

// repeats keeps the log from saying the same again and again: of warnings and errors with the same
// cause it passes the first, and a minute later the last of those that came since, with how many
// they were. A cause is the message, the error's text and who tells of it, without the numbers in
// them, which are those of connections and ids. What has no cause is passed; so is a panic, each of
// which has its own stack.
type repeats struct {
	slog.Handler
	shared *repeated
	given  string // by With: part of each cause
}

// repeated is what the handlers of one log share.
type repeated struct {
	mu     sync.Mutex
	causes map[string]*repetition
}

// repetition is a cause of the last minute.
type repetition struct {
	times int // that were held back
	write func(times int)
	timer *time.Timer
}

// Each is how often what was held back of a cause is told.
const Each = time.Minute

// MaxCauses bounds what is remembered. Beyond it causes are told apart by their messages alone,
// which are the program's.
const MaxCauses = 1000

// New gives a handler that holds back what repeats itself, and passes the rest to the one below.
func New(below slog.Handler) slog.Handler {
	return &repeats{Handler: below, shared: &repeated{causes: map[string]*repetition{}}}
}

// WithAttrs implements slog.Handler.
func (h *repeats) WithAttrs(attrs []slog.Attr) slog.Handler {
	given := h.given
	for _, a := range attrs {
		given += "\x00" + a.Key + "=" + a.Value.String()
	}
	return &repeats{h.Handler.WithAttrs(attrs), h.shared, given}
}

// WithGroup implements slog.Handler.
func (h *repeats) WithGroup(name string) slog.Handler {
	return &repeats{h.Handler.WithGroup(name), h.shared, h.given + "\x00" + name}
}

// Handle implements slog.Handler.
func (h *repeats) Handle(ctx context.Context, r slog.Record) error {
	cause := h.cause(r)
	if cause == "" {
		return h.Handler.Handle(ctx, r)
	}
	if h.shared.holds(cause, r, func(times int) {
		last := r.Clone()
		last.AddAttrs(slog.Int("times", times))
		_ = h.Handler.Handle(context.WithoutCancel(ctx), last) // a log that cannot be written has nobody to tell
	}) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// causal are the attributes that tell what went wrong, and whose it is.
var causal = map[string]bool{
	"error": true, "reason": true, "failure": true, "code": true,
	"route": true, "status": true, "method": true, "site": true, "source": true,
}

// cause tells what a record is about; empty for what is passed in any case.
func (h *repeats) cause(r slog.Record) string {
	if r.Level < slog.LevelWarn {
		return ""
	}
	key, known := r.Level.String()+"\x00"+r.Message+h.given, false
	r.Attrs(func(a slog.Attr) bool {
		switch {
		case a.Key == "stack" || a.Key == "times": // the latter are told once a minute as it is
			known, key = false, ""
			return false
		case causal[a.Key]:
			known = known || a.Key == "error" || a.Key == "status"
			key += "\x00" + a.Key + "=" + unnumbered(a.Value.String())
		}
		return true
	})
	if !known {
		return ""
	}
	return key
}

// unnumbered is a text with # for each number, but for a status, which is three digits alone.
func unnumbered(text string) string {
	if _, err := strconv.Atoi(text); err == nil {
		return text
	}
	var b strings.Builder
	within := false
	for _, c := range text {
		digit := c >= '0' && c <= '9'
		switch {
		case !digit:
			b.WriteRune(c)
		case !within:
			b.WriteByte('#')
		}
		within = digit
	}
	return b.String()
}

// holds says whether a record is held back, to be written in its minute.
func (s *repeated) holds(cause string, r slog.Record, write func(times int)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.causes[cause]
	if known == nil && len(s.causes) >= MaxCauses {
		cause = r.Message
		known = s.causes[cause]
	}
	if known == nil {
		known = &repetition{}
		s.causes[cause] = known
		known.timer = time.AfterFunc(Each, func() { s.tell(cause) })
		return false
	}
	known.times++
	known.write = write
	return true
}

// tell writes what was held back of a cause, and forgets a cause of which there was nothing.
func (s *repeated) tell(cause string) {
	s.mu.Lock()
	known := s.causes[cause]
	if known == nil {
		s.mu.Unlock()
		return
	}
	times, write := known.times, known.write
	if times == 0 {
		delete(s.causes, cause)
		s.mu.Unlock()
		return
	}
	known.times, known.write = 0, nil
	known.timer.Reset(Each)
	s.mu.Unlock()
	write(times)
}

// Tell writes all that a log holds back, before its process ends.
func Tell(log *slog.Logger) {
	h, ok := log.Handler().(*repeats)
	if !ok {
		return
	}
	h.shared.mu.Lock()
	var all []string
	for cause := range h.shared.causes {
		all = append(all, cause)
	}
	h.shared.mu.Unlock()
	for _, cause := range all {
		h.shared.tell(cause)
	}
}
