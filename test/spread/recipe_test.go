package spread

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// TestRecipes runs nginx and Caddy as docs/spread.md shows them, before the nodes and the front:
// each host leads to its own, and what a client says of itself counts for nothing.
func TestRecipes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, start := range map[string]func(*testing.T) string{"nginx": w.nginx, "caddy": w.caddy} {
		t.Run(name, func(t *testing.T) {
			address := start(t)
			for host, sites := range map[string][]string{
				"shop.example.com": {"shop"}, "paper.example.com": {"zeitung", "cuisine"}, "ask.example.com": {"shop",
					"zeitung", "cuisine"},
			} {
				body := object{"query": object{"text": "Kesselhafen", "limit": 100}}
				a := askAt(t, address, host, body)
				var got []string
				for _, r := range a.Results {
					if !slices.Contains(got, r.Site) {
						got = append(got, r.Site)
					}
				}
				if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(sites))) {
					t.Errorf("%s answers for %v, want %v: %+v", host, got, sites, a.Error)
				}
				body["prefer"] = object{"streaming": true}
				text, _ := send(t, http.MethodPost, "http://"+address+"/ask", body, "Host", host)
				if !strings.HasPrefix(string(text), "event: start\n") || !strings.Contains(string(text),
					"\nevent: complete\n") {
					t.Errorf("%s streams %.300s", host, text)
				}
			}
		})
	}
}

// askAt asks a server under the name of a host.
func askAt(t *testing.T, address, host string, body object) (a answer) {
	t.Helper()
	text, _ := send(t, http.MethodPost, "http://"+address+"/ask", body, "Host", host, "X-Forwarded-Host",
		"evil.example")
	decode(t, text, &a)
	return a
}

// shown is a block of docs/spread.md with what a test cannot have as it stands there replaced.
func (w *world) shown(t *testing.T, begin string, of map[string]string) string {
	t.Helper()
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "spread.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(text), begin)
	block, _, end := strings.Cut(block, "```")
	if !ok || !end {
		t.Fatalf("docs/spread.md shows nothing behind %q", begin)
	}
	of["127.0.0.1:8081"], of["127.0.0.1:8082"], of["127.0.0.1:8080"] = w.one.Addr, w.two.Addr, w.front.Addr
	for old, fresh := range of {
		if !strings.Contains(block, old) {
			t.Fatalf("docs/spread.md does not show %q", old)
		}
		block = strings.ReplaceAll(block, old, fresh)
	}
	return block
}

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

// runs runs a server until the test ends, and returns when it answers at an address.
func runs(t *testing.T, address string, command *exec.Cmd) {
	t.Helper()
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(os.Interrupt)
		command.Wait()
	})
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("%s does not answer", command.Path)
		}
	}
}

func (w *world) nginx(t *testing.T) string {
	path, address, home := program(t, "nginx"), process.FreeAddress(t), t.TempDir()
	block := w.shown(t, "```nginx\n", map[string]string{"listen 443 ssl;": "listen " + address + ";"})
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	conf := user + "daemon off;\npid " + home + "/pid;\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		conf += kind + "_temp_path " + filepath.Join(home, kind) + ";\n"
	}
	file := filepath.Join(home, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf+block+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(t, address, exec.Command(path, "-p", home, "-c", file))
	return address
}

func (w *world) caddy(t *testing.T) string {
	path, address, home := program(t, "caddy"), process.FreeAddress(t), t.TempDir()
	_, port, _ := net.SplitHostPort(address)
	of := map[string]string{}
	for _, host := range []string{"shop", "paper", "ask"} {
		name := host + ".example.com {"
		of[name] = "http://" + host + ".example.com:" + port + " {\n\tbind 127.0.0.1"
	}
	block := w.shown(t, "With Caddy:\n\n```\n", of)
	file := filepath.Join(home, "Caddyfile")
	if err := os.WriteFile(file, []byte("{\n\tadmin off\n\tauto_https off\n}\n"+block), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, "run", "--config", file, "--adapter", "caddyfile")
	command.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	runs(t, address, command)
	return address
}
