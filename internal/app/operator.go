package app

import (
	"context"

	apphttp "frontdesk/internal/app/http"
	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/ask/tryout"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy/overrides"
	"frontdesk/wire/sign"
)

// Operator is what owners and operators do. Nobody asks here, so that content is loaded when it is
// needed.
func (a *App) Operator() *operator.Operator {
	o := newOperator(a.supply, a.accounting)
	o.Questions, o.Tuning, o.Content = a.questions.store(), a.tuning(), a.content()
	o.Tuning.Load, o.Content.Load = a.Refresh, a.Refresh
	o.Rules = operator.Rules{Store: a.Rulebook, Fits: a.checkRule, Apply: func(context.Context) {},
		Warn: func(context.Context, overrides.Rule) []string { return nil }}
	o.Terms = a.ownerTerms(a.Corpus, func() *Loaded { return &Loaded{Config: a.written} }, o.Rules.Apply)
	o.Terms.Load = a.Refresh
	o.Visitors, o.Keys, o.Sharing = a.treated(), a.keys(), a.sharing()
	o.Settings = a.beside.Book(a.beside.Command())
	if a.submissions != nil {
		o.Intakes = a.Intakes
	}
	return o
}

func (a *App) tuning() operator.Tuning {
	kept := askquestions.NewStore(a.db, a.now)
	return operator.Tuning{Store: a.Tuning, Ask: a.Ask, Corpus: a.Corpus, Kept: tryout.Latest(kept),
		Ignore: kept.IgnoreText}
}

// answerRoutes are the addresses of what answers are made of.
func (a *App) answerRoutes() []apphttp.Route {
	if a.gate == nil {
		return nil
	}
	o := &operator.Operator{Tuning: a.tuning(), Content: a.content(), Settings: a.reloader.ownSettings(),
		Books: operator.Books{Ledger: a.Ledger, Sharing: a.sharing()}, Now: a.now}
	return operatorRoutes(a.gate, o, "/admin/tuning", "/admin/sources", "/admin/content", "/admin/receipts")
}

// content is what was read.
func (s *sources) content() operator.Content {
	serves := s.network != nil && s.gate != nil
	c := operator.Content{Overview: &s.overview, Look: func(ctx context.Context, address string) (ingest.Found, error) {
		in := s.ingestSource(ingest.SourceSettings{Site: s.config.AllSites()[0].ID, Name: "look", URL: address})
		in.Web.Public = serves // at the command line, whoever runs the program named it
		return ingest.Look(ctx, in)
	}}
	if serves {
		c.Read = func(site, source string) bool {
			begin := s.rereads.Load()
			return begin != nil && (*begin)(site, source, nil)
		}
	}
	return c
}

func newOperator(s *supply, a *accounting) *operator.Operator {
	return &operator.Operator{
		DB: s.db, Requesters: s.Requesters, Callers: s.Callers, Tenants: s.Tenants, Shelves: s.Shelves,
		Deliveries: s.Deliveries, Books: operator.Books{Accounts: a.Accounts, Balances: a.ReadAccounts},
		Cases: operator.Cases{Cases: a.Cases, Reader: a.ReadDisputes()}, Now: s.now,
		Hosting: operator.Hosting{Known: s.tenantAt, Host: supplyHost},
	}
}

// operator is what owners and operators do on a server, which puts at once in force what they
// change.
func (s *seller) operator() *operator.Operator {
	o := newOperator(s.supply, s.accounting)
	o.Rules, o.Places = s.addedRules(), s.placesOf
	o.Answers = operator.Answers{ChallengeResponses: s.Answers, Own: s.config.answersAt}
	o.Content.Reread = func(site string, paths []string) bool {
		begin := s.rereads.Load()
		return begin != nil && (*begin)(site, "", paths)
	}
	return o
}

func (s *seller) operatorRoutes(prefixes ...string) []apphttp.Route {
	return operatorRoutes(s.gate, s.operator(), prefixes...)
}

// operatorRoutes are the addresses of operations for the operator's programs, whose paths begin so.
func operatorRoutes(gate *apphttp.Auth, o *operator.Operator, prefixes ...string) (all []apphttp.Route) {
	for _, r := range api.Routes(o, prefixes...) {
		all = append(all, apphttp.Route{
			Pattern: r.Pattern, Name: r.Name, Refuse: api.WriteError, Handler: forOperators(gate, r.Handler),
		})
	}
	return all
}

// placesOf are those who deliver for a tenant, or for the sites of the configuration.
func (s *seller) placesOf(id string) map[string]sign.URLForm {
	places := map[string]sign.URLForm{}
	if s.Tenants != nil {
		if t := s.Tenants.Get(id); t != nil {
			places[t.Place()] = sign.URLForm(t.Delivery.Form)
			return places
		}
	}
	for _, d := range s.config.RAMP.Delivery {
		places[d.Name] = sign.URLForm(d.Form)
	}
	return places
}
