package api

import (
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
)

// TestEveryCodeHasAStatus renders each code of the house.
func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	for _, code := range fail.Codes {
		failure := fail.New(code, "what to do")
		failure.RetryAfter = 1500 * time.Millisecond
		w := httptest.NewRecorder()
		WriteError(w, httptest.NewRequest("GET", "/admin/requesters", nil), failure)
		var told struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code < 400 ||
			told.Error.Code != string(code) || told.Error.Message != "what to do" ||
			w.Header().Get("Retry-After") != "2" {
			t.Errorf("%s: %d %s %v", code, w.Code, w.Body, w.Header())
		}
	}
}
