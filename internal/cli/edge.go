package cli

import (
	"frontdesk/internal/server"
)

type edgeCommand struct {
	configFlags
	Listen        *string `placeholder:"ADDR" help:"Address to listen on (127.0.0.1:8080)."`
	MetricsListen *string `placeholder:"ADDR" help:"Address for Prometheus (127.0.0.1:9464), or off."`
	LogLevel      *string `placeholder:"LEVEL" help:"debug, info, warn or error."`
}

// Help is the command's example.
func (edgeCommand) Help() string {
	return "It stands before the sites of `edge` in the configuration, and needs no database: policies, documents and keys come from the Exchange, and are kept for when that is away. " +
		"What it delivers is recorded before it leaves, and told to the Exchange.\n\n" +
		"Example:\n\n\tfrontdesk edge --config edge.yaml --listen :8443"
}

// Run serves until it is told to stop.
func (c edgeCommand) Run(env *environment) error {
	loaded, err := c.load(env, map[string]*string{"listen": c.Listen, "metrics.listen": c.MetricsListen, "log.level": c.LogLevel})
	if err != nil {
		return err
	}
	listener, err := server.Listen(env.ctx, loaded.Config.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	s, err := server.NewEdge(server.Options{
		Loaded: loaded, Listener: listener, Log: server.NewLog(loaded.Config.Log, env.stderr),
		Ready: func(address string) { env.print("The edge answers at %s/ (Ctrl-C ends)\n", address) },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	defer reloadOnHangup(env.ctx, s)()
	return s.Run(env.ctx)
}
