package api

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake"
	"frontdesk/internal/testkit/transcript"
	wire "frontdesk/wire/intake"
)

func TestTranscripts(t *testing.T) {
	t.Parallel()
	transcript.Play(t, "testdata/*.txtar", played)
}

// matrix is what may come of a request at the two addresses.
var matrix = map[string][]string{
	"submit": {
		"200 offer", "200 declined", "200 pending", "400 error INVALID_INPUT", "400 error SCHEMA_MISMATCH",
		"401 error UNAUTHORIZED", "403 error FORBIDDEN",
		"404 error INTAKE_NOT_FOUND", "405 error INVALID_INPUT", "413 error INVALID_INPUT", "415 error INVALID_INPUT",
		"429 error RATE_LIMITED", "500 error INTERNAL_ERROR",
		"503 error SERVICE_UNAVAILABLE",
	},
	"bind": {
		"200 bound", "400 error INVALID_INPUT", "400 error BIND_INCOMPLETE", "404 error OFFER_NOT_FOUND",
		"405 error INVALID_INPUT", "409 error OFFER_ALREADY_BOUND",
		"410 error OFFER_EXPIRED", "415 error INVALID_INPUT", "429 error RATE_LIMITED", "500 error INTERNAL_ERROR",
	},
}

// TestTheTranscriptsHoldTheWholeMatrix holds that each outcome is in a transcript, and no other;
// that what says to come again says when; and that no answer may be stored.
func TestTheTranscriptsHoldTheWholeMatrix(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		door := ""
		for _, part := range txtar.Parse(text).Files {
			switch part.Name {
			case "request":
				line, _, _ := strings.Cut(string(part.Data), "\n")
				door = map[bool]string{true: "bind", false: "submit"}[strings.Contains(line, "/bind ")]
			case "response":
				if outcome := said(t, filepath.Base(file), string(part.Data)); !slices.Contains(met[door], outcome) {
					met[door] = append(met[door], outcome)
				}
			}
		}
	}
	for door, want := range matrix {
		for _, outcome := range want {
			if !slices.Contains(met[door], outcome) {
				t.Errorf("no transcript of %s has %q", door, outcome)
			}
		}
		for _, outcome := range met[door] {
			if !slices.Contains(want, outcome) && outcome != "405" { // to HEAD
				t.Errorf("a transcript of %s has %q, which is not in the matrix", door, outcome)
			}
		}
	}
}

// said is what a response of a transcript says, in short.
func said(t *testing.T, file, response string) string {
	head, body, _ := strings.Cut(response, "\n\n")
	status, _, _ := strings.Cut(strings.TrimPrefix(head, "HTTP/1.1 "), " ")
	if !strings.Contains(head, "\nCache-Control: no-store") ||
		!strings.Contains(head, "\nContent-Type: application/json") {
		t.Errorf("%s: an answer may be stored, or is no JSON:\n%s", file, head)
	}
	if again := strings.Contains(head, "\nRetry-After: "); again != (status == "429" || status == "503") {
		t.Errorf("%s: status %s, and Retry-After is there: %v", file, status, again)
	}
	if strings.Contains(head, "\nAllow: ") != (status == "405") ||
		strings.Contains(head, "\nWww-Authenticate: ") != (status == "401" || status == "403") {
		t.Errorf("%s: status %s has the wrong Allow or WWW-Authenticate", file, status)
	}
	if strings.TrimSpace(body) == "" {
		return status
	}
	var answer struct {
		Status string
		Error  struct{ Code string }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Errorf("%s: %v in %s", file, err, body)
	}
	kind := wire.KindResponse
	if answer.Status == string(wire.StatusBound) {
		kind = wire.KindBound
	}
	if findings := wire.Check(kind, []byte(body), wire.Options{}); !findings.Valid() {
		t.Errorf("%s: an answer is not valid: %v\n%s", file, findings, body)
	}
	return strings.TrimSpace(strings.Join([]string{status, answer.Status, answer.Error.Code}, " "))
}

// TestEveryCodeOfTheHouseHasAWord renders each code that an error of ours can have, and each
// refusal of the service.
func TestEveryCodeOfTheHouseHasAWord(t *testing.T) {
	t.Parallel()
	errors := []error{}
	for _, code := range fail.Codes {
		errors = append(errors, fail.New(code, "What is to be told."))
	}
	for reason := range refusals {
		errors = append(errors, &intake.Refusal{Reason: reason, Message: "What is to be told."})
	}
	errors = append(errors, os.ErrClosed)
	for _, err := range errors {
		f := failed(err)
		out := f.envelope(t.Context(), []byte(`{"session_id":"9f0c54c2-5b0e-4d3a-9a55-0a1b2c3d4e5f"}`))
		response, problem := wire.ReadResponse(out.body, wire.Options{})
		if problem != nil || response.SessionID != "9f0c54c2-5b0e-4d3a-9a55-0a1b2c3d4e5f" || out.status < 400 ||
			f.message == "" {
			t.Errorf("%v: %d %s: %v", err, out.status, out.body, problem)
		}
		if known := f.status != 500; known == strings.Contains(string(out.body), "internal") ||
			(f.retryAfter > 0) != (f.status == 429 || f.status == 503) {
			t.Errorf("%v: %d %s", err, out.status, out.body)
		}
	}
}

// FuzzRequests holds that whatever is sent gets an answer that the protocol has, and breaks
// nothing.
func FuzzRequests(f *testing.F) {
	s := newStage(f)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range txtar.Parse(text).Files {
			if head, body, ok := strings.Cut(string(part.Data), "\n\n"); ok && part.Name == "request" &&
				len(body) < 4000 {
				f.Add(strings.Contains(head, "/bind "), []byte(strings.TrimSuffix(body, "\n")))
			}
		}
	}
	f.Fuzz(func(t *testing.T, bind bool, body []byte) {
		path := "/intake/quote"
		if bind {
			path += "/bind"
		}
		r := httptest.NewRequest("POST", path, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		kind := wire.KindResponse
		if bind && w.Code == 200 {
			kind = wire.KindBound
		}
		if findings := wire.Check(kind, w.Body.Bytes(), wire.Options{}); !findings.Valid() || w.Code >= 500 ||
			w.Code != 200 && !bytes.Contains(w.Body.Bytes(), []byte(`"error"`)) {
			t.Fatalf("%q: %d %s: %v", body, w.Code, w.Body, findings)
		}
	})
}
