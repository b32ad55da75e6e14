package app

import (
	"slices"
	"strings"

	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
)

// The doors that can be closed to strangers, as auth.required names them.
const (
	doorAsk = "ask"
	doorMCP = "mcp"
)

// doorIntake is the door of submissions and binds, for the scopes of keys; each intake says whether
// it needs one.
const doorIntake = "intake"

// Doors names the doors that a key can be for.
func Doors() []string {
	return []string{doorAsk, doorMCP, doorIntake, doorLedger, doorAdmin, doorReports}
}

// IsDoor says whether there is a door of that name. That of a provider is provider: and its host,
// as it is compared.
func IsDoor(name string) bool {
	if host, ok := strings.CutPrefix(name, api.DoorProvider); ok {
		own, ok := policy.Host("https://" + host + "/")
		return ok && own == host
	}
	return slices.Contains(Doors(), name)
}

// audiences are whom a token may be for.
func (c Config) audiences() []string {
	if len(c.Auth.OAuth.Audience) > 0 || c.URL == "" {
		return c.Auth.OAuth.Audience
	}
	base := strings.TrimSuffix(c.URL, "/")
	return []string{base, base + "/", base + "/ask", base + "/mcp"}
}

// gate warns of clients that cannot be told apart, those of a proxy that is not named, and looks at
// whom tokens are for.
func (c *checks) gate() {
	if rates := c.Config.Limits.Rate; rates.Address != "" && strings.HasPrefix(c.Config.URL, "https:") &&
		!c.Config.TLS.On() && len(c.Config.Proxies) == 0 {
		c.Warning("limits.rate.address", "url says https and there is no tls here, "+
			"so a proxy stands before this server; name it in proxies, or all its clients share one limit")
	}
	if c.Config.Auth.OAuth.Issuer != "" && len(c.Config.audiences()) == 0 {
		c.Problem("auth.oauth.audience", "say whom tokens must be for, or set url, "+
			"the public address of this front desk: a token for somebody else must not open it")
	}
}
