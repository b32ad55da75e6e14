package rampapi

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/httpx"
	rampv1 "frontdesk/wire/ramp/v1"
)

// tools are the shop's, by their names.
func (s *shop) tools() map[string]httpx.Tool {
	all := map[string]httpx.Tool{}
	for _, t := range Tools(s.services(), s.config) {
		all[t.Name] = t
	}
	return all
}

func (s *shop) uses(name, arguments string) httpx.Result {
	return s.tools()[name].Call(s.t.Context(), httpx.Call{Arguments: []byte(arguments)})
}

const asksForA = `{"id":"q","requester":{"id":"research-bot","domain":"buyer.example.com","uris":["https://site.example/a"]}}`

func TestToolAsksAndBuysAsAnRPC(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 3_000_000)
	var told struct {
		Offers []struct {
			ID        string `json:"offer_id"`
			Signature string `json:"exchange_signature"`
		}
	}
	if got := s.uses(ToolDiscover, asksForA); got.IsError || json.Unmarshal(got.Object, &told) != nil ||
		len(told.Offers) != 1 {
		t.Fatalf("%s", got.Object)
	}
	take := func(id string) string {
		text, _ := json.Marshal(map[string]any{
			"id": id, "requester": map[string]any{"id": "research-bot", "domain": "buyer.example.com"},
			"items": []any{map[string]any{"offer_id": told.Offers[0].ID, "offer_signature": told.Offers[0].Signature}},
		})
		return string(text)
	}
	first := s.uses(ToolExecute, take("one"))
	if first.IsError || !strings.Contains(string(first.Object), s.at+"/deliver/txn-") {
		t.Fatalf("%s", first.Object)
	}
	if again := s.uses(ToolExecute, take("one")); string(again.Object) != string(first.Object) {
		t.Errorf("again it is %s", again.Object)
	}
	if denied := s.uses(ToolExecute, take("two")); denied.IsError ||
		!strings.Contains(string(denied.Object), "DENIAL_REASON_INSUFFICIENT_BALANCE") {
		t.Errorf("a denial is an answer: %s", denied.Object)
	}
	other := strings.Replace(take("one"), `"research-bot"`, `"research-bot","name":"Other"`, 1)
	if refused := s.uses(ToolExecute, other); !refused.IsError || !strings.Contains(string(refused.Object), `"code":"already_exists"`) {
		t.Errorf("another purchase under the same id: %s", refused.Object)
	}
}

func TestToolThatCouldNotSayWhereToFetchSellsNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 3_000_000)
	s.at = ""
	if got := s.uses(ToolDiscover, asksForA); !got.IsError || !strings.Contains(string(got.Object), "set url") {
		t.Fatalf("%s", got.Object)
	}
}

// TestCriticalKeysOfToolsAreHeeded holds that a tool, as the Exchange does, acts on nothing that it
// does not understand.
func TestCriticalKeysOfToolsAreHeeded(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 3_000_000)
	got := s.uses(ToolDiscover, strings.Replace(asksForA, `"uris"`, `"ext":{"x.y":1},"ext_critical":["x.y"],"uris"`, 1))
	if got.IsError || !strings.Contains(string(got.Object), "UNKNOWN_CRITICAL_EXTENSION") ||
		strings.Contains(string(got.Object), "offer_id") {
		t.Errorf("%s", got.Object)
	}
}

func TestArgumentsOfToolsMayLeaveOutVersionAndTime(t *testing.T) {
	t.Parallel()
	at := newDoor(Services{}, Config{Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
		Signatures: requesters.SignaturesBody})
	var report rampv1.UsageReport
	if err := arguments([]byte(`{"id":"r"}`), &report, at); err != nil || report.Ver != Version ||
		report.Timestamp.Seconds != 1_800_000_000 {
		t.Errorf("%v, %v", &report, err)
	}
	if err := arguments([]byte(`{"id":"r","ver":"0.9","timestamp":"2027-01-01T00:00:00Z"}`), &report, at); err != nil ||
		report.Ver != "0.9" || report.Timestamp.Seconds != 1_798_761_600 {
		t.Errorf("%v, %v", &report, err)
	}
}

// FuzzToolArguments holds that arguments of every kind are read or blamed, and that what is read is
// what was said: written again, it has no member that was not sent but the version and the time.
func FuzzToolArguments(f *testing.F) {
	f.Add(asksForA)
	f.Add(`{"id":"r","transaction_id":"t","billing_id":"b","usage":{"function":["FUNCTION_AI_INPUT",3],"consumed_quantity":7},"ext":{"ramp.revenue":{"amount":1e400}}}`)
	f.Add(`{"items":[{"offer_id":"o"},{"offer_id":null}],"requester":[]}`)
	at := newDoor(Services{}, Config{})
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range []proto.Message{&rampv1.ResourceQuery{}, &rampv1.TransactionRequest{},
			&rampv1.UsageReport{}} {
			if err := arguments([]byte(text), m, at); err != nil {
				continue
			}
			var members map[string]json.RawMessage
			if len(text) > 0 && json.Unmarshal([]byte(text), &members) != nil {
				t.Fatalf("%q is taken for an object", text)
			}
			for name := range members {
				field := m.ProtoReflect().Descriptor().Fields().ByTextName(name)
				if field == nil || untold[field.FullName()] {
					t.Fatalf("%q: %s is passed over", text, name)
				}
			}
		}
	})
}
