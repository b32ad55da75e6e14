package app

import (
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/app/repeats"
	"frontdesk/internal/ask/front"
	"frontdesk/internal/ask/settings"
	"frontdesk/internal/excerpts"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/intake"
	"frontdesk/internal/licensing"
	"frontdesk/internal/licensing/broker"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/operator/console"
	"frontdesk/internal/policy/imported"

	"net/url"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/internal/app/discovery"
	"frontdesk/internal/app/mcp"
	"frontdesk/internal/ask/actions"
	"frontdesk/internal/ask/page"
	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/infra/tls"
	"frontdesk/internal/ledger"
	"frontdesk/internal/policy"
)

// Config is everything that an owner can set, as frontdesk.yaml names it. The comments of this
// struct and of those in it are the manual: docs/configuration.md and docs/reference are made from
// them.
type Config struct {
	// Listen is the address for HTTP, `host:port`. Without a host (`:8080`) it is every address of
	// the machine; port 0 takes a free port.
	Listen string `yaml:"listen" check:"listen"`
	// URL is the public address of this front desk, if it has a name or stands behind a proxy. It
	// may have a path (`https://www.example.com/desk`), and then a proxy may leave the path on
	// requests or take it off. Links and documents begin with it; without it they begin with the
	// address of the request.
	URL string `yaml:"url" check:"public_url"`
	// Proxies are the networks (`10.0.0.0/8`, `192.0.2.7`) of trusted proxies. They tell the
	// client's address, scheme and host. A proxy must set the headers of `proxy_headers` itself, or
	// remove those that a client sent.
	Proxies []string `yaml:"proxies" check:"network"`
	// ProxyHeaders says which headers trusted proxies write: `x-forwarded` (X-Forwarded-For,
	// -Proto, -Host and -Prefix) or `forwarded` (RFC 7239). Frontdesk does not read the others.
	ProxyHeaders string `yaml:"proxy_headers" check:"oneof=x-forwarded forwarded"`
	// Data is the folder for everything that Frontdesk keeps. It is made if it is missing. A
	// relative path in a file starts from the file's folder.
	Data string `yaml:"data" relative:"path"`
	// Keys is the folder for secrets that the front desk makes for itself; without it, it is the
	// folder `keys` in the data folder. Nodes that share a database must share this folder or a
	// copy of it, or they cannot continue each other's conversations. `frontdesk backup` does not
	// include a folder elsewhere.
	Keys string `yaml:"keys" relative:"path"`
	// Store is the database: `sqlite:PATH`, or `postgres://user:password@host:5432/database`.
	// Without it, it is the file `frontdesk.db` in the data folder.
	Store string `yaml:"store" check:"database" relative:"database"`
	// Site is the site that is served. With several, write `sites` instead.
	Site Site `yaml:"site"`
	// Sites are the sites that are served, when there is more than one.
	Sites []Site `yaml:"sites"`
	// Spread says which node holds which of the sites. Changes need a restart.
	Spread front.Settings `yaml:"spread"`
	// Sources say where content comes from: files and folders, and addresses on the web. `frontdesk
	// serve` reads them at its start and then by their own times, `frontdesk ingest` when you call
	// it. Changes need a restart; sources that are added or removed without the file do not.
	Sources []ingest.SourceSettings `yaml:"sources"`
	// Fetch sets how pages and documents are fetched from the web. Changes need a restart.
	Fetch fetch.Settings `yaml:"fetch"`
	// TLS is encryption on the address in `listen`. Without it the server speaks plain HTTP.
	TLS tls.Settings `yaml:"tls"`
	// Terms are the owner's rules, in order: the first rule that matches an item wins, and an item
	// without a matching rule is blocked. Without this key everything is open. Changes to the rules
	// take effect while the server runs; changes to other keys need a restart.
	Terms []policy.Rule `yaml:"terms"`
	// RSL are files of RSL documents (Really Simple Licensing 1.0), such as the licence that the
	// site's robots.txt names. They narrow the terms for their addresses, and never widen them: see
	// `imported` of a rule. Changes take effect together with the terms.
	RSL []string `yaml:"rsl" relative:"path"`
	// Actions say what can be done with items; each is listed with the items that it matches. Items
	// have their own, too: a schema.org `potentialAction` with an http or https target. Changes
	// need a restart.
	Actions []actions.Template `yaml:"actions"`
	// Ask sets how questions are answered.
	Ask settings.Ask `yaml:"ask"`
	// Questions sets how long questions of people and agents are kept; `off` keeps nothing. Changes
	// need a restart.
	Questions askquestions.Settings `yaml:"questions"`
	// Model is a language model that helps, if you have one. Changes need a restart.
	Model Model `yaml:"model"`
	// Intent serves passages to platforms under the Agentic Intent Protocol. Keys that decide who
	// gets passages take effect while the server runs. The publisher, `versions`, `languages`,
	// `session`, `sign`, `rate`, `sessions`, `keep`, `sinks`, `extensions` and the keys of `events`
	// except `required`, `owed` and `grace` need a restart.
	Intent excerpts.Settings `yaml:"intent"`
	// Intakes accept submissions of agents under the Agent Intake Protocol. While the server runs,
	// you can change `provider`, `certification`, and of each intake its questions, limits, offers
	// and retention. Other keys need a restart: the list of intakes, their `name`, `description`,
	// `match` and `binding`, and of `bind` the `effect`, `webhook` and `mail`.
	Intakes intake.Settings `yaml:"intakes"`
	// Licences sets where licences are read that sites state. Changes need a restart.
	Licences imported.Settings `yaml:"licences"`
	// RAMP sells licensed content under RAMP v1. Changes need a restart.
	RAMP licensing.Settings `yaml:"ramp"`
	// Agents says how automated clients are recognised. Changes need a restart.
	Agents agents.Settings `yaml:"agents"`
	// Roles are further roles of this front desk: `broker` buys for agents (see `broker`). Changes
	// need a restart.
	Roles []string `yaml:"roles" check:"oneof=broker"`
	// Broker buys licensed content for agents under RAMP v1. Changes need a restart.
	Broker broker.Settings `yaml:"broker"`
	// Edge is the gate before sites, for AI agents. Changes need a restart, except changed files of
	// keys.
	Edge edge.Settings `yaml:"edge"`
	// Console is the page at `/` on which people ask.
	Console Console `yaml:"console"`
	// Auth says who may come in. Changes need a restart; keys that are made or revoked by
	// `frontdesk keys` do not.
	Auth identity.AuthSettings `yaml:"auth"`
	// MCP sets how agents that speak the Model Context Protocol are served. Changes need a restart.
	MCP mcp.Settings `yaml:"mcp"`
	// Ledger sets the name of the ledger. Changes need a restart.
	Ledger ledger.Settings `yaml:"ledger"`
	// Discovery sets what agents find by themselves.
	Discovery discovery.Settings `yaml:"discovery"`
	// Limits bound the load of a client.
	Limits apphttp.LimitSettings `yaml:"limits"`
	// CORS says which web pages may ask from a browser.
	CORS apphttp.CORSSettings `yaml:"cors"`
	// Metrics are figures for Prometheus.
	Metrics Metrics `yaml:"metrics"`
	// Log sets the log on standard error.
	Log Log `yaml:"log"`
	// Upgrade says where `frontdesk upgrade --check` asks for the newest version.
	Upgrade Upgrade `yaml:"upgrade"`
}

// Upgrade names the feed of releases.
type Upgrade struct {
	// Feed is the address of a JSON document with the newest `version` and the address of its
	// `notes`. Without it nothing is asked; a server never asks it by itself.
	Feed string `yaml:"feed" check:"url"`
}

// Site is one site.
type Site struct {
	// ID names the site in requests, answers and the database: lower-case letters, digits, dots,
	// dashes. Content belongs to an id, so another id is another site. A single site needs none; it
	// is then `local`.
	ID string `yaml:"id"`
	// Name is what people call the site.
	Name string `yaml:"name"`
	// URL is the address of the site's own pages. Items of its sources that give no absolute
	// address get theirs from it, and requests may name the site by its host.
	URL string `yaml:"url" check:"url"`
	// Hosts are further host names for the site in requests.
	Hosts []string `yaml:"hosts"`
	// Language is the language of content that does not say its own, such as `en` or `pt-br`.
	Language string `yaml:"language"`
	// Publisher is the publisher of content that does not name one.
	Publisher string `yaml:"publisher"`
}

// Console is the page on which people ask.
type Console struct {
	// Enabled says whether the page is served.
	Enabled bool `yaml:"enabled"`
	page.Config
	// Owner sets the owner's pages. Changes need a restart.
	Owner console.Settings `yaml:"owner"`
}

// Metrics are figures for Prometheus.
type Metrics struct {
	// Listen is the address that serves `/metrics`, apart from the public one; `off` serves none.
	Listen string `yaml:"listen" check:"listen_or_off"`
}

// Log is what is written to standard error, and NewLog makes it.
type Log = repeats.Settings

// NewLog makes the log that a configuration asks for.
var NewLog = repeats.NewLog

// off is the value of metrics.listen that serves none, and of log.clients that tells nothing.
const off = "off"

// DefaultSite is the id of the site when the configuration names none.
const DefaultSite = "local"

// Default is the configuration when nothing is set.
func Default() Config {
	return Config{
		Listen:    "127.0.0.1:8080",
		Data:      "frontdesk-data",
		Fetch:     fetch.DefaultSettings(),
		Agents:    agents.DefaultSettings(),
		Spread:    front.DefaultSettings(),
		Ask:       settings.DefaultAsk(),
		Questions: askquestions.DefaultSettings(),
		Model:     Model{Settings: llm.DefaultSettings(), Vectors: vector.DefaultSettings()},
		Intent:    excerpts.DefaultSettings(),
		Intakes:   intake.DefaultSettings(),
		Licences:  imported.DefaultSettings(),
		RAMP:      licensing.DefaultSettings(),
		Broker:    broker.DefaultSettings(),
		Edge:      edge.DefaultSettings(),
		Console:   Console{Enabled: true, Owner: console.DefaultSettings()},
		Auth:      identity.DefaultAuthSettings(),
		MCP:       mcp.Settings{Enabled: true},

		Discovery: discovery.Settings{Enabled: true, Feeds: true},
		Limits:    apphttp.DefaultLimitSettings(),
		CORS:      apphttp.DefaultCORSSettings(),

		ProxyHeaders: apphttp.HeadersX,
		TLS:          tls.Settings{HSTS: 30 * 24 * time.Hour},
		Metrics:      Metrics{Listen: "127.0.0.1:9464"},
		Log:          Log{Level: "info", Format: "text", Clients: off},
	}
}

// DSN is the database's address, with the default filled in.
func (c Config) DSN() string {
	if c.Store != "" {
		return c.Store
	}
	return "sqlite:" + filepath.Join(c.Data, "frontdesk.db")
}

// StoreFile is the path of the database when it is a file.
func (c Config) StoreFile() (path string, ok bool) {
	dsn := c.DSN()
	if strings.HasPrefix(dsn, "postgres:") || strings.HasPrefix(dsn, "postgresql:") {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimPrefix(dsn, "sqlite:"), "//"), true
}

// AllSites are the sites that are served, whichever way they were written, with defaults filled in.
func (c Config) AllSites() []Site {
	sites := c.Sites
	if len(sites) == 0 {
		only := c.Site
		if only.ID == "" {
			only.ID = DefaultSite
		}
		sites = []Site{only}
	}
	all := make([]Site, len(sites))
	for i, site := range sites {
		all[i] = site
		if host := hostOf(site.URL); host != "" {
			all[i].Hosts = append([]string{host}, site.Hosts...)
		}
	}
	return all
}

// siteIDs are the ids of all sites.
func (c Config) siteIDs() (ids []string) {
	for _, site := range c.AllSites() {
		ids = append(ids, site.ID)
	}
	return ids
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
