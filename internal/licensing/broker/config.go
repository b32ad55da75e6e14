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
	// Domain is the Broker's name at Exchanges: it publishes the Broker's keys at
	// `/.well-known/ramp-agent.json`. Without it, it is the host of `url`. The Broker's id is that
	// of `ramp.agent`.
	Domain string `yaml:"domain" check:"optional,domain"`
	// Exchanges are asked for every request that names none itself.
	Exchanges []ExchangeSettings `yaml:"exchanges" check:"count=0..50"`
	// OnlyExchanges buys at the Exchanges of this list alone. Otherwise the Broker also asks those
	// that requests and the `ramp.json` of the wanted addresses name.
	OnlyExchanges bool `yaml:"only_exchanges"`
	// Deadline is how long all Exchanges together may take to make offers. The Broker chooses from
	// the offers that arrive by then.
	Deadline time.Duration `yaml:"deadline" check:"10ms..1m"`
	// BuyWithin is how long purchases may take. After that the agent gets an answer, and they go
	// on.
	BuyWithin time.Duration `yaml:"buy_within" check:"100ms..1m"`
	// Parallel is how many Exchanges are asked at the same time for one request.
	Parallel int `yaml:"parallel" check:"1..100"`
	// MaxAnswer is the most that the answer of an Exchange may have.
	MaxAnswer yamlconf.Size `yaml:"max_answer" check:"4KiB..4MiB"`
	// Binary speaks RAMP's binary form with Exchanges, which takes less of the processors. Without
	// it, JSON.
	Binary bool `yaml:"binary"`
	// Verifiers are the domains of verifiers that the Broker trusts. Between offers of the same
	// cost, their attestations decide.
	Verifiers []string `yaml:"verifiers" check:"domain"`
	// Fee is the Broker's fee on top of each price. Answers have it as `broker_fee`.
	Fee FeeSettings `yaml:"fee"`
	// Budgets are the most that requesters may spend, whatever limits they set themselves.
	Budgets []BudgetSettings `yaml:"budgets"`
	// Rates is a table to compare offers in different currencies, and to count purchases under
	// limits and budgets in another currency. Without it, the Broker buys only in the currency of
	// the limit.
	Rates RateSettings `yaml:"rates"`
	// OwnAccount lets the Broker buy results of a search in its own name and on its own accounts,
	// if the requester's signature does not cover their addresses. Give requesters `budgets` with
	// it.
	OwnAccount bool `yaml:"own_account"`
	// Attenuate narrows delegations before they are passed on, to the needs of the request: its
	// sites, scopes and amount, and a day. Switch it off for Exchanges that do not evaluate such
	// checks.
	Attenuate bool `yaml:"attenuate"`
}

// ExchangeSettings is an Exchange at which the Broker buys.
type ExchangeSettings struct {
	// Domain is the Exchange's name, as its `ramp-exchange.json` says: `exchange.example.com`.
	Domain string `yaml:"domain,required" check:"domain"`
	// URL is the address of the site with that document; without it, `https://` and the domain. It
	// may be on this machine, with `http://`.
	URL string `yaml:"url" check:"url"`
	// Preferred takes this Exchange's offers before those of others, if a request names no
	// preferred Exchanges.
	Preferred bool `yaml:"preferred"`
}

// FeeSettings is what the Broker takes.
type FeeSettings struct {
	// Share is the fee in percent of the price, such as `"2.5"`.
	Share string `yaml:"share"`
	// Each is the fee for each purchase that costs something in `currency`, such as `"0.001"`.
	Each string `yaml:"each" check:"amount"`
	// Currency is the currency of `each`.
	Currency string `yaml:"currency"`
}

// BudgetSettings is what a requester may spend.
type BudgetSettings struct {
	// Requester is the requester that the budget is for: `buyer.example.com/bot`, or `*` for each
	// requester without a budget.
	Requester string `yaml:"requester,required"`
	// Amount is the most, fees included, such as `"25"`.
	Amount string `yaml:"amount,required" check:"amount"`
	// Currency is the currency of the amount. Offers in other currencies count by `rates`; without
	// a rate there, they are not bought.
	Currency string `yaml:"currency,required" check:"currency"`
	// Period is the time after which the budget begins again. Without it, the budget is for all
	// time.
	Period time.Duration `yaml:"period" check:"0..87600h"`
}

// RateSettings is a table of what currencies are worth.
type RateSettings struct {
	// Currency is the table's own currency, such as `USD`.
	Currency string `yaml:"currency"`
	// Date is the day of the table, such as `2026-11-20`. Buyers see it if something was converted.
	Date string `yaml:"date"`
	// Note names the source of the table. Buyers see it, too.
	Note string `yaml:"note"`
	// Of are the other currencies.
	Of []RateSetting `yaml:"of" check:"count=0..64"`
}

// RateSetting is what one currency is worth.
type RateSetting struct {
	// Currency is the other currency, such as `EUR`.
	Currency string `yaml:"currency,required" check:"currency"`
	// Rate is the value of one unit in the table's currency, such as `"1.0842"`, with up to eight
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
