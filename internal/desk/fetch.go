package desk

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/url"
	"slices"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// Fetched is what the address of a transaction opens. It tells nothing of the text: that is in a [Rendition] of it, once its delivery
// has begun.
type Fetched struct {
	URI   string   // for which it was bought
	Media []string // types in which it can be had, that first which the hash of its offer is of

	desk *Desk
	sale transactions.Transaction
	item *released.Copy
}

// Rendition is what was bought in one media type. The same version of an item has the same bytes each time.
type Rendition struct {
	Media string
	Size  int64
	Hash  [sha256.Size]byte

	of   *Fetched
	body []byte
}

// Fetch opens the signed address of a transaction: at is what stands before the transaction's id in it (Purchase.FetchAt), query its
// query as it was received. Nothing is recorded of it: see Rendition.Begin. The error is fail.Forbidden for an address that opens
// nothing, and fail.NotFound where what was bought is not there any more, or not let out any more.
func (d *Desk) Fetch(ctx context.Context, at, transaction, query string) (*Fetched, error) {
	if d.dealing == nil {
		return nil, errNoDeals
	}
	keys, err := d.dealing.AddressKeys()
	if err != nil {
		return nil, err
	}
	signed := addressed(at, keys)
	_, grant, err := signed.Verify(at+transaction+"?"+query, d.config.Now())
	if err != nil {
		if over, ok := signed.Expired(at+transaction+"?"+query, d.config.Now()); ok && over.Transaction == transaction {
			d.tooLate(ctx, over)
		}
		return nil, fail.New(fail.Forbidden, "%v", err)
	}
	if transaction != grant.Transaction {
		return nil, fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
	}
	t, err := d.sold(ctx, grant)
	if err != nil {
		return nil, err
	}
	return d.fetched(ctx, t)
}

// FetchBought opens what was bought at an address of this front desk's own gate: address is that of the content, and grant what the
// address is bound to that opened it, which was verified. Errors are as of Fetch.
func (d *Desk) FetchBought(ctx context.Context, address string, grant sign.URLGrant) (*Fetched, error) {
	if d.dealing == nil {
		return nil, errNoDeals
	}
	t, err := d.sold(ctx, grant)
	if err != nil {
		return nil, err
	}
	asked, err := url.Parse(address)
	if err != nil || t.Method != instructions {
		return nil, fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
	}
	if ware := d.wareOf(t.URI, t.Site, t.Item.Source); ware != nil {
		if own, err := pathAt(ware.URL); err != nil || own != asked.RequestURI() {
			return nil, fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
		}
	}
	return d.fetched(ctx, t)
}

// sold gives the transaction that a signed address is bound to.
func (d *Desk) sold(ctx context.Context, grant sign.URLGrant) (t transactions.Transaction, err error) {
	err = d.dealing.DB.View(ctx, func(tx *store.Tx) (err error) {
		var ok bool
		if t, ok, err = transactions.FindTransaction(ctx, tx, grant.Transaction); err == nil && (!ok || t.Failed || t.Agent != grant.Agent) {
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
func (d *Desk) tooLate(ctx context.Context, grant sign.URLGrant) {
	now := d.config.Now()
	if now.Sub(grant.Expires) > disputable {
		return
	}
	if t, err := d.sold(ctx, grant); err == nil {
		d.refused(ctx, transactions.Refusal{Transaction: t.ID, At: now, Status: http.StatusForbidden, Expired: true})
	}
}

// refused records that nothing was delivered at an address that was signed. What cannot be recorded is told to the log: the answer is the same.
func (d *Desk) refused(ctx context.Context, r transactions.Refusal) {
	r.At = r.At.UTC().Truncate(time.Microsecond)
	if err := d.dealing.DB.Update(ctx, func(tx *store.Tx) error { return transactions.PutRefusal(ctx, tx, r) }); err != nil && ctx.Err() == nil {
		d.config.Log.Error("a fetch that was refused could not be recorded", "error", err)
	}
}

// fetched opens what a transaction has bought.
func (d *Desk) fetched(ctx context.Context, t transactions.Transaction) (*Fetched, error) {
	item, media, err := d.stillThere(ctx, t)
	if err != nil {
		if fail.From(err).Code == fail.NotFound {
			d.refused(ctx, transactions.Refusal{Transaction: t.ID, At: d.config.Now(), Status: http.StatusNotFound})
		}
		return nil, err
	}
	return &Fetched{URI: item.URL(), Media: media, desk: d, sale: t, item: item}, nil
}

// Shown is an item that is open to everyone.
type Shown struct {
	URI   string
	Media []string // types in which it can be had

	item *released.Copy
}

// Show gives the item at an address, if it is open as a whole to everyone. The error is fail.NotFound where there is none, and
// fail.Forbidden for one that is not open.
func (d *Desk) Show(ctx context.Context, address string) (*Shown, error) {
	if d.goods.catalog == nil {
		return nil, fail.New(fail.NotFound, "there is nothing at this address")
	}
	rules, closed := d.config.Terms(), false
	for _, ware := range d.goods.catalog.Find(address) {
		if !d.served[ware.Site] || ware.IsPushed() {
			continue
		}
		if rules.Decide(ware.Facts()).Access != policy.Open {
			closed = closed || rules.Decide(ware.Facts()).Access == policy.Licensed
			continue
		}
		found, err := d.corpus.Copy(ctx, ware.Ref)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		if media := found.Forms(rules); media != nil {
			return &Shown{URI: found.URL(), Media: media, item: found}, nil
		}
	}
	if closed {
		return nil, fail.New(fail.Forbidden, "this content opens to a licence alone")
	}
	return nil, fail.New(fail.NotFound, "there is nothing at this address")
}

// In gives the item in one of the types of Media.
func (s *Shown) In(media string) []byte { return s.item.Render(media) }

// In gives what was bought in one of the types of Media.
func (f *Fetched) In(media string) *Rendition {
	r := &Rendition{Media: media, of: f, body: f.item.Render(media)}
	r.Size, r.Hash = int64(len(r.body)), sha256.Sum256(r.body)
	return r
}

// stillThere gives the version of an item that was bought, or, when it is no more, the one that is there now; and the media types in
// which it may be had.
func (d *Desk) stillThere(ctx context.Context, t transactions.Transaction) (item *released.Copy, media []string, err error) {
	gone := fail.New(fail.NotFound, "what was bought is not there any more; dispute the transaction")
	if !d.served[t.Site] {
		return nil, nil, gone
	}
	ref := t.Item
	for range 2 {
		found, err := d.corpus.Copy(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		if found != nil {
			if media := d.lets(found); media != nil {
				return found, media, nil
			}
			return nil, nil, gone
		}
		wares := d.quoting.Catalog.Find(t.URI) // what is sold at the address by now, whatever spelling it has
		at := slices.IndexFunc(wares, func(w catalog.Entry) bool { return w.Site == t.Site && w.Source == t.Item.Source })
		if at < 0 || wares[at].Ref == ref {
			return nil, nil, gone
		}
		ref = wares[at].Ref
	}
	return nil, nil, gone
}

// lets gives the media types in which today's terms let an item be had that was bought; nil for none. In whichever it is sold as a
// whole, it can be had: others would give away what has a price of its own.
func (d *Desk) lets(item *released.Copy) (media []string) {
	rules := d.config.Terms()
	if rules.Decide(item.Facts()).Access == policy.Blocked {
		return nil
	}
	return item.Forms(rules)
}
