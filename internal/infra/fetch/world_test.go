package fetch_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
)

// world is an internet on this machine: names with their addresses, and one machine that answers at
// all of them, with and without TLS. What was looked up and dialled is on record.
type world struct {
	// names give the addresses of a host, look-up by look-up; the last answer stays.
	names map[string][][]string
	// down are addresses that nobody answers at.
	down []string
	// pages answer, by host and path ("public.example/page"); every other address answers with its
	// host.
	pages map[string]http.HandlerFunc

	listener net.Listener
	roots    *x509.CertPool

	mu       sync.Mutex
	lookups  map[string]int
	dialled  []string
	requests []*http.Request
}

// newWorld starts a world whose certificates are good for the hosts.
func newWorld(t *testing.T, certified ...string) *world {
	t.Helper()
	w := &world{names: map[string][][]string{}, pages: map[string]http.HandlerFunc{}, lookups: map[string]int{}}
	certificate, roots := certify(t, certified)
	w.roots = roots
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.listener = listener
	plain, secured := make(chanListener, 16), make(chanListener, 16)
	server := &http.Server{
		Handler: w, ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}},
	}
	var running sync.WaitGroup
	running.Go(func() { server.Serve(plain) })
	running.Go(func() { server.ServeTLS(secured, "", "") })
	running.Go(func() { sort(listener, plain, secured) })
	t.Cleanup(func() {
		listener.Close()
		server.Close()
		running.Wait()
	})
	return w
}

// options are those of a Fetcher in this world.
func (w *world) options() fetch.Options {
	return fetch.Options{Roots: w.roots, Resolve: w.resolve, Dial: w.dial}
}

func (w *world) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	host = strings.TrimSuffix(host, ".")
	answers := w.names[host]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	answer := answers[min(w.lookups[host], len(answers)-1)]
	w.lookups[host]++
	var all []netip.Addr
	for _, text := range answer {
		all = append(all, netip.MustParseAddr(text))
	}
	return all, nil
}

func (w *world) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, to.String())
	w.mu.Unlock()
	if slices.Contains(w.down, to.Addr().String()) {
		return nil, errors.New("connection refused")
	}
	return new(net.Dialer).DialContext(ctx, "tcp", w.listener.Addr().String())
}

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.requests = append(w.requests, r.Clone(context.Background()))
	w.mu.Unlock()
	if page, known := w.pages[r.Host+r.URL.Path]; known {
		page(out, r)
		return
	}
	fmt.Fprintf(out, "this is %s", r.Host)
}

// moved is a page that redirects.
func moved(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

// chanListener is a listener whose connections somebody else accepts.
type chanListener chan net.Conn

func (l chanListener) Accept() (net.Conn, error) {
	conn, open := <-l
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (l chanListener) Close() error   { return nil }
func (l chanListener) Addr() net.Addr { return new(net.TCPAddr) }

// sort hands connections that begin with a TLS handshake to one listener, and the others to the
// other.
func sort(from net.Listener, plain, secured chanListener) {
	var under sync.WaitGroup
	for {
		conn, err := from.Accept()
		if err != nil {
			break
		}
		under.Go(func() {
			reader := bufio.NewReader(conn)
			conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			first, err := reader.Peek(1)
			if err != nil {
				conn.Close()
				return
			}
			conn.SetReadDeadline(time.Time{})
			if first[0] == 0x16 {
				secured <- &peeked{conn, reader}
			} else {
				plain <- &peeked{conn, reader}
			}
		})
	}
	under.Wait()
	close(plain)
	close(secured)
}

type peeked struct {
	net.Conn
	reader io.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.reader.Read(b) }

// certify makes a certificate for hosts, and the authority that it can be checked against.
func certify(t *testing.T, hosts []string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "world"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}
