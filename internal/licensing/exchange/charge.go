package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/receipt"
)

// transact is the one transaction of Execute. It is errForged, and nothing is bought, where one of
// the lines is forged.
func (s *Service) transact(ctx context.Context, p Order, lines []orderLine, forged func() []int,
	now time.Time) (items []ItemResult, err error) {
	buyer := p.Requester.Account()
	err = s.deps.DB.UpdateBatched(ctx, s.locks(p, lines), func(tx *store.Tx) error {
		if err := s.deps.Nonces.UseProofSoon(ctx, tx, p.Requester.Proof); err != nil {
			return err
		}
		for _, line := range lines {
			if line.denial == "" && line.offer.Subscription == "" {
				accounts.Ahead(tx, buyer, line.offer.Price.Currency)
				break
			}
		}
		there, owed, err := transactions.BeforeRequest(ctx, tx, buyer, p.ID, now, now.Add(-remembered),
			s.deps.Reports().Overdue+1)
		switch {
		case err != nil:
			return err
		case there:
			return errRaced
		}
		overdue, err := s.tooManyOverdue(ctx, tx, buyer, owed)
		if err != nil {
			return err
		}
		items = make([]ItemResult, len(lines))
		made := transactions.Request{Digest: p.Digest, Made: now}
		for i, line := range lines {
			item := ItemResult{Offer: line.id, Denial: line.denial}
			if item.Denial == "" && overdue {
				item.Denial = ReportingOverdue
			}
			if item.Denial == "" {
				if item, err = s.charge(ctx, tx, p, line.agent, line.offer, now); err != nil {
					return err
				}
			}
			items[i] = item
			kept := transactions.OrderLine{Offer: line.id, Transaction: item.Transaction.ID,
				Denial: string(item.Denial)}
			if line.offer == nil || kept.Transaction != "" {
				kept.Offer = "" // whatever the text was; the transaction has its own
			}
			made.Lines = append(made.Lines, kept)
		}
		if err := s.deps.Fault("request"); err != nil {
			return err
		}
		fresh, err := transactions.PutRequest(ctx, tx, buyer, p.ID, made, now.Add(-remembered))
		if err == nil && !fresh {
			err = errRaced
		}
		if err == nil && len(forged()) > 0 {
			err = errForged
		}
		return err
	})
	if err == nil {
		err = s.deps.Fault("bought")
	}
	return items, err
}

// locks are the names of what an order changes.
func (s *Service) locks(p Order, lines []orderLine) []string {
	all := accounts.Locks(s.deps.Accounts, p.Requester.Account())
	for _, line := range lines {
		if line.denial == "" && line.offer.Subscription != "" {
			all = append(all, accounts.SubscriptionLock(line.offer.Subscription))
		}
	}
	if under := p.Requester.Delegation; under != nil {
		for _, c := range under.Caps {
			all = append(all, counts.Lock(c.Block))
		}
	}
	return all
}

// charge charges an offer and records the transaction.
func (s *Service) charge(ctx context.Context, tx *store.Tx, p Order, agent string, offer *transactions.Offer,
	now time.Time) (item ItemResult, err error) {
	item = ItemResult{Offer: offer.ID}
	t := transactions.Transaction{
		ID: transactions.NewID("txn", now), Billing: transactions.NewID("bill", now), Request: p.ID, Offer: offer.ID,
		Buyer: p.Requester.Account(), Agent: agent, Site: offer.Site,
		URI: offer.URI, Item: offer.Item, Made: now, Expires: now.Add(s.deps.AddressLife).Truncate(time.Second),
		Price: offer.Price, Unit: offer.Unit,
		Estimate: offer.Quantity, Subscription: offer.Subscription, Method: offer.Delivery, Document: offer.Document,
		Fields:   offer.Report.Fields,
		Declared: p.declared(offer), Functions: offer.For.Functions,
	}
	if t.Subscription != "" {
		t.Billing = transactions.NewID("sub", now)
	}
	if window := offer.Report.Window(); window > 0 {
		t.Obligation, t.Due = transactions.Pending, now.Add(window)
	}
	c := bookCharge(offer, now)
	c.ID, c.Licence, c.Due = t.ID, p.Licence, t.Due
	bought, fits, err := s.counts(ctx, tx, p.Requester.Delegation, offer, now)
	if err == nil && offer.Subscription != "" {
		c.Subscriber, err = s.lends(ctx, tx, p.Requester, offer.Subscription)
	}
	if err != nil || !fits {
		item.Denial = QuotaExceeded
		return item, err
	}
	hold, err := s.deps.Accounts.Authorize(ctx, tx, c)
	var refused *accounts.Denial
	switch {
	case errors.As(err, &refused):
		item.Denial = refusals[refused.Reason]
		return item, nil
	case err != nil:
		return item, err
	}
	t.Amount, t.Value = hold.Authorised, hold.Value
	if item.Quotas = quotasOf(hold.Quotas); len(item.Quotas) > 0 {
		if t.Quotas, err = json.Marshal(item.Quotas); err != nil {
			return item, fmt.Errorf("write a subscription's quotas: %w", err)
		}
	}
	if err := bought.Count(ctx, tx, t.ID, t.Amount, t.Price.Currency); err != nil {
		return item, err
	}
	if err := s.deps.Fault("charged"); err != nil {
		return item, err
	}
	if t.Entry, err = s.appendTransaction(ctx, tx, t, offer, p.Requester.Delegation); err != nil {
		return item, err
	}
	if err := s.deps.Fault("purchase recorded"); err != nil {
		return item, err
	}
	item.Transaction = t
	if len(offer.Via) > 0 { // who may speak of it beside the buyer
		if err := transactions.PutVia(ctx, tx, t.ID, offer.Via); err != nil {
			return item, err
		}
	}
	return item, transactions.PutTransaction(ctx, tx, t)
}

// bookCharge is the purchase of an offer as the book looks at it.
func bookCharge(o *transactions.Offer, now time.Time) accounts.Charge {
	return accounts.Charge{
		Buyer: o.Buyer, Site: o.Site, Item: accounts.Item{URL: o.URL, Labels: o.Labels}, Price: o.Price,
		Quantity: o.Quantity, Tokens: o.Tokens,
		Subscription: o.Subscription, Timed: o.Delivery == transactions.Streaming &&
			o.Mutability == string(catalog.Live), Now: now,
	}
}

// transactionBody is the body of a ledger entry of kind "transaction", in the order of canonical
// JSON. Amounts are decimal texts. Of the address that content is fetched from nothing is told:
// there is none before the entry is durable.
type transactionBody struct {
	Agent        string   `json:"agent_identity_hash"`
	Amount       string   `json:"amount,omitempty"`
	Billing      string   `json:"billing_id"`
	Currency     string   `json:"currency,omitempty"`
	Delegation   string   `json:"delegation,omitempty"` // the revocation id of the token's authority block
	Due          string   `json:"due,omitempty"`
	Estimate     int64    `json:"estimated_quantity,omitzero"`
	Expires      string   `json:"expires_at"`
	Functions    []string `json:"functions,omitempty"` // what it is declared to be bought for
	Hash         string   `json:"content_hash,omitempty"`
	Model        string   `json:"pricing_model"`
	Offer        string   `json:"offer_id"`
	OfferHash    string   `json:"offer_sha256"`
	Principal    string   `json:"principal_domain,omitempty"` // whose delegation it is
	Rule         int      `json:"rule"`
	Subscription string   `json:"subscription_id,omitempty"`
	Terms        string   `json:"terms"`
	Unit         string   `json:"unit,omitempty"`
	URI          string   `json:"uri"`
}

const (
	kindTransaction = "transaction"
	kindUsage       = "usage"
)

// appendTransaction puts a transaction into the ledger.
func (s *Service) appendTransaction(ctx context.Context, tx *store.Tx, t transactions.Transaction,
	offer *transactions.Offer, under *requesters.Delegation) (id string, err error) {
	sum := sha256.Sum256(offer.Document)
	body := transactionBody{
		Agent: t.Agent, Billing: t.Billing, Currency: t.Price.Currency, Estimate: t.Estimate,
		Expires: t.Expires.Format(time.RFC3339), Functions: t.Declared, Hash: offer.Hash, Model: t.Price.Model,
		Offer: offer.ID, OfferHash: hex.EncodeToString(sum[:]), Rule: offer.Rule, Subscription: t.Subscription,
		Terms: offer.Terms, Unit: t.Unit, URI: t.URI,
	}
	if t.Price.Currency != "" {
		body.Amount = policy.Amount(t.Amount)
	}
	if under != nil {
		body.Delegation, body.Principal = under.ID, under.Domain
	}
	if !t.Due.IsZero() {
		body.Due = t.Due.Format(time.RFC3339)
	}
	return s.appendEntry(ctx, tx, t, kindTransaction, t.Made, body)
}

// appendEntry appends an event of a transaction to the ledger.
func (s *Service) appendEntry(ctx context.Context, tx *store.Tx, t transactions.Transaction, kind string, at time.Time,
	body any) (id string, err error) {
	return RecordEvent(ctx, tx, s.deps.Ledger, t, receipt.Entry{Time: at, Kind: kind}, body)
}

// RecordEvent appends a later event of a transaction to the ledger, in the transaction that makes
// it true, and beside the transaction where the owner's pages read it.
func RecordEvent(ctx context.Context, tx *store.Tx, l *ledger.Ledger, t transactions.Transaction, e receipt.Entry,
	body any) (id string, err error) {
	e.Site, e.Party, e.Subject, e.Request = t.Site, "requester:"+t.Buyer, t.ID, t.Request
	if e.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	return l.Append(ctx, tx, e)
}

// appendEvent appends an event of a transaction after its purchase to the ledger, and beside the
// transaction, where it is found again.
func (s *Service) appendEvent(ctx context.Context, tx *store.Tx, t transactions.Transaction, kind string, at time.Time,
	body any) error {
	entry, err := s.appendEntry(ctx, tx, t, kind, at, body)
	if err != nil {
		return err
	}
	return transactions.PutEvent(ctx, tx, transactions.Event{Transaction: t.ID, Entry: entry, Kind: kind, At: at})
}

// undo takes back what a request has bought, and forgets the request, so that it can be sent again.
func (s *Service) undo(ctx context.Context, tx *store.Tx, p Order, out *OrderResult) error {
	for _, item := range out.Items {
		if item.Denial != "" {
			continue
		}
		if _, err := s.deps.Accounts.Release(ctx, tx, item.Transaction.ID, s.deps.Now().UTC()); err != nil {
			return err
		}
		if err := counts.Refund(ctx, tx, item.Transaction.ID); err != nil {
			return err
		}
		if err := transactions.MarkFailed(ctx, tx, item.Transaction.ID); err != nil {
			return err
		}
		if err := s.appendEvent(ctx, tx, item.Transaction, kindTransaction,
			s.deps.Now().UTC().Truncate(time.Microsecond), struct {
				Outcome string `json:"outcome"`
			}{"failed"}); err != nil {
			return err
		}
	}
	return transactions.ForgetRequest(ctx, tx, p.Requester.Account(), p.ID, s.deps.Now())
}
