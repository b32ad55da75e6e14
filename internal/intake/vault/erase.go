package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"frontdesk/internal/infra/store"
)

// Erasing goes in three steps, of which each can be broken off: it is decided and noted what is
// erased, so that nobody builds on it any more; the keys are destroyed; and what they sealed is
// forgotten. Whoever comes next goes on with what is named still.

// Erasure is what is erased of a submission.
type Erasure struct {
	Due
	record Record
	bind   *Bind
}

// Keys are the ids of the keys that are destroyed.
func (e Erasure) Keys() (ids []string) {
	if e.Data {
		ids = append(ids, e.record.DataKey)
	}
	if e.Offer {
		ids = append(ids, e.record.OfferKey)
	}
	if e.Bind {
		ids = append(ids, e.bind.Key)
	}
	return ids
}

// AnyDue says whether anything is due to be erased.
func AnyDue(ctx context.Context, tx *store.Tx, now time.Time) (bool, error) {
	var one int
	err := tx.QueryRow(ctx, `SELECT 1 FROM submission_record WHERE sweep <= $1 LIMIT 1`, store.Micros(now)).Scan(&one)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, fmt.Errorf("look for what is due to be erased: %w", err)
	}
	return err == nil, nil
}

// DecideDue decides what of submissions is erased by now, up to a number of them, and notes what
// has expired.
func DecideDue(ctx context.Context, tx *store.Tx, now time.Time, limit int) (all []Erasure, err error) {
	ripe, err := records(ctx, tx, `SELECT `+recordColumns+` FROM submission_record WHERE sweep <= $1 ORDER BY sweep LIMIT $2`,
		store.Micros(now), limit)
	if err != nil {
		return nil, err
	}
	for _, r := range ripe {
		e := Erasure{record: r}
		if b, bound, err := FindBind(ctx, tx, r.Offer); err != nil {
			return nil, err
		} else if bound {
			e.bind = &b
		}
		if e.Due, _ = due(r, e.bind, now); e.Expire {
			e.record.State = Expired
			if err := Update(ctx, tx, e.record, now); err != nil {
				return nil, err
			}
		}
		all = append(all, e)
	}
	return all, nil
}

// Revoke decides to erase all of a submission, on somebody's demand; of one that was erased before
// nothing is left to do.
func Revoke(ctx context.Context, tx *store.Tx, r Record, now time.Time) (Erasure, error) {
	e := Erasure{record: r}
	b, bound, err := FindBind(ctx, tx, r.Offer)
	if err != nil {
		return e, err
	}
	if bound {
		e.bind = &b
	}
	e.Due = Due{Data: r.DataKey != "", Offer: r.OfferKey != "", Bind: bound && b.Key != ""}
	e.record.State, e.record.Agent, e.record.Platform = Erased, "", ""
	return e, Update(ctx, tx, e.record, now)
}

// ClearErased deletes what was sealed under destroyed keys. entry is the id of the ledger entry
// about the erasure, empty for none.
func ClearErased(ctx context.Context, tx *store.Tx, e Erasure, entry string, now time.Time) error {
	if e.Row {
		return remove(ctx, tx, e.record)
	}
	r, known, err := Find(ctx, tx, e.record.ID) // which may have been bound since
	if err != nil || !known {
		return err
	}
	if e.Data {
		r.DataKey, r.Data = "", nil
	}
	if e.Offer {
		r.OfferKey, r.Digest, r.Answer = "", nil, nil
	}
	if e.Bind {
		if err := forgetBind(ctx, tx, r.Offer); err != nil {
			return err
		}
	}
	if entry != "" {
		r.Erasures = append(r.Erasures, entry)
	}
	return Update(ctx, tx, r, now)
}

// lease is how long whoever erases may be silent before another may take over.
const lease = 5 * time.Minute

// ClaimLease takes or renews the lease for erasing what is due, and says whether holder has it.
func ClaimLease(ctx context.Context, tx *store.Tx, holder string, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `INSERT INTO submission_work (name, holder, lease) VALUES ('erase', $1, $2) ON CONFLICT (name) DO UPDATE SET holder = $1, lease = $2
		WHERE submission_work.holder = $1 OR submission_work.lease <= $3 OR submission_work.lease > $4`,
		// a lease of the far future is from before the clock was set back
		holder, store.Micros(now.Add(lease)), store.Micros(now), store.Micros(now.Add(2*lease)))
	if err != nil {
		return false, fmt.Errorf("claim the erasing of what is due: %w", err)
	}
	return n > 0, nil
}

// ReleaseLease ends the holder's lease, if it has it.
func ReleaseLease(ctx context.Context, tx *store.Tx, holder string) error {
	if _, err := tx.Exec(ctx, `UPDATE submission_work SET lease = 0 WHERE name = 'erase' AND holder = $1`, holder); err != nil {
		return fmt.Errorf("release the erasing of what is due: %w", err)
	}
	return nil
}

// FindNamedKeys finds all keys that something names, and gives what says so of a key. It may say it
// of one that nothing names, very rarely.
func FindNamedKeys(ctx context.Context, db *store.DB) (func(id string) bool, error) {
	seed := maphash.MakeSeed()
	var hashes []uint64
	err := db.View(ctx, func(tx *store.Tx) error {
		hashes = hashes[:0]
		return tx.Each(ctx, `SELECT data_key, offer_key FROM submission_record WHERE data_key <> '' OR offer_key <> ''
			UNION ALL SELECT key, '' FROM submission_bind WHERE key <> ''`, func(row store.Scanner) error {
			var a, b string
			if err := row.Scan(&a, &b); err != nil {
				return err
			}
			for _, id := range []string{a, b} {
				if id != "" {
					hashes = append(hashes, maphash.String(seed, id))
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("look for the keys that are in use: %w", err)
	}
	slices.Sort(hashes)
	return func(id string) bool {
		_, found := slices.BinarySearch(hashes, maphash.String(seed, id))
		return found
	}, nil
}
