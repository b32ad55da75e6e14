package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/intent"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Retrieval is a request for passages, in answer to a person's request that happens now.
type Retrieval struct {
	Domain     string   // what is asked about, such as finance.markets
	Subdomain  string   // may be empty
	Confidence *float64 // in the domain, 0 to 1; nil is not told
	Language   string   // of the conversation, such as en-US, which is what "" is
	Country    string   // where the person is, such as US; may be empty
	Placement  string   // where the answer is shown; may be empty
	Session    string   // the conversation, which names no person; "" is one of its own
	Turn       int      // within the conversation, from 0
	Query      string   // what is asked, in words; may be empty
	// Latency is how long the answer may take, as the publisher is told; 0 is what the context's
	// deadline leaves, if it has one.
	Latency    time.Duration
	Extensions intent.Extensions
}

// Passages are what a publisher gave. They are for the one request that they were asked for: the
// declaration's mode is live_only, its storage none.
type Passages struct {
	Request intent.RetrieveRequest  // as it was sent
	Answer  intent.RetrieveResponse // with Content
	Signed  bool                    // the answer was signed, and the signature is right
	Doubts  intent.Findings         // that do not make the answer invalid
	Raw     []byte                  // the answer as it came
}

// Retrieve asks for passages. Errors are of the types Denied, Failed, Invalid, Broken and
// Unreachable, ErrForged or ErrUnsigned, or the context's.
//
// An attempt that failed on its way, or that the publisher had no time for (429, 500, 502, 503,
// 504), is made again, with the same request_id and the same body: a publisher that had answered
// already gives that answer again. An answer that breaks the protocol, with more passages than were
// declared or with a wrong signature, is an error and no answer.
func (p *Publisher) Retrieve(ctx context.Context, r Retrieval) (*Passages, error) {
	e := p.declaration.Endpoints
	if open, whyNot := p.declaration.Open(p.client.options.Now()); !open {
		return nil, &Denied{Reason: intent.ReasonAccessDisabled, Message: whyNot}
	}
	if e == nil || e.Retrieve == nil {
		return nil, &Denied{Reason: intent.ReasonUnsupported, Message: "the declaration names no address for requests"}
	}
	request := p.request(ctx, r)
	body, err := json.Marshal(request, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("the request cannot be written as JSON: %w", err)
	}
	if found := intent.Check(intent.KindRequest, body,
		intent.Options{Versions: []string{p.declaration.Version}}); !found.Valid() {
		return nil, fmt.Errorf("the request is not valid: %s", found.First())
	}
	sent, err := p.signed(ctx, http.MethodPost, e.Retrieve.URL, body)
	if err != nil {
		return nil, err
	}
	return p.passages(request, sent)
}

// request writes a retrieval down.
func (p *Publisher) request(ctx context.Context, r Retrieval) intent.RetrieveRequest {
	request := intent.RetrieveRequest{
		Version: p.declaration.Version, RequestID: "req_" + random(),
		Timestamp: sign.FormatTime(p.client.options.Now()),
		Platform: intent.Platform{ID: p.platform.ID, Software: p.platform.Software,
			SoftwareVersion: p.platform.SoftwareVersion},
		Intent:  intent.Intent{Domain: r.Domain, Subdomain: r.Subdomain, Confidence: r.Confidence},
		Context: intent.Context{Language: r.Language, Placement: r.Placement},
		Runtime: intent.Runtime{SessionID: r.Session, TurnIndex: r.Turn, QueryText: r.Query,
			LatencyBudgetMS: int(r.Latency.Milliseconds())},

		Extensions: r.Extensions,
	}
	if r.Language == "" {
		request.Context.Language = "en-US"
	}
	if r.Country != "" {
		request.Context.Geography = &intent.Geography{Country: r.Country}
	}
	if r.Session == "" {
		request.Runtime.SessionID = "s_" + random()
	}
	if deadline, bounded := ctx.Deadline(); bounded && r.Latency == 0 {
		request.Runtime.LatencyBudgetMS = max(1, int(time.Until(deadline).Milliseconds()))
	}
	return request
}

// random is 16 random bytes in hex.
func random() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// sent is what came back for something signed.
type sent struct {
	address string
	status  int
	header  http.Header
	body    []byte
	signed  bool
}

// signed sends a body under a signature until it is answered. Each attempt has its own nonce and
// time.
func (p *Publisher) signed(ctx context.Context, method, address string, body []byte) (*sent, error) {
	began := time.Now()
	for attempt := 0; ; attempt++ {
		got, err := p.attempt(ctx, method, address, body)
		var asked time.Duration
		switch {
		case err != nil && !passing(err):
			return nil, err
		case err == nil && !busy(got.status):
			return got, nil
		case err == nil:
			asked = retryAfter(got.header)
		}
		wait, again := p.client.patience(ctx, asked, attempt)
		// The body's own timestamp must stay fresh, and it cannot be changed: the publisher would
		// take it for another.
		if !again || time.Since(began)+wait > sign.Skew-30*time.Second {
			return got, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// passing says whether an error may be gone with the next attempt.
func passing(err error) bool {
	var unreachable *Unreachable
	var broken *Broken
	return errors.As(err, &unreachable) || errors.As(err, &broken) && !errors.Is(err, ErrTooLarge)
}

// busy says whether a status is one that may be gone with the next attempt.
func busy(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// attempt sends once, reads the answer whole and verifies its signature.
func (p *Publisher) attempt(ctx context.Context, method, address string, body []byte) (*sent, error) {
	var path string
	response, err := p.client.exchange(ctx, func(ctx context.Context) (*http.Request, error) {
		request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		path = request.URL.RequestURI()
		if body != nil {
			request.Header.Set("Content-Type", typeJSON)
		}
		request.Header.Set("Accept", typeJSON)
		request.Header.Set("Accept-Encoding", "identity") // the signature is over the bytes on their way
		request.Header.Set("User-Agent", p.client.options.UserAgent)
		head := sign.Headers{Version: p.declaration.Version, KeyID: p.platform.Key.ID,
			Timestamp: sign.FormatTime(p.client.options.Now()), Nonce: random()}
		head.Signed(p.platform.Key.secret, method, path, body).Write(request.Header)
		return request, nil
	})
	if err != nil {
		return nil, err
	}
	defer response.body.Close()
	text, err := io.ReadAll(response.body)
	if err != nil {
		return nil, &Broken{URL: address, Err: err}
	}
	got := &sent{address: address, status: response.status, header: response.header, body: text}
	got.signed, err = p.verify(got, path)
	return got, err
}

// verify looks at an answer's signature, which need not be there. It is made with the key of the
// request.
func (p *Publisher) verify(got *sent, path string) (signed bool, err error) {
	if !sign.Any(got.header) {
		return false, nil
	}
	head, err := sign.Read(got.header)
	if err != nil || head.KeyID != p.platform.Key.ID || !head.Fresh(p.client.options.Now()) ||
		!head.Verify(p.platform.Key.secret, strconv.Itoa(got.status), path, got.body) {
		return false, ErrForged
	}
	return true, nil
}

// passages reads the answer of a retrieval.
func (p *Publisher) passages(request intent.RetrieveRequest, got *sent) (*Passages, error) {
	answer, found := intent.ReadResponse(got.body, intent.Options{Versions: []string{p.declaration.Version}})
	if answer == nil {
		if failure := got.failure(); failure != nil {
			return nil, failure
		}
		return nil, &Invalid{got.address, got.status, found, got.body}
	}
	found = append(found, intent.CheckAnswer(&request, answer, &p.declaration)...)
	anonymous := answer.Error != nil && answer.RequestID == "" // from before the request was read
	switch {
	case !anonymous && !found.Valid():
		return nil, &Invalid{got.address, got.status, found, got.body}
	case answer.Denial != nil:
		return nil, &Denied{answer.Denial.Reason, answer.Denial.Message, got.status, retryAfter(got.header), got.body}
	case answer.Error != nil:
		return nil, &Failed{answer.Error.Code, answer.Error.Message, got.status, retryAfter(got.header), got.body}
	case got.status != http.StatusOK:
		return nil, &Invalid{got.address, got.status,
			oneFinding("passages come with a status that is not 200", "answer 200"), got.body}
	case p.platform.RequireSigned && !got.signed:
		return nil, ErrUnsigned
	}
	return &Passages{request, *answer, got.signed, found, got.body}, nil
}

// failure reads an error from an answer that is none of the protocol's, or none of its best: many
// leave out what their schema wants from the answer to a request that failed authentication. It
// gives nothing for a status of success.
func (s *sent) failure() error {
	if s.status < 400 {
		return nil
	}
	var told struct {
		Error  *intent.Failure           `json:"error"`
		Others map[string]jsontext.Value `json:",embed"`
	}
	if strictjson.DecodeTolerant(s.body, &told) != nil || told.Error == nil || told.Error.Code == "" {
		return &Failed{Code: "http_" + strconv.Itoa(s.status), Message: http.StatusText(s.status), Status: s.status,
			RetryAfter: retryAfter(s.header), Raw: s.body}
	}
	return &Failed{told.Error.Code, told.Error.Message, s.status, retryAfter(s.header), s.body}
}
