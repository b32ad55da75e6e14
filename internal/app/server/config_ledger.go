package server

import (
	"net/url"
	"strings"

	"frontdesk/wire/receipt"
)

// Ledger sets how the ledger of what was given and taken is called.
type Ledger struct {
	// Origin is the name of the ledger, and of the keys that sign it: an address without its scheme, such as
	// `www.example.com/ledger`. Without it, it is made from `url` or, where there is none, from the site's id. A ledger that
	// was begun keeps its name.
	Origin string `yaml:"origin"`
}

// LedgerOrigin is the name of a new ledger.
func (c Config) LedgerOrigin() string {
	if c.Ledger.Origin != "" {
		return c.Ledger.Origin
	}
	if at, err := url.Parse(c.URL); err == nil && at.Host != "" {
		return strings.ToLower(at.Host) + strings.TrimSuffix(at.EscapedPath(), "/") + ledgerPath
	}
	return c.AllSites()[0].ID + ledgerPath
}

// ledger checks the section ledger.
func (c *checks) ledger() {
	if origin := c.Config.Ledger.Origin; origin != "" {
		if err := receipt.CheckOrigin(origin); err != nil {
			c.problem("ledger.origin", "%v", err)
		}
	}
}
