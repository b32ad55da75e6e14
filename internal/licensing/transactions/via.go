package transactions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/infra/store"
)

// viaTable is the step of Schema for intermediaries: one row for each transaction whose offer was
// asked for through any, with their domains.
const viaTable = `
CREATE TABLE deal_via (
	txn {{text}} NOT NULL PRIMARY KEY,
	via TEXT NOT NULL
) {{clustered}};
`

// PutVia records through which intermediaries the offer of a transaction was asked for.
func PutVia(ctx context.Context, tx *store.Tx, transaction string, via []string) error {
	if err := tx.ExecOne(ctx, `INSERT INTO deal_via (txn, via) VALUES ($1, $2)`, transaction, strings.Join(via, " ")); err != nil {
		return fmt.Errorf("record the intermediaries of a transaction: %w", err)
	}
	return nil
}

// PassedThrough says whether the offer of a transaction was asked for through the intermediary with
// a domain.
func PassedThrough(ctx context.Context, tx *store.Tx, transaction, domain string) (bool, error) {
	var via string
	err := tx.QueryRow(ctx, `SELECT via FROM deal_via WHERE txn = $1`, transaction).Scan(&via)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find the intermediaries of a transaction: %w", err)
	}
	return slices.Contains(strings.Fields(via), domain), nil
}
