// Package api handles the Agent Intake Protocol, the provider's side: the manifest
// (agent-intake.json), the addresses at which agents submit an intake and bind an offer, and the
// same as tools for agents that speak the Model Context Protocol.
//
// Enter at Handlers.Submit and Handlers.Bind. A handler reads the body, lets the agent in, decodes
// strictly, asks package intake, and renders the answer in the protocol's words and statuses. It
// knows nothing of engines, records or database. Nothing that an agent sent is in its errors or in
// what it tells the log: they name members, never values.
package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/intake"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// Config configures the handlers.
type Config struct {
	// Options are the deviations from the protocol's schemas that are accepted.
	Options wire.Options
	// MaxBody bounds the bytes of a submission or a bind.
	MaxBody int64
	// SignalPending says whether an agent whose offer has still to be written is told so, with
	// status "pending"; otherwise it is told to come back as from a service that is busy.
	SignalPending bool
	// Manifest gives the manifest at a public address, and Base the public address that a request
	// came to, or its context names; empty for none. The error of Base is of an address at which
	// nothing personal may be sent.
	Manifest func(base string) (wire.Manifest, error)
	Base     func(context.Context) (string, error)
	// Authenticate names who sent a request, and from where, in the context that it gives. The
	// error is fail.Unauthorized, fail.Forbidden or fail.Limited. Nil lets everybody in unnamed.
	Authenticate func(http.ResponseWriter, *http.Request) (context.Context, error)
	// Admit says whether whom a context names may submit to an intake, or bind, and counts it. Its
	// errors are as those of Enter. Nil admits all.
	Admit func(ctx context.Context, id string, bind bool) error
	// Challenge is the header WWW-Authenticate of a refusal; empty for none. Nil challenges nobody.
	Challenge func(*http.Request, error) string
}

// Answer times (Agent Intake Protocol 0.1.0, Transport Requirements: providers should respond
// within 10 seconds).
const (
	answerTime = 9 * time.Second
	retryAfter = 5 * time.Second
)

// Codes of our own for what the protocol has no word for.
const (
	codeNoIntake  = "INTAKE_NOT_FOUND"  // 404: no intake has this address
	codeSubmitted = "ALREADY_SUBMITTED" // 409: the session has submitted something else
	codeForbidden = "FORBIDDEN"         // 403: the key is good, and not for this
)

// Handlers serve submissions and binds, over HTTP and as tools. They may be used from many
// goroutines.
type Handlers struct {
	service *intake.Service
	Config
}

// New makes handlers.
func New(service *intake.Service, config Config) *Handlers { return &Handlers{service, config} }

// Submit answers POST at an intake's address, which has the wildcard {id}.
func (h *Handlers) Submit() http.Handler { return h.handler(false, h.submit) }

// Bind answers POST at the address of an intake's binds, which has the wildcard {id}.
func (h *Handlers) Bind() http.Handler { return h.handler(true, h.bind) }

// answered is what is sent.
type answered struct {
	status     int
	body       []byte
	retryAfter time.Duration
}

// handler reads a request and lets it be answered.
func (h *Handlers) handler(
	bind bool, answer func(ctx context.Context, base, id string, body []byte) (answered, error),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			h.refuse(w, r, nil, fail.New(fail.Method, "This address takes POST."))
			return
		}
		body, unread := h.read(w, r)
		ctx, base, err := h.authenticate(w, r, bind)
		switch {
		case err != nil:
		case unread != nil:
			err = unread
		case !isJSON(r.Header.Get("Content-Type")):
			err = fail.New(fail.MediaType, "Send the body as application/json, in UTF-8.")
		case encoded(r.Header.Get("Content-Encoding")):
			err = fail.New(fail.MediaType, "Send the body as it is, without Content-Encoding.")
		}
		if err != nil {
			h.refuse(w, r, body, err)
			return
		}
		out, err := answer(ctx, base, r.PathValue("id"), body)
		if err != nil {
			h.refuse(w, r, body, err)
			return
		}
		send(w, r, out)
	})
}

// authenticate lets a request in, or says why not.
func (h *Handlers) authenticate(
	w http.ResponseWriter, r *http.Request, bind bool,
) (ctx context.Context, base string, err error) {
	ctx = r.Context()
	if h.Authenticate != nil {
		if ctx, err = h.Authenticate(w, r); err != nil {
			return ctx, "", err
		}
	}
	if base, err = h.Base(ctx); err != nil {
		return ctx, "", err
	}
	return ctx, base, h.admit(ctx, r.PathValue("id"), bind)
}

func (h *Handlers) admit(ctx context.Context, id string, bind bool) error {
	if h.Admit == nil {
		return nil
	}
	return h.Admit(ctx, id, bind)
}

// submit answers an intake request (Agent Intake Protocol 0.1.0, Stages 2 and 3).
func (h *Handlers) submit(ctx context.Context, base, id string, body []byte) (answered, error) {
	h.note(ctx, id)
	request, err := wire.ReadRequest(body, h.Options)
	if err != nil {
		return answered{}, err
	}
	said := texts(request.Metadata)
	asked := intake.Submission{
		Intake: id, Agent: request.Agent, Session: request.SessionID, Data: request.IntakeData,
		Locale: said["locale"], Timezone: said["timezone"],
	}
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	given, err := h.service.Submit(limited, asked)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return answered{}, fail.New(fail.Unavailable,
			"The answer takes longer than usual; send the same request again.").After(retryAfter).Wrap(err)
	case err != nil:
		return answered{}, err
	}
	return h.render(ctx, base, asked, given)
}

// bind answers a bind request (Agent Intake Protocol 0.1.0, Stage 5).
func (h *Handlers) bind(ctx context.Context, _, id string, body []byte) (answered, error) {
	h.note(ctx, id)
	request, err := wire.ReadBind(body, h.Options)
	if err != nil {
		return answered{}, err
	}
	bound, err := h.service.Bind(ctx, intake.BindRequest{
		Intake: id, Offer: request.OfferID, Session: request.SessionID, Agent: request.Agent,
		Data: request.BindData, Confirmed: texts(request.Metadata)["user_confirmed_at"],
	})
	if err != nil {
		return answered{}, err
	}
	httpx.EventFrom(ctx).Set("outcome", string(wire.StatusBound))
	return answered{status: http.StatusOK, body: bound}, nil
}

// note logs which intake a request is for. One that is not declared is any text of a
// stranger's.
func (h *Handlers) note(ctx context.Context, id string) {
	if h.service.HasIntake(id) {
		httpx.EventFrom(ctx).Set("intake", id)
	}
}

// texts are the members of an object that hold a text.
func texts(object strictjson.Value) map[string]string {
	var members map[string]strictjson.Value
	if object == nil || strictjson.Decode(object, &members) != nil {
		return nil
	}
	found := map[string]string{}
	for name, value := range members {
		var text string
		if strictjson.Decode(value, &text) == nil {
			found[name] = text
		}
	}
	return found
}

// read takes the body in.
func (h *Handlers) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &large):
		return nil, fail.New(fail.TooLarge, "The body is larger than %d bytes.", h.MaxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fail.New(fail.Slow, "The body did not come in time; send it at once.")
	}
	return nil, fail.New(fail.Malformed, "The body ended too early; send it again.").Wrap(err)
}

// isJSON says whether a Content-Type is that of the protocol.
func isJSON(contentType string) bool {
	media, parameters, err := mime.ParseMediaType(contentType)
	charset := parameters["charset"]
	return err == nil && media == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// encoded says whether a Content-Encoding changes the body.
func encoded(coding string) bool { return coding != "" && !strings.EqualFold(coding, "identity") }

// send writes an answer.
func send(w http.ResponseWriter, r *http.Request, out answered) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	if out.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(fail.Seconds(out.retryAfter)))
	}
	w.WriteHeader(out.status)
	if r.Method != http.MethodHead {
		w.Write(out.body)
	}
}
