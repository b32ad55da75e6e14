package exchange

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// Outlet delivers items in place of this front desk, such as a CDN, at signed addresses (RAMP v1,
// signed URLs).
type Outlet struct {
	Name string
	// At is where, such as "https://cdn.example.net". An item has the path and the query there that
	// it has in its own address; what is no page of the web has its URI as the path.
	At string
	// Licence binds what is delivered there to the licence that the buyer names, which whoever
	// fetches it shows, instead of to who the buyer is (RAMP v1, agent_identity_hash).
	Licence bool
	// Keys returns the keys that sign addresses at present, the active one first.
	Keys func(context.Context) ([]sign.URLKey, error)
}

// outlet is who delivers a entry; nil for this front desk. A tenant's is delivered by its own
// outlet alone.
func (a *Assortment) outlet(entry *catalog.Entry, tenant *push.Tenant) *Outlet {
	if tenant != nil {
		host, _ := policy.Host(entry.URL)
		if at := cmp.Or(entry.Pushed.At, strings.TrimPrefix(entry.URL, "https://")); host != "" {
			host = hostOf(at)
		} else if len(tenant.Domains) > 0 {
			host = tenant.Domains[0] // what is no page of the web is delivered where the tenant's first domain is
		}
		return a.deps.Push.Outlet(tenant, host)
	}
	return a.deps.Outlet(entry.Facts())
}

// EntryAt is what a source of a site sells at an address by now; nil for nothing.
func (a *Assortment) EntryAt(uri, site, source string) *catalog.Entry {
	for _, entry := range a.deps.Catalog.Find(uri) {
		if entry.Site == site && entry.Source == source {
			return &entry
		}
	}
	return nil
}

// sign makes the address of an item at the outlet, or gives the one that was made for the same
// party, transaction and span of time.
func (o *Outlet) sign(ctx context.Context, item string, grant sign.URLGrant, now time.Time, made *signatures) (string,
	error) {
	keys, err := o.Keys(ctx)
	if err != nil {
		return "", err
	}
	path, err := OutletPath(item)
	if err != nil {
		return "", sign.ErrURLForm
	}
	content := o.At + path
	return made.sign(sign.URLKeys{Origin: o.At, Keys: keys}, content, grant, now)
}

// signatures are addresses that CloudFront's keys have signed, with a policy that is canned or
// custom, until they end: such a key takes many times as long to sign as other forms do, and who
// asks for a purchase again is given the same address anyway. The zero value is ready.
type signatures struct {
	mu   sync.Mutex
	made map[signatureOf]string
	next time.Time // when what has ended is let go
}

// signatureOf is what is signed: the key, the resource, the party with its transaction, and the
// span of time. A key that does not sign any more is none of those that are looked for.
type signatureOf struct {
	key     string
	options sign.URLOptions
	content string
	grant   sign.URLGrant
}

// maxSignatures is how many are kept, of less than 2 KiB each.
const maxSignatures = 5000

func (p *signatures) sign(keys sign.URLKeys, content string, grant sign.URLGrant, now time.Time) (string, error) {
	at := slices.IndexFunc(keys.Keys, func(k sign.URLKey) bool { return k.Ends.IsZero() || now.Before(k.Ends) })
	if at < 0 || keys.Keys[at].Form != sign.URLCloudFront {
		return keys.Sign(content, grant, now)
	}
	grant.Expires = grant.Expires.UTC().Round(0) // as times are compared
	of := signatureOf{keys.Keys[at].ID, keys.Keys[at].Options, content, grant}
	p.mu.Lock()
	address, ok := p.made[of]
	p.mu.Unlock()
	if ok {
		return address, nil
	}
	address, err := keys.Sign(content, grant, now)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		p.made = map[signatureOf]string{}
	}
	if !now.Before(p.next) {
		maps.DeleteFunc(p.made, func(of signatureOf, _ string) bool { return !now.Before(of.grant.Expires) })
		p.next = now.Add(time.Minute)
	}
	if len(p.made) < maxSignatures && now.Before(grant.Expires) && len(address) < 2<<10 {
		p.made[of] = address
	}
	return address, nil
}

// ready says whether the outlet's form can tell an item's address, and a key signs it.
func (o *Outlet) ready(ctx context.Context, item string, now time.Time) bool {
	keys, err := o.Keys(ctx)
	if err != nil {
		return false
	}
	path, err := OutletPath(item)
	return err == nil && sign.URLKeys{Origin: o.At, Keys: keys}.Can(o.At+path, now)
}

// OutletPath is the path, with its query, at which an outlet has an item: that of its own address.
// What is no page of the web is at its URI, as one segment: "/duns:804735132".
func OutletPath(item string) (string, error) {
	own, err := url.Parse(item)
	if err != nil {
		return "", err
	}
	if own.Scheme == "http" || own.Scheme == "https" {
		return own.RequestURI(), nil
	}
	return "/" + strings.ReplaceAll((&url.URL{Path: "/" + item}).EscapedPath()[1:], "/", "%2F"), nil
}
