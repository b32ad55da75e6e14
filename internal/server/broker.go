package server

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/http"
	"time"

	"frontdesk/internal/broker"
	"frontdesk/internal/ramp"
	"frontdesk/internal/terms"
	rampv1 "frontdesk/wire/ramp/v1"
)

// openBroker puts the Broker together, where there is to be one.
func (s *Server) openBroker(ctx context.Context) error {
	if !s.config.brokers() || s.gate == nil { // nobody comes to a process that asks itself
		return nil
	}
	if err := s.AgentKeys.Make(); err != nil {
		return err
	}
	config, err := s.brokerConfig()
	if err != nil {
		return err
	}
	s.broker = broker.New(config)
	return s.broker.Load(ctx)
}

var errNoAgentKey = errors.New("the Broker has no key to sign with; run `frontdesk keys agent`")

// brokerConfig is what the Broker needs.
func (s *Server) brokerConfig() (broker.Config, error) {
	b := s.config.Broker
	out := broker.Config{
		Domain: s.config.brokerDomain(), ID: s.config.brokerID(), DB: s.db, OnlyExchanges: b.OnlyExchanges, Deadline: b.Deadline, BuyWithin: b.BuyWithin, Parallel: b.Parallel,
		MaxAnswer: int64(b.MaxAnswer), Binary: b.Binary, Verifiers: b.Verifiers, Own: b.OwnAccount, Attenuate: b.Attenuate, Now: s.options.Now, Log: s.log,
		Key: func() (ed25519.PrivateKey, string, error) {
			id, signer, ok := s.AgentKeys.Current()
			key, is := signer.(ed25519.PrivateKey)
			if !ok || !is {
				return nil, "", errNoAgentKey
			}
			return key, id, nil
		},
	}
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
	if out.Fee.Share, err = b.Fee.share(); err != nil {
		return out, err
	}
	if out.Fee.Each, err = terms.ParseAmount(b.Fee.Each); err != nil {
		return out, err
	}
	out.Fee.Currency = b.Fee.Currency
	for _, budget := range b.Budgets {
		n, err := terms.ParseAmount(budget.Amount)
		if err != nil {
			return out, err
		}
		out.Budgets = append(out.Budgets, broker.Budget{Account: budget.Requester, Amount: n, Currency: budget.Currency, Period: budget.Period})
	}
	return out, nil
}

// brokerDoor is the Broker as the door of RAMP sees it; nil for none.
func (s *Server) brokerDoor() *ramp.Broker {
	if s.broker == nil {
		return nil
	}
	return &ramp.Broker{
		Resolve: func(ctx context.Context, request *rampv1.RAMPRequest, account string) (*rampv1.RAMPResponse, error) {
			return s.broker.Resolve(ctx, broker.Asked{RAMPRequest: request, Account: account})
		},
		Critical: broker.Critical, Report: s.broker.Report, Dispute: s.broker.Dispute,
	}
}

// brokerRoutes serve the Broker, beside an Exchange or alone.
func (s *Server) brokerRoutes(ctx context.Context) ([]route, error) {
	if s.broker == nil {
		return nil, nil
	}
	config := ramp.Config{Signatures: s.config.RAMP.Signatures, Targets: s.signedTargets, Ready: s.readiness, Now: s.options.Now, Broker: s.brokerDoor()}
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
	config.MaxDeadline = s.config.Broker.Deadline + s.config.Broker.BuyWithin + brokerSlack
	handler := s.gate.named(ramp.BrokerHandler(config))
	var all []route
	for _, pattern := range ramp.BrokerPatterns(alone) {
		all = append(all, route{pattern: pattern, name: pattern, methods: []string{http.MethodPost}, cors: true, refuse: ramp.WriteError, handler: handler})
	}
	return all, nil
}

// brokerSlack is how much longer a request may take than what it waits for.
const brokerSlack = 2 * time.Second
