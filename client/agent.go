package client

import (
	"crypto/ed25519"
	"net/http"
	"time"

	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// Agent is an automated client that signs what it asks (Web Bot Auth,
// draft-ietf-webbotauth-httpsig-protocol-01), so that servers need not believe its user agent.
type Agent struct {
	// Directory is the address at which the agent's keys are published, such as
	// https://bots.example.com/.well-known/http-message-signatures-directory. It identifies the
	// agent: keys may follow each other there.
	Directory string
	// Key is the one that signs. Use it for nothing else.
	Key ed25519.PrivateKey
}

// transport signs each request, those that redirects lead to among them, on its way.
func (a *Agent) transport(next http.RoundTripper, now func() time.Time) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &signing{own: botauth.Own(*a), next: next, now: now}
}

type signing struct {
	own  botauth.Own
	next http.RoundTripper
	now  func() time.Time
}

// RoundTrip makes one request.
func (s *signing) RoundTrip(r *http.Request) (*http.Response, error) {
	signed := r.Clone(r.Context())
	if signed.Header == nil {
		signed.Header = http.Header{}
	}
	err := s.own.Sign(sign.Request{Method: signed.Method, Target: signed.URL.String(), Header: signed.Header},
		newSession(), s.now())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as http.RoundTripper has it
		}
		return nil, err
	}
	return s.next.RoundTrip(signed)
}
