package app

import (
	"cmp"

	apphttp "frontdesk/internal/app/http"

	"context"
	"net/http"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/ratelimit"
)

// authOptions are what a checked configuration says of who comes in, and how often.
func (b *base) authOptions(keys *identity.Keys) (apphttp.AuthOptions, error) {
	config := b.config
	options := apphttp.AuthOptions{
		Strict:   len(config.Auth.Required)+len(config.Auth.Keys) > 0 || config.Auth.OAuth.Issuer != "",
		Required: config.Auth.Required, Issuer: config.Auth.OAuth.Issuer, Scopes: config.Auth.OAuth.Scopes,
		Help: askPath,
	}
	trusted := identity.Config{Keys: keys, Fixed: config.Auth.Keys, Now: b.now, Strict: options.Strict, Log: b.log}
	if o := config.Auth.OAuth; o.Issuer != "" {
		o.Audience, o.Fetch = config.audiences(), keysFrom(config.Fetcher())
		trusted.OAuth = &o
	}
	var err error
	if options.Verifier, err = identity.New(trusted); err != nil {
		return options, err
	}
	options.Sites = config.siteIDs()
	rates := config.Limits.Rate
	limits := ratelimit.Options{Secret: b.secret, Now: b.now, Log: b.log}
	alone := ratelimit.New(limits)
	limits.DB = b.together()
	together := ratelimit.New(limits)
	for _, m := range []struct {
		meter   *ratelimit.Meter
		limiter *ratelimit.Limiter
		name    string
		rate    string
	}{
		{&options.Address, together, "address", rates.Address}, {&options.Key, together, "key", rates.Key},
		{&options.Operator, together, "operator", cmp.Or(rates.Operator, rates.Address)},
		{&options.Site, together, "site", rates.Site}, {&options.Agent, together, "agent", ""},
		{&options.Failures, alone, "failures", rates.Failures}, {&options.Excess, alone, "excess", ""},
	} {
		rate, err := ratelimit.ParseRate(m.rate)
		if err != nil {
			return options, err
		}
		*m.meter = m.limiter.Meter(m.name, rate)
	}
	return options, nil
}

// keysFrom fetches the authorization server's keys.
func keysFrom(fetcher *fetch.Fetcher) func(context.Context, string) ([]byte, error) {
	const most = 1 << 20
	return func(ctx context.Context, address string) ([]byte, error) {
		response, err := fetcher.Get(ctx, fetch.Request{URL: address, Own: true, MaxBytes: most,
			Header: http.Header{"Accept": {"application/jwk-set+json, application/json"}}})
		if err != nil {
			return nil, err
		}
		if response.Status != http.StatusOK {
			return nil, fail.New(fail.Unavailable, "%s answered with status %d", address, response.Status)
		}
		return response.Body, nil
	}
}
