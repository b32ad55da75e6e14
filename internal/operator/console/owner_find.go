package console

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/operator/console/frame"
)

// finders find what the pages of this package list. Of what is switched off there is no page, and
// its finder is never asked.
func (o *owner) finders() []frame.Finder {
	return []frame.Finder{
		{Path: "receipts", Find: o.findReceipt},
		{Path: "inbox", Find: o.findSubmission},
		{Path: "sales", Kind: "buyer", Find: o.findBuyers},
		{Path: "sales", Kind: "account", Find: o.findAccounts},
		{Path: "sales", Kind: "purchase", Find: o.findPurchase},
		{Path: "sales", Kind: "offer", Find: o.findOffer},
		{Path: "sales", Kind: "delivery", Find: o.findDelivery},
		{Path: "sales", Kind: "dispute", Find: o.findDispute},
	}
}

// none is the error of a look-up where what is not there is none.
func none(err error) error {
	if err != nil && fail.From(err).Code == fail.NotFound {
		return nil
	}
	return err
}

// findReceipt finds an entry of the ledger by its number, or its id. The id of a submission means
// that, more than the entry by which it was taken in.
func (o *owner) findReceipt(ctx context.Context, text string) (all []frame.Found, err error) {
	if at, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 10, 62); err == nil {
		for record, err := range o.config.Entries(ctx,
			ledger.Filter{After: int64(at), Before: int64(at) + 1, Limit: 1}) {
			if err != nil {
				return nil, err
			}
			all = append(all, receiptFound(record, false))
		}
		return all, nil
	}
	given, err := o.config.Receipt(ctx, text)
	early := err != nil && fail.From(err).Code == fail.Unavailable && given.Entry.ID != ""
	if err != nil && !early {
		return nil, none(err)
	}
	found := receiptFound(ledger.Record{Index: given.Index, Entry: given.Entry}, early)
	found.Exact = o.config.Inbox == nil || given.Entry.Kind != "intake"
	return []frame.Found{found}, nil
}

// receiptFound is an entry. An early one has no number yet.
func receiptFound(r ledger.Record, early bool) frame.Found {
	note := r.Entry.Time.UTC().Format(time.DateTime) + " UTC"
	if !early {
		note = "#" + strconv.FormatInt(r.Index, 10) + ", " + note
	}
	return frame.Found{Text: r.Entry.ID, Note: note, Path: "receipts/" + r.Entry.ID, Exact: true}
}

// findSubmission finds what was submitted by its id alone: those of sessions and agents have no
// place in an address (findRequest).
func (o *owner) findSubmission(ctx context.Context, text string) ([]frame.Found, error) {
	q, err := o.config.Inbox.Look(ctx, text)
	if err != nil || q == nil {
		return nil, none(err)
	}
	name := o.config.Inbox.intake(q.Intake).Name
	return []frame.Found{{Text: q.ID, Note: name, Path: "inbox/" + url.PathEscape(q.ID), Exact: true}}, nil
}

// findBuyers finds who signed up by the beginning of their domains, or by their accounts.
func (o *owner) findBuyers(ctx context.Context, text string) ([]frame.Found, error) {
	domain, id, _ := strings.Cut(text, "/")
	signed, err := o.config.Sales.Requesters(ctx, domain, "", frame.MaxFound+1)
	var all []frame.Found
	for _, g := range signed {
		if strings.HasPrefix(g.ID, id) {
			all = append(all, buyerFound(g, text))
		}
	}
	return all, err
}

func buyerFound(g requesters.Registration, text string) frame.Found {
	return frame.Found{
		Text: g.Account(), Path: link("requesters", "q", g.Domain),
		Exact: strings.EqualFold(g.Account(), text) || strings.EqualFold(g.Domain, text),
	}
}

// findAccounts finds accounts by how their buyers begin.
func (o *owner) findAccounts(ctx context.Context, text string) (all []frame.Found, err error) {
	found, err := o.config.Sales.Accounts.Accounts(ctx, accounts.AccountFilter{Begins: text, Limit: frame.MaxFound + 1})
	for _, b := range found {
		all = append(all, frame.Found{
			Text: b.Buyer, Note: b.Currency, Path: newAccountRow(b).Link, Exact: b.Buyer == text,
		})
	}
	return all, err
}

// saleFound is one thing of what is sold, by its id.
func saleFound(page, id, note string, ok bool, err error) ([]frame.Found, error) {
	if !ok || err != nil {
		return nil, err
	}
	return []frame.Found{{Text: id, Note: note, Path: "sales/" + page + "/" + url.PathEscape(id), Exact: true}}, nil
}

// findPurchase finds a purchase by its id, or that of its bill.
func (o *owner) findPurchase(ctx context.Context, text string) ([]frame.Found, error) {
	t, ok, err := o.config.Sales.Deals.Transaction(ctx, text)
	return saleFound("transactions", t.ID, t.URI, ok, err)
}

func (o *owner) findOffer(ctx context.Context, text string) ([]frame.Found, error) {
	offer, ok, err := o.config.Sales.Deals.Offer(ctx, text)
	if !ok || err != nil {
		return nil, err
	}
	return saleFound("offers", text, offer.URI, true, nil)
}

func (o *owner) findDelivery(ctx context.Context, text string) ([]frame.Found, error) {
	d, ok, err := o.config.Sales.Deals.Delivery(ctx, text)
	return saleFound("deliveries", d.ID, d.URI, ok, err)
}

// findDispute finds a dispute by its id, or beside its purchase by the id of that.
func (o *owner) findDispute(ctx context.Context, text string) ([]frame.Found, error) {
	c, _, ok, err := o.config.Sales.Disputes.Cases.Dispute(ctx, text)
	all, err := saleFound("disputes", c.ID, c.Transaction, ok, err)
	for i := range all {
		all[i].Exact = c.ID == text
	}
	return all, err
}
