package broker

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// rank puts the candidates for one address in order, the best first: what a subscription gives, at
// Exchanges that are preferred before others; then those of Exchanges that are preferred; then by
// what a unit costs, which is compared within one unit and currency alone: what cannot be compared
// with the class that counts comes after it, and last what does not say what a unit costs; then by
// the level of attestation, by how often the Exchange has sold what it offered, and by the price
// (RAMP v1, the Broker's selection). Of the same content at the same place in that order the
// cheapest is first.
func (b *Broker) rank(ctx context.Context, all []*candidate, currency string) {
	class := reference(all, currency)
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Or(before(a, b, class), last(a, b)) })
	if !b.attest(ctx, all, class) {
		return
	}
	slices.SortStableFunc(all, func(a, b *candidate) int {
		return cmp.Or(before(a, b, class), -cmp.Compare(a.level, b.level), last(a, b))
	})
}

// before compares all that comes before attestations.
func before(a, b *candidate, class string) int {
	if by := cmp.Or(first(a.subscription, b.subscription), first(a.preferred, b.preferred)); by != 0 {
		return by
	}
	if by := cmp.Compare(a.tier(class), b.tier(class)); by != 0 {
		return by
	}
	if a.price > 0 && b.price > 0 && a.class != b.class {
		return cmp.Compare(a.class, b.class) // of neither is known which is cheaper
	}
	return cmp.Compare(a.perUnit, b.perUnit)
}

// tier is how well it is known what a unit costs.
func (c *candidate) tier(class string) int {
	switch {
	case c.price == 0 && c.known && c.perUnit == 0, c.known && c.class == class:
		return 0
	case c.known:
		return 1
	}
	return 2
}

// last compares all that comes after attestations.
func last(a, b *candidate) int {
	by := -cmp.Compare(a.honoured, b.honoured)
	if a.in == b.in {
		by = cmp.Or(by, cmp.Compare(a.worth, b.worth))
	}
	return cmp.Or(by, strings.Compare(a.peer.domain, b.peer.domain),
		strings.Compare(a.offer.GetOfferId(), b.offer.GetOfferId()))
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// reference is the class of offers whose prices are compared: the one with the most offers in the
// request's currency, or where it says none or nothing is offered in it, with the most of all.
func reference(all []*candidate, currency string) string {
	count := map[string]int{}
	for _, c := range all {
		if c.known && c.price > 0 {
			count[c.class]++
		}
	}
	best := ""
	for class, n := range count {
		mine, other := strings.HasSuffix(class, " "+currency) && currency != "", best != "" &&
			strings.HasSuffix(best, " "+currency) && currency != ""
		if best == "" || first(mine, other) < 0 || mine == other &&
			(n > count[best] || n == count[best] && class < best) {
			best = class
		}
	}
	return best
}

// attest looks at what is attested of the candidates that are as good as the first, where that
// decides between them. For the keys of verifiers it waits no longer than for offers.
func (b *Broker) attest(ctx context.Context, all []*candidate, class string) bool {
	n, some := 0, false
	for n < len(all) && before(all[0], all[n], class) == 0 {
		some = some || len(all[n].offer.GetAttestations()) > 0
		n++
	}
	if n < 2 || !some {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, b.Deadline)
	defer cancel()
	for _, c := range all[:n] {
		level, _, err := c.exchange.Attestations(ctx, c.uri, c.offer)
		if err == nil {
			c.level = level
		}
	}
	return true
}

// words is an amount as people write it.
func words(n int64, currency string) string {
	if n < 0 || n > math.MaxInt64/8 {
		return "any amount"
	}
	text := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(amount(n), 'f', 8, 64), "0"), ".")
	return strings.TrimSpace(fmt.Sprintf("%s %s", text, currency))
}
