package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/excerpts"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
	"frontdesk/wire/intent"
)

// RemoveContentRule takes a rule away that a program added to the terms, and has the ledger tell of it. It needs no terms that hold, so that
// it helps where a rule keeps the server from starting. The error is fail.NotFound where there is none of the id.
func RemoveContentRule(ctx context.Context, config Config, log *slog.Logger, id string) (err error) {
	db, err := store.Open(ctx, config.Database(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	h := &House{base: base{db: db, log: log}}
	h.openLedger(config)
	keeper := overrides.New(db, h.now)
	keeper.OnChange(h.recorder().Terms)
	return keeper.Remove(ctx, id)
}

// openRulebook reads what the operator's programs added to the terms of the file, and puts both in force.
func (h *House) openRulebook(ctx context.Context, config Config) error {
	h.Rulebook = overrides.New(h.db, h.now)
	h.Rulebook.OnChange(h.recorder().Terms)
	book, err := h.Rulebook.Read(ctx)
	if err != nil {
		return err
	}
	rules, err := config.compileTerms(h.ownLicences(config), book.Rules)
	if err != nil && len(book.Rules) > 0 {
		err = fmt.Errorf("%w\n`frontdesk terms remove ID` takes a content rule away", err)
	}
	if err != nil {
		return err
	}
	h.added.Store(&book)
	h.rules.Store(rules)
	return nil
}

// Added is what the operator's programs added to the terms, as it was last read.
func (h *House) Added() overrides.RuleSet { return *h.added.Load() }

// withRules is the configuration with content rules among its terms.
func (c Config) withRules(added []overrides.Rule) Config {
	c.Terms, _ = policy.With(c.Terms, rulesOf(added))
	return c
}

// rulesOf are the rules without what their book says of them.
func rulesOf(added []overrides.Rule) []policy.Rule {
	all := make([]policy.Rule, len(added))
	for i, r := range added {
		all[i] = r.Rule
	}
	return all
}

// checkRule says what of a content rule does not fit the configuration.
func (s *Server) checkRule(rule policy.Rule) error {
	var tenants []string
	if s.Tenants != nil {
		for _, one := range s.Tenants.List() {
			tenants = append(tenants, one.ID)
		}
	}
	return s.config.checkRule(rule, tenants...)
}

// checkRule is that of a server that sells for some tenants.
func (c Config) checkRule(rule policy.Rule, tenants ...string) error {
	sites := tenants
	for _, site := range c.AllSites() {
		sites = append(sites, site.ID)
	}
	for _, site := range rule.Match.Site {
		if !slices.Contains(sites, site) {
			return fail.New(fail.Invalid, "match.site: there is no site %.64s; there are %s", site, strings.Join(sites, ", "))
		}
	}
	if !c.Intent.Enabled || rule.Access == policy.Blocked {
		return nil
	}
	for _, label := range rule.Labels {
		declared := slices.ContainsFunc(c.Intent.Domains, func(domain string) bool { return intent.Within(label, domain) })
		if len(c.Intent.Domains) == 0 && !excerpts.IsEditorialDomain(label) || len(c.Intent.Domains) > 0 && !declared {
			return fail.New(fail.Invalid, "labels: %.100q is no editorial domain that can be declared to platforms", label)
		}
	}
	return nil
}

// warnOf says what of a content rule in force is probably not meant: that no item is there for it, that another rule decides otherwise on
// items that it is for, or that it leaves nothing to those behind it.
func (s *Server) warnOf(ctx context.Context, rule overrides.Rule) (all []string) {
	now := s.Terms()
	standing := now.Rules()
	at := slices.IndexFunc(standing, func(r policy.PlacedRule) bool { return r.Named == rule.Name() })
	if at < 0 {
		return nil // it is not in force yet
	}
	for _, before := range standing[:at] {
		if before.MatchesAll() {
			return []string{fmt.Sprintf("no item gets here: %s before it matches everything; give this rule a lower order", before.Name())}
		}
	}
	if standing[at].MatchesAll() && at+1 < len(standing) {
		all = append(all, fmt.Sprintf("it is for everything that no rule before it is for, so that %s decides on nothing any more", standing[at+1].Name()))
	}
	held, err := s.Corpus.RuleReach(ctx, now, at)
	switch {
	case err != nil:
		s.log.Warn("a content rule was not held against the items that are here", "rule", rule.ID, "error", err)
	case held.Items == 0:
		all = append(all, "no item that is here now is one that it is for")
	}
	for _, before := range slices.Sorted(maps.Keys(held.Before)) {
		if before < 0 || len(policy.Compare(standing[before].Decision, standing[at].Decision)) == 0 {
			continue
		}
		all = append(all, fmt.Sprintf("on %d of the %d items that it is for %s decides, which stands before it, otherwise: %s", held.Before[before], held.Items, standing[before].Name(), standing[before].Decision))
	}
	return all
}

// prices are what licensed items of sites cost where no rule says so.
func prices(book overrides.RuleSet) map[string]policy.Money {
	all := map[string]policy.Money{}
	for _, p := range book.Prices {
		all[p.Site], _ = p.Money() // it was checked before it was kept
	}
	return all
}

// sell has offers made by what the configuration says, and by the prices of sites.
func (h *House) sell(selling *exchange.OfferPolicy, book overrides.RuleSet) {
	changed := *selling
	changed.Prices = prices(book)
	h.selling.Store(&changed)
}

// lookAtRules puts in force what was added to the terms, or taken away, since that was last looked for.
func (s *Server) lookAtRules(ctx context.Context) error {
	s.bringing.Lock()
	defer s.bringing.Unlock()
	before := s.Added()
	version, err := s.Rulebook.Version(ctx)
	if err != nil || version == before.Version {
		return err
	}
	book, err := s.Rulebook.Read(ctx)
	if err != nil {
		return err
	}
	s.added.Store(&book)
	if selling := s.selling.Load(); selling != nil {
		s.sell(selling, book)
	}
	if err := s.reloader.added(); err != nil {
		s.added.Store(&before) // and it is tried again
		return err
	}
	s.log.Info("content rules and prices of sites are in force as they are now", "rules", len(book.Rules), "prices", slices.Sorted(maps.Keys(prices(book))), "version", s.Terms().Version())
	return nil
}

// followRules puts in force what other processes change of the terms, until ctx ends.
func (s *Server) followRules(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var failed string
	for {
		err := s.lookAtRules(ctx)
		switch now := fmt.Sprint(err); {
		case err == nil:
			failed = ""
		case ctx.Err() == nil && now != failed:
			failed = now
			s.log.Error("content rules cannot be read or put in force; those that were stay", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
