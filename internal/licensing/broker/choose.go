package broker

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// extDryRun is the key of a request's ext that has the Broker say what it would buy, and buy
// nothing. It may stand in ext_critical.
const extDryRun = "ramp.dry_run"

// Critical says whether a key of the ext of a message is heeded here.
func Critical(message, key string) bool {
	switch message {
	case "ramp.v1.RAMPRequest":
		return key == extDryRun
	case "ramp.v1.Requester":
		return key == extUserCategory || key == extGeo
	}
	return false
}

func dryRun(r *rampv1.RAMPRequest) bool { return r.GetExt().GetFields()[extDryRun].GetBoolValue() }

// maxID is how many characters the id of a request may have.
const maxID = 256

// bounded holds a request to what is taken.
func bounded(a Request) error {
	uris := a.GetRequester().GetUris()
	switch {
	case utf8.RuneCountInString(a.Id) > maxID:
		return &ramp.Invalid{Path: "id", Problem: fmt.Sprintf("has more than %d characters; choose a shorter one",
			maxID)}
	case len(uris) > MaxURIs:
		return &ramp.Invalid{Path: "requester.uris",
			Problem: fmt.Sprintf("has more than %d addresses; ask for them in several requests", MaxURIs)}
	case len(uris) == 0 && a.GetQuery() == "" && len(a.GetSearchFilters().GetFields()) == 0:
		return &ramp.Invalid{Path: "requester.uris", Problem: "is empty, and so are query and search_filters; say " +
			"what you want"}
	case len(a.GetConstraints().GetExchanges()) > MaxExchanges:
		return &ramp.Invalid{Path: "constraints.exchanges",
			Problem: fmt.Sprintf("names more than %d Exchanges", MaxExchanges)}
	case utf8.RuneCountInString(a.GetConstraints().GetBudgetScope()) > maxID:
		return &ramp.Invalid{Path: "constraints.budget_scope",
			Problem: fmt.Sprintf("has more than %d characters", maxID)}
	case a.GetConstraints().GetPeriodBudget() == nil &&
		(a.GetConstraints().GetBudgetScope() != "" || a.GetConstraints().GetBudgetPeriod() != nil):
		return &ramp.Invalid{Path: "constraints.period_budget",
			Problem: "is missing, so that budget_scope and budget_period bound nothing; say the amount"}
	}
	if value, is := a.GetExt().GetFields()[extDryRun]; is {
		if _, is := value.GetKind().(*structpb.Value_BoolValue); !is { // taken for false, it would be bought
			return &ramp.Invalid{Path: fmt.Sprintf("ext[%q]", extDryRun), Problem: "has to be true or false"}
		}
	}
	for i, name := range a.GetConstraints().GetExchanges() {
		if at := domainOf(name); strings.ContainsAny(at, "/?#@ \\%") || at == "" {
			return &ramp.Invalid{Path: fmt.Sprintf("constraints.exchanges[%d]", i),
				Problem: "is no domain such as exchange.example.com"}
		}
	}
	return nil
}

// digestOf is the hash of what a request asks for: of all but its signatures, which may be made
// anew.
func digestOf(r *rampv1.RAMPRequest) ([]byte, error) {
	plain := proto.CloneOf(r)
	if plain.Requester != nil {
		plain.Requester.Signature = ""
	}
	text, err := ramp.Marshal(plain)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// newID makes an id that nobody guesses.
func newID(kind string) string {
	var random [16]byte
	rand.Read(random[:])
	return kind + "-" + hex.EncodeToString(random[:])
}

// choice is what may be taken for one address, the best first.
type choice struct {
	uri     string
	found   *SearchHit // how a search found it; nil where the request names it
	order   []*candidate
	at      int // of order, of those that are not tried yet
	taken   *candidate
	absent  rampv1.OfferAbsenceReason
	same    string // the address for which the same content is taken instead
	dropped bool   // for a budget
	denied  []string
}

// found is all that was found for a request.
type found struct {
	requester *rampv1.Requester // in whose name is asked and bought
	own       bool              // that is the Broker's
	wishes    wishes
	choices   []*choice
	over      passedOver
	listed    []SearchHit   // found by a search; nothing of them is bought
	hosts     hosts         // of the addresses
	silent    time.Duration // after which to come back, where no Exchange answered; 0 where one did, or none was asked
}

// choose asks Exchanges, and chooses of what they offer. What is chosen has a signature that holds,
// and is offered by who may.
func (b *Broker) choose(ctx context.Context, a Request) (*found, error) {
	w, err := wishesOf(a, b.Now())
	if err != nil {
		return nil, err
	}
	w.rates = &b.Rates
	for _, d := range b.draws(a) {
		w.only = append(w.only, d.Currency)
	}
	f := &found{requester: a.GetRequester(), wishes: w}
	if err := b.search(ctx, a, f); err != nil {
		return nil, err
	}
	uris := f.uris()
	if len(uris) == 0 {
		return f, nil
	}
	f.requester = b.attenuated(a, f.requester, uris)
	all := b.pick(ctx, a, uris, &f.over)
	if len(all) == 0 {
		return f, nil
	}
	offered, silent, err := b.ask(ctx, a, f.requester, f.own, all, &f.over)
	if err != nil {
		return nil, err
	}
	f.silent = silent
	preferred, asked := preferring(a), map[string]bool{}
	for _, uri := range uris {
		asked[uri] = true
	}
	for _, h := range offered {
		if len(uris) == 1 {
			h.alone = uris[0]
		}
		h.preferred, h.honoured = preferred(h.peer), b.isReliable(h.peer.domain)
		if n := h.strays(asked); n > 0 {
			f.over.note(h.peer.domain, "", fmt.Errorf("%d of its offers are for addresses that were not asked for", n))
		}
	}
	err = b.verify(ctx, f, offered)
	f.keepBest()
	return f, err
}

// keepBest leaves of what a search found the one that fits the search best and can be bought; the
// others are told.
func (f *found) keepBest() {
	one := false
	for _, c := range f.choices {
		switch {
		case c.found == nil:
		case c.taken != nil && !one:
			one = true
		default:
			c.taken, c.same = nil, ""
			f.listed = append(f.listed, *c.found)
		}
	}
}

// paysIn is the currency that a request speaks of; empty for none.
func (w *wishes) paysIn() string {
	if w.currency == "" && len(w.only) > 0 {
		return w.only[0]
	}
	return w.currency
}

// preferring says which Exchanges a request, or the operator, prefers.
func preferring(a Request) func(*peer) bool {
	var names []string
	for _, name := range a.GetConstraints().GetPreferredExchanges() {
		names = append(names, domainOf(name))
	}
	return func(p *peer) bool {
		if len(names) > 0 {
			return slices.Contains(names, p.domain)
		}
		return p.preferred
	}
}

// uris are the addresses for which something is chosen.
func (f *found) uris() (all []string) {
	for _, c := range f.choices {
		all = append(all, c.uri)
	}
	return all
}

// verify takes for each choice the best of what is offered whose signature holds and whose Exchange
// may sell it. Of what is the same under several addresses, the cheapest is taken, and the first of
// those that cost as much.
func (b *Broker) verify(ctx context.Context, f *found, offered []*reply) error {
	_, common := b.Rates.common(0, f.wishes.paysIn())
	over := make([]passedOver, len(f.choices)) // in the order of the choices, whoever is done first
	var wait sync.WaitGroup
	for i, c := range f.choices {
		wait.Go(func() { // side by side: whose attestations are slow to be had keeps nobody else waiting
			c.order, c.absent = b.candidates(c.uri, offered, &f.wishes, &over[i])
			if len(c.order) > 0 {
				b.rank(ctx, c.order, common)
				b.next(ctx, f, c, &over[i])
			}
		})
	}
	wait.Wait()
	for i := range over {
		f.over.add(&over[i])
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	taken := map[string]*choice{}
	for _, c := range f.choices {
		if c.taken == nil {
			continue
		}
		same := identityOf(c.taken.offer)
		first := taken[same]
		switch {
		case same == "":
		case first == nil || first.uri == c.uri:
			taken[same] = c
		case !b.bothSpeak(ctx, f, first, c):
		case c.taken.currency == first.taken.currency && c.taken.price+c.taken.fee < first.taken.price+first.taken.fee:
			first.same, first.taken, taken[same] = c.uri, nil, c
		default:
			c.same, c.taken = first.uri, nil
		}
	}
	return nil
}

// bothSpeak says whether the Exchanges of what is taken for two addresses may sell at both: who may
// not sell at an address does not say either what is the same as what is there, or it would keep
// others from selling that.
func (b *Broker) bothSpeak(ctx context.Context, f *found, one, two *choice) bool {
	if one.taken.peer.key() == two.taken.peer.key() {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, b.Deadline)
	defer cancel()
	return b.authorised(ctx, &f.hosts, one.taken.peer, two.uri) == nil &&
		b.authorised(ctx, &f.hosts, two.taken.peer, one.uri) == nil
}

// next takes the next candidate of a choice that is good; none where there is no more. For what it
// has to read for that, such as the manifest of the address's host or keys of an Exchange that has
// others now, it waits no longer than for offers.
func (b *Broker) next(ctx context.Context, f *found, c *choice, over *passedOver) {
	c.taken = nil
	reading, cancel := context.WithTimeout(ctx, b.Deadline)
	defer cancel()
	for c.at < len(c.order) && ctx.Err() == nil {
		one := c.order[c.at]
		c.at++
		if err := b.authorised(reading, &f.hosts, one.peer, c.uri); err != nil {
			c.absent = rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_AUTHORIZED
			over.note(one.peer.domain, c.uri, err)
			continue
		}
		if err := b.signed(ctx, one); err != nil {
			b.dishonour(one.peer.domain)
			over.note(one.peer.domain, c.uri, err)
			continue
		}
		c.taken = one
		return
	}
}

// signed reads an offer as its Exchange has signed it.
func (b *Broker) signed(ctx context.Context, one *candidate) (err error) {
	ctx, cancel := context.WithTimeout(ctx, b.Deadline)
	defer cancel()
	one.document, one.object, err = one.exchange.Verify(ctx, one.Collected, one.offer)
	return err
}
