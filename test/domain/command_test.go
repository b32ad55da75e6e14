package domain

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/testkit/process"
)

// told is what the command tells as JSON.
type told struct {
	Verified       bool
	KeyID          string `json:"key_id"`
	KeptIn         string `json:"kept_in"`
	Failure        string `json:"failure_reason"`
	Mend           string
	code           int
	stdout, stderr string
}

// verify runs frontdesk ramp verify-domain as the provider's caller.
func (m *market) verify(t *testing.T, domain string, args ...string) (out told) {
	t.Helper()
	stdout, stderr, err := process.Run(t, append([]string{
		"ramp", "verify-domain", domain, "--exchange", m.exchange.URL, "--caller", "acme-cms", "--key-file",
		filepath.Join(m.dir, "acme.pem"), "--json", "--set", "fetch.allow=127.0.0.0/8,::1",
	}, args...)...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		out.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	out.stdout, out.stderr = stdout, stderr
	if strings.HasPrefix(stdout, "{") {
		if err := json.Unmarshal([]byte(stdout), &out); err != nil {
			t.Fatal(err, stdout)
		}
	}
	return out
}

// secretIn is the key in a file, which its owner alone may read.
func secretIn(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if info, _ := os.Stat(path); err != nil || len(secret) != 32 || info.Mode().Perm() != 0o600 {
		t.Errorf("%s has %d bytes: %v", path, len(secret), err)
	}
	return string(text)
}

// empty holds that no token is answered any more from a folder that a web server serves.
func empty(t *testing.T, root string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(root, ".well-known", "ramp-verify", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("tokens are left: %v, %v", left, err)
	}
}

// served serves a folder as the site of a provider, whose ramp.json names an Exchange.
func served(t *testing.T, root, exchange string) (domain string) {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(root)))
	t.Cleanup(server.Close)
	domain = strings.TrimPrefix(server.URL, "http://")
	folder := filepath.Join(root, ".well-known")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"ver":"1.0","provider":%q,"exchanges":[{"domain":%q,"endpoint":"https://exchange.example.com","relationship":"DIRECT"}]}`, domain, exchange)
	if err := os.WriteFile(filepath.Join(folder, "ramp.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return domain
}

// TestWhoeverAnswersAtTheDomain verifies domains at which a web server, an edge and another front
// desk answer.
func TestWhoeverAnswersAtTheDomain(t *testing.T) {
	t.Parallel()
	m := open(t)
	root, strange := t.TempDir(), t.TempDir()
	web, unlisted := served(t, root, "exchange.example.com"), served(t, strange, "other.example")
	edgeAt, deskAt := "localhost:"+m.port, "127.0.0.1:"+process.FreePort(t)
	token(t, m.known(t, web, unlisted, edgeAt, deskAt), unlisted)
	saved := filepath.Join(m.dir, "saved.hex")

	// A web server that serves a folder.
	first := m.verify(t, web, "--webroot", root, "--cdn-type", "hmac", "--save-key", saved)
	if !first.Verified || !strings.HasSuffix(first.KeyID, "-hmac") || first.KeptIn != saved ||
		strings.Contains(first.stdout+first.stderr, secretIn(t, saved)) {
		t.Errorf("%+v", first)
	}
	empty(t, root)
	if again := m.verify(t, web, "--webroot", root, "--cdn-type", "hmac", "--signing-key-file",
		saved); !again.Verified || again.KeyID != first.KeyID {
		t.Errorf("%+v, after %+v", again, first)
	}
	if other := m.verify(t, unlisted, "--webroot", strange); other.code != 1 ||
		!strings.Contains(other.Failure, "does not name the Exchange exchange.example.com") ||
		!strings.Contains(other.Mend, `"domain": "exchange.example.com"`) {
		t.Errorf("%+v", other)
	}
	// that of above
	if challenges := process.MustRun(t, "ramp", "domain", "challenges", unlisted, "--config",
		m.config); strings.Count(challenges, unlisted) != 1 {
		t.Errorf("a challenge was spent:\n%s", challenges)
	}

	// An edge with a tokens_file.
	tokens := filepath.Join(m.dir, "tokens.txt")
	config := m.write(t, "edge.yaml", `
listen: 127.0.0.1:`+m.port+`
metrics: {listen: off}
fetch: {allow: [127.0.0.0/8, "::1"]}
data: edge-data
edge:
  exchange: `+m.exchange.URL+`
  sites: [{domain: "`+edgeAt+`", url: "http://`+edgeAt+`", origin: "`+m.origin.URL+`", tokens_file: "`+tokens+`"}]
`)
	process.Start(t, "edge", "run", "--config", config)
	if out := m.verify(t, edgeAt, "--tokens-file", tokens); !out.Verified || out.KeyID != "" {
		t.Errorf("%+v", out)
	}
	if left, err := os.ReadFile(tokens); err != nil || strings.TrimSpace(string(left)) != "" {
		t.Errorf("the token is still answered: %s, %v", left, err)
	}

	// Another front desk, by its operator's key.
	config = m.write(t, "desk.yaml", `
listen: `+deskAt+`
url: http://`+deskAt+`
data: desk-data
metrics: {listen: off}
site: {name: Desk, url: "https://www.example.com"}
terms: [{match: {}, access: open}]
ramp: {enabled: true, domain: desk.example.com, exchanges: [{domain: exchange.example.com, endpoint: "https://exchange.example.com"}]}
`)
	m.write(t, "ops.key", process.MustRun(t, "keys", "issue", "api", "ops", "--door", "admin", "--config", config))
	m.write(t, "ask.key", process.MustRun(t, "keys", "issue", "api", "asker", "--door", "ask", "--config", config))
	process.Start(t, "serve", "--config", config)
	desk := func(domain, at, key string) told {
		t.Helper()
		return m.verify(t, domain, "--desk", at, "--desk-key-file", filepath.Join(m.dir, key))
	}
	if out := desk(deskAt, "http://"+deskAt, "ops.key"); !out.Verified {
		t.Errorf("%+v", out)
	}
	key, _ := os.ReadFile(filepath.Join(m.dir, "ops.key"))
	request, _ := http.NewRequestWithContext(t.Context(), "GET", "http://"+deskAt+"/admin/answers", nil)
	request.Header.Set("X-API-Key", strings.TrimSpace(string(key)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if left, err := io.ReadAll(response.Body); response.StatusCode != 200 || err != nil ||
		strings.Contains(string(left), `"token"`) {
		t.Errorf("the token is still answered: %d %s, %v", response.StatusCode, left, err)
	}
	for name, c := range map[string]struct {
		out  told
		says string
	}{
		"another's key":  {desk(deskAt, "http://"+deskAt, "ask.key"), "answers with the status 403"},
		"another domain": {desk(edgeAt, "http://"+deskAt, "ops.key"), "answers with the status 4"},
		"nobody there":   {desk(deskAt, "http://127.0.0.1:"+process.FreePort(t), "ops.key"), "connection refused"},
	} {
		if c.out.code == 0 || c.out.Verified || !strings.HasPrefix(c.out.Failure,
			"the challenge cannot be answered: ") || !strings.Contains(c.out.Failure, c.says) {
			t.Errorf("%s: %+v", name, c.out)
		}
	}
}

// TestTheCommandTellsWhatToMend has the domain answer as it should not, and the Exchange go away:
// the command says what to do, ends with 1, and leaves no token.
func TestTheCommandTellsWhatToMend(t *testing.T) {
	t.Parallel()
	m, s := open(t), script(t)
	token(t, m.known(t, s.domain()), s.domain())
	root := t.TempDir()
	released := make(chan struct{})
	defer close(released)
	says := func(text string) func(net.Conn, *http.Request) {
		return func(c net.Conn, _ *http.Request) { io.WriteString(c, text) }
	}
	for name, c := range map[string]struct {
		reason, mend string
		does         func(net.Conn, *http.Request)
	}{
		"the token is not there": {"CHALLENGE_STATUS", "serves the folder of --webroot",
			says("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")},
		"another token is": {"CHALLENGE_DIFFERS", "answers in its stead",
			says("HTTP/1.1 200 OK\r\nContent-Length: 43\r\n\r\n" + strings.Repeat("A", 43))},
		"it leads elsewhere": {"CHALLENGE_REDIRECTS", "without a redirect",
			says("HTTP/1.1 301 Moved\r\nLocation: https://www.example.com/\r\nContent-Length: 0\r\n\r\n")},
		"it has too much": {"CHALLENGE_TOO_LARGE", "answers in its stead",
			says("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("x", 5000))},
		"it says nothing": {
			"CHALLENGE_UNREACHABLE", "answers by https", func(net.Conn, *http.Request) { <-released },
		},
	} {
		s.does.Store(&c.does)
		out := m.verify(t, s.domain(), "--webroot", root, "--unseen", "--cdn-type", "hmac", "--save-key",
			filepath.Join(m.dir, "saved.hex"))
		if out.code != 1 || out.Verified || !strings.HasPrefix(out.Failure,
			"the domain is not verified: "+c.reason+": ") || !strings.Contains(out.Mend, c.mend) {
			t.Errorf("%s: %+v", name, out)
		}
		empty(t, root)
	}
	if keys := process.MustRun(t, "keys", "list", "--config", m.config); strings.Contains(keys, "k-2") {
		t.Errorf("a key was registered:\n%s", keys)
	}
	// The Exchange dies once the domain answers, before it is asked to look.
	var once sync.Once
	dies := func(c net.Conn, r *http.Request) {
		once.Do(m.exchange.Kill)
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 43\r\n\r\n%s",
			strings.TrimPrefix(r.URL.Path, "/.well-known/ramp-verify/"))
	}
	s.does.Store(&dies)
	if out := m.verify(t, s.domain(), "--webroot", root); out.code == 0 || out.Verified ||
		!strings.Contains(out.Failure, "connection refused") {
		t.Errorf("%+v", out)
	}
	empty(t, root)
	// as it begins
	if out := m.verify(t, s.domain(), "--webroot", root); out.code == 0 ||
		!strings.Contains(out.stderr, "connection refused") {
		t.Errorf("%+v", out)
	}
	m.exchange = process.Start(t, "serve", "--config", m.config)
	s.does.Store(nil)
	if out := m.verify(t, s.domain(), "--webroot", root); !out.Verified {
		t.Errorf("%+v", out)
	}
}
