package owner

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity"
	"frontdesk/wire/sign"
)

type keysIssueEdge struct {
	command.ConfigFlags
	Name string   `arg:"" help:"What the edge is called: small letters, digits and hyphens."`
	Site []string `placeholder:"ID" help:"The site whose content the edge delivers, or a tenant; may be repeated. Without it, all sites of the configuration."`
}

// Help is the command's example.
func (keysIssueEdge) Help() string {
	return "The secret goes to standard output, once, in the form of Standard Webhooks: put it into the file that " +
		"edge.secret_file of the edge's configuration names, and the key's id into edge.key. " +
		"With it the edge signs what it tells of its deliveries, and this front desk that it has taken it. " +
		"It is kept sealed. An edge may have several keys at once: issue one, " +
		"have the edge use it, and revoke the one before.\n\n" +
		"Example:\n\n\tfrontdesk keys issue edge edge-1 --site main > edge-1.secret"
}

// Run makes a key.
func (c keysIssueEdge) Run(env *command.Environment) error {
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	var known []string
	for _, site := range loaded.Config.AllSites() {
		known = append(known, site.ID)
	}
	sites := c.Site
	if len(sites) == 0 {
		sites = known
	}
	if loaded.Config.RAMP.Enabled {
		for _, tenant := range program.Tenants.List() {
			known = append(known, tenant.ID)
		}
	}
	for _, site := range sites {
		if !slices.Contains(known, site) {
			return command.Usage("--site %s: there is no such site; there are %s", command.Clean(site),
				strings.Join(known, ", "))
		}
	}
	made, secret, err := program.Edges.Issue(env.Ctx, c.Name, sites)
	if err != nil {
		return err
	}
	showEdgeKey(env, made, secret)
	return nil
}

func showEdgeKey(env *command.Environment, made identity.EdgeKey, secret sign.WebhookSecret) {
	fmt.Fprintf(env.Stderr, "The key %s of the edge %s, for %s; its secret is shown this once:\n", made.ID, made.Edge,
		strings.Join(made.Sites, ", "))
	env.Print("%s\n", secret.Text())
}
