package broker

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Keys of the ext of answers.
const (
	// all that was bought, where several addresses were asked for, each in the form of an answer
	extItems  = "ramp.items"
	extOffer  = "ramp.offer"            // the offer by which it was bought, as the Exchange has signed it
	extURI    = "ramp.uri"              // the address for which it was bought
	extUnsold = "ramp.unsold"           // the addresses for which nothing was bought, and why
	extFound  = "ramp.found"            // what a search found of which nothing was bought
	extPassed = "ramp.passed"           // what was not taken, and why
	extOpen   = "ramp.open"             // the addresses of which it is not known yet whether something was bought
	extTotal  = "ramp.total"            // what all of it costs with the fee
	extOver   = "ramp.overcharged"      // what was charged in place of what was offered, where that is more
	extRates  = "ramp.rates"            // by which currencies what was bought counted under bounds in another one
	extMethod = "ramp.discovery_method" // how the address was found, where the request did not name it
)

// unsold are the addresses for which nothing was taken.
func (f *found) unsold(items []*item) []unsold {
	var all []unsold
	for _, c := range f.choices {
		one := unsold{URI: c.uri, Same: c.same}
		if c.found != nil {
			one.Title = c.found.Title
		}
		switch {
		case c.found != nil && c.taken == nil && len(c.denied) == 0 && !c.dropped:
			continue // it is told as found
		case c.same != "":
			one.Reason = "SAME_CONTENT"
		case c.dropped:
			one.Reason = "BUDGET"
		case len(c.denied) > 0 &&
			!slices.ContainsFunc(items, func(i *item) bool { return i.URI == c.uri && i.State != denied }):
			one.Reason = c.denied[len(c.denied)-1]
		case c.taken != nil:
			continue
		case c.absent != 0:
			one.Reason = strings.TrimPrefix(c.absent.String(), "OFFER_ABSENCE_REASON_")
		default:
			one.Reason = "NO_OFFER_FITS"
		}
		all = append(all, one)
	}
	return all
}

// jsonOf is a value as JSON has it.
func jsonOf(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

func withUnsold(details map[string]any, all []unsold) map[string]any {
	out := map[string]any{"unsold": jsonOf(all)}
	maps.Copy(out, details)
	return out
}

// end ends a work: what was bought is told, and in whose name is forgotten.
func (w *work) end() error {
	w.done, w.Requester = true, nil
	if w.found != nil {
		w.Unsold, w.Passed = w.found.unsold(w.Items), w.found.over.list()
	} else {
		for _, i := range w.Items {
			if i.State == denied && !slices.ContainsFunc(w.Unsold, func(one unsold) bool { return one.URI == i.URI }) {
				w.Unsold = append(w.Unsold, unsold{URI: i.URI, Reason: i.Why})
			}
		}
	}
	if !slices.ContainsFunc(w.Items, func(i *item) bool { return i.State != denied }) {
		w.answer = nil
		return nil
	}
	var err error
	if w.responseDocument, err = w.response(); err != nil {
		return err
	}
	w.answer, err = proto.Marshal(w.responseDocument)
	w.Rates = Rates{}
	for _, i := range w.Items { // the answer has them
		i.Offer, i.Result = nil, nil
	}
	return err
}

// answered is the answer to a work, or why there is none.
func (w *work) answered() (*rampv1.RAMPResponse, error) {
	if w.done && w.responseDocument != nil {
		return w.responseDocument, nil
	}
	if w.done && len(w.answer) > 0 {
		out := &rampv1.RAMPResponse{}
		return out, proto.Unmarshal(w.answer, out)
	}
	if w.done {
		words, todo := "the Exchanges denied what they had offered", ""
		if at := slices.IndexFunc(w.Items, func(i *item) bool { return i.State == denied }); at >= 0 {
			words = fmt.Sprintf("%s denied what it had offered: %s", clip(w.Items[at].Exchange, 100), w.Items[at].Why)
			if w.Items[at].Why == "INSUFFICIENT_BALANCE" {
				todo = "have an account there with enough on it, and "
			}
		}
		return nil, refuse("failed_precondition", "%s; nothing was bought. To try again, %ssend it under another id",
			clip(words, 300), todo).with(map[string]any{"unsold": jsonOf(w.Unsold), "passed": jsonOf(w.Passed)})
	}
	if slices.ContainsFunc(w.Items, func(i *item) bool { return i.State == bought }) {
		return w.response()
	}
	words := "the Exchange did not answer"
	if at := slices.IndexFunc(w.Buys, func(one *buy) bool { return one.State == open && one.Unsure != "" }); at >= 0 {
		words = w.Buys[at].Exchange + ": " + w.Buys[at].Unsure
	}
	return nil,
		refuse("unavailable", "it is not known yet whether this was bought: %s; send the same request again, which "+
			"buys nothing twice", clip(words, 300)).
			with(map[string]any{"passed": jsonOf(w.unsure())}).later(comeBack)
}

// unsure says of what is open why it is.
func (w *work) unsure() (all []passed) {
	for _, one := range w.Buys {
		if one.State != open || one.Unsure == "" {
			continue
		}
		for _, at := range one.Items {
			all = append(all, passed{one.Exchange, clip(w.Items[at].URI, 500),
				"it is not known yet whether it was bought: " + one.Unsure})
		}
	}
	return all
}

// response tells what was bought: the first in the fields, all in ext (RAMP v1, RAMPResponse, which
// holds one transaction).
func (w *work) response() (*rampv1.RAMPResponse, error) {
	var all []*rampv1.RAMPResponse
	var open []string
	total := map[string][2]int64{}
	for n, i := range w.Items {
		switch i.State {
		case bought:
			one, err := w.sold(n)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
			n, currency := i.charged()
			sum := total[currency]
			total[currency] = [2]int64{sum[0] + n, sum[1]}
			sum = total[i.Currency]
			total[i.Currency] = [2]int64{sum[0], sum[1] + i.Fee}
		case denied:
		default:
			open = append(open, i.URI)
		}
	}
	out := &rampv1.RAMPResponse{Ver: Version, Id: w.answerID(), RequestId: w.id, Ext: &structpb.Struct{}}
	fields := map[string]*structpb.Value{}
	if len(all) > 0 {
		out = all[0]
		maps.Copy(fields, out.Ext.Fields)
	}
	if len(w.Items)+len(w.Unsold) > 1 {
		list, err := listOf(all)
		if err != nil {
			return nil, err
		}
		fields[extItems] = list
		var sums []any
		for _, currency := range sortedKeys(total) {
			sum := total[currency]
			sums = append(sums, map[string]any{"currency": currency, "cost": amount(sum[0]), "fee": amount(sum[1]),
				"amount": amount(sum[0] + sum[1])})
		}
		put(fields, extTotal, sums)
	}
	put(fields, extUnsold, jsonOf(w.Unsold))
	put(fields, extFound, jsonOf(w.Found))
	put(fields, extPassed, jsonOf(append(slices.Clip(w.Passed), w.unsure()...)))
	put(fields, extOpen, jsonOf(open))
	if w.counted() {
		put(fields, extRates, w.Rates.noted())
	}
	out.Ext = &structpb.Struct{Fields: fields}
	return out, nil
}

// listOf are answers as JSON has them.
func listOf(all []*rampv1.RAMPResponse) (*structpb.Value, error) {
	list := &structpb.ListValue{Values: make([]*structpb.Value, len(all))}
	for i, one := range all {
		object, err := ramp.Object(one)
		if err != nil {
			return nil, err
		}
		list.Values[i] = structpb.NewStructValue(object)
	}
	return structpb.NewListValue(list), nil
}

func sortedKeys(of map[string][2]int64) (all []string) {
	for key := range of {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}

// put puts a value into an ext, unless it is none.
func put(fields map[string]*structpb.Value, key string, value any) {
	if list, is := value.([]any); value == nil || is && len(list) == 0 {
		return
	}
	if made, err := structpb.NewValue(value); err == nil {
		fields[key] = made
	}
}

// answerID is the id of the answer: that of the first purchase, so that it is the same each time.
func (w *work) answerID() string {
	if len(w.Buys) == 0 {
		return newID("res")
	}
	return "res-" + strings.TrimPrefix(w.Buys[0].ID, "brk-")
}

// sold is one transaction in the form of an answer.
func (w *work) sold(n int) (*rampv1.RAMPResponse, error) {
	i := w.Items[n]
	r, err := i.result()
	if err != nil {
		return nil, err
	}
	out := &rampv1.RAMPResponse{
		Ver: Version, Id: w.answerID(), RequestId: w.id, TransactionId: r.TransactionId, BillingId: r.BillingId,
		Exchange: i.Exchange, Package: r.Package, Cost: r.Cost,
		DeliveryMethod: r.DeliveryMethod, ReportingObligation: r.ReportingObligation, ExpiresAt: r.ExpiresAt,
	}
	if i.Fee > 0 {
		out.BrokerFee = cost(i.Fee, i.Currency)
	}
	if out.DeliveryMethod == 0 {
		out.DeliveryMethod = rampv1.DeliveryMethod(i.Method)
	}
	if err := i.describe(out); err != nil {
		return nil, err
	}
	if i.overcharged() {
		n, currency := i.charged()
		put(out.Ext.Fields, extOver,
			map[string]any{"offered": inWire(i.Price, i.Currency), "charged": inWire(n, currency)})
	}
	return out, nil
}

// inWire is an amount in an ext.
func inWire(n int64, currency string) map[string]any {
	return map[string]any{"amount": amount(n), "currency": currency}
}

// describe puts into an answer what it is for, and by which offer.
func (i *item) describe(out *rampv1.RAMPResponse) (err error) {
	var offer *structpb.Struct
	if i.taken != nil {
		offer = i.taken.object
	} else if offer, err = ramp.ReadObject(i.Offer); err != nil {
		return err
	}
	out.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extURI: structpb.NewStringValue(i.URI),
		extOffer: structpb.NewStructValue(offer)}}
	method := rampv1.DiscoveryMethod(i.Way)
	if i.Found != nil {
		method = rampv1.DiscoveryMethod_DISCOVERY_METHOD_SEARCH
	}
	if method != 0 {
		out.Ext.Fields[extMethod] = structpb.NewStringValue(method.String())
	}
	return nil
}

// quote says what would be bought under the bound of the request. Budgets are looked at when it is
// bought.
func (b *Broker) quote(a Request, f *found) (*rampv1.RAMPResponse, error) {
	w := newWork(a, nil, f)
	w.plan.Rates = b.Rates
	if len(f.listed) > 0 && len(f.choices) == 0 { // who asks signs the addresses that it wants, and asks again
		out := &rampv1.RAMPResponse{Ver: Version, Id: newID("res"), RequestId: a.Id,
			Ext: &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: structpb.NewBoolValue(true)}}}
		put(out.Ext.Fields, extFound, jsonOf(f.listed))
		return out, nil
	}
	if err := w.fit(f, nil); err != nil {
		return nil, err
	}
	var all []*rampv1.RAMPResponse
	for _, i := range w.Items {
		one := &rampv1.RAMPResponse{Ver: Version, Id: newID("res"), RequestId: a.Id, Exchange: i.Exchange,
			Cost: cost(i.Price, i.Currency), DeliveryMethod: rampv1.DeliveryMethod(i.Method)}
		if i.Fee > 0 {
			one.BrokerFee = cost(i.Fee, i.Currency)
		}
		if err := i.describe(one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	list, err := listOf(all)
	if err != nil {
		return nil, err
	}
	out := all[0]
	fields := maps.Clone(out.Ext.Fields) // the list has its own
	fields[extItems], fields[extDryRun] = list, structpb.NewBoolValue(true)
	put(fields, extUnsold, jsonOf(f.unsold(nil)))
	put(fields, extFound, jsonOf(f.listed))
	put(fields, extPassed, jsonOf(f.over.list()))
	out.Ext = &structpb.Struct{Fields: fields}
	return out, nil
}
