package server

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"iter"
	"net/http"
	"sort"
	"time"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console"
)

// Logins are the sessions of people at the owner's console.
func (h *House) Logins() *identity.Logins { return identity.NewLogins(h.db, h.Keys, h.now) }

// wrongTokens is how many wrong tokens for the console may come from one address.
var wrongTokens = ratelimit.Rate{Requests: 10, Per: time.Minute, Burst: 10}

// ownerRoutes serve the owner's pages.
func (s *Server) ownerRoutes() []apphttp.Route {
	if !s.config.Console.Owner.Enabled || s.gate == nil {
		return nil
	}
	wrong := ratelimit.New(ratelimit.Options{Now: s.options.Now}).Meter("console", wrongTokens)
	config := console.OwnerConfig{
		Title: s.title(), PublicURL: s.outside.PublicURL, Now: s.now, Session: s.config.Console.Owner.Session, Logins: s.Logins(),
		Suspect: func(r *http.Request) error {
			if wrong.Allow(r.Context(), ratelimit.Network(s.outside.Client(r)), 0).Remaining < 1 {
				return fail.New(fail.Limited, "too many wrong tokens came from your address")
			}
			return nil
		},
		Failed: func(r *http.Request) {
			wrong.Allow(r.Context(), ratelimit.Network(s.outside.Client(r)), 1)
			httpx.EventFrom(r.Context()).Set("console", "wrong token")
		},
		Note: func(r *http.Request, in identity.Login, what string) {
			httpx.EventFrom(r.Context()).Set("console", what)
			s.log.InfoContext(r.Context(), "console", "token", in.Key, "role", in.Role, "did", what)
		},
		Head: s.Ledger.Head, Entries: s.entries, Receipt: s.Ledger.Receipt, Keys: s.LedgerKeys,
		Refused: s.refused, Tallies: s.tallies, Platforms: s.Platforms.List, SetStatus: s.setStatus, Warnings: s.stale.tell,
	}
	config.Inbox, config.Sales = s.inbox(), s.sales()
	handler := console.Owner(config)
	return []apphttp.Route{
		{Pattern: "/console", Name: console.OwnerPath, Handler: handler},
		{Pattern: console.OwnerPath, Name: console.OwnerPath, Handler: handler},
	}
}

// slack is how much earlier or later an entry may stand in the ledger than by its time.
const slack = time.Hour

// entries is ledger.Read for a filter that may name a time: the entries of that time are looked for where they stand, since
// entries are in the order of their times but for a moment.
func (s *Server) entries(ctx context.Context, f ledger.Filter) iter.Seq2[ledger.Record, error] {
	return func(yield func(ledger.Record, error) bool) {
		if !f.Since.IsZero() || !f.Until.IsZero() {
			if err := s.narrow(ctx, &f); err != nil {
				yield(ledger.Record{}, err)
				return
			}
		}
		for r, err := range s.Ledger.Read(ctx, f) {
			if !yield(r, err) {
				return
			}
		}
	}
}

// narrow sets the places between which the times of a filter lie.
func (s *Server) narrow(ctx context.Context, f *ledger.Filter) error {
	head, err := s.Ledger.Head(ctx)
	if err != nil {
		return err
	}
	first := func(t time.Time) int64 {
		return int64(sort.Search(int(head.Size), func(i int) bool {
			for r, e := range s.Ledger.Read(ctx, ledger.Filter{After: int64(i), Before: int64(i) + 1}) {
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
func (s *Server) refused(ctx context.Context, w grants.RefusalFilter) (all []grants.Request, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		all, err = grants.ListRefused(ctx, tx, w)
		return err
	})
	return all, err
}

// tallies counts what platforms did.
func (s *Server) tallies(ctx context.Context, since time.Time) (all []grants.DayCount, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		all, err = grants.CountByDay(ctx, tx, since)
		return err
	})
	return all, err
}

// setStatus suspends or resumes a platform's key for an operator, whom the ledger names by the id of the token.
func (s *Server) setStatus(ctx context.Context, by identity.Login, id, status string) error {
	_, err := s.Platforms.SetStatus(operator.WithActor(ctx, "key:"+by.Key), id, status)
	return err
}
