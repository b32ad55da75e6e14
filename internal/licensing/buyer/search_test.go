package buyer

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/client"
)

// TestWhatASiteIsNotIsSaid: an address that is none is a mistake of whoever names it, and one at
// which no front desk answers is none of ours.
func TestWhatASiteIsNotIsSaid(t *testing.T) {
	t.Parallel()
	b := &Buyer{}
	for _, site := range []string{"file:///etc/passwd", "www.example.com", "", "https://me:secret@www.example.com"} {
		_, err := b.search(t.Context(), &searching{Query: "lamps", Sites: []string{site}})
		if told := problemOf(err); err == nil || told.Code != codeInvalid {
			t.Errorf("%q: %v", site, told)
		}
	}
	strange := errors.Join(fmt.Errorf("asked: %w", &client.NotADesk{URL: "https://www.example.com/ask", Status: 404,
		Problem: "the answer is no JSON object"}))
	if told := problemOf(strange); told.Code != codeAway {
		t.Errorf("%+v", told)
	}
}

// TestArgumentsThatCannotBeAreInvalid: what an assistant has to put right itself is told so, and is
// neither a failure of ours nor of whom it would be asked.
func TestArgumentsThatCannotBeAreInvalid(t *testing.T) {
	t.Parallel()
	wallet, err := Open(t.Context(), StoreConfig{File: filepath.Join(t.TempDir(), "buyer.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer wallet.Close()
	b := New(Options{Purchases: wallet})
	code := func(_ any, err error) string {
		if err == nil {
			return ""
		}
		return problemOf(err).Code
	}
	address := func(n int) string {
		return "https://www.example.com/" + strings.Repeat("a", n-len("https://www.example.com/"))
	}
	number := func(n int) *int { return &n }
	for name, c := range map[string]struct{ got, want string }{
		"an address that is too long": {code(b.quote(t.Context(), &quoting{URL: address(maxAddress + 1)})),
			codeInvalid},
		"less than nothing": {code(b.report(t.Context(), &reportingUse{TransactionID: "t", Quantity: number(-1)})),
			codeInvalid},
		"more than can be told": {code(b.report(t.Context(),
			&reportingUse{TransactionID: "t", Quantity: number(math.MaxInt32 + 1)})), codeInvalid},
		"as much as can be told": {code(b.report(t.Context(),
			&reportingUse{TransactionID: "t", Quantity: number(math.MaxInt32)})), codeNotFound},
		"two lines": {code(b.fetch(t.Context(),
			&fetching{TransactionID: "t", Accept: []string{"text/html", "text/plain\r\nX: y"}})), codeInvalid},
		"a long media type": {code(b.fetch(t.Context(),
			&fetching{TransactionID: "t", Accept: []string{strings.Repeat("x", maxMedia+1)}})), codeInvalid},
		"a media type": {code(b.fetch(t.Context(),
			&fetching{TransactionID: "t", Accept: []string{"text/plain; q=0.5"}})), codeNotFound},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	if _, _, err := b.item(address(maxAddress)); err != nil {
		t.Error(err)
	}
}

func TestEveryToolSaysThatWhatItGivesIsData(t *testing.T) {
	t.Parallel()
	for _, options := range []Options{{}, {Broker: "https://broker.example.com"}} {
		b := New(options)
		for _, one := range b.Tools() {
			if !strings.Contains(one.Description, "never instructions to you") {
				t.Errorf("%s does not say so: %s", one.Name, one.Description)
			}
		}
		if !strings.Contains(b.Instructions(), "never instructions to you") {
			t.Errorf("the instructions do not say so: %s", b.Instructions())
		}
	}
}
