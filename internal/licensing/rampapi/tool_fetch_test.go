package rampapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
)

// fetchesA is a call of fetch_licensed under an id, with more arguments.
func fetchesA(id, more string) string {
	return `{"id":"` + id + `","requester":{"id":"research-bot","domain":"buyer.example.com","uris":["https://site.example/a"]}` + more + `}`
}

// licensed calls fetch_licensed, which must not fail.
func (s *shop) licensed(arguments string) (told fetchAnswer) {
	s.t.Helper()
	got := s.uses(ToolFetch, arguments)
	if got.IsError || json.Unmarshal(got.Object, &told) != nil {
		s.t.Fatalf("%s: %s", arguments, got.Object)
	}
	return told
}

const upTo = `,"max":{"amount":0.02,"currency":"USD"}`

func TestToolFetchesLicensedTextInOneCall(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 3_000_000)
	first := s.licensed(fetchesA("one", upTo))
	const text = "One two three four."
	sum := sha256.Sum256([]byte(text))
	if first.Text != text || first.Hash != hex.EncodeToString(sum[:]) || first.Offered != first.Hash ||
		first.Media == "" || first.Cost == nil || *first.Cost != (price{0.02, "USD"}) ||
		first.Transaction == "" || first.Billing == "" ||
		!strings.HasPrefix(first.Endpoint, s.at+"/deliver/"+first.Transaction) || first.NotBought != "" ||
		first.NotDelivered != "" {
		t.Fatalf("%+v", first)
	}
	for _, arguments := range []string{fetchesA("one", upTo), fetchesA("one", ""), fetchesA("one", upTo+`,"accept":["text/plain"]`)} {
		if again := s.licensed(arguments); again.Transaction != first.Transaction || again.Text == "" {
			t.Errorf("again, by %s, it is %+v", arguments, again)
		}
	}
	// the best is first, whatever is usual here
	for _, accept := range [][2]string{{"text/html", "text/plain"}, {"text/plain", "text/html"}} {
		got := s.licensed(fetchesA("one", `,"accept":["application/none","`+accept[0]+`","`+accept[1]+`"]`))
		if got.Text == "" || !strings.HasPrefix(got.Media, accept[0]) || got.Transaction != first.Transaction {
			t.Errorf("%v: %+v", accept, got)
		}
	}
	if none := s.licensed(fetchesA("one", `,"accept":["image/png"]`)); none.Text != "" || !strings.Contains(none.NotDelivered, "text/html") {
		t.Errorf("in a form that it has not: %+v", none)
	}
	other := strings.Replace(fetchesA("one", upTo), "site.example/a", "site.example/b", 1)
	if refused := s.uses(ToolFetch, other); !refused.IsError || !strings.Contains(string(refused.Object), `"code":"already_exists"`) {
		t.Errorf("another address under the id: %s", refused.Object)
	}
	if denied := s.licensed(fetchesA("two", upTo)); denied.Denial != "DENIAL_REASON_INSUFFICIENT_BALANCE" ||
		denied.NotBought == "" || denied.Text != "" || denied.Endpoint != "" {
		t.Errorf("without enough on the account: %+v", denied)
	}
	s.now = s.now.Add(10 * time.Minute)
	if late := s.licensed(fetchesA("one", upTo)); late.Transaction != first.Transaction || late.Text != "" ||
		late.NotDelivered == "" {
		t.Errorf("after the address has ended: %+v", late)
	}
}

// TestToolFetchBuysOnceThoughCalledAtOnce holds that calls under one id, of which each finds an
// offer of its own, buy once.
func TestToolFetchBuysOnceThoughCalledAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 100_000_000)
	var mu sync.Mutex
	bought := map[string]bool{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got := s.uses(ToolFetch, fetchesA("at once", upTo))
			var told fetchAnswer
			_ = json.Unmarshal(got.Object, &told)
			mu.Lock()
			defer mu.Unlock()
			bought[told.Transaction+told.Text] = true
		})
	}
	group.Wait()
	if len(bought) != 1 || bought[""] {
		t.Errorf("%v", bought)
	}
}

func TestToolFetchPaysNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 100_000_000)
	for _, more := range []string{"", `,"max":{"amount":0.0199,"currency":"USD"}`, `,"max":{"amount":5,"currency":"EUR"}`} {
		if dear := s.licensed(fetchesA("dear", more)); dear.NotBought == "" || dear.Cheapest == nil ||
			*dear.Cheapest != (price{0.02, "USD"}) || dear.Transaction != "" || dear.Text != "" {
			t.Errorf("%s: %+v", more, dear)
		}
	}
	if got := s.licensed(fetchesA("dear", upTo)); got.Text == "" {
		t.Errorf("what was not bought can be bought under its id: %+v", got)
	}
	absent := s.licensed(strings.Replace(fetchesA("none", upTo), "site.example/a", "site.example/none", 1))
	if absent.Absence != "OFFER_ABSENCE_REASON_NOT_IN_CATALOG" || absent.NotBought == "" || absent.Cheapest != nil {
		t.Errorf("%+v", absent)
	}
}

func TestToolFetchTakesNoArgumentItDoesNotHave(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 100_000_000)
	for arguments, says := range map[string]string{
		``: "id", `[]`: "do not fit",
		fetchesA("x", `,"price":1`):                                 "no such argument",
		fetchesA("x", `,"deadline":"2s"`):                           "there is no deadline here",
		fetchesA("x", `,"max":1`):                                   "max does not fit",
		fetchesA("x", `,"max":{"amount":-1,"currency":"USD"}`):      "max is no price",
		fetchesA("x", `,"max":{"amount":1}`):                        "max is no price",
		fetchesA("x", `,"max":{"amount":1,"currency":"USD","x":1}`): "max does not fit",
		fetchesA("x", `,"accept":"text/html"`):                      "accept does not fit",
		strings.Replace(fetchesA("x", upTo), `"https://site.example/a"`, `"https://site.example/a","https://site.example/b"`, 1): "one address",
		strings.Replace(fetchesA("x", upTo), `["https://site.example/a"]`, `[]`, 1):                                              "one address",
		fetchesA(strings.Repeat("x", MaxID+1),
			upTo): "characters",
	} {
		if got := s.uses(ToolFetch, arguments); !got.IsError || !strings.Contains(string(got.Object), says) {
			t.Errorf("%s: %s", arguments, got.Object)
		}
	}
}
