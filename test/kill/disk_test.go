package kill

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

// ownMounts runs a shell's text where it may mount for itself alone, as root of a namespace of its
// own.
func ownMounts(t *testing.T, text string, args ...string) (output string, err error) {
	t.Helper()
	if _, err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").CombinedOutput(); err != nil {
		t.Skip("this machine lets nobody mount for himself (unshare --user --map-root-user --mount)")
	}
	command := exec.Command("unshare",
		append([]string{"--user", "--map-root-user", "--mount", "/bin/sh", "-ec", text}, args...)...)
	command.Env = append(os.Environ(), "FRONTDESK_METRICS_LISTEN=off")
	all, err := command.CombinedOutput()
	return string(all), err
}

// TestFullDiskSaysWhatToDo fills a disk of its own by a run of ingest. The run says so, and what
// was published before is still there; once there is room, the same run succeeds.
func TestFullDiskSaysWhatToDo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name string, items int) {
		var b strings.Builder
		for i := range items {
			text, err := json.Marshal(map[string]string{
				"@type": "Recipe", "name": fmt.Sprintf("Soup number %d", i),
				"url":         fmt.Sprintf("https://example.com/%s/%d", name, i),
				"description": strings.Repeat(fmt.Sprintf("stir %d and wait ", i), 30),
			})
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(text, '\n'))
		}
		if err := os.WriteFile(filepath.Join(folder, name+".jsonl"), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("few", 20)
	write("many", 8000)
	output, err := ownMounts(t, `
		disk=$1/disk; mkdir "$disk"; mount -t tmpfs -o size=4m none "$disk"; cd "$1"
		"$0" ingest --data "$disk/data" few.jsonl
		echo ---- full
		"$0" ingest --data "$disk/data" many.jsonl && exit 9
		echo ---- after
		"$0" ask --data "$disk/data" 'soup number 7'
		mount -o remount,size=200m "$disk"
		echo ---- room
		"$0" ingest --data "$disk/data" many.jsonl`, process.Binary(t), folder)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	_, rest, _ := strings.Cut(output, "---- full\n")
	full, rest, _ := strings.Cut(rest, "---- after\n")
	after, room, _ := strings.Cut(rest, "---- room\n")
	// in the log, and as what came of the run
	if !strings.Contains(full, "frontdesk.db is full: free some space and try again; "+
		"what was stored before is unharmed") || strings.Count(full, "disk I/O error") > 2 {
		t.Errorf("on a full disk the run says:\n%s", full)
	}
	if !strings.Contains(after, "Soup number 7") {
		t.Errorf("what was there before is not found any more:\n%s", after)
	}
	if !strings.Contains(room, "8000") && !strings.Contains(room, "8,000") {
		t.Errorf("with room the run says:\n%s", room)
	}
}
