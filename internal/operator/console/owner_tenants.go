package console

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/policy"
	"frontdesk/wire/ramp"
)

// Supplied is what the pages on tenants show and change (RAMP v1, CatalogService). Nothing of it may be nil.
type Supplied struct {
	Tenants func() []*push.Tenant
	Refused func(ctx context.Context, tenant string, limit int) ([]push.Rejection, error)
	// At gives what was pushed at an address of a tenant, the tenant's own first.
	At func(ctx context.Context, tenant, address string) ([]push.Entry, error)
}

// tenantsBody is the list of tenants, with the form that puts one in.
type tenantsBody struct {
	listed
	New  operator.Onboard // as the form has it
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
func (o *owner) tenants(ctx context.Context, r *http.Request, _ *frame.Visit) (string, any, error) {
	body := tenantsBody{listed: o.choose(r, "tenants")}
	all := slices.DeleteFunc(slices.Clone(o.config.Sales.Supplied.Tenants()), func(t *push.Tenant) bool {
		names := t.ID + " " + strings.ToLower(t.Name) + " " + strings.Join(t.Domains, " ")
		return t.ID <= body.before || !strings.Contains(names, strings.ToLower(body.Find))
	})
	body.Rows = rows(&body.listed, all, newTenantRow, func(t *push.Tenant) string { return t.ID })
	return "Tenants", body, nil
}

// tenant shows one tenant: what was pushed for it, at which price, by whom, and what was refused.
func (o *owner) tenant(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	return o.showTenant(w, r, v, r.URL.Query().Get("id"), "")
}

func (o *owner) showTenant(w http.ResponseWriter, r *http.Request, v *frame.Visit, id, secret string) error {
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
	body.listed = o.choose(r, "tenant")
	body.chosen.Set("id", id)
	all, next, err := o.entries(ctx, body.listed, id)
	if err != nil {
		return err
	}
	for _, s := range all {
		row := entryRow{shelfRow: newShelfRow(s)}
		if row.Sources, err = o.config.Sales.Supplied.At(ctx, id, s.URL); err != nil {
			return err
		}
		body.Entries = append(body.Entries, row)
	}
	body.Next = body.next(next)
	refused, err := o.config.Sales.Supplied.Refused(ctx, id, refusedShown)
	if err != nil {
		return err
	}
	for _, one := range refused {
		body.Rejections = append(body.Rejections, rejectionRow{one, strings.ToLower(strings.ReplaceAll(one.Reason, "_", " ")), remedies[one.Reason]})
	}
	o.Show(w, r, http.StatusOK, v.Sheet("Tenant "+id, "sales-tenant", body))
	return nil
}

// putTenant puts a tenant in, and shows it with its secret. One that is there is not changed here.
func (o *owner) putTenant(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	in := operator.Onboard{New: true}
	if err := read(r, &in); err != nil {
		return err
	}
	switch {
	case (in.Caller == "") != (in.Key == nil):
		return fail.New(fail.Invalid, "A caller and its key belong together: say both, or neither.")
	case in.Model == "free":
		in.Price, in.Currency = "", ""
	case in.Model != "" && in.Price == "":
		return fail.New(fail.Invalid, "A price has an amount, such as 0.02; without a price, subscribers alone may have it.")
	}
	if in.At == "" { // the other fields of the form have something chosen
		in.Form, in.Agent = "", ""
	}
	err := in.ReadFiles(pasted{})
	if err != nil {
		return fail.New(fail.Invalid, "the caller's %v", err)
	}
	out, err := do(o, r, v, in)
	if err != nil {
		return err
	}
	o.Note(r, v.In, "put the tenant "+in.ID+" in")
	if out.Secret == "" {
		o.To(w, r, link("tenant", "id", in.ID))
		return nil
	}
	return o.showTenant(w, r, v, in.ID, out.Secret)
}

// pasted reads a key of a form, which may be PEM. A form names no files.
type pasted struct{}

// ReadFile refuses.
func (pasted) ReadFile(string) ([]byte, error) {
	return nil, fail.New(fail.Invalid, "a form names no files")
}

// ReadKeys reads a key.
func (pasted) ReadKeys(text string) ([]ramp.Key, error) {
	text = strings.NewReplacer("-----BEGIN PUBLIC KEY-----", "", "-----END PUBLIC KEY-----", "").Replace(text)
	public, err := ramp.DecodePublicKey(strings.Join(strings.Fields(text), ""))
	return []ramp.Key{{Public: public, Active: true}}, err
}
