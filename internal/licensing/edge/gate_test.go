package edge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/licensing/edge/deliverylog"
	"frontdesk/internal/testkit/clock"
	wire "frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// gateBefore is a gate on a socket before an origin that answers as is told, by hand; change may
// set up its site.
func gateBefore(t *testing.T, origin func(net.Conn, *http.Request) bool, change func(*Config, *Site)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					io.Copy(io.Discard, r.Body)
					if !origin(c, r) {
						return
					}
				}
			}()
		}
	}()
	records, err := deliverylog.Open(deliverylog.Config{Dir: t.TempDir(), Sync: time.Hour,
		Ship: func(context.Context, wire.Batch) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { records.Close() })
	policy := NewPolicy(Licensed, []Rule{{"/open/*", Open, nil}})
	site := Site{
		Domain: "www.example.com", Hosts: []string{"www.example.com", "other.example.com:8443"},
		URL: "https://www.example.com", Policy: func() *Policy { return policy },
		Keys: func(context.Context) ([]sign.URLKey, error) {
			return []sign.URLKey{{Form: sign.URLHMAC, Secret: []byte(strings.Repeat("k", 32))}}, nil
		},
		Origin: NewOrigin(OriginConfig{URL: &url.URL{Scheme: "http", Host: l.Addr().String()}, Timeout: 5 * time.Second,
			Stall: 5 * time.Second, Client: time.Minute, MaxRequests: 1, Body: 1 << 20}),
	}
	config := Config{Deliveries: records, Client: func(*http.Request) netip.Addr { return netip.Addr{} }}
	if change != nil {
		change(&config, &site)
	}
	config.Sites = []Site{site}
	gate := New(config)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "ours")
		w.Header().Set("Strict-Transport-Security", "max-age=1")
		gate.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// opens is path and query of an address that gateBefore's key has signed.
func opens(t *testing.T, path, transaction string) string {
	t.Helper()
	set := sign.URLKeys{Origin: "https://www.example.com",
		Keys: []sign.URLKey{{Form: sign.URLHMAC, Secret: []byte(strings.Repeat("k", 32))}}}
	address, err := set.Sign("https://www.example.com"+path,
		sign.URLGrant{Expires: time.Now().Add(time.Minute), Agent: "abc", Transaction: transaction}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(address, "https://www.example.com")
}

// say sends raw text, in which HOST is the site, and reads the answer to a GET.
func say(t *testing.T, address, raw string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, strings.ReplaceAll(raw, "HOST", "Host: www.example.com"))
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return response, string(body)
}

func fine(c net.Conn, _ *http.Request) bool {
	io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	return true
}

// TestWhatAnOriginSaysEarly costs the answer none of this server's headers, and is not listened to
// without end.
func TestWhatAnOriginSaysEarly(t *testing.T) {
	t.Parallel()
	address := gateBefore(t, func(c net.Conn, r *http.Request) bool {
		if r.URL.Path == "/open/flood" {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"); err != nil {
					return false
				}
			}
		}
		io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"+
			"HTTP/1.1 200 OK\r\nX-Request-Id: theirs\r\nStrict-Transport-Security: max-age=0\r\nAlt-Svc: "+
			"h3=\":443\"\r\nContent-Length: 2\r\n\r\nok")
		return true
	}, nil)
	r, body := say(t, address, "GET /open/a HTTP/1.1\r\nHOST\r\n\r\n")
	if r.StatusCode != 200 || body != "ok" ||
		fmt.Sprint(r.Header["X-Request-Id"], r.Header["Strict-Transport-Security"], r.Header["Alt-Svc"]) !=
			"[ours] [max-age=1] []" {
		t.Errorf("%d %v %s", r.StatusCode, r.Header, body)
	}
	if r, body := say(t, address, "GET /open/flood HTTP/1.1\r\nHOST\r\n\r\n"); r.StatusCode != 502 ||
		r.Header.Get("X-Request-Id") != "ours" {
		t.Errorf("without end: %d %v %s", r.StatusCode, r.Header, body)
	}
}

// TestNoCacheIsToldToKeepWhatWasBought, in whichever header an origin says so to caches of one
// kind. What is open is its own matter.
func TestNoCacheIsToldToKeepWhatWasBought(t *testing.T) {
	t.Parallel()
	names := []string{"CDN-Cache-Control", "Acme-CDN-Cache-Control", "X-LiteSpeed-Cache-Control", "Surrogate-Control",
		"Edge-Control", "X-Accel-Expires"}
	address := gateBefore(t, func(c net.Conn, _ *http.Request) bool {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nCache-Control: public\r\n"+strings.Join(names, ": max-age=9\r\n")+
			": max-age=9\r\nContent-Length: 2\r\n\r\nok")
		return true
	}, nil)
	for target, left := range map[string]int{opens(t, "/premium/a", "txn-1"): 0, "/open/a": len(names)} {
		r, _ := say(t, address, "GET "+target+" HTTP/1.1\r\nHOST\r\n\r\n")
		n := 0
		for _, name := range names {
			n += len(r.Header.Values(name))
		}
		if r.StatusCode != 200 || n != left || (r.Header.Get("Cache-Control") == "public") != (left > 0) {
			t.Errorf("%s: %d %v", target, r.StatusCode, r.Header)
		}
	}
}

// TestHeadersThatClaimAnotherRequest do not come to the origin, in whatever spelling, nor behind
// the body.
func TestHeadersThatClaimAnotherRequest(t *testing.T) {
	t.Parallel()
	got := make(chan *http.Request, 1)
	address := gateBefore(t, func(c net.Conn, r *http.Request) bool {
		got <- r
		return fine(c, r)
	}, nil)
	claims := []string{
		"X-Original-URL", "X-Original-URI", "X-Original-Path", "X-Rewrite-URL", "X-Rewrite-Uri", "X-Forwarded-Uri",
		"X-Forwarded-Client-Cert", "X-Forwarded-Ssl", "X-Forwarded-User", "X-Forwarded",
		"X-HTTP-Method-Override", "X-Method-Override", "X-Override-URL", "X-Real-IP", "Client-IP", "X-Client-IP",
		"X-Remote-Addr", "X-Envoy-Original-Path", "X-Sendfile-Type", "X-Accel-Mapping",
		"X-Edge-Transaction", "X-Edge-Uri", "X-Agent-License-Id", "Forwarded", "Proxy", "X_Original_URL",
		"x_forwarded_user", "X-Edge_Transaction",
	}
	raw := "GET /open/a HTTP/1.1\r\nHOST\r\nX-Kept: a\r\nX_Kept: b\r\n"
	for _, name := range claims {
		raw += name + ": claimed\r\n"
	}
	if r, _ := say(t, address, raw+"\r\n"); r.StatusCode != 200 {
		t.Fatal(r.StatusCode)
	}
	r := <-got
	for name, values := range r.Header {
		if strings.Contains(strings.Join(values, ","), "claimed") {
			t.Errorf("the origin got %s: %v", name, values)
		}
	}
	if r.Header.Get("X-Kept") != "a" || r.Header["X_kept"][0] != "b" {
		t.Errorf("other headers are lost: %v", r.Header)
	}
	say(t, address, "POST /open/a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\nTrailer: "+
		"X-Original-Url\r\n\r\n1\r\na\r\n0\r\nX-Original-Url: claimed\r\n\r\n")
	if r = <-got; len(r.Trailer) > 0 || r.Header.Get("Trailer") != "" {
		t.Errorf("the origin got the trailers %v %v", r.Trailer, r.Header)
	}
}

// TestABodyThatIsBrokenIsNoFaultOfTheOrigin has clients send what is no body, or half of one.
func TestABodyThatIsBrokenIsNoFaultOfTheOrigin(t *testing.T) {
	t.Parallel()
	address := gateBefore(t, fine, nil)
	for name, rest := range map[string]string{"no chunk": "hello\r\n", "a chunk without its end": "2\r\nabXX",
		"a size beyond all": "fffffffffffffffff\r\na"} {
		if r, body := say(t, address, "POST /open/a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n"+
			rest); r.StatusCode != 400 {
			t.Errorf("%s: %d %s", name, r.StatusCode, body)
		}
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, "POST /open/a HTTP/1.1\r\nHost: www.example.com\r\nContent-Length: 10\r\n\r\nhalf")
	c.(*net.TCPConn).CloseWrite()
	if r, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil && r.StatusCode != 400 {
		t.Errorf("half a body: %d", r.StatusCode)
	}
	if r, body := say(t, address, "GET /open/a HTTP/1.1\r\nHOST\r\n\r\n"); r.StatusCode != 200 {
		t.Errorf("afterwards: %d %s", r.StatusCode, body)
	}
}

// TestAHostMayNameThePortThatItNeedNot holds which spellings of Host are a site's.
func TestAHostMayNameThePortThatItNeedNot(t *testing.T) {
	t.Parallel()
	hosts := make(chan string, 1)
	address := gateBefore(t, func(c net.Conn, r *http.Request) bool {
		hosts <- r.Host
		return fine(c, r)
	}, nil)
	for host, want := range map[string]string{
		"www.example.com": "www.example.com", "WWW.Example.COM": "www.example.com",
		"www.example.com:443": "www.example.com:443", "www.example.com:80": "www.example.com:80",
		"other.example.com:8443": "other.example.com:8443", "www.example.com:8443": "", "www.example.com:": "",
		"other.example.com": "", "other.example.com:443": "",
		"www.example.com.": "", "xwww.example.com": "", "www.example.com:443:443": "", "[::1%25eth0]": "",
		"[::1]:80": "",
	} {
		r, body := say(t, address, "GET /open/a HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		switch {
		case want == "" && r.StatusCode != http.StatusMisdirectedRequest && r.StatusCode != http.StatusBadRequest:
			t.Errorf("%s: %d %s", host, r.StatusCode, body)
		case want != "" && r.StatusCode != 200:
			t.Errorf("%s: %d %s", host, r.StatusCode, body)
		case want != "":
			if got := <-hosts; got != want {
				t.Errorf("%s came to the origin as %s", host, got)
			}
		}
	}
}

// TestWhatIsNotDeliveredForLackOfRoomIsNotFetched: an address that is good once is still good after
// a 503.
func TestWhatIsNotDeliveredForLackOfRoomIsNotFetched(t *testing.T) {
	t.Parallel()
	held, arrived := make(chan bool), make(chan bool)
	var records *deliverylog.Log
	address := gateBefore(t, func(c net.Conn, r *http.Request) bool {
		if r.URL.Path == "/open/held" {
			arrived <- true
			<-held
		}
		return fine(c, r)
	}, func(config *Config, site *Site) { site.Fetches, records = 1, config.Deliveries })
	done := make(chan bool)
	go func() {
		defer close(done)
		say(t, address, "GET /open/held HTTP/1.1\r\nHOST\r\n\r\n")
	}()
	<-arrived
	target := "GET " + opens(t, "/a", "txn-1") + " HTTP/1.1\r\nHOST\r\n\r\n"
	for range 2 {
		if r, body := say(t, address, target); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
			t.Errorf("while the origin is busy: %d %s", r.StatusCode, body)
		}
	}
	close(held)
	<-done
	for _, want := range []int{200, 429} {
		r, body := say(t, address, target)
		// the request before it has its answer, and the place a moment longer
		for r.StatusCode == 503 && t.Context().Err() == nil {
			runtime.Gosched()
			r, body = say(t, address, target)
		}
		if r.StatusCode != want {
			t.Errorf("afterwards: %d %s, want %d", r.StatusCode, body, want)
		}
	}
	if err := records.Close(); err != nil {
		t.Fatal(err)
	}
	if r, body := say(t, address, "GET "+opens(t, "/a", "txn-2")+" HTTP/1.1\r\nHOST\r\n\r\n"); r.StatusCode != 503 {
		t.Errorf("while nothing can be recorded: %d %s", r.StatusCode, body)
	}
}

// TestTokensAreAnsweredForAWhile holds their form, their number and their life.
func TestTokensAreAnsweredForAWhile(t *testing.T) {
	t.Parallel()
	now, path := clock.At(time.Now()), filepath.Join(t.TempDir(), "tokens")
	tokens := NewTokens([]string{"configured-1"}, path, now.Now, slog.New(slog.DiscardHandler))
	var nobody *Tokens
	if nobody.Has("configured-1") || !tokens.Has("configured-1") || tokens.Has("configured-2") || tokens.Has("") {
		t.Error("tokens of a configuration")
	}
	write := func(text string) {
		t.Helper()
		now.Advance(lookEvery)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("written-1\r\n\n short \n../../../etc\nwritten-2/x\nwritten-3\n")
	for token, want := range map[string]bool{"written-1": true, "written-3": true, "short": false,
		"../../../etc": false, "written-2/x": false, "written-2": false, "configured-1": true} {
		if tokens.Has(token) != want {
			t.Errorf("%q: %t", token, !want)
		}
	}
	var many strings.Builder
	for n := range 2 * MaxTokens {
		fmt.Fprintf(&many, "one-of-many-%d\n", n)
	}
	write(many.String())
	answered := 0
	for n := range 2 * MaxTokens {
		if tokens.Has(fmt.Sprintf("one-of-many-%d", n)) {
			answered++
		}
	}
	if answered != MaxTokens || tokens.Has("written-1") {
		t.Errorf("of %d tokens %d are answered; one of before: %t", 2*MaxTokens, answered, tokens.Has("written-1"))
	}
	now.Advance(TokenLife + time.Minute)
	if tokens.Has("configured-1") || tokens.Has("one-of-many-0") {
		t.Error("a token is answered after its life")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	now.Advance(-TokenLife - time.Minute)
	if tokens.Has("one-of-many-0") {
		t.Error("a token is answered whose file is gone")
	}
	for text, want := range map[string]bool{strings.Repeat("a", 7): false, strings.Repeat("a", 8): true,
		strings.Repeat("a", 256): true, strings.Repeat("a", 257): false, "........": false, "aaaa%2faa": false,
		"a b c d e": false} {
		if IsToken(text) != want {
			t.Errorf("%.20q is a token: %t", text, !want)
		}
	}
}

// TestServersThatAskAreGivenDocuments: nginx is told no, and gets the document as the answer.
func TestServersThatAskAreGivenDocuments(t *testing.T) {
	t.Parallel()
	gateBefore(t, fine, func(config *Config, site *Site) {
		site.Tokens = NewTokens([]string{"challenge-1"}, "", time.Now, nil)
		site.Documents = func(path string) http.Handler {
			if path != ManifestPath {
				return nil
			}
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "manifest") })
		}
		config.Sites = []Site{*site}
		auth := New(*config).Auth(nil)
		for target, want := range map[string]string{
			ManifestPath: "403 200 manifest", RSLPath: "204 404", ChallengePath + "challenge-1": "403 200 challenge-1",
			ChallengePath + "another-1": "204 404", ManifestPath + "?a=b": "403 200 manifest",
		} {
			got := ""
			for _, path := range []string{AuthRequestPath, AnswerPath} {
				r := httptest.NewRequest("GET", path, nil)
				r.Header = http.Header{"X-Original-Method": {"GET"}, "X-Original-Host": {"www.example.com"},
					"X-Original-Uri": {target}}
				w := httptest.NewRecorder()
				auth.ServeHTTP(w, r)
				got += fmt.Sprint(" ", w.Code)
				if w.Code == 200 {
					got += " " + strings.TrimSpace(w.Body.String())
				}
			}
			if got != " "+want {
				t.Errorf("%s:%s, want %s", target, got, want)
			}
		}
		config.Sites = nil
	})
}
