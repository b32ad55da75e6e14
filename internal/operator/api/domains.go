package api

import (
	"net/http"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
)

// Where the operator's programs see which domains of tenants are verified (RAMP v1, domain verification).
const (
	DomainList       = "/admin/domains"
	DomainOne        = DomainList + "/{domain}"
	DomainChallenges = DomainOne + "/challenges"
)

// Domains is what the door needs to know of them.
type Domains struct {
	Tenants *push.Tenants
	// Host gives a domain in the form in which the catalog has hosts; ok is false for what is none.
	Host func(domain string) (host string, ok bool)
	Now  func() time.Time
}

// domainForm is a domain as it is told.
type domainForm struct {
	Domain     string `json:"domain"`
	Tenant     string `json:"tenant_id"`
	State      string `json:"state"`
	Reason     string `json:"reason,omitempty"`
	Caller     string `json:"caller_id,omitempty"`
	Since      string `json:"since,omitempty"`
	Verified   string `json:"verified,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
	Listed     string `json:"listed,omitempty"`
	CDNType    string `json:"cdn_type,omitempty"`
	KeyID      string `json:"key_id,omitempty"`
}

// unverified is the state of a domain that nobody has shown to have.
const unverified = "unverified"

func (c Domains) told(d push.Domain) domainForm {
	now := c.Now()
	out := domainForm{
		Domain: d.Domain, Tenant: d.Tenant, State: d.State(now), Reason: d.Reason, Caller: d.Caller, Since: instantText(d.Since), Verified: instantText(d.Verified),
		ValidUntil: instantText(d.Until), Listed: instantText(d.Listed), CDNType: d.Form, KeyID: d.Key,
	}
	if out.State == push.DomainLapsed && out.Reason == "" {
		out.Reason = push.LapsedOver
	}
	return out
}

// DomainsHandler answers at DomainList, DomainOne and DomainChallenges: GET lists the domains of tenants, tells of one, and lists its last challenges;
// DELETE forgets that one was verified.
func DomainsHandler(c Domains) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		name := r.PathValue("domain")
		if name == "" {
			return byMethod(w, r, methods{http.MethodGet: c.list})
		}
		host, ok := c.Host(name)
		if !ok {
			return 0, nil, fail.New(fail.NotFound, "%.100q is no domain; GET %s lists those there are", name, DomainList)
		}
		if r.Pattern == DomainChallenges {
			return byMethod(w, r, methods{http.MethodGet: func(_ http.ResponseWriter, r *http.Request) (int, any, error) { return c.challenges(r, host) }})
		}
		return byMethod(w, r, methods{
			http.MethodGet: func(_ http.ResponseWriter, r *http.Request) (int, any, error) { return c.one(r, host) },
			http.MethodDelete: func(_ http.ResponseWriter, r *http.Request) (int, any, error) {
				return http.StatusOK, map[string]string{"forgotten": host}, c.Tenants.Forget(r.Context(), host)
			},
		})
	})
}

// all are the domains of tenants, those that were never verified among them, by their names, and then those of sites that were.
func (c Domains) all(r *http.Request) ([]domainForm, error) {
	if _, err := c.Tenants.Refresh(r.Context()); err != nil {
		return nil, err
	}
	proven, err := c.Tenants.Domains(r.Context())
	all := []domainForm{}
	told := map[string]bool{}
	for _, d := range proven {
		told[d.Domain] = true
		all = append(all, c.told(d))
	}
	for _, t := range c.Tenants.List() {
		for _, domain := range t.Domains {
			if !told[domain] {
				all = append(all, domainForm{Domain: domain, Tenant: t.ID, State: unverified})
			}
		}
	}
	return all, err
}

func (c Domains) list(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	q, err := parameters(r, "state")
	if err != nil {
		return 0, nil, err
	}
	all, err := c.all(r)
	list := struct {
		Domains []domainForm `json:"domains"`
	}{[]domainForm{}}
	for _, d := range all {
		if q["state"] == "" || q["state"] == d.State {
			list.Domains = append(list.Domains, d)
		}
	}
	return http.StatusOK, list, err
}

func (c Domains) one(r *http.Request, host string) (int, any, error) {
	all, err := c.all(r)
	for _, d := range all {
		if d.Domain == host {
			return http.StatusOK, d, err
		}
	}
	if err == nil {
		err = fail.New(fail.NotFound, "the domain %.253s is no tenant's; GET %s lists those there are", host, DomainList)
	}
	return 0, nil, err
}

// challengeForm is a challenge as it is told: without its token, which is not kept.
type challengeForm struct {
	Caller  string `json:"caller_id"`
	Tenant  string `json:"tenant_id"`
	State   string `json:"state"`
	Created string `json:"created"`
	Expires string `json:"expires_at"`
	Used    string `json:"used,omitempty"`
}

func (c Domains) challenges(r *http.Request, host string) (int, any, error) {
	q, err := parameters(r, "limit")
	if err != nil {
		return 0, nil, err
	}
	limit, err := limited(q, usualRefused, mostRefused)
	if err != nil {
		return 0, nil, err
	}
	all, err := c.Tenants.Challenges.List(r.Context(), host, limit)
	list := struct {
		Challenges []challengeForm `json:"challenges"`
	}{[]challengeForm{}}
	for _, one := range all {
		list.Challenges = append(list.Challenges, challengeForm{one.Caller, one.Tenant, one.State(c.Now()), instantText(one.Created), instantText(one.Ends), instantText(one.Used)})
	}
	return http.StatusOK, list, err
}
