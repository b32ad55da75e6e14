package mcp

import (
	"strings"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section mcp: how agents that speak the Model Context Protocol are served, at
// `/mcp` and by `frontdesk mcp`.
type Settings struct {
	// Enabled says whether `/mcp` is served.
	Enabled bool `yaml:"enabled"`
	// Instructions tell a model what this server is for, when it connects. Without them they are
	// made of the names of the site and of what it has.
	Instructions string `yaml:"instructions"`
	// Hosts are further names under which programs reach `/mcp`, such as `frontdesk` within a
	// cluster. The host of `url`, the sites' own and this machine's need not be named. When `url`
	// is set, requests for any other name are refused, so that nobody's page can reach this server
	// under a name of its own.
	Hosts []string `yaml:"hosts"`
}

// Check looks at the names.
func (m Settings) Check(r *yamlconf.Report) {
	r.MatchAll("hosts", m.Hosts, func(host string) bool { return host != "" && !strings.ContainsAny(host, "/: *") },
		"is no host name; write it like desk.example.com, without scheme and port")
}
