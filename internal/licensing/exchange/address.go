package exchange

import (
	"context"
	"errors"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/sign"
)

// signAddresses makes the addresses from which what was bought can be fetched, now that it is
// recorded. Where that cannot be done, everything that was bought is undone, and recorded as
// failed.
func (s *Service) signAddresses(ctx context.Context, p Order, out *OrderResult) error {
	var failed error
	for i := range out.Items {
		if item := &out.Items[i]; item.Denial == "" {
			var err error
			if item.URL, err = s.signAddress(ctx, p.FetchAt, item.Transaction); err != nil {
				failed = err
			}
		}
	}
	if failed == nil {
		return nil
	}
	err := s.deps.DB.UpdateBatched(context.WithoutCancel(ctx), s.locks(p, nil), func(tx *store.Tx) error {
		return s.undo(context.WithoutCancel(ctx), tx, p, out)
	})
	return fail.New(fail.Internal, "what was bought cannot be fetched at present, and was taken back; try again later").
		Wrap(errors.Join(failed, err))
}

// StreamPath is what stands behind a transaction's id in the address of its stream.
const StreamPath = "/stream"

// signAddress makes the address of what was bought: with who delivers it, or else here.
func (s *Service) signAddress(ctx context.Context, at string, t transactions.Transaction) (string, error) {
	grant := sign.URLGrant{Expires: t.Expires, Agent: t.Agent, Transaction: t.ID}
	if t.Method == transactions.Instructions {
		if entry := s.assortment.EntryAt(t.URI, t.Site, t.Item.Source); entry != nil {
			_, tenant, _ := s.assortment.termsFor(entry, nil)
			if outlet := s.assortment.outlet(entry, tenant); outlet != nil {
				return outlet.sign(ctx, entry.URL, grant, s.deps.Now(), &s.signatures)
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
