// The peer is a business's own systems for tests: a process of its own that takes webhooks and
// mail, and misbehaves as it is told. GET /control tells what came, and where mail is taken; PUT
// /control sets how it behaves.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

// hook is how webhooks are answered.
type hook struct {
	// Mode is what it does: empty is to reply. "stall" never replies; "half" sends half of the
	// reply and stalls; "cut" sends half and closes the connection; "close" closes it at once;
	// "endless" never ends its reply; "redirect" points to Location; "echo" replies with what it
	// was sent.
	Mode string `json:"mode"`
	// Reply is what it replies, Type the media type of it (application/json when it is empty),
	// Status the HTTP status (200 when it is 0), and After the header Retry-After.
	Reply    string `json:"reply"`
	Type     string `json:"type"`
	Status   int    `json:"status"`
	After    string `json:"after"`
	Location string `json:"location"`
	// Times is how many requests it behaves so; 0 is all. After that it replies with an offer.
	Times int `json:"times"`
}

type request struct {
	Header http.Header `json:"header"`
	Body   string      `json:"body"`
}

type peer struct {
	mu sync.Mutex
	behaviour
	Requests []request `json:"requests"`
	Letters  []letter  `json:"letters"`
	SMTP     string    `json:"smtp"`
	TLS      string    `json:"tls"`
	CA       string    `json:"ca"`

	certificate tls.Certificate
}

type behaviour struct {
	Hook hook `json:"hook"`
	Mail mail `json:"mail"`
}

func main() {
	p := &peer{}
	var err error
	if p.certificate, p.CA, err = certify(); err != nil {
		log.Fatal(err)
	}
	web, plain, secure := listen(), listen(), listen()
	p.SMTP, p.TLS = plain.Addr().String(), secure.Addr().String()
	go p.takeMail(plain, false)
	go p.takeMail(secure, true)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /control", p.tell)
	mux.HandleFunc("PUT /control", p.set)
	mux.HandleFunc("POST /hook", p.serve)
	fmt.Println("http://" + web.Addr().String())
	log.Fatal((&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(web))
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	return l
}

// certify makes a certificate for this machine that vouches for itself.
func certify() (tls.Certificate, string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der},
		PrivateKey: key}, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), err
}

func (p *peer) tell(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	json.NewEncoder(w).Encode(p)
}

func (p *peer) set(w http.ResponseWriter, r *http.Request) {
	var b behaviour
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behaviour, p.Requests, p.Letters = b, nil, nil
}

// enter notes a request, and gives the behaviour for it.
func (p *peer) enter(r request) hook {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Requests = append(p.Requests, r)
	now := p.Hook
	if now.Times > 0 {
		if p.Hook.Times--; p.Hook.Times == 0 {
			p.Hook = hook{}
		}
	}
	return now
}

// usual is the answer of a business that is not told another.
const usual = `{"status":"offer","offer":{"summary":"Two jars a week.","details":{"jars":2}}}`

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	h := p.enter(request{r.Header, string(body)})
	reply := []byte(usual)
	if h.Reply != "" {
		reply = []byte(h.Reply)
	}
	if h.Mode == "echo" {
		reply = body
	}
	w.Header().Set("Content-Type", "application/json")
	if h.Type != "" {
		w.Header().Set("Content-Type", h.Type)
	}
	if h.After != "" {
		w.Header().Set("Retry-After", h.After)
	}
	half := reply[:len(reply)/2]
	switch h.Mode {
	case "stall":
		<-r.Context().Done()
	case "half":
		flush(w, half)
		<-r.Context().Done()
	case "cut":
		flush(w, half)
		panic(http.ErrAbortHandler)
	case "close":
		panic(http.ErrAbortHandler)
	case "endless":
		for r.Context().Err() == nil {
			flush(w, []byte(`{"status":"offer","offer":`))
		}
	case "redirect":
		http.Redirect(w, r, h.Location, http.StatusTemporaryRedirect)
	default:
		if h.Status != 0 {
			w.WriteHeader(h.Status)
		}
		flush(w, reply)
	}
}

func flush(w http.ResponseWriter, text []byte) {
	w.Write(text)
	http.NewResponseController(w).Flush()
}
