package cli

import (
	"frontdesk/internal/app"
	"frontdesk/internal/cli/agent"
	"frontdesk/internal/cli/command"
)

type mcpCommand struct {
	agent.BuyerFlags
	spendFlags
	Buyer bool `help:"Serve the tools of one who buys licensed content, instead of those of this front desk."`
}

// Help is the command's example.
func (mcpCommand) Help() string {
	return "For programs that start a server of the Model Context Protocol themselves. " +
		"It answers from the database that serve " +
		"would use, and follows its changes; what there is to say goes to standard error. " +
		"Programs that connect to a server " +
		"over the network take the address /mcp of a running frontdesk instead.\n\n" +
		"With --buyer it is the desk of one who buys: search, quote, buy, fetch, report and dispute, " +
		"with the agent's key that `frontdesk keys agent` made. " +
		"What may be spent is said here, by --limit, and nowhere else: nothing that an assistant calls can raise it, " +
		"and without it nothing is paid. What is bought, and what it cost, is kept in the folder of --data.\n\n" +
		"Examples, as such a program's configuration:\n\n" +
		"\t{\"command\": \"frontdesk\", \"args\": [\"mcp\", \"--config\", \"/etc/frontdesk.yaml\"]}\n" +
		"\t{\"command\": \"frontdesk\", \"args\": [\"mcp\", \"--buyer\", \"--data\", \"/home/me/buyer\", \"--as\", " +
		"\"buyer.example.com/research-bot\", \"--limit\", \"10USD/month\", \"--most\", \"0.25USD\"]}"
}

// Run serves until standard input ends.
func (c mcpCommand) Run(env *command.Environment) error {
	if c.Buyer {
		return c.serveBuyer(env)
	}
	if c.As != "" || c.Unsigned || c.Delegation != "" || c.License != "" || len(c.Scope) > 0 || c.spendFlags.set() {
		return command.Usage("these flags are of one who buys; say --buyer, too")
	}
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	env.Warn(loaded.Warnings)
	if err := command.NeedContent(loaded.Config); err != nil && len(loaded.Config.AllSources()) == 0 {
		return err
	}
	s, err := app.Build(env.Ctx,
		app.Options{Loaded: loaded, Log: app.NewLog(loaded.Config.Log, env.Stderr), Inside: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.ServeMCP(env.Ctx, env.Stdin, env.Stdout)
}
