package app

import (
	"context"
	"net/http"
	"time"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console"
	"frontdesk/internal/operator/console/frame"
)

// wrongTokens is how many wrong tokens for the console may come from one address.
var wrongTokens = ratelimit.Rate{Requests: 10, Per: time.Minute, Burst: 10}

// ownerRoutes serve the owner's pages.
func (a *App) ownerRoutes() []apphttp.Route {
	if !a.config.Console.Owner.Enabled || a.gate == nil {
		return nil
	}
	o := &ownerPages{a.base, a.identities}
	wrong := ratelimit.New(ratelimit.Options{Now: a.now}).Meter("console", wrongTokens)
	config := console.OwnerConfig{Config: frame.Config{
		Title: a.config.title(), PublicURL: a.outside.PublicURL, Now: a.now, Session: a.config.Console.Owner.Session, Logins: a.Logins(),
		Suspect: func(r *http.Request) error {
			if wrong.Allow(r.Context(), ratelimit.Network(a.outside.Client(r)), 0).Remaining < 1 {
				return fail.New(fail.Limited, "too many wrong tokens came from your address")
			}
			return nil
		},
		Failed: func(r *http.Request) {
			wrong.Allow(r.Context(), ratelimit.Network(a.outside.Client(r)), 1)
			httpx.EventFrom(r.Context()).Set("console", "wrong token")
		},
		Note: func(r *http.Request, in identity.Login, what string) {
			httpx.EventFrom(r.Context()).Set("console", what)
			a.log.InfoContext(r.Context(), "console", "token", in.Key, "role", in.Role, "did", what)
		},
		Warnings: a.stale.tell,
	},
		Head: a.Ledger.Head, Entries: a.Ledger.Read, Receipt: a.Ledger.Receipt, Keys: a.LedgerKeys,
		Refused: o.refused, Tallies: o.tallies, Platforms: a.Platforms.List, SetStatus: o.setStatus,
	}
	config.Inbox, config.Sales, config.Home = a.inbox(), a.exchange.sales(), a.home()
	handler := console.Owner(config)
	return []apphttp.Route{
		{Pattern: "/console", Name: frame.Path, Handler: handler},
		{Pattern: frame.Path, Name: frame.Path, Handler: handler},
	}
}

// ownerPages are the console of the owner.
type ownerPages struct {
	*base
	*identities
}

// refused lists requests of platforms that got nothing.
func (o *ownerPages) refused(ctx context.Context, w grants.RefusalFilter) (all []grants.Request, err error) {
	err = o.db.View(ctx, func(tx *store.Tx) (err error) {
		all, err = grants.ListRefused(ctx, tx, w)
		return err
	})
	return all, err
}

// tallies counts what platforms did.
func (o *ownerPages) tallies(ctx context.Context, since time.Time) (all []grants.DayCount, err error) {
	err = o.db.View(ctx, func(tx *store.Tx) (err error) {
		all, err = grants.CountByDay(ctx, tx, since)
		return err
	})
	return all, err
}

// setStatus suspends or resumes a platform's key for an operator, whom the ledger names by the id of the token.
func (o *ownerPages) setStatus(ctx context.Context, by identity.Login, id, status string) error {
	_, err := o.Platforms.SetStatus(operator.WithActor(ctx, "key:"+by.Key), id, status)
	return err
}
