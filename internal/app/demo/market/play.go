package market

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// step is one act of the scenario: what it is called for people, and with what it is done, which
// may be of what came of the steps before.
type step struct {
	title string
	act   string
	with  func(done map[string]any) map[string]any
	keep  []string // members of the result that later steps need
}

// take is the arguments that are kept under some names.
func take(names ...string) func(map[string]any) map[string]any {
	return func(done map[string]any) map[string]any {
		out := map[string]any{}
		for _, name := range names {
			out[name] = done[name]
		}
		return out
	}
}

// with is arguments that are known beforehand.
func with(all map[string]any) func(map[string]any) map[string]any {
	return func(map[string]any) map[string]any { return all }
}

// and joins arguments.
func and(one func(map[string]any) map[string]any, more map[string]any) func(map[string]any) map[string]any {
	return func(done map[string]any) map[string]any {
		out := one(done)
		maps.Copy(out, more)
		return out
	}
}

// scenario presses every button once, in the order in which a person would.
var scenario = []step{
	{title: "The agent asks both publishers", act: "search",
		with: with(map[string]any{"query": "what is inside the dredging contract?"}), keep: []string{"url"}},
	{title: "The platform asks the Review for passages", act: "retrieve",
		with: with(map[string]any{"publisher": "review", "query": "what does a barge of mud cost?"})},
	{title: "The platform tells the Review that they were shown", act: "cite", with: with(nil)},
	{title: "The agent asks the Exchanges what the text costs", act: "quote", with: take("url")},
	{title: "The agent asks the Broker what the text costs", act: "quote",
		with: and(take("url"), map[string]any{"by": "broker"}), keep: []string{"purchase_id"}},
	{title: "The agent buys through the Broker", act: "buy",
		with: and(take("purchase_id"), map[string]any{"by": "broker"}), keep: []string{"transaction_id"}},
	{title: "The agent fetches what it bought", act: "fetch", with: take("transaction_id")},
	{title: "The agent reports its use, through the Broker", act: "report",
		with: and(take("transaction_id"), map[string]any{"displayed_to_user": true})},
	{title: "The agent disputes it, through the Broker", act: "dispute",
		with: and(take("transaction_id"), map[string]any{"reason": "incomplete-content"})},
	{title: "The agent asks the Broker for a text that it cannot name", act: "quote",
		with: with(map[string]any{"by": "broker", "query": "whose names stand in the land register?"}),
		keep: []string{"purchase_id"}},
	{title: "The agent buys what fits best", act: "buy", with: and(take("purchase_id"), map[string]any{"by": "broker"}),
		keep: []string{"transaction_id"}},
	{title: "The agent fetches what it bought by words", act: "fetch", with: take("transaction_id")},
	{title: "The agent submits to the business", act: "submit",
		with: with(map[string]any{"hull": "wood", "length_m": 8})},
	{title: "You accept the offer", act: "bind", with: with(map[string]any{"email": "sailor@tidewater.example"})},
}

// Play does the whole scenario, and writes what passes, with what it carried, and what came of each
// act.
func (m *Market) Play(ctx context.Context, out io.Writer) error {
	done, told := map[string]any{}, m.opened
	for i, s := range scenario {
		fmt.Fprintf(out, "\n%d. %s\n\n", i+1, s.title)
		arguments, err := json.Marshal(s.with(done))
		if err != nil {
			return err
		}
		result, failed, _ := m.Act(ctx, s.act, arguments)
		told = m.transcribe(out, told)
		if err := ctx.Err(); err != nil {
			return err
		}
		if failed {
			return fmt.Errorf("%s: %s", s.title, result)
		}
		if err := keep(done, s.keep, result); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
	}
	return m.playReceipts(ctx, out, done["transaction_id"])
}

// keep takes over what later steps need: of the first item for sale, or offer, or of the result
// itself.
func keep(done map[string]any, names []string, result []byte) error {
	var d document
	if err := json.Unmarshal(result, &d.value); err != nil {
		return err
	}
	for _, name := range names {
		found := d.at(name)
		for _, one := range append(d.at("items").list(), d.at("offers").list()...) {
			if found.value == nil && (one.at("for_sale").value != false) {
				found = one.at(name)
			}
		}
		if found.value == nil {
			return fmt.Errorf("there is no %s in %s", name, result)
		}
		done[name] = found.value
	}
	return nil
}

// transcribe writes what passed after a message, and gives the number of the last.
func (m *Market) transcribe(out io.Writer, after int64) int64 {
	passed, _, stop := m.hub.watch(after)
	stop()
	for _, one := range passed {
		after = one.Number
		fmt.Fprintf(out, "   %s\n", one)
		for _, line := range one.Carried {
			fmt.Fprintf(out, "        %s\n", line)
		}
	}
	return after
}

// String is a message in one line, without what it carried.
func (m Message) String() string {
	return fmt.Sprintf("%s > %s  %s %s  %d", places[m.From].Name, places[m.To].Name, m.Protocol, m.What, m.Status)
}

// playReceipts verifies the receipt of every entry that there is, once the edge has told of what
// was delivered of a transaction.
func (m *Market) playReceipts(ctx context.Context, out io.Writer, transaction any) error {
	var facts []Fact
	if err := m.until(ctx, "the delivery", func(ctx context.Context) (err error) {
		facts, err = m.Facts(ctx)
		if err == nil &&
			!slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == "delivery" && f.Subject == transaction }) {
			err = errors.New("the edge did not tell of it yet")
		}
		return err
	}); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe receipts, each verified by the keys that its place publishes\n\n")
	for i := len(facts) - 1; i >= 0; i-- {
		f := facts[i]
		var text []byte
		if err := m.until(ctx, "the receipt of "+f.ID, func(ctx context.Context) error {
			r, err := m.Receipt(ctx, f.Place, f.ID)
			if err == nil {
				text, err = json.Marshal(r)
			}
			return err
		}); err != nil {
			return err
		}
		verdict := "true"
		if _, _, err := m.Verify(ctx, f.Place, text); err != nil {
			verdict = "NOT TRUE: " + err.Error()
		}
		fmt.Fprintln(out,
			strings.TrimRight(fmt.Sprintf("   %-12s %-22s %s  %s", f.Kind, places[f.Place].Name, verdict, f.Subject),
				" "))
	}
	return nil
}
