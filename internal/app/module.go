package app

import (
	"context"
	"errors"
	"slices"
	"sync"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/infra/httpx"
)

// Module is what one capability brings to the program. It is a value and no interface: most
// capabilities bring two or three of these, and one that is switched off brings nothing, which is
// the zero Module. The tables of capabilities are no part of it, since they stay whatever is
// switched on (see [Config.Database]).
type Module struct {
	Routes []apphttp.Route
	Tools  []httpx.Tool // for agents, over MCP
	Jobs   []Job

	// Ready says why requests would be refused; nil where nothing stands in their way.
	Ready func(context.Context) error
	// Reload makes ready what the capability takes from a changed configuration; commit puts it in
	// force. Where it fails nothing of the new configuration is put in force, by no capability. Nil
	// where a change needs a restart.
	Reload func(fresh Config) (commit func(), err error)
	// TermsChanged is called when other rules are in force, with the configuration as it is now;
	// nil for nothing.
	TermsChanged func(now Config)
}

// Job is work in the background.
type Job struct {
	Name string
	Run  func(context.Context) // until its context ends
}

// modules are the capabilities that are switched on, in the order of their routes.
type modules []Module

// routes are the addresses of all.
func (all modules) routes() (routes []apphttp.Route) {
	for _, m := range all {
		routes = append(routes, m.Routes...)
	}
	return routes
}

// tools are those of all.
func (all modules) tools() (tools []httpx.Tool) {
	for _, m := range all {
		tools = append(tools, m.Tools...)
	}
	return tools
}

// run starts the jobs of all; they are done when background is.
func (all modules) run(ctx context.Context, background *sync.WaitGroup) {
	for _, m := range all {
		for _, job := range m.Jobs {
			background.Go(func() { job.Run(ctx) })
		}
	}
}

// ready gives the first reason for which requests would be refused.
func (all modules) ready(ctx context.Context) error {
	for _, m := range all {
		if m.Ready == nil {
			continue
		}
		if err := m.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reload makes ready what all take from a changed configuration; commit puts it in force.
func (all modules) reload(fresh Config) (commit func(), err error) {
	var commits []func()
	for _, m := range all {
		if m.Reload == nil {
			continue
		}
		one, err := m.Reload(fresh)
		if err != nil {
			return nil, err
		}
		commits = append(commits, one)
	}
	return func() {
		for _, one := range commits {
			one()
		}
	}, nil
}

// termsChanged tells all that other rules are in force.
func (all modules) termsChanged(now Config) {
	for _, m := range all {
		if m.TermsChanged != nil {
			m.TermsChanged(now)
		}
	}
}

// closers give back what was opened, the last first.
type closers []func() error

// add has something be given back, too.
func (c *closers) add(one func() error) { *c = append(*c, one) }

// close gives everything back, once.
func (c *closers) close() error {
	var all []error
	for _, one := range slices.Backward(*c) {
		all = append(all, one())
	}
	*c = nil
	return errors.Join(all...)
}

// after gives everything back where err is not nil, and adds what went wrong with that.
func (c *closers) after(err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, c.close())
}
