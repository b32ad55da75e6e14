package edge

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	wire "frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

func TestMain(m *testing.M) { process.Main(m) }

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// The site behind the gate.
const (
	domain = "www.example.com"
	site   = "https://" + domain
	agent  = "4905fbc220a2fbd769444e0bd4eef3f2afa9e290270b5c93bd4654a02491ab66"
)

var (
	secret  = []byte("0123456789abcdef0123456789abcdef")
	before  = []byte("fedcba9876543210fedcba9876543210")
	webhook = sign.WebhookSecret(bytes.Repeat([]byte{7}, 32))
)

// policy is what the Exchange says of the site: /premium is licensed, /secret is blocked, and the
// rest is open.
const policy = `{"default_policy": "RESOURCE_ACCESS_POLICY_OPEN", "rules": [
	{"pattern": "/premium/teaser", "policy": "RESOURCE_ACCESS_POLICY_OPEN"},
	{"pattern": "/premium", "policy": "RESOURCE_ACCESS_POLICY_LICENSED"}, {"pattern": "/premium/*", "policy": "RESOURCE_ACCESS_POLICY_LICENSED"},
	{"pattern": "/secret/*", "policy": "RESOURCE_ACCESS_POLICY_BLOCKED"}]}`

const manifest = `{"ver": "1.0", "provider": "` + domain + `", "exchanges": [{"domain": "desk.example.com", "relationship": "DIRECT", "exchange_endpoint": "https://desk.example.com"}]}`

// exchange plays the Exchange.
type exchange struct {
	*httptest.Server
	mu         sync.Mutex
	policy     string
	away       bool
	deliveries map[string]wire.Delivery // by id, as they were last told
	sightings  map[string]int64         // by agent and outcome
}

func newExchange(t testing.TB) *exchange {
	x := &exchange{policy: policy, deliveries: map[string]wire.Delivery{}, sightings: map[string]int64{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /provider/"+domain+"/access-policy.json", func(w http.ResponseWriter, r *http.Request) {
		x.mu.Lock()
		text := x.policy
		x.mu.Unlock()
		w.Header().Set("Etag", `"`+wire.Digest([]byte(text))[:12]+`"`)
		w.Header().Set("Content-Type", "application/json")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	})
	mux.HandleFunc("GET /provider/"+domain+"/ramp.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, manifest)
	})
	mux.HandleFunc("POST "+wire.Path, x.take)
	x.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.mu.Lock()
		away := x.away
		x.mu.Unlock()
		if away {
			panic(http.ErrAbortHandler)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(x.Close)
	return x
}

// take takes a batch, as an Exchange does.
func (x *exchange) take(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	h := r.Header
	if err := webhook.Verify(h.Get(sign.WebhookID), h.Get(sign.WebhookTimestamp), h.Get(sign.WebhookSignature), text,
		time.Now(), wire.Apart); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	b, err := wire.Read(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	x.mu.Lock()
	for _, d := range b.Deliveries {
		if old := x.deliveries[d.ID]; old.State == "" || old.State == wire.Begun {
			x.deliveries[d.ID] = d
		}
	}
	for _, s := range b.Sightings {
		x.sightings[s.Agent+" "+s.Outcome] += s.Count
	}
	x.mu.Unlock()
	answer, _ := json.Marshal(
		wire.Taken{ID: b.ID, SHA256: wire.Digest(text), Deliveries: len(b.Deliveries), Sightings: len(b.Sightings)})
	at := time.Now()
	w.Header().Set(sign.WebhookID, b.ID)
	w.Header().Set(sign.WebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	w.Header().Set(sign.WebhookSignature, webhook.Sign(b.ID, at, answer))
	w.Write(answer)
}

// told waits until the Exchange knows so many deliveries whose end is known, and gives them by
// their transactions.
func (x *exchange) told(t testing.TB, n int) map[string]wire.Delivery {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		all := map[string]wire.Delivery{}
		x.mu.Lock()
		for _, d := range x.deliveries {
			if d.State != wire.Begun {
				all[d.Transaction] = d
			}
		}
		x.mu.Unlock()
		if len(all) >= n {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("the Exchange was told of %d deliveries, want %d", len(all), n)
		}
		<-tick.C
	}
}

// arrived is a request that an origin got.
type arrived struct {
	method, target, host string
	header               http.Header
	body                 string
}

// origin plays the site's own server, by hand: it reads requests off its sockets as it finds them,
// so that what is smuggled is a request of its own.
type origin struct {
	net.Listener
	mu       sync.Mutex
	requests []arrived
	answer   func(net.Conn, arrived) bool // false closes the connection
}

func newOrigin(t testing.TB) *origin {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &origin{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go o.serve(c)
		}
	}()
	return o
}

func (o *origin) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			if err != io.EOF {
				o.mu.Lock()
				o.requests = append(o.requests, arrived{method: "unreadable", target: err.Error()})
				o.mu.Unlock()
			}
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		got := arrived{method: r.Method, target: r.RequestURI, host: r.Host, header: r.Header, body: string(body)}
		o.mu.Lock()
		o.requests = append(o.requests, got)
		answer := o.answer
		o.mu.Unlock()
		if answer == nil {
			answer = plainly
		}
		if !answer(c, got) {
			return
		}
	}
}

// text is what the origin has at every address.
func text(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return "the text at " + path + "\n"
}

func plainly(c net.Conn, r arrived) bool {
	body := text(r.target)
	if r.method == http.MethodHead {
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n", len(body))
		return true
	}
	fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nSet-Cookie: a=b\r\n\r\n%s",
		len(body), body)
	return true
}

// does has the origin answer so from now on.
func (o *origin) does(answer func(net.Conn, arrived) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = answer
}

// got gives what arrived since it was last asked.
func (o *origin) got() []arrived {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.requests
	o.requests = nil
	return all
}

// world is an edge with what is around it.
type world struct {
	*process.Server
	exchange *exchange
	origin   *origin
	dir      string
}

// start runs an edge before an origin. more is added to the configuration of the site, and further
// to that of all.
func start(t testing.TB, more, further string) *world {
	t.Helper()
	w := &world{exchange: newExchange(t), origin: newOrigin(t), dir: t.TempDir()}
	w.write(t, "hmac.hex", hex.EncodeToString(secret)+"\n")
	w.write(t, "before.hex", hex.EncodeToString(before)+"\n")
	w.write(t, "webhook", webhook.Text())
	w.write(t, "edge.yaml", `
listen: 127.0.0.1:0
data: data
metrics: {listen: "127.0.0.1:0"}
ask: {timeout: 1s, promise: {after: 1s}}
limits: {header_timeout: 2s, read_timeout: 3s, write_timeout: 5s, idle_timeout: 5s}
`+further+`
edge:
  exchange: `+w.exchange.URL+`
  key: edge_1
  secret_file: webhook
  every: 1s
  spool: {every: 50ms}
  auth: {listen: "127.0.0.1:0", log: edge.json, unseen: 1MiB}
  timeout: 1s
  stall: 1s
  body: 1MiB
  sites:
    - domain: `+domain+`
      origin: http://`+w.origin.Addr().String()+`
      keys:
        - {form: hmac, file: hmac.hex}
        - {form: hmac, file: before.hex, until: "2099-01-01T00:00:00Z"}
`+more)
	w.run(t)
	return w
}

func (w *world) run(t testing.TB) {
	t.Helper()
	w.Server = process.Start(t, "edge", "--config", filepath.Join(w.dir, "edge.yaml"))
}

func (w *world) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rewrite changes the configuration.
func (w *world) rewrite(t testing.TB, old, fresh string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "edge.yaml"))
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("the configuration has no %q: %v", old, err)
	}
	w.write(t, "edge.yaml", strings.ReplaceAll(string(text), old, fresh))
}

// signed is the address of a path, signed with the key in use: path and query.
func signed(t testing.TB, path, transaction string) string {
	return signedWith(t, secret, path, transaction, 4*time.Minute)
}

func signedWith(t testing.TB, key []byte, path, transaction string, life time.Duration) string {
	t.Helper()
	set := sign.URLKeys{Origin: site, Keys: []sign.URLKey{{Form: sign.URLHMAC, Secret: key}}}
	address, err := set.Sign(site+path,
		sign.URLGrant{Expires: time.Now().Add(life), Agent: agent, Transaction: transaction}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(address, site)
}

// reply is an answer on a raw connection.
type reply struct {
	status int
	header http.Header
	body   string
}

// say sends raw text and reads one answer to a method; status 0 says that the connection was closed
// without one.
func (w *world) say(t testing.TB, method, raw string) reply {
	t.Helper()
	c, err := net.Dial("tcp", w.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	io.WriteString(c, raw)
	return hear(t, bufio.NewReader(c), method)
}

func hear(t testing.TB, in *bufio.Reader, method string) reply {
	t.Helper()
	response, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Errorf("no answer within %s", patience)
		}
		return reply{}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	r := reply{response.StatusCode, response.Header, string(body)}
	if err != nil {
		r.body += " (cut)"
	}
	return r
}

// get asks for a target as a user agent.
func (w *world) get(t testing.TB, target, userAgent string, headers ...string) reply {
	t.Helper()
	raw := "GET " + target + " HTTP/1.1\r\nHost: " + domain + "\r\nUser-Agent: " + userAgent +
		"\r\nConnection: close\r\n"
	for _, h := range headers {
		raw += h + "\r\n"
	}
	return w.say(t, "GET", raw+"\r\n")
}

const (
	person = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
	robot  = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
)
