package agent

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Resolve has a Broker find the best offers at several Exchanges.
type Resolve struct {
	Broker string   `arg:"" help:"The Broker's address, such as https://broker.example.com."`
	URI    []string `arg:"" optional:"" name:"uri" help:"Addresses of content that is wanted; with --query none are needed."`
	BuyerFlags
	ID          string        `placeholder:"ID" help:"Of the request. The same again buys nothing twice, and tells what came of it; without it, one is made and printed."`
	Query       string        `placeholder:"TEXT" help:"Have the Broker search for this."`
	Use         []string      `placeholder:"FUNCTION" help:"What it is for: ai-input, search, ai-index, ai-train; may be repeated."`
	Max         string        `placeholder:"AMOUNT" help:"Pay no more than this for all of it, fees included, like 0.05USD. Without it, nothing is paid: only what is free or under a subscription is taken."`
	BudgetScope string        `name:"budget-scope" placeholder:"NAME" help:"Count what is spent under this name."`
	Budget      string        `placeholder:"AMOUNT" help:"The most that may be spent in a period, like 10USD."`
	Period      time.Duration `placeholder:"TIME" help:"How long a period is, like 720h; without it, the budget is for all time."`
	Only        []string      `placeholder:"DOMAIN" help:"Buy at this Exchange alone; may be repeated."`
	Preferred   []string      `placeholder:"DOMAIN" help:"Take this Exchange's offers before others'; may be repeated."`
	DryRun      bool          `help:"Tell what would be bought, and buy nothing."`
	JSON        bool          `name:"json" help:"Print the Broker's answer."`
	Save        string        `placeholder:"FILE" help:"Write the Broker's answer here, for --report."`
	Report      string        `placeholder:"FILE" help:"Report the use of what is in this file through the Broker; buys nothing."`
	Quantity    int           `placeholder:"NUMBER" help:"With --report: how much of the offer's unit is used."`
	usageFlags
}

// Help is the command's example.
func (Resolve) Help() string {
	return "The Broker asks several Exchanges, takes the best offer for each address, and buys by it.\n\n" +
		"Examples:\n\n\tfrontdesk ramp resolve https://broker.example.com https://www.example.com/lamp " +
		"--use ai-input --max 0.05USD --as buyer.example.com/research-bot --save lamp.json\n" +
		"\tfrontdesk ramp resolve https://broker.example.com --report lamp.json --quantity 17 " +
		"--as buyer.example.com/research-bot"
}

// Run asks a Broker.
func (c Resolve) Run(env *command.Environment) error {
	buyer, err := c.AsBuyer(env)
	if err != nil {
		return err
	}
	options, err := c.options(env)
	if err != nil {
		return err
	}
	broker, err := client.OpenBroker(c.Broker, buyer, options)
	if err != nil {
		return err
	}
	if c.Report != "" {
		return c.report(env, broker)
	}
	if len(c.URI) == 0 && c.Query == "" {
		return command.Usage("name the addresses that are wanted, or search with --query")
	}
	if c.Budget == "" && (c.BudgetScope != "" || c.Period != 0) {
		return command.Usage(
			"--budget-scope and --period are of a budget; say how much may be spent with --budget, like --budget 10USD")
	}
	r := &client.Resolving{
		ID: c.ID, URIs: c.URI, Query: c.Query, Uses: c.Use, Exchanges: c.Only, Preferred: c.Preferred,
		Scope: c.BudgetScope, Period: c.Period, DryRun: c.DryRun,
	}
	if r.Most, err = ParsePrice("--max", c.Max); err != nil {
		return err
	}
	if c.Max == "" {
		r.Most = client.Price{Currency: "USD"}
	}
	if c.Budget != "" {
		if r.Budget, err = ParsePrice("--budget", c.Budget); err != nil {
			return err
		}
	}
	got, err := broker.Resolve(env.Ctx, r)
	if err != nil {
		if r.ID != "" && c.ID == "" && !c.DryRun {
			fmt.Fprintf(env.Stderr, "The request has the id %s; --id sends it again, which buys nothing twice.\n", r.ID)
		}
		var told *client.ExchangeError
		if errors.As(err, &told) {
			showFound(env, told.Details())
		}
		return explainedExchange(err)
	}
	text, err := ramp.Marshal(got.Answer)
	if err != nil {
		return err
	}
	var unsaved error
	if c.Save != "" {
		if err := os.WriteFile(c.Save, append(text, '\n'), 0o600); err != nil { // what was bought is told all the same
			unsaved = fmt.Errorf("%w; name another file, and the same request with --id %s, which buys nothing twice",
				err, command.Clean(got.ID))
		}
	}
	if c.JSON {
		env.Print("%s\n", text)
		return unsaved
	}
	c.show(env, got)
	return unsaved
}

// showFound prints what a search found. The Broker buys none of it by itself: the agent names what
// it wants, and signs that.
func showFound(env *command.Environment, details map[string]any) {
	list, _ := details["found"].([]any)
	for _, one := range list {
		found, _ := one.(map[string]any)
		uri, _ := found["uri"].(string)
		title, _ := found["title"].(string)
		if uri != "" {
			env.Print("%s was found: %s\n", command.Clean(uri), command.Clean(title))
		}
	}
	if len(list) > 0 {
		fmt.Fprintln(env.Stderr, "To buy of these, name those that you want: frontdesk ramp resolve BROKER ADDRESS ...")
	}
}

// show prints what was bought for people.
func (c Resolve) show(env *command.Environment, got *client.Resolved) {
	for i := range got.Items {
		one := &got.Items[i]
		price := client.Price{Amount: one.GetCost().GetAmount(), Currency: one.GetCost().GetCurrency()}
		fee := ""
		if one.BrokerFee != nil {
			fee = ", and " + client.Price{Amount: one.BrokerFee.Amount, Currency: one.BrokerFee.Currency}.String() +
				" for the Broker"
		}
		if got.DryRun {
			env.Print("%s would be bought at %s for %s%s\n", command.Clean(one.URI), command.Clean(one.Exchange),
				command.Clean(price.String()), command.Clean(fee))
			continue
		}
		env.Print("%s was bought at %s for %s%s: %s\n\t%s\n", command.Clean(one.URI), command.Clean(one.Exchange),
			command.Clean(price.String()), command.Clean(fee), command.Clean(one.TransactionId),
			command.Clean(one.URL()))
		if err := one.Overcharged(); err != nil {
			env.Print("\t%s\n", command.Clean(err.Error()))
		}
	}
	for _, one := range got.Unsold {
		env.Print("%s was not bought: %s\n", command.Clean(one.URI),
			command.Clean(strings.ToLower(strings.ReplaceAll(one.Reason, "_", " "))))
	}
	for _, one := range got.Found {
		env.Print("%s was found: %s\n", command.Clean(one.URI), command.Clean(one.Title))
	}
	for _, uri := range got.Open {
		env.Print("%s may have been bought; ask again with --id %s\n", command.Clean(uri), command.Clean(got.ID))
	}
}

// report reports the use of what a file says was bought.
func (c Resolve) report(env *command.Environment, broker *client.Broker) error {
	got, err := readResolved(c.Report)
	if err != nil {
		return err
	}
	var all []client.Use
	for i := range got.Items {
		use, err := c.use(c.Use)
		if err != nil {
			return err
		}
		use.ID, use.Quantity = got.Items[i].TransactionId+"-report", max(c.Quantity, 1)
		all = append(all, use)
	}
	for i := range got.Items {
		id, err := broker.Report(env.Ctx, &got.Items[i], all[i])
		if err != nil {
			return explainedExchange(err)
		}
		env.Print("%s is reported: %s\n", command.Clean(got.Items[i].TransactionId), command.Clean(id))
	}
	return nil
}

// readResolved reads an answer of a Broker that was saved.
func readResolved(file string) (*client.Resolved, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	answer := &rampv1.RAMPResponse{}
	if err := ramp.Unmarshal(text, answer); err != nil {
		return nil, fmt.Errorf("%s is no answer of a Broker, as --save writes it: %w", file, err)
	}
	return client.ReadResolved(answer)
}
