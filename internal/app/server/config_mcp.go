package server

import (
	"fmt"
	"strings"
)

// MCP sets how agents that speak the Model Context Protocol are served, at `/mcp` and by `frontdesk mcp`.
type MCP struct {
	// Enabled says whether `/mcp` is served.
	Enabled bool `yaml:"enabled"`
	// Instructions tell a model what this server is for, when it connects. Without them they are made of the
	// names of the site and of what it has.
	Instructions string `yaml:"instructions"`
	// Hosts are further names under which programs reach `/mcp`, such as `frontdesk` within a cluster. The host of
	// `url`, the sites' own and this machine's need not be named. When `url` is set, requests for any other name
	// are refused, so that nobody's page can reach this server under a name of its own.
	Hosts []string `yaml:"hosts"`
}

// mcp checks the section mcp.
func (c *checks) mcp() {
	for i, host := range c.Config.MCP.Hosts {
		if host == "" || strings.ContainsAny(host, "/: *") {
			c.problem(fmt.Sprintf("mcp.hosts[%d]", i), "%q is no host name; write it like desk.example.com, without scheme and port", host)
		}
	}
}
