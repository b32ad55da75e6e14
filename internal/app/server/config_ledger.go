package server

import (
	"net/url"
	"strings"

	"frontdesk/internal/infra/yamlconf"
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

// Check looks at the name.
func (l Ledger) Check(r *yamlconf.Report) {
	if l.Origin != "" {
		if err := receipt.CheckOrigin(l.Origin); err != nil {
			r.Problem("origin", "%v", err)
		}
	}
}
