package cli

import "frontdesk/internal/server"

type mcpCommand struct {
	configFlags
}

// Help is the command's example.
func (mcpCommand) Help() string {
	return "For programs that start a server of the Model Context Protocol themselves. It answers from the database that serve " +
		"would use, and follows its changes; what there is to say goes to standard error. Programs that connect to a server " +
		"over the network take the address /mcp of a running frontdesk instead.\n\n" +
		"Example, as such a program's configuration:\n\n\t{\"command\": \"frontdesk\", \"args\": [\"mcp\", \"--config\", \"/etc/frontdesk.yaml\"]}"
}

// Run serves until standard input ends.
func (c mcpCommand) Run(env *environment) error {
	loaded, err := c.load(env, nil)
	if err != nil {
		return err
	}
	if err := needContent(loaded.Config); err != nil {
		return err
	}
	s, err := server.New(env.ctx, server.Options{Loaded: loaded, Log: server.NewLog(loaded.Config.Log, env.stderr), Inside: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.ServeMCP(env.ctx, env.stdin, env.stdout)
}
