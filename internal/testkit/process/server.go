package process

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is a running `frontdesk serve` or `frontdesk demo`.
type Server struct {
	Addr string // host and port that it listens on
	URL  string // "http://" and Addr

	command *exec.Cmd
	ended   chan struct{} // closed when the process is gone
	told    bool          // to end, by the test
	killed  bool          // by the test
	log     *logbook
}

// patience is how long a server may take to start and to stop.
const patience = 60 * time.Second

// Start runs the program with the arguments, which begin with the command ("serve", ...), waits
// until it is ready, and stops it at the end of the test. The test fails where the process ends
// before that, or has to be killed.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return StartWithin(t, patience, args...)
}

// StartWithin is Start for a server that may take another time until it is ready, since it has much
// to load.
func StartWithin(t testing.TB, patience time.Duration, args ...string) *Server {
	t.Helper()
	s := &Server{ended: make(chan struct{}), log: &logbook{}}
	s.command = Command(t, args...)
	s.command.Stdout, s.command.Stderr = s.log, s.log
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.command.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() { s.stop(t) })
	s.await(t, patience)
	return s
}

// await waits for the line that names the address, and then for the server to be ready.
func (s *Server) await(t testing.TB, patience time.Duration) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			t.Fatalf("the server ended:\n%s", s.Log())
		case <-deadline:
			t.Fatalf("the server was not ready after %s:\n%s", patience, s.Log())
		case <-tick.C:
			if s.Addr == "" {
				s.Addr = s.log.address()
				s.URL = "http://" + s.Addr
			}
			if s.Addr != "" && s.ready() {
				return
			}
		}
	}
}

func (s *Server) ready() bool {
	response, err := http.Get(s.URL + "/readyz")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// Terminate tells the server to stop, and does not wait for it. The end of the test does, and holds
// that it did so in good order.
func (s *Server) Terminate() {
	s.told = true
	s.command.Process.Signal(syscall.SIGTERM)
}

// End tells the server to stop, and waits until it has.
func (s *Server) End(t testing.TB) {
	t.Helper()
	s.Terminate()
	select {
	case <-s.ended:
	case <-time.After(patience):
		t.Fatalf("the server did not stop within %s\n%s", patience, s.Log())
	}
}

// Kill ends the server at once, as a machine that fails does.
func (s *Server) Kill() {
	s.killed = true
	s.command.Process.Kill()
	<-s.ended
}

// Pause has the server stand still, as a machine does whose disk or network hangs: it answers
// nothing, and its connections stay open. Resume lets it go on.
func (s *Server) Pause() { s.command.Process.Signal(syscall.SIGSTOP) }

// Resume lets a paused server go on.
func (s *Server) Resume() { s.command.Process.Signal(syscall.SIGCONT) }

// stop asks the server to end, and holds that it did so in good order.
func (s *Server) stop(t testing.TB) {
	if s.killed {
		return
	}
	select {
	case <-s.ended:
		if s.told && s.command.ProcessState.Success() {
			return
		}
		t.Errorf("the server had ended before the test did: %v\n%s", s.command.ProcessState, s.Log())
		return
	default:
	}
	s.Resume()   // in case it was paused
	if !s.told { // a second signal would end it at once
		s.command.Process.Signal(syscall.SIGTERM)
	}
	select {
	case <-s.ended:
		if !s.command.ProcessState.Success() {
			t.Errorf("the server ended with %v\n%s", s.command.ProcessState, s.Log())
		}
	case <-time.After(patience):
		s.command.Process.Kill()
		t.Errorf("the server did not stop within %s\n%s", patience, s.Log())
	}
}

// Log is what the server has printed so far.
func (s *Server) Log() string { return s.log.String() }

// RSS is the server's resident memory in bytes.
func (s *Server) RSS(t testing.TB) int64 { return s.kept(t, "status", "VmRSS:") }

// Memory is the server's share of its resident memory in bytes: what it made, and what it mapped
// from files.
func (s *Server) Memory(t testing.TB) (anonymous, mapped int64) {
	return s.kept(t, "smaps_rollup", "Pss_Anon:"), s.kept(t, "smaps_rollup", "Pss_File:")
}

// kept reads a size out of what Linux tells of the process.
func (s *Server) kept(t testing.TB, file, name string) int64 {
	t.Helper()
	told, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.command.Process.Pid, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(told)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kilobytes << 10
		}
	}
	t.Fatalf("no %s in the process's %s", name, file)
	return 0
}

// CPU is the processor time that the server has used.
func (s *Server) CPU(t testing.TB) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return spent(stat)
}

// spent reads a processor time, of user and system, in what Linux tells of a process
// (proc_pid_stat(5)): fields 14 and 15, in ticks of which it has 100 a second. The second field is
// the program's name in parentheses.
func spent(stat []byte) time.Duration {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// logbook collects what a process prints.
type logbook struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.text.String()
}

// listening finds in what was printed where the server listens: in the log, or in the address of
// its page.
var listening = regexp.MustCompile(`msg=listening .*?(?:address|url)=(?:http://)?([^\s/]+)|(?m:^)[^=\n]*http://([^\s/]+)`)

func (l *logbook) address() string {
	found := listening.FindStringSubmatch(l.String())
	if found == nil {
		return ""
	}
	return found[1] + found[2]
}
