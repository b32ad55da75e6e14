package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// serve runs a server over what is sent to it, and gives its answers by id; "null" is the answers
// to what had none.
func serve(t *testing.T, lines ...string) map[string][]string {
	t.Helper()
	server, _ := newScripted(t, nil)
	var out bytes.Buffer
	if err := server.Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	answers := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		var answer struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &answer); err != nil && line[0] != '[' {
			t.Fatalf("%v: %s", err, line)
		}
		answers[string(answer.ID)] = append(answers[string(answer.ID)], strings.TrimSpace(line))
	}
	return answers
}

func TestServeAnswersWhatIsNoMessageAndGoesOn(t *testing.T) {
	t.Parallel()
	answers := serve(t,
		fmt.Sprintf(hello, "2025-11-25"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		"garbage", `{"jsonrpc":"2.0","id":`, "", "  ", `[{"jsonrpc":"2.0","id":9,"method":"ping"}]`, strings.Repeat("x", maxLine+1),
		`{"jsonrpc":"2.0","method":"no/such"}`, `{"jsonrpc":"2.0","method":"tools/list"}`, `{"jsonrpc":"2.0","method":"tools/call","params":[1]}`,
		`{"jsonrpc":"2.0","id":5,"method":"no/such"}`, `{"jsonrpc":"2.0","id":6,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}`)
	if got := answers["null"]; len(got) != 4 || !strings.Contains(got[0], "-32700") ||
		!strings.Contains(got[1], "-32700") ||
		!strings.Contains(got[2], "one by one") || !strings.Contains(got[3], "too long") {
		t.Errorf("what is no message is answered with %s", got)
	}
	for id, want := range map[string]string{`"hello"`: "2025-11-25", "5": "-32601", "6": "-32602", "7": `"given":{"a":1}`} {
		if got := answers[id]; len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s is answered with %s, want %s", id, got, want)
		}
	}
}

func TestServeTakesBatchesInTheRevisionThatHasThem(t *testing.T) {
	t.Parallel()
	answers := serve(t, fmt.Sprintf(hello, revisionBatch), `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	if got := answers[""]; len(got) != 1 || !strings.Contains(got[0], `"id":1`) || !strings.Contains(got[0], `"id":2`) {
		t.Errorf("the batch is answered with %s", answers)
	}
}

func TestServeTellsProgressAndKeepsIdsApart(t *testing.T) {
	t.Parallel()
	server, script := newScripted(t, nil)
	in, send := io.Pipe()
	out, write := io.Pipe()
	served := make(chan error)
	go func() { served <- server.Serve(context.Background(), in, write) }()
	answers := bufio.NewReader(out)
	next := func() string {
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	fmt.Fprintf(send, hello+"\n", "2025-11-25")
	next()
	fmt.Fprintln(send, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{}}}`)
	<-script.began
	fmt.Fprintln(send, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got := next(); !strings.Contains(got, "still in work") {
		t.Errorf("the second request of an id is answered with %s", got)
	}
	fmt.Fprintln(send, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"echo","arguments":{}}}`)
	for _, want := range []string{`"message":"half"`, `"message":"all"`, `"id":2`} {
		if got := next(); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	fmt.Fprintln(send, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if err := <-script.ended; err == nil {
		t.Error("the cancelled call goes on")
	}
	go io.Copy(io.Discard, out)
	send.Close()
	if err := <-served; err != nil {
		t.Errorf("the end of the input is %v", err)
	}
}
