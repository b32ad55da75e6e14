package app

import (
	"fmt"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/licensing/rampapi"
)

// licenceActions are the actions that lead to a licence of an item that is for sale. Offers are
// asked for with a signature, which nobody but the buyer can put into an action; so each leads to
// the manifest of the Exchange, and runs as it is given. Without an address at which that is there
// are none.
func (c Config) licenceActions() []actions.Template {
	base := c.ownAddress()
	if base == "" || !c.RAMP.Enabled {
		return nil
	}
	how := "Learn what a licence to {url} costs, by RAMP v1: this manifest names the " +
		"Exchange, whose RPC DiscoverResources"
	if c.MCP.Enabled {
		how += ", or tool " + rampapi.ToolDiscover + " at " + base + mcpPath + ","
	}
	return []actions.Template{{
		Name: "license", Type: "BuyAction", Description: how + " gives offers that can be bought, " +
			"for a query with an id and you as requester, whose uris have that address.",
		HTTP: actions.HTTPCall{Method: "GET", Endpoint: base + rampapi.ExchangeManifest},
	}}
}

// addLicences has a set of actions tell of licences.
func (c Config) addLicences(to *actions.Set) error {
	if err := to.Selling(c.licenceActions()...); err != nil {
		// not of the owner's templates, whose errors have indexes
		return fmt.Errorf("the actions that lead to licences: %v", err)
	}
	return nil
}
