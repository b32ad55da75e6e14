package app

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
)

// termsModule follows the file's terms, and what programs add to them.
func (r *reloader) termsModule() Module {
	return Module{Routes: r.ruleRoutes(),
		Jobs: []Job{{"follow the configuration", r.watch}, {"follow content rules", r.followRules}}}
}

// ruleRoutes let the operator's programs add to the terms. Where nothing is of what is theirs, they
// are told so in the door's words.
func (r *reloader) ruleRoutes() []apphttp.Route {
	if r.gate == nil {
		return nil
	}
	all := operatorRoutes(r.gate, &operator.Operator{Rules: r.addedRules(), Now: r.now}, "/admin/content-rules")
	for i := range all {
		all[i].Methods = []string{http.MethodGet, http.MethodHead, http.MethodPost}
		if strings.HasSuffix(all[i].Pattern, "}") {
			all[i].Methods[2] = http.MethodDelete
		}
	}
	all = append(all, operatorRoutes(r.gate, &operator.Operator{Terms: r.published(), Now: r.now}, "/admin/terms")...)
	return append(all,
		apphttp.Route{Pattern: "/admin/", Name: "/admin/", Refuse: api.WriteError, Handler: api.NoneHandler()})
}

// addedRules are the content rules, which are put in force as they are changed.
func (r *reloader) addedRules() operator.Rules {
	return operator.Rules{
		Store: r.Rulebook, Fits: r.checkRule, Warn: r.warnOf,
		Apply: func(ctx context.Context) {
			if err := r.lookAtRules(ctx); err != nil {
				r.log.Warn("what was changed of the terms is not in force yet; that is tried again", "error", err)
			}
		},
	}
}

// warnOf says what of a content rule in force is probably not meant: that no item is there for it,
// that another rule decides otherwise on items that it is for, or that it leaves nothing to those
// behind it.
func (r *reloader) warnOf(ctx context.Context, rule overrides.Rule) (all []string) {
	now := r.Terms()
	standing := now.Rules()
	at := slices.IndexFunc(standing, func(r policy.PlacedRule) bool { return r.Named == rule.Name() })
	if at < 0 {
		return nil // it is not in force yet
	}
	for _, before := range standing[:at] {
		if before.MatchesAll() {
			return []string{fmt.Sprintf(
				"no item gets here: %s before it matches everything; give this rule a lower order", before.Name())}
		}
	}
	if standing[at].MatchesAll() && at+1 < len(standing) {
		all = append(all,
			fmt.Sprintf("it is for everything that no rule before it is for, so that %s decides on nothing any more",
				standing[at+1].Name()))
	}
	held, err := r.corpus.RuleReach(ctx, now, at)
	switch {
	case err != nil:
		r.log.Warn("a content rule was not held against the items that are here", "rule", rule.ID, "error", err)
	case held.Items == 0:
		all = append(all, "no item that is here now is one that it is for")
	}
	for _, before := range slices.Sorted(maps.Keys(held.Before)) {
		if before < 0 || len(policy.Compare(standing[before].Decision, standing[at].Decision)) == 0 {
			continue
		}
		all = append(all,
			fmt.Sprintf("on %d of the %d items that it is for %s decides, which stands before it, otherwise: %s",
				held.Before[before], held.Items, standing[before].Name(), standing[before].Decision))
	}
	return all
}

// lookAtRules puts in force what was added to the terms, or taken away, since that was last looked
// for.
func (r *reloader) lookAtRules(ctx context.Context) error {
	r.bringing.Lock()
	defer r.bringing.Unlock()
	before := r.Added()
	version, err := r.Rulebook.Version(ctx)
	if err != nil || version == before.Version {
		return err
	}
	book, err := r.Rulebook.Read(ctx)
	if err != nil {
		return err
	}
	r.added.Store(&book)
	if selling := r.selling.Load(); selling != nil {
		r.sell(selling, book)
	}
	if err := r.bringAdded(); err != nil {
		r.added.Store(&before) // and it is tried again
		return err
	}
	r.log.Info("content rules and prices of sites are in force as they are now", "rules", len(book.Rules), "prices",
		slices.Sorted(maps.Keys(prices(book))), "version", r.Terms().Version())
	return nil
}

// followRules puts in force what other processes change of the terms, until ctx ends.
func (r *reloader) followRules(ctx context.Context) {
	r.poll(ctx, r.lookAtRules, "content rules cannot be read or put in force; those that were stay")
}

// followSettings puts in force what other processes set beside the file, until ctx ends.
func (r *reloader) followSettings(ctx context.Context) {
	r.poll(ctx, r.lookAtSettings, "what was set beside the file cannot be read; what was in force stays")
}

// poll looks again and again, until ctx ends. Why that fails is told once.
func (r *reloader) poll(ctx context.Context, look func(context.Context) error, problem string) {
	var failed string
	periodic.Run(ctx, watchEvery, func(ctx context.Context) {
		err := look(ctx)
		switch now := fmt.Sprint(err); {
		case err == nil:
			failed = ""
		case ctx.Err() == nil && now != failed:
			failed = now
			r.log.Error(problem, "error", err)
		}
	})
}
