package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

func allRows() []row {
	rows := slices.Concat(answerRows, actionRows, constraintRows, failureRows, formatRows, streamRows, legacyRows,
		sessionRows, guardRows, faultRows, modelRows, elicitRows, promiseRows, mcpRows)
	slices.SortFunc(rows, func(a, b row) int { return a.number - b.number })
	return rows
}

// TestNLWeb holds every row against the real program, serving the fixture.
func TestNLWeb(t *testing.T) {
	t.Parallel()
	at := startServers(t)
	for _, r := range allRows() {
		t.Run(fmt.Sprintf("%03d_%s", r.number, strings.ReplaceAll(r.name, " ", "_")), func(t *testing.T) {
			for _, fault := range r.run(at) {
				t.Error(fault)
			}
		})
	}
}
