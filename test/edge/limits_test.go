package edge

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	wire "frontdesk/wire/edge"
)

func TestRefusalsAndManifestsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	w := start(t, "", "proxies: [127.0.0.1]\n")
	from := func(address string) string { return "X-Forwarded-For: " + address }
	for n := range 100 {
		if r := w.get(t, "/premium/a", robot, from("192.0.2.1")); r.status != 403 {
			t.Fatalf("refusal %d: %d", n, r.status)
		}
	}
	r := w.get(t, "/premium/a", robot, from("192.0.2.1"))
	if r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("refusal 101: %d %v", r.status, r.header)
	}
	for who, want := range map[string]int{"192.0.2.2": 403, "2001:db8::1": 403} {
		if r := w.get(t, "/premium/a", robot, from(who)); r.status != want {
			t.Errorf("from %s: %d, want %d", who, r.status, want)
		}
	}
	if r := w.get(t, signed(t, "/premium/a", "txn-9"), robot, from("192.0.2.1")); r.status != 200 {
		t.Errorf("with a licence, from an address that is limited: %d", r.status)
	}
	if r := w.get(t, "/premium/a", person, from("192.0.2.1")); r.status != 200 {
		t.Errorf("a person, from an address that is limited: %d", r.status)
	}
	for n := range 10 { // addresses of one customer
		if r := w.get(t, "/.well-known/ramp.json", person, from(fmt.Sprintf("2001:db8:1::%x", n+1))); r.status != 200 ||
			r.body != manifest {
			t.Fatalf("ramp.json %d: %d %s", n, r.status, r.body)
		}
	}
	if r := w.get(t, "/.well-known/ramp.json", person, from("2001:db8:1::ffff")); r.status != 429 {
		t.Errorf("ramp.json 11 from one network: %d", r.status)
	}
	if r := w.get(t, "/.well-known/ramp.json", person, from("2001:db8:2::1")); r.status != 200 {
		t.Errorf("ramp.json from another network: %d", r.status)
	}
	if log := w.Log(); strings.Contains(log, "192.0.2.") || strings.Contains(log, "2001:db8") ||
		strings.Contains(log, "txn-9") || strings.Contains(log, agent) {
		t.Errorf("the log tells of persons:\n%s", log)
	}
}

func TestDocumentsOfTheDomain(t *testing.T) {
	t.Parallel()
	w := start(t, "      tokens: [challenge-0123456789]\n      tokens_file: tokens.txt\n", "")
	if r := w.get(t, "/.well-known/ramp-verify/challenge-0123456789", person); r.status != 200 ||
		strings.TrimSpace(r.body) != "challenge-0123456789" {
		t.Errorf("the challenge: %d %s", r.status, r.body)
	}
	written := "/.well-known/ramp-verify/challenge-in-a-file"
	if r := w.get(t, written, person); r.body != text(written) {
		t.Errorf("a token that is not there yet: %d %s", r.status, r.body)
	}
	w.write(t, "tokens.txt", "another-0\nchallenge-in-a-file\n")
	for deadline := time.Now().Add(patience); strings.TrimSpace(w.get(t, written,
		robot).body) != "challenge-in-a-file"; {
		if time.Now().After(deadline) {
			t.Fatal("a token in a file is not answered")
		}
	}
	if r := w.get(t, "/.well-known/ramp-verify/another-0123456789",
		person); strings.TrimSpace(r.body) == "another-0123456789" {
		t.Errorf("any token is answered: %s", r.body)
	}
	w.origin.got()
	if r := w.get(t, "/rsl.txt", person); r.status != 200 || len(w.origin.got()) != 1 {
		t.Errorf("a document that the Exchange has not is the origin's: %d", r.status)
	}
	if r := w.say(t, "POST",
		"POST /.well-known/ramp.json HTTP/1.1\r\nHost: "+domain+"\r\nContent-Length: 0\r\n\r\n"); r.status != 405 {
		t.Errorf("POST to a document: %d", r.status)
	}
	first := w.get(t, "/.well-known/ramp.json", person)
	if first.header.Get("Content-Type") != "application/json" {
		t.Errorf("%v", first.header)
	}
}

func TestAnAddressMayBeGoodOnce(t *testing.T) {
	t.Parallel()
	w := start(t, "      fetches: 1\n      license: check\n", "")
	target := signed(t, "/premium/a", "txn-1")
	if r := w.get(t, target, robot); r.status != 200 {
		t.Errorf("once: %d", r.status)
	}
	if r := w.get(t, target, robot); r.status != 429 {
		t.Errorf("twice: %d", r.status)
	}
	other := signed(t, "/premium/a", "txn-2")
	if r := w.get(t, other, robot, "X-Agent-License-Id: somebody-else"); r.status != 403 {
		t.Errorf("another's licence: %d", r.status)
	}
	if r := w.get(t, other, robot, "X-Agent-License-Id: research-bot:buyer.example.com"); r.status != 200 {
		t.Errorf("its licence: %d %s", r.status, r.body)
	}
	w.End(t) // which tells what it has not told yet
	w.exchange.mu.Lock()
	defer w.exchange.mu.Unlock()
	if want := map[string]int64{
		"GPTBot delivered": 2, "GPTBot limited": 1, "GPTBot foreign": 1,
	}; !maps.Equal(w.exchange.sightings, want) {
		t.Errorf("told of %v, want %v", w.exchange.sightings, want)
	}
}

func TestAClosedSiteOpensToSignaturesAlone(t *testing.T) {
	t.Parallel()
	w := start(t, "      closed: true\n", "")
	for target, want := range map[string]int{
		"/premium/a": 403, "/secret/a": 403, "/news/a": 200, signed(t, "/premium/a", "txn-1"): 200,
	} {
		if r := w.get(t, target, person); r.status != want {
			t.Errorf("%s: %d, want %d", target, r.status, want)
		}
	}
}

func TestWhatTheExchangeSaidLastHoldsWhileItIsAway(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	w.get(t, signed(t, "/premium/a", "txn-1"), robot)
	w.exchange.told(t, 1)
	w.exchange.mu.Lock()
	w.exchange.away = true
	w.exchange.mu.Unlock()
	w.End(t)
	w.run(t) // without an Exchange
	if r := w.get(t, "/premium/a", robot); r.status != 403 || !strings.Contains(r.body, "licence") {
		t.Errorf("what is licensed: %d %s", r.status, r.body)
	}
	if r := w.get(t, "/news/a", robot); r.status != 200 {
		t.Errorf("what is open: %d", r.status)
	}
	if r := w.get(t, "/.well-known/ramp.json", person); r.body != manifest {
		t.Errorf("ramp.json: %d %s", r.status, r.body)
	}
	if r := w.get(t, signed(t, "/premium/a", "txn-2"), robot); r.status != 200 {
		t.Errorf("a signed address: %d", r.status)
	}
	w.exchange.mu.Lock()
	w.exchange.away = false
	w.exchange.policy = `{"default_policy": "RESOURCE_ACCESS_POLICY_LICENSED"}`
	w.exchange.mu.Unlock()
	if told := w.exchange.told(t, 2); told["txn-2"].State != wire.Ended {
		t.Errorf("what was delivered meanwhile is told as %+v", told["txn-2"])
	}
	w.becomes(t, "/news/a", robot, 403)
}

// TestPathsThatAreLicensedWhileNothingIsKnown are told of to agents with the document, opened to
// who comes with a signature, and to people.
func TestPathsThatAreLicensedWhileNothingIsKnown(t *testing.T) {
	t.Parallel()
	w := start(t, "      unknown: licensed\n", "")
	w.End(t)
	if err := os.RemoveAll(filepath.Join(w.dir, "data")); err != nil {
		t.Fatal(err)
	}
	w.exchange.mu.Lock()
	w.exchange.away = true
	w.exchange.mu.Unlock()
	w.run(t)
	w.origin.got()
	for target, status := range map[string]int{
		"/": 403, "/news/a": 403, "/secret/a?x=1": 403, signed(t, "/news/a", "txn-1"): 200,
	} {
		r := w.get(t, target, robot)
		if r.status != status ||
			status == 403 && (!strings.Contains(r.body, `"ramp_json_url":"`+site+`/.well-known/ramp.json"`) ||
				!strings.Contains(r.body, "licence") || r.header.Get("X-Content-Rules") == "") {
			t.Errorf("an agent at %s: %d %v %s", target, r.status, r.header, r.body)
		}
		if got := w.origin.got(); (len(got) > 0) != (status == 200) {
			t.Errorf("%s: the origin got %+v", target, got)
		}
	}
	if r := w.get(t, "/news/a", person); r.status != 200 || r.body != text("/news/a") ||
		r.header.Get("Vary") != "User-Agent" {
		t.Errorf("a person: %d %v %s", r.status, r.header, r.body)
	}
}

func TestAPolicyThatWasNeverKnownKeepsEverythingBack(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	w.End(t)
	if err := os.RemoveAll(filepath.Join(w.dir, "data")); err != nil {
		t.Fatal(err)
	}
	w.exchange.mu.Lock()
	w.exchange.away = true
	w.exchange.mu.Unlock()
	w.run(t)
	if r := w.get(t, "/news/a", robot); r.status != 403 || !strings.Contains(r.body, "not for AI agents") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := w.get(t, signed(t, "/premium/a", "txn-1"), robot); r.status != 403 {
		t.Errorf("a signed address: %d", r.status)
	}
	if r := w.get(t, "/news/a", person); r.status != 200 {
		t.Errorf("a person: %d", r.status)
	}
	if !strings.Contains(w.Log(), "never known") {
		t.Errorf("the log does not say so:\n%s", w.Log())
	}
}

func TestKeysChangeWhileItRuns(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	third := bytes.Repeat([]byte{9}, 32)
	target := signedWith(t, third, "/premium/a", "txn-1", time.Minute)
	if r := w.get(t, target, robot); r.status != 403 {
		t.Fatalf("with a key that is not known yet: %d", r.status)
	}
	w.write(t, "before.hex", "this is no key")
	w.write(t, "hmac.hex", hex.EncodeToString(third))
	w.becomes(t, target, robot, 200)
	if r := w.get(t, signedWith(t, before, "/premium/a", "txn-2", time.Minute), robot); r.status != 200 {
		t.Errorf("a file that cannot be read ended its key: %d", r.status)
	}
}

// becomes waits until a request is answered with a status.
func (w *world) becomes(t testing.TB, target, userAgent string, status int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		r := w.get(t, target, userAgent)
		if r.status == status {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is answered with %d, want %d: %s", target, r.status, status, r.body)
		}
		<-tick.C
	}
}

func TestAnOriginThatIsSlowDeadOrLyingIsToldAsSuch(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	forever := func(c net.Conn) { io.Copy(io.Discard, c) }
	for n, c := range []struct {
		name   string
		answer func(net.Conn, arrived) bool
		status int
		state  wire.State
		bytes  int64
	}{
		{"it says nothing", func(c net.Conn, _ arrived) bool { forever(c); return false }, 504, wire.Ended, 0},
		{"it hangs up", func(net.Conn, arrived) bool { return false }, 502, wire.Ended, 0},
		{"it speaks another language",
			func(c net.Conn, _ arrived) bool { io.WriteString(c, "SSH-2.0-x\r\n"); return false }, 502, wire.Ended, 0},
		{"its head has no end", func(c net.Conn, _ arrived) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(c, "X-A: "+strings.Repeat("a", 1000)+"\r\n"); err != nil {
					return false
				}
			}
		}, 502, wire.Ended, 0},
		{"it stops half-way", func(c net.Conn, _ arrived) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
			forever(c)
			return false
		}, 200, wire.Cut, 5},
		{"it hangs up half-way", func(c net.Conn, _ arrived) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
			return false
		}, 200, wire.Cut, 5},
		{"it hangs up in a chunk", func(c net.Conn, _ arrived) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n5\r\n12")
			return false
		}, 200, wire.Cut, 7},
		{"it says more than it announced", func(c net.Conn, _ arrived) bool {
			io.WriteString(c,
				"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
			return false
		}, 200, wire.Ended, 5},
		{"two lengths", func(c net.Conn, _ arrived) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456")
			return false
		}, 502, wire.Ended, 0},
		{"it has not got it", func(c net.Conn, _ arrived) bool {
			io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno")
			return true
		}, 404, wire.Ended, 2},
	} {
		w.origin.does(c.answer)
		transaction := fmt.Sprintf("txn-%d", n)
		r := w.get(t, signed(t, "/premium/a", transaction), robot)
		if r.status != c.status {
			t.Errorf("%s: %d, want %d: %s", c.name, r.status, c.status, r.body)
		}
		if strings.Contains(r.body, w.origin.Addr().String()) {
			t.Errorf("%s: the answer tells where the origin is: %s", c.name, r.body)
		}
		d := w.exchange.told(t, n+1)[transaction]
		if d.State != c.state || d.Status != c.status || d.Bytes != c.bytes {
			t.Errorf("%s: told as %+v", c.name, d)
		}
	}
	w.origin.does(nil)
	if r := w.get(t, "/news/a", person); r.status != 200 {
		t.Errorf("afterwards: %d", r.status)
	}
}

func TestASlowOriginHoldsUpItsOwnSiteAlone(t *testing.T) {
	t.Parallel()
	other := newOrigin(t)
	w := start(t, "      most: 2\n    - {domain: other.example.com, origin: \"http://"+other.Addr().String()+
		"\", unknown: open}\n", "")
	held := make(chan struct{})
	w.origin.does(func(c net.Conn, r arrived) bool { <-held; return plainly(c, r) })
	answers := make(chan reply, 2)
	for range 2 {
		go func() { answers <- w.get(t, "/news/a", person) }()
	}
	deadline := time.Now().Add(patience)
	for n := 0; n < 2 && time.Now().Before(deadline); {
		n += len(w.origin.got())
	}
	if r := w.get(t, "/news/b", person); r.status != 503 || r.header.Get("Retry-After") == "" {
		t.Errorf("a request too many for the origin: %d", r.status)
	}
	if r := w.say(t, "GET",
		"GET /x HTTP/1.1\r\nHost: other.example.com\r\nConnection: close\r\n\r\n"); r.status != 200 {
		t.Errorf("another site: %d %s", r.status, r.body)
	}
	close(held)
	for range 2 {
		if r := <-answers; r.status != 200 && r.status != 504 {
			t.Errorf("a request that waited: %d", r.status)
		}
	}
}

func TestAClientThatLeavesIsToldAsCut(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	w.origin.does(func(c net.Conn, _ arrived) bool {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		for { // without end
			if _, err := fmt.Fprintf(c, "%x\r\n%s\r\n", 4096, strings.Repeat("a", 4096)); err != nil {
				return false
			}
		}
	})
	c, err := net.Dial("tcp", w.Addr)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", signed(t, "/premium/a", "txn-1"), domain)
	io.ReadFull(bufio.NewReader(c), make([]byte, 100_000))
	c.Close()
	if d := w.exchange.told(t, 1)["txn-1"]; d.State != wire.Cut || d.Bytes < 90_000 {
		t.Errorf("told as %+v", d)
	}
}

func TestABodyThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	head := "POST /form HTTP/1.1\r\nHost: " + domain + "\r\n"
	if r := w.say(t, "POST", head+"Content-Length: 2000000\r\n\r\n"); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("announced: %d", r.status)
	}
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<16, strings.Repeat("a", 1<<16))
	if r := w.say(t, "POST", head+"Transfer-Encoding: chunked\r\n\r\n"+strings.Repeat(chunk, 20)+
		"0\r\n\r\n"); r.status != http.StatusRequestEntityTooLarge && r.status != 0 {
		t.Errorf("in chunks: %d", r.status)
	}
	if r := w.say(t, "POST", head+"Content-Length: 5\r\nConnection: close\r\n\r\nabcde"); r.status != 200 {
		t.Errorf("small: %d", r.status)
	}
	for _, got := range w.origin.got() {
		if len(got.body) > 1<<20 {
			t.Errorf("the origin got a body of %d bytes", len(got.body))
		}
	}
}

func TestWebSocketsPassWhereTheOwnerLetsThem(t *testing.T) {
	t.Parallel()
	w := start(t, "      upgrades: true\n", "")
	w.origin.does(func(c net.Conn, r arrived) bool {
		if r.header.Get("Upgrade") != "websocket" {
			return plainly(c, r)
		}
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		io.Copy(c, c)
		return false
	})
	c, err := net.Dial("tcp", w.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	io.WriteString(c, "GET /live HTTP/1.1\r\nHost: "+domain+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	in := bufio.NewReader(c)
	response, err := http.ReadResponse(in, nil)
	if err != nil || response.StatusCode != 101 {
		t.Fatalf("%v %v", response, err)
	}
	io.WriteString(c, "hello")
	echo := make([]byte, 5)
	if _, err := io.ReadFull(in, echo); err != nil || string(echo) != "hello" {
		t.Errorf("%q %v", echo, err)
	}
	raw := "GET %s HTTP/1.1\r\nHost: " + domain + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n%s\r\n"
	if r := w.say(t, "GET", fmt.Sprintf(raw, signed(t, "/premium/a", "txn-1"), "")); r.status != 501 {
		t.Errorf("at a signed address: %d", r.status)
	}
	if r := w.say(t, "GET", fmt.Sprintf(raw, "/premium/a", "User-Agent: "+robot+"\r\n")); r.status != 403 {
		t.Errorf("an agent without a licence: %d", r.status)
	}
}
