// Package streams holds how many streams the built frontdesk carries at a time, that none of them
// touches another, and what an idle one costs.
//
// The short form runs with every test. The long one takes other numbers and prints what it
// measures:
//
//	FRONTDESK_STREAMS=2000 go test ./test/streams -v
package streams

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// shortStreams is how many streams there are at a time when nobody says otherwise.
const shortStreams = 500

func streams(t *testing.T) int {
	t.Helper()
	n := shortStreams
	if text := os.Getenv("FRONTDESK_STREAMS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			t.Fatalf("FRONTDESK_STREAMS is %q; it must be a number of streams", text)
		}
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < uint64(2*n+200) {
		t.Fatalf("%d streams need %d open files, and this shell allows %d: raise it with ulimit -n", n,
			2*n+200, files.Cur)
	}
	return n
}

// The content: so many topics, each with a word of its own that only its items have, and a text so
// long that the answer about a topic does not fit into the buffers between server and client.
const (
	topics        = 40
	itemsPerTopic = 25
	textWords     = 250
)

// topicWord is the word of a topic, made so that no stemming brings two together.
func topicWord(topic int) string {
	return "qua" + string(rune('b'+topic%20)) + "o" + string(rune('b'+topic/20)) + "ix"
}

// serve starts a server on the content, and gives its address and that of its metrics.
func serve(t *testing.T, flags ...string) (server *process.Server, metrics string) {
	t.Helper()
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "items.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := json.NewEncoder(file)
	for topic := range topics {
		for i := range itemsPerTopic {
			err := lines.Encode(map[string]any{
				"@type": "Article", "url": fmt.Sprintf("https://streams.example/%d/%d", topic, i),
				"name":        fmt.Sprintf("%s number %d", topicWord(topic), i),
				"description": strings.Repeat("common words about "+topicWord(topic)+" ", textWords/4),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	metrics = "127.0.0.1:" + process.FreePort(t)
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--metrics-listen", metrics, "--data", t.TempDir(),
		"--set", "limits.connections_per_address=4096", "--set", "ask.stranger_limit=1000"}, flags...)
	return process.Start(t, append(args, file.Name())...), metrics
}

// raw is a client that controls when it reads. The buffers on its way are as small as on the open
// internet: over loopback they would take megabytes.
type raw struct {
	net.Conn
	lines *bufio.Reader
}

// open asks for a stream and waits for its first bytes. Whoever calls it reads on or does not.
func open(address, question string, limit int) (*raw, error) {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 536)
		})
	}}
	conn, err := dialer.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"query":{"text":%q,"limit":%d,"min_score":0},"prefer":{"streaming":true}}`, question, limit)
	fmt.Fprintf(conn, "POST /ask HTTP/1.1\r\nHost: streams.example\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", len(body), body)
	r := &raw{conn, bufio.NewReaderSize(conn, 512)}
	const ok = "HTTP/1.1 200 "
	status, err := r.lines.Peek(len(ok))
	if err == nil && string(status) != ok {
		err = fmt.Errorf("the answer begins with %q", status)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return r, nil
}

// rest reads the answer to its end and counts its results.
func (r *raw) rest() (results int, err error) {
	response, err := http.ReadResponse(r.lines, nil)
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(response.Body)
	if err == nil && !strings.Contains(string(text), "event: complete\n") {
		err = errors.New("the stream is not complete")
	}
	return strings.Count(string(text), "event: result\n"), err
}

// hold opens streams that nobody reads.
func hold(t *testing.T, server *process.Server, n, limit int) []*raw {
	t.Helper()
	held := make([]*raw, n)
	all(t, n, func(i int) (err error) {
		held[i], err = open(server.Addr, "common words", limit)
		return err
	})
	if slices.Contains(held, nil) {
		t.FailNow()
	}
	return held
}

// all runs fn for 0 to n-1 at once, and gives the errors.
func all(t *testing.T, n int, fn func(i int) error) {
	t.Helper()
	var group sync.WaitGroup
	errs := make(chan error, n)
	for i := range n {
		group.Go(func() {
			if err := fn(i); err != nil {
				errs <- err
			}
		})
	}
	group.Wait()
	close(errs)
	shown := 0
	for err := range errs {
		if shown++; shown <= 5 {
			t.Error(err)
		}
	}
	if shown > 5 {
		t.Errorf("and %d more of %d", shown-5, n)
	}
}

// meeting lets n come together before any goes on.
type meeting struct {
	group sync.WaitGroup
}

func meet(n int) *meeting {
	m := &meeting{}
	m.group.Add(n)
	return m
}

func (m *meeting) wait() {
	m.group.Done()
	m.group.Wait()
}

// TestManyStreamsAtOnce opens all streams, and reads none to its end before all have begun. Each
// must get the items of its own topic, all of them and nothing else.
//
// Not parallel: it measures what the process takes.
func TestManyStreamsAtOnce(t *testing.T) {
	n := streams(t)
	server, _ := serve(t)
	begun := meet(n)
	began := time.Now()
	all(t, n, func(i int) error {
		topic := i % topics
		stream, err := newClient(server.URL, n).Stream(t.Context(),
			client.Question{Text: topicWord(topic), Limit: itemsPerTopic})
		begun.wait()
		if err != nil {
			return fmt.Errorf("stream %d: %w", i, err)
		}
		answer, err := stream.Collect()
		if err != nil {
			return fmt.Errorf("stream %d: %w", i, err)
		}
		return checkTopic(topic, answer)
	})
	t.Logf("%d streams of %d results each at once: all told after %s", n, itemsPerTopic,
		time.Since(began).Round(time.Millisecond))
}

func checkTopic(topic int, answer *client.Answer) error {
	if len(answer.Results) != itemsPerTopic {
		return fmt.Errorf("topic %d: %d results, want %d", topic, len(answer.Results), itemsPerTopic)
	}
	seen := map[string]bool{}
	for i, r := range answer.Results {
		if !strings.HasPrefix(r.URL, fmt.Sprintf("https://streams.example/%d/", topic)) || seen[r.URL] || r.Index != i {
			return fmt.Errorf("topic %d: result %d is %s, index %d", topic, i, r.URL, r.Index)
		}
		seen[r.URL] = true
	}
	return nil
}

var webClient struct {
	once sync.Once
	http *http.Client
}

// newClient asks with connections of its own for each stream that is open.
func newClient(url string, connections int) *client.Client {
	webClient.once.Do(func() {
		webClient.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	})
	c, err := client.New(url, client.Options{HTTP: webClient.http, Retries: -1})
	if err != nil {
		panic(err)
	}
	return c
}

// maxIdle is the memory of the server, heap and stacks, that one stream may take while its client
// does not read.
const maxIdle = 20 << 10

// TestIdleStreamTakesLittleMemory opens streams whose clients do not read, and looks at what the
// server needs for them when the garbage is collected.
//
// Not parallel: it measures what the process takes.
func TestIdleStreamTakesLittleMemory(t *testing.T) {
	if testing.Short() || process.Race() {
		t.Skip("short: measures the real program, without the race detector's own memory")
	}
	n := streams(t)
	server, metrics := serve(t, "--set", "limits.write_timeout=10m")
	limits := []int{1000}
	if n > shortStreams {
		limits = []int{100, 1000}
	}
	for _, limit := range limits {
		warm := hold(t, server, 50, limit) // what the first streams bring to stay is not theirs
		before := settled(t, server, metrics)
		idle := hold(t, server, n, limit)
		after := settled(t, server, metrics)
		if after.inWork < float64(n) {
			t.Errorf("only %v streams wait: the answers of others fit into the buffers on their way", after.inWork)
		}
		heap, stack := (after.heap-before.heap)/float64(n), (after.stack-before.stack)/float64(n)
		t.Logf("%d idle streams of %d results take %.1f KB each: %.1f KB heap, %.1f KB stack", n, limit,
			(heap+stack)/1024, heap/1024, stack/1024)
		if heap+stack > maxIdle {
			t.Errorf("an idle stream of %d results takes %.0f bytes (heap %.0f, stack %.0f), want at most %d", limit,
				heap+stack, heap, stack, maxIdle)
		}
		// Others are served meanwhile, and those that waited get all of their answer when they read
		// on.
		answer, err := newClient(server.URL, n).Ask(t.Context(),
			client.Question{Text: topicWord(1), Limit: itemsPerTopic})
		if err != nil {
			t.Errorf("a question beside idle streams: %v", err)
		} else if err := checkTopic(1, answer); err != nil {
			t.Error(err)
		}
		all(t, len(warm), func(i int) error {
			defer warm[i].Close()
			if results, err := warm[i].rest(); err != nil || results != limit {
				return fmt.Errorf("idle stream %d: %d results, %w", i, results, err)
			}
			return nil
		})
		for _, r := range idle {
			r.Close()
		}
		awaitNoWork(t, metrics)
	}
}

// TestClientsThatLeaveEndTheirStreams holds that a stream ends when its client goes, and not when
// the server loses patience with it.
//
// Not parallel: it measures what the process takes.
func TestClientsThatLeaveEndTheirStreams(t *testing.T) {
	server, metrics := serve(t, "--set", "limits.write_timeout=10m")
	const n = 100
	for _, r := range hold(t, server, n, 1000) {
		r.Close()
	}
	awaitNoWork(t, metrics)
	if _, err := newClient(server.URL, n).Ask(t.Context(), client.Question{Text: topicWord(2)}); err != nil {
		t.Errorf("a question after that: %v", err)
	}
}

// TestStreamsEndWithTheServer holds that a server that is told to stop lets a stream finish that is
// read, and ends in good order itself.
//
// Not parallel: it measures what the process takes.
func TestStreamsEndWithTheServer(t *testing.T) {
	server, _ := serve(t, "--set", "limits.write_timeout=10m", "--set", "limits.shutdown_timeout=1m")
	read := hold(t, server, 1, 1000)[0]
	server.Terminate()
	if results, err := read.rest(); err != nil || results != 1000 {
		t.Errorf("a stream that is read while the server stops has %d results, %v", results, err)
	}
}

// figures are what the server tells of itself.
type figures struct {
	heap, stack float64 // bytes
	cycles      float64 // of the garbage collector
	inWork      float64 // requests
}

func look(t *testing.T, metrics string) (f figures) {
	t.Helper()
	response, err := http.Get("http://" + metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	wanted := map[string]*float64{
		"go_gc_heap_live_bytes": &f.heap, "go_memstats_stack_inuse_bytes": &f.stack,
		"go_gc_duration_seconds_count": &f.cycles, "frontdesk_requests_in_work": &f.inWork,
	}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if into := wanted[name]; into != nil {
			if *into, err = strconv.ParseFloat(value, 64); err != nil {
				t.Fatal(err)
			}
			delete(wanted, name)
		}
	}
	if len(wanted) > 0 {
		t.Fatalf("/metrics lacks %v", slices.Collect(maps.Keys(wanted)))
	}
	return f
}

// cycles is how often the garbage collector passes until stacks have shrunk: it halves a stack at a
// time.
const cycles = 5

// settled gives the server work until its garbage collector has passed some times, and then looks.
// The last of the work is small: what is alive while the garbage is collected counts, and an answer
// of 1,000 results takes 8 MB to put together.
func settled(t *testing.T, server *process.Server, metrics string) figures {
	t.Helper()
	work(t, server, metrics, cycles, 1000)
	return work(t, server, metrics, 2, 1)
}

// work asks for so many results until the garbage collector has passed so many times more.
func work(t *testing.T, server *process.Server, metrics string, cycles float64, results int) figures {
	t.Helper()
	desk := newClient(server.URL, 1)
	for end := look(t, metrics).cycles + cycles; ; {
		for range 50 {
			if _, err := desk.Ask(t.Context(),
				client.Question{Text: "common words", Limit: results, MinScore: new(float64)}); err != nil {
				t.Fatal(err)
			}
		}
		if f := look(t, metrics); f.cycles >= end {
			return f
		}
	}
}

// awaitNoWork waits until the server has no request in work.
func awaitNoWork(t *testing.T, metrics string) {
	t.Helper()
	deadline, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for look(t, metrics).inWork > 0 {
		select {
		case <-deadline:
			t.Fatalf("%v requests are still in work a minute after their clients left", look(t, metrics).inWork)
		case <-tick.C:
		}
	}
}
