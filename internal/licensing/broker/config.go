package broker

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// Settings is the section broker. It buys licensed content for agents: it asks several Exchanges at
// once, and takes the best of what they offer. It answers where `roles` has `broker`, and as
// `frontdesk broker`, which is nothing else. Who asks is told by what `ramp` says of signatures,
// requesters and rates.
type Settings struct {
	// Domain is the name under which Exchanges know it: it publishes the Broker's keys at
	// `/.well-known/ramp-agent.json`. Without it, it is the host of `url`. The id beside it is that
	// of `ramp.agent`.
	Domain string `yaml:"domain" check:"optional,domain"`
	// Exchanges are asked for every request that names none itself.
	Exchanges []ExchangeSettings `yaml:"exchanges" check:"count=0..50"`
	// OnlyExchanges keeps to those. Otherwise it is also bought at those that requests and the
	// `ramp.json` of the wanted addresses name.
	OnlyExchanges bool `yaml:"only_exchanges"`
	// Deadline is how long all of them together may take to offer something. What came by then is
	// chosen from.
	Deadline time.Duration `yaml:"deadline" check:"10ms..1m"`
	// BuyWithin is how long purchases may take before the agent is told that they are still under
	// way.
	BuyWithin time.Duration `yaml:"buy_within" check:"100ms..1m"`
	// Parallel is how many Exchanges are asked at the same time for one request.
	Parallel int `yaml:"parallel" check:"1..100"`
	// MaxAnswer is the most that the answer of an Exchange may have.
	MaxAnswer yamlconf.Size `yaml:"max_answer" check:"4KiB..4MiB"`
	// Binary speaks RAMP's binary form with Exchanges, which takes less of the processors. Without
	// it, JSON.
	Binary bool `yaml:"binary"`
	// Verifiers are the domains of those whose word on other people's content counts in the choice
	// between offers that cost the same.
	Verifiers []string `yaml:"verifiers" check:"domain"`
	// Fee is what the Broker takes on top of each price. It is told in `broker_fee`.
	Fee FeeSettings `yaml:"fee"`
	// Budgets are what requesters may spend at the most, whatever they say themselves.
	Budgets []BudgetSettings `yaml:"budgets"`
	// Rates compare offers of different currencies, and count what is bought under bounds and
	// budgets of others. Without them, what is in another currency than a bound is not bought.
	Rates RateSettings `yaml:"rates"`
	// OwnAccount lets what a search found be bought in the Broker's own name and on its own
	// accounts, where the requester's signature does not cover the address. Give requesters
	// `budgets` with it.
	OwnAccount bool `yaml:"own_account"`
	// Attenuate narrows the delegations that are passed on to what a request needs: its sites,
	// scopes and amount, and a day. Without it they pass as they came, for Exchanges that do not
	// evaluate such checks.
	Attenuate bool `yaml:"attenuate"`
}

// ExchangeSettings is an Exchange at which the Broker buys.
type ExchangeSettings struct {
	// Domain is the Exchange's name, as its `ramp-exchange.json` says: `exchange.example.com`.
	Domain string `yaml:"domain,required" check:"domain"`
	// URL is the address of the site with that document; without it, `https://` and the domain. It
	// may be on this machine, with `http://`.
	URL string `yaml:"url" check:"url"`
	// Preferred takes its offers before those of others, for requests that name no preferred
	// Exchanges.
	Preferred bool `yaml:"preferred"`
}

// FeeSettings is what the Broker takes.
type FeeSettings struct {
	// Share is what it takes of a price, in percent, such as `"2.5"`.
	Share string `yaml:"share"`
	// Each is what it takes for each purchase that costs something in `currency`, such as
	// `"0.001"`.
	Each string `yaml:"each" check:"amount"`
	// Currency is that of `each`.
	Currency string `yaml:"currency"`
}

// BudgetSettings is what a requester may spend.
type BudgetSettings struct {
	// Requester is whose it is: `buyer.example.com/bot`, or `*` for each that has none of its own.
	Requester string `yaml:"requester,required"`
	// Amount is the most, fees included, such as `"25"`.
	Amount string `yaml:"amount,required" check:"amount"`
	// Currency is that of the amount. What is offered in others counts by `rates`, and is not
	// bought where these do not know it.
	Currency string `yaml:"currency,required" check:"currency"`
	// Period is for how long; then it begins anew. Without it, it is for all time.
	Period time.Duration `yaml:"period" check:"0..87600h"`
}

// RateSettings is a table of what currencies are worth.
type RateSettings struct {
	// Currency is in which the others are told, such as `USD`.
	Currency string `yaml:"currency"`
	// Date is of the table, such as `2026-11-20`. Buyers are told it where something was converted.
	Date string `yaml:"date"`
	// Note says where the table is from, and buyers are told it, too.
	Note string `yaml:"note"`
	// Of are the other currencies.
	Of []RateSetting `yaml:"of" check:"count=0..64"`
}

// RateSetting is what one currency is worth.
type RateSetting struct {
	// Currency is the other one, such as `EUR`.
	Currency string `yaml:"currency,required" check:"currency"`
	// Rate is how much of the table's currency one of it is, such as `"1.0842"`, with up to eight
	// decimals.
	Rate string `yaml:"rate,required"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{Deadline: 500 * time.Millisecond, BuyWithin: 5 * time.Second, Parallel: 20, MaxAnswer: 1 << 20,
		Attenuate: true, Fee: FeeSettings{Share: "0", Each: "0"}}
}

// percent is a share as it is written.
var percent = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,6})?$`)

// Units is the share in percent, in units of 1e-8.
func (f FeeSettings) Units() (int64, error) {
	if !percent.MatchString(f.Share) {
		return 0, fmt.Errorf(`%q is no share; write it in percent, like "2.5"`, f.Share)
	}
	n, err := policy.ParseAmount(f.Share)
	if err == nil && n > 100*1e8 {
		err = fmt.Errorf("%s percent is more than all of it", f.Share)
	}
	return n / 100, err
}

// Check looks at what may stand in lists once.
func (b Settings) Check(r *yamlconf.Report) {
	for i, x := range b.Exchanges {
		if slices.ContainsFunc(b.Exchanges[:i],
			func(before ExchangeSettings) bool { return before.Domain == x.Domain }) {
			r.Problem(yamlconf.Index("exchanges", i)+".domain", "%s is named twice", x.Domain)
		}
	}
	for i, budget := range b.Budgets {
		if slices.ContainsFunc(b.Budgets[:i],
			func(before BudgetSettings) bool { return before.Requester == budget.Requester }) {
			r.Problem(yamlconf.Index("budgets", i)+".requester", "%s has a budget already, and only one counts; "+
				"broker.rates let it count what costs other currencies", budget.Requester)
		}
	}
}

// Check looks at the share and at the currency.
func (f FeeSettings) Check(r *yamlconf.Report) {
	if _, err := f.Units(); err != nil {
		r.Problem("share", "%v", err)
	}
	if each, _ := policy.ParseAmount(f.Each); each > 0 || f.Currency != "" {
		r.Match("currency", f.Currency, yamlconf.IsCurrency, "is no currency; write three capital letters, like EUR")
	}
}

// Check looks at whose it is.
func (b BudgetSettings) Check(r *yamlconf.Report) {
	domain, id, _ := strings.Cut(b.Requester, "/")
	if parsed, err := identity.ParseDomain(domain); b.Requester != "*" && (err != nil || parsed != domain || id == "") {
		r.Problem("requester", "%q is no requester; write it like buyer.example.com/bot with the "+
			"domain in lower case, or * for each", b.Requester)
	}
}

// Check looks at the table.
func (t RateSettings) Check(r *yamlconf.Report) {
	if len(t.Of) == 0 {
		return
	}
	r.Match("currency", t.Currency, yamlconf.IsCurrency, "is no currency; write three capital letters, like USD")
	if _, err := time.Parse(time.DateOnly, t.Date); err != nil {
		r.Problem("date", "%q is no date; write that of the table, like 2026-11-20", t.Date)
	}
	seen := map[string]bool{t.Currency: true}
	for i, one := range t.Of {
		r := r.Entry("of", i)
		if seen[one.Currency] {
			r.Problem("currency", "%s is in the table twice", one.Currency)
		}
		seen[one.Currency] = true
		if n, err := policy.ParseAmount(one.Rate); err != nil || n <= 0 {
			r.Problem("rate", "%q is no rate above 0; write how much %s one %s is, like \"1.0842\"", one.Rate,
				t.Currency, one.Currency)
		}
	}
}

// Table is the table as the Broker has it.
func (r RateSettings) Table() (out Rates, err error) {
	if len(r.Of) == 0 {
		return out, nil
	}
	out = Rates{Currency: r.Currency, Date: r.Date, Note: r.Note, Of: map[string]int64{}}
	for _, one := range r.Of {
		if out.Of[one.Currency], err = policy.ParseAmount(one.Rate); err != nil {
			return out, err
		}
	}
	return out, nil
}
