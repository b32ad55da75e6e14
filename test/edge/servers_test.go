package edge

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	wire "frontdesk/wire/edge"
)

var asking = regexp.MustCompile(`msg="servers may ask whether requests pass" address=(\S+)`)

// auth is where servers ask the edge.
func (w *world) auth(t testing.TB) string {
	t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if found := asking.FindStringSubmatch(w.Log()); found != nil {
			return found[1]
		}
	}
	t.Fatalf("the log does not tell where servers may ask:\n%s", w.Log())
	return ""
}

// shown is the configuration that docs/edge.md shows behind a line, with what is of this world put
// in for what is of the example.
func (w *world) shown(t *testing.T, begin string, of map[string]string) string {
	t.Helper()
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(filepath.Join(root, "docs", "edge.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(docs), begin)
	block, _, end := strings.Cut(block, "```")
	if !ok || !end {
		t.Fatalf("docs/edge.md shows nothing behind %q", begin)
	}
	for old, fresh := range of {
		if !strings.Contains(block, old) {
			t.Fatalf("the configuration in docs/edge.md has no %q any more", old)
		}
		block = strings.ReplaceAll(block, old, fresh)
	}
	return block
}

// program is where a program is that the tests need.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("FRONTDESK_TEST_ALL") != "" {
			t.Fatalf("%s is missing: apt-get install %s", name, name)
		}
		t.Skip(name + " is missing")
	}
	return path
}

// unused is an address that nobody listens on.
func unused(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

// serves runs a server until the test ends, and returns when it answers at an address.
func serves(t *testing.T, address string, command *exec.Cmd) {
	t.Helper()
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(os.Interrupt)
		command.Wait()
	})
	deadline, tick := time.Now().Add(patience), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer", command.Path)
		}
		<-tick.C // it tells nobody when it is ready
	}
}

// nginx runs Debian's nginx with the configuration that docs/edge.md shows, before the world's
// origin, and gives its address.
func (w *world) nginx(t *testing.T) string {
	t.Helper()
	path, address, home := program(t, "nginx"), unused(t), t.TempDir()
	block := w.shown(t, "```nginx\n", map[string]string{
		"listen 80;": "listen " + address + ";", "server 127.0.0.1:8091;": "server " + w.auth(t) + ";",
		"server 127.0.0.1:3000;":   "server " + w.origin.Addr().String() + ";",
		"/var/log/nginx/edge.json": filepath.Join(w.dir, "edge.json"),
	})
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	conf := user + "daemon off;\npid " + home + "/pid;\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\n" +
		"client_body_temp_path " + home + "/b;\nproxy_temp_path " + home +
		"/p;\nfastcgi_temp_path " + home + "/f;\nuwsgi_temp_path " + home + "/u;\nscgi_temp_path " + home + "/s;\n" +
		block + "}\n"
	file := filepath.Join(home, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	serves(t, address, exec.Command(path, "-p", home, "-c", file))
	return address
}

// caddy runs Debian's Caddy as nginx runs nginx.
func (w *world) caddy(t *testing.T) string {
	t.Helper()
	path, address, home := program(t, "caddy"), unused(t), t.TempDir()
	_, port, _ := net.SplitHostPort(address)
	block := w.shown(t, "passes the edge's refusals on to the client:\n\n```\n", map[string]string{
		"www.example.com {": "http://www.example.com:" + port + " {\n\tbind 127.0.0.1", "127.0.0.1:8091": w.auth(t),
		"127.0.0.1:3000": w.origin.Addr().String(),
	})
	file := filepath.Join(home, "Caddyfile")
	if err := os.WriteFile(file, []byte("{\n\tadmin off\n\tauto_https off\n}\n"+block), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, "run", "--config", file, "--adapter", "caddyfile")
	command.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	serves(t, address, command)
	return address
}

// judged are requests at a server that asks the edge, and what becomes of them.
func judged(t *testing.T) []struct {
	target, userAgent string
	status            int
	body              string
} {
	return []struct {
		target, userAgent string
		status            int
		body              string
	}{
		{"/news/a?x=1", person, 200, text("/news/a")},
		{"/news/a?x=%zz&%41;b", person, 200, text("/news/a")},
		{"/news/%7Ea%2C%21b/", person, 200, text("/news/%7Ea%2C%21b/")},
		{"/news/a", robot, 200, text("/news/a")},
		{"/premium/a", person, 200, text("/premium/a")},
		{"/premium/a", robot, 403, "licence"},
		{"/premium/a?x=1", robot, 403, "licence"},
		{"/PREMIUM/a", robot, 403, "licence"},
		{"/premium;x/a", robot, 403, "licence"},
		{"/secret/a", robot, 403, "not for AI agents"},
		{"/%70remium/a", robot, 403, "licence"},
		{"/%2570remium/a", robot, 403, "licence"},
		{"/news/../premium/a", robot, 400, ""},
		{"/news/%2e%2e/premium/a", robot, 400, ""},
		{"/news/%252e%252e/premium/a", robot, 400, ""},
		{"/.well-known/ramp-verify/../../premium/a", robot, 400, ""},
		{"/.well-known/ramp-verify/%2e%2e/%2e%2e/premium/a", robot, 400, ""},
		{"/premium%2Fa", robot, 400, ""},
		{"/premium%5Ca", robot, 400, ""},
		{"/premium%00/a", robot, 400, ""},
		{"//premium/a", robot, 403, "licence"},
		{"/premium%3Fa", robot, 403, "licence"},
		{signed(t, "/premium/a", "txn-1"), robot, 200, text("/premium/a")},
		{signed(t, "/premium/a", "txn-1") + "&x=1", robot, 403, ""},
		{signed(t, "/premium/a", "txn-1") + "0", person, 403, ""},
		{signed(t, "/premium/%61", "txn-5"), robot, 200, text("/premium/%61")},
		{"/.well-known/ramp.json", robot, 200, manifest},
		{"/.well-known/ramp-verify/challenge-0123456789", robot, 200, "challenge-0123456789"},
		{"/.well-known/ramp-verify/another-0123456789", robot, 200,
			text("/.well-known/ramp-verify/another-0123456789")},
		{"/rsl.txt", person, 200, text("/rsl.txt")},
	}
}

func TestNginxAsksAndTellsWhatItDelivered(t *testing.T) {
	t.Parallel()
	w := start(t, "      tokens: [challenge-0123456789]\n", "")
	gate := *w.Server
	behind := &world{Server: &gate, exchange: w.exchange, origin: w.origin, dir: w.dir}
	behind.Addr = w.nginx(t)
	big := strings.Repeat("a", 1<<20)
	w.origin.does(func(c net.Conn, r arrived) bool {
		if strings.HasPrefix(r.target, "/premium/big") {
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(big), big)
			return true
		}
		return plainly(c, r)
	})
	all := append(judged(t), judged(t)[0])
	all[len(all)-1].target, all[len(all)-1].userAgent, all[len(all)-1].body = signed(t, "/premium/big", "txn-2"),
		robot, big
	for _, c := range all {
		r := behind.get(t, c.target, c.userAgent)
		if r.status != c.status || !strings.Contains(r.body, c.body) {
			t.Errorf("%s as %s: %d %.200s, want %d %.50s", c.target, c.userAgent, r.status, r.body, c.status, c.body)
		}
		for _, got := range w.origin.got() {
			if strings.Contains(got.target, "sig=") || c.status != 200 {
				t.Errorf("%s: the origin got %s", c.target, got.target)
			}
		}
	}
	for target, want := range map[string]string{signed(t, "/premium/a", "txn-6"): "[private, no-store] [User-Agent]",
		"/premium/a": "[max-age=60] [User-Agent]", "/news/a": "[max-age=60] []"} {
		w.origin.does(func(c net.Conn, _ arrived) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nok")
			return true
		})
		r := behind.get(t, target, person, "X-Original-URL: /premium/b", "X-Rewrite-URL: /premium/b",
			"X-Edge-Transaction: txn-0", "X-Edge-Vary: User-Agent", "X-Agent-License-Id: x")
		if got := fmt.Sprint(r.header["Cache-Control"], r.header["Vary"]); r.status != 200 || got != want {
			t.Errorf("%s: %d %s, want %s", target, r.status, got, want)
		}
		got := w.origin.got()
		if len(got) != 1 || got[0].header.Get("X-Original-Url")+got[0].header.Get("X-Rewrite-Url")+
			got[0].header.Get("X-Edge-Transaction")+got[0].header.Get("X-Agent-License-Id") != "" {
			t.Errorf("%s: the origin got %+v", target, got)
		}
	}
	told := w.exchange.told(t, 4)
	if d := told["txn-1"]; d.State != wire.Ended || d.Status != 200 || d.Bytes != int64(len(text("/premium/a"))) ||
		d.URI != site+"/premium/a" || d.Agent != agent || d.Form != "hmac" {
		t.Errorf("told as %+v", d)
	}
	if d := told["txn-2"]; d.State != wire.Ended || d.Bytes != 1<<20 {
		t.Errorf("told as %+v", d)
	}
	for range 110 {
		behind.get(t, "/premium/a", robot)
	}
	if r := behind.get(t, "/premium/a", robot); r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("after many: %d %v", r.status, r.header)
	}
	if r := behind.get(t, signed(t, "/premium/a", "txn-3"), robot); r.status != 200 ||
		!strings.Contains(strings.Join(r.header.Values("Cache-Control"), ","), "no-store") {
		t.Errorf("a licence after many: %d %v", r.status, r.header)
	}
	// A client that leaves in the middle.
	w.origin.does(func(c net.Conn, _ arrived) bool {
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", 64<<20, big)
		for range 63 {
			if _, err := c.Write([]byte(big)); err != nil {
				return false
			}
		}
		return false
	})
	c, err := net.Dial("tcp", behind.Addr)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", signed(t, "/premium/big", "txn-4"), domain)
	c.Read(make([]byte, 1000))
	c.Close()
	if d := w.exchange.told(t, 6)["txn-4"]; d.State != wire.Cut || d.Bytes == 0 || d.Bytes >= 64<<20 {
		t.Errorf("told as %+v", d)
	}
}

// TestALogThatNobodyFollowedIsImported, and what is told twice counts once.
func TestALogThatNobodyFollowedIsImported(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	line := `{"delivery":"dlv_7","transaction":"txn-7","agent":"ab","form":"hmac","uri":"https://www.example.com/a","status":200,"bytes":17,"ended":1790000000.25,"seconds":0.25,"completion":"OK"}` + "\n"
	w.write(t, "old.json", line+line+"garbage\n")
	for range 2 {
		output, errors := process.MustRun(t, "edge", "import", "--config", filepath.Join(w.dir, "edge.yaml"),
			filepath.Join(w.dir, "old.json")), ""
		if !strings.Contains(output+errors, "knows of 2 deliveries") {
			t.Errorf("it says %q", output)
		}
	}
	if d := w.exchange.told(t, 1)["txn-7"]; d.Bytes != 17 || d.State != wire.Ended {
		t.Errorf("told as %+v", d)
	}
}

// TestCaddyAsks holds the configuration that docs/edge.md shows to Caddy itself.
func TestCaddyAsks(t *testing.T) {
	t.Parallel()
	w := start(t, "      tokens: [challenge-0123456789]\n", "")
	gate := *w.Server
	behind := &world{Server: &gate, exchange: w.exchange, origin: w.origin, dir: w.dir}
	behind.Addr = w.caddy(t)
	for _, c := range judged(t) {
		r := behind.get(t, c.target, c.userAgent)
		if r.status != c.status || !strings.Contains(r.body, c.body) {
			t.Errorf("%s as %s: %d %.200s, want %d %.50s", c.target, c.userAgent, r.status, r.body, c.status, c.body)
		}
		for _, got := range w.origin.got() {
			if strings.Contains(got.target, "sig=") || c.status != 200 {
				t.Errorf("%s: the origin got %s", c.target, got.target)
			}
		}
	}
	w.origin.does(func(c net.Conn, _ arrived) bool {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nok")
		return true
	})
	for target, want := range map[string]string{signed(t, "/premium/a", "txn-6"): "[private, no-store] [User-Agent]",
		"/premium/a": "[max-age=60] [User-Agent]", "/news/a": "[max-age=60] []"} {
		r := behind.get(t, target, person, "X-Original-URL: /premium/b", "X-Rewrite-URL: /premium/b",
			"X-Edge-Transaction: txn-0", "X-Edge-Delivery: dlv-0", "X-Edge-Vary: User-Agent",
			"X-Edge-Signature: a", "X-Edge-Uri: /premium/b", "X-Agent-License-Id: x")
		if got := fmt.Sprint(r.header["Cache-Control"], r.header["Vary"]); r.status != 200 || got != want {
			t.Errorf("%s: %d %s, want %s", target, r.status, got, want)
		}
		path, _, _ := strings.Cut(target, "?")
		got := w.origin.got()
		if len(got) != 1 || got[0].target != path {
			t.Errorf("%s: the origin got %+v", target, got)
			continue
		}
		for name := range got[0].header {
			if strings.HasPrefix(name, "X-Edge-") || strings.HasPrefix(name, "X-Original-") ||
				strings.HasPrefix(name, "X-Rewrite-") || name == "X-Agent-License-Id" {
				t.Errorf("%s: the origin got the header %s: %v", target, name, got[0].header[name])
			}
		}
	}
	if r := behind.say(t, "POST", "POST "+signed(t, "/premium/a", "txn-7")+" HTTP/1.1\r\nHost: "+domain+
		"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"); r.status != 405 {
		t.Errorf("POST to a signed address: %d", r.status)
	}
	deadline := time.Now().Add(patience)
	for n := 0; n < 3; { // Caddy tells nobody how a delivery ended
		if time.Now().After(deadline) {
			t.Fatalf("the Exchange was told of %d deliveries that began", n)
		}
		n = 0
		w.exchange.mu.Lock()
		for _, d := range w.exchange.deliveries {
			if d.State == wire.Begun && d.Bytes == 1<<20 && d.Transaction != "" {
				n++
			}
		}
		w.exchange.mu.Unlock()
	}
}

// TestCaddysForwardAuth holds to what Caddy's forward_auth does: a GET with the method, host and
// address of the request in X-Forwarded headers; 2xx lets it pass with headers that are copied,
// anything else is the client's answer.
func TestCaddysForwardAuth(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	ask := func(path, method, target, userAgent string) *http.Response {
		t.Helper()
		r, _ := http.NewRequest("GET", "http://"+w.auth(t)+path, nil)
		r.Header = http.Header{"User-Agent": {userAgent}, "X-Forwarded-For": {"192.0.2.1"}}
		prefix := "X-Forwarded-"
		if path == "/answer" {
			prefix = "X-Original-"
		}
		r.Header.Set(prefix+"Method", method)
		r.Header.Set(prefix+"Host", domain)
		r.Header.Set(prefix+"Uri", target)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	if r := ask("/auth", "GET", "/news/a?x=1", robot); r.StatusCode != 204 ||
		r.Header.Get("X-Edge-Uri") != "/news/a?x=1" || r.Header.Get("X-Edge-Delivery") != "" {
		t.Errorf("what is open: %d %v", r.StatusCode, r.Header)
	}
	r := ask("/auth", "GET", "/premium/a", robot)
	var document map[string]string
	if err := json.NewDecoder(r.Body).Decode(&document); err != nil || r.StatusCode != 403 ||
		document["protocol"] != "RAMP" || r.Header.Get("X-Content-Rules") == "" {
		t.Errorf("what is licensed: %d %v %v", r.StatusCode, document, err)
	}
	r = ask("/auth", "GET", signed(t, "/premium/a", "txn-1"), robot)
	if r.StatusCode != 204 || r.Header.Get("X-Edge-Uri") != "/premium/a" || r.Header.Get("X-Edge-Delivery") == "" ||
		r.Header.Get("X-Edge-Transaction") != "txn-1" ||
		r.Header.Get("X-Edge-Content") != site+"/premium/a" {
		t.Errorf("a signed address: %d %v", r.StatusCode, r.Header)
	}
	if r := ask("/auth", "POST", signed(t, "/premium/a", "txn-2"), robot); r.StatusCode != 405 {
		t.Errorf("POST to a signed address: %d", r.StatusCode)
	}
	if r := ask("/auth", "", "/premium/a", robot); r.StatusCode != 500 {
		t.Errorf("a server that does not say what it took: %d", r.StatusCode)
	}
	if r := ask("/answer", "GET", "/.well-known/ramp.json", robot); r.StatusCode != 200 ||
		r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("ramp.json: %d %v", r.StatusCode, r.Header)
	}
	if r := w.get(t, "/auth", person, "X-Forwarded-Method: GET",
		"X-Forwarded-Uri: /premium/a"); r.body != text("/auth") {
		t.Errorf("anybody can ask: %d %s", r.status, r.body)
	}
}
