// Package counts counts what is bought under delegation tokens (RAMP v1, Delegation): the amount
// spent and the number of purchases under each block of a token that sets a cap.
//
// # Whose counter
//
// A block is counted under its revocation id. Every token that is attenuated from another carries
// that token's blocks with their signatures. A purchase is therefore counted against each block
// with a cap: attenuating a token again, sealing it or sharing it gives nobody more. Two tokens
// attenuated from one have caps of their own, and share the cap of the one.
//
// The package owns the counters. It must not read tokens, which is done by identity/requesters, and
// it knows no clock: callers pass the time. Times are microseconds, amounts are units of 1e-8 of a
// currency. Enter by [Read], in the transaction of the purchase.
//
//	delegation_count   what was counted under a block since its period began
//	delegation_use     what each purchase was counted as, so that it can be refunded
package counts

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package. id is the SHA-256 of a block's revocation id, round how
// often its period began anew, and ends when nothing can be bought under the block any more and it
// is forgotten: 0 for never.
var Schema = store.Schema{
	ID: "delegation",
	Steps: []string{`
CREATE TABLE delegation_count (
	id       {{bytes}} NOT NULL PRIMARY KEY,
	spent    BIGINT NOT NULL CHECK (spent >= 0),
	accesses BIGINT NOT NULL CHECK (accesses >= 0),
	currency TEXT NOT NULL,
	begins   BIGINT NOT NULL,
	round    BIGINT NOT NULL,
	ends     BIGINT NOT NULL
) {{clustered}};
CREATE INDEX delegation_count_ends ON delegation_count (ends) WHERE ends > 0;
CREATE TABLE delegation_use (
	purchase {{text}} NOT NULL,
	id       {{bytes}} NOT NULL,
	round    BIGINT NOT NULL,
	spent    BIGINT NOT NULL CHECK (spent >= 0),
	ends     BIGINT NOT NULL,
	PRIMARY KEY (purchase, id)
) {{clustered}};
CREATE INDEX delegation_use_ends ON delegation_use (ends) WHERE ends > 0;
`},
}

// NoCap is a cap that a block does not set.
const NoCap = -1

// Cap is what a block allows to be bought in each period. NoCap in a field is no cap.
type Cap struct {
	Block    []byte    // its revocation id
	Spend    int64     // None for no cap
	Accesses int64     // None for no cap
	Expires  time.Time // when the block is over; zero for never
}

// Lock is the name of what is counted under a block, for [store.DB.UpdateBatched].
func Lock(block []byte) string { return "delegation " + string(block) }

// Counts are the counters of a token's caps at one time, in one transaction.
type Counts struct {
	all []count
	now time.Time
}

// count is a row of delegation_count.
type count struct {
	cap             Cap
	id              []byte
	spent, accesses int64
	currency        string // in which spent is; empty while nothing is
	begins          time.Time
	round           int64
}

// Read gives the counters of caps as they are now: those whose period is over begin anew. A period
// of 0 is the whole life of the token.
func Read(ctx context.Context, tx *store.Tx, caps []Cap, period time.Duration, now time.Time) (*Counts, error) {
	c := &Counts{now: now}
	for _, of := range caps {
		sum := sha256.Sum256(of.Block)
		one, err := find(ctx, tx, sum[:])
		if err != nil {
			return nil, err
		}
		one.cap = of
		switch {
		case one.begins.IsZero():
			one.begins = now
		case period > 0 && now.Sub(one.begins) >= period:
			one.begins = one.begins.Add(now.Sub(one.begins) / period * period)
			one.round++
			one.spent, one.accesses = 0, 0
		}
		if one.spent == 0 {
			one.currency = ""
		}
		c.all = append(c.all, one)
	}
	return c, nil
}

func find(ctx context.Context, tx *store.Tx, id []byte) (count, error) {
	one := count{id: id}
	err := tx.Each(ctx, `SELECT spent, accesses, currency, begins, round FROM delegation_count WHERE id = $1`,
		func(row store.Scanner) error {
			return row.Scan(&one.spent, &one.accesses, &one.currency, &one.begins, &one.round)
		}, id)
	if err != nil {
		return one, fmt.Errorf("read what was bought under a delegation: %w", err)
	}
	return one, nil
}

// Allows reports whether every cap permits one more purchase of an amount.
func (c *Counts) Allows(amount int64, currency string) bool {
	for _, one := range c.all {
		if one.cap.Accesses != NoCap && one.accesses >= one.cap.Accesses {
			return false
		}
		if one.cap.Spend == NoCap || amount == 0 {
			continue
		}
		if amount < 0 || amount > one.cap.Spend-one.spent || one.currency != "" && one.currency != currency {
			return false
		}
	}
	return true
}

// Bounded says whether one of the caps is of what is spent.
func (c *Counts) Bounded() bool {
	for _, one := range c.all {
		if one.cap.Spend != NoCap {
			return true
		}
	}
	return false
}

// Count adds a purchase, which Allows must have permitted. A purchase is counted once.
func (c *Counts) Count(ctx context.Context, tx *store.Tx, purchase string, amount int64, currency string) error {
	for i := range c.all {
		one := &c.all[i]
		spent := int64(0)
		if one.cap.Spend != NoCap {
			spent = amount
		}
		if one.accesses++; spent > 0 {
			one.spent, one.currency = one.spent+spent, currency
		}
		ends := store.Micros(one.cap.Expires)
		if err := tx.ExecOne(ctx, `INSERT INTO delegation_count (id, spent, accesses, currency, begins, round, ends) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (id) DO UPDATE SET spent = excluded.spent, accesses = excluded.accesses, currency = excluded.currency, begins = excluded.begins, round = excluded.round, ends = excluded.ends`,
			one.id, one.spent, one.accesses, one.currency, store.Micros(one.begins), one.round, ends); err != nil {
			return fmt.Errorf("count a purchase under a delegation: %w", err)
		}
		if err := tx.ExecOne(ctx, `INSERT INTO delegation_use (purchase, id, round, spent, ends) VALUES ($1, $2, $3, $4, $5)`,
			purchase, one.id, one.round, spent, ends); err != nil {
			return fmt.Errorf("keep what a purchase counts under a delegation: %w", err)
		}
	}
	return nil
}

// Refund subtracts a purchase from the counters of periods that are still running.
func Refund(ctx context.Context, tx *store.Tx, purchase string) error {
	type use struct {
		id           []byte
		round, spent int64
	}
	uses, err := store.All(ctx, tx, `SELECT id, round, spent FROM delegation_use WHERE purchase = $1 ORDER BY id`,
		func(row store.Scanner) (u use, err error) {
			err = row.Scan(&u.id, &u.round, &u.spent)
			return u, err
		}, purchase)
	if err != nil {
		return fmt.Errorf("read what a purchase counts under a delegation: %w", err)
	}
	if len(uses) == 0 {
		return nil
	}
	for _, u := range uses {
		if _, err := tx.Exec(ctx, `UPDATE delegation_count SET spent = spent - $1, accesses = accesses - 1 WHERE id = $2 AND round = $3`, u.spent, u.id, u.round); err != nil {
			return fmt.Errorf("give back what a purchase counts under a delegation: %w", err)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM delegation_use WHERE purchase = $1`, purchase); err != nil {
		return fmt.Errorf("forget what a purchase counts under a delegation: %w", err)
	}
	return nil
}

// Forget forgets what was counted under blocks that ended before a time, up to so many rows of each
// table, and says how many those were in the larger part.
func Forget(ctx context.Context, tx *store.Tx, before time.Time, most int) (int, error) {
	uses, err := tx.Exec(ctx, `DELETE FROM delegation_use WHERE (purchase, id) IN (SELECT purchase, id FROM delegation_use WHERE ends > 0 AND ends < $1 ORDER BY ends LIMIT $2)`, store.Micros(before), most)
	if err != nil {
		return 0, fmt.Errorf("forget purchases under delegations: %w", err)
	}
	counts, err := tx.Exec(ctx, `DELETE FROM delegation_count WHERE id IN (SELECT id FROM delegation_count WHERE ends > 0 AND ends < $1 ORDER BY ends LIMIT $2)`, store.Micros(before), most)
	if err != nil {
		return 0, fmt.Errorf("forget what was bought under delegations: %w", err)
	}
	return int(max(uses, counts)), nil
}
