package transactions

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

// disputeTables is the step of Schema for what disputes are decided by, and what they change: one
// row for each fetch that was refused though its address was signed, up to mostRefusals of a
// transaction, and the dispute by which a transaction was given back.
const disputeTables = `
CREATE TABLE deal_refusal (
	txn     {{text}} NOT NULL,
	n       BIGINT NOT NULL,
	at      BIGINT NOT NULL,
	status  BIGINT NOT NULL,
	expired BIGINT NOT NULL,
	PRIMARY KEY (txn, n)
) {{clustered}};
ALTER TABLE deal_transaction ADD COLUMN disputed {{text}} NOT NULL DEFAULT '';
`

// maxRefusals is how many refusals of a transaction are kept: the first, which were before anybody
// disputed.
const maxRefusals = 20

// Refusal is a fetch at a signed address that was answered with an error.
type Refusal struct {
	Transaction string
	N           int // from 1
	At          time.Time
	Status      int  // of HTTP
	Expired     bool // since the address had expired
}

// PutRefusal records a refusal, unless as many are on record as are kept.
func PutRefusal(ctx context.Context, tx *store.Tx, r Refusal) error {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM deal_refusal WHERE txn = $1`, r.Transaction).Scan(&n)
	if err == nil && n < maxRefusals {
		_, err = tx.Exec(ctx, `INSERT INTO deal_refusal (txn, n, at, status, expired) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (txn, n) DO NOTHING`,
			r.Transaction, n+1, store.Micros(r.At), r.Status, store.Flag(r.Expired))
	}
	if err != nil {
		return fmt.Errorf("record a fetch that was refused: %w", err)
	}
	return nil
}

// Refusals gives the refusals of a transaction, the oldest first.
func Refusals(ctx context.Context, tx *store.Tx, transaction string) (all []Refusal, err error) {
	all, err = store.All(ctx, tx, `SELECT n, at, status, expired FROM deal_refusal WHERE txn = $1 ORDER BY n`,
		func(row store.Scanner) (Refusal, error) {
			r := Refusal{Transaction: transaction}
			err := row.Scan(&r.N, &r.At, &r.Status, &r.Expired)
			return r, err
		}, transaction)
	if err != nil {
		return nil, fmt.Errorf("read fetches that were refused: %w", err)
	}
	return all, nil
}
