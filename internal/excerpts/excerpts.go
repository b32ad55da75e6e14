// Package excerpts gives passages of articles to platforms under the Agentic Intent Protocol, and
// takes what they report of having shown them.
//
// Enter at Service.Retrieve. It owns the rules of the protocol's publisher: who may ask for what,
// how much of an article a session and a platform may see, and what is recorded of it. What was
// given is kept by package grants, in the service's transactions. The service knows nothing of HTTP
// and signatures, which package aip deals with, and gets text from content/released alone.
package excerpts

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
)

// Deps are a Service's dependencies. Corpus, Policy, DB, Ledger and Nonces are required.
type Deps struct {
	Corpus *released.Corpus
	// Policy gives what is declared at present; it is called for every request and may answer
	// differently over time.
	Policy func() *Policy
	DB     *store.DB
	Ledger *ledger.Ledger
	Nonces *identity.Nonces
	// Admit counts a request of a platform in a session, and AdmitEvent an event. The error, mostly
	// fail.Limited, denies it. Nil admits all.
	Admit      func(ctx context.Context, key identity.PlatformKey, session string) error
	AdmitEvent func(ctx context.Context, key identity.PlatformKey) error
	// Asked is told the question of each request that was answered or had nothing to be answered
	// with, once; given is nil for nothing. Nil tells nobody.
	Asked func(ctx context.Context, request RetrieveRequest, given *RetrieveResult)
	// Sinks get a copy of each access event.
	Sinks []Sink
	// MinScore is the score below which an article does not fit a question; 0 to 100.
	MinScore float64
	// CacheBytes bounds the memory for articles; 0 is 64 MiB.
	CacheBytes uint64
	Now        func() time.Time // nil for time.Now
	Log        *slog.Logger     // nil for none
}

// Sink is a receiver of access events.
type Sink struct {
	Name     string
	Platform string // whose events; empty for those of all
}

// Service answers platforms' requests for passages. It may be used from many goroutines.
type Service struct {
	deps     Deps
	articles *articleCache
}

// New returns a service. It can answer once its corpus is loaded.
func New(deps Deps) (*Service, error) {
	if err := fail.Missing("excerpts.New", map[string]bool{
		"Corpus": deps.Corpus != nil, "Policy": deps.Policy != nil, "DB": deps.DB != nil, "Ledger": deps.Ledger != nil,
		"Nonces": deps.Nonces != nil,
	}); err != nil {
		return nil, err
	}
	if deps.Admit == nil {
		deps.Admit = func(context.Context, identity.PlatformKey, string) error { return nil }
	}
	if deps.AdmitEvent == nil {
		deps.AdmitEvent = func(context.Context, identity.PlatformKey) error { return nil }
	}
	if deps.Asked == nil {
		deps.Asked = func(context.Context, RetrieveRequest, *RetrieveResult) {}
	}
	deps.CacheBytes = cmp.Or(deps.CacheBytes, 64<<20)
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	articles, err := newArticleCache(deps.CacheBytes)
	if err != nil {
		return nil, err
	}
	return &Service{deps: deps, articles: articles}, nil
}
