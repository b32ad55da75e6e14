package http

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWhatIsNotThereIsToldToBrowsersByAPage holds that programs have an error of the protocol, and
// that without a page everybody does.
func TestWhatIsNotThereIsToldToBrowsersByAPage(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "a page")
	})
	for _, row := range []struct {
		routes         []Route
		method, accept string
		paged          bool
		says           string
	}{
		{[]Route{{Pattern: PagePattern, Handler: page}}, "GET", "text/html,application/xhtml+xml,*/*;q=0.8",
			true, "a page"},
		{[]Route{{Pattern: PagePattern, Handler: page}}, "GET", "application/json", false, "NOT_FOUND"},
		{[]Route{{Pattern: PagePattern, Handler: page}}, "GET", "", false, "ask at /ask"},
		{[]Route{{Pattern: PagePattern, Handler: page}}, "GET", "*/*", false, "NOT_FOUND"},
		{[]Route{{Pattern: PagePattern, Handler: page}}, "POST", "text/html", false, "NOT_FOUND"},
		{nil, "GET", "text/html", false, "NOT_FOUND"},
	} {
		mux, _ := NewMux(row.routes, nil, nil, "; ask at /ask")
		r := httptest.NewRequest(row.method, "/nothere", nil)
		if row.accept != "" {
			r.Header.Set("Accept", row.accept)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), row.says) ||
			(w.Body.String() == "a page") != row.paged {
			t.Errorf("%s %q: %d %s", row.method, row.accept, w.Code, w.Body)
		}
	}
}
