package receipt

import (
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/wire/strictjson"
)

// Receipt shows that an entry stands in a ledger: who has the ledger's public key needs nothing
// else to check it.
type Receipt struct {
	Entry      Entry
	Index      int64  // the entry's place, from 0
	Proof      []Hash // the hashes beside the path from the entry up to the root, the lowest first
	Checkpoint string // the signed checkpoint with that root
}

// receiptJSON is a receipt as it is written.
type receiptJSON struct {
	Entry      strictjson.Value `json:"entry"`
	Index      int64            `json:"index"`
	Proof      []string         `json:"proof"`
	Checkpoint string           `json:"checkpoint"`
}

// maxProof is how many hashes a proof has at most.
const maxProof = 64

// MarshalJSON writes a receipt: {"entry":{...},"index":17,"proof":["HASH",...],"checkpoint":"..."},
// with hashes in base64.
func (r Receipt) MarshalJSON() ([]byte, error) {
	leaf, err := r.Entry.Leaf()
	if err != nil {
		return nil, err
	}
	raw := receiptJSON{Entry: leaf, Index: r.Index, Proof: make([]string, len(r.Proof)), Checkpoint: r.Checkpoint}
	for i, hash := range r.Proof {
		raw.Proof[i] = hash.String()
	}
	return json.Marshal(raw)
}

// Parse reads a receipt, and refuses what is not one. It says nothing of whether it is true: see
// Verify.
func Parse(text []byte) (Receipt, error) {
	var raw receiptJSON
	if err := strictjson.Decode(text, &raw); err != nil {
		return Receipt{}, fmt.Errorf("this is no receipt: %w", err)
	}
	switch {
	case len(raw.Entry) == 0 || raw.Checkpoint == "":
		return Receipt{}, errors.New("this is no receipt: it needs an entry, an index, a proof and a checkpoint")
	case raw.Index < 0 || len(raw.Proof) > maxProof:
		return Receipt{}, errors.New("this is no receipt: no ledger has so many entries")
	}
	entry, err := ParseEntry(raw.Entry)
	if err != nil {
		return Receipt{}, fmt.Errorf("the entry of the receipt: %w", err)
	}
	r := Receipt{Entry: entry, Index: raw.Index, Proof: make([]Hash, len(raw.Proof)), Checkpoint: raw.Checkpoint}
	for i, text := range raw.Proof {
		if r.Proof[i], err = ParseHash(text); err != nil {
			return Receipt{}, fmt.Errorf("the proof of the receipt: %w", err)
		}
	}
	return r, nil
}

// UnmarshalJSON is Parse.
func (r *Receipt) UnmarshalJSON(text []byte) (err error) {
	*r, err = Parse(text)
	return err
}

// Verify checks that the receipt is true: that one of the keys has signed its checkpoint, and that
// the entry stands in the ledger of that checkpoint at its index. It gives the checkpoint; the
// error says which part does not hold.
func Verify(r Receipt, keys Keys) (Checkpoint, error) {
	c, err := OpenCheckpoint(r.Checkpoint, keys)
	if err != nil {
		return c, err
	}
	leaf, err := r.Entry.Leaf()
	if err != nil {
		return c, fmt.Errorf("the entry of the receipt: %w", err)
	}
	if r.Index < 0 || r.Index >= c.Size {
		return c, fmt.Errorf("the receipt is for entry %d, and its checkpoint for %d entries", r.Index, c.Size)
	}
	if tlog.CheckRecord(r.Proof, c.Size, c.Root, r.Index, LeafHash(leaf)) != nil {
		return c,
			fmt.Errorf("the entry was changed, or its index or proof was: they do not lead to the ledger that the "+
				"checkpoint signs (%d entries)", c.Size)
	}
	return c, nil
}
