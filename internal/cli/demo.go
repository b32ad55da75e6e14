package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	apphttp "frontdesk/internal/app/http"

	"frontdesk/internal/app"
	"frontdesk/internal/app/demo"
	"frontdesk/internal/app/docsite"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/content/ingest"
)

type demoCommand struct {
	Listen     string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address to listen on (${default})."`
	URL        string `placeholder:"URL" help:"Public address, when the demo stands behind a proxy; it may have a path."`
	Data       string `placeholder:"DIR" help:"Folder for the sample content and the database; without it a temporary one, removed at the end."`
	Market     bool   `help:"Put up a whole market instead: publishers, edges, Exchanges, a Broker, a business, a platform and a buying agent, and a page on which they are watched."`
	Transcript bool   `help:"With --market: do everything once, print what passes and what it carries, and end."`
	LogLevel   string `default:"warn" placeholder:"LEVEL" help:"debug, info, warn or error (${default}); info logs each request."`
}

// Help is the command's example.
func (demoCommand) Help() string {
	return "Nothing needs to be installed or prepared, and nothing outside of the folder is touched.\n\n" +
		"Examples:\n\n\tfrontdesk demo\n\tfrontdesk demo --listen 127.0.0.1:9000 --data ./demo\n" +
		"\tfrontdesk demo --market\n\tfrontdesk demo --market --transcript"
}

// Run serves the sample sites until it is told to stop.
func (c demoCommand) Run(env *command.Environment) (err error) {
	if c.Market {
		return c.runMarket(env)
	}
	if c.Transcript {
		return command.Usage("--transcript is of a market; add --market")
	}
	listener, err := app.Listen(env.Ctx, c.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	folder, done, err := c.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	address := apphttp.WebAddress(listener)
	if c.URL != "" {
		address = strings.TrimSuffix(c.URL, "/")
	}
	loaded, err := c.prepare(folder, address, listener.Addr().String())
	if err != nil {
		return err
	}
	var s *app.App
	s, err = app.Build(env.Ctx, app.Options{
		Loaded: loaded, Listener: listener, Ingested: true,
		Log: app.NewLog(app.Log{Level: c.LogLevel}, env.Stderr),
		Pages: map[string]http.Handler{"/sample/": demo.Pages(address),
			"/docs/": http.StripPrefix("/docs", docsite.OwnHandler())},
		Ready: func(string) {
			c.welcome(env, address, folder)
			greetOwner(env.Ctx, env, s, loaded.Config, address)
			env.Print("  Ctrl-C ends.\n")
		},
	})
	if err != nil {
		return err
	}
	defer s.Close()
	defer reloadOnHangup(env.Ctx, s)()
	for _, source := range loaded.Config.AllSources() {
		if _, err := s.Ingest(env.Ctx, source, ingest.Options{}); err != nil {
			return err
		}
	}
	if err := s.Refresh(env.Ctx); err != nil {
		return err
	}
	if loaded.Config.RAMP.Enabled {
		if err := errors.Join(c.letBuy(env.Ctx, s), c.letRetrieve(env.Ctx, s, folder)); err != nil {
			return err
		}
	}
	return s.Run(env.Ctx)
}

// folder is where the demo keeps everything, and what to do with it at the end.
func (c demoCommand) folder() (path string, done func() error, err error) {
	if c.Data == "" {
		path, err = os.MkdirTemp("", "frontdesk-demo-")
		return path, func() error { return os.RemoveAll(path) }, err
	}
	path, err = filepath.Abs(c.Data)
	if err != nil {
		return "", nil, err
	}
	return path, func() error { return nil }, os.MkdirAll(path, 0o755)
}

// prepare writes the content and a configuration file, which a curious person may read and change.
func (c demoCommand) prepare(folder, address, listen string) (*app.Loaded, error) {
	file := filepath.Join(folder, "frontdesk.yaml")
	if err := mayOverwrite(file); err != nil {
		return nil, err
	}
	content := filepath.Join(folder, "content")
	if err := demo.Write(content, pathOf(address)); err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, []byte(demoConfig(content, address, listen)), 0o644); err != nil {
		return nil, err
	}
	loaded, err := app.Load(app.Layers{File: file})
	if err != nil {
		return nil, fmt.Errorf("the demo's own configuration is wrong: %w", err)
	}
	return loaded, nil
}

// mayOverwrite refuses a configuration that the demo did not write.
func mayOverwrite(file string) error {
	there, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(there), demoMark) {
		return fmt.Errorf("%s is not the demo's own, and would be overwritten; name another folder with "+
			"--data, or move the file away", file)
	}
	return nil
}

// demoMark begins the first line of the demo's configuration, by which it is known again.
const demoMark = "# The configuration of `frontdesk demo`"

// demoConfig is the configuration of the demo.
func demoConfig(content, address, listen string) string {
	var b strings.Builder
	quote := strconv.Quote
	b.WriteString(demoMark + ", written anew at each start. Change the terms while it runs, and ask again.\n")
	fmt.Fprintf(&b, "listen: %s\nurl: %s\ndata: .\nmetrics: {listen: off}\nsites:\n", quote(listen), quote(address))
	for _, site := range demo.Sites {
		fmt.Fprintf(&b, "  - {id: %s, name: %s, url: %s}\n", site.ID, quote(site.Name), quote("https://"+site.Host))
	}
	b.WriteString("sources:\n")
	for _, s := range demo.Sources(content, address) {
		fmt.Fprintf(&b,
			"  - {site: %s, name: %s, path: %s, base: %s, language: %s, publisher: %s, allow_shrink: true}\n",
			s.Site, quote(s.Name), quote(s.Path), quote(s.Base), s.Language, quote(s.Publisher))
	}
	b.WriteString("terms:\n")
	// The terms tell the items apart by the paths of their addresses.
	for line := range strings.Lines(strings.ReplaceAll(demo.Terms, `"/sample/`, `"`+pathOf(address)+"/sample/")) {
		b.WriteString("  " + line)
	}
	b.WriteString("ask:\n  promise: {slow: [{match: slowly, for: 1s}]} # ask for \"soups, slowly\" to see a promise\n" +
		"  elicit:\n")
	for line := range strings.Lines(demo.Elicit) {
		b.WriteString("    " + line)
	}
	if private(address) {
		b.WriteString("ramp: {enabled: true}\n")
		fmt.Fprintf(&b, "intent:\n  enabled: true\n  publisher: {id: tidewater, name: %s, domain: %s}\n  hosts: [%s]\n"+
			"  compliance: {last_updated: \"2026-11-30\"}\n", quote(demo.Town), demo.Domain, hostOf(address))
		b.WriteString("intakes:\n")
		for line := range strings.Lines(demo.Intakes) {
			b.WriteString("  " + line)
		}
	}
	fmt.Fprintf(&b, "console:\n  title: %s\n  about: %s\n  types: [Recipe, Product, Article, Event]\n  examples:\n",
		quote(demo.Town),
		quote("Four sample sites of one small harbour town, behind one front desk."))
	for _, example := range demo.Examples {
		fmt.Fprintf(&b, "    - %s\n", quote(example))
	}
	return b.String()
}

// private says whether what is sent to an address stays between the two sides: by https, or on this
// machine. At another, intakes are not opened.
func private(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// welcome says what to try.
func (c demoCommand) welcome(env *command.Environment, address, folder string) {
	question, vague, other := demo.Examples[0], demo.Examples[1], demo.Examples[len(demo.Examples)-1]
	const post = "curl -sN %s/ask -H 'Content-Type: application/json' -d '%s'\n"
	env.Print("Frontdesk answers for four sample sites of %s.\n\n", demo.Town)
	env.Print("  Ask in a browser    %s/\n  The sites' pages    %s/sample/\n  Documentation       %s/docs/\n\n",
		address, address, address)
	env.Print("  Ask from a shell, without a key:\n\n    "+post, address, fmt.Sprintf(`{"query": {"text": %q, "limit": 3}}`, question))
	env.Print("\n  As a stream, with a summary:\n\n    "+post, address,
		fmt.Sprintf(`{"query": {"text": %q}, "prefer": {"streaming": true, "mode": "list, summarize"}}`, other))
	env.Print("\n  The same with a command:\n\n    frontdesk ask --url %s --mode list,summarize %q\n\n", address, other)
	env.Print("  A vague question is asked back:\n\n    frontdesk ask --url %s %q\n\n", address, vague)
	if private(address) {
		env.Print("  What agents may submit, to get an offer:\n\n    curl -s %s/.well-known/agent-intake.json\n\n",
			address)
		c.sayRetrieve(env, address, folder)
		c.sayBuy(env, address, folder)
	}
	env.Print("  A whole market, to watch:\n\n    frontdesk demo --market\n\n")
	if c.Data == "" {
		env.Print("  Content and terms are in %s and are removed at the end.\n", folder)
	} else {
		env.Print("  Content and terms are in %s.\n", folder)
	}
}
