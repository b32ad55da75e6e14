package aip

import (
	"context"
	"net/http"

	"frontdesk/internal/infra/fail"
)

// codeNotFound is of an entry that is not there, or concerns somebody else, which get the same
// answer.
const codeNotFound = "not_found"

// receipt gives a platform the receipt of an entry of the ledger that concerns it. The protocol
// knows no receipts: the answer names the address, and the request is signed like any other, over
// an empty body.
func (h *handler) receipt(ctx context.Context, c *call) answered {
	if f := h.open(ctx, c, http.MethodGet, "", true); f != nil {
		return h.eventError(c, h.useNonce(ctx, c, f))
	}
	if f := h.useNonce(ctx, c, nil); f != nil {
		return h.eventError(c, f)
	}
	given, err := h.Receipt(ctx, c.PathValue("id"), "platform:"+c.key.Platform)
	switch coded := fail.From(err); {
	case err == nil:
		return answered{status: http.StatusOK, body: given}
	case coded.Code == fail.NotFound:
		return h.eventError(c,
			&failure{status: http.StatusNotFound, code: codeNotFound,
				message: "The ledger has no entry of this id that concerns this platform."})
	default:
		return h.eventError(c, failed(err))
	}
}
