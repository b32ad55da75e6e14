package owner

import (
	"fmt"
	"time"

	"frontdesk/internal/cli/command"
)

type keysAgent struct {
	command.ConfigFlags
	ID      string        `name:"id" placeholder:"ID" help:"What the agent calls itself in its requests, in place of ramp.agent.id: an id, or its domain, which lets it call itself anything."`
	Contact string        `placeholder:"ADDRESS" help:"An e-mail address for those whom it asks, in place of ramp.agent.contact."`
	Rotate  bool          `help:"Make a new key, which signs from now on."`
	Overlap time.Duration `default:"${overlap}" placeholder:"SPAN" help:"With --rotate: how long the key before it is still published; 0s ends it at once."`
}

// Help is the command's example.
func (keysAgent) Help() string {
	return "An agent signs what it asks Exchanges for (RAMP v1) with an Ed25519 key, " +
		"which lies in the folder of secrets as agent-1.pem. The first is made " +
		"when there is none. The document goes to standard output: serve it at " +
		"https://DOMAIN/.well-known/ramp-agent.json, or let this front desk do so with ramp.agent.enabled.\n\n" +
		"Examples:\n\n\tfrontdesk keys agent --id research-bot > ramp-agent.json\n" +
		"\tfrontdesk keys agent --id research-bot --rotate --overlap 24h > ramp-agent.json"
}

// Run makes keys where that is asked for, and prints the document.
func (c keysAgent) Run(env *command.Environment) error {
	if c.Overlap < 0 {
		return command.Usage("--overlap %s is less than nothing", c.Overlap)
	}
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	config := loaded.Config
	if c.ID != "" {
		config.RAMP.Agent.ID = c.ID
	}
	if c.Contact != "" {
		config.RAMP.Agent.Contact = c.Contact
	}
	if config.AgentID() == "" {
		return command.Usage("the agent has no name; give --id, or set ramp.agent.id or url in the configuration")
	}
	switch {
	case program.AgentKeys.Empty():
		err = program.AgentKeys.EnsureKey()
	case c.Rotate:
		_, err = program.AgentKeys.Rotate(c.Overlap)
	}
	if err != nil {
		return err
	}
	document, err := program.AgentDocument(config, time.Now())
	if err != nil {
		return err
	}
	newest := program.AgentKeys.Keys()[0]
	fmt.Fprintf(env.Stderr, "The agent %s signs with the key %s (%s).\n", command.Clean(config.AgentID()), newest.ID,
		config.KeyFolder())
	env.Print("%s\n", document)
	return nil
}
