package cli

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	apphttp "frontdesk/internal/app/http"

	"frontdesk/internal/app"
	"frontdesk/internal/app/demo/market"
	"frontdesk/internal/cli/command"
)

// runMarket puts up a market, and serves its page until it is told to stop.
func (c demoCommand) runMarket(env *command.Environment) (err error) {
	if c.URL != "" || c.Data != "" {
		return command.Usage("--market is for this machine, and in a folder of its own that is removed at the " +
			"end; leave out --url and --data")
	}
	var listener net.Listener // of the page, which a transcript has not
	if !c.Transcript {
		if listener, err = c.listenHere(env); err != nil {
			return err
		}
		defer listener.Close()
	}
	folder, done, err := c.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	env.Print("Putting up the market...\n")
	m, err := market.Open(env.Ctx,
		market.Options{Dir: folder, Log: app.NewLog(app.Log{Level: c.LogLevel}, env.Stderr), Command: inProcess(env)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if c.Transcript {
		return m.Play(env.Ctx, env.Stdout)
	}
	web := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	defer web.Close()
	env.Print("\n  Watch the market in a browser    %s/\n\n  Its keys and stores are in %s and are removed "+
		"at the end.\n  Ctrl-C ends.\n", apphttp.WebAddress(listener), folder)
	select {
	case err := <-failed:
		return err
	case err := <-m.Failed():
		return err
	case <-env.Ctx.Done():
		return nil
	}
}

// listenHere listens at an address of this machine alone.
func (c demoCommand) listenHere(env *command.Environment) (net.Listener, error) {
	listener, err := app.Listen(env.Ctx, c.Listen)
	if err != nil {
		return nil, err
	}
	if at, ok := listener.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		listener.Close()
		return nil, command.Usage("--market is for this machine: listen at 127.0.0.1 or localhost")
	}
	return listener, nil
}

// inProcess runs further commands within this process.
func inProcess(env *command.Environment) func(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	return func(ctx context.Context, args ...string) (string, string, error) {
		var out, told bytes.Buffer
		inner := &command.Environment{Ctx: ctx, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &told}
		if code := run(inner, args); code != exitOK {
			return out.String(), told.String(), errors.New("it failed")
		}
		return out.String(), told.String(), nil
	}
}
