package operator

import (
	"context"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
)

// Domains of tenants, and how they are verified (RAMP v1, domain verification).
const (
	domainsPath    = "/admin/domains"
	domainPath     = domainsPath + "/{domain}"
	challengesPath = domainPath + "/challenges"
)

var domainOperations = []Operation{
	Define[ListDomains]("domains", "GET", domainsPath,
		"List the domains of tenants, and how they are verified (RAMP v1, domain verification)"),
	Define[ShowDomain]("domain", "GET", domainPath, "Read how a domain is verified"),
	Define[ForgetDomain]("forgetDomain", "DELETE", domainPath, "Forget that a domain was verified"),
	Define[ListChallenges]("challenges", "GET", challengesPath,
		"List the last challenges of a domain, without their tokens"),
}

// Domain is a domain of a tenant.
type Domain struct {
	Domain     string  `json:"domain" column:"1:DOMAIN"`
	Tenant     string  `json:"tenant_id" column:"2:TENANT"`                 // whose it is
	State      string  `json:"state" column:"3:STATE"`                      // verified, lapsed or unverified
	Reason     string  `json:"reason,omitempty" column:"4:REASON"`          // why it lapsed: OVER, NOT_LISTED, UNREACHABLE
	Caller     string  `json:"caller_id,omitempty" column:"8:CALLER"`       // who verified it
	Since      Instant `json:"since,omitzero"`                              // from when it is verified without a gap
	Verified   Instant `json:"verified,omitzero"`                           // when it was last verified
	ValidUntil Instant `json:"valid_until,omitzero" column:"5:VALID UNTIL"` // by when it has to be verified again
	Listed     Instant `json:"listed,omitzero"`                             // when its ramp.json last named this Exchange
	CDNType    string  `json:"cdn_type,omitempty" column:"6:FORM"`          // how addresses are signed there
	KeyID      string  `json:"key_id,omitempty" column:"7:KEY"`             // the key that was registered last
}

// Unverified is the state of a domain that nobody has shown to have.
const Unverified = "unverified"

func showDomain(d push.Domain, now time.Time) Domain {
	out := Domain{
		Domain: d.Domain, Tenant: d.Tenant, State: d.State(now), Reason: d.Reason, Caller: d.Caller,
		Since: Instant{d.Since}, Verified: Instant{d.Verified}, ValidUntil: Instant{d.Until}, Listed: Instant{d.Listed},
		CDNType: d.Form, KeyID: d.Key,
	}
	if out.State == push.DomainLapsed && out.Reason == "" {
		out.Reason = push.LapsedOver
	}
	return out
}

// domains are the domains that were verified once, by their names, and then those of tenants that
// never were.
func (o *Operator) domains(ctx context.Context) ([]Domain, error) {
	if err := o.selling(); err != nil {
		return nil, err
	}
	if _, err := o.Tenants.Refresh(ctx); err != nil {
		return nil, err
	}
	proven, err := o.Tenants.Domains(ctx)
	all, told := []Domain{}, map[string]bool{}
	for _, d := range proven {
		told[d.Domain] = true
		all = append(all, showDomain(d, o.Now()))
	}
	for _, t := range o.Tenants.List() {
		for _, domain := range t.Domains {
			if !told[domain] {
				all = append(all, Domain{Domain: domain, Tenant: t.ID, State: Unverified})
			}
		}
	}
	return all, err
}

// ListDomains lists the domains of tenants.
type ListDomains struct {
	State string `query:"state" enum:"verified,lapsed,unverified" kong:"-" help:"verified, lapsed or unverified; without it, all."`
	JSON  bool   `name:"json" json:"-" help:"Print them as JSON, one a line."`
}

// AsJSON says whether JSON is asked for.
func (in ListDomains) AsJSON() bool { return in.JSON }

// Lines says that each stands in a line of its own.
func (in ListDomains) Lines() bool { return true }

// DomainList is domains.
type DomainList struct {
	Domains []Domain `json:"domains"`
}

// Empty is what the command says where there are none.
func (ListDomains) Empty() string {
	return "There are no domains. Put a tenant in with `frontdesk ramp tenant add`; " +
		"its caller verifies with `frontdesk ramp verify-domain`."
}

func (in ListDomains) Do(ctx context.Context, o *Operator) (DomainList, error) {
	all, err := o.domains(ctx)
	list := DomainList{[]Domain{}}
	for _, d := range all {
		if in.State == "" || in.State == d.State {
			list.Domains = append(list.Domains, d)
		}
	}
	return list, err
}

// DomainName names a domain.
type DomainName struct {
	Domain string `json:"-" path:"domain" arg:"" help:"The domain."`
}

// host is the domain in the form in which the catalog has hosts.
func (n DomainName) host(o *Operator) (string, error) {
	host, ok := o.Host(n.Domain)
	if !ok {
		return "", fail.New(fail.NotFound, "%.100q is no domain; GET %s lists those there are", n.Domain, domainsPath)
	}
	return host, nil
}

// ShowDomain tells of a domain.
type ShowDomain struct{ DomainName }

func (in ShowDomain) Do(ctx context.Context, o *Operator) (Domain, error) {
	host, err := in.host(o)
	if err != nil {
		return Domain{}, err
	}
	all, err := o.domains(ctx)
	for _, d := range all {
		if d.Domain == host {
			return d, err
		}
	}
	if err == nil {
		err = fail.New(fail.NotFound, "the domain %.253s is no tenant's; GET %s lists those there are",
			host, domainsPath)
	}
	return Domain{}, err
}

// Forgotten names what was forgotten.
type Forgotten struct {
	Forgotten string `json:"forgotten"`
}

// ForgetDomain forgets that a domain was verified.
type ForgetDomain struct{ DomainName }

func (in ForgetDomain) Do(ctx context.Context, o *Operator) (Forgotten, error) {
	err := o.selling()
	if err != nil {
		return Forgotten{}, err
	}
	host, err := in.host(o)
	if err == nil {
		err = o.Tenants.Forget(ctx, host)
	}
	return Forgotten{host}, err
}

// Say tells what holds now.
func (in ForgetDomain) Say(out Forgotten) string {
	return "The domain " + out.Forgotten + " is not verified any more. " +
		"What is at it is sold as the tenant's delivery says."
}

// ListChallenges lists the last challenges, of one domain or of all.
type ListChallenges struct {
	Domain string `json:"-" path:"domain" arg:"" optional:"" help:"Of this domain alone."`
	Limit  int    `query:"limit" most:"1000" usual:"100" default:"50" help:"How many at most, up to 1000."`
}

// Check holds the limit of the command line.
func (in ListChallenges) Check() error { return limited(in.Limit) }

// ChallengeList is challenges.
type ChallengeList struct {
	Challenges []Challenge `json:"challenges"`
}

// Challenge is a challenge, without its token, which is not kept.
type Challenge struct {
	Caller  string  `json:"caller_id" column:"4:CALLER"` // who asked for it
	Tenant  string  `json:"tenant_id" column:"3:TENANT"` // for whom
	Domain  string  `json:"-" column:"2:DOMAIN"`
	State   string  `json:"state" column:"5:STATE"`     // open, over, used, verified, or why it was not verified
	Created Instant `json:"created" column:"1:CREATED"` // when it was given
	Expires Instant `json:"expires_at" column:"6:ENDS"` // when it ends
	Used    Instant `json:"used,omitzero"`              // when it was looked at
}

// Empty is what the command says where there are none.
func (ListChallenges) Empty() string { return "There are no challenges." }

func (in ListChallenges) Do(ctx context.Context, o *Operator) (list ChallengeList, err error) {
	if err := o.selling(); err != nil {
		return list, err
	}
	host := ""
	if in.Domain != "" {
		if host, err = (DomainName{in.Domain}).host(o); err != nil {
			return list, err
		}
	}
	all, err := o.Tenants.Challenges.List(ctx, host, in.Limit)
	list.Challenges = each(all, func(c push.Challenge) Challenge {
		return Challenge{
			c.Caller, c.Tenant, c.Domain, c.State(o.Now()), Instant{c.Created}, Instant{c.Ends}, Instant{c.Used},
		}
	})
	return list, err
}
