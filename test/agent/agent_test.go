// Package agent runs an agent's client of the Agent Intake Protocol, written in JavaScript with
// nothing but fetch, against the sample intakes of the real program.
package agent

import (
	"os"
	"os/exec"
	"testing"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

func TestAClientInJavaScriptWorksUnchanged(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("FRONTDESK_TEST_ALL") == "1" {
			t.Fatal("node is missing; on Debian: apt-get install nodejs")
		}
		t.Skip("node is not installed")
	}
	server := process.Start(t, "demo", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	run := exec.CommandContext(t.Context(), node, "--test", "--test-timeout=60000", "client.test.mjs")
	run.Env = append(os.Environ(), "FRONTDESK_URL="+server.URL)
	output, err := run.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	t.Logf("%s", output)
}
