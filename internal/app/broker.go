package app

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"crypto/ed25519"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/broker"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/policy"
	rampv1 "frontdesk/wire/ramp/v1"
)

// brokerage buys for others (RAMP, Broker). Nil where nobody does.
type brokerage struct {
	*base
	*rampAuth
	*network
	*identities
	broker *broker.Broker
	ask    *ask.Service
	goods  *catalog.Catalog // what tenants have pushed; nil where nothing is sold
}

// openBroker puts the Broker together, where there is to be one.
func openBroker(ctx context.Context, c *rampAuth, k *identities, asked *ask.Service, f *forSale) (*brokerage, error) {
	if !k.config.brokers() || c.gate == nil { // nobody comes to a process that asks itself
		return nil, nil
	}
	if err := k.AgentKeys.EnsureKey(); err != nil {
		return nil, err
	}
	b := &brokerage{base: k.base, rampAuth: c, network: c.network, identities: k, ask: asked}
	if f != nil {
		b.goods = f.Goods
	}
	config, err := b.brokerConfig()
	if err != nil {
		return nil, err
	}
	config.Observer = broker.RegisterMetrics(b.metrics.Registry)
	b.broker = broker.New(config)
	b.metrics.Registry.MustRegister(b.broker)
	return b, b.broker.Load(ctx)
}

var errNoAgentKey = errors.New("the Broker has no key to sign with; run `frontdesk keys agent`")

// brokerConfig is what the Broker needs.
func (b *brokerage) brokerConfig() (broker.Config, error) {
	c := b.config.Broker
	out := broker.Config{
		Domain: b.config.brokerDomain(), ID: b.config.brokerID(), DB: b.db, OnlyExchanges: c.OnlyExchanges,
		Deadline: c.Deadline, BuyWithin: c.BuyWithin, Parallel: c.Parallel, MaxAnswer: int64(c.MaxAnswer),
		Binary: c.Binary, Verifiers: c.Verifiers, Own: c.OwnAccount, WholeDelegations: !c.Attenuate, Now: b.now,
		Log: b.log,
		Key: func() (ed25519.PrivateKey, string, error) {
			id, signer, ok := b.AgentKeys.Current()
			key, is := signer.(ed25519.PrivateKey)
			if !ok || !is {
				return nil, "", errNoAgentKey
			}
			return key, id, nil
		},
	}
	out.Find = b.find
	var typed []string
	for _, x := range c.Exchanges {
		out.Exchanges = append(out.Exchanges, broker.Exchange{Domain: x.Domain, Address: x.URL, Preferred: x.Preferred})
		if x.URL != "" {
			typed = append(typed, x.URL)
		}
	}
	way, err := b.config.SignedFetcher(b.own).Transport(typed...)
	if err != nil {
		return out, err
	}
	out.HTTP = &http.Client{Transport: way}
	if out.Fee.Share, err = c.Fee.Units(); err != nil {
		return out, err
	}
	if out.Fee.Each, err = policy.ParseAmount(c.Fee.Each); err != nil {
		return out, err
	}
	out.Fee.Currency = c.Fee.Currency
	if out.Rates, err = c.Rates.Table(); err != nil {
		return out, err
	}
	for _, budget := range c.Budgets {
		n, err := policy.ParseAmount(budget.Amount)
		if err != nil {
			return out, err
		}
		out.Budgets = append(out.Budgets,
			broker.Budget{Account: budget.Requester, Amount: n, Currency: budget.Currency, Period: budget.Period})
	}
	return out, nil
}

// api is the Broker as the handlers of RAMP see it; nil for none.
func (b *brokerage) api() *rampapi.Broker {
	if b == nil {
		return nil
	}
	return &rampapi.Broker{
		Resolve: func(ctx context.Context, request *rampv1.RAMPRequest, account string) (*rampv1.RAMPResponse, error) {
			return b.broker.Resolve(ctx, broker.Request{RAMPRequest: request, Account: account})
		},
		Critical: broker.Critical, Report: b.broker.Report, Dispute: b.broker.Dispute,
	}
}

// module buys for others, beside an Exchange or alone.
func (b *brokerage) module(beside *seller, ready func(context.Context) error) (Module, error) {
	if b == nil {
		return Module{}, nil
	}
	config := rampapi.Config{Signatures: b.config.RAMP.Signatures, Purchases: b.config.RAMP.Purchases,
		Targets: b.signedTargets, UnknownHost: b.elsewhere, Ready: ready, Now: b.now, Broker: b.api()}
	if beside != nil {
		config = beside.api
	} else if err := b.identify(&config); err != nil {
		return Module{}, err
	}
	config.Resolved = func(ctx context.Context, proof *identity.Proof) error {
		return b.db.Update(ctx, func(tx *store.Tx) error { return b.Nonces.UseProof(ctx, tx, proof) })
	}
	config.MaxDeadline = b.config.Broker.Deadline + b.config.Broker.BuyWithin + brokerSlack
	return Module{
		Routes: brokerRoutes(rampapi.BrokerPatterns(beside == nil), b.gate.WithCaller(rampapi.BrokerHandler(config))),
		Jobs:   []Job{{"finish what was bought", b.broker.Run}},
	}, nil
}

// brokerRoutes have a handler answer at the addresses of a Broker.
func brokerRoutes(patterns []string, handler http.Handler) (all []apphttp.Route) {
	for _, pattern := range patterns {
		all = append(all, apphttp.Route{Pattern: pattern, Name: pattern, Methods: []string{http.MethodPost}, CORS: true,
			Refuse: rampapi.WriteError, Handler: handler})
	}
	return all
}

var errNoBroker = fail.New(fail.UnsupportedMode, "this front desk is no Broker; ask its Exchange by "+
	"ramp.v1.ExchangeService/DiscoverResources, where /.well-known/ramp-exchange.json names one, or another Broker. "+
	"Its operator starts a Broker by `broker` in `roles`")

// brokerAbsent answer whoever looks for a Broker where there is none. They are no part of what a
// description tells.
func brokerAbsent() []apphttp.Route {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { rampapi.WriteError(w, r, errNoBroker) })
	return brokerRoutes(rampapi.BrokerPatterns(false), handler)
}

// brokerSlack is how much longer a request may take than what it waits for.
const brokerSlack = 2 * time.Second

// sought is what a search asks for.
type sought struct {
	words       string
	first, last int // years; 0 for any
}

// fits says whether something of a time is of the years that are asked for. What says nothing of
// its time is of none.
func (s sought) fits(at time.Time) bool {
	switch {
	case s.first == 0 && s.last == 0:
		return true
	case at.IsZero():
		return false
	}
	return (s.first == 0 || at.Year() >= s.first) && (s.last == 0 || at.Year() <= s.last)
}

// soughtBy reads a query and its filters (RAMP v1, search_filters: academic.topic,
// academic.year_min, news.category, legal.jurisdiction and the like). A text, or a list of them, is
// words that are searched for, too; a number whose name ends in year_min or year_max bounds the
// time.
func soughtBy(text string, filters map[string]any) (out sought, err error) {
	words := []string{text}
	for _, key := range slices.Sorted(maps.Keys(filters)) {
		name := key[strings.LastIndexByte(key, '.')+1:]
		switch value := filters[key].(type) {
		case string:
			if name == "year_min" || name == "year_max" {
				return out, fail.New(fail.Invalid,
					"search_filters[%q] is a text, and has to be a year as a number, such as 2019", key)
			}
			words = append(words, value)
		case []any:
			for _, one := range value {
				word, is := one.(string)
				if !is {
					return out, fail.New(fail.Invalid,
						"search_filters[%q] has something that is no text; write texts alone", key)
				}
				words = append(words, word)
			}
		case float64:
			year := int(value)
			if float64(year) != value || year < 1 || year > 9999 || name != "year_min" && name != "year_max" {
				return out, fail.New(fail.Invalid, "search_filters[%q] is a number, and of these only years are "+
					"heeded here, as ...year_min and ...year_max; leave it out, or say it in query", key)
			}
			if name == "year_min" {
				out.first = max(out.first, year)
			} else if out.last == 0 || year < out.last {
				out.last = year
			}
		default:
			return out, fail.New(fail.Invalid, "search_filters[%q] is neither a text nor a year, "+
				"and only these are heeded here; leave it out, or say it in query", key)
		}
	}
	out.words = strings.TrimSpace(strings.Join(words, " "))
	if out.words == "" {
		return out, fail.New(fail.Invalid, "query and search_filters have no words to search for; say what you want")
	}
	return out, nil
}

// find answers searches of the Broker: over the items of sites and sources, as questions are
// answered, and over what tenants have pushed.
func (b *brokerage) find(ctx context.Context, text string, filters map[string]any,
	most int) ([]broker.SearchHit, error) {
	wanted, err := soughtBy(text, filters)
	if err != nil {
		return nil, err
	}
	looked := most
	if wanted.first > 0 || wanted.last > 0 {
		looked = ask.MaxLimit // some of these are of other years
	}
	var all []broker.SearchHit
	reply, err := b.ask.Ask(ctx, ask.Question{Text: wanted.words, Limit: looked, Numbered: true})
	switch {
	case fail.From(err).Code == fail.NoResults && err != nil:
	case err != nil:
		return nil, err
	case reply.Answer != nil:
		for result, err := range reply.Answer.Results(ctx) {
			if err != nil {
				return nil, err
			}
			if wanted.fits(result.Date()) {
				all = append(all, broker.SearchHit{URI: result.URL(), Title: result.Name(), Score: result.Score()})
			}
		}
	}
	if b.goods == nil {
		return all[:min(len(all), most)], nil
	}
	pushed, _ := b.goods.Page(catalog.Filter{Words: wanted.words, Limit: looked})
	for _, entry := range pushed {
		at := entry.Modified
		if !entry.Published.IsZero() {
			at = entry.Published
		}
		if b.config.serves(entry.Site) || !wanted.fits(at) { // it was answered of, as the terms let it
			continue
		}
		all = append(all, broker.SearchHit{URI: entry.URL, Title: entry.Title})
	}
	return all[:min(len(all), most)], nil
}
