package rampapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/exchange"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// call is a request that may be answered.
type call struct {
	now  time.Time
	who  requesters.Requester
	left requesters.Allowance // of the requester's limit
	http requesters.Call      // as it came
}

// received keeps a request's body and address for who verifies signatures, and hands the request
// on.
func (d *handlers) received(next http.Handler) http.Handler {
	return d.receivedBy("ExchangeService", MaxBody, next)
}

// receivedBy is received for a service whose requests may have so many bytes.
func (d *handlers) receivedBy(service protoreflect.Name, most int64, next http.Handler) http.Handler {
	methods := rampv1.File_ramp_v1_ramp_proto.Services().ByName(service).Methods()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		if methods.ByName(protoreflect.Name(name)) == nil {
			WriteError(w, r,
				fail.New(fail.UnsupportedMode, "there is no such method here; ask the reflection service, or read "+
					"the protocol, for those that there are"))
			return
		}
		d.receivedAs(name, most, next).ServeHTTP(w, r)
	})
}

// receivedAs is receivedBy for the address of one method.
func (d *handlers) receivedAs(method string, most int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !speaks(r.Header.Get("Content-Type")) {
			WriteError(w, r,
				fail.New(fail.MediaType, "send the message as application/json or application/proto, or speak gRPC "+
					"or gRPC-Web"))
			return
		}
		httpx.EventFrom(r.Context()).Set("rpc", method)
		body, err := readBody(w, r, most)
		if err != nil {
			w.Header().Set("Connection", "close") // the rest of the body is not waited for
			WriteError(w, r, unread(r, err))
			return
		}
		came := requesters.Call{Method: r.Method, Header: r.Header.Clone(), Body: body}
		if d.Targets != nil {
			came.Targets = d.Targets(r)
		}
		came.UnknownHost = d.UnknownHost != nil && d.UnknownHost(r)
		r = r.WithContext(WithCall(r.Context(), came))
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
		noteStatus(r.Context(), w.Header())
	})
}

// readBody reads a body that is not too large, and nothing of one that says beforehand that it is.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most {
		return nil, &http.MaxBytesError{Limit: most}
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, most))
}

// noteStatus has the log tell of a failure that gRPC answers with status 200, where nothing else
// told of it: a message that could not be read.
func noteStatus(ctx context.Context, header http.Header) {
	status := header.Get(http.TrailerPrefix + "Grpc-Status")
	if code, err := strconv.Atoi(status); err == nil && code != 0 && httpx.EventFrom(ctx).Text("failure") == "" {
		httpx.EventFrom(ctx).Set("failure", connect.Code(code).String())
	}
}

// speaks says whether a content type is one of Connect's, for one message, of gRPC's or of
// gRPC-Web's, with a codec of ours.
func speaks(contentType string) bool {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch kind {
	case "application/json", "application/grpc+json", "application/grpc-web+json":
		charset := parameters["charset"]
		return charset == "" && len(parameters) == 0 || len(parameters) == 1 && strings.EqualFold(charset, "utf-8")
	case "application/proto", "application/grpc", "application/grpc+proto", "application/grpc-web",
		"application/grpc-web+proto":
		return len(parameters) == 0
	}
	return false
}

// arrivalKey finds a request as it came over HTTP, a trust.Call.
type arrivalKey struct{}

// unread says why a body could not be read.
func unread(r *http.Request, err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return fail.New(fail.TooLarge, "the request has more than %d bytes; send less at a time", large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fail.New(fail.Slow, "the body did not come in time; send it at once")
	case r.Context().Err() != nil:
		return fail.New(fail.Cancelled, "the request was taken back")
	}
	return fail.New(fail.Malformed, "the body ended too early; send it again").Wrap(err)
}

// take has a request of an RPC answered.
func take[Q, A any](ctx context.Context, d *handlers, r *connect.Request[Q],
	answer func(context.Context, *call, *Q) (*A, error)) (*connect.Response[A], error) {
	httpx.EventFrom(ctx).Set("protocol", r.Peer().Protocol)
	out, err := taken(ctx, d, r.Msg, answer)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(out), nil
}

// taken has a message answered, once it has passed what every request passes: its rules, its
// critical extensions, who asks, and how often. Its size and its form were looked at before. The
// error is a *connect.Error, which the log was told of.
func taken[Q, A any](ctx context.Context, d *handlers, m *Q, answer func(context.Context, *call, *Q) (*A, error)) (*A,
	error) {
	ctx, cancel := context.WithTimeout(ctx, d.MaxDeadline)
	defer cancel()
	c, err := d.open(ctx, any(m).(proto.Message))
	if err == nil {
		out, err := answer(ctx, c, m)
		if err != nil {
			return nil, failed(ctx, err)
		}
		return out, nil
	}
	var told *unknownKeys
	if query, ok := any(m).(*rampv1.ResourceQuery); ok && errors.As(err, &told) {
		if absent, ok := any(d.unknown(query, told.keys)).(*A); ok {
			return absent, nil
		}
	}
	return nil, failed(ctx, err)
}

// fits holds a message against its rules: the protocol's, this door's, and that nothing critical in
// it is unknown here.
func fits(m proto.Message, known func(message, key string) bool) error {
	if err := wire.Validate(m); err != nil {
		return err
	}
	if err := bounded(m); err != nil {
		return err
	}
	if keys := wire.UnknownCritical(m, known); len(keys) > 0 {
		return &unknownKeys{keys}
	}
	return nil
}

// recognised is the failure of a message that does not fit: that it is of another protocol, where
// its JSON tells.
func recognised(err error, body []byte, m proto.Message) error {
	var invalid *wire.Invalid
	var other *wire.Foreign
	if errors.As(err, &invalid) && errors.As(wire.Recognise(body, m), &other) {
		return &wire.Invalid{Path: invalid.Path, Problem: other.Error()}
	}
	return err
}

// WithCall has the tools of a context's request know the request over HTTP that carries their call,
// whose signature covers it.
func WithCall(ctx context.Context, came requesters.Call) context.Context {
	return context.WithValue(ctx, arrivalKey{}, came)
}

// spends says whether a message costs its sender money, and whether a Broker may send it in a
// buyer's name. A report settles what was bought, by what it says.
func spends(m proto.Message) (spends, brokered bool) {
	switch m.(type) {
	case *rampv1.TransactionRequest:
		return true, true
	case *rampv1.RAMPRequest, *rampv1.UsageReport:
		return true, false
	}
	return false, false
}

// open holds a message against its rules and names who sent it.
func (d *handlers) open(ctx context.Context, m proto.Message) (*call, error) {
	spends, brokered := spends(m)
	return d.openAs(ctx, m, spends, brokered)
}

// openAs is open for a message of which it is known otherwise whether it spends.
func (d *handlers) openAs(ctx context.Context, m proto.Message, spends, brokered bool) (*call, error) {
	came, _ := ctx.Value(arrivalKey{}).(requesters.Call) // none of a call over standard input
	if err := fits(m, d.heeded); err != nil {
		return nil, recognised(err, came.Body, m)
	}
	came.Spends, came.Brokered = spends, brokered
	c := &call{now: d.Now(), http: came}
	var err error
	if c.who, err = d.identify(ctx, m, came); err != nil {
		return nil, err
	}
	if d.Count != nil {
		c.left = d.Count(ctx, c.who)
	}
	if query, ok := m.(*rampv1.ResourceQuery); ok && c.exceeded() == nil {
		err = d.forwarded(ctx, query, came)
	}
	return c, err
}

// MaxID is how many characters the id of a purchase, a report or a dispute may have: as many as an
// entry of the ledger takes.
const MaxID = 256

// bounded holds a message to what is accepted by these handlers, beside the rules of the protocol.
// It comes before anything whose cost grows with the message.
func bounded(m proto.Message) error {
	id := ""
	switch m := m.(type) {
	case *rampv1.ResourceQuery:
		if len(m.GetRequester().GetUris()) > MaxURIs {
			return &wire.Invalid{Path: "requester.uris",
				Problem: fmt.Sprintf("has more than %d addresses; ask for them in several queries", MaxURIs)}
		}
	case *rampv1.TransactionRequest:
		id = m.Id
	case *rampv1.UsageReport:
		id = m.Id
	case *rampv1.DisputeRequest:
		if id = m.Id; len(m.GetDescription()) > exchange.MaxDescription {
			return &wire.Invalid{Path: "description",
				Problem: fmt.Sprintf("has more than %d bytes; say less", exchange.MaxDescription)}
		}
	}
	if utf8.RuneCountInString(id) > MaxID {
		return &wire.Invalid{Path: "id", Problem: fmt.Sprintf("has more than %d characters; choose a shorter one",
			MaxID)}
	}
	return nil
}

// identify says who asks, and counts who could not be identified.
func (d *handlers) identify(ctx context.Context, m proto.Message, came requesters.Call) (requesters.Requester, error) {
	if d.Identify == nil {
		return requesters.Requester{}, fail.New(fail.UnsupportedMode, "requesters are not identified here yet")
	}
	var named *rampv1.Requester
	if has, ok := m.(interface{ GetRequester() *rampv1.Requester }); ok {
		named = has.GetRequester()
	}
	if _, buys := m.(*rampv1.TransactionRequest); buys && ended(named.GetDelegation(), d.Now()) {
		named = proto.Clone(named).(*rampv1.Requester)
		named.Delegation = nil // it is denied for that, whoever it is
	}
	who, err := d.Identify(ctx, named, came)
	if err == nil && who.Signed == "" && identity.MustProve(ctx) {
		err = fail.New(fail.Unauthorized, "the owner of this site asks you to sign requests over HTTP")
	}
	if err == nil {
		if who.Signed != "" {
			httpx.EventFrom(ctx).Set("party", "requester:"+who.Domain)
		}
		if who.Delegation != nil {
			httpx.EventFrom(ctx).Set("principal", who.Delegation.Domain)
		}
		return who, nil
	}
	return who, d.suspected(ctx, err)
}

// suspected counts a failure of signatures against the address that it came from, and gives it; or
// says that too many came from there.
func (d *handlers) suspected(ctx context.Context, err error) error {
	if fail.From(err).Code != fail.Unauthorized || d.Suspect == nil {
		return err
	}
	if many := d.Suspect(ctx); many != nil {
		return many
	}
	d.Failed(ctx)
	return err
}

// ended says whether a delegation is over, as it says itself.
func ended(d *rampv1.Delegation, now time.Time) bool {
	return d.GetExpiresAt() != nil && !now.Before(d.GetExpiresAt().AsTime())
}

// exceeded is the failure of a request that is one too many; nil when it is not. Purchases are
// denied instead.
func (c *call) exceeded() error {
	if c.left.Limit == 0 || c.left.OK {
		return nil
	}
	return fail.New(fail.Limited, "this requester has sent more than %d requests in %s; come back in %d seconds",
		c.left.Limit, c.left.Window, fail.Seconds(c.left.RetryAfter)).After(max(c.left.RetryAfter, time.Second))
}
