package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
)

// Supplied is what the pages on tenants show and change (RAMP v1, CatalogService). Nothing of it may be nil.
type Supplied struct {
	Tenants func() []*push.Tenant
	Refused func(ctx context.Context, tenant string, limit int) ([]push.Rejection, error)
	// At gives what was pushed at an address of a tenant, the tenant's own first.
	At func(ctx context.Context, tenant, address string) ([]push.Entry, error)
	// PutIn puts a tenant in with its caller, whose key is a text, and gives the secret with which its addresses are signed, where one is made.
	PutIn func(ctx context.Context, t push.Tenant, caller, key string) (secret string, err error)
}

// tenantsBody is the list of tenants, with the form that puts one in.
type tenantsBody struct {
	listed
	May  bool
	Rows []tenantRow
}

// tenantRow is a tenant.
type tenantRow struct {
	*push.Tenant
	Price, Link string
}

// tenantBody is the page of one tenant.
type tenantBody struct {
	listed
	tenantRow
	Entries    []entryRow
	Rejections []rejectionRow
	Secret     string // shown once
}

// entryRow is something that was pushed.
type entryRow struct {
	shelfRow
	Sources []push.Entry // who pushed it
}

// rejectionRow is an entry that was refused, with what can be done about it.
type rejectionRow struct {
	push.Rejection
	Says, Do string
}

// remedies say what whoever runs the front desk, or pushes, can do about a rejection.
var remedies = map[string]string{
	"INVALID_ENTRY": "The caller has to correct the entry and push it again.", "INVALID_PATH": "The caller has to write the path as it is in the address, beginning with a slash.",
	"DOMAIN_NOT_OF_TENANT":          "If it is the tenant's, add the domain to the tenant; else the caller pushes for somebody else.",
	"UNAUTHORIZED_CONTRIBUTOR":      "The provider has to list the caller's domain in catalog_contributors of its ramp.json.",
	"UNKNOWN_VERIFIER":              "Add the verifier to ramp.verifiers if you trust it; else the caller leaves its attestation out.",
	"ATTESTATION_SIGNATURE_INVALID": "The verifier has to sign the attestation anew, for this very address.", "CLAIMS_TOO_LARGE": "The verifier has to claim less: at most 4 KB.",
	"UNKNOWN_CRITICAL_EXTENSION": "The caller has to leave the key out of ext_critical: none is heeded here.", "TOO_MANY_PATTERNS": "The caller has to end paths in a slash or a star instead of stars within them.",
}

// refusedShown is how many rejections a page shows.
const refusedShown = 50

func newTenantRow(t *push.Tenant) tenantRow {
	price, _ := t.Rule.Price.Money()
	row := tenantRow{Tenant: t, Price: priceSays(price), Link: link("tenant", "id", t.ID)}
	if price == (policy.Money{}) {
		row.Price = "subscribers alone"
	}
	return row
}

// tenants lists the tenants.
func (o *owner) tenants(w http.ResponseWriter, r *http.Request, v *visit) error {
	body := tenantsBody{May: v.in.Role == identity.Operator}
	body.listed, _, _ = o.choose(r, "tenants")
	after := r.URL.Query().Get("before")
	for _, t := range o.config.Sales.Supplied.Tenants() {
		if t.ID <= after || body.Find != "" && !strings.Contains(t.ID+" "+strings.ToLower(t.Name)+" "+strings.Join(t.Domains, " "), strings.ToLower(body.Find)) {
			continue
		}
		if len(body.Rows) == perPage {
			body.Next = body.from("tenants", body.Rows[perPage-1].ID)
			break
		}
		body.Rows = append(body.Rows, newTenantRow(t))
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Tenants", Page: "sales-tenants", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// tenant shows one tenant: what was pushed for it, at which price, by whom, and what was refused.
func (o *owner) tenant(w http.ResponseWriter, r *http.Request, v *visit) error {
	return o.showTenant(w, r, v, r.URL.Query().Get("id"), "")
}

func (o *owner) showTenant(w http.ResponseWriter, r *http.Request, v *visit, id, secret string) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := tenantBody{Secret: secret}
	for _, t := range o.config.Sales.Supplied.Tenants() {
		if t.ID == id {
			body.tenantRow = newTenantRow(t)
		}
	}
	if body.Tenant == nil {
		return fail.New(fail.NotFound, "There is no such tenant.")
	}
	body.listed, _, _ = o.choose(r, "tenant")
	body.First = link("tenant", "id", id, "find", body.Find)
	before, _ := strconv.Atoi(r.URL.Query().Get("before"))
	all, next, err := o.config.Sales.Shelf(ctx, exchange.CatalogFilter{Find: body.Find, Site: id, Before: max(before, 0), Limit: perPage})
	if err != nil {
		return unread(err)
	}
	for _, s := range all {
		row := entryRow{shelfRow: newShelfRow(s)}
		if row.Sources, err = o.config.Sales.Supplied.At(ctx, id, s.URL); err != nil {
			return unread(err)
		}
		body.Entries = append(body.Entries, row)
	}
	if next > 0 {
		body.Next = link("tenant", "id", id, "find", body.Find, "before", strconv.Itoa(next))
	}
	refused, err := o.config.Sales.Supplied.Refused(ctx, id, refusedShown)
	if err != nil {
		return unread(err)
	}
	for _, one := range refused {
		body.Rejections = append(body.Rejections, rejectionRow{one, strings.ToLower(strings.ReplaceAll(one.Reason, "_", " ")), remedies[one.Reason]})
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Tenant " + id, Page: "sales-tenant", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// putTenant puts a tenant in, and shows it with its secret. One that is there is not changed here.
func (o *owner) putTenant(w http.ResponseWriter, r *http.Request, v *visit) error {
	t := push.Tenant{ID: field1(r, "id"), Name: field1(r, "name"), Domains: strings.Fields(r.PostForm.Get("domains"))}
	for _, known := range o.config.Sales.Supplied.Tenants() {
		if known.ID == t.ID {
			return fail.New(fail.Invalid, "There is a tenant of this id; choose another, or change it by frontdesk ramp tenant add.")
		}
	}
	if model := field1(r, "model"); model != "" {
		t.Rule.Price = policy.Price{Model: model, Rate: field1(r, "rate"), Currency: strings.ToUpper(field1(r, "currency"))}
		if model == "free" {
			t.Rule.Price = policy.Price{Model: model}
		}
	}
	t.Rule.Access = policy.Licensed
	if at := field1(r, "at"); at != "" {
		t.Delivery = push.Delivery{At: at, Form: field1(r, "cdn"), Agent: field1(r, "agent")}
	}
	caller, key := field1(r, "caller"), field1(r, "key")
	if (caller == "") != (key == "") {
		return fail.New(fail.Invalid, "A caller and its key belong together: say both, or neither.")
	}
	secret, err := o.config.Sales.Supplied.PutIn(o.config.Sales.By(r.Context(), by(v)), t, caller, key)
	if err != nil {
		return wrong(err)
	}
	o.config.Note(r, v.in, "put the tenant "+t.ID+" in")
	if secret == "" {
		o.to(w, r, link("tenant", "id", t.ID))
		return nil
	}
	return o.showTenant(w, r, v, t.ID, secret)
}
