package intake

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	"frontdesk/wire/receipt"
)

// Erase destroys the keys of all that was submitted in a session, or of one offer, whatever its
// intake's retention says; by names who asks. It says how many submissions those were. What is on
// its way to the business is not sent any more. The error is fail.NotFound where there is none.
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
func (s *Service) revoke(
	ctx context.Context, sessionOrOffer, after string,
) (records []vault.Record, all []vault.Erasure, err error) {
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		all = nil
		if records, err = vault.ListFrom(ctx, tx, sessionOrOffer, after); err != nil {
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

// erase destroys the keys of what is to be erased, and forgets what they sealed; a ledger entry
// counts it.
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
			if err := vault.ClearErased(ctx, tx, e, says, now); err != nil {
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
