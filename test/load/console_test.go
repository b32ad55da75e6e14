package load

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/client"
	kept "frontdesk/internal/ask/questions"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/process"
)

const (
	// consoleItems, consoleKept and consoleEvents are the size of the short form; consoleLooks is
	// how often each page is opened.
	consoleItems  = 500
	consoleKept   = 5_000
	consoleEvents = 50_000
	consoleLooks  = 40
	// maxLook is the median within which a page opens, and maxLost the share of questions that may
	// fail, in the long form.
	maxLook = 50 * time.Millisecond
	maxLost = 0.05
)

// TestConsoleUnderLoad opens pages of the owner's console beside those who ask, with many questions
// kept. The variable says how many items, questions, events (counts of visits) and asks a second:
//
//	FRONTDESK_CONSOLE=100000,1000000,10000000,500 go test ./test/load \
//		-run ConsoleUnderLoad -v -timeout 1h
//
// Not parallel: it measures what the process takes.
func TestConsoleUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("short: measures the real program")
	}
	size := []int{consoleItems, consoleKept, consoleEvents, 20}
	long := os.Getenv("FRONTDESK_CONSOLE")
	if long != "" {
		size = nil
		for text := range strings.SplitSeq(long, ",") {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			size = append(size, n)
		}
	}
	source, data := t.TempDir(), t.TempDir()
	c := newCorpus(size[0] * passagesPerItem)
	c.write(t, source)
	ingest(t, data, source)
	token := strings.TrimSpace(process.MustRun(t, "console", "token", "Ana", "--set", "data="+data))
	keepQuestions(t, data, size[1], size[2])
	server := process.StartWithin(t, 10*time.Minute,
		"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--data", data, "--set", "limits.rate.address=",
		"--set", "limits.connections_per_address=4096") // all come from one address here
	owner := openConsole(t, server.URL, token)
	for _, path := range consolePages {
		look(t, owner, server.URL+path) // once, so that what is read first is read
	}
	ctx, stop := context.WithCancel(t.Context())
	asked, failed := askAway(ctx, t, server.URL, c, size[3])
	for _, path := range consolePages {
		times := make([]time.Duration, consoleLooks)
		for i := range times {
			times[i] = look(t, owner, server.URL+path)
		}
		slices.Sort(times)
		median := times[len(times)/2]
		t.Logf("%s: p50 %.1f ms, p95 %.1f ms", path, milliseconds(median), milliseconds(times[len(times)*95/100]))
		if long != "" && median > maxLook && !strings.Contains(path, "q=") {
			t.Errorf("%s opens in %s at the median, and should in %s", path, median, maxLook)
		}
	}
	stop()
	n, lost := asked.Load(), failed.Load()
	t.Logf("%d questions were asked meanwhile, %d of them failed", n, lost)
	if n == 0 || float64(lost) > maxLost*float64(n) {
		t.Errorf("%d of %d questions failed", lost, n)
	}
}

var consolePages = []string{
	"/console/", "/console/questions", "/console/questions?view=found_nothing", "/console/questions?q=number+77",
	"/console/visitors",
}

// keepQuestions writes questions that were kept over 90 days, and as many events as there were.
func keepQuestions(t *testing.T, data string, many, events int) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{
		DSN: "sqlite:" + filepath.Join(data, "frontdesk.db"), Schemas: []store.Schema{kept.Schema, visitors.Schema},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Now().UTC()
	today := now.Unix() / 86400
	bulk := func(table, columns string, rows iter.Seq[[]any]) {
		if err := db.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.BulkInsert(t.Context(), table, strings.Fields(columns), rows)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	form := func(n int) string { return fmt.Sprintf("question number %d about the things here", n) }
	bulk("question_form", "id form text language state outcome score best_url best_name first last shown seen seen_at "+
		"ignored who clicks week month times", func(yield func([]any) bool) {
		for n := range many {
			ago, times := n%90, int64(1+20_000/(n+1))
			last := store.Micros(now.AddDate(0, 0, -ago))
			week, month := int64(0), int64(0)
			if ago < 7 {
				week = times
			}
			if ago < 30 {
				month = times
			}
			state := int64([]int{1, 2, 4, 5, 5}[n%5]) // found nothing, weak, not followed, followed
			if !yield([]any{int64(n + 1), form(n), form(n), "en", state, int64([]int{2, 3, 1, 1, 1}[n%5]), int64(700),
				"https://www.example.com/thing", "A thing", last, last, int64(1), []byte{}, int64(0), int64(0),
				int64(1 + n%3),
				int64(n % 7), week, month, times}) {
				return
			}
		}
	})
	bulk("question_day", "question day protocol kind agent outcome count", func(yield func([]any) bool) {
		for n := range many {
			if !yield([]any{int64(n + 1), today - int64(n%90), "ask", "person", "", int64(1),
				int64(1 + 20_000/(n+1))}) {
				return
			}
		}
	})
	bulk("question_word", "word question", func(yield func([]any) bool) {
		for _, word := range []string{"about", "here", "number", "question", "the", "things"} {
			for n := range many {
				if !yield([]any{word, int64(n + 1)}) {
					return
				}
			}
		}
		for n := range many {
			if !yield([]any{strconv.Itoa(n), int64(n + 1)}) {
				return
			}
		}
	})
	bulk("question_state", "name day value", slices.Values([][]any{
		{"words", int64(1), int64(many)}, {"turned", today, int64(0)}, {"forms", int64(0), int64(many)},
	}))
	const agents = 300
	each := int64(max(1, events/(agents*90)))
	bulk("visitor_day", "day agent known channel asked fetched paid denied", func(yield func([]any) bool) {
		for day := range int64(90) {
			for agent := range agents {
				if !yield([]any{today - 89 + day, fmt.Sprintf("Agent%03d", agent), "word", "ask", each,
					int64(0), int64(0),
					int64(0)}) {
					return
				}
			}
		}
	})
	bulk("question_sum", "day protocol kind agent outcome count", func(yield func([]any) bool) {
		for day := range int64(90) {
			if !yield([]any{today - 89 + day, "ask", "person", "", int64(1), int64(events / 90)}) {
				return
			}
		}
	})
	if err := db.Analyze(t.Context(), "question_form", "question_day", "question_word", "visitor_day"); err != nil {
		t.Fatal(err)
	}
}

var formField = regexp.MustCompile(`name="form" value="([^"]+)"`)

// openConsole logs in.
func openConsole(t *testing.T, address, token string) *http.Client {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	owner := &http.Client{Jar: jar, Timeout: time.Minute}
	login := address + "/console/login"
	resp, err := owner.Get(login)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	found := formField.FindSubmatch(page)
	if found == nil {
		t.Fatalf("there is no form: %s", page)
	}
	form := url.Values{"token": {token}, "form": {string(found[1])}}
	r, err := http.NewRequestWithContext(t.Context(), "POST", login, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", address)
	resp, err = owner.Do(r)
	if err != nil || resp.Request.URL.Path != "/console/" {
		t.Fatalf("logging in leads to %v, %v", resp.Request.URL, err)
	}
	resp.Body.Close()
	return owner
}

// look opens a page, and says how long that took.
func look(t *testing.T, owner *http.Client, address string) time.Duration {
	t.Helper()
	began := time.Now()
	resp, err := owner.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", address, resp.StatusCode, err)
	}
	return time.Since(began)
}

// askAway asks so many questions a second until ctx ends, each at its own time.
func askAway(ctx context.Context, t *testing.T, address string, c *corpus, rate int) (asked, failed *atomic.Int64) {
	asked, failed = &atomic.Int64{}, &atomic.Int64{}
	web := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		MaxIdleConnsPerHost: 32, MaxConnsPerHost: 32, // of one address a server takes so many and no more
	}}
	desk, err := client.New(address, client.Options{HTTP: web})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	t.Cleanup(wait.Wait)
	wait.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			wait.Go(func() {
				_, err := desk.Ask(ctx, client.Question{Text: c.question(i)})
				if ctx.Err() != nil {
					return
				}
				asked.Add(1)
				if err != nil && !client.IsNoResults(err) {
					failed.Add(1)
				}
			})
		}
	})
	return asked, failed
}
