package console

import (
	"context"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/policy"
	"frontdesk/wire/ramp"
)

// Supplied is what the pages on tenants show and change (RAMP v1, CatalogService). Nothing of it
// may be nil.
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
	Rejections []push.Rejection
	Secret     string // shown once
}

// entryRow is something that was pushed.
type entryRow struct {
	shelfRow
	Sources []push.Entry // who pushed it
}

// refusedShown is how many rejections a page shows.
const refusedShown = 50

func newTenantRow(v *frame.Visit, t *push.Tenant) tenantRow {
	price, _ := t.Rule.Price.Money()
	row := tenantRow{Tenant: t, Price: priceSays(v, price), Link: link("tenant", "id", t.ID)}
	if price == (policy.Money{}) {
		row.Price = v.Say("price.subscribers")
	}
	return row
}

// tenants lists the tenants.
func (o *owner) tenants(ctx context.Context, r *http.Request, v *frame.Visit) (_ string, _ any, err error) {
	body := tenantsBody{listed: o.choose(r, "sales/tenants")}
	all := mapped(o.config.Sales.Supplied.Tenants(), func(t *push.Tenant) tenantRow { return newTenantRow(v, t) })
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[tenantRow]{
		At: func(t tenantRow) time.Time { return t.Created }, Cells: tenantRow.cells,
		Read: behind(all, func(t tenantRow) string { return t.ID }),
	})
	return v.Say("sales.tenants"), body, err
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
			body.tenantRow = newTenantRow(v, t)
		}
	}
	if body.Tenant == nil {
		return frame.Fail(fail.NotFound, "fault.tenant")
	}
	body.listed = o.choose(r, "sales/tenant", "id")
	rows, err := filled(ctx, r, &body.listed, o.entries(body.Find, id, func(s exchange.CatalogRow) shelfRow {
		return newShelfRow(v, s)
	}))
	if err != nil {
		return err
	}
	for _, s := range rows {
		row := entryRow{shelfRow: s}
		if row.Sources, err = o.config.Sales.Supplied.At(ctx, id, s.URL); err != nil {
			return err
		}
		body.Entries = append(body.Entries, row)
	}
	if body.Rejections, err = o.config.Sales.Supplied.Refused(ctx, id, refusedShown); err != nil {
		return err
	}
	o.Show(w, r, http.StatusOK, v.Sheet(v.Say("tenants.one")+" "+id, "sales-tenant", body))
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
		return frame.Fail(fail.Invalid, "fault.caller")
	case in.Model == "free":
		in.Price, in.Currency = "", ""
	case in.Model != "" && in.Price == "":
		return frame.Fail(fail.Invalid, "fault.price")
	}
	if in.At == "" { // the other fields of the form have something chosen
		in.Form, in.Agent = "", ""
	}
	err := in.ReadFiles(pasted{})
	if err != nil {
		return frame.Fail(fail.Invalid, "fault.caller_key", err)
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
	return nil, frame.Fail(fail.Invalid, "fault.key_file")
}

// ReadKeys reads a key.
func (pasted) ReadKeys(text string) ([]ramp.Key, error) {
	text = strings.NewReplacer("-----BEGIN PUBLIC KEY-----", "", "-----END PUBLIC KEY-----", "").Replace(text)
	public, err := ramp.DecodePublicKey(strings.Join(strings.Fields(text), ""))
	return []ramp.Key{{Public: public, Active: true}}, err
}
