package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
	"frontdesk/wire/sign"
)

// What an operator's programs set of a tenant, which is a site by one of its hosts (RAMP v1, tenant pricing and CDN key rotation).
const (
	TenantPricing  = "/admin/tenants/{id}/pricing"
	TenantKeys     = "/admin/tenants/{id}/signing-keys"
	TenantKey      = TenantKeys + "/{key_id}"
	TenantActivate = TenantKey + "/activate"
)

// Tenants is what the door needs to know of them.
type Tenants struct {
	// Site gives the id of the site that has a host; ok is false where none has.
	Site func(host string) (id string, ok bool)
	Rules
	Keys *identity.DeliveryKeys
	// Places are those who deliver for a site or a tenant, by their names, with the form of their addresses. Among those of a tenant is
	// supply.PlaceOf its id, with an empty form where nobody delivers.
	Places func(id string) map[string]sign.URLForm
}

// key gives a key of who delivers for the site or the tenant of a request, by the id that it names: of others' keys nothing is told, and nothing is
// done with them.
func (c Tenants) key(r *http.Request, id string) (k identity.DeliveryKey, err error) {
	all, err := c.Keys.List(r.Context())
	if err != nil {
		return k, err
	}
	for _, k := range all {
		if k.ID == r.PathValue("key_id") && c.owns(id, k) {
			return k, nil
		}
	}
	return k, fail.New(fail.NotFound, "%.80q has no key %.80s; GET %s lists those it has", r.PathValue("id"), r.PathValue("key_id"), TenantKeys)
}

// owns says whether a key is of who delivers for a tenant; or, for a site, of anybody of the configuration, as it is or was.
func (c Tenants) owns(id string, k identity.DeliveryKey) bool {
	if _, tenant := c.Places(id)[push.PlaceOf(id)]; tenant {
		return k.Place == push.PlaceOf(id)
	}
	return !strings.HasPrefix(k.Place, push.PlaceOf(""))
}

// tenant gives the site of a request.
func (c Tenants) tenant(r *http.Request) (id string, err error) {
	host := r.PathValue("id")
	id, ok := c.Site(host)
	if !ok {
		err = fail.New(fail.NotFound, "there is no tenant %.100q; name one by its id, or a site by one of its hosts, like www.example.com", host)
	}
	return id, err
}

// of has a request answered for its site.
func (c Tenants) of(do func(site string, w http.ResponseWriter, r *http.Request) (int, any, error)) answerer {
	return func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		site, err := c.tenant(r)
		if err != nil {
			return 0, nil, err
		}
		return do(site, w, r)
	}
}

// pricing is what licensed items of a site cost where no rule says so; its price is null where nothing does.
type pricing struct {
	Tenant  string        `json:"tenant"`
	Site    string        `json:"site"`
	Price   *policy.Price `json:"price"`
	Changed string        `json:"changed,omitempty"`
}

// PricingHandler answers at TenantPricing: GET tells the price, PUT sets it, DELETE has none.
func PricingHandler(c Tenants) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		return byMethod(w, r, methods{http.MethodGet: c.of(c.price), http.MethodPut: c.of(c.setPrice), http.MethodDelete: c.of(c.noPrice)})
	})
}

func (c Tenants) price(site string, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	book, err := c.Keeper.Read(r.Context())
	told := pricing{Tenant: r.PathValue("id"), Site: site}
	if at := slices.IndexFunc(book.Prices, func(p overrides.Price) bool { return p.Site == site }); at >= 0 {
		told.Price, told.Changed = &book.Prices[at].Price, book.Prices[at].Changed.Format(time.RFC3339Nano)
	}
	return http.StatusOK, told, err
}

func (c Tenants) setPrice(site string, w http.ResponseWriter, r *http.Request) (int, any, error) {
	var price policy.Price
	if err := read(w, r, &price); err != nil {
		return 0, nil, err
	}
	if price == (policy.Price{}) {
		return 0, nil, fail.New(fail.Invalid, "say a model, a rate and a currency; DELETE takes the price away")
	}
	set, err := c.Keeper.SetPrice(r.Context(), site, price)
	if err == nil {
		c.Apply(r.Context())
	}
	return http.StatusOK, pricing{r.PathValue("id"), site, &set.Price, set.Changed.Format(time.RFC3339Nano)}, err
}

func (c Tenants) noPrice(site string, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	_, err := c.Keeper.SetPrice(r.Context(), site, policy.Price{})
	if err == nil {
		c.Apply(r.Context())
	}
	return http.StatusOK, pricing{Tenant: r.PathValue("id"), Site: site}, err
}

// signingKey is a key that signs addresses for somebody who delivers, as it is told.
type signingKey struct {
	KeyID     string `json:"key_id"`
	Place     string `json:"place"`
	CDNType   string `json:"cdn_type"`
	KeyPairID string `json:"key_pair_id,omitempty"`
	State     string `json:"state"`
	Imported  bool   `json:"imported,omitempty"`
	Created   string `json:"created"`
	Activated string `json:"activated,omitempty"`
	Ends      string `json:"ends,omitempty"`
	// Shown is told once, of a key that was made here: what the other side has to know.
	Shown *shownKey `json:"shown,omitempty"`
}

// shownKey is the secret that both sides have, in hex (for fastly in base64), or a public key in PEM.
type shownKey struct {
	SigningKey string `json:"signing_key,omitempty"`
	PublicKey  string `json:"public_key,omitempty"`
}

// KeysHandler answers at TenantKeys, TenantKey and TenantActivate: GET lists the keys, POST makes or takes one, which waits; of one,
// DELETE ends it, and POST at TenantActivate has it sign.
func KeysHandler(c Tenants, now func() time.Time) http.Handler {
	told := func(k identity.DeliveryKey) signingKey { return toldKey(k, now()) }
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		switch {
		case r.PathValue("key_id") == "":
			return byMethod(w, r, methods{
				http.MethodGet: c.of(func(id string, _ http.ResponseWriter, r *http.Request) (int, any, error) {
					all, err := c.Keys.List(r.Context())
					list := struct {
						Keys []signingKey `json:"keys"`
					}{[]signingKey{}}
					for _, k := range all {
						if c.owns(id, k) {
							list.Keys = append(list.Keys, told(k))
						}
					}
					return http.StatusOK, list, err
				}),
				http.MethodPost: c.of(func(id string, w http.ResponseWriter, r *http.Request) (int, any, error) {
					return c.issue(id, w, r, told)
				}),
			})
		case r.Pattern == TenantActivate:
			return byMethod(w, r, methods{http.MethodPost: c.of(func(id string, w http.ResponseWriter, r *http.Request) (int, any, error) {
				if _, err := c.key(r, id); err != nil {
					return 0, nil, err
				}
				return c.activate(w, r, told)
			})})
		}
		return byMethod(w, r, methods{http.MethodDelete: c.of(func(id string, _ http.ResponseWriter, r *http.Request) (int, any, error) {
			if _, err := c.key(r, id); err != nil {
				return 0, nil, err
			}
			k, err := c.Keys.Revoke(r.Context(), r.PathValue("key_id"))
			return http.StatusOK, told(k), err
		})})
	})
}

// place gives who delivers, by the name that a request has, or else by the form of its addresses, where that is one alone.
func (c Tenants) place(places map[string]sign.URLForm, name, form string) (string, error) {
	var fits []string
	for place, of := range places {
		if of != "" && (name == "" || name == place) && (form == "" || form == string(of)) {
			fits = append(fits, place)
		}
	}
	switch {
	case len(fits) == 1 && places[fits[0]] == sign.URLEd25519:
		return "", fail.New(fail.Invalid, "addresses of %s are signed with the site's key; `frontdesk keys rotate site` makes another", fits[0])
	case len(fits) == 1:
		return fits[0], nil
	case len(fits) == 0:
		return "", fail.New(fail.Invalid, "nobody delivers for it by the name %.64q in the form %.20q; add who does to ramp.delivery of the configuration, or to the tenant's delivery, first", name, form)
	}
	return "", fail.New(fail.Invalid, "several deliver so; name one of ramp.delivery as place")
}

func (c Tenants) issue(id string, w http.ResponseWriter, r *http.Request, told func(identity.DeliveryKey) signingKey) (int, any, error) {
	var asked struct {
		Place      string `json:"place"`
		CDNType    string `json:"cdn_type"`
		SigningKey string `json:"signing_key"`
		Encoding   string `json:"encoding"`
		KeyPairID  string `json:"key_pair_id"`
	}
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	places := c.Places(id)
	place, err := c.place(places, asked.Place, asked.CDNType)
	if err != nil {
		return 0, nil, err
	}
	form := places[place]
	var secret []byte
	if asked.SigningKey != "" {
		if secret, err = identity.ParseDeliverySecret(form, []byte(asked.SigningKey), asked.Encoding); err != nil {
			return 0, nil, err
		}
	}
	k, shown, err := c.Keys.Issue(r.Context(), place, form, asked.KeyPairID, secret)
	out := told(k)
	switch {
	case shown == "":
	case form == sign.URLCloudFront:
		out.Shown = &shownKey{PublicKey: shown}
	default:
		out.Shown = &shownKey{SigningKey: shown}
	}
	return http.StatusCreated, out, err
}

func (c Tenants) activate(w http.ResponseWriter, r *http.Request, told func(identity.DeliveryKey) signingKey) (int, any, error) {
	asked := struct {
		KeyPairID string `json:"key_pair_id"`
		Grace     string `json:"grace"`
	}{Grace: identity.DeliveryKeyGrace.String()}
	if r.ContentLength != 0 { // nothing need be said
		if err := read(w, r, &asked); err != nil {
			return 0, nil, err
		}
	}
	grace, err := time.ParseDuration(asked.Grace)
	if err != nil {
		return 0, nil, fail.New(fail.Invalid, "grace: %.40q is no span; write it like 1h", asked.Grace)
	}
	k, err := c.Keys.Activate(r.Context(), r.PathValue("key_id"), asked.KeyPairID, grace)
	return http.StatusOK, told(k), err
}

func toldKey(k identity.DeliveryKey, now time.Time) signingKey {
	return signingKey{
		KeyID: k.ID, Place: k.Place, CDNType: string(k.Form), KeyPairID: k.Name, State: k.State(now), Imported: k.Imported,
		Created: k.Created.Format(time.RFC3339), Activated: instantText(k.Activated), Ends: instantText(k.Ends),
	}
}

func instantText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
