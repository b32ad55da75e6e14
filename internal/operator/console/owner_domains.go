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

// Domains is what the pages on domains of tenants show and change (RAMP v1, domain verification). Nothing of it may be nil.
type Domains struct {
	Known      func(context.Context) ([]push.Domain, error)                                        // those that were verified once
	Open       func(context.Context) (map[string]int, error)                                       // how many challenges are open, by domain
	Challenges func(ctx context.Context, domain string, limit int) ([]push.Challenge, error)       // the last first
	Keys       func(context.Context) ([]identity.DeliveryKey, error)                               // that sign addresses
	Start      func(ctx context.Context, by, domain string) (*exchange.IssuedChallenge, error)     // makes a challenge in the name of an operator
	Look       func(ctx context.Context, by, domain, token string) (*exchange.Verification, error) // looks whether one is met
	Revoke     func(ctx context.Context, id string) (identity.DeliveryKey, error)                  // ends a key at once
}

// domainsBody is the list of domains.
type domainsBody struct {
	listed
	State  string
	States []domainState
	Rows   []domainRow
}

// domainState is a state by which domains are listed.
type domainState struct {
	Name, Says string
	Chosen     bool
}

// domainRow is a domain of a tenant.
type domainRow struct {
	Name, Tenant string
	Link         string
	State        string // verified, lapsed or unverified
	Is           string // the state, in words
	Good, Bad    bool
	push.Domain
	How  string // it was verified
	Open int    // challenges
	Keys []identity.DeliveryKey
}

// The states of domains, as the pages name them.
var domainStates = []domainState{{Name: push.DomainVerified, Says: "verified"}, {Name: push.DomainLapsed, Says: "lapsed"}, {Name: "unverified", Says: "not verified"}, {Name: "open", Says: "with an open challenge"}}

// lapses say why domains lapse.
var lapses = map[string]string{
	push.LapsedOver: "its time is over; it has to be verified again", push.LapsedUnlisted: "its ramp.json does not name this exchange any more", push.LapsedSilent: "its ramp.json could not be had for a day",
}

// operatorCaller begins the id by which an operator's challenges go. No caller is called so.
const operatorCaller = "operator/"

// newDomainRow tells of a domain, that was verified where d has it.
func newDomainRow(name, tenant string, d push.Domain, now time.Time) domainRow {
	row := domainRow{Name: name, Tenant: tenant, Link: link("domain", "name", name), State: "unverified", Is: "not verified", Domain: d}
	if d.Domain == "" {
		return row
	}
	row.State = d.State(now)
	row.Good, row.Bad = row.State == push.DomainVerified, row.State == push.DomainLapsed
	row.Is = row.State
	if row.Bad {
		row.Is = "lapsed: " + lapses[cmp.Or(d.Reason, push.LapsedOver)]
	}
	row.How = "challenge of " + d.Caller
	if strings.HasPrefix(d.Caller, operatorCaller) {
		row.How = "challenge of an operator"
	}
	return row
}

// domainRows gives all domains of tenants, and those of sites that were verified, by tenant and name.
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
	slices.SortFunc(all, func(a, b domainRow) int { return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Name, b.Name)) })
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

// domains lists the domains of tenants: which are verified, and until when.
func (o *owner) domains(ctx context.Context, r *http.Request, _ *frame.Visit) (string, any, error) {
	body := domainsBody{listed: o.choose(r, "domains", "state")}
	body.State = body.chosen.Get("state")
	for _, s := range domainStates {
		s.Chosen = s.Name == body.State
		body.States = append(body.States, s)
	}
	all, err := o.domainRows(ctx)
	if err != nil {
		return "", nil, err
	}
	find := strings.ToLower(body.Find)
	all = slices.DeleteFunc(all, func(d domainRow) bool {
		fits := body.State == "" || body.State == d.State || body.State == "open" && d.Open > 0
		return !fits || body.before != "" && d.before(body.before) || !strings.Contains(d.Tenant+"/"+d.Name, find)
	})
	body.Rows = rows(&body.listed, all, same, func(d domainRow) string { return d.Tenant + "/" + d.Name })
	return "Domains", body, nil
}

// before says whether the domain does not come behind a place in the list.
func (d domainRow) before(place string) bool {
	tenant, name, _ := strings.Cut(place, "/")
	return cmp.Or(cmp.Compare(d.Tenant, tenant), cmp.Compare(d.Name, name)) <= 0
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
	Is   string
	Good bool
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
	return domainRow{}, fail.New(fail.NotFound, "There is no such domain. A domain is given to a tenant with it, or by frontdesk ramp tenant add.")
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
		row := challengeRow{c, strings.ToLower(strings.ReplaceAll(state, "_", " ")), state == push.DomainVerified}
		if state == "used" {
			row.Is = "used, and nothing came of it"
		}
		if strings.HasPrefix(c.Caller, operatorCaller) {
			row.Caller = "an operator"
		}
		body.Challenges = append(body.Challenges, row)
	}
	for _, k := range body.Keys {
		state := k.State(now)
		body.All = append(body.All, keyRow{k, map[string]string{"overlapping": "followed by another, and still good"}[state], state == "signing" || state == "overlapping"})
		if last := &body.All[len(body.All)-1]; last.Is == "" {
			last.Is = state
		}
	}
	o.Show(w, r, http.StatusOK, v.Sheet("Domain "+body.Name, "sales-domain", body))
	return nil
}

// changeDomain starts a challenge of a domain, looks whether one is met, forgets that the domain is verified, or revokes one of its keys.
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
			body.Problem = proven.Reason
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
			return fail.New(fail.NotFound, "The domain has no key of this id.")
		}
		if _, err := c.Revoke(ctx, id); err != nil {
			return err
		}
		did = "revoked the key " + id + " of the domain " + d.Name
	default:
		return fail.New(fail.Invalid, "Of a domain a challenge can be started and looked at here, its verification forgotten, and a key revoked.")
	}
	o.Note(r, v.In, did)
	o.To(w, r, link("domain", "name", d.Name))
	return nil
}
