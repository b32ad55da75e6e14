package domain

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

// scripted is a provider that plays tricks, on a socket of its own.
type scripted struct {
	net.Listener
	does atomic.Pointer[func(net.Conn, *http.Request)] // at a challenge; nil for the token
	came chan string                                   // tokens that it was asked for
}

func script(t *testing.T) *scripted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{Listener: l, came: make(chan string, 100)}
	t.Cleanup(func() { l.Close() })
	server := &http.Server{Handler: http.HandlerFunc(s.answer)}
	go server.Serve(l)
	return s
}

func (s *scripted) domain() string { return s.Addr().String() }

func (s *scripted) answer(w http.ResponseWriter, r *http.Request) {
	token, asked := strings.CutPrefix(r.URL.Path, "/.well-known/ramp-verify/")
	does := s.does.Load()
	switch {
	case r.URL.Path == "/.well-known/ramp.json":
		fmt.Fprintf(w, `{"ver":"1.0","provider":%q,"exchanges":[{"domain":"exchange.example.com","endpoint":"https://exchange.example.com","relationship":"DIRECT"}]}`, s.domain())
	case !asked:
		http.NotFound(w, r)
	case does != nil:
		s.came <- token
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			(*does)(c, r)
			c.Close()
		}
	default:
		s.came <- token
		io.WriteString(w, token)
	}
}

// known has the Exchange know the provider, whose caller has the key acme.pem in the folder, and
// gives that caller.
func (m *market) known(t *testing.T, domains ...string) *client.Domains {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	pub := m.write(t, "acme-pub.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: text})))
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	m.write(t, "acme.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	args := []string{"ramp", "tenant", "add", "acme", "--price", "0.02", "--currency", "USD", "--caller", "acme-cms",
		"--key", "@" + pub, "--config", m.config}
	for _, domain := range domains {
		args = append(args, "--domain", domain)
	}
	process.MustRun(t, args...)
	caller, err := client.OpenDomains(t.Context(), m.exchange.URL, "acme-cms", private, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return caller
}

// token asks for a challenge, until the Exchange knows the tenant, which takes it a moment.
func token(t *testing.T, domains *client.Domains, domain string) string {
	t.Helper()
	deadline, tick := time.Now().Add(20*time.Second), time.NewTicker(100*time.Millisecond)
	defer tick.Stop()
	for {
		given, err := domains.Request(t.Context(), domain)
		if err == nil {
			return given.Token
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		<-tick.C
	}
}

// TestProvidersThatPlayTricks has a provider stall, cut, lie, send too much and lead elsewhere: the
// Exchange answers in time, and registers nothing.
func TestProvidersThatPlayTricks(t *testing.T) {
	t.Parallel()
	m, s := open(t), script(t)
	domains := m.known(t, s.domain())
	released := make(chan struct{})
	defer close(released)
	for _, trick := range []struct {
		name, reason string
		does         func(net.Conn, *http.Request)
	}{
		{"says nothing", "CHALLENGE_UNREACHABLE", func(net.Conn, *http.Request) { <-released }},
		{"hangs up", "CHALLENGE_UNREACHABLE", func(net.Conn, *http.Request) {}},
		{"breaks off", "CHALLENGE_UNREACHABLE", func(c net.Conn, r *http.Request) {
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 43\r\n\r\n%s",
				strings.TrimPrefix(r.URL.Path, "/.well-known/ramp-verify/")[:40])
		}},
		{"never ends", "CHALLENGE_TOO_LARGE", func(c net.Conn, _ *http.Request) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for range 10 << 10 {
				if _, err := fmt.Fprintf(c, "400\r\n%s\r\n", strings.Repeat("x", 1024)); err != nil {
					return
				}
			}
		}},
		{"speaks no HTTP", "CHALLENGE_UNREACHABLE",
			func(c net.Conn, _ *http.Request) { io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n") }},
		{"leads elsewhere", "CHALLENGE_REDIRECTS", func(c net.Conn, _ *http.Request) {
			io.WriteString(c,
				"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n")
		}},
		{"says another's token", "CHALLENGE_DIFFERS", func(c net.Conn, _ *http.Request) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 43\r\n\r\n"+strings.Repeat("A", 43))
		}},
		{"says it amid other things", "CHALLENGE_DIFFERS", func(c net.Conn, r *http.Request) {
			body := "<p>" + strings.TrimPrefix(r.URL.Path, "/.well-known/ramp-verify/") + "</p>"
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}},
		{"says that it is somewhere else", "CHALLENGE_STATUS", func(c net.Conn, r *http.Request) {
			fmt.Fprintf(c, "HTTP/1.1 203 Non-Authoritative\r\nContent-Length: 43\r\n\r\n%s",
				strings.TrimPrefix(r.URL.Path, "/.well-known/ramp-verify/"))
		}},
	} {
		s.does.Store(&trick.does)
		result, err := domains.Confirm(t.Context(), s.domain(), token(t, domains, s.domain()),
			&client.SigningKey{Type: "hmac", Text: strings.Repeat("0a", 32)})
		if err != nil || result.Verified || !strings.HasPrefix(result.GetFailureReason(), trick.reason+": ") {
			t.Errorf("a provider that %s: %v, %v, want %s", trick.name, result, err, trick.reason)
		}
	}
	if told := process.MustRun(t, "keys", "list", "--config", m.config); strings.Contains(told, "k-2") {
		t.Errorf("a key was registered:\n%s", told)
	}
}

// TestAnExchangeThatDiesAmidALookRegistersNothing kills the Exchange while the provider is asked:
// the challenge is spent, and another one works.
func TestAnExchangeThatDiesAmidALookRegistersNothing(t *testing.T) {
	t.Parallel()
	m, s := open(t), script(t)
	domains := m.known(t, s.domain())
	key := &client.SigningKey{Type: "hmac", Text: strings.Repeat("0a", 32)}
	released := make(chan struct{})
	wait := func(net.Conn, *http.Request) { <-released }
	s.does.Store(&wait)
	first := token(t, domains, s.domain())
	asked := make(chan struct{})
	ctx := t.Context()
	go func() { // which is told nothing
		defer close(asked)
		_, _ = domains.Confirm(ctx, s.domain(), first, key)
	}()
	if came := <-s.came; came != first {
		t.Errorf("the provider was asked for %s", came)
	}
	m.exchange.Kill()
	m.exchange = process.Start(t, "serve", "--config", m.config)
	<-asked // by then it was told of the second run
	close(released)
	s.does.Store(nil)
	if result, err := domains.Confirm(t.Context(), s.domain(), first, key); err != nil || result.Verified ||
		!strings.HasPrefix(result.GetFailureReason(), "TOKEN_USED: ") {
		t.Errorf("%v, %v", result, err)
	}
	if told := process.MustRun(t, "keys", "list", "--config", m.config); strings.Contains(told, "k-2") {
		t.Errorf("a key was registered:\n%s", told)
	}
	result, err := domains.Confirm(t.Context(), s.domain(), token(t, domains, s.domain()), key)
	if err != nil || !result.Verified || !strings.HasSuffix(result.GetKeyId(), "-hmac") {
		t.Errorf("%v, %v", result, err)
	}
	if told := process.MustRun(t, "ledger", "audit", "--config", m.config); told == "" {
		t.Error("the ledger is not whole")
	}
}

// TestADomainWithinIsNotAsked has an Exchange that may ask nobody on this machine: who leads it
// there learns no more than that.
func TestADomainWithinIsNotAsked(t *testing.T) {
	t.Parallel()
	m, s := open(t), script(t)
	m.exchange.End(t)
	m.exchange = process.Start(t, "serve", "--config", m.config, "--set", "fetch.allow=10.1.0.0/16")
	domains := m.known(t, s.domain())
	result, err := domains.Confirm(t.Context(), s.domain(), token(t, domains, s.domain()), nil)
	if err != nil || !strings.HasPrefix(result.GetFailureReason(), "CHALLENGE_ADDRESS_REFUSED: ") ||
		strings.Contains(result.GetFailureReason(), "127.0.0.1") {
		t.Errorf("%v, %v", result, err)
	}
	if len(s.came) != 0 {
		t.Error("it was asked all the same")
	}
}
