package server

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

// openBroker puts the Broker together, where there is to be one.
func (s *Server) openBroker(ctx context.Context) error {
	if !s.config.brokers() || s.gate == nil { // nobody comes to a process that asks itself
		return nil
	}
	if err := s.AgentKeys.EnsureKey(); err != nil {
		return err
	}
	config, err := s.brokerConfig()
	if err != nil {
		return err
	}
	config.Observer = brokerFigures(s.metrics.Registry)
	s.broker = broker.New(config)
	s.metrics.Registry.MustRegister(brokerStands{s.broker})
	return s.broker.Load(ctx)
}

var errNoAgentKey = errors.New("the Broker has no key to sign with; run `frontdesk keys agent`")

// brokerConfig is what the Broker needs.
func (s *Server) brokerConfig() (broker.Config, error) {
	b := s.config.Broker
	out := broker.Config{
		Domain: s.config.brokerDomain(), ID: s.config.brokerID(), DB: s.db, OnlyExchanges: b.OnlyExchanges, Deadline: b.Deadline, BuyWithin: b.BuyWithin, Parallel: b.Parallel,
		MaxAnswer: int64(b.MaxAnswer), Binary: b.Binary, Verifiers: b.Verifiers, Own: b.OwnAccount, WholeDelegations: !b.Attenuate, Now: s.options.Now, Log: s.log,
		Key: func() (ed25519.PrivateKey, string, error) {
			id, signer, ok := s.AgentKeys.Current()
			key, is := signer.(ed25519.PrivateKey)
			if !ok || !is {
				return nil, "", errNoAgentKey
			}
			return key, id, nil
		},
	}
	out.Find = s.find
	var typed []string
	for _, x := range b.Exchanges {
		out.Exchanges = append(out.Exchanges, broker.Exchange{Domain: x.Domain, Address: x.URL, Preferred: x.Preferred})
		if x.URL != "" {
			typed = append(typed, x.URL)
		}
	}
	way, err := s.config.Fetcher().Transport(typed...)
	if err != nil {
		return out, err
	}
	out.HTTP = &http.Client{Transport: way}
	if out.Fee.Share, err = b.Fee.Units(); err != nil {
		return out, err
	}
	if out.Fee.Each, err = policy.ParseAmount(b.Fee.Each); err != nil {
		return out, err
	}
	out.Fee.Currency = b.Fee.Currency
	if out.Rates, err = b.Rates.Table(); err != nil {
		return out, err
	}
	for _, budget := range b.Budgets {
		n, err := policy.ParseAmount(budget.Amount)
		if err != nil {
			return out, err
		}
		out.Budgets = append(out.Budgets, broker.Budget{Account: budget.Requester, Amount: n, Currency: budget.Currency, Period: budget.Period})
	}
	return out, nil
}

// brokerDoor is the Broker as the door of RAMP sees it; nil for none.
func (s *Server) brokerDoor() *rampapi.Broker {
	if s.broker == nil {
		return nil
	}
	return &rampapi.Broker{
		Resolve: func(ctx context.Context, request *rampv1.RAMPRequest, account string) (*rampv1.RAMPResponse, error) {
			return s.broker.Resolve(ctx, broker.Request{RAMPRequest: request, Account: account})
		},
		Critical: broker.Critical, Report: s.broker.Report, Dispute: s.broker.Dispute,
	}
}

// brokerModule buys for others.
func (s *Server) brokerModule(ctx context.Context) (Module, error) {
	routes, err := s.brokerRoutes(ctx)
	if err != nil || s.broker == nil {
		return Module{}, err
	}
	return Module{Routes: routes, Jobs: []Job{{"finish what was bought", s.broker.Run}}}, nil
}

// brokerRoutes are the addresses of the Broker, beside an Exchange or alone.
func (s *Server) brokerRoutes(ctx context.Context) ([]apphttp.Route, error) {
	if s.broker == nil {
		return nil, nil
	}
	config := rampapi.Config{Signatures: s.config.RAMP.Signatures, Purchases: s.config.RAMP.Purchases, Targets: s.signedTargets, UnknownHost: s.elsewhere, Ready: s.readiness, Now: s.options.Now, Broker: s.brokerDoor()}
	alone := s.exchange == nil
	if alone {
		if err := s.OpenRequesters(ctx, s.config); err != nil {
			return nil, err
		}
		if err := s.asked(&config); err != nil {
			return nil, err
		}
	} else {
		config = *s.exchange
	}
	config.Resolved = func(ctx context.Context, proof *identity.Proof) error {
		return s.db.UpdateBatched(ctx, func(tx *store.Tx) error { return s.Nonces.UseProof(ctx, tx, proof) })
	}
	config.MaxDeadline = s.config.Broker.Deadline + s.config.Broker.BuyWithin + brokerSlack
	handler := s.gate.WithCaller(rampapi.BrokerHandler(config))
	var all []apphttp.Route
	for _, pattern := range rampapi.BrokerPatterns(alone) {
		all = append(all, apphttp.Route{Pattern: pattern, Name: pattern, Methods: []string{http.MethodPost}, CORS: true, Refuse: rampapi.WriteError, Handler: handler})
	}
	return all, nil
}

var errNoBroker = fail.New(fail.UnsupportedMode, "this front desk is no Broker; ask its Exchange by ramp.v1.ExchangeService/DiscoverResources, where /.well-known/ramp-exchange.json names one, or another Broker. "+
	"Its operator starts a Broker by `broker` in `roles`")

// brokerAbsent answer whoever looks for a Broker where there is none. They are no part of what a description tells.
func (s *Server) brokerAbsent() (all []apphttp.Route) {
	if s.gate == nil || s.broker != nil {
		return nil
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { rampapi.WriteError(w, r, errNoBroker) })
	for _, pattern := range rampapi.BrokerPatterns(false) {
		all = append(all, apphttp.Route{Pattern: pattern, Name: pattern, Methods: []string{http.MethodPost}, CORS: true, Refuse: rampapi.WriteError, Handler: handler})
	}
	return all
}

// brokerSlack is how much longer a request may take than what it waits for.
const brokerSlack = 2 * time.Second

// sought is what a search asks for.
type sought struct {
	words       string
	first, last int // years; 0 for any
}

// fits says whether something of a time is of the years that are asked for. What says nothing of its time is of none.
func (s sought) fits(at time.Time) bool {
	switch {
	case s.first == 0 && s.last == 0:
		return true
	case at.IsZero():
		return false
	}
	return (s.first == 0 || at.Year() >= s.first) && (s.last == 0 || at.Year() <= s.last)
}

// soughtBy reads a query and its filters (RAMP v1, search_filters: academic.topic, academic.year_min, news.category, legal.jurisdiction and the
// like). A text, or a list of them, is words that are searched for, too; a number whose name ends in year_min or year_max bounds the time.
func soughtBy(text string, filters map[string]any) (out sought, err error) {
	words := []string{text}
	for _, key := range slices.Sorted(maps.Keys(filters)) {
		name := key[strings.LastIndexByte(key, '.')+1:]
		switch value := filters[key].(type) {
		case string:
			if name == "year_min" || name == "year_max" {
				return out, fail.New(fail.Invalid, "search_filters[%q] is a text, and has to be a year as a number, such as 2019", key)
			}
			words = append(words, value)
		case []any:
			for _, one := range value {
				word, is := one.(string)
				if !is {
					return out, fail.New(fail.Invalid, "search_filters[%q] has something that is no text; write texts alone", key)
				}
				words = append(words, word)
			}
		case float64:
			year := int(value)
			if float64(year) != value || year < 1 || year > 9999 || name != "year_min" && name != "year_max" {
				return out, fail.New(fail.Invalid, "search_filters[%q] is a number, and of these only years are heeded here, as ...year_min and ...year_max; leave it out, or say it in query", key)
			}
			if name == "year_min" {
				out.first = max(out.first, year)
			} else if out.last == 0 || year < out.last {
				out.last = year
			}
		default:
			return out, fail.New(fail.Invalid, "search_filters[%q] is neither a text nor a year, and only these are heeded here; leave it out, or say it in query", key)
		}
	}
	out.words = strings.TrimSpace(strings.Join(words, " "))
	if out.words == "" {
		return out, fail.New(fail.Invalid, "query and search_filters have no words to search for; say what you want")
	}
	return out, nil
}

// find answers searches of the Broker: over the items of sites and sources, as questions are answered, and over what tenants have pushed.
func (s *Server) find(ctx context.Context, text string, filters map[string]any, most int) ([]broker.SearchHit, error) {
	wanted, err := soughtBy(text, filters)
	if err != nil {
		return nil, err
	}
	looked := most
	if wanted.first > 0 || wanted.last > 0 {
		looked = ask.MaxLimit // some of these are of other years
	}
	var all []broker.SearchHit
	reply, err := s.Ask.Ask(ctx, ask.Question{Text: wanted.words, Limit: looked, Numbered: true})
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
	if s.Goods == nil {
		return all[:min(len(all), most)], nil
	}
	pushed, _ := s.Goods.Page(catalog.Filter{Words: wanted.words, Limit: looked})
	for _, entry := range pushed {
		at := entry.Modified
		if !entry.Published.IsZero() {
			at = entry.Published
		}
		if s.sites[entry.Site] || !wanted.fits(at) { // it was answered of, as the terms let it
			continue
		}
		all = append(all, broker.SearchHit{URI: entry.URL, Title: entry.Title})
	}
	return all[:min(len(all), most)], nil
}
