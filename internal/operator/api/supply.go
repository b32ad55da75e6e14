package api

import (
	"encoding/base64"
	"net/http"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy"
)

// Where tenants and the callers of the catalog are kept (RAMP v1, CatalogService).
const (
	TenantList    = "/admin/tenants"
	TenantOne     = TenantList + "/{id}"
	TenantRefused = TenantOne + "/rejections"
	CallerList    = "/admin/callers"
	CallerOne     = CallerList + "/{id}"
)

// Supply is what the door needs to know of them.
type Supply struct {
	Tenants *push.Tenants
	Shelves *push.Store
	Callers *requesters.PushClients
	// Known gives the id of a tenant, or of a site that is served here, by its id or one of its hosts.
	Known func(name string) (id string, ok bool)
}

// tenantForm is a tenant as a request has it, and as it is told.
type tenantForm struct {
	TenantID string   `json:"tenant_id"`
	Name     string   `json:"name,omitempty"`
	Domains  []string `json:"domains"`
	// Resources are how the URIs begin of what it sells that is no page of the web.
	Resources []string         `json:"resources,omitempty"`
	Price     policy.Price     `json:"price,omitzero"`
	Function  policy.Functions `json:"functions,omitzero"`
	Scopes    []string         `json:"scopes,omitempty"`
	// Reporting is within which a use must be reported.
	Reporting  reporting     `json:"reporting,omitzero"`
	Blocked    bool          `json:"blocked,omitempty"`
	Mutability string        `json:"mutability,omitempty"`
	Delivery   push.Delivery `json:"delivery,omitzero"`
	Created    string        `json:"created,omitempty"`
	Changed    string        `json:"changed,omitempty"`
}

func toldTenant(t *push.Tenant) tenantForm {
	out := tenantForm{
		TenantID: t.ID, Name: t.Name, Domains: t.Domains, Resources: t.Resources, Price: t.Rule.Price, Function: t.Rule.Functions, Scopes: t.Rule.Scopes, Blocked: t.Rule.Access == policy.Blocked,
		Mutability: t.Mutability, Delivery: t.Delivery, Created: t.Created.Format(time.RFC3339Nano), Changed: t.Changed.Format(time.RFC3339Nano),
	}
	if t.Window > 0 {
		out.Reporting.Window = t.Window.String()
	}
	return out
}

// read makes a tenant of what a request says.
func (f tenantForm) tenant() (t push.Tenant, err error) {
	t = push.Tenant{ID: f.TenantID, Name: f.Name, Domains: f.Domains, Resources: f.Resources, Mutability: f.Mutability, Delivery: f.Delivery}
	t.Rule = policy.Rule{Access: policy.Licensed, Price: f.Price, Functions: f.Function, Scopes: f.Scopes}
	if f.Blocked {
		t.Rule.Access = policy.Blocked
	}
	if f.Reporting.Window != "" {
		if t.Rule.Reporting.Window, err = time.ParseDuration(f.Reporting.Window); err != nil {
			return t, fail.New(fail.Invalid, "reporting.window: %.40q is no span; write it like 24h", f.Reporting.Window)
		}
	}
	if f.Created != "" || f.Changed != "" {
		return t, fail.New(fail.Invalid, "when a tenant was put in is told here, and cannot be said; leave out created and changed")
	}
	return t, nil
}

// TenantsHandler answers at TenantList and TenantOne: GET lists the tenants, POST puts one in, or in the place of that with its id; of one, GET tells, and
// DELETE removes it.
func TenantsHandler(c Supply) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		id := r.PathValue("id")
		if id == "" {
			return byMethod(w, r, methods{http.MethodGet: c.tenants, http.MethodPost: c.putTenant})
		}
		return byMethod(w, r, methods{
			http.MethodGet: func(http.ResponseWriter, *http.Request) (int, any, error) {
				if t := c.Tenants.Get(id); t != nil {
					return http.StatusOK, toldTenant(t), nil
				}
				return 0, nil, fail.New(fail.NotFound, "there is no tenant %.80s; GET %s lists those there are", id, TenantList)
			},
			http.MethodDelete: func(http.ResponseWriter, *http.Request) (int, any, error) {
				return http.StatusOK, map[string]string{"removed": id}, c.Tenants.Remove(r.Context(), id)
			},
		})
	})
}

func (c Supply) tenants(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	_, err := c.Tenants.Refresh(r.Context())
	list := struct {
		Tenants []tenantForm `json:"tenants"`
	}{[]tenantForm{}}
	for _, t := range c.Tenants.List() {
		list.Tenants = append(list.Tenants, toldTenant(t))
	}
	return http.StatusOK, list, err
}

func (c Supply) putTenant(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked tenantForm
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	t, err := asked.tenant()
	if err != nil {
		return 0, nil, err
	}
	put, fresh, err := c.Tenants.Put(r.Context(), t)
	if err != nil {
		return 0, nil, err
	}
	if fresh {
		return http.StatusCreated, toldTenant(put), nil
	}
	return http.StatusOK, toldTenant(put), nil
}

// How many rejections are told.
const (
	usualRefused = 100
	mostRefused  = push.Rejections
)

// RefusedHandler answers at TenantRefused: GET lists the entries that were refused last, the last first.
func RefusedHandler(c Supply) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		return byMethod(w, r, methods{http.MethodGet: c.refused})
	})
}

// rejection is an entry that was refused.
type rejection struct {
	Time    string `json:"time"`
	Caller  string `json:"caller_id"`
	Address string `json:"address"`
	Reason  string `json:"reason"`
	Detail  string `json:"detail"`
}

func (c Supply) refused(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	id, ok := c.Known(r.PathValue("id"))
	if !ok {
		return 0, nil, fail.New(fail.NotFound, "there is no tenant %.80s; GET %s lists those there are", r.PathValue("id"), TenantList)
	}
	q, err := parameters(r, "limit")
	if err != nil {
		return 0, nil, err
	}
	limit, err := limited(q, usualRefused, mostRefused)
	if err != nil {
		return 0, nil, err
	}
	all, err := c.Shelves.Refused(r.Context(), id, limit)
	list := struct {
		Rejections []rejection `json:"rejections"`
	}{[]rejection{}}
	for _, one := range all {
		list.Rejections = append(list.Rejections, rejection{one.At.Format(time.RFC3339Nano), one.Caller, one.Address, one.Reason, one.Detail})
	}
	return http.StatusOK, list, err
}

// callerForm is a caller as a request has it, and as it is told.
type callerForm struct {
	CallerID string   `json:"caller_id"`
	Domain   string   `json:"domain,omitempty"`
	Tenants  []string `json:"tenants"`
	Keys     []key    `json:"keys"`
	State    string   `json:"state,omitempty"`
	Created  string   `json:"created,omitempty"`
	Changed  string   `json:"changed,omitempty"`
}

func toldCaller(c requesters.PushClient) callerForm {
	out := callerForm{
		CallerID: c.ID, Domain: c.Domain, Tenants: c.Tenants, Keys: []key{}, State: c.State(),
		Created: instantText(c.Created), Changed: instantText(c.Changed),
	}
	for _, k := range c.Keys {
		out.Keys = append(out.Keys, key{ID: k.ID, PublicKey: base64.StdEncoding.EncodeToString(k.Public), ValidFrom: instantText(k.From), ValidUntil: instantText(k.Until)})
	}
	return out
}

// CallersHandler answers at CallerList and CallerOne: GET lists the callers, POST puts one in, or in the place of that with its id; of one, GET tells, and
// DELETE revokes it.
func CallersHandler(c Supply) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		id := r.PathValue("id")
		if id == "" {
			return byMethod(w, r, methods{http.MethodGet: c.callers, http.MethodPost: c.putCaller})
		}
		one := func(do func() (requesters.PushClient, error)) answerer {
			return func(http.ResponseWriter, *http.Request) (int, any, error) {
				caller, err := do()
				return http.StatusOK, toldCaller(caller), err
			}
		}
		return byMethod(w, r, methods{
			http.MethodGet:    one(func() (requesters.PushClient, error) { return c.Callers.Get(r.Context(), id) }),
			http.MethodDelete: one(func() (requesters.PushClient, error) { return c.Callers.Revoke(r.Context(), id) }),
		})
	})
}

func (c Supply) callers(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	all, err := c.Callers.List(r.Context())
	list := struct {
		Callers []callerForm `json:"callers"`
	}{[]callerForm{}}
	for _, one := range all {
		list.Callers = append(list.Callers, toldCaller(one))
	}
	return http.StatusOK, list, err
}

func (c Supply) putCaller(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked callerForm
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	one := requesters.PushClient{ID: asked.CallerID, Domain: asked.Domain, Tenants: asked.Tenants}
	if asked.State != "" || asked.Created != "" || asked.Changed != "" {
		return 0, nil, fail.New(fail.Invalid, "state, created and changed are told here, and cannot be said; leave them out")
	}
	for i, k := range asked.Keys {
		public, err := k.read()
		if err != nil {
			return 0, nil, fail.New(fail.Invalid, "key %d: %v", i+1, err)
		}
		one.Keys = append(one.Keys, public)
	}
	for i, name := range one.Tenants {
		id, ok := c.Known(name)
		if !ok {
			return 0, nil, fail.New(fail.Invalid, "tenants[%d]: there is no tenant %.80s; GET %s lists those there are", i, name, TenantList)
		}
		one.Tenants[i] = id
	}
	fresh, err := c.Callers.Put(r.Context(), one)
	if err != nil {
		return 0, nil, err
	}
	if one, err = c.Callers.Get(r.Context(), one.ID); fresh {
		return http.StatusCreated, toldCaller(one), err
	}
	return http.StatusOK, toldCaller(one), err
}
