package kill

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// TestPromisesOutliveAKill kills the server while it works on a promise. What it had kept is
// answered from, what it was working on is begun anew, and what was cancelled stays so.
func TestPromisesOutliveAKill(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dir := t.TempDir()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		dsn := fresh(t)
		if !strings.Contains(dsn, "://") {
			dsn = "sqlite:" + dsn
		}
		write("soup.json", `[{"@type": "Recipe", "url": "https://a.example/soup", "name": "Lentil soup", "description": "A quick lentil soup, made at leisure."}]`)
		config := filepath.Join(dir, "frontdesk.yaml")
		slow := func(leisure string) {
			write("frontdesk.yaml", fmt.Sprintf(`
listen: 127.0.0.1:0
data: data
store: %q
metrics: {listen: "off"}
sources: [{path: soup.json}]
ask: {promise: {workers: 8, slow: [{match: in a while, for: 50ms}, {match: at leisure, for: %s}]}}
`, dsn, leisure))
		}
		slow("1h")
		process.MustRun(t, "ingest", "--config", config)
		server := process.Start(t, "serve", "--config", config)
		kept := promise(t, server, "a quick lentil soup in a while")
		answer := awaited(t, server, kept)
		running, cancelled := promise(t, server, "a quick lentil soup at leisure"),
			promise(t, server, "a quick lentil soup at leisure")
		for _, token := range []string{running, cancelled} { // both are begun
			for message := ""; !strings.Contains(message, "worked on"); {
				_, body := post(t, server, "/await", `{"promise_token":"`+token+`","action":"checkin"}`)
				message = body.Promise.Message
			}
		}
		if _, body := post(t, server, "/await", `{"promise_token":"`+cancelled+`","action":"cancel"}`); body.Error.Code != "CANCELLED" {
			t.Fatalf("cancelled: %+v", body)
		}

		for range 2 { // twice is no reason to give it up
			server.Kill()
			server = process.Start(t, "serve", "--config", config)
			if again := awaited(t, server, kept); again != answer {
				t.Errorf("the answer that was kept is now %s", again)
			}
			if status, body := post(t, server, "/await", `{"promise_token":"`+running+
				`","action":"checkin"}`); status != http.StatusAccepted || body.Promise.Token != running {
				t.Errorf("what was worked on is now %d %+v", status, body)
			}
			if _, body := post(t, server, "/await", `{"promise_token":"`+cancelled+`","action":"checkin"}`); body.Error.Code != "CANCELLED" {
				t.Errorf("what was cancelled is now %+v", body)
			}
		}
		server.Kill()
		slow("50ms")
		server = process.Start(t, "serve", "--config", config)
		if text := awaited(t, server, running); !strings.Contains(text, "Lentil soup") {
			t.Errorf("what was begun anew is answered with %s", text)
		}
	})
}

// response is what the tests read of an answer.
type response struct {
	Promise struct {
		Token, Message string
		Progress       float64
	}
	Error struct{ Code string }
	raw   string
}

func post(t *testing.T, server *process.Server, path, body string) (status int, r response) {
	t.Helper()
	answer, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	r.raw = string(text)
	return answer.StatusCode, r
}

// promise asks what is promised, and gives the token.
func promise(t *testing.T, server *process.Server, question string) string {
	t.Helper()
	status, r := post(t, server, "/ask", fmt.Sprintf(`{"query":{"text":%q}}`, question))
	if status != http.StatusAccepted || r.Promise.Token == "" {
		t.Fatalf("%d: %s", status, r.raw)
	}
	return r.Promise.Token
}

// awaited gives the answer of a promise.
func awaited(t *testing.T, server *process.Server, token string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		status, r := post(t, server, "/await", `{"promise_token":"`+token+`","action":"checkin"}`)
		if status != http.StatusAccepted {
			return r.raw
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Fatal("the promise is not kept")
	return ""
}
