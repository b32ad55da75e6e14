// Package process builds the real frontdesk binary and runs it, for the tests that look at
// Frontdesk from outside only: its command line, its sockets, its files, its signals.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the path of the program under test, built by the first caller of Binary.
var binary struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Main runs a package's tests and removes what they built. Packages that use this one call it from
// TestMain, with what else is to be done in the end.
func Main(m *testing.M, also ...func()) {
	code := m.Run()
	for _, do := range also {
		do()
	}
	removePeers()
	if binary.dir != "" {
		os.RemoveAll(binary.dir)
	}
	os.Exit(code)
}

// Binary returns the path of the program under test: FRONTDESK_BINARY where that is set, else one
// that is built here. With FRONTDESK_TEST_RACE=1 it is built with the race detector, which ends the
// process at the first race it sees.
func Binary(t testing.TB) string {
	t.Helper()
	binary.once.Do(func() { binary.err = build() })
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

// Race says whether Binary is built with the race detector: it is then several times slower and
// larger.
func Race() bool { return os.Getenv("FRONTDESK_TEST_RACE") == "1" }

func build() error {
	if given := os.Getenv("FRONTDESK_BINARY"); given != "" && !Race() {
		binary.path = given
		return nil
	}
	root, err := Root()
	if err != nil {
		return err
	}
	if binary.dir, err = os.MkdirTemp("", "frontdesk-binary-"); err != nil {
		return err
	}
	binary.path = filepath.Join(binary.dir, "frontdesk")
	args := []string{"build", "-o", binary.path}
	if Race() {
		args = append(args, "-race")
	}
	command := exec.Command("go", append(args, "./cmd/frontdesk")...)
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, output)
	}
	return nil
}

// Root returns the module's root directory, found from the working directory upwards.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "cmd", "frontdesk")); missing == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no cmd/frontdesk above the working directory")
		}
		dir = parent
	}
	return "", err
}

// Command prepares a run of the program, for tests that need it in their own hands.
func Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(Binary(t), args...)
	command.Env = environment()
	return command
}

// Run runs the program to its end and returns what it printed. The error is an *exec.ExitError
// where the program ended with a status other than 0.
func Run(t testing.TB, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	path := Binary(t) // which may take as long as the program has
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, path, args...)
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	command.Env = environment()
	err = command.Run()
	return out.String(), problems.String(), err
}

// MustRun is Run for a program that has to succeed.
func MustRun(t testing.TB, args ...string) (stdout string) {
	t.Helper()
	stdout, stderr, err := Run(t, args...)
	if err != nil {
		t.Fatalf("frontdesk %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout
}

// environment is the test's own without what would configure the program behind the test's back.
func environment() []string {
	env := []string{"GORACE=halt_on_error=1"}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "FRONTDESK_") {
			env = append(env, entry)
		}
	}
	return env
}

// Usage is what a run of the program used.
type Usage struct {
	Output string // standard output and standard error
	Err    error
	MaxRSS int64 // the largest resident memory, in bytes
	Time   time.Duration
}

// Measure runs the program to its end within a limit and says what it took.
func Measure(t testing.TB, limit time.Duration, args ...string) Usage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	command := exec.CommandContext(ctx, Binary(t), args...)
	command.Env = environment()
	began := time.Now()
	output, err := command.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("not done after %s: %w", limit, err)
	}
	usage := Usage{Output: string(output), Err: err, Time: time.Since(began)}
	if rusage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		usage.MaxRSS = rusage.Maxrss << 10 // Linux counts in kilobytes
	}
	return usage
}
