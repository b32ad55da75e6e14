package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"frontdesk/internal/testkit/publisher"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"frontdesk": func() { os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the commands as people do. Beside what testscript has, scripts know:
//
//	site NAME DIR FILE      serves a folder as a web site, sets $NAME to its address, and puts it
//	                        for NAME into the file
//	publisher NAME [LIE]    serves a publisher of the Agentic Intent Protocol, and sets $NAME to
//	                        its address
//	freeport NAME          sets $NAME to an address of this machine on which nobody listens
//	ready ADDRESS          waits until a front desk answers there that it is ready
//	fetch METHOD URL [BODY]  prints status and body of an answer
//	until TEXT FLAGS...     repeats `frontdesk ask FLAGS...` until its output has the text; with !
//	                        until it has not
//	signal NAME             sends HUP or TERM to the program that was started last
//	hold ADDRESS            begins a question there and does not end it
//	refused ADDRESS         waits until nobody takes connections there any more
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		// [race] in a script: its commands run one after another, which has nothing for the race
		// detector to find and takes ten times as long under it. Every script runs without it, too.
		Condition: func(name string) (bool, error) {
			if name != "race" {
				return false, fmt.Errorf("the conditions of scripts are testscript's own and race, not %s", name)
			}
			return raced, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"site": site, "publisher": publisherCommand, "freeport": freePort, "ready": ready, "fetch": fetch,
			"until": until, "signal": sendSignal, "hold": hold, "refused": refused, "remember": remember,
		},
	})
}

func site(ts *testscript.TestScript, _ bool, args []string) {
	server := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[1]))))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
	file := ts.MkAbs(args[2])
	ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(ts.ReadFile(args[2]), args[0], server.URL)), 0o600))
}

func publisherCommand(ts *testscript.TestScript, _ bool, args []string) {
	p := publisher.New()
	if len(args) > 1 {
		p.Lie(args[1])
	}
	server := httptest.NewServer(p)
	ts.Defer(server.Close)
	ts.Setenv(args[0], strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
}

// remember puts what fits an expression in a file into a variable: remember NAME FILE EXPRESSION.
func remember(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[2]).FindString(ts.ReadFile(args[1]))
	if found == "" {
		ts.Fatalf("nothing in %s fits %s", args[1], args[2])
	}
	ts.Setenv(args[0], found)
}

func freePort(ts *testscript.TestScript, _ bool, args []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], listener.Addr().String())
	ts.Check(listener.Close())
}

// patience is how long a script waits for what must come.
const patience = time.Minute

// poll calls fn until it says yes.
func poll(ts *testscript.TestScript, what string, fn func() bool) {
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !fn() {
		select {
		case <-deadline:
			ts.Fatalf("%s: not within %s", what, patience)
		case <-tick.C:
		}
	}
}

func ready(ts *testscript.TestScript, _ bool, args []string) {
	poll(ts, args[0], func() bool {
		response, err := http.Get("http://" + args[0] + "/readyz")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

func fetch(ts *testscript.TestScript, _ bool, args []string) {
	var body io.Reader
	if len(args) > 2 {
		body = strings.NewReader(args[2])
	}
	request, err := http.NewRequest(args[0], args[1], body)
	ts.Check(err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%d\n%s", response.StatusCode, text)
}

func until(ts *testscript.TestScript, neg bool, args []string) {
	poll(ts, strings.Join(args, " "), func() bool {
		var out, errs bytes.Buffer
		Main(context.Background(), append([]string{"ask"}, args[1:]...), nil, &out, &errs)
		return strings.Contains(out.String()+errs.String(), args[0]) != neg
	})
}

func sendSignal(ts *testscript.TestScript, _ bool, args []string) {
	running := ts.BackgroundCmds()
	signals := map[string]os.Signal{"HUP": syscall.SIGHUP, "TERM": syscall.SIGTERM}
	ts.Check(running[len(running)-1].Process.Signal(signals[args[0]]))
}

func hold(ts *testscript.TestScript, _ bool, args []string) {
	c, err := net.Dial("tcp", args[0])
	ts.Check(err)
	ts.Defer(func() { c.Close() })
	// The server asks for the body when a handler waits for it, and so the request is in work.
	_, err = io.WriteString(c, "POST /ask HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"+
		"Content-Length: 9\r\nExpect: 100-continue\r\n\r\n")
	ts.Check(err)
	_, err = bufio.NewReader(c).ReadString('\n')
	ts.Check(err)
}

func refused(ts *testscript.TestScript, _ bool, args []string) {
	poll(ts, args[0], func() bool {
		c, err := net.Dial("tcp", args[0])
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

func TestMessagesOfAServerCannotCommandTheTerminal(t *testing.T) {
	t.Parallel()
	const hostile = "a\u001b[2Jb\u202ec"
	for _, body := range []string{
		`{"error":{"code":"X","message":"MESSAGE"}}`,
		"event: error\ndata: {\"error\":{\"message\":\"MESSAGE\"}}\n\nevent: complete\ndata: {}\n\n",
	} {
		body = strings.ReplaceAll(body, "MESSAGE", strings.Trim(strconv.QuoteToASCII(hostile), `"`))
		body = strings.ReplaceAll(body, `\x1b`, `\u001b`)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if strings.HasPrefix(body, "event") {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			io.WriteString(w, body)
		}))
		var out, problems bytes.Buffer
		code := Main(t.Context(), []string{"ask", "--url", server.URL, "x"}, strings.NewReader(""), &out, &problems)
		server.Close()
		if said := out.String() + problems.String(); code == 0 || strings.ContainsAny(said, "\x1b\u202e") ||
			!strings.Contains(said, "a [2Jb c") {
			t.Errorf("code %d, %q", code, said)
		}
	}
}

func TestTokenIsOfTheFlagOrTheEnvironment(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		io.WriteString(w, `{"_meta":{"response_type":"answer","version":"0.55"},"results":[]}`)
	}))
	defer server.Close()
	for _, row := range []struct{ flag, variable, want string }{
		{"", "", ""}, {"a", "", "Bearer a"}, {"", "b", "Bearer b"}, {"a", "b", "Bearer a"},
	} {
		t.Setenv("FRONTDESK_TOKEN", row.variable)
		var out, problems bytes.Buffer
		code := Main(t.Context(), []string{"ask", "--url", server.URL, "--token=" + row.flag, "x"},
			strings.NewReader(""), &out, &problems)
		if code != 0 || got != row.want {
			t.Errorf("%+v: sent %q, code %d: %s", row, got, code, problems.String())
		}
	}
}
