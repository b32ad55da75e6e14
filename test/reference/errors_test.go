package reference

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/infra/fail"
	intake "frontdesk/internal/intake/api"
	"frontdesk/internal/licensing/rampapi"
	operator "frontdesk/internal/operator/api"
)

// speaker renders an error as a protocol does.
type speaker struct {
	name, path string
	write      func(http.ResponseWriter, *http.Request, error)
}

var speakers = []speaker{
	{"questions (NLWeb)", "/ask", nlweb.WriteError},
	{"requests (Agent Intake)", "/intake/print", intake.WriteError},
	{"sales (RAMP)", "/ramp.v1.ExchangeService/DiscoverResources", rampapi.WriteError},
	{"owner", "/admin/keys", operator.WriteError},
}

// failures is the page of errors: what each failure is called in each protocol.
func failures(t *testing.T) map[string]string {
	columns := []string{"failure"}
	for _, speaker := range speakers {
		columns = append(columns, speaker.name)
	}
	meanings := map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)^\t\w+ +Code = "([^"]+)" +// (.+)$`).
		FindAllStringSubmatch(source(t, "../../internal/infra/fail/fail.go"), -1) {
		meanings[found[1]] = found[2]
	}
	var kinds, rows [][]string
	for _, code := range fail.Codes {
		row := []string{string(code)}
		for _, speaker := range speakers {
			row = append(row, rendered(t, speaker.path, speaker.write, code))
		}
		rows = append(rows, row)
		meaning := meanings[string(code)]
		if meaning == "" {
			t.Errorf("%q has no comment", code)
		}
		meaning, _, _ = strings.Cut(meaning, "; RetryAfter says when")
		kinds = append(kinds, []string{string(code), strings.ToUpper(meaning[:1]) + meaning[1:] + "."})
	}
	ramp := [][]string{}
	for _, found := range regexp.MustCompile(`(?m)^  // (.+)\n  (DENIAL_REASON_\w+) = [1-9]`).
		FindAllStringSubmatch(source(t, "../../proto/ramp/v1/ramp.proto"), -1) {
		ramp = append(ramp, []string{"`" + found[2] + "`", found[1]})
	}
	intent := [][]string{}
	for _, found := range regexp.MustCompile(`(?m)^\tReason\w+ += "(\w+)"(?: +// (.+))?$`).
		FindAllStringSubmatch(source(t, "../../wire/intent/intent.go"), -1) {
		intent = append(intent, []string{"`" + found[1] + "`", denials[found[1]]})
		if denials[found[1]] == "" {
			t.Errorf("say what the denial %s means", found[1])
		}
	}
	if len(ramp) < 10 || len(intent) < 4 {
		t.Errorf("only %d and %d refusals", len(ramp), len(intent))
	}
	reasons := []string{"reason", "meaning"}
	return map[string]string{"reference/errors.md": page(t, "errors.md", "example", example(t),
		"meanings", table([]string{"failure", "meaning"}, kinds), "words", table(columns, rows),
		"ramp", table(reasons, ramp), "intent", table(reasons, intent))}
}

// example is the failure of a question without a text.
func example(t *testing.T) string {
	answer := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/ask", strings.NewReader(`{"query": {}}`))
	r.Header.Set("Content-Type", "application/json")
	nlweb.Handler(nil, nlweb.Config{}).ServeHTTP(answer, r)
	return answer.Body.String()
}

// denials are what the reasons of a denial mean, which the protocol does not say.
var denials = map[string]string{
	"out_of_scope":     "The publisher has nothing in the domain or language asked for.",
	"access_disabled":  "The publisher does not serve this platform, or nobody at the moment.",
	"policy_violation": "The terms do not allow the use, or what they allow for today is used up.",
	"rate_limited":     "Too many requests; `Retry-After` says when to try again.",
	"unsupported":      "The publisher does not serve what was asked for, such as a country or a placement.",
}

// rendered is how a protocol writes a failure.
func rendered(t *testing.T, path string, write func(http.ResponseWriter, *http.Request, error), code fail.Code) string {
	failure := fail.New(code, "What to do.")
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	write(w, r, failure)
	var body struct {
		Code   string
		Error  struct{ Code string }
		Status string
		Denial struct{ Reason string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("%s: %v: %s", path, err, w.Body)
	}
	for _, word := range []string{body.Error.Code, body.Code, body.Denial.Reason} {
		switch {
		case w.Code == http.StatusInternalServerError && code != fail.Internal:
			return "–" // it does not happen there
		case word != "":
			return fmt.Sprintf("%d `%s`", w.Code, word)
		}
	}
	t.Errorf("%s has no word for %s: %s", path, code, w.Body)
	return ""
}

func source(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAFailureHasItsWordInEachProtocol(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"/ask": "429 `RATE_LIMITED`", "/admin/keys": "429 `limited`"} {
		i := slices.IndexFunc(speakers, func(s speaker) bool { return s.path == name })
		if got := rendered(t, name, speakers[i].write, fail.Limited); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
