package client

import (
	"context"
	"crypto/ed25519"
	"errors"
	"strings"

	"google.golang.org/protobuf/proto"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Supplier is who pushes what a provider sells into the catalog of an Exchange of RAMP v1.
type Supplier struct {
	Caller string             // the caller_id under which the Exchange's operator knows the key
	Key    ed25519.PrivateKey // signs every request (RFC 9421)
	Tenant string             // whose catalog
}

// Catalog is the catalog of a tenant of an Exchange, as [OpenCatalog] found it. It is safe for
// concurrent use.
type Catalog struct {
	exchange *Exchange
	supplier Supplier
}

const catalogPath = "/ramp.v1.CatalogService/"

// OpenCatalog reads the manifest of an Exchange at its address, which says where its catalog is.
// Addresses and options are as of [OpenExchange].
func OpenCatalog(ctx context.Context, address string, s Supplier, options Options) (*Catalog, error) {
	if s.Caller == "" || s.Key == nil || s.Tenant == "" {
		return nil, errors.New(
			"a catalog wants to know who pushes for whom: give the caller's id and key, and the tenant")
	}
	x, err := openSupplier(ctx, address, s.Caller, s.Key, options)
	if err != nil {
		return nil, err
	}
	if x.manifest.GetCatalogEndpoint() == "" {
		return nil, &NotAnExchange{address, "it names no catalog_endpoint: nothing can be pushed there"}
	}
	x.base = strings.TrimSuffix(x.manifest.GetCatalogEndpoint(), "/") + catalogPath
	return &Catalog{x, s}, private(x.base)
}

// maxPushed is how many bytes of entries are pushed by one request, at about.
const maxPushed = 2 << 20

// Push pushes entries, by as many requests as it takes, and says how many were taken and refused
// (RAMP v1, PushResources). Pushed again, they are what they were; so after an error all of it can
// be pushed again.
func (c *Catalog) Push(ctx context.Context, entries []*rampv1.ResourceEntry) (accepted, rejected int, err error) {
	for len(entries) > 0 {
		n, size := 0, 0
		for n < len(entries) && n < ramp.MaxEntries && (n == 0 || size < maxPushed) {
			size += proto.Size(entries[n])
			n++
		}
		answer := &rampv1.PushResourcesResponse{}
		request := &rampv1.PushResourcesRequest{TenantId: c.supplier.Tenant, CallerId: c.supplier.Caller,
			Entries: entries[:n]}
		if _, err := c.exchange.call(ctx, "PushResources", request, answer); err != nil {
			return accepted, rejected, err
		}
		accepted, rejected, entries = accepted+int(answer.Accepted), rejected+int(answer.Rejected), entries[n:]
	}
	return accepted, rejected, nil
}

// maxWithdrawn is how many paths one request takes out.
const maxWithdrawn = 1000

// Remove takes entries out, by their paths at all domains of the tenant, or by their addresses, and
// says how many there were (RAMP v1, RemoveResources).
func (c *Catalog) Remove(ctx context.Context, paths []string) (removed int, err error) {
	for len(paths) > 0 {
		n := min(len(paths), maxWithdrawn)
		answer := &rampv1.RemoveResourcesResponse{}
		if _, err := c.exchange.call(ctx, "RemoveResources",
			&rampv1.RemoveResourcesRequest{TenantId: c.supplier.Tenant, Paths: paths[:n]}, answer); err != nil {
			return removed, err
		}
		removed, paths = removed+int(answer.Removed), paths[n:]
	}
	return removed, nil
}

// Refresh has the Exchange read the tenant's content anew, and says whether it began to (RAMP v1,
// RefreshCatalog).
func (c *Catalog) Refresh(ctx context.Context) (started bool, err error) {
	answer := &rampv1.RefreshCatalogResponse{}
	_, err = c.exchange.call(ctx, "RefreshCatalog", &rampv1.RefreshCatalogRequest{TenantId: c.supplier.Tenant}, answer)
	return answer.Started, err
}
