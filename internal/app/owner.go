package app

import (
	"context"
	"iter"
	"net/http"
	"sort"
	"time"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
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
		Head: a.Ledger.Head, Entries: o.entries, Receipt: a.Ledger.Receipt, Keys: a.LedgerKeys,
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

// slack is how much earlier or later an entry may stand in the ledger than by its time.
const slack = time.Hour

// entries is ledger.Read for a filter that may name a time: the entries of that time are looked for where they stand, since
// entries are in the order of their times but for a moment.
func (o *ownerPages) entries(ctx context.Context, f ledger.Filter) iter.Seq2[ledger.Record, error] {
	return func(yield func(ledger.Record, error) bool) {
		if !f.Since.IsZero() || !f.Until.IsZero() {
			if err := o.narrow(ctx, &f); err != nil {
				yield(ledger.Record{}, err)
				return
			}
		}
		for r, err := range o.Ledger.Read(ctx, f) {
			if !yield(r, err) {
				return
			}
		}
	}
}

// narrow sets the places between which the times of a filter lie.
func (o *ownerPages) narrow(ctx context.Context, f *ledger.Filter) error {
	head, err := o.Ledger.Head(ctx)
	if err != nil {
		return err
	}
	first := func(t time.Time) int64 {
		return int64(sort.Search(int(head.Size), func(i int) bool {
			for r, e := range o.Ledger.Read(ctx, ledger.Filter{After: int64(i), Before: int64(i) + 1}) {
				if e != nil {
					err = e
				}
				return e == nil && !r.Entry.Time.Before(t)
			}
			return false
		}))
	}
	if !f.Since.IsZero() {
		f.After = max(f.After, first(f.Since.Add(-slack)))
	}
	if !f.Until.IsZero() {
		if end := first(f.Until.Add(slack)); f.Before == 0 || end < f.Before {
			f.Before = max(end, 1) // 0 would be no bound
		}
	}
	return err
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
