package server

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"errors"
	"net/http"
	"slices"
	"syscall"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/api"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// OpenRequesters reads who signed up under RAMP, and has the ledger tell of changes.
func (h *House) OpenRequesters(ctx context.Context, config Config) (err error) {
	h.Requesters, err = requesters.Open(ctx, requesters.Config{
		DB: h.db, Fetcher: config.domainFetcher(requesters.AgentTime), Signatures: config.RAMP.Signatures, Purchases: config.RAMP.Purchases, Registered: config.RAMP.Requesters.Registered,
		KeyGrace: config.RAMP.Delegation.KeyGrace, Now: h.now,
	})
	if err != nil {
		return err
	}
	h.Requesters.OnChange(h.recorder().Requester)
	h.Requesters.OnRevoke(h.recorder().Revocation)
	return nil
}

// asked completes what the door of RAMP needs to know of who asks: who it is, and how often it may.
func (s *Server) asked(config *rampapi.Config) error {
	rate, err := ratelimit.ParseRate(s.config.RAMP.RequesterRate)
	if err != nil {
		return err
	}
	config.Identify, config.Forwarded = s.Requesters.Identify, s.Requesters.Forwarded
	if s.gate == nil { // this process asks itself
		return nil
	}
	config.Suspect = func(ctx context.Context) error { return s.gate.SuspectAt(apphttp.ClientOf(ctx)) }
	config.Failed = func(ctx context.Context) { s.gate.Failures.Allow(ctx, apphttp.ClientOf(ctx), 1) }
	config.Identify = func(ctx context.Context, named *rampv1.Requester, call requesters.Call) (requesters.Requester, error) {
		call.Fetch = func() error { return s.gate.SuspectAt(apphttp.ClientOf(ctx)) }
		return s.Requesters.Identify(ctx, named, call)
	}
	config.Forwarded = func(ctx context.Context, query *rampv1.ResourceQuery, came wire.ReceivedQuery, _ func() error) error {
		return s.Requesters.Forwarded(ctx, query, came, func() error { return s.gate.SuspectAt(apphttp.ClientOf(ctx)) })
	}
	meter := ratelimit.New(ratelimit.Options{Now: s.options.Now, Log: s.log, DB: s.together()}).Meter("requester", rate)
	config.Count = func(ctx context.Context, r requesters.Requester) requesters.Allowance {
		if left, held := s.heldBuyer(ctx, r.Account()); held && r.Signed != "" {
			return left
		}
		key, meter := "account "+r.Account(), meter
		if r.Signed == "" {
			key = "address " + apphttp.ClientOf(ctx)
		} else if own, err := ratelimit.ParseRate(r.Rate); err == nil && r.Rate != "" {
			key, meter = key+" at "+r.Rate, meter.WithRate(own)
		}
		status := meter.Allow(ctx, key, 1)
		return s.allowance(meter, status)
	}
	return nil
}

// takeSignUps lets requesters sign up by themselves, where the owner wants that.
func (s *Server) takeSignUps(config *rampapi.Config) error {
	rate, err := ratelimit.ParseRate(s.config.RAMP.Requesters.SignUpRate)
	if err != nil || !s.config.RAMP.Requesters.SignUp {
		return err
	}
	meter := ratelimit.New(ratelimit.Options{Now: s.options.Now, Log: s.log, DB: s.together()}).Meter("sign-up", rate)
	config.SignUp = func(ctx context.Context, domain, id string) (requesters.Registration, bool, error) {
		for _, key := range []string{"address " + apphttp.ClientOf(ctx), "domain " + domain} {
			if status := meter.Allow(ctx, key, 1); !status.OK {
				limited := fail.New(fail.Limited, "too many requesters try to sign up (at most %s from one address, and of one domain); come back in %s",
					apphttp.RateWords(meter.Rate()), apphttp.SpanWords(status.RetryAfter))
				limited.RetryAfter = status.RetryAfter
				return requesters.Registration{}, false, limited
			}
		}
		return s.Requesters.SignUp(ctx, domain, id)
	}
	return nil
}

// signUpRoutes let requesters sign up, and the operator put them in.
func (s *Server) signUpRoutes(signUp rampapi.SignUp) []apphttp.Route {
	if s.gate == nil {
		return nil
	}
	all := s.operatorRoutes("/admin/requesters", "/admin/accounts", "/admin/licenses", "/admin/subscriptions", "/admin/disputes")
	all = append(append(append(all, s.reportRoutes()...), s.tenantRoutes()...), s.evidenceRoute())
	all = append(all, s.supplyRoutes()...)
	if signUp == nil {
		return all
	}
	return append(all, apphttp.Route{
		Pattern: rampapi.RegisterPath, Name: rampapi.RegisterPath, Methods: []string{http.MethodPost}, Refuse: rampapi.WriteError, Handler: s.gate.WithCaller(rampapi.Register(signUp)),
	})
}

// The operator's own doors open to keys that name them, and to none that opens every door.
const (
	doorAdmin   = "admin"
	doorReports = "reports" // of reports alone, which doorAdmin opens, too
)

// forOperators lets a request pass to what the operator alone may do: it must carry an API key of the door admin. What is changed is
// recorded as that key's doing.
func forOperators(a *apphttp.Auth, next http.Handler) http.Handler {
	return keyed(a, next, func(*http.Request) []string { return []string{doorAdmin} })
}

// keyed lets a request pass that carries an API key which names one of some doors.
func keyed(a *apphttp.Auth, next http.Handler, doors func(*http.Request) []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		r = r.WithContext(a.Caller(r))
		party, known, err := a.Identify(r, nil)
		of := doors(r)
		switch {
		case err != nil:
		case !known:
			err = fail.New(fail.Unauthorized, "this is not for everybody; send an API key of the door %s as `Authorization: Bearer KEY` (`frontdesk keys issue api NAME --door %[1]s` makes one)", of[0])
		case party.Kind != identity.KindKey || !slices.ContainsFunc(of, func(door string) bool { return slices.Contains(party.Scopes, door) }):
			err = fail.New(fail.Forbidden, "this key does not open this door; `frontdesk keys issue api NAME --door %s` makes one that does", of[0])
		}
		if err != nil {
			if challenge := a.Challenge(r, &apphttp.Route{Door: of[0]}, err); challenge != "" {
				w.Header().Set("WWW-Authenticate", challenge)
			}
			api.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(operator.WithActor(r.Context(), party.ID)))
	})
}

// firstAgentKey makes the agent's first key when there is none, where its keys are published.
func (h *House) firstAgentKey(config Config) error {
	if !config.RAMP.Agent.Enabled {
		return nil
	}
	return h.AgentKeys.EnsureKey()
}

// firstVerifierKey makes the first key that attests, where the sites attest things of their content.
func (h *House) firstVerifierKey(config Config) error {
	if !config.RAMP.Enabled || !config.RAMP.Attest {
		return nil
	}
	err := h.VerifierKeys.EnsureKey()
	if errors.Is(err, syscall.ENOSPC) {
		h.log.Warn("nothing can be attested", "reason", err)
		return nil
	}
	return err
}

// AgentDocument is ramp-agent.json of the agent whose keys lie in the folder of secrets, at a time. It fails while there is none.
func (h *House) AgentDocument(config Config, now time.Time) ([]byte, error) {
	var keys []wire.Key
	for _, key := range h.AgentKeys.Keys() {
		switch key.State(now) {
		case "signing":
			keys = append(keys, wire.Key{ID: key.ID, Public: key.Public, Active: true})
		case "overlapping":
			keys = append(keys, wire.Key{ID: key.ID, Public: key.Public, Until: key.Retires})
		}
	}
	return wire.WriteAgentKeys(config.agentName(), config.RAMP.Agent.Contact, keys)
}

// agentRoutes publish the keys of the owner's agent.
func (s *Server) agentRoutes() []apphttp.Route {
	if !s.config.RAMP.Agent.Enabled && !s.config.brokers() {
		return nil
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := s.AgentDocument(s.config, s.now())
		var document *httpx.Document
		if err == nil {
			document, err = rampapi.DeclareAgent(text)
		}
		if err != nil {
			rampapi.WriteError(w, r, err)
			return
		}
		document.ServeHTTP(w, r)
	})
	return []apphttp.Route{{Pattern: requesters.AgentPath, Name: requesters.AgentPath, Methods: apphttp.ReadMethods, CORS: true, Refuse: rampapi.WriteError, Handler: handler}}
}
