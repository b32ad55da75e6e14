// Package transcript holds doors to their contract at the wire: a file says what is sent, byte for byte, and what
// must come back. All doors share the form, so that a transcript can be read without knowing the test.
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
// and optionally a file `absent` after a pair: lines that must not occur anywhere in that response. Host,
// Content-Length and Connection are filled in when a request does not set them. The response's status line and
// body must be equal; of its headers those that the file names. Run the test with -update to write what came back
// into the files; then read the difference.
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
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what came back into the transcripts")

// shown are the headers that -update writes down.
var shown = []string{"Content-Type", "Cache-Control", "Allow", "Retry-After", "Www-Authenticate", "Location", "Access-Control-Allow-Origin"}

// Run plays every transcript that the glob matches against the handler, over a loopback socket.
func Run(t *testing.T, glob string, handler http.Handler) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts at %s: %v", glob, err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { play(t, file, server.Listener.Addr().String()) })
	}
}

func play(t *testing.T, file, addr string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for i := range archive.Files {
		if archive.Files[i].Name != "request" {
			continue
		}
		if i+1 == len(archive.Files) || archive.Files[i+1].Name != "response" {
			t.Fatalf("request %d has no response after it", pairs+1)
		}
		pairs++
		got, err := exchange(addr, archive.Files[i].Data)
		if err != nil {
			t.Fatalf("request %d: %v", pairs, err)
		}
		want := &archive.Files[i+1]
		if *update {
			want.Data = got.render(shown)
		} else if diff := cmp.Diff(string(want.Data), string(got.render(named(want.Data)))); diff != "" {
			t.Errorf("response %d (-want +got):\n%s", pairs, diff)
		}
		if i+2 < len(archive.Files) && archive.Files[i+2].Name == "absent" {
			mustNotOccur(t, archive.Files[i+2].Data, got.raw)
		}
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
	return &reply{status: response.Proto + " " + response.Status, header: response.Header, body: body, raw: raw.Bytes()}, nil
}

// complete brings a request of a file to the form of the wire: CRLF line ends in its head, and the headers that
// every request needs.
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
