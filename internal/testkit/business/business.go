// Package business runs a business's own systems for tests, as a process of its own (the program in
// peer): a server for webhooks and one for mail, which reply, stall, cut off and lie as a test
// says.
package business

import (
	"crypto/x509"
	"net/http"
	"testing"

	"frontdesk/internal/testkit/process"
)

// Behaviour says how the business behaves; the program in peer documents its members. The zero
// value answers.
type Behaviour struct {
	Hook Hook `json:"hook"`
	Mail Mail `json:"mail"`
}

// Hook is how it answers webhooks.
type Hook struct {
	Mode     string `json:"mode,omitempty"`
	Reply    string `json:"reply,omitempty"`
	Type     string `json:"type,omitempty"`
	Status   int    `json:"status,omitempty"`
	After    string `json:"after,omitempty"`
	Location string `json:"location,omitempty"`
	Times    int    `json:"times,omitempty"`
}

// Mail is how it takes mail.
type Mail struct {
	Mode       string `json:"mode,omitempty"`
	Stage      string `json:"stage,omitempty"`
	Code       int    `json:"code,omitempty"`
	NoStartTLS bool   `json:"no_starttls,omitempty"`
	User       string `json:"user,omitempty"`
	Password   string `json:"password,omitempty"`
	Times      int    `json:"times,omitempty"`
}

// Request is a webhook that came.
type Request struct {
	Header http.Header `json:"header"`
	Body   string      `json:"body"`
}

// Letter is a mail that was taken.
type Letter struct {
	From string   `json:"from"`
	To   []string `json:"to"`
	Text string   `json:"text"` // as it came, header and body
	TLS  bool     `json:"tls"`
	User string   `json:"user"` // who had logged in
}

// Business is a running business.
type Business struct {
	URL  string         // where webhooks go
	SMTP string         // host and port, for mail with STARTTLS
	TLS  string         // host and port, for mail over TLS from the start
	CA   *x509.CertPool // who vouches for its certificate

	peer *process.Peer
}

// came is what the program tells.
type came struct {
	Requests []Request `json:"requests"`
	Letters  []Letter  `json:"letters"`
	SMTP     string    `json:"smtp"`
	TLS      string    `json:"tls"`
	CA       string    `json:"ca"`
}

// Main runs a package's tests and removes the program that they built. Packages that use this one
// call it from TestMain.
func Main(m *testing.M) { process.Main(m) }

// Start runs a business until the end of the test.
func Start(t testing.TB) *Business {
	t.Helper()
	b := &Business{peer: process.StartPeer(t, "./internal/testkit/business/peer")}
	b.URL = b.peer.Origin + "/hook"
	told := b.told()
	b.SMTP, b.TLS, b.CA = told.SMTP, told.TLS, x509.NewCertPool()
	b.CA.AppendCertsFromPEM([]byte(told.CA))
	return b
}

func (b *Business) told() (told came) {
	b.peer.Report(&told)
	return told
}

// Kill ends the business, so that its addresses are dead.
func (b *Business) Kill() { b.peer.Kill() }

// Set says how the business behaves from now on, and makes it forget what came before.
func (b *Business) Set(how Behaviour) { b.peer.Set(how) }

// Requests are the webhooks that came since Set.
func (b *Business) Requests() []Request { return b.told().Requests }

// Letters are the mails that were taken since Set.
func (b *Business) Letters() []Letter { return b.told().Letters }
