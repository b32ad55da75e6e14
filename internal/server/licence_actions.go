package server

import (
	"fmt"

	"frontdesk/internal/action"
	"frontdesk/internal/ramp"
	"frontdesk/internal/strictyaml"
)

// licenceActions are the actions that lead to a licence of an item that is for sale. Without an address at which offers are asked
// for there are none.
func (c Config) licenceActions() []action.Template {
	base := c.ownAddress()
	if base == "" || !c.RAMP.Enabled {
		return nil
	}
	query := `{"ver":"` + ramp.Version + `","requester":{"uris":["{url}"]}}`
	all := []action.Template{{
		Name: "license", Type: "BuyAction",
		Description: "Ask what a licence to {url} costs, by RAMP v1: send the params with an id and your requester; an offer of the answer can be bought. " + base + ramp.ExchangeManifest + " tells more.",
		HTTP:        action.HTTPCall{Method: "POST", Endpoint: base + ramp.DiscoverPath, Params: strictyaml.Object(query)},
	}}
	if c.MCP.Enabled {
		all = append(all, action.Template{
			Name: "license_by_tool", Type: "BuyAction",
			Description: "Ask what a licence to {url} costs, by a tool: add an id and your requester to the arguments; " + ramp.ToolExecute + " buys by an offer of the answer.",
			MCP:         action.ToolCall{Server: base + mcpPath, Tool: ramp.ToolDiscover, Arguments: strictyaml.Object(`{"requester":{"uris":["{url}"]}}`)},
		})
	}
	return all
}

// addLicences has a set of actions tell of licences.
func (c Config) addLicences(to *action.Set) error {
	if err := to.Selling(c.licenceActions()...); err != nil {
		return fmt.Errorf("the actions that lead to licences: %v", err) // not of the owner's templates, whose errors have indexes
	}
	return nil
}
