package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"frontdesk/client"
	rampv1 "frontdesk/wire/ramp/v1"
)

// passedOver says what was not taken, and why, for who asks.
type passedOver struct {
	mu  sync.Mutex
	all []passed
}

type passed struct {
	Exchange string `json:"exchange,omitempty"`
	URI      string `json:"uri,omitempty"` // or the host of one
	Why      string `json:"why"`
}

// maxPassed is of how many things it is told why they were not taken.
const maxPassed = 100

func (p *passedOver) note(exchange, uri string, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) < maxPassed {
		p.all = append(p.all, passed{clip(exchange, 253), clip(uri, 500), clip(why.Error(), 300)})
	}
}

// add notes what another noted, in which nothing is noted any more.
func (p *passedOver) add(other *passedOver) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, other.all[:min(len(other.all), maxPassed-len(p.all))]...)
}

// list is what was noted, in an order that does not depend on who answered first.
func (p *passedOver) list() []passed {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.all)
	sort.SliceStable(out, func(i, j int) bool {
		return out[i].Exchange+"\n"+out[i].URI < out[j].Exchange+"\n"+out[j].URI
	})
	return out
}

func clip(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// reply is what an Exchange offered.
type reply struct {
	peer     *peer
	exchange *client.Exchange
	*client.Collected
	groups    map[string]*rampv1.OfferGroup // by their addresses, the first of each
	alone     string                        // the address that was asked for, where there was but one
	preferred bool
	honoured  float64 // share of its offers that the Exchange sold when they were taken
}

func newReply(p *peer, x *client.Exchange, c *client.Collected) *reply {
	h := &reply{peer: p, exchange: x, Collected: c,
		groups: make(map[string]*rampv1.OfferGroup, len(c.Response.GetOfferGroups()))}
	for _, group := range c.Response.GetOfferGroups() {
		if h.groups[group.GetUri()] == nil {
			h.groups[group.GetUri()] = group
		}
	}
	return h
}

// strays counts the offers of an answer that are for addresses which were not asked for, or for
// none.
func (h *reply) strays(asked map[string]bool) (n int) {
	for _, group := range h.Response.GetOfferGroups() {
		if !asked[group.GetUri()] {
			n += len(group.GetOffers())
		}
	}
	if h.alone == "" {
		n += len(h.Response.GetOffers())
	}
	return n
}

// query is what Exchanges are asked, under an id that is made for it: the requester as it came, and
// the Broker's hop; or the Broker itself.
func (b *Broker) query(a Request, made string, requester *rampv1.Requester, own bool,
	left time.Duration) (*client.Passed, error) {
	buyer, err := b.buyer()
	if err != nil {
		return nil, err
	}
	id := a.Id
	query := &rampv1.ResourceQuery{
		Ver: Version, Id: made, Requester: requester, RequestId: &id, SupportedProfiles: a.SupportedProfiles,
		Deadline: durationpb.New(max(left, time.Millisecond)),
	}
	return buyer.PassOn(query, b.Now(), own)
}

// slack is how much sooner than the fan-out ends an Exchange is to answer, so that its answer comes
// in time.
const slack = 10 // of it, one part

// ask asks peers at once, and gives what came before the deadline. One that is dead, slow, lying or
// flooding costs the others nothing: what came of them is taken as soon as they are there, and who
// fails twice rests. Who was given less time than the Broker gives, since the agent has no more or
// has gone, has not failed: no agent can have Exchanges rest for others. Where nobody answered,
// silent is after which time to come back.
func (b *Broker) ask(ctx context.Context, a Request, requester *rampv1.Requester, own bool, all []*peer,
	passed *passedOver) (out []*reply, silent time.Duration, err error) {
	within := b.Deadline
	if until, is := ctx.Deadline(); is {
		within = min(within, time.Until(until)*3/4) // the rest is for the purchase
	}
	id := newID("qry")
	query, err := b.query(a, id, requester, own, within-within/slack)
	if err != nil {
		return nil, 0, err
	}
	answered, silent := false, maxRest
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	type result struct {
		peer  *peer
		heard *reply
		err   error
	}
	results := make(chan result, len(all))
	turns := make(chan struct{}, b.Parallel)
	waiting := map[*peer]bool{}
	for _, p := range all {
		if until := p.resting(b.Now()); !until.IsZero() {
			b.watchResting(p)
			silent = min(silent, until.Sub(b.Now()))
			passed.note(p.domain, "",
				fmt.Errorf("it failed, and is asked again in %s", until.Sub(b.Now()).Round(time.Second)))
			continue
		}
		waiting[p] = true
		go func() {
			select {
			case turns <- struct{}{}:
				defer func() { <-turns }()
			case <-ctx.Done():
				results <- result{p, nil, context.Cause(ctx)}
				return
			}
			began := time.Now()
			h, err := b.askOne(ctx, a, p, query, id, within)
			b.watchAsked(p, err, began)
			results <- result{p, h, err}
		}()
	}
	if len(waiting) > 0 {
		silent = comeBack
	}
	for len(waiting) > 0 {
		select {
		case r := <-results:
			delete(waiting, r.peer)
			if r.err != nil {
				b.logFailed(r.peer, r.err)
				passed.note(r.peer.domain, "", failing(r.err))
				answered = answered || answers(r.err)
			} else {
				answered = true
				out = append(out, r.heard)
			}
		case <-ctx.Done():
			for p := range waiting {
				passed.note(p.domain, "", errLate)
				if time.Since(started) >= p.patience(b.Deadline) {
					p.went(b.Now(), true)
				}
			}
			clear(waiting)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].peer.key() < out[j].peer.key() })
	if answered {
		silent = 0
	}
	return out, silent, nil
}

// answers says whether who failed so has answered, and would answer again so: it refused, or is no
// Exchange for this query.
func answers(err error) bool {
	var told *client.ExchangeError
	if errors.As(err, &told) && told.Status == http.StatusTooManyRequests {
		return false
	}
	return refused(err) || errors.Is(err, errProfile) || errors.Is(err, errOther) || errors.Is(err, errOtherDomain)
}

var (
	errLate    = errors.New("it did not answer in time")
	errProfile = errors.New("it has none of the profiles that are understood")
	errOther   = errors.New("it answers another query")
)

// askOne asks one peer, whose answer has to be to the query of this id; the query says that there
// is so much time.
func (b *Broker) askOne(ctx context.Context, a Request, p *peer, query *client.Passed, id string,
	within time.Duration) (*reply, error) {
	hurried := within < p.patience(b.Deadline)
	x, err := b.peers.exchange(ctx, p)
	if err != nil {
		if ctx.Err() == nil {
			p.went(b.Now(), true)
		}
		return nil, err
	}
	declared := x.Manifest().GetSupportedProfiles()
	if len(declared) > 0 && len(a.SupportedProfiles) > 0 &&
		!slices.ContainsFunc(declared, func(one string) bool { return slices.Contains(a.SupportedProfiles, one) }) {
		return nil, errProfile
	}
	collected, err := b.collect(ctx, p, x, query)
	if err == nil && domainOf(collected.Response.GetExchange()) != p.domain {
		err = fmt.Errorf("%w: it answers as %.60q", errOtherDomain, collected.Response.GetExchange())
	}
	if err == nil && collected.Response.GetId() != id {
		err = errOther
	}
	if ctx.Err() == nil || err == nil {
		p.went(b.Now(), err != nil && !refused(err) && !(hurried && outOfTime(err)))
	}
	if err != nil {
		return nil, err
	}
	return newReply(p, x, collected), nil
}

// collect has a peer answer in the time that it is given.
func (b *Broker) collect(ctx context.Context, p *peer, x *client.Exchange, query *client.Passed) (*client.Collected,
	error) {
	until, _ := ctx.Deadline()
	began := time.Now()
	given := p.patience(b.Deadline)
	own := given < until.Sub(began) // and not what is left of the request's time
	if own {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, given)
		defer cancel()
	}
	out, err := x.Collect(ctx, query, b.Binary)
	switch {
	case err == nil:
		p.took(time.Since(began))
	case own && errors.Is(ctx.Err(), context.DeadlineExceeded):
		p.took(given)
	}
	return out, err
}

// outOfTime says whether an Exchange answered that the time which the query gave it is over.
func outOfTime(err error) bool {
	var told *client.ExchangeError
	return errors.As(err, &told) && told.Code == "deadline_exceeded"
}

// refused says whether an Exchange answered and said no, which is no failure of its own.
func refused(err error) bool {
	var told *client.ExchangeError
	return errors.As(err, &told) && told.Status >= 400 && told.Status < 500
}

var (
	errAway   = errors.New("it cannot be reached from here, at an address that may be asked and over https")
	errBroken = errors.New("its answer broke off, or is larger than is read")
)

// failing is a failure in words that are fit for strangers: an Exchange's own text is clipped, and
// where a name leads, and how that fails, is told to nobody, since requests name hosts.
func failing(err error) error {
	if several, is := err.(interface{ Unwrap() []error }); is {
		var all []error
		for _, one := range several.Unwrap() {
			if one = failing(one); !slices.ContainsFunc(all, func(known error) bool {
				return known.Error() == one.Error()
			}) {
				all = append(all, one)
			}
		}
		if len(all) == 1 {
			return all[0]
		}
		return errors.Join(all...)
	}
	var told *client.ExchangeError
	var away *client.Unreachable
	var broken *client.Broken
	var request *url.Error
	var socket *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, client.ErrSilent):
		return errLate
	case errors.As(err, &told):
		return fmt.Errorf("it answered %s: %s%s", clip(told.Code, 40), clip(told.Message, 150), clocks(told.Apart))
	case errors.As(err, &broken):
		return errBroken
	case errors.As(err, &away), errors.As(err, &request), errors.As(err, &socket):
		return errAway
	}
	return err
}

// clocks says that the clocks of an Exchange and the Broker are apart; empty where they are not.
func clocks(apart time.Duration) string {
	if apart == 0 {
		return ""
	}
	return fmt.Sprintf("; its clock and the Broker's are %s apart: one of them is wrong", apart.Abs())
}

// logFailed tells the operator what [failing] keeps from strangers, of Exchanges that the operator
// has named; of those that others name, who looks for it.
func (b *Broker) logFailed(p *peer, err error) {
	level := slog.LevelDebug
	if p.typed && !refused(err) {
		level = slog.LevelWarn
	}
	b.Log.Log(context.Background(), level, "an Exchange was not heard", "exchange", p.domain, "error", err)
}
