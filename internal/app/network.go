package app

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/tls"
)

// network is how others reach the program: at which address, who comes in, and whether it is
// stopping.
type network struct {
	*base
	options Options
	outside *apphttp.ClientAddress
	gate    *apphttp.Auth // nil when only this process asks
	metrics *apphttp.Metrics
	shutdown

	certificates atomic.Pointer[tls.Source] // nil before the first connection, and without TLS
}

// shutdown is how the program stops.
type shutdown struct {
	stopping atomic.Bool
	leaving  context.Context // ends when stopping is set
	leave    context.CancelFunc
	after    func(time.Duration) <-chan time.Time // time.After
}

// newNetwork makes what an edge by itself has, too: nobody is asked for a credential.
func (b *base) newNetwork(options Options) *network {
	n := &network{
		base: b, options: options, outside: apphttp.NewClientAddress(b.config.addressOptions()),
		metrics: apphttp.NewMetrics(), shutdown: shutdown{after: time.After},
	}
	n.leaving, n.leave = context.WithCancel(context.Background())
	return n
}

// openNetwork makes the network, and lets in those who hold one of the keys.
func (b *base) openNetwork(options Options, keys *identity.Keys) (*network, error) {
	n := b.newNetwork(options)
	if !options.Inside {
		auth, err := b.authOptions(keys)
		if err != nil {
			return nil, err
		}
		n.gate = apphttp.NewAuth(n.outside, auth)
	}
	n.metrics.Database("main", b.db.Failing)
	n.metrics.Collisions("main", b.db.Collisions)
	return n, nil
}

// requestHandler answers the routes of a multiplexer.
func (n *network) requestHandler(routes *http.ServeMux, known map[string]*apphttp.Route) *apphttp.RequestHandler {
	front := &apphttp.RequestHandler{
		Address: n.outside, Strict: strictTransport(n.config.TLS), Routes: routes, Known: known, Log: n.log,
		Metrics: n.metrics, Now: n.now, MaxRequests: int64(n.config.Limits.Requests),
	}
	n.metrics.Busy(front.InWork.Load)
	return front
}

// agents tells automated clients apart. depends says whether the terms in force differ by party.
func (n *network) agents(depends func() bool) *apphttp.Agents {
	options := n.config.Fetch.Options()
	options.MaxRedirects, options.Allow = -1, fetch.Networks(n.config.Agents.Allow)
	get := fetch.New(options).Get
	if !n.config.Agents.Verify {
		get = func(context.Context, fetch.Request) (*fetch.Response, error) {
			return nil, errors.New("signatures of agents are not verified here")
		}
	}
	return &apphttp.Agents{
		Verifier:  agents.New(agents.Config{Fetch: get, Known: n.config.Agents.List(), Now: n.now, Log: n.log}),
		Operators: n.config.Agents.Operators(), Depends: depends, Elsewhere: n.elsewhere,
		MaxBody: int64(n.config.Limits.Body),
	}
}

// reloadCertificates has the files of the certificate looked at.
func (n *network) reloadCertificates() {
	if source := n.certificates.Load(); source != nil {
		(*source).Reload()
	}
}
