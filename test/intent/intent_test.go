package intent

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

func allRows() []row {
	rows := slices.Concat(declarationRows, authRows, orderRows, contentRows, eventRows)
	slices.SortFunc(rows, func(a, b row) int { return a.number - b.number })
	return rows
}

func TestThereAreAllRows(t *testing.T) {
	t.Parallel()
	for i, r := range allRows() {
		if r.number != i+1 {
			t.Fatalf("row %d stands where %d should", r.number, i+1)
		}
	}
	if len(allRows()) != 66 {
		t.Errorf("there are %d rows", len(allRows()))
	}
}

// TestAgenticIntent holds every row against the real program.
func TestAgenticIntent(t *testing.T) {
	t.Parallel()
	at := startServers(t)
	for _, r := range allRows() {
		t.Run(fmt.Sprintf("%02d_%s", r.number, strings.ReplaceAll(r.name, " ", "_")), func(t *testing.T) {
			for _, fault := range r.run(at) {
				t.Error(fault)
			}
		})
	}
}

// TestEveryRowCanFail shows for each row a server that it finds wrong.
func TestEveryRowCanFail(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: the rows themselves run in TestAgenticIntent")
	}
	at := startServers(t)
	caught := map[int]bool{}
	for _, w := range wrongServers {
		t.Run(strings.ReplaceAll(w.name, " ", "_"), func(t *testing.T) {
			broken := at
			for _, base := range broken.bases() {
				proxy := httptest.NewServer(w.proxy(*base))
				defer proxy.Close()
				*base = proxy.URL
			}
			broken.sites = slices.Clone(broken.sites)
			for i := range broken.sites {
				proxy := httptest.NewServer(w.proxy(broken.sites[i].base))
				defer proxy.Close()
				broken.sites[i].base = proxy.URL
			}
			if w.world != nil {
				w.world(&broken)
			}
			for _, r := range allRows() {
				if !slices.Contains(w.rows, r.number) {
					continue
				}
				if faults := r.run(broken); len(faults) == 0 {
					t.Errorf("row %d (%s) finds nothing wrong", r.number, r.name)
				}
				caught[r.number] = true
			}
		})
	}
	for _, r := range allRows() {
		if !caught[r.number] {
			t.Errorf("no wrong server is shown to row %d (%s)", r.number, r.name)
		}
	}
}
