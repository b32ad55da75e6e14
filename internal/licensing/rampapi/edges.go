package rampapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/published"
	"frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// EdgePath is where edges tell what they delivered.
const EdgePath = edge.Path

// EdgeConfig is what the handler of edges' batches needs.
type EdgeConfig struct {
	Keys *identity.EdgeKeys
	Now  func() time.Time
	// Wrong is told of a request that no edge has signed; its error is the answer where there were
	// too many of the address. Nil counts none.
	Wrong func(*http.Request) error
}

// Edges takes the batches of edges. What it answers with 200 is recorded for good, and the answer
// is signed with the edge's secret, so that nobody between the two can say so.
func Edges(d *delivery.Service, config EdgeConfig) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, id, key, err := config.told(d, w, r)
		if err != nil {
			refuseEdge(w, r, err)
			return
		}
		config.answer(w, id, key, text) // whom it does not reach tells again
	})
}

// GateRules tells edges how far the paths of a host of theirs are open, and to whom. The answer is
// signed as those of Edges are.
func GateRules(s *published.Service, config EdgeConfig) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, key, err := config.signed(w, r)
		if err == nil {
			noteEdge(r.Context(), key)
			err = config.tellRules(s, w, r, body, key)
		}
		if err != nil {
			refuseEdge(w, r, err)
		}
	})
}

func (c EdgeConfig) tellRules(s *published.Service, w http.ResponseWriter, r *http.Request, body []byte,
	key identity.EdgeKey) error {
	asked, err := edge.ReadGateRequest(body)
	if err != nil {
		return fail.New(fail.Invalid, "%v", err)
	}
	if asked.ID != r.Header.Get(sign.WebhookID) {
		return fail.New(fail.Invalid, "id: it is not that of the header %s", sign.WebhookID)
	}
	ctx, cancel := context.WithTimeout(r.Context(), policyTime)
	defer cancel()
	rules, err := s.GateRules(ctx, asked.Host, key.Sites)
	if err != nil {
		return err
	}
	text, err := json.Marshal(edge.GatePolicy{ID: asked.ID, Rules: rules})
	if err == nil {
		c.answer(w, asked.ID, key, text)
	}
	return err
}

// answer answers an edge, signed with its secret.
func (c EdgeConfig) answer(w http.ResponseWriter, id string, key identity.EdgeKey, text []byte) {
	now, header := c.Now(), w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set(sign.WebhookID, id)
	header.Set(sign.WebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(sign.WebhookSignature, key.Sign(id, now, text))
	_, _ = w.Write(text)
}

// refuseEdge tells an edge what is wrong with its request.
// noteEdge has the log tell which edge sent a request, and with which key.
func noteEdge(ctx context.Context, key identity.EdgeKey) {
	httpx.EventFrom(ctx).Set("party", "edge:"+key.Edge)
	httpx.EventFrom(ctx).Set("key", key.ID)
}

func refuseEdge(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, sign.ErrWebhookTime) {
		w.Header().Set(edge.ClockHeader, "apart")
	}
	WriteError(w, r, err)
}

// told takes a batch, and gives the text of the answer and the key that signs it.
func (c EdgeConfig) told(d *delivery.Service, w http.ResponseWriter, r *http.Request) (answer []byte, id string,
	key identity.EdgeKey, err error) {
	body, key, err := c.signed(w, r)
	if err != nil {
		return nil, "", key, err
	}
	ctx := r.Context()
	noteEdge(ctx, key)
	b, err := edge.Read(body)
	if err != nil {
		return nil, "", key, fail.New(fail.Invalid, "%v", err)
	}
	if b.ID != r.Header.Get(sign.WebhookID) {
		return nil, "", key, fail.New(fail.Invalid, "id: it is not that of the header %s", sign.WebhookID)
	}
	told, err := d.Delivered(ctx, delivery.Edge{Name: key.Edge, Sites: key.Sites}, b)
	if err != nil {
		return nil, "", key, err
	}
	e := httpx.EventFrom(ctx)
	e.Set("deliveries", told.Deliveries)
	e.Set("sightings", told.Sightings)
	if told.Stray > 0 {
		e.Set("stray", told.Stray)
	}
	answer, err = json.Marshal(edge.Taken{ID: b.ID, SHA256: edge.Digest(body), Deliveries: len(b.Deliveries),
		Sightings: len(b.Sightings)})
	return answer, b.ID, key, err
}

// signed reads a body, and gives the key that has signed it. Of who names no key that is good,
// nothing is read.
func (c EdgeConfig) signed(w http.ResponseWriter, r *http.Request) ([]byte, identity.EdgeKey, error) {
	h := r.Header
	m := identity.SignedMessage{Key: h.Get(edge.KeyHeader), ID: h.Get(sign.WebhookID),
		Timestamp: h.Get(sign.WebhookTimestamp), Signature: h.Get(sign.WebhookSignature)}
	known, err := c.Keys.Has(r.Context(), m.Key)
	if err == nil && !known {
		err = c.wrong(r,
			fail.New(fail.Unauthorized, "%s names no key of an edge that is good; `frontdesk keys issue edge NAME` "+
				"makes one", edge.KeyHeader))
	}
	if err != nil {
		return nil, identity.EdgeKey{}, err
	}
	if m.Body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, edge.MaxBatch)); err != nil {
		return nil, identity.EdgeKey{}, unread(r, err)
	}
	key, err := c.Keys.Verify(r.Context(), m)
	if err != nil && !errors.Is(err, sign.ErrWebhookTime) && fail.From(err).Code == fail.Unauthorized {
		err = c.wrong(r, err)
	}
	return m.Body, key, err
}

// wrong counts a request that no edge has signed, and gives what it is answered with.
func (c EdgeConfig) wrong(r *http.Request, answer error) error {
	if c.Wrong == nil {
		return answer
	}
	if err := c.Wrong(r); err != nil {
		return err
	}
	return answer
}
