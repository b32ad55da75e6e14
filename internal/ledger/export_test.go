package ledger

import (
	"context"

	"frontdesk/internal/infra/store"
	"frontdesk/wire/receipt"
)

// Prove makes the proof of an entry that need not be there: a benchmark has only its hash.
func (l *Ledger) Prove(ctx context.Context, index int64, leaf receipt.Hash) (proof []receipt.Hash, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		h, err := readHead(ctx, tx)
		if err != nil {
			return err
		}
		proof, err = prove(ctx, tx, h, index, leaf)
		return err
	})
	return proof, err
}

// SetFault has something befall the steps of the sequencer.
func (l *Ledger) SetFault(fault func(step string) error) { l.fault = fault }

// SequenceNow gives places to all entries that wait, and says why not.
func (l *Ledger) SequenceNow(ctx context.Context) error { return l.sequenceNow(ctx) }
