// Package tls looks at the real program's listener from outside: certificates of files and of an
// authority, what protocols are spoken, where those without encryption are sent, and sockets that a
// service manager passes.
package tls

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// patience is how long the program may take for anything.
const patience = 60 * time.Second

// desk is a running program with sockets that the test passed to it.
type desk struct {
	t        *testing.T
	folder   string
	public   string // host and port of the listener with TLS
	redirect string // and of that without
	command  *exec.Cmd
	ended    chan error
	log      *logbook
	states   chan string // what it told the service manager
}

type logbook struct {
	sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.Lock()
	defer l.Unlock()
	return l.text.String()
}

// sockets takes two ports on loopback, for a program that is yet to be started. They stay open
// until the test ends, as those of a service manager do.
func sockets(t *testing.T) (public, redirect *net.TCPListener) {
	t.Helper()
	take := func() *net.TCPListener {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		return listener.(*net.TCPListener)
	}
	return take(), take()
}

func port(listener net.Listener) int { return listener.Addr().(*net.TCPAddr).Port }

// start runs `frontdesk serve` with a configuration in a folder, on sockets passed as systemd
// passes them, and waits until it tells that it is ready.
func start(t *testing.T, folder, config string, public, redirect *net.TCPListener) *desk {
	t.Helper()
	d := &desk{
		t: t, folder: folder, public: public.Addr().String(), redirect: redirect.Addr().String(),
		ended: make(chan error, 1), log: &logbook{}, states: make(chan string, 16),
	}
	file := filepath.Join(folder, "frontdesk.yaml")
	text := "listen: 127.0.0.1:0\ndata: data\nmetrics: {listen: 'off'}\nlog: {level: debug}\n" + config
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// LISTEN_PID must be the program's own, which only the shell that becomes it knows before.
	d.command = exec.Command("/bin/sh", "-c", `LISTEN_PID=$$; export LISTEN_PID; exec "$0" "$@"`, process.Binary(t), "serve", "--config", file)
	d.command.Env = append(os.Environ(), "LISTEN_FDS=2", "LISTEN_FDNAMES=frontdesk.socket:redirect",
		"NOTIFY_SOCKET="+d.manager())
	d.command.Stdout, d.command.Stderr = d.log, d.log
	for _, listener := range []*net.TCPListener{public, redirect} {
		descriptor, err := listener.File()
		if err != nil {
			t.Fatal(err)
		}
		defer descriptor.Close()
		d.command.ExtraFiles = append(d.command.ExtraFiles, descriptor)
	}
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { d.ended <- d.command.Wait() }()
	t.Cleanup(func() { d.stop() })
	d.await("READY=1")
	return d
}

// manager listens for what the program tells its service manager.
func (d *desk) manager() (path string) {
	d.t.Helper()
	folder, err := os.MkdirTemp("", "fd-") // a socket's path must be short
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { os.RemoveAll(folder) })
	path = filepath.Join(folder, "notify")
	connection, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { connection.Close() })
	go func() {
		buffer := make([]byte, 256)
		for {
			n, err := connection.Read(buffer)
			if err != nil {
				return
			}
			d.states <- string(buffer[:n])
		}
	}()
	return path
}

// await waits until the program tells a state.
func (d *desk) await(state string) {
	d.t.Helper()
	for {
		select {
		case told := <-d.states:
			if told == state {
				return
			}
		case err := <-d.ended:
			d.ended <- err
			d.t.Fatalf("the program ended: %v\n%s", err, d.log)
		case <-time.After(patience):
			d.t.Fatalf("the program did not tell %s\n%s", state, d.log)
		}
	}
}

// stop ends the program in good order.
func (d *desk) stop() {
	if d.command.ProcessState != nil {
		return
	}
	d.command.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-d.ended:
		if err != nil {
			d.t.Errorf("the program ended with %v\n%s", err, d.log)
		}
	case <-time.After(patience):
		d.command.Process.Kill()
		d.t.Errorf("the program did not end\n%s", d.log)
	}
}

// client is a browser of its own connections that trusts a pool, and whose every name leads to the
// desk.
func (d *desk) client(roots *x509.CertPool) *http.Client {
	to := map[string]string{"443": d.public, "80": d.redirect}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			if there, ok := to[port]; ok {
				address = there
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}
	return &http.Client{Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func get(t *testing.T, client *http.Client, address string, headers ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	response.Body = io.NopCloser(strings.NewReader(string(body)))
	return response
}

const ofFiles = "tls: {cert: cert.pem, key: key.pem, redirect: '127.0.0.1:0', hsts: 1h}\n"

func TestFilesAreACertificate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := makePair(t, "desk.example")
	first.write(t, folder)
	public, redirect := sockets(t)
	d := start(t, folder, ofFiles, public, redirect)

	t.Run("HTTP/2 is spoken", func(t *testing.T) {
		response := get(t, d.client(first.pool()), "https://desk.example/healthz")
		if response.StatusCode != 200 || response.ProtoMajor != 2 {
			t.Errorf("%s over %s", response.Status, response.Proto)
		}
		if got := response.Header.Get("Strict-Transport-Security"); got != "max-age=3600" {
			t.Errorf("Strict-Transport-Security: %q", got)
		}
	})
	t.Run("HTTP/1.1 is spoken", func(t *testing.T) {
		client := d.client(first.pool())
		client.Transport.(*http.Transport).TLSClientConfig.NextProtos = []string{"http/1.1"}
		client.Transport.(*http.Transport).ForceAttemptHTTP2 = false
		if response := get(t, client, "https://desk.example/healthz"); response.StatusCode != 200 ||
			response.ProtoMajor != 1 {
			t.Errorf("%s over %s", response.Status, response.Proto)
		}
	})
	t.Run("old protocols are refused", func(t *testing.T) {
		_, err := tls.Dial("tcp", d.public,
			&tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
		if err == nil || !strings.Contains(err.Error(), "protocol version") {
			t.Errorf("TLS 1.1: %v", err)
		}
		connection, err := tls.Dial("tcp", d.public,
			&tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
		if err != nil {
			t.Errorf("TLS 1.2: %v", err)
		} else {
			connection.Close()
		}
	})
	t.Run("what is not encrypted is refused", func(t *testing.T) {
		if response := get(t, d.client(nil), "http://"+d.public+"/healthz"); response.StatusCode != 400 {
			t.Errorf("HTTP on the port with TLS: %s", response.Status)
		}
	})
	t.Run("the page knows its address", func(t *testing.T) {
		body, _ := io.ReadAll(get(t, d.client(first.pool()), "https://desk.example/").Body)
		if !strings.Contains(string(body), "https://desk.example/ask") {
			t.Error("the page does not name https://desk.example/ask")
		}
	})
	t.Run("those without TLS are redirected", func(t *testing.T) {
		client := d.client(nil)
		for _, path := range []string{"/", "/ask?q=a%20b", "/a%2Fb"} {
			response := get(t, client, "http://desk.example"+path)
			want := fmt.Sprintf("https://desk.example:%d%s", port(public), path)
			if response.StatusCode != 308 || response.Header.Get("Location") != want {
				t.Errorf("%s: %s to %q, want %q", path, response.Status, response.Header.Get("Location"), want)
			}
			if response.Header.Get("Strict-Transport-Security") != "" {
				t.Error("the policy was sent without TLS")
			}
		}
		if response := get(t, client, "http://desk.example//evil.example/"); response.Header.Get(
			"Location") != fmt.Sprintf("https://desk.example:%d/", port(public)) {
			t.Errorf("a path that could be read as a host leads to %q", response.Header.Get("Location"))
		}
	})
	t.Run("a key without TLS is refused", func(t *testing.T) {
		for _, header := range []string{"Authorization: Bearer secret", "X-API-Key: secret"} {
			response := get(t, d.client(nil), "http://desk.example/ask", header)
			body, _ := io.ReadAll(response.Body)
			if response.StatusCode != 400 || response.Header.Get("Location") != "" ||
				!strings.Contains(string(body), "without encryption") || strings.Contains(string(body), "secret") {
				t.Errorf("%s: %s to %q: %s", header, response.Status, response.Header.Get("Location"), body)
			}
		}
	})
	t.Run("a new certificate is taken over", func(t *testing.T) {
		second := makePair(t, "desk.example")
		if err := os.WriteFile(filepath.Join(folder, "cert.pem"), second.certificate, 0o600); err != nil {
			t.Fatal(err)
		}
		d.command.Process.Signal(syscall.SIGHUP) // while its key is not there yet
		d.awaitLog("the certificate in use stays")
		if response := get(t, d.client(first.pool()), "https://desk.example/healthz"); response.StatusCode != 200 {
			t.Errorf("with half of a pair in the files: %s", response.Status)
		}
		second.write(t, folder)
		d.command.Process.Signal(syscall.SIGHUP)
		d.awaitLog("the certificate is in use as the files have it now")
		if response := get(t, d.client(second.pool()), "https://desk.example/healthz"); response.StatusCode != 200 {
			t.Errorf("with the new certificate: %s", response.Status)
		}
		if _, err := d.client(first.pool()).Get("https://desk.example/healthz"); err == nil {
			t.Error("the old certificate is still in use")
		}
	})
}

// awaitLog waits until the program has written something.
func (d *desk) awaitLog(what string) {
	d.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(d.log.String(), what) {
		select {
		case <-tick.C:
		case <-deadline:
			d.t.Fatalf("the log does not say %q\n%s", what, d.log)
		}
	}
}

func TestAuthorityCertifiesByEitherChallenge(t *testing.T) {
	for name, closed := range map[string]string{"tls-alpn-01": "http", "http-01": "tls"} {
		t.Run(name, func(t *testing.T) {
			public, redirect := sockets(t)
			httpPort, tlsPort := port(redirect), port(public)
			switch closed { // so that only one challenge can be met
			case "http":
				httpPort = closedPort(t)
			case "tls":
				tlsPort = closedPort(t)
			}
			a := startAuthority(t, httpPort, tlsPort)
			folder := t.TempDir()
			a.door.write(t, folder)
			config := fmt.Sprintf("tls:\n  redirect: 127.0.0.1:0\n  acme: {domains: [desk.example.org], email: "+
				"owner@example.org, agree: true, directory: '%s', roots: cert.pem}\n", a.directory)
			d := start(t, folder, config, public, redirect)
			d.awaitLog("the authority's certificate is in use")
			first := certificate(t, d, a)
			if response := get(t, d.client(nil), "http://desk.example.org/x"); response.StatusCode != 308 {
				t.Errorf("without TLS: %s", response.Status)
			}
			secrets := regexp.MustCompile(`owner@example|BEGIN .*PRIVATE|127\.0\.0\.1:[0-9]+->`)
			if found := secrets.FindString(d.log.String()); found != "" && found != "owner@example" {
				t.Errorf("the log has %q", found)
			}
			d.stop()

			// The certificate is kept: it is there at once, and nobody is asked.
			a.server.Close()
			again := start(t, folder, config, public, redirect)
			if second := certificate(t, again, a); second.SerialNumber.Cmp(first.SerialNumber) != 0 {
				t.Error("after a restart there is another certificate")
			}
			info, err := os.Stat(filepath.Join(folder, "data", "acme"))
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("the folder with the keys: %v, %v", info.Mode(), err)
			}
		})
	}
}

// certificate is what the desk shows to a client that asks for the certified name and trusts the
// authority.
func certificate(t *testing.T, d *desk, a *authority) *x509.Certificate {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log:\n%s", d.log)
		}
	})
	response := get(t, d.client(a.pool()), "https://desk.example.org/healthz")
	if response.StatusCode != 200 || response.ProtoMajor != 2 {
		t.Errorf("%s over %s", response.Status, response.Proto)
	}
	return response.TLS.PeerCertificates[0]
}

// closedPort is a port that nobody listens on: it was just taken, and given back.
func closedPort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return port(listener)
}

func TestStreamsAreWholeOverTLS(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	own := makePair(t, "desk.example")
	own.write(t, folder)
	var items strings.Builder
	for n := range 40 {
		fmt.Fprintf(&items, `{"@type":"Recipe","name":"Lentil soup %d","url":"https://desk.example/%d","description":%q}`+"\n", n, n, strings.Repeat("A soup of lentils. ", 200))
	}
	if err := os.WriteFile(filepath.Join(folder, "soups.jsonl"), []byte(items.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	public, redirect := sockets(t)
	d := start(t, folder, ofFiles+"sources: [{path: soups.jsonl}]\n", public, redirect)
	d.awaitLog("index follows the catalog")
	kept := map[string]*http.Client{}
	for _, protocol := range []string{"http/1.1", "h2", "http/1.1", "h2"} {
		client := kept[protocol] // the second stream comes on the first one's connection
		if client == nil {
			client = d.client(own.pool())
			client.Transport.(*http.Transport).TLSClientConfig.NextProtos = []string{protocol}
			client.Transport.(*http.Transport).ForceAttemptHTTP2 = protocol == "h2"
			client.Transport.(*http.Transport).DisableKeepAlives = false
			kept[protocol] = client
		}
		response, err := client.Post("https://desk.example/ask", "application/json",
			strings.NewReader(`{"query":{"text":"lentil soup","limit":40},"prefer":{"streaming":true}}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		text := string(body)
		if err != nil || strings.Count(text, "event: result\n") != 40 ||
			strings.Count(text, "event: complete\n") != 1 || !strings.HasSuffix(text, "}\n\n") {
			t.Errorf("%s: %v, %d results in %d bytes", protocol, err, strings.Count(text, "event: result\n"), len(text))
		}
		if got := response.Header.Get("Strict-Transport-Security"); got == "" ||
			protocol == "h2" != (response.ProtoMajor == 2) {
			t.Errorf("%s: %s, Strict-Transport-Security %q", protocol, response.Proto, got)
		}
	}
}

func TestSocketOfTheServiceManagerHoldsConnectionsDuringARestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	own := makePair(t, "desk.example")
	own.write(t, folder)
	public, redirect := sockets(t)
	d := start(t, folder, ofFiles, public, redirect)
	d.stop()
	d.await("STOPPING=1")
	asked := make(chan error, 1)
	go func() { // while nobody is there to answer
		response, err := d.client(own.pool()).Get("https://desk.example/healthz")
		if err == nil {
			response.Body.Close()
		}
		asked <- err
	}()
	start(t, folder, ofFiles, public, redirect)
	if err := <-asked; err != nil {
		t.Errorf("a connection that came during the restart: %v", err)
	}
}
