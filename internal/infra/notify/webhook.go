package notify

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/sign"
)

// Webhook is an address of the owner's that receives signed requests. It may be used from many
// goroutines; its fields must not change.
type Webhook struct {
	URL    string
	Secret sign.WebhookSecret // nil signs nothing
	// Fetcher is the way there. The address may be on this machine, since the owner typed it.
	Fetcher *fetch.Fetcher
	Now     func() time.Time
	// StatusOnly reads nothing of what is answered but the status.
	StatusOnly bool
}

// MaxResponse bounds how many bytes of a response are read.
const MaxResponse = 64 << 10

// Post sends a body of JSON under an id by which whoever gets it twice can tell, and gives what it
// is answered with, whatever its status. The error is that of [fetch.Fetcher.Post].
func (h *Webhook) Post(ctx context.Context, id string, body []byte) (*fetch.Response, error) {
	now := h.Now()
	request := fetch.Request{
		URL: h.URL, Own: true, MaxBytes: MaxResponse,
		Header: http.Header{
			"Content-Type":        {"application/json"},
			"Accept":              {"application/json"},
			sign.WebhookID:        {id},
			sign.WebhookTimestamp: {strconv.FormatInt(now.Unix(), 10)},
		},
	}
	if h.Secret != nil {
		request.Header[sign.WebhookSignature] = []string{h.Secret.Sign(id, now, body)}
	}
	if h.StatusOnly {
		request.MaxBytes, request.Truncate = 1, true
	}
	return h.Fetcher.Post(ctx, request, body)
}
