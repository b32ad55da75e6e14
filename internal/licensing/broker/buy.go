package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/client"
	"frontdesk/internal/infra/store"
	rampv1 "frontdesk/wire/ramp/v1"
)

// begin puts a work on record, with what is bought under which ids, and holds what it may cost of
// its budgets: of what does not fit the last addresses are left out until the rest does. first is
// false where the request is on record already. The error is a *Refusal where nothing can be
// bought.
func (b *Broker) begin(ctx context.Context, w *work, f *found, a Request) (first bool, err error) {
	plain := *w
	err = b.DB.UpdateBatched(ctx, w.locks(), func(tx *store.Tx) error {
		*w = plain
		w.plan.Budgets, w.plan.Rates = b.draws(a), b.Rates
		now := b.Now()
		purses := make([]budgetState, len(w.Budgets))
		for i, d := range w.Budgets {
			var err error
			if purses[i], err = d.stands(ctx, tx, w.account, now); err != nil {
				return err
			}
		}
		if err := w.fit(f, purses); err != nil {
			return err
		}
		for i, d := range w.Budgets {
			d.Held, _ = w.Rates.needs(w.Items, d.Currency)
			purses[i].held += d.Held
			if err := d.put(ctx, tx, w.account, purses[i]); err != nil {
				return err
			}
		}
		w.buys(f, 0)
		w.Unsold, w.Passed, w.Found = f.unsold(nil), f.over.list(), f.listed
		return w.put(ctx, tx, now)
	})
	if errors.Is(err, errChanged) {
		return false, nil
	}
	if err == nil {
		w.version = 1
		err = b.fault("begun")
	}
	return true, err
}

// fit takes what was chosen into a work, as far as its bound and its budgets allow, which stand as
// purses say. The error is a *Refusal.
func (w *work) fit(f *found, purses []budgetState) error {
	var taken []*choice
	w.Items = nil
	for _, c := range f.choices {
		c.dropped = false
		if c.taken != nil {
			taken = append(taken, c)
			w.Items = append(w.Items, c.item())
		}
	}
	if len(taken) == 0 {
		return f.nothing()
	}
	kept := slices.Clone(w.Items)
	var short *Refusal
	for {
		over := w.over(kept, purses)
		if over == nil {
			break
		}
		short = over
		at := lastOf(kept)
		taken[slices.Index(w.Items, kept[at])].dropped = true
		kept = slices.Delete(kept, at, at+1)
	}
	if len(kept) == 0 {
		return short.with(withUnsold(short.details, f.unsold(nil)))
	}
	w.Items = kept
	return nil
}

// over says which bound some items are over; nil for none.
func (w *work) over(items []*item, purses []budgetState) *Refusal {
	if sum, ok := w.Rates.needs(items, w.Currency); w.Most >= 0 && (!ok || sum > w.Most) {
		return refuse("resource_exhausted", "it costs more than the %s that may be paid for this request; raise "+
			"constraints.max_price, or ask for less", words(w.Most, w.Currency)).
			with(map[string]any{"budget": "request", "limit": amount(w.Most), "currency": w.Currency,
				"remaining": amount(w.Most), "spent": 0.0})
	}
	for i, d := range w.Budgets {
		left := d.left(purses[i])
		if sum, ok := w.Rates.needs(items, d.Currency); ok && sum <= left {
			continue
		}
		name, _ := strings.CutPrefix(d.Scope, scopeOwn)
		details := map[string]any{
			"budget": strings.TrimSpace(name), "limit": amount(d.Limit), "currency": d.Currency,
			"remaining": amount(left), "spent": amount(purses[i].spent), "held": amount(purses[i].held),
		}
		until, todo := "", "raise it, or ask for less"
		if ends := store.FromMicros(purses[i].ends); !ends.IsZero() {
			details["resets_at"] = ends.Format(time.RFC3339)
			until, todo = ", until "+ends.Format(time.RFC3339), "raise it, ask for less, or come back then"
		}
		return refuse("resource_exhausted", "the budget %q has %s left of %s: %s are spent, and %s held%s; %s",
			strings.TrimSpace(name), words(left, d.Currency), words(d.Limit, d.Currency),
			words(purses[i].spent, d.Currency), words(purses[i].held, d.Currency), until, todo).with(details)
	}
	return nil
}

// lastOf is the place of the last item that costs something.
func lastOf(items []*item) int {
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].paid() > 0 {
			return i
		}
	}
	return len(items) - 1
}

// item is what is taken, to be put on record.
func (c *choice) item() *item {
	t := c.taken
	return &item{
		URI: c.uri, Exchange: t.peer.domain, OfferID: t.offer.GetOfferId(), Signature: t.offer.GetExchangeSignature(),
		Offer: json.RawMessage(t.document), Price: t.price, Fee: t.fee,
		Currency: t.currency, Subscription: t.subscription, Method: int32(t.offer.GetDeliveryMethod()), Found: c.found,
		Way: t.reply.way(c.uri), taken: t,
	}
}

// buys makes purchases of the items from one on: one for each Exchange, in the order of the
// request.
func (w *work) buys(_ *found, from int) {
	if from == 0 {
		w.Buys = nil
	}
	fresh := len(w.Buys)
	for at := from; at < len(w.Items); at++ {
		p := w.Items[at].taken.peer
		same := slices.IndexFunc(w.Buys[fresh:], func(one *buy) bool {
			return one.Exchange == p.domain && slices.Equal(one.Places, p.places)
		})
		if same < 0 {
			same = len(w.Buys) - fresh
			w.Buys = append(w.Buys, &buy{ID: newID("brk"), Exchange: p.domain, Places: p.places, Typed: p.typed,
				Named: p.named})
		}
		w.Buys[fresh+same].Items = append(w.Buys[fresh+same].Items, at)
	}
	w.Rounds++
}

// again is how long an attempt to buy waits before the next.
const again = 200 * time.Millisecond

// finish makes the purchases of a work, and of what is denied those of the next best offers; and
// answers. What it starts is not taken back when the agent goes: the purchases are finished for its
// next request.
func (b *Broker) finish(ctx context.Context, w *work) (*rampv1.RAMPResponse, error) {
	if w.done {
		return w.answered()
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.BuyWithin)
	defer cancel()
	for {
		if !w.forgotten(b.Now()) { // an Exchange that is asked later makes it anew, or denies what it has sold
			if err := b.execute(work, w); err != nil {
				return nil, err
			}
		}
		if err := b.fault("executed"); err != nil {
			return nil, err
		}
		more, err := b.settled(context.WithoutCancel(ctx), w)
		if err != nil {
			return nil, err
		}
		if err := b.fault("settled"); err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	return w.answered()
}

// execute makes all purchases that are open, at once.
func (b *Broker) execute(ctx context.Context, w *work) error {
	requester, err := w.requester()
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	for _, one := range w.Buys {
		if one.State != open {
			continue
		}
		wait.Go(func() { b.buy(ctx, w, one, requester) })
	}
	wait.Wait()
	return nil
}

// buy makes one purchase, again and again while it is not known whether it was made. It always has
// the same id.
func (b *Broker) buy(ctx context.Context, w *work, one *buy, requester *rampv1.Requester) {
	id := w.id
	request := &rampv1.TransactionRequest{Ver: Version, Id: one.ID, Requester: requester, RequestId: &id}
	if len(one.Items) == 1 {
		i := w.Items[one.Items[0]]
		request.OfferId, request.OfferSignature = &i.OfferID, &i.Signature
	} else {
		for _, at := range one.Items {
			request.Items = append(request.Items,
				&rampv1.TransactionItem{OfferId: w.Items[at].OfferID, OfferSignature: w.Items[at].Signature})
		}
	}
	p := b.peers.of(&peer{domain: one.Exchange, places: one.Places, typed: one.Typed, named: one.Named})
	wait := again
	for {
		results, sent, err := b.buyOnce(ctx, p, request)
		switch {
		case err == nil:
			one.Unsure = ""
			for n, at := range one.Items {
				w.Items[at].came(results[n])
			}
			one.State = bought
			return
		// what was sent before, or is on record of before, may have been bought then
		case surely(err) && !one.Sent && w.found != nil:
			for _, at := range one.Items {
				w.Items[at].State, w.Items[at].Why = denied, failing(err).Error()
			}
			one.State = denied
			return
		}
		one.Sent, one.Unsure = one.Sent || sent, clip(failing(err).Error(), 300)
		b.Log.Warn("it is not known whether a purchase was made; it is tried again", "exchange", one.Exchange, "id",
			one.ID, "error", err)
		if b.fault("unsure") != nil {
			return
		}
		var told *client.ExchangeError
		if errors.As(err, &told) {
			wait = max(wait, told.RetryAfter)
		}
		if until, is := ctx.Deadline(); is && wait > time.Until(until) {
			return // the agent asks again, or the Broker itself
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return
		}
	}
}

// buyOnce tries once. sent says that the Exchange may have had the request.
func (b *Broker) buyOnce(ctx context.Context, p *peer,
	request *rampv1.TransactionRequest) (all []*rampv1.TransactionResultItem, sent bool, err error) {
	x, err := b.peers.exchange(ctx, p)
	if err != nil {
		return nil, false, err
	}
	answer, err := x.Execute(ctx, request)
	if err != nil {
		var way *net.OpError
		return nil, !errors.As(err, &way) || way.Op != "dial", err
	}
	all, err = x.Results(request, answer)
	return all, true, err
}

// surely says whether an error means that nothing was bought by this request: the Exchange has
// refused it before it looked whether it had made it already. All else, such as an answer that did
// not come or cannot be read, leaves open whether it was. So does already_exists: nobody else has
// this id.
func surely(err error) bool {
	var told *client.ExchangeError
	if !errors.As(err, &told) {
		return false
	}
	switch told.Code {
	case "invalid_argument", "unauthenticated", "permission_denied", "not_found", "failed_precondition",
		"unimplemented", "out_of_range":
		return true
	}
	return false
}

// came takes over what an Exchange answered for an item.
func (i *item) came(r *rampv1.TransactionResultItem) {
	if r.DenialReason != nil && r.GetDenialReason() != 0 {
		i.State, i.Why = denied, strings.TrimPrefix(r.GetDenialReason().String(), "DENIAL_REASON_")
		return
	}
	i.State = bought
	i.Result, _ = proto.Marshal(r)
	i.read = r
}

// spent is what an item counts in a currency with the fee: of what was bought, what the Exchange
// says to have charged, whatever was offered. What it says in a currency that cannot be converted
// counts as what was offered.
func (i *item) spent(r *Rates, currency string) (int64, bool) {
	charged, in := i.charged()
	if in == i.Currency {
		return r.convert(min(charged+i.Fee, maxUnits), in, currency)
	}
	n, ok := r.convert(charged, in, currency)
	if !ok {
		return r.convert(i.paid(), i.Currency, currency)
	}
	fee, ok := r.convert(i.Fee, i.Currency, currency)
	return min(n+fee, maxUnits), ok
}

// charged is what the Exchange says to have charged; the price where it does not say.
func (i *item) charged() (n int64, currency string) {
	if i.State != bought {
		return i.Price, i.Currency
	}
	r, err := i.result()
	if err != nil || r.Cost == nil {
		return i.Price, i.Currency
	}
	n, ok := units(r.GetCost().GetAmount())
	switch {
	case !ok:
		return i.Price, i.Currency
	case n == 0 || strings.EqualFold(r.GetCost().GetCurrency(), i.Currency):
		return n, i.Currency
	}
	return n, strings.ToUpper(clip(r.GetCost().GetCurrency(), 40))
}

// overcharged says whether the Exchange has charged more than it offered, or anything in another
// currency.
func (i *item) overcharged() bool {
	n, currency := i.charged()
	return n > i.Price || currency != i.Currency
}

// givenUp is after how long it is no longer asked what came of a purchase: Exchanges remember
// requests for a day, and their clocks may differ.
const givenUp = 23 * time.Hour

// forgotten says whether Exchanges need not remember the purchases of a work any more.
func (w *work) forgotten(now time.Time) bool { return !w.made.IsZero() && now.Sub(w.made) > givenUp }

// settled puts on record what came of purchases, and releases or spends what was held. more says
// that purchases of next best offers are to be made in place of what was denied.
func (b *Broker) settled(ctx context.Context, w *work) (more bool, err error) {
	fresh := b.nextBest(ctx, w)
	kept := w.plan
	err = b.DB.UpdateBatched(ctx, w.locks(), func(tx *store.Tx) error {
		w.plan = kept.copied()
		w.done, w.answer, w.responseDocument, more = false, nil, nil, false
		now := b.Now()
		if w.forgotten(now) {
			w.giveUp()
		}
		if err := w.settle(ctx, tx, now); err != nil {
			return err
		}
		if err := w.sell(ctx, tx, now); err != nil {
			return err
		}
		if err := b.counts(ctx, tx, w); err != nil {
			return err
		}
		if len(fresh) > 0 {
			var err error
			if more, err = b.continued(ctx, tx, w, fresh, now); err != nil {
				return err
			}
		}
		if !more && !slices.ContainsFunc(w.Buys, func(one *buy) bool { return one.State == open }) {
			if err := w.end(); err != nil {
				return err
			}
		}
		return w.put(ctx, tx, now)
	})
	if err == nil {
		w.version++
	}
	return more, err
}

// nextBest chooses what is bought in place of what was denied just now; none where nobody knows any
// more what else was offered.
func (b *Broker) nextBest(ctx context.Context, w *work) []*choice {
	if w.found == nil || w.Rounds >= maxRounds {
		return nil
	}
	var retried []*choice
	for _, c := range w.found.choices {
		at := slices.IndexFunc(w.Items, func(i *item) bool { return i.URI == c.uri && i.taken == c.taken })
		if c.taken == nil || at < 0 || w.Items[at].State != denied {
			continue
		}
		c.denied = append(c.denied, w.Items[at].Why)
		if w.unanswered(at) {
			w.found.over.note(c.taken.peer.domain, c.uri,
				errors.New("it was denied when it was asked again, since what it had answered was not heard; nothing "+
					"was bought elsewhere in its place: "+w.Items[at].Why))
			continue
		}
		w.found.over.note(c.taken.peer.domain, c.uri, errors.New("it was denied: "+w.Items[at].Why))
		retried = append(retried, c)
	}
	ctx, cancel := context.WithTimeout(ctx, b.Deadline)
	defer cancel()
	var fresh []*choice
	for _, c := range retried {
		if b.next(ctx, w.found, c, &w.found.over); c.taken != nil {
			fresh = append(fresh, c)
		}
	}
	return fresh
}

// unanswered says whether an item was asked for before it was heard what came of it: then it may
// have been sold, whatever is said later.
func (w *work) unanswered(at int) bool {
	return slices.ContainsFunc(w.Buys, func(one *buy) bool { return one.Sent && slices.Contains(one.Items, at) })
}

// continued takes next best offers into a work, as far as they fit.
func (b *Broker) continued(ctx context.Context, tx *store.Tx, w *work, fresh []*choice, now time.Time) (more bool,
	err error) {
	from := len(w.Items)
	for _, c := range fresh {
		purses := make([]budgetState, len(w.Budgets))
		live := slices.DeleteFunc(slices.Clone(w.Items), func(i *item) bool { return i.State == denied })
		for n, d := range w.Budgets {
			if purses[n], err = d.stands(ctx, tx, w.account, now); err != nil {
				return false, err
			}
		}
		one := c.item()
		limit := *w
		limit.Budgets = w.Budgets
		if sum, ok := w.Rates.needs(append(live, one), w.Currency); w.Most >= 0 && (!ok || sum > w.Most) ||
			limit.unbounded().over([]*item{one}, purses) != nil {
			continue
		}
		for n, d := range w.Budgets {
			extra, _ := w.Rates.needs([]*item{one}, d.Currency)
			d.Held, purses[n].held = d.Held+extra, purses[n].held+extra
			if err := d.put(ctx, tx, w.account, purses[n]); err != nil {
				return false, err
			}
		}
		w.Items = append(w.Items, one)
	}
	if len(w.Items) == from {
		return false, nil
	}
	w.buys(w.found, from)
	return true, nil
}

// unbounded is a work without a bound for all of it.
func (w *work) unbounded() *work {
	out := *w
	out.Most = -1
	return &out
}

// giveUp counts as spent of what nobody could say for so long whether it was bought.
func (w *work) giveUp() {
	for _, one := range w.Buys {
		if one.State != open {
			continue
		}
		one.State = lost
		for _, at := range one.Items {
			if w.Items[at].State == open {
				w.Items[at].State, w.Items[at].Why = lost, "the Exchange did not say for a day whether it was bought"
			}
		}
	}
}

// nothing is the refusal of a request of which nothing can be bought.
func (f *found) nothing() *Refusal {
	if len(f.listed) > 0 && len(f.choices) == 0 {
		return refuse("failed_precondition", "the search found %d addresses, which the requester's signature does "+
			"not cover; sign requester.uris with those that you want, and send the request again", len(f.listed)).
			with(map[string]any{"found": jsonOf(f.listed), "passed": jsonOf(f.over.list())})
	}
	if len(f.choices) == 0 {
		return refuse("not_found", "the search found nothing; ask in other words, or name the addresses in "+
			"requester.uris").with(map[string]any{"found": []any{}})
	}
	unsold := f.unsold(nil)
	details := map[string]any{"unsold": jsonOf(unsold), "found": jsonOf(f.listed), "passed": jsonOf(f.over.list())}
	if f.silent > 0 {
		return refuse("unavailable", "no Exchange answered, and nothing was bought; send the same request again "+
			"later. The details say why: passed").with(details).later(max(f.silent, comeBack))
	}
	text := "nothing is offered that can be bought"
	if len(unsold) == 1 {
		text = fmt.Sprintf("nothing is offered that can be bought for %.200s (%s)", unsold[0].URI, unsold[0].Reason)
	}
	if list := f.over.list(); len(list) > 0 {
		if text += ": "; len(list) > 1 {
			text += fmt.Sprintf("the first of %d reasons: ", len(list))
		}
		if list[0].Exchange != "" {
			text += list[0].Exchange + ": "
		}
		text += list[0].Why
	}
	return refuse("not_found", "%s", text).with(details)
}
