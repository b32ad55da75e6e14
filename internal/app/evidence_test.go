package app

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/disputes/accesslog"
)

// TestDeliveryLogsAreImportedOverHTTP sends logs over a socket, as they are, packed, in small
// pieces and cut short, and looks at what is kept, told and recorded.
func TestDeliveryLogsAreImportedOverHTTP(t *testing.T) {
	t.Parallel()
	m, sale, reports, operator, every := shopOf(t)
	front := httptest.NewServer(m)
	defer front.Close()
	post := func(path, key string, body io.Reader) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", front.URL+"/admin/delivery-logs"+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(identity.KeyHeader, key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s, %v", text, err)
		}
		return answer.StatusCode, string(text)
	}
	line := func(transaction string, n int) string {
		return fmt.Sprintf(`{"timestamp":"2027-05-04T12:00:%02d+0000","host":"cdn.example.net","url":"/premium/a.html?agent_id=ab&txn_id=%s&token=1_secret","request_method":"GET","response_status":200,"response_body_size":4711}`+"\n", n, transaction)
	}
	log := line(sale, 1) + line(sale, 2) + "no line\n" + line("txn-nobodys", 3)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, log)
	w.Close()
	for _, v := range []struct {
		name, path, key, body string
		status                int
		words                 string
	}{
		{"nobody", "", "", log, 401, "--door admin"},
		{"a key for reports", "", reports, log, 403, "--door admin"},
		{"a key for all other doors", "", every, log, 403, "--door admin"},
		{"no form", "?form=excel", operator, log, 422, "there are [auto"},
		{"no such site", "?site=elsewhere", operator, log, 422, "there is no site"},
		{"a parameter that is none", "?since=now", operator, log, 422, "form, fields, by, site"},
		{"packed", "?form=fastly&by=fastly-1", operator, packed.String(), 200, `"stray":1`},
		{"cut short", "", operator, packed.String()[:packed.Len()-12], 422, `"lines":`},
		{"another form", "?form=cloudflare", operator, strings.Repeat("no line\n", 2000), 422, `"bad":1000`},
		{"again", "", operator, log, 200, `"kept":0,"known":3,`},
	} {
		status, text := post(v.path, v.key, strings.NewReader(v.body))
		if status != v.status || !strings.Contains(text, v.words) || strings.Contains(text, "secret") {
			t.Errorf("%s: %d %s", v.name, status, text)
		}
		if status == 200 {
			var told accesslog.ImportResult
			if err := json.Unmarshal([]byte(text), &told); err != nil || told.Unreadable != 1 ||
				len(told.Faults) != 1 || told.Faults[0].Line != 3 || told.Lines != 4 {
				t.Errorf("%s: %+v, %v", v.name, told, err)
			}
		}
	}
	all, err := m.ReadEvidence.OfTransaction(t.Context(), sale)
	if err != nil || len(all) != 2 || all[0].By != "fastly-1" || !all[0].Delivered() ||
		!all[0].At.Equal(time.Date(2027, 5, 4, 12, 0, 1, 0, time.UTC)) {
		t.Errorf("%+v, %v", all, err)
	}
	kept := 0
	for r, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: "evidence"}) {
		var fact struct {
			By   string
			Kept int64
		}
		if err := errorOr(err, json.Unmarshal(r.Entry.Body, &fact)); err != nil || fact.By == "" || fact.Kept == 0 ||
			strings.Contains(string(r.Entry.Body), "secret") {
			t.Errorf("%s, %v", r.Entry.Body, err)
		}
		kept += int(fact.Kept)
	}
	if kept != 3 {
		t.Errorf("the ledger tells of %d lines that were kept", kept)
	}
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
