package app

import (
	"net/url"
	"strings"
)

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
