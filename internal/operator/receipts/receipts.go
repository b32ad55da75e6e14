// Package receipts has the operations on what the ledger has: to share a receipt of the owner's
// own, and to verify the whole. Packages ledger and ledger/sharing do it.
package receipts

import (
	"context"
	"time"

	"frontdesk/internal/ledger"
	"frontdesk/internal/operator"
)

// Operations are all of this package.
var Operations = []operator.Operation{
	operator.Define[ShareReceipt]("shareReceipt", "POST", "/admin/receipts/{id}/share",
		"Make a link to a receipt of the owner's own, for whoever has it"),
	operator.Define[VerifyLedger]("verifyLedger", "POST", "/admin/receipts/verify",
		"Verify every entry of the ledger against what was signed"),
	operator.Define[VerifiedLedger]("verifiedLedger", "GET", "/admin/receipts/verify",
		"Read how the whole ledger was verified last"),
}

// ShareReceipt makes a link to a receipt.
type ShareReceipt struct {
	ID string `json:"-" path:"id" arg:"" help:"The id of an entry of the ledger on nobody but the owner."`
}

// SharedReceipt is a link, below the address of the front desk.
type SharedReceipt struct {
	Path string `json:"path" column:"1:LINK"`
}

func (in ShareReceipt) Do(ctx context.Context, o *operator.Operator) (out SharedReceipt, err error) {
	out.Path, err = o.Sharing.Path(ctx, in.ID)
	return out, err
}

// VerifyLedger verifies the whole ledger. A large one goes on being verified after the answer.
type VerifyLedger struct{}

// Bodiless says that a request need not say anything.
func (VerifyLedger) Bodiless() {}

// Verification is how the whole ledger was verified last.
type Verification struct {
	Running operator.Instant `json:"running_since,omitzero"`
	Failed  bool             `json:"failed,omitempty"` // the last time did not come to its end; the log says why
	Ended   operator.Instant `json:"ended,omitzero"`   // when the last time came to its end
	By      string           `json:"by,omitempty"`
	Sound   bool             `json:"sound"` // all was as it was signed, the last time
	Entries int64            `json:"entries"`
	Tiles   int64            `json:"tiles"`
	// Findings are what was not as it was signed, the last time.
	Findings []ledger.Finding `json:"findings"`
}

// atOnce is how long an answer waits for the end.
const atOnce = 4 * time.Second

func (VerifyLedger) Do(ctx context.Context, o *operator.Operator) (Verification, error) {
	ctx, cancel := context.WithTimeout(ctx, atOnce)
	defer cancel()
	return verification(o.Ledger.Verify(ctx, operator.Actor(ctx)))
}

// VerifiedLedger tells how the ledger was verified last.
type VerifiedLedger struct{}

func (VerifiedLedger) Do(ctx context.Context, o *operator.Operator) (Verification, error) {
	return verification(o.Ledger.Verified(ctx))
}

func verification(v ledger.Verified, err error) (Verification, error) {
	return Verification{
		Running: operator.Instant{Time: v.Running}, Failed: v.Failed, Ended: operator.Instant{Time: v.Ended}, By: v.By,
		Sound: v.Sound(), Entries: v.Report.Entries, Tiles: v.Report.Tiles,
		Findings: append([]ledger.Finding{}, v.Report.Findings...),
	}, err
}
