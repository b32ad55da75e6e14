package kill

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// manyItems are so many that the index is kept in files.
const manyItems = 2500

// TestKilledServerLeavesAnIndexToStartFrom ends servers by SIGKILL while they write the files of
// the index: the next start never finds one that it cannot read, and shows what is in the database
// now.
func TestKilledServerLeavesAnIndexToStartFrom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: runs the real program some dozens of times")
	}
	t.Run("sqlite", func(t *testing.T) {
		data := t.TempDir()
		(&indexRun{data: data, store: "sqlite:" + filepath.Join(data, "frontdesk.db")}).all(t)
	})
	t.Run("postgres", func(t *testing.T) {
		storetest.NeedPostgres(t)
		(&indexRun{data: t.TempDir(), store: storetest.NewPostgres(t)}).all(t)
	})
}

type indexRun struct {
	data, store string
	edition     int
}

func (r *indexRun) all(t *testing.T) {
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	folder := filepath.Join(r.data, "index")
	n, writing, fromFiles := kills(t, 12), 0, 0
	for i := range n {
		r.ingest(t)
		if i%3 == 0 { // all of it is written anew
			os.RemoveAll(folder)
		}
		server := r.serve(t)
		if i%4 == 3 {
			r.check(t, server)
		}
		time.Sleep(time.Duration(random.IntN(25)) * time.Millisecond)
		server.Kill()
		if strings.Contains(server.Log(), "from_files=true") {
			fromFiles++
		}
		if left, _ := filepath.Glob(filepath.Join(folder, ".frontdesk-sealing-*")); len(left) > 0 {
			writing++
		}
	}
	r.ingest(t)
	r.serve(t).End(t) // which writes what it has
	server := r.serve(t)
	r.check(t, server)
	if !strings.Contains(server.Log(), "from_files=true") {
		t.Errorf("the last start is not from the files that a server wrote which ended in order:\n%s", server.Log())
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".frontdesk-sealing-*")); len(left) > 0 {
		t.Errorf("%v were left half written", left)
	}
	if fromFiles == 0 {
		t.Error("no start after a kill was from files: nothing was tested")
	}
	t.Logf("%d kills, %d of them while a file was written; %d starts were from files", n, writing, fromFiles)
}

// ingest reads another edition: some items say another word, and one is gone.
func (r *indexRun) ingest(t *testing.T) {
	r.edition++
	var lines strings.Builder
	for i := range manyItems {
		name := "Lamp " + spelt("number", i)
		if i%100 == r.edition {
			name += " " + spelt("edition", r.edition)
		}
		if i != r.edition {
			fmt.Fprintf(&lines, `{"@type":"Article","url":"https://site.example/%d","headline":%q,"articleBody":%q}`+"\n", i, name,
				strings.Repeat("It gives light for as long as somebody reads. ", 20))
		}
	}
	file := filepath.Join(r.data, "items.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	process.MustRun(t, "ingest", "--data", r.data, "--store", r.store, file)
}

func (r *indexRun) serve(t *testing.T) *process.Server {
	return process.Start(t, "serve", "--data", r.data, "--store", r.store, "--listen", "127.0.0.1:0",
		"--metrics-listen", "off")
}

// spelt is a word that stands for a number, and is like that of no other.
func spelt(word string, n int) string {
	for ; n > 0; n /= 10 {
		word += []string{"bax", "dul", "fem", "gin", "hop", "jas", "kit", "lor", "mur", "nev"}[n%10]
	}
	return word
}

// check asks for what only this edition has, and for what it has no more.
func (r *indexRun) check(t *testing.T, server *process.Server) {
	t.Helper()
	here := 0
	for _, url := range r.find(t, server, spelt("edition", r.edition)) {
		if n, err := strconv.Atoi(filepath.Base(url)); err != nil || n%100 != r.edition || n == r.edition {
			t.Errorf("edition %d has %s", r.edition, url)
		}
		here++
	}
	if here != manyItems/100-1 {
		t.Errorf("%d items are of edition %d, want %d", here, r.edition, manyItems/100-1)
	}
	gone := fmt.Sprintf("https://site.example/%d", r.edition)
	if slices.Contains(r.find(t, server, spelt("number", r.edition)), gone) {
		t.Errorf("%s is found, which is gone", gone)
	}
	if log := server.Log(); strings.Contains(log, "cannot be read from its files") ||
		strings.Contains(log, "not kept") {
		t.Errorf("a kill left files that cannot be read:\n%s", log)
	}
}

// find gives the addresses of what a question finds.
func (r *indexRun) find(t *testing.T, server *process.Server, word string) (urls []string) {
	t.Helper()
	desk, err := client.New(server.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := desk.Ask(t.Context(), client.Question{Text: word, Limit: 50})
	if err != nil && strings.Contains(err.Error(), "NO_RESULTS") {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range answer.Results {
		urls = append(urls, result.URL)
	}
	return urls
}
