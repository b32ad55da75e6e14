package delivery_test

import (
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/saletest"
)

// dealer is a shop with what these tests do with one.
type dealer struct{ *saletest.Shop }

// newDealer is a dealer without anything.
func newDealer(t testing.TB, sites ...string) *dealer {
	t.Helper()
	return &dealer{Shop: saletest.New(t, sites...)}
}

// dealerOn is a dealer over a database that may hold something already, with the site's keys in a
// folder.
func dealerOn(t testing.TB, db *store.DB, folder string) *dealer {
	t.Helper()
	return &dealer{Shop: saletest.On(t, db, folder)}
}

// shop is a dealer with things to sell: see saletest.Open.
func shop(t testing.TB) *dealer {
	t.Helper()
	return &dealer{Shop: saletest.Open(t)}
}

const (
	dollar = saletest.Dollar
	funds  = saletest.Funds
)

// What tests name all the time.
var (
	bot      = saletest.Bot
	cent     = saletest.Cent
	licensed = saletest.Licensed
	address  = saletest.Address
	item     = contenttest.Item
	story    = contenttest.NewArticle
)
