package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/server"
)

// front is a front desk to ask over HTTP: one on the network, or one inside this process, which answers by the very
// same code.
type front struct {
	client *http.Client
	ask    string // the address of its endpoint
	close  func()
}

// patience is how long a front desk on the network may take to begin its answer.
const patience = time.Minute

// remote is a front desk on the network. Its address is that of the desk or of its endpoint.
func remote(address string) (*front, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usage("--url %s is no web address; write it like http://127.0.0.1:8080", address)
	}
	if !strings.HasSuffix(u.Path, "/ask") {
		u = u.JoinPath("ask")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = patience
	return &front{client: &http.Client{Transport: transport}, ask: u.String(), close: transport.CloseIdleConnections}, nil
}

// local is a front desk inside this process, on a configuration's database.
func local(env *environment, loaded *server.Loaded) (*front, error) {
	if err := needContent(loaded.Config); err != nil {
		return nil, err
	}
	log := server.NewLog(server.Log{Level: "error"}, env.stderr)
	s, err := server.New(env.ctx, server.Options{Loaded: loaded, Log: log})
	if err != nil {
		return nil, err
	}
	if err := s.Desk.Refresh(env.ctx); err != nil {
		s.Close()
		return nil, err
	}
	inside := &inside{dialled: make(chan net.Conn), closed: make(chan struct{})}
	web := &http.Server{Handler: s}
	go web.Serve(inside)
	return &front{
		client: &http.Client{Transport: &http.Transport{DialContext: inside.dial}},
		ask:    "http://localhost/ask",
		close: func() {
			web.Close()
			s.Close()
		},
	}, nil
}

// inside is a listener that is reached by calling dial instead of by the network.
type inside struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (l *inside) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.dialled <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept gives the next connection.
func (l *inside) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialled:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and dial. http.Server calls it once.
func (l *inside) Close() error {
	close(l.closed)
	return nil
}

// Addr is that of no network.
func (l *inside) Addr() net.Addr { return &net.UnixAddr{Name: "inside", Net: "inside"} }

// question is the body of POST /ask, as far as the commands fill it.
type question struct {
	Query struct {
		Text     string   `json:"text"`
		Site     string   `json:"site,omitempty"`
		ItemType string   `json:"itemType,omitempty"`
		Limit    int      `json:"limit,omitempty"`
		MinScore *float64 `json:"min_score,omitempty"`
	} `json:"query"`
	Prefer struct {
		Mode      string `json:"mode,omitempty"`
		Streaming *bool  `json:"streaming,omitempty"`
	} `json:"prefer"`
}

// post asks, and gives the response with its body still to be read. The front desk being out of reach is an error
// that says so; an answer of any kind is none.
func (f *front) post(ctx context.Context, q question) (*http.Response, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.ask, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := f.client.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, fmt.Errorf("%s cannot be reached: %w; is a frontdesk running there?", f.ask, err)
	}
	return response, nil
}

// answer is what the commands read of an NLWeb response.
type answer struct {
	Results []result `json:"results"`
	Error   *struct{ Code, Message string }
}

type result struct {
	Type        typeName `json:"@type"`
	URL         string   `json:"url"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Text        string   `json:"text"` // of a summary
	Site        string   `json:"site"`
	Score       float64  `json:"score"`
}

// typeName is a type, or the first of several.
type typeName string

// UnmarshalJSON reads either form.
func (t *typeName) UnmarshalJSON(text []byte) error {
	var one string
	var several []string
	if json.Unmarshal(text, &one) != nil && json.Unmarshal(text, &several) == nil && len(several) > 0 {
		one = several[0]
	}
	*t = typeName(one)
	return nil
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 256 << 20

// read takes the answer out of a response. A failure of the protocol is part of the answer; anything that is not
// the protocol is an error.
func (f *front) read(response *http.Response) (answer, []byte, error) {
	defer response.Body.Close()
	var a answer
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return a, nil, fmt.Errorf("the answer of %s ended too early: %w", f.ask, err)
	}
	if err := json.Unmarshal(body, &a); err != nil || !json.Valid(body) || body[0] != '{' {
		return a, nil, fmt.Errorf("%s did not answer as a front desk does (status %s); is the address right?", f.ask, response.Status)
	}
	if a.Error == nil && response.StatusCode >= 400 {
		return a, nil, fmt.Errorf("%s answered with status %s", f.ask, response.Status)
	}
	return a, body, nil
}
