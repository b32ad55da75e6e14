package content

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
)

func TestHolderIsTakenForDeadOnlyIfThatIsKnown(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("without /proc nothing is known of other processes, and leases have to run out")
	}
	me := newHolder()
	if me.boot == "" || me.space == "" || me.started == "" || me.process == 0 {
		t.Fatalf("not all is known of this process: %+v", me)
	}
	const noProcess = 1 << 30 // beyond pid_max
	for name, test := range map[string]struct {
		change           func(*holder)
		sqlite, postgres bool
	}{
		"itself":                        {func(h *holder) {}, false, false},
		"a process that is no more":     {func(h *holder) { h.process = noProcess }, true, true},
		"an earlier one of that number": {func(h *holder) { h.started = "12" }, true, true},
		// or on another machine
		"one before the machine's start": {func(h *holder) { h.boot = "earlier" }, true, false},
		"one in another container":       {func(h *holder) { h.space, h.process = "pid:[1]", noProcess }, false, false},
		"one on a machine without /proc": {func(h *holder) { h.boot, h.process = "", noProcess }, false, false},
		"one of which nothing is known":  {func(h *holder) { *h = parseHolder("?") }, false, false},
	} {
		other := me
		test.change(&other)
		other = parseHolder(other.String())
		if got := other.gone(me, store.SQLite); got != test.sqlite {
			t.Errorf("%s, on SQLite: gone is %t", name, got)
		}
		if got := other.gone(me, store.PostgreSQL); got != test.postgres {
			t.Errorf("%s, on PostgreSQL: gone is %t", name, got)
		}
	}
}

// TestUnreapedProcessIsDead kills a process whose parent does not ask how it ended, so that it
// stays as a zombie.
func TestUnreapedProcessIsDead(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	process := exec.Command("sleep", "1000")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer process.Wait()
	if _, alive := processStart(process.Process.Pid); !alive {
		t.Error("a process that runs is taken for dead")
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for alive := true; alive; _, alive = processStart(process.Process.Pid) {
		if time.Now().After(deadline) {
			t.Fatal("a zombie is taken for alive")
		}
		runtime.Gosched()
	}
}

func TestHolderSurvivesBeingWrittenDown(t *testing.T) {
	t.Parallel()
	for _, h := range []holder{newHolder(), {run: "A"}, {run: "A", boot: "b", process: 7}} {
		if got := parseHolder(h.String()); got != h {
			t.Errorf("%+v comes back as %+v", h, got)
		}
	}
	for _, line := range []string{"", "a", "a b c d", "a b c d e f", strings.Repeat("x ", 1000)} {
		if got := parseHolder(line); got != (holder{}) {
			t.Errorf("%.20q is read as %+v", line, got)
		}
	}
}
