package console

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
)

// Domains is what the pages on domains of tenants show and change (RAMP v1, domain verification).
// Nothing of it may be nil.
type Domains struct {
	// those that were verified once
	Known func(context.Context) ([]push.Domain, error)
	// how many challenges are open, by domain
	Open       func(context.Context) (map[string]int, error)
	Challenges func(ctx context.Context, domain string, limit int) ([]push.Challenge, error) // the last first
	// that sign addresses
	Keys func(context.Context) ([]identity.DeliveryKey, error)
	// makes a challenge in the name of an operator
	Start func(ctx context.Context, by, domain string) (*exchange.IssuedChallenge, error)
	// looks whether one is met
	Look   func(ctx context.Context, by, domain, token string) (*exchange.Verification, error)
	Revoke func(ctx context.Context, id string) (identity.DeliveryKey, error) // ends a key at once
}

// domainsBody is the list of domains.
type domainsBody struct {
	listed
	State  string
	States []option
	Rows   []domainRow
}

// domainRow is a domain of a tenant.
type domainRow struct {
	Name, Tenant string
	Link         string
	State        string // verified, lapsed or unverified
	Lapse        string // why it lapsed, as the end of a key of words
	Good, Bad    bool
	push.Domain
	Open int // challenges
	Keys []identity.DeliveryKey
}

// The states of domains, as the pages name them.
var domainStates = []string{push.DomainVerified, push.DomainLapsed, "unverified", "open"}

// operatorCaller begins the id by which an operator's challenges go. No caller is called so.
const operatorCaller = "operator/"

// newDomainRow tells of a domain, that was verified where d has it.
func newDomainRow(name, tenant string, d push.Domain, now time.Time) domainRow {
	row := domainRow{Name: name, Tenant: tenant, Link: link("domain", "name", name), State: "unverified", Domain: d}
	if d.Domain == "" {
		return row
	}
	row.State = d.State(now)
	row.Good, row.Bad = row.State == push.DomainVerified, row.State == push.DomainLapsed
	if row.Bad {
		row.Lapse = cmp.Or(d.Reason, push.LapsedOver)
	}
	return row
}

// ByOperator says whether an operator verified it.
func (d domainRow) ByOperator() bool { return strings.HasPrefix(d.Domain.Caller, operatorCaller) }

// domainRows gives all domains of tenants, and those of sites that were verified, by tenant and
// name.
func (o *owner) domainRows(ctx context.Context) (all []domainRow, err error) {
	c, now := o.config.Sales.Domains, o.Now()
	known, err := c.Known(ctx)
	if err != nil {
		return nil, err
	}
	open, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := c.Keys(ctx)
	if err != nil {
		return nil, err
	}
	of := map[string]push.Domain{}
	for _, d := range known {
		of[d.Domain] = d
	}
	for _, t := range o.config.Sales.Supplied.Tenants() {
		for _, domain := range t.Domains {
			d := of[domain]
			if d.Tenant != t.ID {
				d = push.Domain{}
			}
			delete(of, domain)
			all = append(all, newDomainRow(domain, t.ID, d, now))
		}
	}
	for _, d := range of { // of sites
		all = append(all, newDomainRow(d.Domain, d.Tenant, d, now))
	}
	byPlace := map[string][]identity.DeliveryKey{}
	for _, k := range keys {
		byPlace[k.Place] = append(byPlace[k.Place], k)
	}
	for i := range all {
		all[i].Open, all[i].Keys = open[all[i].Name], byPlace[push.DomainPlace(all[i].Tenant, all[i].Name)]
		slices.Reverse(all[i].Keys) // the newest first
	}
	slices.SortFunc(all, func(a, b domainRow) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// Signs is the key that signs at the domain; the zero value for none.
func (d domainRow) Signs() identity.DeliveryKey {
	for _, k := range d.Keys {
		if k.ID == d.Key {
			return k
		}
	}
	return identity.DeliveryKey{}
}

// domains lists the domains of tenants: which are verified, and until when. In days are those that
// are verified since then.
func (o *owner) domains(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := domainsBody{listed: o.choose(r, "sales/domains")}
	body.State = body.Asked("state")
	body.States = optionsOf(domainStates, body.State)
	all, err := o.domainRows(ctx)
	if err != nil {
		return "", nil, err
	}
	all = slices.DeleteFunc(all, func(d domainRow) bool {
		return body.State != "" && body.State != d.State && (body.State != "open" || d.Open == 0)
	})
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[domainRow]{
		At: func(d domainRow) time.Time { return d.Since }, Cells: domainRow.cells,
		Read: behind(all, func(d domainRow) string { return d.Tenant + "/" + d.Name }),
	})
	return v.Say("sales.domains"), body, err
}

// domainBody is the page of one domain.
type domainBody struct {
	domainRow
	Challenges []challengeRow
	Started    *exchange.IssuedChallenge // shown once
	Token      string                    // to look for
	Problem    string                    // what a look came to, where it is not verified
	All        []keyRow
}

// challengeRow is a challenge.
type challengeRow struct {
	push.Challenge
	Is         string
	Good       bool
	ByOperator bool
}

// keyRow is a key that was registered for a domain.
type keyRow struct {
	identity.DeliveryKey
	Is   string
	Good bool // it opens addresses
}

// challengesShown is how many challenges a page shows.
const challengesShown = 25

// domain shows one domain: its challenges and its keys, and what an operator can do.
func (o *owner) domain(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	return o.showDomain(w, r, v, domainBody{domainRow: domainRow{Name: r.URL.Query().Get("name")}})
}

// findDomain gives a domain by its name.
func (o *owner) findDomain(ctx context.Context, name string) (domainRow, error) {
	all, err := o.domainRows(ctx)
	if err != nil {
		return domainRow{}, err
	}
	for _, d := range all {
		if d.Name == name {
			return d, nil
		}
	}
	return domainRow{}, frame.Fail(fail.NotFound, "fault.domain")
}

func (o *owner) showDomain(w http.ResponseWriter, r *http.Request, v *frame.Visit, body domainBody) (err error) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	if body.domainRow, err = o.findDomain(ctx, body.Name); err != nil {
		return err
	}
	all, err := o.config.Sales.Domains.Challenges(ctx, body.Name, challengesShown)
	if err != nil {
		return err
	}
	now := o.Now()
	for _, c := range all {
		state := c.State(now)
		by := strings.HasPrefix(c.Caller, operatorCaller)
		body.Challenges = append(body.Challenges, challengeRow{c, state, state == push.DomainVerified, by})
	}
	for _, k := range body.Keys {
		state := k.State(now)
		body.All = append(body.All, keyRow{k, state, state == "signing" || state == "overlapping"})
	}
	o.Show(w, r, http.StatusOK, v.Sheet(body.Name, "sales-domain", body))
	return nil
}

// changeDomain starts a challenge of a domain, looks whether one is met, forgets that the domain is
// verified, or revokes one of its keys.
func (o *owner) changeDomain(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	c := o.config.Sales.Domains
	body := domainBody{domainRow: domainRow{Name: r.PostForm.Get("name")}}
	d, err := o.findDomain(r.Context(), body.Name)
	if err != nil {
		return err
	}
	ctx, caller, did := operator.WithActor(r.Context(), v.Actor()), operatorCaller+v.Actor(), ""
	switch r.PostForm.Get("do") {
	case "start":
		if body.Started, err = c.Start(ctx, caller, d.Name); err != nil {
			return err
		}
		body.Token = body.Started.Token
		o.Note(r, v.In, "started a challenge of the domain "+d.Name)
		return o.showDomain(w, r, v, body)
	case "look":
		body.Token = field1(r, "token")
		proven, err := c.Look(ctx, caller, d.Name, body.Token)
		if err != nil {
			return err
		}
		if !proven.Verified {
			_, body.Problem, _ = strings.Cut(proven.Reason, ": ") // behind a word of the protocol
			o.Note(r, v.In, "looked at the domain "+d.Name+", which is not verified")
			return o.showDomain(w, r, v, body)
		}
		did = "verified the domain " + d.Name
	case "forget":
		if _, err := do(o, r, v, operator.ForgetDomain{DomainName: operator.DomainName{Domain: d.Name}}); err != nil {
			return err
		}
		did = "forgot that the domain " + d.Name + " was verified"
	case "revoke":
		id := r.PostForm.Get("key")
		if !slices.ContainsFunc(d.Keys, func(k identity.DeliveryKey) bool { return k.ID == id }) {
			return frame.Fail(fail.NotFound, "fault.domain_key")
		}
		if _, err := c.Revoke(ctx, id); err != nil {
			return err
		}
		did = "revoked the key " + id + " of the domain " + d.Name
	default:
		return frame.Fail(fail.Invalid, "fault.deed")
	}
	o.Note(r, v.In, did)
	o.To(w, r, link("domain", "name", d.Name))
	return nil
}
