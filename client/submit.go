package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/document"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// Submission is what is submitted to an intake.
type Submission struct {
	// Data is a JSON object that fits the intake's input_schema: a struct, a map, or JSON as bytes
	// of type strictjson.Value.
	Data any
	// Scopes are what the person authorized; nil is intake and offer.
	Scopes []intake.Scope
	// Session is the UUID of version 4 that joins what belongs together; "" is a new one. The same
	// data in the same session is the same request, however often it is made.
	Session string
	// Personal says that the person authorized the personal data that is in Data.
	Personal bool
	Locale   string // such as en-US; may be empty
	Timezone string // such as Europe/Vienna; may be empty
}

// Offered is an offer that a provider made: a soft contract, which binds nobody until it is bound.
type Offered struct {
	Intake   intake.Intake   // to which it was made
	Session  string          // in which it was made
	Response intake.Response // with Offer
	Doubts   intake.Findings // that do not make the answer invalid
	Raw      []byte          // the answer as it came

	provider *Provider
}

// SubmitIntake submits data to an intake. It is validated first, and is not sent where it does not
// fit, holds members that the intake does not declare, or looks personal without
// Submission.Personal. Errors are of the types Unfit, PersonalData, Declined, Pending, Refused,
// NotAnIntake, Broken and Unreachable, or the context's.
//
// An attempt that failed on its way, or that the provider had no time for (429, 503), is made again
// with the same session.
func (p *Provider) SubmitIntake(ctx context.Context, id string, s Submission) (*Offered, error) {
	to, err := p.find(id)
	if err != nil {
		return nil, err
	}
	data, err := fit(to, s)
	if err != nil {
		return nil, err
	}
	request := intake.Request{
		Version: intake.Version,
		Agent: intake.Agent{ID: p.agent.ID, Platform: p.agent.Platform, Name: p.agent.Name,
			ConsentScope: s.Scopes},
		IntakeData: data, SessionID: cmp.Or(s.Session, newSession()), Metadata: surroundings(s),
	}
	if s.Scopes == nil {
		request.Agent.ConsentScope = []intake.Scope{intake.ScopeIntake, intake.ScopeOffer}
	}
	body, err := encoded(request)
	if err != nil {
		return nil, err
	}
	if _, err := intake.ReadRequest(body, intake.Options{}); err != nil {
		return nil, fmt.Errorf("the request is not valid: %w", err)
	}
	got, err := p.post(ctx, to.Endpoint, body, true)
	if err != nil {
		return nil, err
	}
	s.Session = request.SessionID
	return p.offered(to, &request, s, got)
}

// fit gives data as it can be sent.
func fit(to *intake.Intake, s Submission) (strictjson.Value, error) {
	data, err := encoded(s.Data)
	if err != nil {
		return nil, err
	}
	schema, err := intake.CompileSchema(to.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("the intake %s cannot be used, since its input_schema is none: %w", to.ID, err)
	}
	told, withheld := schema.Withheld(data)
	var found []intake.Violation
	if len(withheld) > 0 && !to.Privacy.TakesRedacted() {
		for _, name := range withheld {
			found = append(found, intake.Violation{Pointer: document.Pointer(name),
				Detail: "is struck out, which this intake does not take; leave it out"})
		}
	}
	found = append(found, schema.Validate(told)...)
	if len(found) == 0 {
		_, undeclared := schema.Declared(told)
		for _, u := range undeclared {
			found = append(found,
				intake.Violation{Pointer: u.Pointer, Detail: "is not what the intake asks for; leave it out"})
		}
	}
	if len(found) > 0 {
		return nil, &Unfit{found}
	}
	if members := personal("", told); len(members) > 0 && !s.Personal {
		return nil, &PersonalData{members}
	}
	return data, nil
}

// personal are the pointers of what looks personal in data.
func personal(at string, value strictjson.Value) (found []string) {
	switch value.Kind() {
	case '"':
		var text string
		if json.Unmarshal(value, &text) == nil && intake.PersonalText(text) {
			return []string{at}
		}
	case '[':
		var elements []strictjson.Value
		if json.Unmarshal(value, &elements) == nil {
			for i, each := range elements {
				found = append(found, personal(at+"/"+strconv.Itoa(i), each)...)
			}
		}
	case '{':
		var members map[string]strictjson.Value
		if json.Unmarshal(value, &members) == nil {
			for _, name := range sortedNames(members) {
				here := at + document.Pointer(name)
				if intake.Personal(name) {
					found = append(found, here)
					continue
				}
				found = append(found, personal(here, members[name])...)
			}
		}
	}
	return found
}

// surroundings are a request's metadata.
func surroundings(s Submission) strictjson.Value {
	metadata := map[string]string{}
	for name, value := range map[string]string{"locale": s.Locale, "timezone": s.Timezone} {
		if value != "" {
			metadata[name] = value
		}
	}
	if len(metadata) == 0 {
		return nil
	}
	text, _ := encoded(metadata) // texts can be written
	return text
}

// offered reads what was answered to a submission.
func (p *Provider) offered(to *intake.Intake, request *intake.Request, s Submission, got *posted) (*Offered, error) {
	response, findings, err := got.response(p.client.options.Now())
	if err != nil {
		return nil, err
	}
	findings = append(findings, intake.CheckOffer(to, request, response, p.client.options.Now())...)
	switch {
	case response.Status == intake.StatusError || got.status >= 400:
		return nil, got.refusal(response)
	case !findings.Valid() || got.status != http.StatusOK:
		return nil, &NotAnIntake{got.address, got.status, findings, got.body}
	case response.Status == intake.StatusDeclined:
		return nil, &Declined{response.DeclineReason, got.status, got.body}
	case response.Status == intake.StatusPending:
		return nil, &Pending{s, max(response.RetryAfter(), retryAfter(got.header)), got.status, got.body}
	}
	return p.hold(to, request.SessionID, response, findings, got.body)
}

// hold is an offer whose address to bind at is the provider's.
func (p *Provider) hold(to *intake.Intake, session string, response *intake.Response, doubts intake.Findings,
	raw []byte) (*Offered, error) {
	if at := response.Offer.BindEndpoint; at != "" {
		if err := private(at); err != nil {
			return nil, err
		}
		if !p.owns(to, at) {
			return nil, fmt.Errorf("the offer is to be bound at %s, which is not the provider's; "+
				"allow its host if the person trusts it", at)
		}
	}
	return &Offered{*to, session, *response, doubts, raw, p}, nil
}

// Offered takes up an offer that was got before, from its intake, its session and the answer as it
// came. The Provider has to have the id that its agent had then.
func (p *Provider) Offered(id, session string, raw []byte) (*Offered, error) {
	to, err := p.find(id)
	if err != nil {
		return nil, err
	}
	response, err := intake.ReadResponse(raw, intake.Options{})
	if err != nil || response.Status != intake.StatusOffer {
		return nil, errors.Join(errors.New("this is no offer"), err)
	}
	if !intake.SameSession(session, response.SessionID) {
		return nil, errors.New("this offer was made in another session")
	}
	return p.hold(to, session, response, nil, raw)
}

// response reads an answer, and gives doubts about it.
func (g *posted) response(now time.Time) (*intake.Response, intake.Findings, error) {
	findings := intake.Check(intake.KindResponse, g.body, intake.Options{Now: now})
	response, err := intake.ReadResponse(g.body, intake.Options{})
	if err == nil {
		return response, findings, nil
	}
	if g.status >= 400 {
		return nil, nil, g.refusal(nil)
	}
	return nil, nil, &NotAnIntake{g.address, g.status, findings, g.body}
}

// refusal is an error that was answered, in the protocol's form or in none.
func (g *posted) refusal(response *intake.Response) *Refused {
	refused := &Refused{Code: "HTTP_" + strconv.Itoa(g.status), Message: http.StatusText(g.status), Status: g.status,
		RetryAfter: retryAfter(g.header), Raw: g.body}
	if response != nil && response.Error != nil {
		refused.Code, refused.Message = response.Error.Code, response.Error.Message
		refused.RetryAfter = max(refused.RetryAfter, response.RetryAfter())
	}
	return refused
}

// post sends a body until it is answered. What broke off on its way is sent again where that does
// no harm.
func (p *Provider) post(ctx context.Context, address string, body []byte, repeatable bool) (*posted, error) {
	return p.client.run(ctx, errand{address: address, repeatable: repeatable, again: noTime,
		compose: func(ctx context.Context) (*http.Request, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			request.Header.Set("Content-Type", typeJSON)
			request.Header.Set("Accept", typeJSON)
			if p.client.options.Token == nil {
				return request, nil
			}
			token, err := p.client.options.Token(ctx)
			if err != nil {
				return nil, fmt.Errorf("no token for %s: %w", address, err)
			}
			if token != "" {
				request.Header.Set("Authorization", "Bearer "+token)
			}
			return request, nil
		}})
}

// owns says whether an address is the provider's: on the host of the manifest or of the intake, or
// below it, or one that the agent allows.
func (p *Provider) owns(to *intake.Intake, address string) bool {
	host := hostOf(address)
	for _, own := range []string{p.address.String(), to.Endpoint} {
		if name := hostOf(own); host == name || !isNumber(name) &&
			strings.HasSuffix(host, "."+strings.TrimPrefix(name, "www.")) || host == strings.TrimPrefix(name, "www.") {
			return true
		}
	}
	for _, allowed := range p.agent.BindHosts {
		if strings.EqualFold(host, strings.TrimSuffix(allowed, ".")) {
			return true
		}
	}
	return false
}
