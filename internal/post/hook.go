package post

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/fetch"
	"frontdesk/wire/sign"
)

// Hook is an address of the owner's that gets signed requests. Its fields are set; it may be used from many goroutines.
type Hook struct {
	URL    string
	Secret sign.WebhookSecret
	// Fetcher is the way there. The address may be on this machine, since the owner typed it.
	Fetcher *fetch.Fetcher
	Now     func() time.Time
}

// MaxAnswer is the most bytes of an answer that are taken.
const MaxAnswer = 64 << 10

// Post sends a body of JSON under an id by which whoever gets it twice can tell, and gives what it is answered with,
// whatever its status. The error is that of [fetch.Fetcher.Post].
func (h *Hook) Post(ctx context.Context, id string, body []byte) (*fetch.Response, error) {
	now := h.Now()
	return h.Fetcher.Post(ctx, fetch.Request{
		URL: h.URL, Own: true, MaxBytes: MaxAnswer,
		Header: http.Header{
			"Content-Type":        {"application/json"},
			"Accept":              {"application/json"},
			sign.WebhookID:        {id},
			sign.WebhookTimestamp: {strconv.FormatInt(now.Unix(), 10)},
			sign.WebhookSignature: {h.Secret.Sign(id, now, body)},
		},
	}, body)
}
