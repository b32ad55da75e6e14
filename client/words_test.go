package client_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"frontdesk/client"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestEveryWordOfAPeersAnswerIsRead has another's Exchange answer with each status and resolution
// of a dispute, as a name and as its number, and each reason to deny a purchase.
func TestEveryWordOfAPeersAnswerIsRead(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	x := c.open()
	quotes, err := x.Discover(t.Context(), wanted("a"))
	if err != nil {
		t.Fatal(err)
	}
	offer := quotes.All[0].Offers[0]
	bought, err := x.Buy(t.Context(), "mine", offer)
	if err != nil {
		t.Fatal(err)
	}
	says := func(text string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.before = func(_ string, w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "application/json")
			_, err := io.WriteString(w, text)
			return err == nil
		}
	}
	for _, one := range []struct {
		status, resolution, number string
		decided                    bool
	}{
		{"FILED", "", "1", false}, {"AUTO_RESOLVED", "CREDIT", "2", true}, {"EVIDENCE_NEEDED", "", "3", false},
		{"UNDER_REVIEW", "", "4", false}, {"ESCALATED", "INVESTIGATION", "5", false},
		{"RESOLVED", "REDELIVERY", "6", true}, {"APPEALED", "REJECTED", "7", false}, {"SETTLED", "CREDIT", "8", true},
		{"FINAL", "REJECTED", "9", true},
	} {
		resolution := ""
		if one.resolution != "" {
			resolution = `,"resolution":"RESOLUTION_TYPE_` + one.resolution + `"`
		}
		for _, status := range []string{`"DISPUTE_STATUS_` + one.status + `"`, one.number} {
			says(`{"accepted":true,"dispute_id":"dsp-1","status":` + status + resolution + `}`)
			got, err := x.Dispute(t.Context(), &bought[0],
				&client.Dispute{ReportID: "rep-1", Reason: rampv1.DisputeReason_DISPUTE_REASON_WRONG_CONTENT})
			if err != nil || got.Status != one.status || got.Resolution != one.resolution ||
				got.Decided() != one.decided {
				t.Errorf("%s %s is read as %+v, %v", status, resolution, got, err)
			}
		}
	}
	for number, name := range rampv1.DenialReason_name {
		if number == 0 {
			continue
		}
		says(`{"ver":"1.0","id":"denied","agent_identity_hash":"x","denial_reason":"` + name + `"}`)
		all, err := x.Buy(t.Context(), "denied", offer)
		if err != nil || len(all) != 1 || !all[0].Denied() || all[0].Denial != rampv1.DenialReason(number) ||
			!strings.HasPrefix(name, "DENIAL_REASON_") {
			t.Errorf("%s is read as %+v, %v", name, all, err)
		}
	}
}
