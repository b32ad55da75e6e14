package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"frontdesk": func() { os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the commands as people do. Beside what testscript has, scripts know:
//
//	freeport NAME          sets $NAME to an address of this machine on which nobody listens
//	ready ADDRESS          waits until a front desk answers there that it is ready
//	fetch METHOD URL [BODY]  prints status and body of an answer
//	until TEXT FLAGS...     repeats `frontdesk ask FLAGS...` until its output has the text; with ! until it has not
//	signal NAME             sends HUP or TERM to the program that was started last
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"freeport": freePort, "ready": ready, "fetch": fetch, "until": until, "signal": sendSignal,
		},
	})
}

func freePort(ts *testscript.TestScript, _ bool, args []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], listener.Addr().String())
	ts.Check(listener.Close())
}

// patience is how long scripts wait for a server.
const patience = 30 * time.Second

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
