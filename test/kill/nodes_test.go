package kill

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// TestTwoServersShareTheirPromises has two servers on one PostgreSQL, with one folder of secrets: a
// promise that one made is told and cancelled by the other, and worked on by the other when the
// first is killed.
func TestTwoServersShareTheirPromises(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	dir, dsn := t.TempDir(), storetest.NewPostgres(t)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("soup.json", `[{"@type": "Recipe", "url": "https://a.example/soup", "name": "Lentil soup", "description": "A quick lentil soup, made at leisure."}]`)
	node := func(name, leisure string) string {
		return write(name+".yaml", fmt.Sprintf(`
listen: 127.0.0.1:0
data: data-%s
keys: keys
store: %q
metrics: {listen: "off"}
sources: [{path: soup.json}]
ask: {promise: {workers: 8, slow: [{match: at leisure, for: %s}]}}
`, name, dsn, leisure))
	}
	one := node("one", "1h")
	process.MustRun(t, "ingest", "--config", one)
	a := process.Start(t, "serve", "--config", one)
	running, cancelled := promise(t, a, "a quick lentil soup at leisure"),
		promise(t, a, "a quick lentil soup at leisure")
	for _, token := range []string{running, cancelled} { // A has begun both: nobody else is there
		worked(t, a, token)
	}
	b := process.Start(t, "serve", "--config", node("two", "50ms"))
	for _, token := range []string{running, cancelled} {
		if status, r := post(t, b, "/await", `{"promise_token":"`+token+`","action":"checkin"}`); status != http.StatusAccepted || r.Promise.Token != token {
			t.Errorf("the other server says %d: %s", status, r.raw)
		}
	}
	if _, r := post(t, b, "/await", `{"promise_token":"`+cancelled+`","action":"cancel"}`); r.Error.Code != "CANCELLED" {
		t.Errorf("cancelled at the other server: %s", r.raw)
	}
	if _, r := post(t, a, "/await", `{"promise_token":"`+cancelled+`","action":"checkin"}`); r.Error.Code != "CANCELLED" {
		t.Errorf("then the first says %s", r.raw)
	}
	if status, r := post(t, b, "/await", `{"promise_token":"`+running+`","action":"checkin"}`); status != http.StatusAccepted {
		t.Errorf("what the first server works on is, at the other, %d: %s", status, r.raw)
	}
	a.Kill()
	if text := awaited(t, b, running); !strings.Contains(text, "Lentil soup") {
		t.Errorf("what the other server took over is answered with %s", text)
	}
	again := process.Start(t, "serve", "--config", one)
	if text := awaited(t, again, running); !strings.Contains(text, "Lentil soup") {
		t.Errorf("the first server, started again, answers with %s", text)
	}
	if _, r := post(t, again, "/await", `{"promise_token":"`+cancelled+`","action":"checkin"}`); r.Error.Code != "CANCELLED" {
		t.Errorf("what was cancelled is now %s", r.raw)
	}
}

// worked waits until a promise is worked on.
func worked(t *testing.T, server *process.Server, token string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		_, r := post(t, server, "/await", `{"promise_token":"`+token+`","action":"checkin"}`)
		if strings.Contains(r.Promise.Message, "worked on") {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Fatal("nobody works on the promise")
}
