package rampapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"connectrpc.com/connect"
	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
	"frontdesk/wire/strictjson"
)

// The names of the tools.
const (
	ToolRegister = "ramp_register"
	ToolDiscover = "ramp_discover"
	ToolExecute  = "ramp_execute"
	ToolReport   = "ramp_report"
	ToolDispute  = "ramp_dispute"
	ToolStatus   = "ramp_status"
	ToolFetch    = "fetch_licensed"
)

// Tools are the door's operations as tools for agents: to sign up, to ask what is offered, to buy,
// to report, to dispute, to see how one stands, and to have a licensed text in one call. Their
// arguments are the protocol's messages and nothing else, their results its answers, and their
// failures its codes. They pass the same steps as an RPC, so that the same requester is told,
// counted and charged, whichever way it comes. A tool's call is signed over HTTP by the request
// that carries it ([WithCall]), or in its message, or not at all.
func Tools(services Services, config Config) []httpx.Tool {
	at := newDoor(services, config)
	all := []httpx.Tool{
		{
			Name: ToolDiscover, Title: "Ask what licensed content costs",
			Description: "Asks by RAMP v1 what a licence to the addresses in requester.uris costs. Nothing is " +
				"bought. Each offer says its pricing, restrictions and expires_at; " +
				"absence_reason says why there is none. " + at.who(),
			Input: argumentsOf(&rampv1.ResourceQuery{}, discoverNotes), Output: discovered.bytes(), ReadOnly: true,
			Call: called(at, "DiscoverResources", at.discover),
		},
		{
			Name: ToolExecute, Title: "Buy licensed content",
			Description: "Buys by RAMP v1 an offer of " + ToolDiscover + " and charges the requester's account. It " +
				"cannot be taken back: call it only if whoever pays agreed to the price. " +
				"The same id buys once. GET package.retrieval.endpoint within five minutes; report the use by " +
				ToolReport + ". " + at.whoPays(),
			Input: argumentsOf(&rampv1.TransactionRequest{}, executeNotes), Output: executed.bytes(), OpenWorld: true,
			Call: called(at, "ExecuteTransaction", at.execute),
		},
		{
			Name: ToolReport, Title: "Report how licensed content was used",
			Description: "Reports by RAMP v1 how a purchase was used, as its reporting_obligation asks: what was " +
				"truly consumed.",
			Input: argumentsOf(&rampv1.UsageReport{}, reportNotes), Output: reported.bytes(), OpenWorld: true,
			Call: called(at, "ReportUsage", at.report),
		},
		at.disputeTool(), at.fetchTool(), at.statusTool(),
	}
	if config.SignUp == nil {
		return all
	}
	return append(all, httpx.Tool{
		Name: ToolRegister, Title: "Sign up as a buyer",
		Description: "Signs a requester up, once: its domain publishes its key in /.well-known/ramp-agent.json.",
		Input:       registerArguments.bytes(), Output: signedUp.bytes(), OpenWorld: true, Call: at.register,
	})
}

// who says how a requester shows who it is.
func (d *handlers) who() string {
	switch d.Signatures {
	case requesters.SignaturesRequired:
		return overHTTP
	case requesters.SignaturesNone:
		return "requester.signature may be left out."
	}
	return "requester.signature is made by whoever runs you: you cannot make it up."
}

// overHTTP says what whoever runs an agent has to do for it.
const overHTTP = "The HTTP request of the call has to be signed (RFC 9421) by whoever runs you."

// whoPays says how a requester shows that it pays.
func (d *handlers) whoPays() string {
	if d.paysOverHTTP() {
		return overHTTP
	}
	return d.who()
}

// paysOverHTTP says whether what spends has to be signed over HTTP.
func (d *handlers) paysOverHTTP() bool {
	return d.Purchases == requesters.SignaturesRequired || d.Signatures == requesters.SignaturesRequired
}

// called answers a tool's call as the RPC of a method is answered.
func called[Q, A any](d *handlers, method string,
	answer func(context.Context, *call, *Q) (*A, error)) func(context.Context, httpx.Call) httpx.Result {
	return func(ctx context.Context, c httpx.Call) httpx.Result {
		httpx.EventFrom(ctx).Set("tool", method)
		asked := new(Q)
		out, err := new(A), error(nil)
		if spends, _ := spends(any(asked).(proto.Message)); spends {
			err = d.enterToSpend(ctx, method)
		} else {
			err = d.enter(ctx, method)
		}
		if err == nil {
			err = arguments(c.Arguments, any(asked).(proto.Message), d)
		}
		if err == nil {
			out, err = taken(ctx, d, asked, answer)
		}
		if err != nil {
			return toolFailed(ctx, err)
		}
		object, err := wire.Marshal(any(out).(proto.Message))
		if err != nil {
			return toolFailed(ctx, err)
		}
		return httpx.Result{Object: object, Meta: []byte("{}")}
	}
}

// enterToSpend is enter for what spends. Nothing does over standard input: nobody can show there
// who they are.
func (d *handlers) enterToSpend(ctx context.Context, method string) error {
	if d.Local {
		return fail.New(fail.Unauthorized, "nothing is bought or reported over standard input, where nobody can show "+
			"who they are; ask the front desk over HTTP, signed with your key (RFC 9421)")
	}
	return d.entered(ctx, method, d.paysOverHTTP())
}

// enter says why no call of a tool is taken, for a method of the Exchange.
func (d *handlers) enter(ctx context.Context, method string) error {
	return d.entered(ctx, method, d.Signatures == requesters.SignaturesRequired)
}

func (d *handlers) entered(ctx context.Context, method string, overHTTP bool) error {
	if d.Admit != nil {
		if err := d.Admit(ctx); err != nil {
			return err
		}
	}
	base := ""
	if d.Base != nil {
		base = d.Base(ctx)
	}
	came, _ := ctx.Value(arrivalKey{}).(requesters.Call)
	switch {
	case overHTTP && !came.Signed():
		return fail.New(fail.Unauthorized, "this has to be signed over HTTP (RFC 9421): sign the request that "+
			"carries the call with your key over \"@method\", \"@target-uri\" and \"content-digest\", and with your "+
			"domain as keyid; or POST the message, with ver %q, as application/json to %s/%s/%s, signed so",
			Version, base, rampv1connect.ExchangeServiceName, method)
	case base == "":
		return fail.New(fail.Unavailable, "this front desk does not know the address at which it is reached, so "+
			"nothing that is bought could be fetched; its operator has to set url")
	}
	return nil
}

// arguments reads those of a tool: a message, of which a member that is unknown is an error, since
// nothing that an agent says is to be passed over. Its version and the time of a report need not be
// said.
func arguments(text []byte, m proto.Message, d *handlers) error {
	if int64(len(text)) > MaxBody {
		return fail.New(fail.TooLarge, "the arguments have more than %d bytes; ask for less at a time", MaxBody)
	}
	if len(text) == 0 {
		text = []byte("{}")
	}
	err := onlyMembers(text, m.ProtoReflect().Descriptor(), "")
	if err == nil {
		err = wire.Unmarshal(text, m)
	}
	if err != nil {
		return fail.New(fail.Malformed, "the arguments do not fit: %v", err)
	}
	fields := m.ProtoReflect().Descriptor().Fields()
	if ver := fields.ByName("ver"); !m.ProtoReflect().Has(ver) {
		m.ProtoReflect().Set(ver, protoreflect.ValueOfString(Version))
	}
	if r, ok := m.(*rampv1.UsageReport); ok && r.Timestamp == nil {
		r.Timestamp = timestamppb.New(d.Now())
	}
	return nil
}

// register signs a requester up.
func (d *handlers) register(ctx context.Context, c httpx.Call) httpx.Result {
	httpx.EventFrom(ctx).Set("tool", "register")
	var asked struct {
		RequesterID string `json:"requester_id"`
		Domain      string `json:"domain"`
	}
	if d.Admit != nil {
		if err := d.Admit(ctx); err != nil {
			return toolFailed(ctx, err)
		}
	}
	if err := strictjson.Decode(c.Arguments, &asked); err != nil {
		return toolFailed(ctx, fail.New(fail.Malformed, "the arguments do not fit: %v", err))
	}
	made, _, err := d.SignUp.told(ctx, asked.Domain, asked.RequesterID)
	if err != nil {
		return toolFailed(ctx, err)
	}
	return httpx.Result{Object: made, Meta: []byte("{}")}
}

// toolFailed is an error as a result, in the form that Connect gives one.
func toolFailed(ctx context.Context, err error) httpx.Result {
	var out *connect.Error
	if !errors.As(err, &out) {
		out = failed(ctx, err)
	}
	told := struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Wait    int    `json:"retry_after,omitzero"`
	}{Code: out.Code().String(), Message: out.Message()}
	told.Wait, _ = strconv.Atoi(out.Meta().Get("Retry-After"))
	object, err := json.Marshal(told)
	if err != nil {
		panic(fmt.Sprintf("ramp: encode a failure: %v", err))
	}
	return httpx.Result{Object: object, Meta: []byte("{}"), IsError: true}
}
