// Package transcript tests handlers at the wire: a file says what is sent, byte for byte, and what
// must come back. All protocols share the form, so that a transcript can be read without
// knowing the test.
//
// A file is a txtar archive. Its comment says what rule it holds. Then come pairs of
//
//	-- request --
//	POST /ask HTTP/1.1
//	Content-Type: application/json
//
//	{"query": {"text": "soup"}}
//	-- response --
//	HTTP/1.1 200 OK
//	Content-Type: application/json
//
//	{"_meta": ...}
//
// and optionally a file `absent` after a pair: lines that must not occur anywhere in that response.
// On a [Stage] there may also be a file `do` before a pair, whose lines are done first, and after
// it files for what the exchange brought about beside its answer, such as entries of the ledger:
// where there is no such file, there must be nothing of it. Host, Content-Length and Connection are
// filled in when a request does not set them. The response's status line and body must be equal; of
// its headers those that the file names. Run the test with -update to write what came back into the
// files; then read the difference.
package transcript

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what came back into the transcripts")

// shown are the headers that -update writes down.
var shown = []string{"Content-Type", "Cache-Control", "Allow", "Retry-After", "Www-Authenticate", "Location",
	"Access-Control-Allow-Origin"}

// Stage is what a transcript is played on, where that is more than a handler.
type Stage struct {
	Handler http.Handler
	// Send makes of a request as the file has it what is sent, such as one that is signed. Nil
	// sends it as it is.
	Send func(request []byte) []byte
	// Seen makes of an answer what is compared with the file: it changes in header and body what is
	// another in each run. It is given the request as it was sent. Nil changes nothing.
	Seen func(request []byte, status int, header http.Header, body []byte) []byte
	// Shown are headers that -update writes down beside the usual.
	Shown []string
	// Beside gives, for each name of a file that may follow a pair, what there is of it since it
	// was last asked.
	Beside map[string]func() string
	// Do does what a line of a file `do` says.
	Do func(line string) error
}

// Run plays every transcript that the glob matches against the handler, over a loopback socket.
func Run(t *testing.T, glob string, handler http.Handler) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	each(t, glob, func(t *testing.T, file string) { play(t, file, server.Listener.Addr().String(), Stage{}) })
}

// Play is Run on stages, of which each transcript gets its own.
func Play(t *testing.T, glob string, build func(*testing.T) Stage) {
	t.Helper()
	each(t, glob, func(t *testing.T, file string) {
		stage := build(t)
		server := httptest.NewServer(stage.Handler)
		defer server.Close()
		play(t, file, server.Listener.Addr().String(), stage)
	})
}

func each(t *testing.T, glob string, fn func(t *testing.T, file string)) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts at %s: %v", glob, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { fn(t, file) })
	}
}

func play(t *testing.T, file, addr string, stage Stage) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for i := 0; i < len(archive.Files); {
		if archive.Files[i].Name == "do" && stage.Do != nil {
			for line := range strings.Lines(string(archive.Files[i].Data)) {
				if err := stage.Do(strings.TrimSpace(line)); err != nil {
					t.Fatalf("before request %d: %s: %v", pairs+1, strings.TrimSpace(line), err)
				}
			}
			i++
			continue
		}
		if archive.Files[i].Name != "request" || i+1 == len(archive.Files) || archive.Files[i+1].Name != "response" {
			t.Fatalf("the file %s after pair %d is not the request of a pair", archive.Files[i].Name, pairs)
		}
		pairs++
		end := i + 2
		for end < len(archive.Files) && archive.Files[end].Name != "request" && archive.Files[end].Name != "do" {
			end++
		}
		pair(t, pairs, archive.Files[i:end], addr, stage)
		i = end
	}
	if pairs == 0 {
		t.Fatal("no request in this transcript")
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// pair plays a request and its response, with the files that follow them.
func pair(t *testing.T, number int, files []txtar.File, addr string, stage Stage) {
	t.Helper()
	request := files[0].Data
	if stage.Send != nil {
		request = stage.Send(request)
	}
	got, err := exchange(addr, request)
	if err != nil {
		t.Fatalf("request %d: %v", number, err)
	}
	if stage.Seen != nil {
		got.body = stage.Seen(request, got.code, got.header, got.body)
	}
	if want := &files[1]; *update {
		want.Data = got.render(append(slices.Clone(shown), stage.Shown...))
	} else if diff := cmp.Diff(string(want.Data), string(got.render(named(want.Data)))); diff != "" {
		t.Errorf("response %d (-want +got):\n%s", number, diff)
	}
	beside := map[string]string{}
	for name, fn := range stage.Beside {
		beside[name] = fn()
	}
	for i := range files[2:] {
		file := &files[2+i]
		have, known := beside[file.Name]
		switch {
		case file.Name == "absent":
			mustNotOccur(t, file.Data, got.raw)
		case !known:
			t.Fatalf("the file %s after pair %d is none that this transcript may have", file.Name, number)
		case *update:
			file.Data = []byte(have)
		case string(file.Data) != have:
			t.Errorf("%s after pair %d (-want +got):\n%s", file.Name, number, cmp.Diff(string(file.Data), have))
		}
		delete(beside, file.Name)
	}
	for name, have := range beside {
		if have != "" {
			t.Errorf("pair %d brought about, and the transcript has no file %s for it:\n%s", number, name, have)
		}
	}
}

func mustNotOccur(t *testing.T, lines, raw []byte) {
	for line := range strings.Lines(string(lines)) {
		if line = strings.TrimSpace(line); line != "" && bytes.Contains(raw, []byte(line)) {
			t.Errorf("the response contains %q", line)
		}
	}
}

// reply is a response as it came.
type reply struct {
	status string
	code   int
	header http.Header
	body   []byte
	raw    []byte
}

// exchange sends a request's bytes over a connection of its own and reads the response.
func exchange(addr string, request []byte) (*reply, error) {
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return nil, err
	}
	if _, err := conn.Write(complete(request)); err != nil {
		return nil, err
	}
	var raw bytes.Buffer
	method, _, _ := strings.Cut(string(request), " ")
	response, err := http.ReadResponse(bufio.NewReader(io.TeeReader(conn, &raw)), &http.Request{Method: method})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return &reply{status: response.Proto + " " + response.Status, code: response.StatusCode, header: response.Header,
		body: body, raw: raw.Bytes()}, nil
}

// complete brings a request of a file to the form of the wire: CRLF line ends in its head, and the
// headers that every request needs.
func complete(request []byte) []byte {
	head, body, found := bytes.Cut(request, []byte("\n\n"))
	if !found {
		head = bytes.TrimRight(request, "\n")
	}
	body = bytes.TrimSuffix(body, []byte("\n"))
	lines := strings.Split(strings.TrimRight(string(head), "\n"), "\n")
	lower := strings.ToLower(string(head))
	for _, header := range []struct{ name, value string }{
		{"Host", "desk.test"}, {"Content-Length", strconv.Itoa(len(body))}, {"Connection", "close"},
	} {
		if !strings.Contains(lower, "\n"+strings.ToLower(header.name)+":") {
			lines = append(lines, header.name+": "+header.value)
		}
	}
	return append([]byte(strings.Join(lines, "\r\n")+"\r\n\r\n"), body...)
}

// named lists the headers that an expected response names.
func named(response []byte) []string {
	head, _, _ := strings.Cut(string(response), "\n\n")
	var names []string
	for i, line := range strings.Split(head, "\n") {
		if name, _, ok := strings.Cut(line, ":"); ok && i > 0 {
			names = append(names, name)
		}
	}
	return names
}

// render writes the response in a transcript's form, with the headers named.
func (r *reply) render(headers []string) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, r.status)
	for _, name := range headers {
		if value := r.header.Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", http.CanonicalHeaderKey(name), value)
		}
	}
	fmt.Fprintln(&b)
	b.Write(r.body)
	if len(r.body) > 0 && !bytes.HasSuffix(r.body, []byte("\n")) {
		fmt.Fprintln(&b)
	}
	return b.Bytes()
}
