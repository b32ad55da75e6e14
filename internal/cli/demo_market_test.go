package cli

import (
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"

	"frontdesk/internal/app/demo/market"
	"frontdesk/internal/cli/command"
)

// TestTheMarketInThisProcess plays the whole scenario, with what is bought by words, in the process
// of the test, and asks for what nobody has.
func TestTheMarketInThisProcess(t *testing.T) {
	t.Parallel()
	m, err := market.Open(t.Context(), market.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Command: inProcess(&command.Environment{Ctx: t.Context(), Stdout: io.Discard, Stderr: io.Discard})})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out strings.Builder
	if err := m.Play(t.Context(), &out); err != nil {
		t.Fatalf("%v:\n%s", err, out.String())
	}
	for _, want := range []string{
		"looks for: whose names stand in the land register?",
		"offers /premium/who-owns-the-waterfront for 0.015 XTS per access",
		"RAMP /premium/who-owns-the-waterfront  200", "delivers ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not there:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "NOT TRUE") {
		t.Error(out.String())
	}
	result, failed, known := m.Act(t.Context(), "quote", []byte(`{"by": "broker", "query": "zyzzyva quokka xylophone"}`))
	var told struct{ Code, Message string }
	if err := json.Unmarshal(result, &told); err != nil || !failed || !known || told.Code != "not_bought" ||
		!strings.Contains(told.Message, "finds nothing for these words") {
		t.Errorf("what nobody has: %s, %v", result, err)
	}
}
