package intake

import (
	"testing"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

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

// TestAgentIntake holds every row against the real program.
func TestAgentIntake(t *testing.T) {
	at := startServers(t)
	for _, r := range allRows() {
		t.Run(r.named(), func(t *testing.T) {
			for _, fault := range r.run(at) {
				t.Error(fault)
			}
		})
	}
}
