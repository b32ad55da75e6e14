package client

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// firstWait is how long the first retry waits when the desk does not say; each further one waits
// twice as long.
const firstWait = 500 * time.Millisecond

// again says whether to ask once more, and how long to wait before.
func (c *Client) again(ctx context.Context, response *reply, attempt int) (wait time.Duration, again bool) {
	if !noTime(response.status) {
		return 0, false
	}
	return c.patience(ctx, retryAfter(response.header), attempt)
}

// noTime says of a status that the other side has no time.
func noTime(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// patience says whether there is time for one more attempt, and how long to wait before it. asked
// is how long the other side wants to be left alone, 0 where it did not say.
func (c *Client) patience(ctx context.Context, asked time.Duration, attempt int) (wait time.Duration, again bool) {
	if attempt >= c.options.Retries || asked > c.options.MaxWait {
		return 0, false
	}
	wait = asked
	if wait == 0 {
		wait = min(firstWait<<min(attempt, 20), c.options.MaxWait)
		wait = wait/2 + rand.N(wait/2+1)
	} else {
		wait += rand.N(wait/8 + 1) // or all who were turned away together would come back together
	}
	if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < wait {
		return 0, false
	}
	return wait, true
}

// retryAfter reads Retry-After (RFC 9110 §10.2.3), 0 where it says nothing.
func retryAfter(header http.Header) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if when, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(when))
	}
	return 0
}

// sleep waits, or ends with the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// watch ends a request whose desk stays silent. Its clock runs while somebody waits for the desk,
// and not while the caller is busy with what came.
type watch struct {
	ctx     context.Context
	outer   context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	silence time.Duration
}

func newWatch(outer context.Context, silence time.Duration) *watch {
	w := &watch{outer: outer, silence: silence}
	w.ctx, w.cancel = context.WithCancelCause(outer)
	w.timer = time.AfterFunc(silence, func() { w.cancel(ErrSilent) })
	return w
}

// cause is why something failed: the watch's own reason or the caller's, where there is one.
func (w *watch) cause(err error) error {
	switch {
	case errors.Is(context.Cause(w.ctx), ErrSilent):
		return ErrSilent
	case w.outer.Err() != nil:
		return context.Cause(w.outer)
	}
	return err
}

// end stops the clock and lets the request go.
func (w *watch) end() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// over watches a response's body from here on, and gives at most so many bytes of it.
func (w *watch) over(body io.ReadCloser, most int64) *watched {
	w.timer.Stop()
	return &watched{watch: w, body: body, left: most}
}

// watched is a body that is read under a watch.
type watched struct {
	*watch
	body io.ReadCloser
	left int64
}

// Read reads on; its error is ErrTooLarge, ErrSilent or the context's where that is the cause.
func (b *watched) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 { // one more, so that the end just there is seen
		p = p[:b.left+1]
	}
	b.timer.Reset(b.silence)
	n, err := b.body.Read(p)
	b.timer.Stop()
	if b.left -= int64(n); b.left < 0 {
		return n - 1, ErrTooLarge
	}
	if err != nil && err != io.EOF {
		err = b.cause(err)
	}
	return n, err
}

// Close lets the response go.
func (b *watched) Close() error {
	b.end()
	return b.body.Close()
}

// What finish reads, and how long, so that the connection can be kept for the next question.
const (
	maxDrained = 64 << 10
	maxDrain   = time.Second
)

// finish reads the little that is left, and lets the response go.
func (b *watched) finish() {
	b.silence, b.left = maxDrain, maxDrained
	_, _ = io.Copy(io.Discard, b)
	b.Close()
}
