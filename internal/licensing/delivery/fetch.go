package delivery

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/url"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/sign"
)

// Content is a purchase that may be delivered now.
type Content struct {
	URI   string   // for which it was bought
	Media []string // types in which it can be had, that first which the hash of its offer is of

	by   *Service
	sale transactions.Transaction
	item *released.ItemVersion
}

// Rendition is what was bought in one media type. The same version of an item has the same bytes
// each time.
type Rendition struct {
	Media string
	Size  int64
	Hash  [sha256.Size]byte

	of   *Content
	body []byte
}

// Fetch opens the signed address of a transaction: at is what stands before the transaction's id in
// it (exchange.Order.FetchAt), query its query as it was received. Nothing is recorded of it: see
// Rendition.Begin. The error is fail.Forbidden for an address that opens nothing, and fail.NotFound
// where what was bought is not there any more, or not let out any more.
func (s *Service) Fetch(ctx context.Context, at, transaction, query string) (*Content, error) {
	keys, err := s.deps.AddressKeys()
	if err != nil {
		return nil, err
	}
	signed := exchange.Addresses(at, keys)
	_, grant, err := signed.Verify(at+transaction+"?"+query, s.deps.Now())
	if err != nil {
		if over, ok := signed.Expired(at+transaction+"?"+query, s.deps.Now()); ok && over.Transaction == transaction {
			s.tooLate(ctx, over)
		}
		return nil, fail.New(fail.Forbidden, "%v", err)
	}
	if transaction != grant.Transaction {
		return nil, fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
	}
	t, err := s.sold(ctx, grant)
	if err != nil {
		return nil, err
	}
	return s.fetched(ctx, t)
}

// FetchBought opens what was bought at an address of this front desk's own gate: address is that of
// the content, and grant what the address is bound to that opened it, which was verified. Errors
// are as of Fetch.
func (s *Service) FetchBought(ctx context.Context, address string, grant sign.URLGrant) (*Content, error) {
	t, err := s.sold(ctx, grant)
	if err != nil {
		return nil, err
	}
	asked, err := url.Parse(address)
	if err != nil || t.Method != transactions.Instructions {
		return nil, fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
	}
	if entry := s.deps.Assortment.EntryAt(t.URI, t.Site, t.Item.Source); entry != nil {
		if own, err := exchange.OutletPath(entry.URL); err != nil || own != asked.RequestURI() {
			return nil, fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
		}
	}
	return s.fetched(ctx, t)
}

// sold gives the transaction that a signed address is bound to.
func (s *Service) sold(ctx context.Context, grant sign.URLGrant) (t transactions.Transaction, err error) {
	err = s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		var ok bool
		if t, ok, err = transactions.FindTransaction(ctx, tx, grant.Transaction); err == nil &&
			(!ok || t.Failed || t.Agent != grant.Agent) {
			err = fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
		}
		return err
	})
	if err == nil && t.Disputed != "" {
		err = fail.New(fail.Forbidden, "this was disputed and paid back; buy it again to fetch it")
	}
	return t, err
}

// disputable is for how long after its end a fetch at an address is recorded.
const disputable = 24 * time.Hour

// tooLate records that an address was opened after it had expired, which a dispute may name.
func (s *Service) tooLate(ctx context.Context, grant sign.URLGrant) {
	now := s.deps.Now()
	if now.Sub(grant.Expires) > disputable {
		return
	}
	if t, err := s.sold(ctx, grant); err == nil {
		s.refused(ctx, transactions.Refusal{Transaction: t.ID, At: now, Status: http.StatusForbidden, Expired: true})
	}
}

// refused records that nothing was delivered at an address that was signed. What cannot be recorded
// is told to the log: the answer is the same.
func (s *Service) refused(ctx context.Context, r transactions.Refusal) {
	r.At = r.At.UTC().Truncate(time.Microsecond)
	if err := s.deps.DB.Update(ctx, func(tx *store.Tx) error { return transactions.PutRefusal(ctx, tx, r) }); err !=
		nil && ctx.Err() == nil {
		s.deps.Log.Error("a fetch that was refused could not be recorded", "error", err)
	}
}

// fetched opens what a transaction has bought.
func (s *Service) fetched(ctx context.Context, t transactions.Transaction) (*Content, error) {
	item, media, err := s.deps.Assortment.CopyOf(ctx, t)
	if err != nil {
		if fail.From(err).Code == fail.NotFound {
			s.refused(ctx, transactions.Refusal{Transaction: t.ID, At: s.deps.Now(), Status: http.StatusNotFound})
		}
		return nil, err
	}
	return &Content{URI: item.URL(), Media: media, by: s, sale: t, item: item}, nil
}

// In gives what was bought in one of the types of Media.
func (f *Content) In(media string) *Rendition {
	r := &Rendition{Media: media, of: f, body: f.item.Render(media)}
	r.Size, r.Hash = int64(len(r.body)), sha256.Sum256(r.body)
	return r
}
