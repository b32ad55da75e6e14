package desk

import (
	"context"
	"net/url"
	"time"

	"frontdesk/internal/catalog"
	"frontdesk/wire/sign"
)

// Outlet is who delivers items in this front desk's place, such as a CDN, at addresses that are signed for it (RAMP v1, delivery
// method INSTRUCTIONS).
type Outlet struct {
	Name string
	// At is where, such as "https://cdn.example.net". An item has the path and the query there that it has in its own address.
	At string
	// Keys give the keys that sign addresses at the time, the one in use first; none while there is none.
	Keys func(context.Context) ([]sign.URLKey, error)
}

// The ways of delivery (RAMP v1, DeliveryMethod).
const (
	direct       = "direct"       // by this front desk
	instructions = "instructions" // by an address, which may be an outlet's
	streaming    = "streaming"    // by this front desk, as a stream of events
)

// outlet is who delivers a ware; nil for this front desk.
func (d *Desk) outlet(ware *catalog.Entry) *Outlet {
	if d.quoting.Outlet == nil {
		return nil
	}
	return d.quoting.Outlet(ware.Facts())
}

// wareOf is what a source of a site sells at an address by now; nil for nothing.
func (d *Desk) wareOf(uri, site, source string) *catalog.Entry {
	for _, ware := range d.quoting.Catalog.Find(uri) {
		if ware.Site == site && ware.Source == source {
			return &ware
		}
	}
	return nil
}

// sign makes the address of an item at the outlet.
func (o *Outlet) sign(ctx context.Context, item string, grant sign.URLGrant, now time.Time) (string, error) {
	keys, err := o.Keys(ctx)
	if err != nil {
		return "", err
	}
	own, err := url.Parse(item)
	if err != nil {
		return "", sign.ErrURLForm
	}
	return sign.URLKeys{Origin: o.At, Keys: keys}.Sign(o.At+own.RequestURI(), grant, now)
}

// ready says whether the outlet's form can tell an item's address, and a key signs it.
func (o *Outlet) ready(ctx context.Context, item string, now time.Time) bool {
	keys, err := o.Keys(ctx)
	if err != nil {
		return false
	}
	own, err := url.Parse(item)
	return err == nil && sign.URLKeys{Origin: o.At, Keys: keys}.Can(o.At+own.RequestURI(), now)
}
