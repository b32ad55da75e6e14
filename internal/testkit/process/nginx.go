package process

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Nodes runs Debian's nginx before nodes, as docs/scale.md shows it, until the end of the test, and
// gives its address as that of a server. What a test may not wait for is shorter: a node that does
// not answer is asked again after a second, and waited for by two. X-From in a request is where it
// comes from.
func Nodes(t testing.TB, nodes ...string) *Server {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		if os.Getenv("FRONTDESK_TEST_ALL") != "" {
			t.Fatal("nginx is missing: apt-get install nginx")
		}
		t.Skip("nginx is missing")
	}
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```nginx\n")
	block, _, _ = strings.Cut(block, "```")
	if !found {
		t.Fatal("docs/scale.md shows no nginx")
	}
	first, others, found := strings.Cut(block, "    server 10.0.0.11:8080 max_fails=1 fail_timeout=10s;\n")
	_, rest, also := strings.Cut(others, "    server 10.0.0.13:8080 max_fails=1 fail_timeout=10s;\n")
	if !found || !also {
		t.Fatal("docs/scale.md shows no nodes")
	}
	address, home := FreeAddress(t), t.TempDir()
	for shown, here := range map[string]string{
		"listen 443 ssl;": "listen " + address + ";", "proxy_read_timeout 30s;": "proxy_read_timeout 2s;",
		"X-Forwarded-For $remote_addr;": "X-Forwarded-For $http_x_from;",
	} {
		if !strings.Contains(rest, shown) {
			t.Fatalf("docs/scale.md does not show %q", shown)
		}
		rest = strings.ReplaceAll(rest, shown, here)
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	conf := user + "daemon off;\nworker_processes 2;\npid " + home + "/pid;\nerror_log " + home +
		"/error.log warn;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path " + home +
		"/b;\nproxy_temp_path " +
		home + "/p;\nfastcgi_temp_path " + home + "/f;\nuwsgi_temp_path " + home + "/u;\nscgi_temp_path " + home +
		"/s;\n" + first
	for _, node := range nodes {
		conf += "server " + node + " max_fails=1 fail_timeout=1s;\n"
	}
	conf += rest + "}\n"
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
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return &Server{Addr: address, URL: "http://" + address, command: command}
		}
		if time.Since(began) > patience {
			t.Fatal("nginx does not answer")
		}
	}
}

// FreeAddress returns an address that nobody listens on, of those of [FreePort].
func FreeAddress(t testing.TB) string {
	t.Helper()
	return "127.0.0.1:" + FreePort(t)
}

// CPUTime is the processor time that all processes of a program have used, such as "postgres" or
// "nginx".
func CPUTime(t testing.TB, program string) (total time.Duration) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		stat, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(stat), "("+program+")") { // else it has ended
			total += spent(stat)
		}
	}
	return total
}
