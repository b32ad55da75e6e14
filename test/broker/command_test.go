package broker

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

// TestTheCommandBuysThroughABroker presses `frontdesk ramp resolve` as a person does: told what
// would be bought, bought, saved and reported, the same again, a budget that is used up, what
// nobody offers, and calls that make no sense.
func TestTheCommandBuysThroughABroker(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "sqlite:"+filepath.Join(t.TempDir(), "broker.db"), 1, 3,
		"  budgets: [{requester: \"*\", amount: \"0.03\", currency: USD}]\n")
	dir := t.TempDir()
	config := write(t, filepath.Join(dir, "buyer.yaml"), "url: https://buyer.example.com\ndata: "+dir+"/data\n")
	document := write(t, filepath.Join(dir, "ramp-agent.json"),
		process.MustRun(t, "keys", "agent", "--id", "cli", "--contact", "cli@buyer.example.com", "--config", config))
	for _, at := range []string{m.exchange.config, m.configs[0]} {
		process.MustRun(t, "ramp", "requester", "add", "buyer.example.com", "cli", "--key", "@"+document,
			"--config", at)
	}
	process.MustRun(t, "ramp", "account", "open", "buyer.example.com/cli", "USD", "--config", m.exchange.config)
	process.MustRun(t, "ramp", "account", "credit", "buyer.example.com/cli", "1", "USD", "--config", m.exchange.config)
	saved := filepath.Join(dir, "lamp.json")
	resolve := func(args ...string) (out, problem string, err error) {
		return process.Run(t,
			append([]string{"ramp", "resolve", m.through.URL, "--as", "buyer.example.com/cli", "--config", config},
				args...)...)
	}
	say := func(what string, want string, args ...string) {
		t.Helper()
		out, problem, err := resolve(args...)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s%s\nwant %q", what, err, out, problem, want)
		}
	}
	refuse := func(what string, want string, args ...string) {
		t.Helper()
		out, problem, err := resolve(args...)
		if err == nil || !strings.Contains(problem, want) {
			t.Errorf("%s: %v\n%s%s\nwant %q", what, err, out, problem, want)
		}
	}
	would := fmt.Sprintf("%s would be bought at shop.example for 0.02 USD, and 0.002 USD for the Broker", m.thing(0))
	err := insists(func() (lost, err error) { // servers that run know a new requester within a second
		_, problem, lost := resolve(m.thing(0), "--max", "0.05USD", "--dry-run")
		if lost != nil {
			lost = fmt.Errorf("%w: %s", lost, problem)
		}
		return lost, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// who takes the Broker for an Exchange is told what it is
	for _, selling := range []string{"DiscoverResources", "ExecuteTransaction"} {
		response, err := http.Post(m.through.URL+"/ramp.v1.ExchangeService/"+selling, "application/json",
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		told, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusNotImplemented ||
			!strings.Contains(string(told), "/broker/v1/resolve") {
			t.Errorf("%s at a Broker: %s %s %v", selling, response.Status, told, err)
		}
	}
	say("dry run", would, m.thing(0), "--max", "0.05USD", "--dry-run", "--use", "ai-input")
	refuse("without a price", "nothing is offered that can be bought", m.thing(0))
	refuse("too dear", "0.001 USD may be paid", m.thing(0), "--max", "0.001USD")
	say("buy", "was bought at shop.example for 0.02 USD", m.thing(0), "--max", "0.05USD", "--id", "lamp-1", "--use",
		"ai-input", "--save", saved)
	say("the same again", "was bought at shop.example for 0.02 USD", m.thing(0), "--max", "0.05USD", "--id", "lamp-1",
		"--use", "ai-input")
	out, problem, err := resolve(m.thing(0), "--max", "0.05USD", "--id", "lamp-1", "--use", "ai-input", "--save",
		filepath.Join(dir, "none", "lamp.json"))
	if err == nil || !strings.Contains(out, "was bought at shop.example") || !strings.Contains(problem, "--id lamp-1") {
		t.Errorf("bought, and not saved: %v\n%s%s", err, out, problem)
	}
	refuse("another under its id", "another request had this id", m.thing(1), "--max", "0.05USD", "--id", "lamp-1")
	if text, err := os.ReadFile(saved); err != nil || !strings.Contains(string(text), `"transaction_id"`) {
		t.Errorf("saved %s, %v", text, err)
	}
	say("report", "is reported: ", "--report", saved, "--quantity", "9", "--use", "ai-input")
	refuse("report what is none", "is no answer of a Broker", "--report", config)
	refuse("a budget that is used up", "0.008 USD left of 0.03 USD", m.thing(1), "--max", "0.05USD")
	refuse("what nobody has", "NOT_IN_CATALOG", m.thing(77), "--max", "0.05USD")
	refuse("nothing", "name the addresses that are wanted")
	refuse("a price that is none", "--max", m.thing(0), "--max", "much")
	refuse("a budget that is none", "--budget", m.thing(0), "--budget", "much")
	refuse("a period of no budget", "--budget", m.thing(0), "--max", "0.05USD", "--period", "1h")
	refuse("a scope of no budget", "--budget", m.thing(0), "--max", "0.05USD", "--budget-scope", "lamps")
	refuse("a flag that is none", "unknown flag", m.thing(0), "--cheap")
	if list := process.MustRun(t, "ramp", "account", "list", "--config",
		m.exchange.config); !strings.Contains(list, "0.98") {
		t.Errorf("one thing for 0.02 was bought of 1: %s", list)
	}
}
