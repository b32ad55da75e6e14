package streams

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// shop is a server that sells what is live by the minute, and a long text by streams alone.
type shop struct {
	*process.Server
	config, folder, metrics string
	bought                  int
}

const (
	shopBuyer = "buyer.example/bot"
	shopSite  = "https://streams.example"
)

// openShop starts a shop with a text that is live; flags are for the server.
func openShop(t *testing.T, text string, flags ...string) *shop {
	t.Helper()
	s := &shop{folder: t.TempDir(), metrics: "127.0.0.1:" + process.FreePort(t)}
	s.config = filepath.Join(s.folder, "frontdesk.yaml")
	if err := os.WriteFile(s.config, fmt.Appendf(nil, `
listen: 127.0.0.1:0
data: %s/data
metrics: {listen: %q}
site: {name: Example, url: %q}
sources: [{name: pages, path: items.jsonl}]
terms:
  - match: {path: "/live"}
    access: licensed
    price: {model: per_minute, rate: "0.10", currency: USD}
  - match: {path: "/long"}
    access: licensed
    price: {model: per_access, rate: "0.01", currency: USD}
    delivery: [streaming]
  - match: {}
    access: open
limits: {connections_per_address: 4096, rate: {address: "", failures: ""}}
ramp: {enabled: true, signatures: none, requester_rate: "", domain: exchange.example, reports: {overdue: 1000000, percent: 0}}
`, s.folder, s.metrics, shopSite), 0o600); err != nil {
		t.Fatal(err)
	}
	s.write(t, text)
	for _, args := range [][]string{{"ingest"}, {"ramp", "account", "open", shopBuyer, "USD"},
		{"ramp", "account", "credit", shopBuyer, "100000", "USD"}} {
		process.MustRun(t, append(args, "--config", s.config)...)
	}
	s.Server = process.Start(t, append([]string{"serve", "--config", s.config}, flags...)...)
	for s.post(t, "DiscoverResources", `{"ver":"1.0","id":"warm","requester":`+requester("/live")+`}`)["offers"] == nil {
		if t.Failed() {
			t.FailNow()
		}
	}
	return s
}

// write writes the items, with a text that is live.
func (s *shop) write(t *testing.T, text string) {
	t.Helper()
	var lines []byte
	items := map[string]map[string]any{
		"/live": {"articleBody": text, "isLiveBroadcast": true},
		"/long": {"articleBody": strings.Repeat("A long text is told in parts. ", 20_000)},
	}
	for i := range 200 { // for who asks beside the streams
		items[fmt.Sprintf("/open/%d", i)] = map[string]any{"description": strings.Repeat("common words of an article ",
			textWords/5)}
	}
	for path, item := range items {
		item["@type"], item["url"], item["headline"] = "Article", shopSite+path, "An article"
		line, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := os.WriteFile(filepath.Join(s.folder, "items.jsonl"), lines, 0o600); err != nil {
		t.Fatal(err)
	}
}

// publish puts another text on air.
func (s *shop) publish(t *testing.T, text string) {
	t.Helper()
	s.write(t, text)
	process.MustRun(t, "ingest", "--config", s.config)
}

func requester(paths ...string) string {
	domain, id, _ := strings.Cut(shopBuyer, "/")
	var uris []string
	for _, path := range paths {
		uris = append(uris, shopSite+path)
	}
	text, _ := json.Marshal(map[string]any{"id": id, "domain": domain, "uris": uris})
	return string(text)
}

func (s *shop) post(t *testing.T, method, body string) (answer map[string]any) {
	t.Helper()
	response, err := http.Post(s.URL+"/ramp.v1.ExchangeService/"+method, "application/json",
		bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// sale is a purchase.
type sale struct {
	transaction, billing string
	address              *url.URL
}

// buy buys what is at a path.
func (s *shop) buy(t *testing.T, path string) sale {
	t.Helper()
	s.bought++
	found := s.post(t, "DiscoverResources", fmt.Sprintf(`{"ver":"1.0","id":"q%d","requester":%s}`, s.bought, requester(path)))
	offers, _ := found["offers"].([]any)
	if len(offers) == 0 {
		t.Fatalf("nothing is offered: %v", found)
	}
	offer := offers[0].(map[string]any)
	answer := s.post(t, "ExecuteTransaction", fmt.Sprintf(`{"ver":"1.0","id":"t%d","offer_id":%q,"offer_signature":%q,"requester":%s}`,
		s.bought, offer["offer_id"], offer["exchange_signature"], requester()))
	sold, ok := answer["package"].(map[string]any)
	if !ok {
		t.Fatalf("nothing was bought: %v", answer)
	}
	address, err := url.Parse(sold["retrieval"].(map[string]any)["endpoint"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return sale{answer["transaction_id"].(string), answer["billing_id"].(string), address}
}

// follow opens the stream of a purchase over a connection of its own, with buffers as small as on
// the open internet.
func (s *shop) follow(at sale, headers ...string) (*follower, error) {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 536)
		})
	}}
	conn, err := dialer.Dial("tcp", s.Addr)
	if err != nil {
		return nil, err
	}
	headers = append(headers, "Host: "+at.address.Host, "Accept: text/event-stream", "\r\n")
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\n%s", at.address.RequestURI(), strings.Join(headers, "\r\n"))
	f := &follower{Conn: conn, lines: bufio.NewReaderSize(conn, 512)}
	response, err := http.ReadResponse(f.lines, nil)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return f, nil
}

// follower is a client of a stream.
type follower struct {
	net.Conn
	lines *bufio.Reader
	last  string // id of an event
}

// event reads the next event, within a minute.
func (f *follower) event() (kind, data string, err error) {
	_ = f.SetReadDeadline(time.Now().Add(time.Minute))
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return "", "", err
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "event":
			kind = value
		case "id":
			f.last = value
		case "data":
			return kind, value, nil
		}
	}
}

// next reads up to the next event of a kind, and gives its data.
func (f *follower) next(kind string) (string, error) {
	for {
		of, data, err := f.event()
		if err != nil || of == kind {
			return data, err
		}
	}
}
