package offers

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
)

func TestMain(m *testing.M) { process.Main(m) }

// answer is what an endpoint answered.
type answer struct {
	code  int
	retry string // Retry-After
	text  string
	said  struct {
		Status        string
		DeclineReason string `json:"decline_reason"`
		Offer         struct {
			ID, Summary  string
			Details      json.RawMessage
			BindEndpoint string    `json:"bind_endpoint"`
			BindRequires *[]string `json:"bind_requires"`
			Expires      time.Time
		}
		Error struct{ Code, Message string }
	}
}

func post(t *testing.T, address, body string) (a answer) {
	t.Helper()
	response, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a.code, a.retry, a.text = response.StatusCode, response.Header.Get("Retry-After"), string(text)
	if err := json.Unmarshal(text, &a.said); err != nil {
		t.Fatalf("no JSON: %s", text)
	}
	return a
}

// session is the nth session of an agent.
func session(n int) string { return fmt.Sprintf("3fa85f64-5717-4562-b3fc-%012d", n) }

func submit(t *testing.T, base, intake string, n int, data string) answer {
	t.Helper()
	return post(t, base+"/intake/"+intake, fmt.Sprintf(`{"aip_version":"0.1.0","agent":{"id":"agent-1","platform":"test","consent_scope":["intake","offer"]},"session_id":%q,"intake_data":%s}`, session(n), data))
}

func bind(t *testing.T, offer answer, n int, data string, scopes ...string) answer {
	t.Helper()
	consent, err := json.Marshal(append([]string{"bind"}, scopes...))
	if err != nil {
		t.Fatal(err)
	}
	return post(t, offer.said.Offer.BindEndpoint, fmt.Sprintf(`{"offer_id":%q,"session_id":%q,"bind_data":%s,"agent":{"id":"agent-1","consent_scope":%s}}`, offer.said.Offer.ID, session(n), data, consent))
}

// until waits for what happens beside a test.
func until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !happened(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in a minute it did not come to: %s", what)
		}
	}
}

// configured writes a configuration, and gives its file.
func configured(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "frontdesk.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
