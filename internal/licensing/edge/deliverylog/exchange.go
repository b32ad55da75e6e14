package deliverylog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// Exchange is where batches are handed over to by HTTP. Its fields are set; it may be used from
// many goroutines.
type Exchange struct {
	// URL is the Exchange's address for batches, such as
	// "https://desk.example/exchange/v1/deliveries".
	URL string
	// Key is the id of the edge's key, and Secret its secret part, as `frontdesk keys issue edge`
	// shows them.
	Key    string
	Secret sign.WebhookSecret
	// Fetcher is the way there. The address may be on this machine, since the owner typed it.
	Fetcher *fetch.Fetcher
	Now     func() time.Time

	ahead atomic.Int64 // by how many nanoseconds the Exchange's clock is ahead of this one's, as far as that matters
}

// maxTaken bounds an answer.
const maxTaken = 64 << 10

// Ship is Config.Ship: it returns nil when the Exchange says, signed with the secret that both
// sides have, that it has taken just this batch.
func (x *Exchange) Ship(ctx context.Context, b edge.Batch) error {
	text, err := b.Text()
	if err != nil {
		return fmt.Errorf("%w: %v", ErrRefused, err)
	}
	answer, err := x.post(ctx, x.URL, b.ID, text, maxTaken)
	if err != nil {
		return err
	}
	switch {
	case answer.Status == http.StatusOK:
		return x.taken(b, text, answer)
	case answer.Status == http.StatusUnauthorized && x.adjust(answer.Header):
		return fmt.Errorf("the Exchange's clock is apart from this one's; the batch is told again by its clock")
	case answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden:
		return fmt.Errorf("the Exchange does not know the key %s, or it has another secret; see `frontdesk keys "+
			"list` there", x.Key)
	case answer.Status == http.StatusBadRequest || answer.Status == http.StatusUnprocessableEntity ||
		answer.Status == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w with status %d", ErrRefused, answer.Status)
	}
	return fmt.Errorf("the Exchange answered with status %d", answer.Status)
}

// post sends a text, signed under an id.
func (x *Exchange) post(ctx context.Context, url, id string, text []byte, most int64) (*fetch.Response, error) {
	at := x.Now().Add(time.Duration(x.ahead.Load()))
	answer, err := x.Fetcher.Post(ctx, fetch.Request{
		URL: url, Own: true, MaxBytes: most,
		Header: http.Header{
			"Content-Type":        {"application/json"},
			"Accept":              {"application/json"},
			edge.KeyHeader:        {x.Key},
			sign.WebhookID:        {id},
			sign.WebhookTimestamp: {strconv.FormatInt(at.Unix(), 10)},
			sign.WebhookSignature: {x.Secret.Sign(id, at, text)},
		},
	}, text)
	if err != nil {
		err = fmt.Errorf("the Exchange cannot be reached: %w", err)
	}
	return answer, err
}

// proven says whether an answer is signed with the secret that both sides have, under an id.
func (x *Exchange) proven(id string, answer *fetch.Response) error {
	h, now := answer.Header, x.Now().Add(time.Duration(x.ahead.Load()))
	if h.Get(sign.WebhookID) != id {
		return errors.New("it is an answer to something else")
	}
	return x.Secret.Verify(id, h.Get(sign.WebhookTimestamp), h.Get(sign.WebhookSignature), answer.Body, now, edge.Apart)
}

// ErrNotTold is that an Exchange tells this edge nothing of whom paths are for: it does not know
// how, or it does not know the edge.
var ErrNotTold = errors.New("the Exchange does not tell whom paths are for")

// Policy asks for the policy of a host: its text, which the Exchange has signed.
func (x *Exchange) Policy(ctx context.Context, id, host string) ([]byte, error) {
	text, err := json.Marshal(edge.GateRequest{ID: id, Host: host})
	if err != nil {
		return nil, err
	}
	answer, err := x.post(ctx, strings.TrimSuffix(x.URL, edge.Path)+edge.PolicyPath, id, text, edge.MaxPolicy)
	switch {
	case err != nil:
		return nil, err
	case answer.Status == http.StatusOK:
		return answer.Body, x.proven(id, answer)
	case answer.Status == http.StatusUnauthorized && x.adjust(answer.Header):
		return nil, errors.New("the Exchange's clock is apart from this one's; it is asked again by its clock")
	case slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusNotImplemented}, answer.Status):
		return nil, ErrNotTold
	}
	return nil, fmt.Errorf("the Exchange answered with status %d", answer.Status)
}

// taken says whether an answer is that the batch was taken.
func (x *Exchange) taken(b edge.Batch, text []byte, answer *fetch.Response) error {
	if err := x.proven(b.ID, answer); err != nil {
		return fmt.Errorf("what answered says that the batch is taken and is not the Exchange, or does not know the "+
			"secret: %w", err)
	}
	got, err := edge.ReadTaken(answer.Body)
	if err != nil {
		return fmt.Errorf("the Exchange's answer cannot be read: %w", err)
	}
	if got.ID != b.ID || got.SHA256 != edge.Digest(text) ||
		got.Deliveries != len(b.Deliveries) || got.Sightings != len(b.Sightings) {
		return fmt.Errorf("the Exchange's answer is to another batch than the one that was told")
	}
	return nil
}

// adjust takes the Exchange's clock for what is signed next, and says whether it is apart from this
// one's.
func (x *Exchange) adjust(h http.Header) bool {
	if !strings.EqualFold(h.Get(edge.ClockHeader), "apart") {
		return false
	}
	theirs, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return false
	}
	x.ahead.Store(int64(theirs.Sub(x.Now())))
	return true
}
