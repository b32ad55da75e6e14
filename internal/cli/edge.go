package cli

import (
	"fmt"
	"time"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/licensing/edge"
)

// edgeCommands run an edge, which is what `frontdesk edge` does, and import logs.
type edgeCommands struct {
	Run    edgeCommand `cmd:"" default:"withargs" help:"Stand before the sites of the configuration."`
	Import edgeImport  `cmd:"" help:"Tell the Exchange of deliveries in a log of nginx that no edge has followed."`
}

type edgeImport struct {
	command.ConfigFlags
	Log string `arg:"" help:"The log, or - for standard input."`
}

// Help is the command's example.
func (edgeImport) Help() string {
	return "The log has the log_format that docs/edge.md shows. A delivery that is told twice counts once.\n\n" +
		"Example:\n\n\tfrontdesk edge import --config edge.yaml /var/log/nginx/edge.json.2"
}

// Run tells the Exchange.
func (c edgeImport) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	in, err := command.OpenInput(env, c.Log)
	if err != nil {
		return err
	}
	defer in.Close()
	config := loaded.Config
	own, err := config.OwnAgent(nil)
	if err != nil {
		return err
	}
	deliveries, unread, err := edge.ImportLog(env.Ctx, edge.Deps{
		Settings: config.Edge, Data: config.Data, Fetcher: config.SignedFetcher(own), Now: time.Now,
		Log: app.NewLog(config.Log, env.Stderr),
	}, in)
	if unread > 0 {
		fmt.Fprintf(env.Stderr, "%d lines could not be read; the log_format has to be that of docs/edge.md\n", unread)
	}
	if err != nil {
		return err
	}
	env.Print("The Exchange knows of %d deliveries.\n", deliveries)
	return nil
}

type edgeCommand struct {
	command.ConfigFlags
	Listen        *string `placeholder:"ADDR" help:"Address to listen on (127.0.0.1:8080)."`
	MetricsListen *string `placeholder:"ADDR" help:"Address for Prometheus (127.0.0.1:9464), or off."`
	LogLevel      *string `placeholder:"LEVEL" help:"debug, info, warn or error."`
}

// Help is the command's example.
func (edgeCommand) Help() string {
	return "It stands before the sites of `edge` in the configuration, and needs no database: policies, " +
		"documents and keys come from the Exchange, and are kept for when that is away. " +
		"What it delivers is recorded before it leaves, and told to the Exchange.\n\n" +
		"Example:\n\n\tfrontdesk edge --config edge.yaml --listen :8443"
}

// Run serves until it is told to stop.
func (c edgeCommand) Run(env *command.Environment) error {
	loaded, err := c.Load(env,
		map[string]*string{"listen": c.Listen, "metrics.listen": c.MetricsListen, "log.level": c.LogLevel})
	if err != nil {
		return err
	}
	env.Warn(loaded.Warnings)
	listener, err := app.Listen(env.Ctx, loaded.Config.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	s, err := app.NewEdge(app.Options{
		Loaded: loaded, Listener: listener, Log: app.NewLog(loaded.Config.Log, env.Stderr),
		Ready: func(address string) { env.Print("The edge answers at %s/ (Ctrl-C ends)\n", address) },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	defer reloadOnHangup(env.Ctx, s)()
	return s.Run(env.Ctx)
}
