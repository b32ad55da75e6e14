package ledger

import (
	"slices"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/wire/receipt"
)

// ahead is a signature that is made before it is known to be wanted: while the transaction that
// appends an entry goes on, another processor signs the tree that there will be if nothing else is
// appended before the commit. Its fields are read and written under Ledger.mu.
type ahead struct {
	expected int // how many entries came by the last commit
	appended int // and how many were appended since

	of     receipt.Checkpoint
	by     []note.Signer
	signed chan string // what is signed, or nothing where that failed
}

// signAhead begins to sign the tree with a leaf that is about to be appended, where that is likely
// to be what will be signed: where the last commit, too, came with one entry alone. A signature
// that is not wanted leaves the process no more than the entry does.
func (l *Ledger) signAhead(leaf []byte) {
	if !l.mu.TryLock() {
		return // somebody looks at the ledger; it goes without
	}
	defer l.mu.Unlock()
	if l.ahead.appended++; l.ahead.appended > 1 || l.ahead.expected != 1 || l.edge == nil || l.latest.checkpoint == "" {
		return
	}
	signers := l.signers(l.latest.origin)
	next := receipt.Checkpoint{Origin: l.latest.origin, Size: l.latest.size + 1,
		Root: l.edge.RootWith(receipt.LeafHash(leaf))}
	signed := make(chan string, 1)
	l.ahead.of, l.ahead.by, l.ahead.signed = next, signers, signed
	go func() {
		text, _ := next.Sign(signers...) // an error comes again when it counts
		signed <- text
	}()
}

// sign signs a checkpoint, or gives the signature that was made ahead. The caller holds l.mu.
func (l *Ledger) sign(next receipt.Checkpoint, signers []note.Signer) (string, error) {
	if early := l.ahead.signed; early != nil {
		l.ahead.signed = nil
		same := func(a, b note.Signer) bool { return a.KeyHash() == b.KeyHash() }
		if l.ahead.of == next && slices.EqualFunc(l.ahead.by, signers, same) {
			if text := <-early; text != "" {
				return text, nil
			}
		}
	}
	return next.Sign(signers...)
}
