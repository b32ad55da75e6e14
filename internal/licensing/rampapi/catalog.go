package rampapi

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/exchange"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
)

// MaxPush is how many bytes a request of the CatalogService may have, and how many its message may
// have once it is decompressed.
const MaxPush = 8 << 20

// MaxRemoved is how many paths a request may take out.
const MaxRemoved = 1000

// supply is CatalogService (RAMP v1).
type supply struct {
	*handlers
}

// catalogOptions are those of its RPCs: more of a message is read than of others.
var catalogOptions = []connect.HandlerOption{
	connect.WithCodec(wire.Codec{}), connect.WithCodec(wire.Codec{Charset: true}), connect.WithCodec(wire.Binary{}),
	connect.WithReadMaxBytes(MaxPush),
	connect.WithCompression("gzip", func() connect.Decompressor { return &unpacker{most: MaxPush} },
		func() connect.Compressor { return gzip.NewWriter(io.Discard) }),
}

// PushResources takes entries into a tenant's catalog.
func (c supply) PushResources(ctx context.Context,
	r *connect.Request[rampv1.PushResourcesRequest]) (*connect.Response[rampv1.PushResourcesResponse], error) {
	return supplied(ctx, c.handlers, r, c.push)
}

// RemoveResources takes entries out of it.
func (c supply) RemoveResources(ctx context.Context,
	r *connect.Request[rampv1.RemoveResourcesRequest]) (*connect.Response[rampv1.RemoveResourcesResponse], error) {
	return supplied(ctx, c.handlers, r, c.remove)
}

// RefreshCatalog begins to read a tenant's content anew.
func (c supply) RefreshCatalog(ctx context.Context,
	r *connect.Request[rampv1.RefreshCatalogRequest]) (*connect.Response[rampv1.RefreshCatalogResponse], error) {
	return supplied(ctx, c.handlers, r, c.reread)
}

// supplied has a request of the CatalogService, or about a domain, answered, once it is known which
// caller sent it: the signature over HTTP says so, before anything of the message is looked at
// beside who it says it is by.
func supplied[Q, A any](ctx context.Context, d *handlers, r *connect.Request[Q],
	answer func(context.Context, *requesters.PushClient, *Q) (*A, error)) (*connect.Response[A], error) {
	httpx.EventFrom(ctx).Set("protocol", r.Peer().Protocol)
	ctx, cancel := context.WithTimeout(ctx, d.MaxDeadline)
	defer cancel()
	by, err := d.caller(ctx, any(r.Msg))
	if err != nil {
		return nil, failed(ctx, err)
	}
	httpx.EventFrom(ctx).Set("party", "caller:"+by.ID)
	out, err := answer(ctx, by, r.Msg)
	if err != nil {
		return nil, failed(ctx, err)
	}
	return connect.NewResponse(out), nil
}

// caller says who sent a request, and counts who could not be told.
func (d *handlers) caller(ctx context.Context, m any) (*requesters.PushClient, error) {
	if d.PushClient == nil {
		return nil, fail.New(fail.UnsupportedMode, "nothing is pushed here")
	}
	if d.Ready != nil {
		if err := d.Ready(ctx); err != nil {
			return nil, err
		}
	}
	named := ""
	switch m := m.(type) {
	case *rampv1.PushResourcesRequest:
		if named = m.CallerId; named == "" {
			return nil,
				&wire.Invalid{Path: "caller_id", Problem: "is empty; name the caller that the operator registered"}
		}
	case *rampv1.DomainVerificationRequest:
		named = m.GetCallerId()
	}
	came, _ := ctx.Value(arrivalKey{}).(requesters.Call)
	by, err := d.PushClient(ctx, named, came)
	if err == nil || fail.From(err).Code != fail.Unauthorized || d.Suspect == nil {
		return by, err
	}
	if many := d.Suspect(ctx); many != nil {
		return nil, many
	}
	d.Failed(ctx)
	return nil, err
}

func (c supply) push(ctx context.Context, by *requesters.PushClient,
	m *rampv1.PushResourcesRequest) (*rampv1.PushResourcesResponse, error) {
	if err := wire.Validate(&rampv1.PushResourcesRequest{TenantId: m.TenantId, CallerId: m.CallerId}); err != nil {
		return nil, err
	}
	if len(m.Entries) > wire.MaxEntries {
		return nil,
			&wire.Invalid{Path: "entries", Problem: fmt.Sprintf("has more than %d; push them in several requests",
				wire.MaxEntries)}
	}
	accepted, rejected, err := c.services.Suppliers.Push(ctx, by, m.TenantId, len(m.Entries),
		func(i int) exchange.PushedEntry { return pushed(m.Entries[i]) })
	if err != nil {
		return nil, err
	}
	e := httpx.EventFrom(ctx)
	e.Set("accepted", accepted)
	e.Set("rejected", rejected)
	return &rampv1.PushResourcesResponse{Accepted: int32(accepted), Rejected: int32(rejected)}, nil
}

// The bounds of what an entry tells, in bytes.
const (
	maxEntryTitle = 1024
	maxEntryText  = 512
)

// pushed is an entry in the service's words. What is wrong with it is told there, and does not
// touch the others.
func pushed(e *rampv1.ResourceEntry) exchange.PushedEntry {
	p := exchange.PushedEntry{Domain: strings.ToLower(e.GetDomain()), Path: e.GetPath(), URI: wire.EntryURI(e),
		Attestations: e.GetAttestations()}
	p.Entry.ContentID, p.Entry.Title, p.Entry.Hash, p.Entry.Method = e.GetContentId(), e.GetTitle(), e.GetContentHash(),
		e.GetHashMethod()
	p.Entry.Words, p.Entry.Quantity, p.Entry.Found = int64(e.GetWordCount()), int64(e.GetEstimatedQuantity()),
		int32(e.GetSource())
	p.Entry.Provenance = e.GetProvenanceSource()
	if at := e.GetProvenanceTimestamp(); at != nil {
		p.Entry.Collected = at.AsTime()
	}
	if err := wire.Validate(e); err != nil {
		p.Reason, p.Detail = exchange.RefusedEntry, err.Error()
		return p
	}
	for _, text := range []struct {
		name, text string
		most       int
	}{{"title", p.Entry.Title, maxEntryTitle}, {"content_id", p.Entry.ContentID, maxEntryText},
		{"content_hash", p.Entry.Hash, maxEntryText}, {"hash_method", p.Entry.Method, 64},
		{"provenance_source", p.Entry.Provenance, maxEntryText}} {
		if len(text.text) > text.most {
			p.Reason, p.Detail = exchange.RefusedEntry, fmt.Sprintf("%s has more than %d bytes", text.name, text.most)
			return p
		}
	}
	if keys := wire.UnknownCritical(proto.Message(e), known); len(keys) > 0 {
		p.Reason, p.Detail = exchange.RefusedExtension, (&unknownKeys{keys}).Error()
	}
	return p
}

func (c supply) remove(ctx context.Context, by *requesters.PushClient,
	m *rampv1.RemoveResourcesRequest) (*rampv1.RemoveResourcesResponse, error) {
	if err := wire.Validate(m); err != nil {
		return nil, err
	}
	if len(m.Paths) > MaxRemoved {
		return nil,
			&wire.Invalid{Path: "paths", Problem: fmt.Sprintf("has more than %d; remove them in several requests",
				MaxRemoved)}
	}
	removed, err := c.services.Suppliers.Withdraw(ctx, by, m.TenantId, m.Paths)
	if err != nil {
		return nil, err
	}
	httpx.EventFrom(ctx).Set("removed", removed)
	return &rampv1.RemoveResourcesResponse{Removed: clamp(int64(removed))}, nil
}

func (c supply) reread(_ context.Context, by *requesters.PushClient,
	m *rampv1.RefreshCatalogRequest) (*rampv1.RefreshCatalogResponse, error) {
	if err := wire.Validate(m); err != nil {
		return nil, err
	}
	begun, err := c.services.Suppliers.Reread(by, m.TenantId)
	return &rampv1.RefreshCatalogResponse{Started: begun}, err
}

// catalogHandler answers the RPCs of CatalogService.
func (d *handlers) catalogHandler() (path string, handler http.Handler) {
	path, handler = rampv1connect.NewCatalogServiceHandler(supply{d}, catalogOptions...)
	return path, d.receivedBy("CatalogService", MaxPush, handler)
}
