package requesters_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// passing is a query of a requester that two hosts pass on, the first under key 1 and the second
// under key 2.
type passing struct {
	*requesters.Registry
	first, second *agentHost
	now           func() time.Time
}

func newPassing(t testing.TB, c interface{ Now() time.Time }, rs *requesters.Registry) *passing {
	p := &passing{rs, newAgentHost(t), newAgentHost(t), c.Now}
	p.first.publishes(t, "broker", ramp.Key{Public: public(1)})
	p.second.publishes(t, "relay", ramp.Key{Public: public(2)})
	return p
}

func (p *passing) query(t testing.TB) *rampv1.ResourceQuery {
	t.Helper()
	query := &rampv1.ResourceQuery{Ver: "1.0", Id: "q",
		Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example.com", Uris: []string{"u"}}}
	for i, host := range []*agentHost{p.first, p.second} {
		if err := ramp.AppendHop(query, ramp.Hop{Domain: host.domain(), ID: []string{"broker", "relay"}[i],
			At: p.now()}, key(byte(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	return query
}

func (p *passing) forwarded(query *rampv1.ResourceQuery) error {
	return p.Forwarded(context.Background(), query, nil, nil)
}

// TestIntermediariesAreVerified holds that each intermediary must have signed with a key of its
// domain, which is fetched once.
func TestIntermediariesAreVerified(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := newPassing(t, c, registry(t, storetest.Chosen(t, requesters.Schema), c, nil))
	for range 3 {
		if err := p.forwarded(p.query(t)); err != nil {
			t.Fatal(err)
		}
	}
	if p.first.called() != 1 || p.second.called() != 1 {
		t.Errorf("the hosts were asked %d and %d times, want once", p.first.called(), p.second.called())
	}
	if err := p.forwarded(&rampv1.ResourceQuery{}); err != nil {
		t.Errorf("a query that came directly: %v", err)
	}
	for name, change := range map[string]func(*rampv1.ResourceQuery){
		"a query that was changed":    func(q *rampv1.ResourceQuery) { q.Requester.Uris[0] = "v" },
		"hops in another order":       func(q *rampv1.ResourceQuery) { slices.Reverse(q.Intermediaries) },
		"a first hop that is missing": func(q *rampv1.ResourceQuery) { q.Intermediaries = q.Intermediaries[1:] },
		"another's signature": func(q *rampv1.ResourceQuery) {
			q.Intermediaries[1].Signature = q.Intermediaries[0].Signature
		},
		"no signature":             func(q *rampv1.ResourceQuery) { q.Intermediaries[0].Signature = "" },
		"a signature that is none": func(q *rampv1.ResourceQuery) { q.Intermediaries[0].Signature = "x" },
		"no domain":                func(q *rampv1.ResourceQuery) { q.Intermediaries[0].Domain = "" },
		"a domain that is none":    func(q *rampv1.ResourceQuery) { q.Intermediaries[0].Domain = "a_b" },
		"another id of the domain": func(q *rampv1.ResourceQuery) { q.Intermediaries[0].Id = "other" },
		"another algorithm":        func(q *rampv1.ResourceQuery) { q.Intermediaries[0].SignatureAlgorithm = "rsa" },
		"no time":                  func(q *rampv1.ResourceQuery) { q.Intermediaries[0].ForwardedAt = nil },
		"a host without the document": func(q *rampv1.ResourceQuery) {
			q.Intermediaries[0].Domain = newAgentHost(t).domain()
		},
		"more hops than there may be": func(q *rampv1.ResourceQuery) {
			q.Intermediaries = slices.Repeat(q.Intermediaries, 5)
		},
		"a last hop that was added to": func(q *rampv1.ResourceQuery) {
			q.Intermediaries = append(q.Intermediaries, q.Intermediaries[1])
		},
	} {
		query := p.query(t)
		change(query)
		said(t, name, p.forwarded(query), fail.Unauthorized, "intermediaries")
	}
	query := p.query(t)
	c.Advance(5*time.Minute + 1)
	said(t, "a query from before", p.forwarded(query), fail.Unauthorized, "intermediaries[0].forwarded_at",
		"5 minutes ago")
}

// TestIntermediariesMayRotate holds that a key which an intermediary has just begun is found, and
// one that is over is none.
func TestIntermediariesMayRotate(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := newPassing(t, c, registry(t, storetest.Chosen(t, requesters.Schema), c, nil))
	p.first.publishes(t, "broker", ramp.Key{Public: public(7)})
	said(t, "another's key", p.forwarded(p.query(t)), fail.Unauthorized,
		"intermediaries[0]: the signature of "+p.first.domain())
	p.first.publishes(t, "broker", ramp.Key{Public: public(7)},
		ramp.Key{ID: "new", Public: public(1), Until: c.Now().Add(time.Hour)})
	c.Advance(time.Minute)
	if err := p.forwarded(p.query(t)); err != nil {
		t.Errorf("a new key is not found: %v", err)
	}
	c.Advance(time.Hour)
	said(t, "a key that is over", p.forwarded(p.query(t)), fail.Unauthorized, "intermediaries[0]")
}

// TestTheOperatorsWordOnIntermediariesHolds holds that the keys that the operator was given count
// in place of those that a domain publishes, and that nobody who is suspended passes anything on.
func TestTheOperatorsWordOnIntermediariesHolds(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := newPassing(t, c, registry(t, storetest.Chosen(t, requesters.Schema), c, nil))
	if _, err := p.Add(t.Context(), requesters.Registration{Domain: p.first.domain(), ID: "broker",
		Keys: []ramp.Key{{Public: public(1)}}}); err != nil {
		t.Fatal(err)
	}
	p.first.set(nil)
	if err := p.forwarded(p.query(t)); err != nil || p.first.called() != 0 {
		t.Errorf("%v, after %d calls", err, p.first.called())
	}
	if _, err := p.SetStatus(t.Context(), p.first.domain(), "broker", requesters.Suspended); err != nil {
		t.Fatal(err)
	}
	said(t, "one that is suspended", p.forwarded(p.query(t)), fail.Unauthorized, "intermediaries[0]", "suspended")
}

// TestIntermediariesCostWhatRequestersDo holds that nothing is fetched for who may not have it
// fetched, that a request which is taken back waits for nobody, and that many keys are not all
// tried.
func TestIntermediariesCostWhatRequestersDo(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := newPassing(t, c, registry(t, storetest.Chosen(t, requesters.Schema), c, nil))
	limited := fail.New(fail.Limited, "too many")
	err := p.Forwarded(t.Context(), p.query(t), nil, func() error { return limited })
	if !errors.Is(err, limited) || p.first.called() != 0 {
		t.Errorf("%v, after %d calls", err, p.first.called())
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked, hold := make(chan struct{}), make(chan struct{})
	defer close(hold)
	p.first.set(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-hold
	})
	go func() {
		<-asked
		cancel()
	}()
	if err := p.Forwarded(ctx, p.query(t), nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that was taken back: %v", err)
	}
	var many []ramp.Key
	for n := range byte(16) {
		many = append(many, ramp.Key{ID: strings.Repeat("k", int(n)+1), Public: public(n + 50)})
	}
	p.second.publishes(t, "relay", many...)
	query := p.query(t)
	query.Intermediaries = query.Intermediaries[:0]
	for range ramp.MaxHops {
		if err := ramp.AppendHop(query, ramp.Hop{Domain: p.second.domain(), ID: "relay", At: c.Now()},
			key(65)); err != nil {
			t.Fatal(err)
		}
	}
	said(t, "the last of many keys, eight times", p.forwarded(query), fail.Unauthorized, "more keys than are tried")
}
