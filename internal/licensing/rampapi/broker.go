package rampapi

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
)

// ResolvePath is where a Broker answers plain JSON (RAMP v1, RAMPRequest).
const ResolvePath = "/broker/v1/resolve"

// Broker is what the handlers need of a Broker.
type Broker struct {
	// Resolve answers a request of a requester by its account. An error that is a Told is told as
	// it says.
	Resolve func(ctx context.Context, request *rampv1.RAMPRequest, account string) (*rampv1.RAMPResponse, error)
	// Critical says whether a key of the ext of a message is heeded there.
	Critical func(message, key string) bool
	// Report and Dispute pass on what is about a transaction that the Broker made; is says that
	// there is one, of who may speak for it.
	Report func(ctx context.Context, report *rampv1.UsageReport,
		who requesters.Requester) (answer *rampv1.UsageReportResponse, is bool, err error)
	Dispute func(ctx context.Context, request *rampv1.DisputeRequest,
		who requesters.Requester) (answer *rampv1.DisputeResponse, is bool, err error)
}

// CodedError is an error with its own Connect code, message, details and retry time.
type CodedError interface {
	error
	Code() string
	Details() map[string]any
	RetryAfter() time.Duration
}

// BrokerPatterns are the paths that BrokerHandler answers. alone adds those of the Exchange's
// service that a Broker without an Exchange beside it answers: what is about transactions that it
// made.
func BrokerPatterns(alone bool) []string {
	all := []string{ResolvePath, "/" + rampv1connect.BrokerServiceName + "/",
		rampv1connect.BrokerServiceResolveProcedure}
	if alone {
		all = append(all, "/"+rampv1connect.ExchangeServiceName+"/", rampv1connect.ExchangeServiceReportUsageProcedure,
			rampv1connect.ExchangeServiceDisputeTransactionProcedure)
	}
	return all
}

// BrokerHandler answers requests to a Broker: over Connect, gRPC and gRPC-Web, and as plain JSON at
// ResolvePath. Of the configuration it needs what tells who asks and how often, and Broker.
func BrokerHandler(config Config) http.Handler {
	at := newDoor(Services{}, config)
	mux := http.NewServeMux()
	path, service := rampv1connect.NewBrokerServiceHandler(brokerService{handlers: at}, options...)
	received := at.receivedBy("BrokerService", MaxBody, service)
	mux.Handle(path, received)
	mux.Handle(ResolvePath, at.plainResolve(service))
	path, relay := rampv1connect.NewExchangeServiceHandler(relayService{handlers: at}, options...)
	mux.Handle(path, at.received(relay))
	return mux
}

// plainResolve answers the plain address as the RPC in Connect's JSON.
func (d *handlers) plainResolve(service http.Handler) http.Handler {
	rpc := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := *r.URL
		at.Path, at.RawPath = rampv1connect.BrokerServiceResolveProcedure, ""
		r = r.Clone(r.Context())
		r.URL = &at
		service.ServeHTTP(w, r)
	})
	received := d.receivedAs("Resolve", MaxBody, rpc)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
			WriteError(w, r,
				fail.New(fail.MediaType, "send the request as application/json; other forms are spoken at %s",
					rampv1connect.BrokerServiceResolveProcedure))
			return
		}
		received.ServeHTTP(w, r)
	})
}

// brokerService is BrokerService.
type brokerService struct{ *handlers }

// Resolve finds and buys.
func (x brokerService) Resolve(ctx context.Context,
	r *connect.Request[rampv1.RAMPRequest]) (*connect.Response[rampv1.RAMPResponse], error) {
	return take(ctx, x.handlers, r, x.resolve)
}

// resolve hands a request to the Broker.
func (d *handlers) resolve(ctx context.Context, c *call, request *rampv1.RAMPRequest) (*rampv1.RAMPResponse, error) {
	if err := c.exceeded(); err != nil {
		return nil, err
	}
	// RAMP v1, Delegation: MUST reject expired tokens
	if under := c.who.Delegation; under != nil && under.Ended != nil {
		return nil, fail.New(fail.Forbidden, "requester.delegation: %v", under.Ended)
	}
	if d.Resolved != nil && c.who.Proof != nil {
		if err := d.Resolved(ctx, c.who.Proof); err != nil {
			return nil, err
		}
	}
	out, err := d.Broker.Resolve(ctx, request, c.who.Account())
	if err != nil {
		return nil, asTold(err)
	}
	e := httpx.EventFrom(ctx)
	e.Set("exchange", out.Exchange)
	e.Set("transaction", out.TransactionId)
	return out, nil
}

// asTold is an error as it wants to be told.
func asTold(err error) error {
	var says CodedError
	if !errors.As(err, &says) {
		return err
	}
	var code connect.Code
	if code.UnmarshalText([]byte(says.Code())) != nil {
		return err
	}
	out := connect.NewError(code, errors.New(says.Error()))
	if wait := says.RetryAfter(); wait > 0 {
		out.Meta().Set("Retry-After", strconv.Itoa(fail.Seconds(wait)))
	}
	if details, err := structpb.NewStruct(says.Details()); err == nil && len(details.Fields) > 0 {
		if detail, err := connect.NewErrorDetail(details); err == nil {
			out.AddDetail(detail)
		}
	}
	return out
}

// relayService is what of the Exchange's service a Broker without an Exchange answers.
type relayService struct {
	rampv1connect.UnimplementedExchangeServiceHandler
	*handlers
}

var errSellsNothing = fail.New(fail.UnsupportedMode, "a Broker sells nothing itself; have it buy by "+
	"ramp.v1.BrokerService/Resolve or POST /broker/v1/resolve, or ask an Exchange")

// DiscoverResources says where to ask.
func (relayService) DiscoverResources(ctx context.Context,
	_ *connect.Request[rampv1.ResourceQuery]) (*connect.Response[rampv1.ResourceResponse], error) {
	return nil, failed(ctx, errSellsNothing)
}

// ExecuteTransaction says where to ask.
func (relayService) ExecuteTransaction(ctx context.Context,
	_ *connect.Request[rampv1.TransactionRequest]) (*connect.Response[rampv1.TransactionResponse], error) {
	return nil, failed(ctx, errSellsNothing)
}

var errNotSold = fail.New(fail.NotFound, "transaction_id: no transaction of this requester was made through this "+
	"Broker; ask the Exchange that sold it")

// ReportUsage passes a report on.
func (x relayService) ReportUsage(ctx context.Context,
	r *connect.Request[rampv1.UsageReport]) (*connect.Response[rampv1.UsageReportResponse], error) {
	return take(ctx, x.handlers, r,
		func(ctx context.Context, c *call, report *rampv1.UsageReport) (*rampv1.UsageReportResponse, error) {
			if err := c.exceeded(); err != nil {
				return nil, err
			}
			out, is, err := x.relayed(ctx, c, report)
			if err == nil && !is {
				err = errNotSold
			}
			return out, err
		})
}

// DisputeTransaction passes a dispute on.
func (x relayService) DisputeTransaction(ctx context.Context,
	r *connect.Request[rampv1.DisputeRequest]) (*connect.Response[rampv1.DisputeResponse], error) {
	return take(ctx, x.handlers, r,
		func(ctx context.Context, c *call, request *rampv1.DisputeRequest) (*rampv1.DisputeResponse, error) {
			if err := c.exceeded(); err != nil {
				return nil, err
			}
			out, is, err := x.disputedElsewhere(ctx, c, request)
			if err == nil && !is {
				err = errNotSold
			}
			return out, err
		})
}

// relayed passes a report on, where it is about a transaction that the Broker made.
func (d *handlers) relayed(ctx context.Context, c *call, report *rampv1.UsageReport) (out *rampv1.UsageReportResponse,
	is bool, err error) {
	if d.Broker == nil || d.Broker.Report == nil {
		return nil, false, nil
	}
	if out, is, err = d.Broker.Report(ctx, report, c.who); is {
		httpx.EventFrom(ctx).Set("relayed", true)
	}
	if err != nil {
		err = asTold(err)
	}
	return out, is, err
}

// disputedElsewhere passes a dispute on, where it is about a transaction that the Broker made.
func (d *handlers) disputedElsewhere(ctx context.Context, c *call,
	request *rampv1.DisputeRequest) (out *rampv1.DisputeResponse, is bool, err error) {
	if d.Broker == nil || d.Broker.Dispute == nil {
		return nil, false, nil
	}
	if c.who.Signed == "" {
		return nil, false,
			fail.New(fail.Unauthorized, "a dispute is signed by the buyer, over HTTP (RFC 9421); sign the request, "+
				"with your domain as keyid")
	}
	if out, is, err = d.Broker.Dispute(ctx, request, c.who); is {
		httpx.EventFrom(ctx).Set("relayed", true)
	}
	if err != nil {
		err = asTold(err)
	}
	return out, is, err
}

// heeded says whether a key of ext is known to these handlers.
func (d *handlers) heeded(message, key string) bool {
	return known(message, key) || d != nil && d.Broker != nil && d.Broker.Critical != nil && message == wireRequest &&
		d.Broker.Critical(message, key)
}

// wireRequest is the name of a request to a Broker.
var wireRequest = string((&rampv1.RAMPRequest{}).ProtoReflect().Descriptor().FullName())

// orElse asks elsewhere for what is not known here; what is not known there either is as it was.
func orElse[A any](here error, there func() (*A, bool, error)) (*A, error) {
	if fail.From(here).Code != fail.NotFound {
		return nil, here
	}
	out, is, err := there()
	switch {
	case err != nil && is:
		return nil, err
	case is:
		return out, nil
	}
	return nil, here
}
