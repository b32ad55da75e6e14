package kill

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// TestServerAnswersFromOneEditionWhileIngestIsKilled keeps asking a server on the same database:
// every answer is of one edition, and soon after each kill it is the edition that the catalog
// holds.
func TestServerAnswersFromOneEditionWhileIngestIsKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: runs the real program some dozens of times")
	}
	data := t.TempDir()
	// The database is read beside the server, not as a copy of its files. Where a run is killed
	// after it has written that it commits and before it has told the others, the database is as it
	// was for all who have it open, and the copy, which nobody has open, is as after it.
	r := &run{t: t, store: "sqlite:" + filepath.Join(data, "frontdesk.db")}
	r.begin()
	server := process.Start(t, "serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics-listen", "off",
		"--log-level", "warn", "--set", manyAsked)
	asker := &asker{url: server.URL, done: make(chan struct{})}
	asker.wait.Go(asker.keepAsking)
	n := max(6, kills(t, shortKills)/4)
	for r.killed < n {
		r.once(early)
		r.follows(asker)
	}
	close(asker.done)
	asker.wait.Wait()
	for _, fault := range asker.faults {
		t.Error(fault)
	}
	if asker.answers < 10 {
		t.Errorf("only %d questions were asked", asker.answers)
	}
	t.Logf("%d answers during %d kills and %d runs to the end", asker.answers, r.killed, r.finished)
}

// follows waits until the server answers from the edition that the catalog holds.
func (r *run) follows(a *asker) {
	r.t.Helper()
	want := r.holds
	deadline := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		got, err := a.edition()
		if err != nil {
			r.t.Fatal(err)
		}
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("the catalog holds edition %s, and the server still answers from %s", want, got)
		}
		<-tick.C
	}
}

// asker asks a server for many items, again and again.
type asker struct {
	url     string
	done    chan struct{}
	wait    sync.WaitGroup
	answers int
	faults  []string
}

func (a *asker) keepAsking() {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-a.done:
			return
		case <-tick.C:
		}
		if _, err := a.edition(); err != nil && len(a.faults) < 5 {
			a.faults = append(a.faults, err.Error())
		}
		a.answers++
	}
}

// asked is how many items an answer has: enough to be loaded from the database in several parts.
const asked = 200

// manyAsked lets somebody whom nobody knows ask for so many.
var manyAsked = fmt.Sprintf("ask.stranger_limit=%d", asked)

// edition asks for many items, and gives the one edition that all of them must be of.
func (a *asker) edition() (string, error) {
	question := fmt.Sprintf(`{"query": {"text": "item in edition amber or birch", "limit": %d, "min_score": 0}}`, asked)
	response, err := http.Post(a.url+"/ask", "application/json", strings.NewReader(question))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answer struct {
		Results []struct{ Name string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", fmt.Errorf("status %d: %w", response.StatusCode, err)
	}
	if len(answer.Results) != asked {
		return "", fmt.Errorf("status %d with %d items, want %d", response.StatusCode, len(answer.Results), asked)
	}
	edition := ""
	for _, item := range answer.Results {
		words := strings.Fields(item.Name)
		of := words[len(words)-1]
		if edition != "" && of != edition {
			return "", fmt.Errorf("one answer has items of the editions %s and %s", edition, of)
		}
		edition = of
	}
	return edition, nil
}
