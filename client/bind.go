package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/document"
	"frontdesk/wire/intake"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Confirmed is an offer that a person accepted, with the data that the person authorized.
type Confirmed struct {
	offered *Offered
	data    strictjson.Value
	scopes  []intake.Scope
	at      time.Time
}

// Confirm says that the person accepted the offer just now, and authorized this data to be sent to
// the provider: a JSON object with all that the offer requires and nothing else, and no empty
// member. Scopes are what the person authorized besides binding. No offer can be bound without
// this call, and its time is sent along. Errors are of the type Unfit, or ErrExpired.
func (o *Offered) Confirm(data any, scopes ...intake.Scope) (*Confirmed, error) {
	offer := o.Response.Offer
	if offer.BindEndpoint == "" {
		return nil, errors.New("this offer cannot be bound: it is the answer")
	}
	if offer.Expired(o.provider.client.options.Now()) {
		return nil, ErrExpired
	}
	text, err := encoded(data)
	if err != nil {
		return nil, err
	}
	var fields map[string]strictjson.Value
	if err := strictjson.Decode(text, &fields); err != nil {
		return nil, &Unfit{[]intake.Violation{{Detail: "the data is no JSON object"}}}
	}
	var requires []string
	if offer.BindRequires != nil {
		requires = *offer.BindRequires
	}
	var found []intake.Violation
	for _, name := range (&intake.Bind{BindData: text}).Missing(requires) {
		found = append(found,
			intake.Violation{Pointer: document.Pointer(name), Detail: "is required, and missing or empty"})
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(requires, name) {
			found = append(found, intake.Violation{Pointer: document.Pointer(name),
				Detail: "is not what the offer requires; leave it out"})
		}
	}
	if len(found) > 0 {
		return nil, &Unfit{found}
	}
	c := &Confirmed{offered: o, data: text,
		scopes: append([]intake.Scope{intake.ScopeIntake, intake.ScopeOffer, intake.ScopeBind}, scopes...),
		at:     o.provider.client.options.Now()}
	slices.Sort(c.scopes)
	c.scopes = slices.Compact(c.scopes)
	if _, err := c.body(); err != nil {
		return nil, err
	}
	return c, nil
}

// body is the bind as it is sent.
func (c *Confirmed) body() ([]byte, error) {
	metadata, err := encoded(map[string]string{"user_confirmed_at": sign.FormatTime(c.at)})
	if err != nil {
		return nil, err
	}
	body, err := encoded(intake.Bind{
		OfferID: c.offered.Response.Offer.ID, SessionID: c.offered.Session, BindData: c.data,
		Agent: intake.Agent{ID: c.offered.provider.agent.ID, ConsentScope: c.scopes}, Metadata: metadata,
	})
	if err != nil {
		return nil, err
	}
	var problem *intake.Problem
	if _, err := intake.ReadBind(body, intake.Options{}); errors.As(err, &problem) {
		return nil, &Unfit{
			[]intake.Violation{{Pointer: strings.TrimPrefix(problem.Pointer, "/bind_data"), Detail: problem.Detail}},
		}
	}
	return body, nil
}

// BoundOffer is what a provider answered to a bind.
type BoundOffer struct {
	// Bound is the answer in our form. The protocol leaves it open: Bound is nil where it has
	// another, which Raw has.
	Bound *intake.Bound
	Raw   []byte
}

// BindOffer binds an offer that was confirmed. Errors are of the types Refused, NotAnIntake, Broken
// and Unreachable, ErrExpired, or the context's. An offer that is bound already by other data is a
// Refused with the status 409.
//
// What the provider had no time for (429, 503) is sent again. What broke off on its way is not,
// since the protocol does not say that a second bind does nothing: call it again with the same
// Confirmed where the provider is known to answer that with what it answered before, as Frontdesk
// does.
func (p *Provider) BindOffer(ctx context.Context, c *Confirmed) (*BoundOffer, error) {
	offer := c.offered.Response.Offer
	if offer.Expired(p.client.options.Now()) {
		return nil, ErrExpired
	}
	if c.offered.provider != p {
		return nil, errors.New("this offer is another provider's, or another agent's")
	}
	body, err := c.body()
	if err != nil {
		return nil, err
	}
	got, err := p.post(ctx, offer.BindEndpoint, body, false)
	if err != nil {
		return nil, err
	}
	var loose struct {
		Status string                      `json:"status"`
		Others map[string]strictjson.Value `json:",embed"`
	}
	unread := strictjson.DecodeTolerant(got.body, &loose)
	switch {
	case got.status >= 400 || unread == nil && loose.Status == string(intake.StatusError):
		response, _ := intake.ReadResponse(got.body, intake.Options{})
		return nil, got.refusal(response)
	case got.status < 200 || got.status > 299 || unread != nil:
		return nil, &NotAnIntake{got.address, got.status,
			oneFinding("the answer to the bind is no JSON object with a status of success",
				"ask the provider whether the offer is bound"), got.body}
	}
	bound, err := intake.ReadBound(got.body, intake.Options{})
	if err != nil {
		return &BoundOffer{Raw: got.body}, nil
	}
	if bound.OfferID != offer.ID || !intake.SameSession(bound.SessionID, c.offered.Session) {
		return nil, &NotAnIntake{http.MethodPost + " " + got.address, got.status,
			oneFinding("the answer is about another offer or session", "ask the provider whether the offer is bound"),
			got.body}
	}
	return &BoundOffer{bound, got.body}, nil
}

// newSession is a new UUID of version 4.
func newSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// encoded writes a value as JSON. What is JSON already stays as it is.
func encoded(value any) ([]byte, error) {
	if raw, ok := value.(strictjson.Value); ok {
		return bytes.Clone(raw), nil
	}
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("the data cannot be written as JSON: %w", err)
	}
	return text, nil
}

func sortedNames(members map[string]strictjson.Value) []string {
	return slices.Sorted(maps.Keys(members))
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

func isNumber(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}
