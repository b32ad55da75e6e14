package intake

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	"frontdesk/wire/receipt"
)

// How often it is looked for what is to be erased, and for keys that nothing names; and how much is erased at a time.
const (
	eraseEvery = 20 * time.Second
	vaultEvery = 24 * time.Hour
	eraseBatch = 200
)

// eraseSoon has KeepRetention look at once.
func (s *Service) eraseSoon() {
	select {
	case s.erasing <- struct{}{}:
	default:
	}
}

// KeepRetention erases what submissions and binds hold when it is time, until ctx ends. Of several processes one does so;
// when it is gone, another goes on within minutes.
func (s *Service) KeepRetention(ctx context.Context) {
	if err := s.checkVault(ctx); err != nil && ctx.Err() == nil {
		s.deps.Log.Error("the vault may be another than the one that belongs to this database", "error", err)
	}
	holder := rand.Text()
	tick := time.NewTicker(eraseEvery)
	defer tick.Stop()
	var swept time.Time
	for ctx.Err() == nil {
		err := s.keepOnce(ctx, holder, &swept)
		if err != nil && ctx.Err() == nil {
			s.deps.Log.Error("what is due to be erased could not all be erased; that is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-s.erasing:
		}
	}
	_ = s.deps.DB.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error { // if not, the lease ends by itself
		return vault.Release(context.WithoutCancel(ctx), tx, holder)
	})
}

// checkVault says when none of what was submitted last can be opened though it is not erased.
func (s *Service) checkVault(ctx context.Context) error {
	var ids []string
	err := s.deps.DB.View(ctx, func(tx *store.Tx) error {
		ids = nil
		all, err := vault.List(ctx, tx, vault.Filter{Limit: 50}, s.deps.Now())
		for _, l := range all {
			if l.OfferKey != "" {
				ids = append(ids, l.OfferKey)
			}
		}
		return err
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	keys, err := s.deps.Vault.Keys(ctx, ids...)
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("none of the keys of the latest %d submissions is in it: what they hold cannot be read, and offers that were accepted are not delivered; put the vault back, or name it with intakes.vault", len(ids))
	}
	return err
}

// keepOnce erases what is due, if there is anything and this process has the lease.
func (s *Service) keepOnce(ctx context.Context, holder string, swept *time.Time) error {
	now, due := s.deps.Now(), false
	err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) { // a look comes first: it holds up no writer
		due, err = vault.AnyRipe(ctx, tx, now)
		return err
	})
	sweep := now.Sub(*swept) >= vaultEvery || now.Before(*swept)
	if err != nil || !due && !sweep {
		return err
	}
	ours := false
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		ours, err = vault.Claim(ctx, tx, holder, now)
		return err
	})
	if err != nil || !ours {
		return err
	}
	if err := s.EraseDue(ctx); err != nil || !sweep {
		return err
	}
	*swept = now
	return s.sweepVault(ctx)
}

// sweepVault destroys keys that nothing has named for a week: those that a process had ready when it ended.
func (s *Service) sweepVault(ctx context.Context) error {
	named, err := vault.Named(ctx, s.deps.DB)
	if err != nil {
		return err
	}
	return s.deps.Vault.Sweep(ctx, named)
}

// EraseDue erases all that is due by now, as the retention of the intakes says (Agent Intake Protocol 0.1.0,
// privacy.data_retention). It can be broken off at any time, and called again.
func (s *Service) EraseDue(ctx context.Context) error {
	for {
		var ripe []vault.Erasure
		err := s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
			ripe, err = vault.Ripe(ctx, tx, s.deps.Now(), eraseBatch)
			return err
		})
		if err != nil || len(ripe) == 0 {
			return err
		}
		if err := s.erase(ctx, ripe, eraseBody{Reason: "retention"}, receipt.Entry{}); err != nil {
			return err
		}
	}
}

// erase destroys the keys of what is to be erased, and forgets what they sealed; a ledger entry counts it.
func (s *Service) erase(ctx context.Context, all []vault.Erasure, body eraseBody, entry receipt.Entry) error {
	var keys []string
	for _, e := range all {
		keys = append(keys, e.Keys()...)
		if e.Data {
			body.Inputs++
		}
		if e.Offer {
			body.Offers++
		}
		if e.Bind {
			body.Binds++
		}
	}
	if err := s.deps.Fault("erase"); err != nil {
		return err
	}
	if len(keys) > 0 {
		if err := s.deps.Vault.Destroy(ctx, keys...); err != nil {
			return err
		}
	}
	if err := s.deps.Fault("erase destroyed"); err != nil {
		return err
	}
	text, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write an entry's body: %w", err)
	}
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		var id string
		if len(keys) > 0 || body.By != "" { // not for rows of which nothing was left
			entry := entry
			entry.Time, entry.Kind, entry.Body = now, kindErase, text
			var err error
			if id, err = s.deps.Ledger.Append(ctx, tx, entry); err != nil {
				return err
			}
		}
		for _, e := range all {
			says := id
			if len(e.Keys()) == 0 && body.By == "" {
				says = "" // of this one nothing
			}
			if err := vault.Forget(ctx, tx, e, says, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.deps.Fault("erase done")
	}
	return err
}

// Erase destroys the keys of all that was submitted in a session, or of one offer, whatever its intake's retention says;
// by names who asks. It says how many submissions those were. What is on its way to the business is not sent any more. The
// error is fail.NotFound where there is none.
func (s *Service) Erase(ctx context.Context, sessionOrOffer, by string) (n int, err error) {
	for known, last := false, ""; ; known = true {
		records, all, err := s.revoke(ctx, sessionOrOffer, last)
		switch {
		case err != nil:
			return n, err
		case len(records) == 0 && !known:
			return 0, unknownSession(sessionOrOffer)
		case len(records) == 0:
			return n, nil
		}
		last = records[len(records)-1].ID
		if len(all) == 0 {
			continue // it was erased before
		}
		entry := receipt.Entry{Request: records[0].Session}
		if records[0].Offer == strings.ToLower(sessionOrOffer) {
			entry.Subject = records[0].Offer
		}
		if err := s.erase(ctx, all, eraseBody{Reason: "asked", By: by}, entry); err != nil {
			return n, err
		}
		n += len(all)
	}
}

func unknownSession(sessionOrOffer string) error {
	return fail.New(fail.NotFound, "nothing is known of a session or offer %q", fail.Clip(sessionOrOffer))
}

// revoke decides to erase some submissions of a session, or of one offer, from after an id on.
func (s *Service) revoke(ctx context.Context, sessionOrOffer, after string) (records []vault.Record, all []vault.Erasure, err error) {
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		all = nil
		if records, err = vault.Of(ctx, tx, sessionOrOffer, after); err != nil {
			return err
		}
		for _, r := range records {
			e, err := vault.Revoke(ctx, tx, r, s.deps.Now().UTC())
			if err != nil {
				return err
			}
			if r.State != vault.Erased || len(e.Keys()) > 0 {
				all = append(all, e)
			}
		}
		return nil
	})
	return records, all, err
}
