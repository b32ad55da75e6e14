package broker

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/biscuit"
	rampv1 "frontdesk/wire/ramp/v1"
)

// A Broker may narrow the delegation that it passes on (RAMP v1, Delegation: attenuation). It does
// so to what one request needs, so that an Exchange that it asks can do nothing else with the
// token: the sites of the wanted addresses, the scopes and the amount that the request says, and
// the time for which a purchase may still be asked for again. A token that is bound to its holder's
// key is of no use to others, and one that is sealed cannot be narrowed; both pass as they came.

// delegationHolds is for how long a narrowed delegation is good: a purchase is asked for again for
// a day.
const delegationHolds = givenUp + time.Hour

// attenuated is a requester with its delegation narrowed to what is wanted of these addresses; the
// requester itself where it cannot be.
func (b *Broker) attenuated(a Request, r *rampv1.Requester, uris []string) *rampv1.Requester {
	if r.GetDelegation() == nil || b.WholeDelegations {
		return r
	}
	token, err := biscuit.ParseText(r.Delegation.Token)
	if err != nil {
		return r // which Exchanges refuse
	}
	says, err := token.Says()
	sites := sitesOf(uris)
	if err != nil || says.Holder != nil || token.Sealed() || len(sites) == 0 {
		return r
	}
	narrow := proto.CloneOf(r.Delegation)
	operations := []string{"discover", "transact"}
	if dryRun(a.RAMPRequest) {
		operations = operations[:1]
	}
	checks := []string{"check if " + oneOf("resource($r), $r.starts_with(%s)", sites),
		"check if " + oneOf("operation(%s)", operations)}
	checks = append(checks, narrowScopes(narrow, says, r.GetScopes())...)
	checks = append(checks, narrowSpend(narrow, says, a.GetConstraints().GetMaxPrice())...)
	until := b.Now().Add(delegationHolds).UTC().Truncate(time.Second)
	checks = append(checks, "check if time($t), $t < "+until.Format(time.RFC3339))
	if narrow.ExpiresAt == nil || until.Before(narrow.ExpiresAt.AsTime()) {
		narrow.ExpiresAt = timestamppb.New(until)
	}
	source, err := biscuit.ParseSource(strings.Join(checks, ";\n") + ";")
	if err != nil {
		return r
	}
	made, err := token.Attenuate(rand.Reader, source)
	if err != nil { // such as one that another's key signs on
		return r
	}
	narrow.Token = made.Text()
	out := proto.CloneOf(r)
	out.Delegation = narrow
	return out
}

// narrowScopes has a token grant no scopes but those that the requester asks for, where both speak
// of any.
func narrowScopes(d *rampv1.Delegation, says *biscuit.Grants, asked []string) []string {
	asked = slices.DeleteFunc(slices.Clone(asked), func(s string) bool { return s == "" })
	if !says.Scoped || len(asked) == 0 || len(biscuit.NarrowScopes(says.Scopes, asked)) == 0 {
		return nil
	}
	if len(d.Scopes) > 0 {
		d.Scopes = biscuit.NarrowScopes(d.Scopes, asked)
	}
	return []string{"check if " + oneOf("scope(%s)", asked)}
}

// narrowSpend has a token that bounds what is spent allow no more than the request, in the currency
// that the delegation speaks of.
func narrowSpend(d *rampv1.Delegation, says *biscuit.Grants, most *rampv1.Cost) []string {
	n, ok := units(most.GetAmount())
	if most == nil || !ok || says.MaxSpendCents == nil || d.MaxSpend != nil &&
		!strings.EqualFold(d.MaxSpend.Currency, most.Currency) {
		return nil
	}
	cents := (n + cent - 1) / cent
	if cents >= *says.MaxSpendCents {
		return nil
	}
	if d.MaxSpend != nil {
		d.MaxSpend.Amount = min(d.MaxSpend.Amount, float64(cents)/100)
	}
	return []string{fmt.Sprintf("check if max_spend_cents($v), $v <= %d", cents)}
}

// cent is a hundredth of a currency.
const cent = unit / 100

// sitesOf are the sites of addresses, each once: under either scheme, and with www. and without,
// since an Exchange may know an item by another of its addresses.
func sitesOf(uris []string) (all []string) {
	for _, uri := range uris {
		if hostOf(uri) == "" && !slices.Contains(all, uri) { // what is no page of the web belongs to no site
			all = append(all, uri)
		}
		host := strings.TrimPrefix(hostOf(uri), "www.")
		for _, at := range []string{"https://" + host + "/", "https://www." + host + "/", "http://" + host + "/",
			"http://www." + host + "/"} {
			if host != "" && !slices.Contains(all, at) {
				all = append(all, at)
			}
		}
	}
	return all
}

// oneOf writes queries of which one must hold.
func oneOf(query string, values []string) string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = fmt.Sprintf(query, biscuit.Quote(value))
	}
	return strings.Join(all, " or ")
}
