package operator

import "context"

var sharingOperations = []Operation{
	Define[ShareReceipt]("shareReceipt", "POST", "/admin/receipts/{id}/share",
		"Make a link to a receipt of the owner's own, for whoever has it"),
}

// ShareReceipt makes a link to a receipt.
type ShareReceipt struct {
	ID string `json:"-" path:"id" arg:"" help:"The id of an entry of the ledger on nobody but the owner."`
}

// SharedReceipt is a link, below the address of the front desk.
type SharedReceipt struct {
	Path string `json:"path" column:"1:LINK"`
}

func (in ShareReceipt) Do(ctx context.Context, o *Operator) (out SharedReceipt, err error) {
	out.Path, err = o.Sharing.Path(ctx, in.ID)
	return out, err
}
