package buyer

import (
	"errors"
	"fmt"
	"testing"

	"frontdesk/client"
)

// TestWhatASiteIsNotIsSaid: an address that is none is a mistake of whoever names it, and one at which no front desk answers is none of ours.
func TestWhatASiteIsNotIsSaid(t *testing.T) {
	b := &Buyer{}
	for _, site := range []string{"file:///etc/passwd", "www.example.com", "", "https://me:secret@www.example.com"} {
		_, err := b.search(t.Context(), &searching{Query: "lamps", Sites: []string{site}})
		if told := problemOf(err); err == nil || told.Code != codeInvalid {
			t.Errorf("%q: %v", site, told)
		}
	}
	strange := errors.Join(fmt.Errorf("asked: %w", &client.NotADesk{URL: "https://www.example.com/ask", Status: 404, Problem: "the answer is no JSON object"}))
	if told := problemOf(strange); told.Code != codeAway {
		t.Errorf("%+v", told)
	}
}
