// Package saletest gives tests a shop: an Exchange and what delivers for it, over a database of
// their own.
//
// Enter at New, which sells nothing yet, or at Open. What a test may change as it goes stands in
// Rules; what is made of a shop is made anew by Reopen, as another process would.
package saletest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/sign"
)

// Shop sells and delivers the items of its sites.
type Shop struct {
	*contenttest.Corpus
	*exchange.Service
	Assortment *exchange.Assortment
	Suppliers  *exchange.Suppliers
	Cases      *exchange.Cases
	Delivery   *delivery.Service

	DB      *store.DB
	Clock   *clock.Clock
	Goods   *catalog.Catalog // what can be sold
	Book    *accounts.Ledger
	Shelves *push.Store
	Tenants *push.Tenants
	Ledger  *ledger.Ledger
	JWKS    []byte // the public keys of those that sign the ledger

	Rules
	made atomic.Int64 // requests
}

// Rules are the settings of a shop that a test may change.
type Rules struct {
	Now        func() time.Time
	Selling    *exchange.OfferPolicy
	Reports    exchange.ReportRules
	Authorised func(address string) bool                              // nil for all
	Outlet     func(policy.Facts) *exchange.Outlet                    // nil for none
	Held       func(ctx context.Context, site string) exchange.Denial // nil for nothing
	Signed     func(site string, document, signature []byte) bool
	NoKeys     error                   // why there are none that sign addresses; nil where there are
	Fault      func(step string) error // nil for none

	// What follows counts from when the shop is opened anew.

	Statements   []catalog.Statement
	Actions      func(of policy.Facts, sold bool, object []byte) (told []byte, some bool)
	TenantTerms  *policy.Terms
	TenantOutlet *exchange.Outlet // nil for none
	Attested     *attestation.Checker
	Stopping     <-chan struct{}
}

// Schemas are the schemas that a shop needs.
var Schemas = []store.Schema{
	content.Schema, ledger.Schema, transactions.Schema, counts.Schema, disputes.Schema, accesslog.Schema,
	botstats.Schema,
	accounts.Schema, push.Schema,
}

// Prices.
const (
	Dollar = 100_000_000
	Funds  = 100 * Dollar // of the bot
)

// Bot is who buys where nobody else is named.
var Bot = requesters.Requester{Domain: "buyer.example", ID: "bot"}

// Cent is a price.
var Cent = policy.Price{Model: "per_access", Rate: "0.01", Currency: "USD"}

// New opens a shop for the site "site", and for more sites by their ids, in a database of its own.
func New(t testing.TB, sites ...string) *Shop {
	t.Helper()
	return On(t, storetest.Chosen(t, Schemas...), t.TempDir(), sites...)
}

// On opens a shop over a database that may hold something already, with the site's keys in a
// folder.
func On(t testing.TB, db *store.DB, folder string, sites ...string) *Shop {
	t.Helper()
	at := clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
	s := &Shop{DB: db, Clock: at, Book: accounts.New(accounts.Options{}), Rules: Rules{
		Now: at.Now,
		Selling: &exchange.OfferPolicy{
			Validity: 5 * time.Minute, ReportingWindow: 24 * time.Hour, Fields: []string{"transaction_id"},
			Currency: "USD",
		},
		Reports: exchange.ReportRules{Overdue: 10, Percent: 20, MinReports: 5},
		Signed: func(site string, document, signature []byte) bool {
			return site == "site" && string(signature) == "signed "+string(document)
		},
		TenantTerms: contenttest.Terms(t, ""), Attested: &attestation.Checker{Now: at.Now},
	}}
	keys, err := identity.OpenSiteKeys(folder, at.Now)
	if err == nil && keys.Empty() {
		err = keys.EnsureKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.JWKS = keys.JWKS()
	s.Ledger = ledger.New(db, ledger.Options{Origin: "site.example/ledger", Signers: keys.Signers, Now: at.Now})
	s.Reopen(t, append(sites, "site")...)
	return s
}

// Reopen makes the services anew, as another process would, for sites by their ids.
func (s *Shop) Reopen(t testing.TB, sites ...string) {
	t.Helper()
	served := contenttest.Sites(sites...)
	own := map[string]bool{}
	for _, site := range served.All() {
		own[site.ID], own[site.Hosts[0]] = true, true
	}
	var rules *policy.Terms
	if s.Corpus != nil {
		rules = s.Corpus.Terms()
	}
	s.Corpus = contenttest.New(t, s.DB, released.Deps{
		Catalog: content.New(s.DB, content.Options{Now: s.now}), Sites: served, Actions: s.Actions, ForSale: s.forSale,
	})
	s.Shelves = push.NewStore(s.DB, s.now)
	var err error
	s.Tenants, err = push.OpenTenants(t.Context(), push.TenantsConfig{
		DB: s.DB, Now: s.now, Sites: own, Host: func(domain string) (string, bool) { return domain, true },
	})
	if err == nil {
		s.Goods, err = catalog.New(catalog.Config{Content: s.Catalog, Pushes: s.Shelves, Statements: s.Statements})
	}
	if err == nil {
		err = s.open()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Followers = append(s.Followers, s.Assortment.Follow)
	if rules != nil {
		s.SetTerms(t, rules)
	}
}

// open makes the services.
func (s *Shop) open() (err error) {
	s.Assortment, err = exchange.NewAssortment(exchange.AssortmentDeps{
		Corpus: s.Corpus.Corpus, Catalog: s.Goods, Now: s.now,
		OfferPolicy: func() *exchange.OfferPolicy { return s.Selling },
		Authorised:  func(address string) bool { return s.Authorised == nil || s.Authorised(address) },
		Outlet: func(of policy.Facts) *exchange.Outlet {
			if s.Outlet == nil {
				return nil
			}
			return s.Outlet(of)
		},
		Push: exchange.PushDeps{
			Store: s.Shelves, Tenants: s.Tenants, Terms: func(*push.Tenant) *policy.Terms { return s.TenantTerms },
			Outlet: func(*push.Tenant, string) *exchange.Outlet { return s.TenantOutlet }, Attested: s.Attested,
			Site: s.Sites().Find,
		},
	})
	if err != nil {
		return err
	}
	s.Suppliers, err = exchange.NewSuppliers(exchange.SupplierDeps{
		Assortment: s.Assortment, Now: s.now, Fault: s.fault,
		Contributes: func(context.Context, string, string) (bool, error) { return true, nil },
	})
	if err != nil {
		return err
	}
	s.Cases, err = exchange.NewCases(exchange.CaseDeps{
		DB: s.DB, Ledger: s.Ledger, Accounts: s.Book, Now: s.now, Fault: s.fault,
	})
	if err != nil {
		return err
	}
	keys := func() ([]sign.URLKey, error) { return []sign.URLKey{AddressKey("new"), AddressKey("old")}, s.NoKeys }
	s.Delivery, err = delivery.New(delivery.Deps{
		Assortment: s.Assortment, Sites: s.Sites(), DB: s.DB, Ledger: s.Ledger, Accounts: s.Book, AddressKeys: keys,
		MaxTransferTime: time.Minute, Stopping: s.Stopping, Now: s.now, Fault: s.fault,
	})
	if err != nil {
		return err
	}
	s.Service, err = exchange.New(exchange.Deps{
		Assortment: s.Assortment, Cases: s.Cases, Deliveries: s.Delivery, DB: s.DB, Ledger: s.Ledger, Accounts: s.Book,
		Nonces: identity.NewNonces(s.DB, 0, s.now), AddressKeys: keys, Now: s.now, Fault: s.fault,
		Signed: func(site string, document, signature []byte) bool {
			return s.Signed(site, document, signature)
		},
		Reports: func() exchange.ReportRules { return s.Reports },
		Restricted: func(ctx context.Context, site string) exchange.Denial {
			if s.Held == nil {
				return ""
			}
			return s.Held(ctx, site)
		},
		Retention: exchange.Retention{Offers: time.Hour, Sightings: 90 * 24 * time.Hour},
	})
	return err
}

func (s *Shop) now() time.Time { return s.Now() }

func (s *Shop) forSale(
	rules *policy.Terms, l *index.Doc, decision policy.Decision, item *released.ItemVersion,
) bool {
	return exchange.ForSale(s.Selling, rules, l, decision, item)
}

func (s *Shop) fault(step string) error {
	if s.Fault == nil {
		return nil
	}
	return s.Fault(step)
}
