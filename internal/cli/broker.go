package cli

import (
	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
)

type brokerCommand struct {
	command.ConfigFlags
	Listen        *string `placeholder:"ADDR" help:"Address to listen on (127.0.0.1:8080)."`
	URL           *string `placeholder:"URL" help:"Public address of this Broker."`
	MetricsListen *string `placeholder:"ADDR" help:"Address for Prometheus (127.0.0.1:9464), or off."`
	LogLevel      *string `placeholder:"LEVEL" help:"debug, info, warn or error."`
}

// Help is the command's example.
func (brokerCommand) Help() string {
	return "It asks the Exchanges of `broker` in the configuration, and those that sites name, " +
		"takes the best offer for each address that an agent wants, and buys within its bounds and budgets. " +
		"`frontdesk serve` does so too where `roles` has broker.\n\n" +
		"Example:\n\n\tfrontdesk broker --config broker.yaml --url https://broker.example.com"
}

// Run serves until it is told to stop.
func (c brokerCommand) Run(env *command.Environment) error {
	loaded, err := c.Load(env, map[string]*string{"listen": c.Listen, "url": c.URL, "metrics.listen": c.MetricsListen,
		"log.level": c.LogLevel})
	if err != nil {
		return err
	}
	env.Warn(loaded.Warnings)
	if loaded.Config.Broker.Domain == "" && loaded.Config.URL == "" {
		return command.Usage("the Broker needs a domain by which Exchanges know it; give --url, " +
			"or set url or broker.domain in the configuration")
	}
	listener, err := app.Listen(env.Ctx, loaded.Config.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	s, err := app.Build(env.Ctx, app.Options{
		Loaded: loaded, Listener: listener, Broker: true, Log: app.NewLog(loaded.Config.Log, env.Stderr),
		Ready: func(address string) { env.Print("The Broker answers at %s/ (Ctrl-C ends)\n", address) },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	defer reloadOnHangup(env.Ctx, s)()
	return s.Run(env.Ctx)
}
