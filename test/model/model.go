// Package model runs a language model's server for tests: the program in endpoint, a process of its own on a socket,
// which replies, stalls, cuts and lies as a test tells it.
package model

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

	"frontdesk/test/process"
)

// Behaviour is how the server answers on one of its paths; the program in endpoint tells what its members mean.
type Behaviour struct {
	Mode       string   `json:"mode,omitempty"`
	Reply      string   `json:"reply,omitempty"`
	Delay      int      `json:"delay,omitempty"`
	Status     int      `json:"status,omitempty"`
	After      string   `json:"after,omitempty"`
	Location   string   `json:"location,omitempty"`
	Refuse     []string `json:"refuse,omitempty"`
	Deaf       bool     `json:"deaf,omitempty"`
	Key        string   `json:"key,omitempty"`
	Dimensions int      `json:"dimensions,omitempty"`
	Times      int      `json:"times,omitempty"`
}

// Behaviours are those of the server's paths; nil is to reply.
type Behaviours struct {
	Chat  *Behaviour `json:"chat,omitempty"`
	Embed *Behaviour `json:"embed,omitempty"`
}

// Request is one request that the server got.
type Request struct {
	Path   string      `json:"path"`
	Header http.Header `json:"header"`
	Body   struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		Input []string `json:"input"`
	} `json:"body"`
}

// Endpoint is a running server.
type Endpoint struct {
	URL string // the base address, with /v1

	t       testing.TB
	command *exec.Cmd
	origin  string
}

var program struct {
	once sync.Once
	path string
	err  error
}

// build makes the program once for all tests of a package, in a folder that the tests of a machine share: the build is
// the same for all.
func build() {
	root, err := process.Root()
	if err != nil {
		program.err = err
		return
	}
	dir, err := os.MkdirTemp("", "frontdesk-endpoint-")
	if err != nil {
		program.err = err
		return
	}
	program.path = filepath.Join(dir, "endpoint")
	command := exec.Command("go", "build", "-o", program.path, "./test/model/endpoint")
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		program.err = fmt.Errorf("go build: %w\n%s", err, output)
	}
}

// Main runs a package's tests and removes the program that they built. Packages that use this one call it from TestMain.
func Main(m *testing.M) {
	code := m.Run()
	Remove()
	os.Exit(code)
}

// Remove removes the program, for packages whose TestMain has more to remove.
func Remove() {
	if program.path != "" {
		os.RemoveAll(filepath.Dir(program.path))
	}
}

// Start runs a server until the end of the test.
func Start(t testing.TB) *Endpoint {
	t.Helper()
	return start(t, "127.0.0.1:0")
}

func start(t testing.TB, listen string) *Endpoint {
	t.Helper()
	program.once.Do(build)
	if program.err != nil {
		t.Fatal(program.err)
	}
	e := &Endpoint{t: t, command: exec.Command(program.path, "-listen", listen)}
	e.command.Stderr = os.Stderr
	out, err := e.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the endpoint did not start: %v", err)
	}
	e.origin = strings.TrimSpace(line)
	e.URL = e.origin + "/v1"
	return e
}

// Kill ends the server, so that its address is dead.
func (e *Endpoint) Kill() {
	if e.command.ProcessState == nil {
		e.command.Process.Kill()
		e.command.Wait()
	}
}

// Set says how the server behaves from now on, and makes it forget what came before.
func (e *Endpoint) Set(b Behaviours) {
	e.t.Helper()
	text, err := json.Marshal(b)
	if err != nil {
		e.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPut, e.origin+"/control", bytes.NewReader(text))
	if err != nil {
		e.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		e.t.Fatalf("the endpoint does not take its orders: %s", response.Status)
	}
}

// Requests are those that came since Set, and how many are being answered.
func (e *Endpoint) Requests() (requests []Request, open int) {
	e.t.Helper()
	response, err := http.Get(e.origin + "/control")
	if err != nil {
		e.t.Fatal(err)
	}
	defer response.Body.Close()
	var told struct {
		Requests []Request `json:"requests"`
		Open     int       `json:"open"`
	}
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil {
		e.t.Fatal(err)
	}
	return told.Requests, told.Open
}
