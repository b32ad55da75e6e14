package app

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"net/http"
	"slices"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/api"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// rampAuth knows who asks under RAMP, and how often each may.
type rampAuth struct {
	*base
	*network
	*identities
	*sanctions // nil where none are in force
}

// newRAMPAuth holds those to a rate against whom a measure is in force.
func newRAMPAuth(n *network, k *identities, a *accounting) (*rampAuth, error) {
	s, err := openSanctions(k, a)
	return &rampAuth{n.base, n, k, s}, err
}

// identify completes what the door of RAMP needs to know of who asks: who it is, and how often it
// may.
func (c *rampAuth) identify(config *rampapi.Config) error {
	rate, err := ratelimit.ParseRate(c.config.RAMP.RequesterRate)
	if err != nil {
		return err
	}
	config.Identify, config.Forwarded = c.Requesters.Identify, c.Requesters.Forwarded
	if c.gate == nil { // this process asks itself
		return nil
	}
	config.Suspect = func(ctx context.Context) error { return c.gate.SuspectAt(apphttp.ClientOf(ctx)) }
	config.Failed = func(ctx context.Context) { c.gate.Failures.Allow(ctx, apphttp.ClientOf(ctx), 1) }
	config.Identify = func(ctx context.Context, named *rampv1.Requester,
		call requesters.Call) (requesters.Requester, error) {
		call.Fetch = func() error { return c.gate.SuspectAt(apphttp.ClientOf(ctx)) }
		return c.Requesters.Identify(ctx, named, call)
	}
	config.Forwarded = func(ctx context.Context, query *rampv1.ResourceQuery, came wire.ReceivedQuery,
		_ func() error) error {
		return c.Requesters.Forwarded(ctx, query, came, func() error { return c.gate.SuspectAt(apphttp.ClientOf(ctx)) })
	}
	meter := ratelimit.New(ratelimit.Options{Now: c.now, Log: c.log, DB: c.together()}).Meter("requester", rate)
	config.Count = func(ctx context.Context, r requesters.Requester) requesters.Allowance {
		if left, held := c.heldBuyer(ctx, r.Account()); held && r.Signed != "" {
			return left
		}
		key, meter := "account "+r.Account(), meter
		if r.Signed == "" {
			key = "address " + apphttp.ClientOf(ctx)
		} else if own, err := ratelimit.ParseRate(r.Rate); err == nil && r.Rate != "" {
			key, meter = key+" at "+r.Rate, meter.WithRate(own)
		}
		status := meter.Allow(ctx, key, 1)
		return c.allowance(meter, status)
	}
	return nil
}

// takeSignUps lets requesters sign up by themselves, where the owner wants that.
func (c *rampAuth) takeSignUps(config *rampapi.Config) error {
	rate, err := ratelimit.ParseRate(c.config.RAMP.Requesters.SignUpRate)
	if err != nil || !c.config.RAMP.Requesters.SignUp {
		return err
	}
	meter := ratelimit.New(ratelimit.Options{Now: c.now, Log: c.log, DB: c.together()}).Meter("sign-up", rate)
	config.SignUp = func(ctx context.Context, domain, id string) (requesters.Registration, bool, error) {
		for _, key := range []string{"address " + apphttp.ClientOf(ctx), "domain " + domain} {
			if status := meter.Allow(ctx, key, 1); !status.OK {
				return requesters.Registration{}, false,
					fail.New(fail.Limited, "too many requesters try to sign up (at most %s from one address, "+
						"and of one domain); come back in %s",
						apphttp.RateWords(meter.Rate()), apphttp.SpanWords(status.RetryAfter)).
						After(status.RetryAfter)
			}
		}
		return c.Requesters.SignUp(ctx, domain, id)
	}
	return nil
}

// signUpRoutes let requesters sign up, and the operator put them in.
func (s *seller) signUpRoutes() []apphttp.Route {
	if s.gate == nil {
		return nil
	}
	all := s.operatorRoutes("/admin/requesters", "/admin/accounts", "/admin/licenses", "/admin/subscriptions",
		"/admin/disputes")
	all = append(append(all, s.reportRoutes()...), s.evidenceRoute())
	all = append(all, s.supplyRoutes()...)
	if s.api.SignUp == nil {
		return all
	}
	return append(all, apphttp.Route{
		Pattern: rampapi.RegisterPath, Name: rampapi.RegisterPath, Methods: []string{http.MethodPost},
		Refuse: rampapi.WriteError, Handler: s.gate.WithCaller(rampapi.Register(s.api.SignUp)),
	})
}

// The operator's own doors open to keys that name them, and to none that opens every door.
const (
	doorAdmin   = "admin"
	doorReports = "reports" // of reports alone, which doorAdmin opens, too
)

// forOperators lets a request pass to what the operator alone may do: it must carry an API key of
// the door admin. What is changed is recorded as that key's doing.
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
			err = fail.New(fail.Unauthorized, "this is not for everybody; send an API key of the door %s as "+
				"`Authorization: Bearer KEY` (`frontdesk keys issue api NAME --door %[1]s` makes one)", of[0])
		case party.Kind != identity.KindKey ||
			!slices.ContainsFunc(of, func(door string) bool { return slices.Contains(party.Scopes, door) }):
			err = fail.New(fail.Forbidden, "this key does not open this door; "+
				"`frontdesk keys issue api NAME --door %s` makes one that does", of[0])
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
