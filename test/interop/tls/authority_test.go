package tls

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"golang.org/x/net/dns/dnsmessage"
)

// pair is a certificate of its own signature, with its key, as PEM.
type pair struct {
	certificate, key []byte
}

// makePair makes a certificate for names and 127.0.0.1.
func makePair(t *testing.T, names ...string) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "frontdesk test"}, DNSNames: names,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(90 * 24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true, IsCA: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bits}),
	}
}

// write puts the pair into a folder's files.
func (p pair) write(t *testing.T, folder string) {
	t.Helper()
	for name, text := range map[string][]byte{"cert.pem": p.certificate, "key.pem": p.key} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// pool trusts the pair's certificate.
func (p pair) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(p.certificate)
	return pool
}

// authority is a certificate authority on loopback: Pebble, which speaks ACME as Let's Encrypt
// does, and a name server that leads every name to this machine.
type authority struct {
	directory string // the address of its directory
	asked     atomic.Int64
	door      pair // of its own address
	ca        *ca.CAImpl
	server    *httptest.Server
}

// startAuthority starts an authority that looks at names on the given ports.
func startAuthority(t *testing.T, httpPort, tlsPort int) *authority {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	a := &authority{
		door: makePair(t, "localhost"),
		ca: ca.New(quiet, store, "", "ecdsa", 0, 1,
			map[string]ca.Profile{"default": {Description: "default", ValidityPeriod: 7776000}}),
	}
	validator := va.New(quiet, httpPort, tlsPort, true, serveNames(t), store)
	front := wfe.New(quiet, store, validator, a.ca, []string{"pebble.letsencrypt.org"}, true, false, 1, 1)
	handler := front.Handler()
	a.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked.Add(1)
		handler.ServeHTTP(w, r)
	}))
	certificate, err := tls.X509KeyPair(a.door.certificate, a.door.key)
	if err != nil {
		t.Fatal(err)
	}
	a.server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	a.server.StartTLS()
	t.Cleanup(a.server.Close)
	a.directory = a.server.URL + wfe.DirectoryPath
	return a
}

// pool trusts what the authority certifies.
func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.ca.GetRootCert(0).PEM())
	return pool
}

// serveNames answers every look-up of an IPv4 address with this machine, and others with nothing.
func serveNames(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go answerNames(connection)
		}
	}()
	return listener.Addr().String()
}

func answerNames(connection net.Conn) {
	defer connection.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(connection, length[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(connection, query); err != nil {
			return
		}
		answer, err := answerName(query)
		if err != nil {
			return
		}
		connection.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	}
}

func answerName(query []byte) ([]byte, error) {
	var message dnsmessage.Message
	if err := message.Unpack(query); err != nil {
		return nil, err
	}
	message.Response, message.Additionals = true, nil
	for _, question := range message.Questions {
		if question.Type == dnsmessage.TypeA {
			message.Answers = append(message.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			})
		}
	}
	return message.Pack()
}
