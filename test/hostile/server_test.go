package hostile

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// The server of tests with slow clients runs with short timeouts, so that they need not wait.
const hurried = `
  header_timeout: 1s
  read_timeout: 2s
  write_timeout: 2s
  idle_timeout: 1s
`

const config = `
listen: 127.0.0.1:0
data: data
metrics: {listen: "127.0.0.1:0"}
log: {level: warn}
site: {id: site, url: "https://site.example"}
sources: [{path: content}]
ask: {stranger_limit: 1000, timeout: 1s, promise: {after: 1s}}
limits:
  body: 1MiB
  header: 64KiB`

// maxBody is limits.body in bytes.
const maxBody = 1 << 20

// What is allowed: a slow client may stay about as long as the timeouts say; memory stays in bounds
// that are far below the size of what is sent; hostile bodies within the size cost little time
// each.
const (
	slowLimit   = 6 * time.Second
	memoryLimit = 256 << 20
	heapLimit   = "176MiB"                // at which the collector hurries, so that what stays beyond is no garbage
	cpuLimit    = 2500 * time.Millisecond // for five
)

// server is the program under attack.
type server struct {
	*process.Server
	metrics string // address of its metrics
}

// start serves a thousand items, to clients that are let go soon.
func start(t *testing.T) *server {
	t.Helper()
	return startWith(t, config+hurried)
}

// startPatient does so with the usual timeouts, within which a busy machine answers, too.
func startPatient(t *testing.T) *server {
	t.Helper()
	return startWith(t, config)
}

func startWith(t *testing.T, config string) *server {
	t.Helper()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "content"), 0o755))
	var items strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&items, `{"@type":"Recipe","url":"https://site.example/%d","name":"Supper number %d","description":"%s"}`+"\n",
			i, i, strings.Repeat("A supper that is described at some length. ", 20))
	}
	write(t, filepath.Join(dir, "content"), "items.jsonl", items.String())
	file := filepath.Join(dir, "frontdesk.yaml")
	write(t, dir, "frontdesk.yaml", config)
	process.MustRun(t, "ingest", "--config", file) // also builds the program, without the limit
	must(t, os.Setenv("GOMEMLIMIT", heapLimit))
	// At level info the log would tell the address of the metrics; the tests want the log short.
	s := &server{Server: process.Start(t, "serve", "--config", file, "--log-level", "info")}
	if found := metricsAddress.FindStringSubmatch(s.Log()); found != nil {
		s.metrics = found[1]
	} else {
		t.Fatalf("the log does not tell the address of the metrics:\n%s", s.Log())
	}
	return s
}

var metricsAddress = regexp.MustCompile(`msg=metrics address=(\S+)`)

// bounded holds that the server's memory is in bounds, and that nothing of what it met made it
// panic.
func (s *server) bounded(t *testing.T) {
	t.Helper()
	if rss := s.RSS(t); rss > memoryLimit {
		t.Errorf("the server takes %d MiB, want at most %d", rss>>20, memoryLimit>>20)
	}
	if log := s.Log(); strings.Contains(log, "panic") {
		t.Errorf("the log tells of a panic:\n%s", log)
	}
}

// goroutines is how many there are, by the server's own metrics.
func (s *server) goroutines(t *testing.T) int {
	t.Helper()
	response, err := http.Get("http://" + s.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if value, found := strings.CutPrefix(line, "go_goroutines "); found {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no go_goroutines in the metrics:\n%s", body)
	return 0
}

// settles waits until the server has about as many goroutines as before the attack.
func (s *server) settles(t *testing.T, before int) {
	t.Helper()
	const slack = 20
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		now := s.goroutines(t)
		if now <= before+slack {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%d goroutines are left, there were %d before", now, before)
			return
		}
		<-tick.C
	}
}
