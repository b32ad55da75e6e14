package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/receipt"
)

// receiptExtension is the member of an answer's extensions in which a front desk says where its
// receipt is.
const receiptExtension = "frontdesk.receipt"

// ReceiptURL is where the receipt of the passages is, if the publisher gives receipts; empty if
// not.
func (s *Passages) ReceiptURL() (address string) {
	if json.Unmarshal(s.Answer.Extensions[receiptExtension], &address) != nil {
		return ""
	}
	return address
}

// Receipt gets the receipt at an address, which must be the publisher's: that it gave passages, in
// a ledger that it cannot change later. Keep it with the publisher's public keys
// (/.well-known/jwks.json), and [receipt.Verify] says years later whether it is true; this does not
// look at it. Errors are of the types Failed, Invalid, Broken and Unreachable, ErrForged, or the
// context's. A receipt that is not there yet is waited for.
func (p *Publisher) Receipt(ctx context.Context, address string) (receipt.Receipt, error) {
	to, err := url.Parse(address)
	if err != nil || to.Host == "" {
		return receipt.Receipt{}, fmt.Errorf("%q is no address of a receipt; it stands in the extensions of an answer",
			address)
	}
	e := p.declaration.Endpoints
	if e == nil || e.Retrieve == nil {
		return receipt.Receipt{},
			errors.New("the declaration names no address of the publisher to which a receipt could belong")
	}
	if own, err := url.Parse(e.Retrieve.URL); err != nil || own.Host != to.Host || own.Scheme != to.Scheme {
		return receipt.Receipt{}, fmt.Errorf("%s is not at the publisher, whom alone a signature is for", address)
	}
	got, err := p.signed(ctx, http.MethodGet, address, nil)
	if err != nil {
		return receipt.Receipt{}, err
	}
	if got.status != http.StatusOK {
		if failure := got.failure(); failure != nil {
			return receipt.Receipt{}, failure
		}
		return receipt.Receipt{}, &Invalid{address, got.status,
			oneFinding(fmt.Sprintf("a receipt is answered %d %s", got.status, http.StatusText(got.status)),
				"answer 200 and the receipt"), got.body}
	}
	r, err := receipt.Parse(got.body)
	if err != nil {
		return r, &Invalid{URL: address, Status: got.status,
			Findings: oneFinding(err.Error(), "ask the publisher for a receipt as its ledger gives it"), Raw: got.body}
	}
	return r, nil
}
