package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"frontdesk/internal/catalog"
	"frontdesk/internal/content"
	"frontdesk/internal/deal"
	"frontdesk/internal/fail"
	"frontdesk/internal/store"
	"frontdesk/internal/terms"
	"frontdesk/wire/sign"
)

// Fetched is what was bought, as it is delivered.
type Fetched struct {
	Media string // media type
	Body  []byte
	Hash  [sha256.Size]byte // of Body
	URI   string            // for which it was bought
}

// Fetch gives what the signed address of a transaction opens: at is what stands before the transaction's id in it
// (Purchase.FetchAt), query its query as it was received. What it gives is recorded before it returns. The error is
// fail.Forbidden for an address that opens nothing, and fail.NotFound where what was bought is not there any more, or not
// let out any more.
func (d *Desk) Fetch(ctx context.Context, at, transaction, query string) (*Fetched, error) {
	if d.dealing == nil {
		return nil, errNoDeals
	}
	now := d.config.Now().UTC().Truncate(time.Microsecond)
	keys, err := d.dealing.AddressKeys()
	if err != nil {
		return nil, err
	}
	_, grant, err := addressed(at, keys).Verify(at+transaction+"?"+query, now)
	if err != nil {
		return nil, fail.New(fail.Forbidden, "%v", err)
	}
	var t deal.Transaction
	err = d.dealing.DB.View(ctx, func(tx *store.Tx) (err error) {
		var ok bool
		if t, ok, err = deal.FindTransaction(ctx, tx, grant.Transaction); err == nil && (!ok || t.Failed || t.Agent != grant.Agent || transaction != t.ID) {
			err = fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return d.deliver(ctx, t, now)
}

// deliver gives what a transaction has bought, once that is recorded.
func (d *Desk) deliver(ctx context.Context, t deal.Transaction, now time.Time) (*Fetched, error) {
	item, err := d.stillThere(ctx, t)
	if err != nil {
		return nil, err
	}
	out := &Fetched{URI: item.URL}
	out.Media, out.Body = catalog.Delivered(item)
	out.Hash = sha256.Sum256(out.Body)
	err = d.dealing.DB.Update(ctx, func(tx *store.Tx) error {
		entry, err := d.dealt(ctx, tx, t, kindDelivery, now, deliveryBody{Bytes: len(out.Body), Hash: hex.EncodeToString(out.Hash[:]), Status: 200, URI: t.URI})
		if err != nil {
			return err
		}
		_, err = deal.PutDelivery(ctx, tx, deal.Delivery{
			ID: deal.NewID("dlv", now), Transaction: t.ID, Site: t.Site, URI: t.URI, Media: out.Media, State: deal.DeliveryEnded, Status: 200, Announced: int64(len(out.Body)),
			Bytes: int64(len(out.Body)), Sum: out.Hash[:], Whole: true, At: now, Ended: now, Entry: entry,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// stillThere gives the version of an item that was bought, or, when it is no more, the one that is there now.
func (d *Desk) stillThere(ctx context.Context, t deal.Transaction) (*content.Item, error) {
	gone := fail.New(fail.NotFound, "what was bought is not there any more; dispute the transaction")
	if !d.served[t.Site] {
		return nil, gone
	}
	ref := t.Item
	for range 2 {
		items, err := d.config.Catalog.Load(ctx, ref)
		if err != nil {
			return nil, err
		}
		if item := &items[0]; item.URL != "" {
			rules := d.config.Terms()
			facts := terms.Facts{Site: t.Site, Source: t.Item.Source, URL: item.URL, Types: item.Types, Own: terms.Markup(item.Types, item.Object, content.IsA)}
			if rules.Decide(facts).Access == terms.Blocked || !wholeOf(rules, ref, item) {
				return nil, gone
			}
			return item, nil
		}
		wares := d.quoting.Catalog.Find(t.URI) // what is sold at the address by now, whatever spelling it has
		at := slices.IndexFunc(wares, func(w catalog.Entry) bool { return w.Site == t.Site && w.Source == t.Item.Source })
		if at < 0 || wares[at].Ref == ref {
			return nil, gone
		}
		ref = wares[at].Ref
	}
	return nil, gone
}

// deliveryBody is the body of a ledger entry of kind "delivery", in the order of canonical JSON.
type deliveryBody struct {
	Bytes   int    `json:"bytes"`
	Ended   string `json:"ended,omitempty"`  // of a stream
	Seconds int64  `json:"seconds,omitzero"` // of a stream
	Hash    string `json:"sha256"`
	Status  int    `json:"status"`
	URI     string `json:"uri"`
}
