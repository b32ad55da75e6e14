package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Peer is a running program of ours that plays somebody else: a process of its own on a socket,
// which replies, stalls, cuts and lies as a test tells it. Its first line of output is its address;
// there, PUT /control says how it behaves and makes it forget what came before, and GET /control
// tells what came.
type Peer struct {
	Origin string // its address, without a slash at the end

	t       testing.TB
	command *exec.Cmd
}

// peers are the programs that were built, by package.
var peers = struct {
	sync.Mutex
	path map[string]string
}{path: map[string]string{}}

// buildPeer makes a program once for all tests of a package.
func buildPeer(pkg string) (string, error) {
	peers.Lock()
	defer peers.Unlock()
	if path := peers.path[pkg]; path != "" {
		return path, nil
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "frontdesk-peer-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "peer")
	peers.path[pkg] = path
	command := exec.Command("go", "build", "-o", path, pkg)
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return path, nil
}

// removePeers removes what was built.
func removePeers() {
	peers.Lock()
	defer peers.Unlock()
	for _, path := range peers.path {
		os.RemoveAll(filepath.Dir(path))
	}
}

// StartPeer runs the program of a package, such as "./internal/testkit/model/endpoint", until the
// end of the test. Packages that use it call Main from TestMain.
func StartPeer(t testing.TB, pkg string, args ...string) *Peer {
	t.Helper()
	path, err := buildPeer(pkg)
	if err != nil {
		t.Fatal(err)
	}
	p := &Peer{t: t, command: exec.Command(path, args...)}
	p.command.Stderr = os.Stderr
	out, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s did not start: %v", pkg, err)
	}
	p.Origin = strings.TrimSpace(line)
	return p
}

// Kill ends the peer, so that its address is dead.
func (p *Peer) Kill() {
	if p.command.ProcessState == nil {
		p.command.Process.Kill()
		p.command.Wait()
	}
}

// Set says how the peer behaves from now on.
func (p *Peer) Set(behaviour any) {
	p.t.Helper()
	text, err := json.Marshal(behaviour)
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPut, p.Origin+"/control", bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		p.t.Fatalf("the peer does not take its orders: %s", response.Status)
	}
}

// Report reads what the peer tells of what came.
func (p *Peer) Report(into any) {
	p.t.Helper()
	response, err := http.Get(p.Origin + "/control")
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		p.t.Fatal(err)
	}
}
