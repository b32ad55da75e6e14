package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
)

type serveCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Files, folders or web addresses with content, beside those of the configuration."`
	command.ConfigFlags
	Listen        *string `placeholder:"ADDR" help:"Address to listen on (127.0.0.1:8080)."`
	URL           *string `placeholder:"URL" help:"Public address of this front desk."`
	MetricsListen *string `placeholder:"ADDR" help:"Address for Prometheus (127.0.0.1:9464), or off."`
	Sites         *string `placeholder:"IDS" help:"Sites that this node holds of those of the configuration, as a,b; without it, all."`
	LogLevel      *string `placeholder:"LEVEL" help:"debug, info, warn or error."`
}

// Help is the command's example.
func (serveCommand) Help() string {
	return "Content that was read before is answered from at once; sources are read again in the background. " +
		"Changes of the terms in the configuration file, and of most that is declared to platforms and agents, " +
		"take effect while the server runs, also on SIGHUP.\n\n" +
		"Examples:\n\n\tfrontdesk serve ./content\n\tfrontdesk serve https://www.example.com/\n" +
		"\tfrontdesk serve --config frontdesk.yaml --listen :8080\n" +
		"\tfrontdesk serve --config frontdesk.yaml --sites shop,magazine"
}

// Run serves until it is told to stop.
func (c serveCommand) Run(env *command.Environment) error {
	sources, err := command.PathSources(c.Paths, app.Source{})
	if err != nil {
		return err
	}
	loaded, err := c.Load(env, map[string]*string{
		"listen": c.Listen, "url": c.URL, "metrics.listen": c.MetricsListen, "log.level": c.LogLevel,
		"spread.sites": c.Sites,
	}, sources...)
	if err != nil {
		return err
	}
	env.Warn(loaded.Warnings)
	listener, err := app.Listen(env.Ctx, loaded.Config.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	var s *app.App
	s, err = app.Build(env.Ctx, app.Options{
		Loaded: loaded, Listener: listener,
		Log: app.NewLog(loaded.Config.Log, env.Stderr),
		Ready: func(address string) {
			env.Print("Frontdesk answers at %s/ (Ctrl-C ends)\n", address)
			if asks := len(loaded.Config.Spread.Nodes); loaded.Config.Spread.IsFront() {
				env.Print("  Nodes            %d are asked, and nothing is read here\n", asks)
				greetOwner(env.Ctx, env, s, loaded.Config, address)
				return
			}
			if len(loaded.Config.AllSources()) == 0 {
				env.Print("No sources are configured: it answers from what was read before. " +
					"Read content with `frontdesk ingest PATH`.\n")
			}
			sayPlaceless(env, loaded.Config)
			greetOwner(env.Ctx, env, s, loaded.Config, address)
			if s.Corpus.Items() == 0 && len(loaded.Config.AllSources()) > 0 {
				env.Print("  Content          is being read; %s/readyz tells how many items are there\n", address)
			}
		},
	})
	if err != nil {
		return err
	}
	defer s.Close()
	defer reloadOnHangup(env.Ctx, s)()
	return s.Run(env.Ctx)
}

// sayPlaceless says that links lead nowhere while the address of a site is not known whose files
// are read.
func sayPlaceless(env *command.Environment, config app.Config) {
	for _, source := range config.AllSources() {
		if source.Path != "" && source.Base == "" {
			env.Print("  Links            to pages without an address of their own begin with "+
				"https://%s/: say where the site is,\n"+
				"                   with site.url in frontdesk.yaml or --set site.url=https://www.example.com\n",
				source.Site)
			return
		}
	}
}

// reloadOnHangup reads the terms again on SIGHUP, until the function it gives is called.
func reloadOnHangup(ctx context.Context, s interface{ Reload() }) (stop func()) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-hangup:
				s.Reload()
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		signal.Stop(hangup)
		cancel()
	}
}
