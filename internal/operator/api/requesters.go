package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/wire/ramp"
	"frontdesk/wire/strictjson"
)

// Requesters is where the requesters of RAMP are (RAMP v1, enterprise sign-up).
const Requesters = "/admin/requesters"

// Config is what the door needs to know.
type Config struct {
	Requesters *requesters.Registry
	Books      Books // of the subscriptions that requesters are put in with
	// CheckRate says what is wrong with a rate.
	CheckRate func(string) error
}

// requester is a registration as it is told.
type requester struct {
	RequesterID  string   `json:"requester_id"`
	Domain       string   `json:"domain"`
	Account      string   `json:"account"`
	SignUp       string   `json:"sign_up"`
	State        string   `json:"state"`
	Keys         []key    `json:"keys"`
	Scopes       []string `json:"granted_scopes"`
	UserCategory string   `json:"user_category,omitempty"`
	Country      string   `json:"country,omitempty"`
	Rate         string   `json:"rate,omitempty"`
	Created      string   `json:"created"`
	Changed      string   `json:"changed"`
}

// key is a public key, told in standard base64 of its 32 bytes, and read in every form that documents have.
type key struct {
	ID         string `json:"id,omitempty"`
	PublicKey  string `json:"public_key"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
}

// wanted is what a request says of a requester. What it leaves out stays as it is.
type wanted struct {
	RequesterID  string    `json:"requester_id"`
	Domain       string    `json:"domain"`
	PublicKey    *string   `json:"public_key"` // one key, in place of keys
	Keys         *[]key    `json:"keys"`
	Scopes       *[]string `json:"granted_scopes"`
	UserCategory *string   `json:"user_category"`
	Country      *string   `json:"country"`
	Rate         *string   `json:"rate"`
	State        *string   `json:"state"`
	// Subscription is what it is put in with: see subscribe.
	Subscription strictjson.Value `json:"subscription"`
}

// Handler answers at Requesters and below: GET lists requesters page by page, of one domain with ?domain=; POST puts one in. Below, at
// /DOMAIN/ID, GET tells of one, PATCH changes it, {"state": "suspended"} and {"state": "active"} among the changes, and DELETE removes it.
func Handler(config Config) http.Handler {
	return answering(config.requesters)
}

func (c Config) requesters(w http.ResponseWriter, r *http.Request) (status int, value any, err error) {
	domain, id, below := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, Requesters), "/"), "/")
	if domain == "" {
		return byMethod(w, r, methods{http.MethodGet: c.list, http.MethodPost: c.add})
	}
	if !below || id == "" {
		return 0, nil, fail.New(fail.NotFound, "there is nothing at this address; a requester is at %s/DOMAIN/ID", Requesters)
	}
	one := func(do func() (requesters.Registration, error)) answerer {
		return func(http.ResponseWriter, *http.Request) (int, any, error) {
			g, err := do()
			return http.StatusOK, told(g), err
		}
	}
	return byMethod(w, r, methods{
		http.MethodGet:   one(func() (requesters.Registration, error) { return c.Requesters.Get(r.Context(), domain, id) }),
		http.MethodPatch: one(func() (requesters.Registration, error) { return c.change(w, r, domain, id) }),
		http.MethodDelete: one(func() (requesters.Registration, error) {
			return c.Requesters.SetStatus(r.Context(), domain, id, requesters.Removed)
		}),
	})
}

func (c Config) list(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	page, said, err := listed(r, "domain")
	if err != nil {
		return 0, nil, err
	}
	list := struct {
		Requesters []requester `json:"requesters"`
		Next       string      `json:"next,omitempty"`
	}{Requesters: []requester{}}
	all, err := c.Requesters.List(r.Context(), said["domain"])
	from, _ := slices.BinarySearchFunc(all, page.after, func(g requesters.Registration, after string) int {
		domain, id, _ := strings.Cut(after, "/")
		if cmp.Or(strings.Compare(g.Domain, domain), strings.Compare(g.ID, id)) > 0 {
			return 0
		}
		return -1
	})
	all, list.Next = part(page, all[from:], requesters.Registration.Account)
	for _, g := range all {
		list.Requesters = append(list.Requesters, told(g))
	}
	return http.StatusOK, list, err
}

func (c Config) add(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked wanted
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	g := requesters.Registration{Domain: asked.Domain, ID: asked.RequesterID}
	if asked.State != nil && *asked.State != requesters.Active {
		return 0, nil, fail.New(fail.Invalid, "who is put in is active; change its state afterwards")
	}
	if err := c.apply(asked, &g); err != nil {
		return 0, nil, err
	}
	out := struct {
		requester
		Subscription *licence `json:"subscription,omitempty"`
	}{}
	var id string
	g, err := c.Requesters.AddWith(r.Context(), g, func(tx *store.Tx, g requesters.Registration) (err error) {
		id, err = c.subscribe(r.Context(), tx, g.Account(), asked.Subscription)
		return err
	})
	if err == nil && id != "" {
		var s licence
		s, err = grant{granted{c.Books, accounts.GrantSubscription, Subscriptions}, id}.told(r.Context())
		out.Subscription = &s
	}
	out.requester = told(g)
	return http.StatusCreated, out, err
}

// subscribe gives a buyer the subscription that it is put in with, and gives its id; empty for none. It is an object as it is posted to
// Subscriptions, whose buyer is the requester where it names none; or the id of one that the requester has already, by its domain.
func (c Config) subscribe(ctx context.Context, tx *store.Tx, buyer string, value strictjson.Value) (string, error) {
	var id string
	switch value.Kind() {
	case 0, 'n':
		return "", nil
	case '"':
		if err := strictjson.Decode(value, &id); err != nil {
			return "", err
		}
		domain, _, _ := strings.Cut(buyer, "/")
		s, err := c.Books.Book.Subscription(ctx, tx, id)
		if err == nil && s.Buyer != buyer && s.Buyer != domain+"/*" {
			err = fail.New(fail.Invalid, "subscription: %.60q is not one of this requester or of its whole domain; send what it is to give, or that of %s/*", id, domain)
		}
		return id, err
	}
	var asked licence
	if err := strictjson.Decode(value, &asked); err != nil {
		return "", fail.New(fail.Malformed, "subscription: %v; send an id, or what %s takes", err, Subscriptions)
	}
	asked.Buyer = cmp.Or(asked.Buyer, buyer)
	domain, _, _ := strings.Cut(buyer, "/")
	if asked.Buyer != buyer && asked.Buyer != domain+"/*" {
		return "", fail.New(fail.Invalid, "subscription: its buyer has to be this requester, or %s/*; leave it out", domain)
	}
	return asked.ID, granted{c.Books, accounts.GrantSubscription, Subscriptions}.put(ctx, tx, asked)
}

func (c Config) change(w http.ResponseWriter, r *http.Request, domain, id string) (requesters.Registration, error) {
	var asked wanted
	if err := read(w, r, &asked); err != nil {
		return requesters.Registration{}, err
	}
	if len(asked.Subscription) > 0 {
		return requesters.Registration{}, fail.New(fail.Invalid, "a requester that is there is given a subscription at %s", Subscriptions)
	}
	if asked.Domain != "" || asked.RequesterID != "" {
		return requesters.Registration{}, fail.New(fail.Invalid, "domain and requester_id are the name of a requester and cannot be changed; put another in, and remove this one")
	}
	return c.Requesters.Change(r.Context(), domain, id, func(g *requesters.Registration) error {
		if asked.State != nil {
			if g.Status = *asked.State; g.Status == requesters.Removed {
				return fail.New(fail.Invalid, "send DELETE to remove a requester")
			}
		}
		return c.apply(asked, g)
	})
}

// apply takes over what a request says.
func (c Config) apply(asked wanted, g *requesters.Registration) error {
	for _, text := range []struct{ from, into *string }{{asked.UserCategory, &g.UserCategory}, {asked.Country, &g.Country}, {asked.Rate, &g.Rate}} {
		if text.from != nil {
			*text.into = *text.from
		}
	}
	if err := c.CheckRate(g.Rate); err != nil {
		return fail.New(fail.Invalid, "rate: %v", err)
	}
	if asked.Scopes != nil {
		g.Scopes = *asked.Scopes
	}
	keys := asked.Keys
	if asked.PublicKey != nil {
		if keys != nil {
			return fail.New(fail.Invalid, "send public_key or keys, and not both")
		}
		keys = &[]key{{PublicKey: *asked.PublicKey}}
	}
	if keys == nil {
		return nil
	}
	g.Keys = nil
	for i, k := range *keys {
		one, err := k.read()
		if err != nil {
			return fail.New(fail.Invalid, "key %d: %v", i+1, err)
		}
		g.Keys = append(g.Keys, one)
	}
	return nil
}

func (k key) read() (one ramp.Key, err error) {
	one.ID, one.Active = k.ID, true
	if one.Public, err = ramp.DecodePublicKey(k.PublicKey); err != nil {
		return one, err
	}
	for _, at := range []struct {
		text string
		into *time.Time
	}{{k.ValidFrom, &one.From}, {k.ValidUntil, &one.Until}} {
		if at.text == "" {
			continue
		}
		if *at.into, err = time.Parse(time.RFC3339, at.text); err != nil {
			return one, fmt.Errorf("%q is no time; write it like 2027-01-01T00:00:00Z", at.text)
		}
	}
	return one, nil
}

func told(g requesters.Registration) requester {
	r := requester{
		RequesterID: g.ID, Domain: g.Domain, Account: g.Account(), SignUp: g.SignUp, State: g.Status, Keys: []key{}, Scopes: append([]string{}, g.Scopes...),
		UserCategory: g.UserCategory, Country: g.Country, Rate: g.Rate, Created: g.Created.Format(time.RFC3339), Changed: g.Changed.Format(time.RFC3339),
	}
	for _, k := range g.Keys {
		one := key{ID: k.ID, PublicKey: base64.StdEncoding.EncodeToString(k.Public)}
		for _, at := range []struct {
			time time.Time
			into *string
		}{{k.From, &one.ValidFrom}, {k.Until, &one.ValidUntil}} {
			if !at.time.IsZero() {
				*at.into = at.time.UTC().Format(time.RFC3339)
			}
		}
		r.Keys = append(r.Keys, one)
	}
	return r
}
