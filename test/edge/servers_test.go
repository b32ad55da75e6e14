package edge

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/test/process"
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

// nginx runs Debian's nginx with the configuration that docs/edge.md shows, before the world's origin, and gives its address.
func (w *world) nginx(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		if os.Getenv("FRONTDESK_TEST_ALL") != "" {
			t.Fatal("nginx is missing: apt-get install nginx")
		}
		t.Skip("nginx is missing")
	}
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(filepath.Join(root, "docs", "edge.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(docs), "```nginx\n")
	block, _, end := strings.Cut(block, "```")
	if !ok || !end {
		t.Fatal("docs/edge.md shows no configuration of nginx")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	for old, fresh := range map[string]string{
		"listen 80;": "listen " + address + ";", "server 127.0.0.1:8091;": "server " + w.auth(t) + ";", "server 127.0.0.1:3000;": "server " + w.origin.Addr().String() + ";",
		"/var/log/nginx/edge.json": filepath.Join(w.dir, "edge.json"),
	} {
		if !strings.Contains(block, old) {
			t.Fatalf("the configuration in docs/edge.md has no %q any more", old)
		}
		block = strings.ReplaceAll(block, old, fresh)
	}
	home := t.TempDir()
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	conf := user + "daemon off;\npid " + home + "/pid;\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path " + home + "/b;\nproxy_temp_path " + home +
		"/p;\nfastcgi_temp_path " + home + "/f;\nuwsgi_temp_path " + home + "/u;\nscgi_temp_path " + home + "/s;\n" + block + "}\n"
	file := filepath.Join(home, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, "-p", home, "-c", file)
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
			return address
		}
		if time.Now().After(deadline) {
			t.Fatal("nginx does not answer")
		}
		<-tick.C // it tells nobody when it is ready
	}
}

func TestNginxAsksAndTellsWhatItDelivered(t *testing.T) {
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
	for _, c := range []struct {
		target, userAgent string
		status            int
		body              string
	}{
		{"/news/a?x=1", person, 200, text("/news/a")},
		{"/news/a", robot, 200, text("/news/a")},
		{"/premium/a", person, 200, text("/premium/a")},
		{"/premium/a", robot, 403, "licence"},
		{"/secret/a", robot, 403, "not for AI agents"},
		{"/%70remium/a", robot, 403, "licence"},
		{"/news/../premium/a", robot, 400, ""},
		{"//premium/a", robot, 403, "licence"},
		{signed(t, "/premium/a", "txn-1"), robot, 200, text("/premium/a")},
		{signed(t, "/premium/a", "txn-1") + "&x=1", robot, 403, ""},
		{signed(t, "/premium/big", "txn-2"), robot, 200, big},
		{"/.well-known/ramp.json", robot, 200, manifest},
		{"/.well-known/ramp-verify/challenge-0123456789", robot, 200, "challenge-0123456789"},
	} {
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
	told := w.exchange.told(t, 2)
	if d := told["txn-1"]; d.State != wire.Ended || d.Status != 200 || d.Bytes != int64(len(text("/premium/a"))) || d.URI != site+"/premium/a" || d.Agent != agent || d.Form != "hmac" {
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
	if r := behind.get(t, signed(t, "/premium/a", "txn-3"), robot); r.status != 200 || !strings.Contains(strings.Join(r.header.Values("Cache-Control"), ","), "no-store") {
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
	if d := w.exchange.told(t, 4)["txn-4"]; d.State != wire.Cut || d.Bytes == 0 || d.Bytes >= 64<<20 {
		t.Errorf("told as %+v", d)
	}
}

// TestALogThatNobodyFollowedIsImported, and what is told twice counts once.
func TestALogThatNobodyFollowedIsImported(t *testing.T) {
	w := start(t, "", "")
	line := `{"delivery":"dlv_7","transaction":"txn-7","agent":"ab","form":"hmac","uri":"https://www.example.com/a","status":200,"bytes":17,"ended":1790000000.25,"seconds":0.25,"completion":"OK"}` + "\n"
	w.write(t, "old.json", line+line+"garbage\n")
	for range 2 {
		output, errors := process.MustRun(t, "edge", "import", "--config", filepath.Join(w.dir, "edge.yaml"), filepath.Join(w.dir, "old.json")), ""
		if !strings.Contains(output+errors, "knows of 2 deliveries") {
			t.Errorf("it says %q", output)
		}
	}
	if d := w.exchange.told(t, 1)["txn-7"]; d.Bytes != 17 || d.State != wire.Ended {
		t.Errorf("told as %+v", d)
	}
}

// TestCaddysForwardAuth holds to what Caddy's forward_auth does: a GET with the method, host and address of the request in
// X-Forwarded headers; 2xx lets it pass with headers that are copied, anything else is the client's answer.
func TestCaddysForwardAuth(t *testing.T) {
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
	if r := ask("/auth", "GET", "/news/a?x=1", robot); r.StatusCode != 204 || r.Header.Get("X-Edge-Uri") != "/news/a?x=1" || r.Header.Get("X-Edge-Delivery") != "" {
		t.Errorf("what is open: %d %v", r.StatusCode, r.Header)
	}
	r := ask("/auth", "GET", "/premium/a", robot)
	var document map[string]string
	if err := json.NewDecoder(r.Body).Decode(&document); err != nil || r.StatusCode != 403 || document["protocol"] != "RAMP" || r.Header.Get("X-Content-Rules") == "" {
		t.Errorf("what is licensed: %d %v %v", r.StatusCode, document, err)
	}
	r = ask("/auth", "GET", signed(t, "/premium/a", "txn-1"), robot)
	if r.StatusCode != 204 || r.Header.Get("X-Edge-Uri") != "/premium/a" || r.Header.Get("X-Edge-Delivery") == "" || r.Header.Get("X-Edge-Transaction") != "txn-1" ||
		r.Header.Get("X-Edge-Content") != site+"/premium/a" {
		t.Errorf("a signed address: %d %v", r.StatusCode, r.Header)
	}
	if r := ask("/auth", "POST", signed(t, "/premium/a", "txn-2"), robot); r.StatusCode != 405 {
		t.Errorf("POST to a signed address: %d", r.StatusCode)
	}
	if r := ask("/auth", "", "/premium/a", robot); r.StatusCode != 500 {
		t.Errorf("a server that does not say what it took: %d", r.StatusCode)
	}
	if r := ask("/answer", "GET", "/.well-known/ramp.json", robot); r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("ramp.json: %d %v", r.StatusCode, r.Header)
	}
	if r := w.get(t, "/auth", person, "X-Forwarded-Method: GET", "X-Forwarded-Uri: /premium/a"); r.body != text("/auth") {
		t.Errorf("anybody can ask: %d %s", r.status, r.body)
	}
}
