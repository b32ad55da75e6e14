// Package rampapi has the handlers of RAMP v1, on the side of the Exchange: offers, purchases,
// usage reports and disputes, over Connect, gRPC and gRPC-Web on one port and as MCP tools, and the
// documents that describe the Exchange.
//
// A request passes the same checks in one order: size, form, rules, critical extensions, identity,
// rate limit. Then the service is called, and its answer is written in the protocol's words. The
// package owns that translation, errors included. It must not know content, ledger or database: it
// calls exchange, delivery and identity. Enter by [Handler] and [Tools].
package rampapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/reflect/protoreflect"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/wire/grpc/health/v1/healthv1connect"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
)

// Version is what answers say in ver.
const Version = "1.0"

// MaxBody is how many bytes a request may have, and how many its message may have once it is
// decompressed.
const MaxBody = 1 << 20

// Services are the use cases that the handlers call.
type Services struct {
	Exchange  *exchange.Service
	Suppliers *exchange.Suppliers
	Domains   *exchange.Domains
	Delivery  *delivery.Service
}

// Config is what the handlers need beside the services.
type Config struct {
	// Exchange is the domain by which this Exchange is known: what answers name as exchange.
	Exchange string
	// Currency is that of what costs nothing; empty is US dollars.
	Currency string
	// Deadline is how long a query may take that does not say, and MaxDeadline how long one may
	// take that does; other requests may take MaxDeadline.
	Deadline, MaxDeadline time.Duration
	// Targets gives the addresses of a request under which it may have been signed: that at which
	// it arrived, and that which the public address makes of it.
	Targets func(*http.Request) []string
	// UnknownHost says of a request that the host in its Targets is nobody's word but its sender's.
	// Nil says that of none.
	UnknownHost func(*http.Request) bool
	// Identify says who sent a request. Its errors are those of [requesters.Registry.Identify].
	Identify func(context.Context, *rampv1.Requester, requesters.Call) (requesters.Requester, error)
	// Resolved takes the signature of a request to the Broker, once. Nil takes it any number of
	// times.
	Resolved func(context.Context, *identity.Proof) error
	// Forwarded says whether a query passed through the intermediaries that it names, as
	// [requesters.Registry.Forwarded] does. Nil believes none.
	Forwarded func(context.Context, *rampv1.ResourceQuery, wire.ReceivedQuery, func() error) error
	// Signatures is how Identify wants requests signed, as [requesters.Config] has it, for tools to
	// say.
	Signatures string
	// Purchases is how it wants requests signed that spend, and Local says that tools are called
	// over no network, by whoever runs this process: nothing is bought there, since nobody can show
	// who they are.
	Purchases string
	Local     bool
	// PushClient says which caller sent a request of the CatalogService, or about a domain, which
	// names it, or does not name anybody. Its errors are those of
	// [requesters.PushClients.Identify]. Nil takes nothing that is pushed.
	PushClient func(ctx context.Context, named string, call requesters.Call) (*requesters.PushClient, error)
	// SignUp signs a requester up, and says whether it had not been before. Nil lets nobody do so
	// itself.
	SignUp SignUp
	// Admit says why the sender of a tool's call is not let in, whoever the requester is. Nil lets
	// in all.
	Admit func(context.Context) error
	// Count counts a request of a requester, and says what is left. Nil counts nothing.
	Count func(context.Context, requesters.Requester) requesters.Allowance
	// Suspect says, of a request that nobody could be identified by, that too many such came from
	// its address; Failed counts one. A good signature is let in all the same, so that nobody can
	// lock out a neighbour. Nil lets everybody try.
	Suspect func(context.Context) error
	Failed  func(context.Context)
	// Trusted says whether the sender of a dispute that nobody signed is let in. Nil lets in none.
	Trusted func(context.Context) bool
	// MCP says that agents can also connect by MCP, which offers of what is open tell.
	MCP bool
	// Sign signs an offer's document with the Exchange's key.
	Sign func(document []byte) (signature []byte, err error)
	// Attest gives what the site itself attests of what is offered, nil for nothing (RAMP v1,
	// ResourceAttestation); it is the same for the same version. Nil attests nothing.
	Attest func(*exchange.OfferDraft) (*rampv1.ResourceAttestation, error)
	// Base gives the address of this front desk as the sender of a request knows it, without a
	// slash at its end; empty where nobody knows it. FetchAt is the address below which what is
	// bought is fetched, with a slash at its end.
	Base, FetchAt func(context.Context) string
	// Ready says why requests would be refused now; nil when they are answered.
	Ready func(context.Context) error
	// Stopping says that the server is about to stop, so that who watches its health leaves it; nil
	// for never.
	Stopping func() bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time

	// Broker buys for others beside, or in place of, the Exchange; nil for none.
	Broker *Broker

	watchEvery time.Duration // 0 is watchEvery
}

// handlers serves one front desk.
type handlers struct {
	services Services
	Config
}

func newDoor(services Services, config Config) *handlers {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &handlers{services: services, Config: config}
}

// Patterns are the paths that Handler answers, as http.ServeMux reads them: each RPC, and what
// stands below the services.
func Patterns() []string {
	all := []string{
		"/" + rampv1connect.ExchangeServiceName + "/", "/" + rampv1connect.CatalogServiceName + "/",
		"/" + healthv1connect.HealthName + "/",
		"/grpc.reflection.v1.ServerReflection/", "/grpc.reflection.v1alpha.ServerReflection/",
	}
	for at, service := range []protoreflect.Name{"ExchangeService", "CatalogService"} {
		methods := rampv1.File_ramp_v1_ramp_proto.Services().ByName(service).Methods()
		for i := range methods.Len() {
			all = append(all, all[at]+string(methods.Get(i).Name()))
		}
	}
	return append(all, successors...)
}

// successors are where an Exchange of a protocol that came after RAMP v1 is asked.
var successors = []string{"/fora.v1.ExchangeService/", "/ramp.v2.ExchangeService/"}

// refuseSuccessor says to who asks in a protocol that came after RAMP v1 which one is spoken here.
func refuseSuccessor(w http.ResponseWriter, r *http.Request) {
	name := "RAMP 2"
	if strings.HasPrefix(r.URL.Path, successors[0]) {
		name = "FORA"
	}
	WriteError(w, r,
		fail.New(fail.UnsupportedMode, "%s is not spoken here; this Exchange speaks RAMP %s, as its "+
			"/.well-known/ramp-exchange.json says", name, Version))
}

// Handler answers the protocol's RPCs, and the health check and the reflection of gRPC beside them.
func Handler(services Services, config Config) http.Handler {
	at := newDoor(services, config)
	mux := http.NewServeMux()
	path, rpcs := rampv1connect.NewExchangeServiceHandler(exchangeService{handlers: at}, options...)
	mux.Handle(path, at.received(rpcs))
	mux.Handle(at.catalogHandler())
	for _, path := range successors {
		mux.HandleFunc(path, refuseSuccessor)
	}
	path, health := healthv1connect.NewHealthHandler(newHealth(config), options...)
	mux.Handle(path, lasting(health))
	spoken := []string{rampv1connect.ExchangeServiceName, rampv1connect.CatalogServiceName, healthv1connect.HealthName}
	if config.Broker != nil {
		spoken = append(spoken, rampv1connect.BrokerServiceName)
	}
	names := grpcreflect.NewStaticReflector(spoken...)
	for _, of := range []func(*grpcreflect.Reflector, ...connect.HandlerOption) (string, http.Handler){
		grpcreflect.NewHandlerV1, grpcreflect.NewHandlerV1Alpha} {
		path, reflection := of(names, connect.WithReadMaxBytes(maxReflection), compression)
		mux.Handle(path, flushed(reflection))
	}
	return mux
}

// options are those of every RPC: our codecs, and how much of a message is read.
var options = []connect.HandlerOption{
	connect.WithCodec(wire.Codec{}), connect.WithCodec(wire.Codec{Charset: true}), connect.WithCodec(wire.Binary{}),
	connect.WithReadMaxBytes(MaxBody), compression,
	connect.WithCompressMinBytes(plainly),
}

// maxReflection is how many bytes a question about the services may have.
const maxReflection = 16 << 10

// exchangeService is ExchangeService. What is not here is answered with unimplemented.
type exchangeService struct {
	rampv1connect.UnimplementedExchangeServiceHandler
	*handlers
}

// DiscoverResources says what is offered for resources.
func (x exchangeService) DiscoverResources(ctx context.Context,
	r *connect.Request[rampv1.ResourceQuery]) (*connect.Response[rampv1.ResourceResponse], error) {
	return take(ctx, x.handlers, r, x.discover)
}

// ExecuteTransaction buys by offers.
func (x exchangeService) ExecuteTransaction(ctx context.Context,
	r *connect.Request[rampv1.TransactionRequest]) (*connect.Response[rampv1.TransactionResponse], error) {
	return take(ctx, x.handlers, r, x.execute)
}

// ReportUsage takes a report on how content was used.
func (x exchangeService) ReportUsage(ctx context.Context,
	r *connect.Request[rampv1.UsageReport]) (*connect.Response[rampv1.UsageReportResponse], error) {
	return take(ctx, x.handlers, r, x.report)
}

// DisputeTransaction takes up a dispute, or says where it stands.
func (x exchangeService) DisputeTransaction(ctx context.Context,
	r *connect.Request[rampv1.DisputeRequest]) (*connect.Response[rampv1.DisputeResponse], error) {
	return take(ctx, x.handlers, r, x.dispute)
}
