package exchange

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/ramp"
	"frontdesk/wire/receipt"
	"frontdesk/wire/sign"
)

// Purchase is a request to buy by offers (RAMP v1, ExecuteTransaction), from a requester that is known.
type Purchase struct {
	Requester requesters.Requester
	ID        string            // which the requester gave it
	Digest    [sha256.Size]byte // of what is asked for, without signatures
	Items     []PurchaseItem
	// FetchAt is the address below which what is bought is to be fetched, with a slash at its end.
	FetchAt string
	// User and Country are what the requester says of its use; empty for nothing.
	User, Country string
	// Functions are what the requester declares that it buys for, as terms name them; none where it declares nothing, so that what the offer was asked
	// for counts.
	Functions []string
	// Licence is the licence or subscription that the requester names; empty for none.
	Licence string
	// Delegated is when the delegation ends that the requester says it acts under; zero for none.
	Delegated time.Time
	// Limited says that this is one request too many of the requester's.
	Limited bool
}

// declared is what an offer is bought for.
func (p *Purchase) declared(offer *transactions.Offer) []string {
	if len(p.Functions) > 0 {
		return p.Functions
	}
	return offer.Functions
}

// PurchaseItem is an offer that is taken.
type PurchaseItem struct {
	Offer     string
	Signature []byte // nil for one that cannot be read
}

// Purchased is what came of a Purchase.
type Purchased struct {
	Items []PurchasedItem // in the order of the offers
	Agent string          // the hash that all of them are bound to; that of the requester where some are bound to a licence, and others are not
	Again bool            // the request was answered before
}

// bind makes Agent what all that was bought is bound to, where that is one.
func (p *Purchased) bind() {
	one := ""
	for _, item := range p.Items {
		switch agent := item.Transaction.Agent; {
		case item.Denial != "":
		case one == "":
			one = agent
		case one != agent:
			return
		}
	}
	p.Agent = cmp.Or(one, p.Agent)
}

// PurchasedItem is what came of one offer.
type PurchasedItem struct {
	Offer       string
	Denial      Denial                   // why it was not bought; empty when it was
	Transaction transactions.Transaction // when it was
	URL         string                   // from which it can be fetched until Transaction.Expires
	Quotas      []Quota                  // of the subscription, as they are after the purchase
}

// Denial is why an offer is not sold (RAMP v1, DenialReason).
type Denial string

// The denials.
const (
	InvalidLicence      Denial = "invalid_license"
	ExpiredLicence      Denial = "expired_license"
	InsufficientBalance Denial = "insufficient_balance"
	TooManyPurchases    Denial = "rate_limited"
	ContentUnavailable  Denial = "content_unavailable"
	FunctionProhibited  Denial = "function_prohibited"
	GeoRestricted       Denial = "geo_restricted"
	ReportingOverdue    Denial = "reporting_overdue"
	TakenTooLate        Denial = "offer_expired"
	SignatureInvalid    Denial = "signature_invalid"
	QuotaExceeded       Denial = "quota_exceeded"
	DelegationExpired   Denial = "delegation_expired"
	ScopeInsufficient   Denial = "scope_insufficient"
)

// refusals are the denials of what the book refuses.
var refusals = map[accounts.Reason]Denial{
	accounts.InsufficientBalance: InsufficientBalance, accounts.InvalidLicence: InvalidLicence,
	accounts.ExpiredLicence: ExpiredLicence, accounts.QuotaExceeded: QuotaExceeded,
}

// remembered is how long a request to buy is known by its id (RAMP v1, ExecuteTransaction).
const remembered = 24 * time.Hour

// errRaced ends a transaction in which the same request was found to have been answered meanwhile.
var errRaced = errors.New("the same request was answered meanwhile")

// errForged ends a transaction in which an offer was taken that no key of its site has signed.
var errForged = errors.New("an offer is not signed by its site")

// Commit buys by offers, one after another, each for itself: what one is denied does not touch the others. What is bought
// is charged or held, and recorded in the books and the ledger, in one transaction; only then is there an address from
// which it can be fetched. A request that was answered within 24 hours gets the same answer, and buys nothing; asked twice
// at once, it is answered once. The error is ErrRequestConflict for another request under its id, or
// any other, which is ours.
func (s *Service) Commit(ctx context.Context, p Purchase) (*Purchased, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	// Most requests are new, and take offers that were just made. So they are not looked up first: that one was answered before is
	// found when it is recorded, which undoes what was bought meanwhile.
	if offers, ok := s.lately.taken(p.Items); ok && !p.Limited {
		out, err := s.purchase(ctx, p, offers, now)
		if err == nil {
			return out, s.address(ctx, p, out)
		}
		if !errors.Is(err, errRaced) && fail.From(err).Code != fail.Unavailable { // what was answered before is so all the same
			return nil, err
		}
	}
	for {
		before, known, offers, err := s.taken(ctx, p, now)
		if err != nil {
			return nil, err
		}
		if known {
			return s.purchasedAgain(ctx, p, before)
		}
		if p.Limited { // which is not remembered: it is to be tried again
			out := &Purchased{Agent: ramp.AgentIdentityHash(p.Requester.ID, p.Requester.Domain)}
			for _, item := range p.Items {
				out.Items = append(out.Items, PurchasedItem{Offer: item.Offer, Denial: TooManyPurchases})
			}
			return out, nil
		}
		out, err := s.purchase(ctx, p, offers, now)
		if errors.Is(err, errRaced) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return out, s.address(ctx, p, out)
	}
}

// Bought gives what came of a request to buy before, by its id and its digest: it is known for 24 hours. Which offers it took is its own, so
// Items of p are not looked at. The error is ErrRequestConflict where another request had the id.
func (s *Service) Bought(ctx context.Context, p Purchase) (out *Purchased, known bool, err error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	p.Items = nil
	before, known, _, err := s.taken(ctx, p, now)
	if err != nil || !known {
		return nil, false, err
	}
	for _, line := range before.Lines {
		p.Items = append(p.Items, PurchaseItem{Offer: line.Offer})
	}
	out, err = s.purchasedAgain(ctx, p, before)
	return out, true, err
}

// purchase buys by the offers of a request, as far as they may be taken. It is errRaced, and nothing is bought, where the request was
// answered before.
func (s *Service) purchase(ctx context.Context, p Purchase, offers []*transactions.Offer, now time.Time) (out *Purchased, err error) {
	out = &Purchased{Agent: ramp.AgentIdentityHash(p.Requester.ID, p.Requester.Domain)}
	lines := make([]purchaseLine, len(p.Items))
	if p, err = s.inForce(ctx, p, offers); err != nil {
		return nil, err
	}
	for i, item := range p.Items {
		lines[i] = purchaseLine{id: item.Offer, offer: offers[i], denial: s.refuses(p, i, offers[i], now), agent: out.Agent}
	}
	if err := s.assortment.deps.Corpus.Ready(); err != nil { // what is for sale is not known yet: that would be a denial that is remembered
		return nil, err
	}
	forged := s.forged(lines)
	followed := false
	for i := range lines {
		if lines[i].denial == "" {
			s.sells(ctx, p, &lines[i], now)
		}
		if lines[i].denial == ContentUnavailable && !followed { // another node may have offered what this one has not heard of
			followed = true
			if err := s.assortment.catchUp(ctx); err != nil {
				return nil, err
			}
			s.sells(ctx, p, &lines[i], now)
		}
		if lines[i].denial == "" {
			lines[i].denial = s.deps.Held(ctx, offers[i].Site)
		}
	}
	if out.Items, err = s.buy(ctx, p, lines, forged, now); !errors.Is(err, errForged) {
		out.bind()
		return out, err
	}
	for _, i := range forged() {
		lines[i].denial = SignatureInvalid
	}
	out.Items, err = s.buy(ctx, p, lines, func() []int { return nil }, now)
	out.bind()
	return out, err
}

// forged begins to look at the signatures of the offers that may be taken, while these are bought, and gives what waits for it: the
// numbers of those that no key of their site has signed.
func (s *Service) forged(lines []purchaseLine) func() []int {
	var offers []*transactions.Offer // nil for what is not looked at
	for _, line := range lines {
		if line.denial != "" {
			line.offer = nil
		}
		offers = append(offers, line.offer)
	}
	found := sync.OnceValue(func() (forged []int) {
		for i, o := range offers {
			if o != nil && !s.deps.Signed(o.Site, o.Document, o.Signature) {
				forged = append(forged, i)
			}
		}
		return forged
	})
	go found()
	return found
}

// purchaseLine is an offer that is to be bought.
type purchaseLine struct {
	id     string
	offer  *transactions.Offer // nil for one that is not known
	denial Denial              // why it cannot be bought whatever the book says
	agent  string              // what its address is bound to
}

// taken looks up what came of a request before, or the offers that it takes.
func (s *Service) taken(ctx context.Context, p Purchase, now time.Time) (before transactions.Request, known bool, offers []*transactions.Offer, err error) {
	err = s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		offers = make([]*transactions.Offer, len(p.Items))
		if before, known, err = transactions.FindRequest(ctx, tx, p.Requester.Account(), p.ID, now.Add(-remembered)); err != nil || known {
			return err
		}
		for i, item := range p.Items {
			if item.Signature == nil {
				continue
			}
			offer, there, err := transactions.FindOffer(ctx, tx, item.Offer)
			if err != nil {
				return err
			}
			if there {
				offers[i] = offer
			}
		}
		return nil
	})
	return before, known, offers, err
}

// refuses says why an offer cannot be taken, before the books are asked, and before its own signature is looked at.
func (s *Service) refuses(p Purchase, i int, offer *transactions.Offer, now time.Time) Denial {
	for _, earlier := range p.Items[:i] {
		if earlier.Offer == p.Items[i].Offer {
			return SignatureInvalid
		}
	}
	switch {
	case !p.Delegated.IsZero() && !now.Before(p.Delegated) || p.Requester.Delegation != nil && p.Requester.Delegation.Over != nil:
		return DelegationExpired
	case offer == nil || offer.Buyer != p.Requester.Account() || !offer.Bears(p.Items[i].Signature):
		return SignatureInvalid
	case p.Requester.Broker != "" && !slices.Contains(p.Requester.Covered, offer.URI): // the requester never said that it wants this
		return SignatureInvalid
	case offer.Ended(now):
		return TakenTooLate
	}
	return ""
}

// sells notes why today's terms, or those that the offer tells, do not let an offer be sold for what is declared, or else what its address is bound to.
func (s *Service) sells(ctx context.Context, p Purchase, line *purchaseLine, now time.Time) {
	offer := line.offer
	line.denial = ""
	q := quoter{
		owner: s.assortment.deps.Selling(), rules: s.assortment.Terms(), now: now, uri: offer.URI, operation: requesters.OperationTransact, cents: cents(cost(offer)),
		query: &Query{By: p.Requester, URIs: []string{offer.URI}, Functions: p.declared(offer), User: p.User, Country: p.Country},
	}
	if q.ware = s.assortment.EntryAt(offer.URI, offer.Site, offer.Item.Source); q.ware == nil {
		line.denial = ContentUnavailable
		return
	}
	var sold bool
	if q.rules, q.tenant, sold = s.assortment.soldBy(q.ware, q.rules); !sold {
		line.denial = ContentUnavailable
		return
	}
	if s.assortment.license(&q); q.absent == "" {
		q.absent = q.outside(offer.For)
	}
	away := offer.Delivery == transactions.Instructions && q.outlet != nil
	switch {
	case errors.Is(q.locked, requesters.ErrDelegationOver):
		line.denial = DelegationExpired
	case q.locked != nil:
		line.denial = ScopeInsufficient // which whoever has an offer may know
	case q.absent == FunctionOut:
		line.denial = FunctionProhibited
	case q.absent == CountryOut:
		line.denial = GeoRestricted
	case q.absent != "", away && !q.outlet.ready(ctx, q.ware.URL, now):
		line.denial = ContentUnavailable
	case away && q.outlet.Licence && p.Licence == "":
		line.denial = InvalidLicence // there would be nothing to show where it is fetched
	case away && q.outlet.Licence:
		line.agent = ramp.LicenceHash(p.Licence)
	}
}

// buy is the transaction of Commit. It is errForged, and nothing is bought, where one of the lines is forged.
func (s *Service) buy(ctx context.Context, p Purchase, lines []purchaseLine, forged func() []int, now time.Time) (items []PurchasedItem, err error) {
	buyer := p.Requester.Account()
	err = s.deps.DB.UpdateTogether(ctx, func(tx *store.Tx) error {
		if err := s.deps.Nonces.UseProof(ctx, tx, p.Requester.Proof); err != nil {
			return err
		}
		items = make([]PurchasedItem, len(lines))
		made := transactions.Request{Digest: p.Digest, Made: now}
		overdue, asked := false, false
		for i, line := range lines {
			item := PurchasedItem{Offer: line.id, Denial: line.denial}
			if item.Denial == "" && !asked {
				if overdue, err = s.overdue(ctx, tx, buyer, now); err != nil {
					return err
				}
				asked = true
			}
			if item.Denial == "" && overdue {
				item.Denial = ReportingOverdue
			}
			if item.Denial == "" {
				if item, err = s.sell(ctx, tx, p, line.agent, line.offer, now); err != nil {
					return err
				}
			}
			items[i] = item
			kept := transactions.Line{Offer: line.id, Transaction: item.Transaction.ID, Denial: string(item.Denial)}
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

// sell charges an offer and records the transaction.
func (s *Service) sell(ctx context.Context, tx *store.Tx, p Purchase, agent string, offer *transactions.Offer, now time.Time) (item PurchasedItem, err error) {
	item = PurchasedItem{Offer: offer.ID}
	t := transactions.Transaction{
		ID: transactions.NewID("txn", now), Billing: transactions.NewID("bill", now), Request: p.ID, Offer: offer.ID, Buyer: p.Requester.Account(), Agent: agent, Site: offer.Site,
		URI: offer.URI, Item: offer.Item, Made: now, Expires: now.Add(s.deps.AddressLife).Truncate(time.Second), Price: offer.Price, Unit: offer.Unit,
		Estimate: offer.Quantity, Subscription: offer.Subscription, Method: offer.Delivery, Document: offer.Document, Fields: offer.Report.Fields,
		Declared: p.declared(offer), Functions: offer.For.Functions,
	}
	if t.Subscription != "" {
		t.Billing = transactions.NewID("sub", now)
	}
	if window := offer.Report.Window(); window > 0 {
		t.Obligation, t.Due = transactions.Pending, now.Add(window)
	}
	c := charge(offer, now)
	c.ID, c.Licence, c.Due = t.ID, p.Licence, t.Due
	bought, fits, err := s.counts(ctx, tx, p.Requester.Delegation, offer, now)
	if err == nil && offer.Subscription != "" {
		c.Subscriber, err = s.lends(ctx, tx, p.Requester, offer.Subscription)
	}
	if err != nil || !fits {
		item.Denial = QuotaExceeded
		return item, err
	}
	hold, err := s.deps.Book.Authorize(ctx, tx, c)
	var refused *accounts.Refused
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
	if err := bought.Take(ctx, tx, t.ID, t.Amount, t.Price.Currency); err != nil {
		return item, err
	}
	if err := s.deps.Fault("charged"); err != nil {
		return item, err
	}
	if t.Entry, err = s.recordPurchase(ctx, tx, t, offer, p.Requester.Delegation); err != nil {
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

// purchaseBody is the body of a ledger entry of kind "transaction", in the order of canonical JSON. Amounts are decimal
// texts. Of the address that content is fetched from nothing is told: there is none before the entry is durable.
type purchaseBody struct {
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

// recordPurchase puts a transaction into the ledger.
func (s *Service) recordPurchase(ctx context.Context, tx *store.Tx, t transactions.Transaction, offer *transactions.Offer, under *requesters.Delegation) (id string, err error) {
	sum := sha256.Sum256(offer.Document)
	body := purchaseBody{
		Agent: t.Agent, Billing: t.Billing, Currency: t.Price.Currency, Estimate: t.Estimate, Expires: t.Expires.Format(time.RFC3339), Functions: t.Declared, Hash: offer.Hash, Model: t.Price.Model,
		Offer: offer.ID, OfferHash: hex.EncodeToString(sum[:]), Rule: offer.Rule, Subscription: t.Subscription, Terms: offer.Terms, Unit: t.Unit, URI: t.URI,
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
	return s.dealt(ctx, tx, t, kindTransaction, t.Made, body)
}

// dealt puts something that befell a transaction into the ledger.
func (s *Service) dealt(ctx context.Context, tx *store.Tx, t transactions.Transaction, kind string, at time.Time, body any) (id string, err error) {
	return Record(ctx, tx, s.deps.Ledger, t, receipt.Entry{Time: at, Kind: kind}, body)
}

// Record puts something that befell a transaction into the ledger, in the transaction that makes it so: of an entry it
// takes time and kind. It gives the entry's id.
func Record(ctx context.Context, tx *store.Tx, l *ledger.Ledger, t transactions.Transaction, e receipt.Entry, body any) (id string, err error) {
	e.Site, e.Party, e.Subject, e.Request = t.Site, "requester:"+t.Buyer, t.ID, t.Request
	if e.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	return l.Append(ctx, tx, e)
}

// befell puts something that befell a transaction after its purchase into the ledger, and beside the transaction, where it is
// found again.
func (s *Service) befell(ctx context.Context, tx *store.Tx, t transactions.Transaction, kind string, at time.Time, body any) error {
	entry, err := s.dealt(ctx, tx, t, kind, at, body)
	if err != nil {
		return err
	}
	return transactions.PutEvent(ctx, tx, transactions.Event{Transaction: t.ID, Entry: entry, Kind: kind, At: at})
}

// address makes the addresses from which what was bought can be fetched, now that it is recorded. Where that cannot be
// done, everything that was bought is undone, and recorded as failed.
func (s *Service) address(ctx context.Context, p Purchase, out *Purchased) error {
	var failed error
	for i := range out.Items {
		if item := &out.Items[i]; item.Denial == "" {
			var err error
			if item.URL, err = s.addressOf(ctx, p.FetchAt, item.Transaction); err != nil {
				failed = err
			}
		}
	}
	if failed == nil {
		return nil
	}
	err := s.deps.DB.UpdateTogether(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return s.undo(context.WithoutCancel(ctx), tx, p, out)
	})
	return fail.New(fail.Internal, "what was bought cannot be fetched at present, and was taken back; try again later").Because(errors.Join(failed, err))
}

// StreamPath is what stands behind a transaction's id in the address of its stream.
const StreamPath = "/stream"

// addressOf makes the address of what was bought: with who delivers it, or else here.
func (s *Service) addressOf(ctx context.Context, at string, t transactions.Transaction) (string, error) {
	grant := sign.URLGrant{Expires: t.Expires, Agent: t.Agent, Transaction: t.ID}
	if t.Method == transactions.Instructions {
		if ware := s.assortment.EntryAt(t.URI, t.Site, t.Item.Source); ware != nil {
			_, tenant, _ := s.assortment.soldBy(ware, nil)
			if outlet := s.assortment.outlet(ware, tenant); outlet != nil {
				return outlet.sign(ctx, ware.URL, grant, s.deps.Now(), &s.signatures)
			}
		}
	}
	keys, err := s.deps.AddressKeys()
	if err != nil {
		return "", err
	}
	path := t.ID
	if t.Method == transactions.Streaming {
		path += StreamPath
	}
	return Addresses(at, keys).Sign(at+path, grant, s.deps.Now())
}

// Addresses are the keys of the addresses below one, which ends in a slash.
func Addresses(at string, keys []sign.URLKey) sign.URLKeys {
	return sign.URLKeys{Origin: strings.TrimSuffix(at, "/"), Keys: keys}
}

// undo takes back what a request has bought, and forgets the request, so that it can be sent again.
func (s *Service) undo(ctx context.Context, tx *store.Tx, p Purchase, out *Purchased) error {
	for _, item := range out.Items {
		if item.Denial != "" {
			continue
		}
		if _, err := s.deps.Book.Release(ctx, tx, item.Transaction.ID, s.deps.Now().UTC()); err != nil {
			return err
		}
		if err := counts.GiveBack(ctx, tx, item.Transaction.ID); err != nil {
			return err
		}
		if err := transactions.Fail(ctx, tx, item.Transaction.ID); err != nil {
			return err
		}
		if err := s.befell(ctx, tx, item.Transaction, kindTransaction, s.deps.Now().UTC().Truncate(time.Microsecond), struct {
			Outcome string `json:"outcome"`
		}{"failed"}); err != nil {
			return err
		}
	}
	return transactions.ForgetRequest(ctx, tx, p.Requester.Account(), p.ID, s.deps.Now())
}

// purchasedAgain is the answer to a request that was answered before, from what is recorded of it.
func (s *Service) purchasedAgain(ctx context.Context, p Purchase, before transactions.Request) (*Purchased, error) {
	if before.Digest != p.Digest || len(before.Lines) != len(p.Items) {
		return nil, ErrRequestConflict
	}
	out := &Purchased{Again: true, Agent: ramp.AgentIdentityHash(p.Requester.ID, p.Requester.Domain)}
	defer out.bind()
	if p.Requester.Proof != nil {
		if err := s.deps.DB.UpdateTogether(ctx, func(tx *store.Tx) error { return s.deps.Nonces.UseProof(ctx, tx, p.Requester.Proof) }); err != nil {
			return nil, err
		}
	}
	err := s.deps.DB.View(ctx, func(tx *store.Tx) error {
		out.Items = nil
		for i, line := range before.Lines {
			item := PurchasedItem{Offer: p.Items[i].Offer, Denial: Denial(line.Denial)}
			if item.Denial == "" {
				t, ok, err := transactions.FindTransaction(ctx, tx, line.Transaction)
				if err == nil && !ok {
					err = fmt.Errorf("there is no transaction %s, though a request has bought it", line.Transaction)
				}
				if err != nil {
					return err
				}
				if len(t.Quotas) > 0 {
					if err := json.Unmarshal(t.Quotas, &item.Quotas); err != nil {
						return fmt.Errorf("read the quotas of transaction %s: %w", t.ID, err)
					}
				}
				item.Transaction, item.Offer = t, t.Offer
			}
			out.Items = append(out.Items, item)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range out.Items {
		if item := &out.Items[i]; item.Denial == "" {
			if item.URL, err = s.addressOf(ctx, p.FetchAt, item.Transaction); err != nil {
				return nil, fail.New(fail.Internal, "what was bought cannot be fetched at present; try again later").Because(err)
			}
		}
	}
	return out, nil
}

// ReportRules say when a buyer that owes reports may buy no more. A buyer is let in again as soon as it has reported.
type ReportRules struct {
	// Overdue is from more than how many reports that are overdue a buyer gets nothing more; 0 lets none be overdue.
	Overdue int
	// Percent is from more than which part of all its reports, once there are Least of them; 0 for no such rule.
	Percent, Least int
}

// overdue says whether a buyer owes so many reports that it gets nothing more.
func (s *Service) overdue(ctx context.Context, tx *store.Tx, buyer string, now time.Time) (bool, error) {
	rules := s.deps.Reports()
	owed, err := transactions.Overdue(ctx, tx, buyer, now, rules.Overdue+1)
	if err != nil || owed == 0 || owed > rules.Overdue || rules.Percent <= 0 {
		return owed > rules.Overdue, err
	}
	// owed is more than the part of all, if all is less than this
	enough := (owed*100 + rules.Percent - 1) / rules.Percent
	all, err := transactions.Obligations(ctx, tx, buyer, max(enough, rules.Least))
	return all >= rules.Least && owed*100 > all*rules.Percent, err
}
