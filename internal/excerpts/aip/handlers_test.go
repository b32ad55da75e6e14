package aip

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"frontdesk/internal/testkit/transcript"
	wire "frontdesk/wire/intent"
)

func TestTranscripts(t *testing.T) {
	t.Parallel()
	transcript.Play(t, "testdata/*.txtar", played)
}

// matrix is what may come of a request at the three addresses: each status with the words that go
// with it, and which of these answers bear a signature.
var matrix = map[string][]string{
	"retrieve": {
		"200 ok", "200 denied out_of_scope", "200 denied access_disabled", "200 denied policy_violation",
		"200 denied unsupported", "429 denied rate_limited",
		"429 error rate_limited unsigned", "401 error auth_failed unsigned", "403 error auth_failed",
		"400 error invalid_request", "400 error unsupported_version",
		"413 error request_too_large unsigned", "415 error unsupported_media_type",
		"405 error method_not_allowed unsigned", "200 error no_content",
		"409 error request_conflict", "500 error internal_error", "503 error unavailable",
		"503 error unavailable unsigned", // where it is not known who asks
	},
	"events": {
		"202 accepted", "200 duplicate", "409 error event_conflict", "422 error unprocessable_event",
		"400 error invalid_request", "400 error unsupported_version",
		"401 error auth_failed unsigned", "403 error auth_failed", "413 error request_too_large unsigned",
		"415 error unsupported_media_type",
		"405 error method_not_allowed unsigned", "429 error rate_limited", "429 error rate_limited unsigned",
		"500 error internal_error",
		// where the owner takes events without signatures
		"202 accepted unsigned", "200 duplicate unsigned", "422 error unprocessable_event unsigned",
	},
	"receipts": {"200", "404 error not_found", "401 error auth_failed unsigned",
		"405 error method_not_allowed unsigned", "503 error unavailable"},
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
				_, door, _ = strings.Cut(string(part.Data), "/intent/")
				door, _, _ = strings.Cut(door, " ")
				door, _, _ = strings.Cut(door, "/")
			case "response":
				outcome := told(t, filepath.Base(file), door, string(part.Data))
				if !slices.Contains(met[door], outcome) {
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

// told is what a response of a transcript says, in short.
func told(t *testing.T, file, door, response string) string {
	head, body, _ := strings.Cut(response, "\n\n")
	status, _, _ := strings.Cut(strings.TrimPrefix(head, "HTTP/1.1 "), " ")
	if !strings.Contains(head, "\nCache-Control: no-store") ||
		!strings.Contains(head, "\nContent-Type: application/json") {
		t.Errorf("%s: an answer may be stored, or is no JSON:\n%s", file, head)
	}
	if again := strings.Contains(head, "\nRetry-After: "); again != (status == "429" || status == "503") {
		t.Errorf("%s: status %s, and Retry-After is there: %v", file, status, again)
	}
	if strings.Contains(head, "\nAllow: ") != (status == "405") {
		t.Errorf("%s: status %s has the wrong Allow", file, status)
	}
	if strings.TrimSpace(body) == "" {
		return status
	}
	if door == "retrieve" {
		if findings := wire.Check(wire.KindResponse, []byte(body),
			wire.Options{Versions: []string{"0.1", "1.0"}}); !findings.Valid() {
			t.Errorf("%s: an answer is not valid: %v\n%s", file, findings, body)
		}
	}
	var said struct {
		Status string
		Denial struct{ Reason string }
		Error  struct{ Code string }
	}
	if err := json.Unmarshal([]byte(strings.Replace(body, `"proof":[...]`, `"proof":[]`, 1)), &said); err != nil {
		t.Errorf("%s: %v in %s", file, err, body)
	}
	words := []string{status, said.Status, said.Denial.Reason, said.Error.Code}
	if strings.Contains(head, "\nX-Aip-Signature: none") {
		words = append(words, "unsigned")
	} else if !strings.Contains(head, "\nX-Aip-Signature: holds, by ") {
		t.Errorf("%s: the signature of an answer does not hold:\n%s", file, head)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}
