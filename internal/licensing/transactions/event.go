package transactions

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

// eventTables is the step of Schema for what happens to a transaction after its purchase: one row
// for each entry of the ledger that tells of it, since the ledger itself is not looked through by
// transaction. (Deliveries have a table of their own since.) Its index of obligations is written
// only when one ends.
const eventTables = `
CREATE TABLE deal_event (
	id    {{text}} NOT NULL,
	entry {{text}} NOT NULL,
	kind  TEXT NOT NULL,
	at    BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	PRIMARY KEY (id, entry)
) {{clustered}};
CREATE INDEX deal_transaction_ended ON deal_transaction (duty, due, id) WHERE duty >= 2;
`

// Event is a ledger entry about a transaction after its purchase.
type Event struct {
	Transaction string
	Entry       string // of the ledger
	Kind        string // of the entry
	At          time.Time
	Bytes       int64 // of a delivery
}

// PutEvent records an event that is no delivery; those have a table of their own.
func PutEvent(ctx context.Context, tx *store.Tx, e Event) error {
	err := tx.ExecOne(ctx, `INSERT INTO deal_event (id, entry, kind, at) VALUES ($1, $2, $3, $4)`, e.Transaction, e.Entry, e.Kind, store.Micros(e.At))
	if err != nil {
		return fmt.Errorf("record what befell a transaction: %w", err)
	}
	return nil
}
