package requesters

import (
	"context"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/ramp"
)

// Verifiers are the keys with which others attest things of content (RAMP v1, ramp-verifier.json).
// They are fetched, remembered and bounded as those of requesters are. Its methods may be called
// concurrently.
type Verifiers struct{ published *agents }

// NewVerifiers knows no keys yet. The fetcher should be as that of a Config.
func NewVerifiers(fetcher *fetch.Fetcher, now func() time.Time) *Verifiers {
	return &Verifiers{newPublished(VerifierPath, fetcher, now)}
}

// Keys gives the keys that a verifier's domain publishes. With again, those that are known were not
// enough: they are fetched anew, unless that was tried a moment ago. The error is fail.Invalid for
// what is no domain, fail.Unauthorized where there are none to be had, or the document is
// another's, fail.Unavailable where too much is under way, or ctx's.
func (v *Verifiers) Keys(ctx context.Context, domain string, again bool) ([]ramp.Key, error) {
	published, err := v.find(ctx, domain, again)
	if err != nil {
		return nil, err
	}
	return published.keys, nil
}

// Published gives the keys that a verifier's domain publishes, and what it says of its claims by
// their names. The error is that of Keys.
func (v *Verifiers) Published(ctx context.Context, domain string) ([]ramp.Key, map[string]ramp.Claim, error) {
	published, err := v.find(ctx, domain, false)
	if err != nil {
		return nil, nil, err
	}
	return published.keys, published.claims, nil
}

func (v *Verifiers) find(ctx context.Context, domain string, again bool) (*agent, error) {
	domain, err := identity.ParseDomain(domain)
	if err != nil {
		return nil, err
	}
	published, err := v.published.find(ctx, domain, again, nil)
	if err != nil {
		return nil, err
	}
	if published.id != "" && !strings.EqualFold(published.id, domain) {
		return nil, fail.New(fail.Unauthorized, "the document at %s%s is of another verifier, %q", domain, VerifierPath,
			clip(published.id))
	}
	return published, nil
}
