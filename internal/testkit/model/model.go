// Package model runs a language model's server for tests, as a process of its own on a socket (the
// program in endpoint), which replies, stalls, cuts off and lies as a test says.
package model

import (
	"net/http"
	"testing"

	"frontdesk/internal/testkit/process"
)

// Behaviour is how the server answers on one of its paths; the program in endpoint tells what its
// members mean.
type Behaviour struct {
	Mode       string   `json:"mode,omitempty"`
	Reply      string   `json:"reply,omitempty"`
	Delay      int      `json:"delay,omitempty"`
	Status     int      `json:"status,omitempty"`
	After      string   `json:"after,omitempty"`
	Location   string   `json:"location,omitempty"`
	Refuse     []string `json:"refuse,omitempty"`
	Deaf       bool     `json:"deaf,omitempty"`
	Key        string   `json:"key,omitempty"`
	Dimensions int      `json:"dimensions,omitempty"`
	Times      int      `json:"times,omitempty"`
}

// Behaviours are those of the server's paths; nil is to reply.
type Behaviours struct {
	Chat  *Behaviour `json:"chat,omitempty"`
	Embed *Behaviour `json:"embed,omitempty"`
}

// Request is one request that the server got.
type Request struct {
	Path   string      `json:"path"`
	Header http.Header `json:"header"`
	Body   struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		Input []string `json:"input"`
	} `json:"body"`
}

// Endpoint is a running server.
type Endpoint struct {
	URL string // the base address, with /v1

	peer *process.Peer
}

// Main runs a package's tests and removes the program that they built. Packages that use this one
// call it from TestMain.
func Main(m *testing.M) { process.Main(m) }

// Start runs a server until the end of the test.
func Start(t testing.TB) *Endpoint {
	t.Helper()
	return start(t, "127.0.0.1:0")
}

func start(t testing.TB, listen string) *Endpoint {
	t.Helper()
	peer := process.StartPeer(t, "./internal/testkit/model/endpoint", "-listen", listen)
	return &Endpoint{URL: peer.Origin + "/v1", peer: peer}
}

// Kill ends the server, so that its address is dead.
func (e *Endpoint) Kill() { e.peer.Kill() }

// Set says how the server behaves from now on, and makes it forget what came before.
func (e *Endpoint) Set(b Behaviours) { e.peer.Set(b) }

// Requests are those that came since Set, and how many are being answered.
func (e *Endpoint) Requests() (requests []Request, open int) {
	var told struct {
		Requests []Request `json:"requests"`
		Open     int       `json:"open"`
	}
	e.peer.Report(&told)
	return told.Requests, told.Open
}
