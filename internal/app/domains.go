package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/metrics"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/exchange"
)

// How domains that were verified are looked at again (RAMP v1, ramp.json: at least hourly), and
// when their owners are told that it is time.
const (
	lookDomainsEvery  = 50 * time.Minute
	claimDomainsEvery = time.Minute
	claimDomains      = 200 // at once
	domainSilent      = 24 * time.Hour
	domainSoon        = 14 * 24 * time.Hour
	domainsTogether   = 8
)

// tenantOutlet is who delivers what a tenant has at a domain; nil for nobody. Where a key was
// registered with the verification of the domain, addresses there are signed with that and no
// other, and with none once the verification has lapsed: what a key of before signed the provider
// may not know any more.
func (s *supply) tenantOutlet(t *push.Tenant, domain string) *exchange.Outlet {
	proven := s.Tenants.Proven(domain)
	if proven != nil && proven.Tenant != t.ID {
		proven = nil
	}
	good := proven != nil && proven.Valid(s.now())
	if !good && (s.config.RAMP.VerifiedOnly || proven != nil && proven.Key != "") {
		return nil
	}
	d := tenantDelivery(t)
	if proven != nil && proven.Key != "" {
		if d.Form != proven.Form || d.At == "" {
			d = delivery.OutletSettings{At: identity.Origin(domain),
				AddressForm: edge.AddressForm{Form: proven.Form, Agent: d.Agent}}
		}
		d.Name = push.DomainPlace(t.ID, domain)
	}
	return s.outlets.Open(d)
}

// followDomains looks again at domains that were verified, and tells of those that lapse, until ctx
// ends.
func (s *seller) followDomains(ctx context.Context) {
	periodic.Try(ctx, claimDomainsEvery, s.lookDomains, func(err error) {
		s.log.Warn("the domains that were verified could not be looked at again; that is tried again", "error", err)
	})
}

// lookDomains looks at the domains whose turn it is.
func (s *seller) lookDomains(ctx context.Context) error {
	for {
		due, err := s.Tenants.Due(ctx, lookDomainsEvery, claimDomains)
		if err != nil {
			return err
		}
		var looking sync.WaitGroup
		failed, places := make([]error, len(due)), make(chan struct{}, domainsTogether)
		for i, d := range due {
			places <- struct{}{}
			looking.Go(func() {
				failed[i] = s.lookDomain(ctx, d)
				<-places
			})
		}
		looking.Wait()
		if err := errors.Join(failed...); err != nil || len(due) < claimDomains {
			return err
		}
	}
}

// lookDomain looks at one domain.
func (s *seller) lookDomain(ctx context.Context, due push.Domain) error {
	seen := push.ManifestUnreachable
	listed, cause := s.proofs.ListsExchange(ctx, due.Domain)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if cause == nil {
		seen = push.ManifestOmits
		if listed {
			seen = push.ManifestLists
		}
	}
	d, turned, err := s.Tenants.RecordCheck(ctx, due, seen, domainSilent)
	if err != nil || d.Domain == "" {
		return err
	}
	log := s.log.With("domain", d.Domain, "tenant", d.Tenant)
	now := s.now()
	switch {
	case turned && d.Status == push.DomainVerified:
		log.Info("the domain names this Exchange again, and is verified as before", "until", d.Until)
	case turned:
		s.tellLapsed(log, d, cause)
	case seen == push.ManifestUnreachable && d.Status == push.DomainVerified:
		log.Warn("whether the domain still names this Exchange cannot be told; it lapses when that lasts for a day",
			"error", cause, "since", d.Listed)
	case d.Status == push.DomainVerified && d.Until.Sub(now) < domainSoon:
		log.Warn("the verification of the domain ends soon: its provider has to run "+
			"`frontdesk ramp verify-domain` again", "until", d.Until)
	}
	return nil
}

// tellLapsed tells the log that a domain lapsed, and what that stops.
func (s *seller) tellLapsed(log *slog.Logger, d push.Domain, cause error) {
	log = log.With("reason", d.Reason)
	if cause != nil {
		log = log.With("error", cause)
	}
	if d.Key != "" || s.config.RAMP.VerifiedOnly {
		log.Warn("the verification of the domain has lapsed, so that nothing at it is sold: " +
			"its provider has to run `frontdesk ramp verify-domain` again")
		return
	}
	log.Warn("the verification of the domain has lapsed; what is at it is sold all the same, " +
		"unless ramp.verified_only is set")
}

// domainMetrics tell how many domains there are by how they stand, and what came of challenges.
func (s *seller) domainMetrics() {
	for _, state := range []string{push.DomainVerified, push.DomainLapsed} {
		metrics.Func(s.metrics.Registry, "ramp_domains",
			"Domains of tenants that were verified once, by how they stand.",
			func() float64 { return float64(s.Tenants.Count(state)) }, "state", state)
	}
}
