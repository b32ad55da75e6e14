package app

import (
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/identity/requesters"

	"context"
	"net/netip"
	"slices"

	"frontdesk/internal/licensing/exchange"
)

// disputeRules say how long things take with disputes.
func (c Config) disputeRules() exchange.DisputeRules {
	d := c.RAMP.Disputes
	return exchange.DisputeRules{Wait: d.Wait, Appeal: d.Appeal, Refetch: d.Refetch, Retention: d.Keep}
}

// trustedDisputes says who may dispute without a signature.
func (c Config) trustedDisputes() func(context.Context) bool {
	if c.RAMP.Signatures == requesters.SignaturesNone {
		return func(context.Context) bool { return true }
	}
	var networks []netip.Prefix
	for _, text := range c.RAMP.Disputes.Trusted {
		if network, err := netip.ParsePrefix(text); err == nil {
			networks = append(networks, network.Masked())
		}
	}
	return func(ctx context.Context) bool {
		from, ok := apphttp.CallerOf(ctx)
		return ok && slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(from.Unmap()) })
	}
}
