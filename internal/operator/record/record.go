// Package record writes into the ledger what owners and operators change. It must not know how they
// come to change it: registries call a [Recorder] in the transaction that changes something.
package record

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/operator"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
	"frontdesk/wire/receipt"
)

// Recorder writes what owners and operators change into the ledger. Registries call its methods in
// the transaction that changes something, so that nothing is changed without its entry. What
// people are called stays out of the ledger.
type Recorder struct {
	Ledger *ledger.Ledger
	Now    func() time.Time
}

// keyFact is the body of an entry on a key, or on somebody whose keys count, after a change.
type keyFact struct {
	Key   string    `json:"key"` // platform, api, console, requester, delegation, delivery, deliver, edge or caller
	State string    `json:"state"`
	Roles []string  `json:"roles,omitempty"`
	Doors []string  `json:"doors,omitempty"`
	Sites []string  `json:"sites,omitempty"` // of an edge, or a caller
	Ends  time.Time `json:"ends,omitzero"`
	// Of a requester: how it signed up, the scopes that it was granted, and the thumbprints (RFC
	// 7638) of the keys that the operator was given.
	SignUp string   `json:"sign_up,omitempty"`
	Scopes []string `json:"scopes,omitempty"`
	Keys   []string `json:"keys,omitempty"`
	By     string   `json:"by,omitempty"` // the key under which it was changed; empty for the command line
}

func (r Recorder) key(ctx context.Context, tx *store.Tx, fact keyFact, id, party string) error {
	fact.By, fact.Ends = operator.Actor(ctx), fact.Ends.UTC()
	return r.append(ctx, tx, receipt.Entry{Kind: "key", Party: party, Subject: id}, fact)
}

func (r Recorder) append(ctx context.Context, tx *store.Tx, e receipt.Entry, fact any) (err error) {
	if e.Body, err = json.Marshal(fact); err == nil {
		_, err = r.Ledger.Append(ctx, tx, e)
	}
	return err
}

// APIKey records an API key, or a token for the console.
func (r Recorder) APIKey(ctx context.Context, tx *store.Tx, key identity.Key) error {
	kind := "api"
	if identity.ConsoleRole(key.Scopes) != "" {
		kind = "console"
	}
	fact := keyFact{Key: kind, State: key.State(r.Now()), Doors: key.Scopes, Ends: key.Expires}
	return r.key(ctx, tx, fact, key.ID, "key:"+key.ID)
}

// PlatformKey records a key of a platform.
func (r Recorder) PlatformKey(ctx context.Context, tx *store.Tx, key identity.PlatformKey) error {
	fact := keyFact{Key: "platform", State: key.State(r.Now()), Roles: key.Roles, Ends: key.NotAfter}
	return r.key(ctx, tx, fact, key.ID, "platform:"+key.Platform)
}

// DeliveryKey records a key that signs addresses for somebody who delivers.
func (r Recorder) DeliveryKey(ctx context.Context, tx *store.Tx, key identity.DeliveryKey) error {
	fact := keyFact{Key: "delivery", State: key.State(r.Now()), Ends: key.Ends}
	return r.key(ctx, tx, fact, key.ID, "delivery:"+key.Place)
}

// EdgeKey records a key of an edge.
func (r Recorder) EdgeKey(ctx context.Context, tx *store.Tx, key identity.EdgeKey) error {
	fact := keyFact{Key: "edge", State: key.State(r.Now()), Sites: key.Sites, Ends: key.Ends}
	return r.key(ctx, tx, fact, key.ID, "edge:"+key.Edge)
}

// AddressKey records that another secret signs the addresses at which this front desk delivers.
func (r Recorder) AddressKey(ctx context.Context, tx *store.Tx, name string) error {
	return r.key(ctx, tx, keyFact{Key: "deliver", State: "signing"}, name, "site")
}

// Caller records who may push into the catalogs of tenants.
func (r Recorder) Caller(ctx context.Context, tx *store.Tx, c requesters.PushClient) error {
	fact := keyFact{Key: "caller", State: c.State(), Sites: c.Tenants, Keys: c.KeyNames()}
	return r.key(ctx, tx, fact, c.ID, "caller:"+c.ID)
}

// Requester records a requester.
func (r Recorder) Requester(ctx context.Context, tx *store.Tx, g requesters.Registration) error {
	fact := keyFact{Key: "requester", State: g.Status, SignUp: g.SignUp, Scopes: g.Scopes, Keys: g.KeyNames()}
	return r.key(ctx, tx, fact, g.Account(), "requester:"+g.Account())
}

// Revocation records that a delegation is revoked.
func (r Recorder) Revocation(ctx context.Context, tx *store.Tx, v requesters.Revocation) error {
	return r.key(ctx, tx, keyFact{Key: "delegation", State: "revoked"}, hex.EncodeToString(v.ID), "site")
}

// changeFact is the body of an entry on what was changed of an account, of the terms, or of a
// tenant and its domains.
type changeFact struct {
	// Of is account, licence, subscription, content rule, price, terms version, setting, tenant or
	// domain.
	Of string `json:"of"`
	// Did is open, credit, debit, expire, limit, suspend, resume, add, quota or end; put, remove,
	// price, publish, "put back the file's" or "put back" with a version; set or reset; verified,
	// refused, lapsed or forgotten.
	Did      string    `json:"did"`
	Amount   string    `json:"amount,omitempty"`
	Currency string    `json:"currency,omitempty"`
	Limit    string    `json:"limit,omitempty"` // how far below nothing an account may go, or configured
	Unit     string    `json:"unit,omitempty"`
	Quota    *int64    `json:"quota,omitempty"`
	Asks     string    `json:"asks,omitempty"` // the conditions of a rule
	Access   string    `json:"access,omitempty"`
	Price    string    `json:"price,omitempty"`
	Order    *int64    `json:"order,omitempty"`
	Domains  []string  `json:"domains,omitempty"`
	Form     string    `json:"form,omitempty"` // of the addresses at which a tenant is delivered
	Tenant   string    `json:"tenant,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Version  string    `json:"version,omitempty"` // of the rules that were published, as they are by themselves
	Key      string    `json:"key,omitempty"`     // the id of the one that signs at a domain
	Until    time.Time `json:"until,omitzero"`
	By       string    `json:"by,omitempty"` // the key under which it was changed; empty for the command line
}

func (r Recorder) change(ctx context.Context, tx *store.Tx, e receipt.Entry, fact changeFact) error {
	fact.By = operator.Actor(ctx)
	return r.append(ctx, tx, e, fact)
}

// Account records what was done to an account, a licence or a subscription.
func (r Recorder) Account(ctx context.Context, tx *store.Tx, c accounts.Change) error {
	fact := changeFact{Of: c.What, Did: c.Action, Currency: c.Currency, Unit: c.Unit}
	switch c.Action {
	case "credit", "debit", "expire":
		fact.Amount = policy.Amount(c.Amount)
	case "open", "limit":
		fact.Limit = operator.Limit(c.Amount).Cell()
	case "quota":
		fact.Quota = &c.Amount
	}
	entry := receipt.Entry{Kind: "account", Site: c.Site, Party: "buyer:" + c.Buyer, Subject: c.ID}
	return r.change(ctx, tx, entry, fact)
}

// Terms records what was changed of the owner's terms, of content rules and of the prices of sites.
func (r Recorder) Terms(ctx context.Context, tx *store.Tx, c overrides.Change) error {
	fact, entry := changeFact{Of: "content rule", Did: c.Action}, receipt.Entry{Kind: "terms", Subject: c.Rule.ID}
	switch c.Action {
	case overrides.Put:
		rules, err := policy.New([]policy.Rule{c.Rule.Rule})
		if err != nil {
			return err
		}
		is := rules.Rules()[0]
		fact.Asks, fact.Access, fact.Order = is.Conditions, string(is.Decision.Access), &c.Rule.Place
		fact.Price = is.Decision.Price.String()
	case overrides.Priced:
		price, err := c.Price.Money()
		if err != nil {
			return err
		}
		fact.Of, fact.Price = "price", price.String()
		entry.Subject, entry.Site = c.Price.Site, c.Price.Site
	case overrides.Publication:
		fact.Of, fact.Version = "terms version", c.Edition.Version
		entry.Subject = strconv.FormatInt(c.Edition.Number, 10)
		switch {
		case c.Edition.Source == overrides.FromFile:
			fact.Did = "put back the file's"
		case c.Edition.Back > 0:
			fact.Did = fmt.Sprintf("put back %d", c.Edition.Back)
		}
	}
	return r.change(ctx, tx, entry, fact)
}

// Setting records that a key was set beside the configuration file, or has its default again. What
// it was set to stays out of the ledger.
func (r Recorder) Setting(ctx context.Context, tx *store.Tx, key string, set bool) error {
	fact := changeFact{Of: "setting", Did: "reset"}
	if set {
		fact.Did = "set"
	}
	return r.change(ctx, tx, receipt.Entry{Kind: "setting", Subject: key}, fact)
}

// Tenant records a tenant that was put in or removed.
func (r Recorder) Tenant(ctx context.Context, tx *store.Tx, t push.Tenant, removed bool) error {
	fact := changeFact{Of: "tenant", Did: overrides.Put, Domains: t.Domains, Form: t.Delivery.Form}
	if removed {
		fact.Did = overrides.Removed
	}
	if price, err := t.Rule.Price.Money(); err == nil && price != (policy.Money{}) {
		fact.Price = price.String()
	}
	return r.change(ctx, tx, receipt.Entry{Kind: "terms", Site: t.ID, Subject: t.ID}, fact)
}

// Domain records what became of the verification of a domain.
func (r Recorder) Domain(ctx context.Context, tx *store.Tx, d push.Domain, did string) error {
	fact := changeFact{Of: "domain", Did: did, Tenant: d.Tenant, Reason: d.Reason, Key: d.Key, Until: d.Until.UTC()}
	entry := receipt.Entry{Kind: "domain", Site: d.Tenant, Party: "caller:" + d.Caller, Subject: d.Domain}
	return r.change(ctx, tx, entry, fact)
}

// logFact is the body of an entry on a log of deliveries that was imported.
type logFact struct {
	By    string `json:"by,omitempty"` // the key that sent it over HTTP; empty for the command line
	Bad   int64  `json:"bad,omitzero"`
	Form  string `json:"form"`
	Kept  int64  `json:"kept"`
	Lines int64  `json:"lines"`
	Name  string `json:"name,omitempty"`
	Stray int64  `json:"stray,omitzero"`
	Whole bool   `json:"whole"` // it was read to its end
}

// Log records what was kept of a log of deliveries.
func (r Recorder) Log(
	ctx context.Context, tx *store.Tx, log accesslog.Source, found accesslog.ImportResult, whole bool,
) error {
	fact := logFact{
		By: operator.Actor(ctx), Bad: found.Unreadable, Form: string(found.Form), Kept: found.Added, Lines: found.Lines,
		Name: log.By, Stray: found.Stray, Whole: whole,
	}
	return r.append(ctx, tx, receipt.Entry{Time: r.Now(), Site: log.Site, Kind: "evidence", Party: "operator"}, fact)
}

// InForce is what is in force: the terms, and the keys of the site.
type InForce []inForce

// inForce is one thing in force, with the entry for the case that it has changed.
type inForce struct {
	slot, value string
	kind        string
	subject     string
	body        string
}

// InForce tells what is in force.
func (r Recorder) InForce(terms *policy.Terms, keys []identity.SiteKey) InForce {
	version := terms.Version()
	all := InForce{{"terms", version, "terms", version, fmt.Sprintf(`{"opens_all":%t}`, terms.OpensAll())}}
	for _, k := range slices.Backward(keys) {
		state := k.State(r.Now())
		all = append(all, inForce{"key " + k.ID, state, "key", k.ID, fmt.Sprintf(`{"key":"site","state":%q}`, state)})
	}
	return all
}

// Changed records what of it is not what was recorded last, by whichever node.
func (r Recorder) Changed(ctx context.Context, tx *store.Tx, all InForce) error {
	for _, one := range all {
		entry := receipt.Entry{Kind: one.kind, Subject: one.subject, Body: []byte(one.body)}
		if _, err := r.Ledger.AppendChange(ctx, tx, one.slot, one.value, entry); err != nil {
			return err
		}
	}
	return nil
}
