// Package discovery serves the documents that tell agents what a front desk offers: robots.txt,
// the schema map and its feeds, llms.txt, OpenAPI, cards of the MCP server, a catalog of the
// interfaces, and Link headers.
//
// Enter at Routes. Feeds come from package ask, under the owner's terms. What it says of other
// handlers stands in its Config; it must not know them.
package discovery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
)

// Config describes the front desk.
type Config struct {
	// PublicURL gives the address of the front desk as the sender of a request knows it, without a
	// slash at its end.
	PublicURL func(*http.Request) string
	// SameURL says that PublicURL is the same for everybody, so that caches may keep what holds it.
	SameURL bool
	// Fail answers with an error.
	Fail func(http.ResponseWriter, *http.Request, error)
	// Name is what the front desk is called, and About one sentence on what can be asked; both may
	// be empty.
	Name, About string
	Sites       []Site   // that are served
	Version     string   // of the program
	Patterns    []string // patterns of what the server answers besides, for the OpenAPI description
	MCP         bool     // whether /mcp is served
	Feeds       bool     // whether the schema map and the feeds are served
	Intakes     []Intake // that are taken in by the Agent Intake Protocol
	// OwnFile gives a file of the owner's own in place of one that is made here ("robots.txt",
	// "llms.txt"): nil when there is none.
	OwnFile func(name string) ([]byte, error)
	// StatedTerms says what the owner's terms state of a function for a site, and whether they
	// state anything.
	StatedTerms func(site, function string) (allowed, known bool)
	// WriteTimeout is how long a client may take for each part of a feed that is sent; 0 is 30
	// seconds.
	WriteTimeout time.Duration
}

// Site is a site that can be asked.
type Site struct {
	ID    string
	Name  string   // may be empty
	URL   string   // of its own pages; may be empty
	Hosts []string // by which a request may mean this site
}

// Intake is an intake that agents can submit to.
type Intake struct{ ID, Name, Description string }

// title is what people call the site.
func (s Site) title() string {
	if s.Name != "" {
		return line(s.Name)
	}
	return s.ID
}

// Paths that other handlers serve.
const (
	askPath    = "/ask"
	awaitPath  = "/await"
	mcpPath    = "/mcp"
	intakePath = "/intake/"

	intentService     = "/intent/"
	intentDeclaration = "/.well-known/aip.json"

	intakeManifest = "/.well-known/agent-intake.json"
	rampManifest   = "/.well-known/ramp-exchange.json"
	rampService    = "/ramp.v1.ExchangeService/"
	licencePath    = "/rsl.txt"
)

// Route is an address that discovery answers to GET and HEAD.
type Route struct {
	Pattern string // as http.ServeMux reads it, without a method
	Handler http.Handler
	Items   bool // whether it gives items away, as answers do
}

// Routes are the addresses that a configuration asks for.
func Routes(d *ask.Service, config Config) []Route {
	if config.WriteTimeout == 0 {
		config.WriteTimeout = 30 * time.Second
	}
	door := &documents{service: d, config: config}
	routes := []Route{
		{Pattern: "/robots.txt", Handler: door.page(door.robots)},
		{Pattern: "/llms.txt", Handler: door.page(door.llms)},
		{Pattern: "/openapi.json", Handler: door.page(door.openAPI)},
		{Pattern: "/.well-known/api-catalog", Handler: door.page(door.apiCatalog)},
	}
	if config.Feeds {
		routes = append(routes,
			Route{Pattern: "/schemamap.xml", Handler: door.page(door.schemaMap)},
			Route{Pattern: "/feeds/{site}/{part}", Handler: door.checked(door.feed), Items: true})
	}
	if config.MCP {
		card := door.page(door.serverCard)
		routes = append(routes,
			Route{Pattern: "/mcp/server-card", Handler: card},
			Route{Pattern: "/.well-known/mcp/server-card.json", Handler: card},
			Route{Pattern: "/.well-known/mcp/catalog.json", Handler: door.page(door.mcpCatalog)})
	}
	served := slices.Clone(config.Patterns)
	for _, route := range routes {
		served = append(served, route.Pattern)
	}
	door.described = describe(served)
	return routes
}

type documents struct {
	service   *ask.Service
	config    Config
	described description
}

// sells says whether licensed content is sold here.
func (d *documents) sells() bool { return slices.Contains(d.config.Patterns, rampManifest) }

// declares says whether platforms are given passages here.
func (d *documents) declares() bool { return slices.Contains(d.config.Patterns, intentDeclaration) }

// document is a small answer, made whole.
type document struct {
	kind string // media type
	body []byte
}

// view is what one request sees: the address of the front desk, and the sites that the request is
// about.
type view struct {
	base  string // without a slash at its end
	sites []Site
	query string // "?site=ID" when the request is about one site of several, so that links keep to it
}

// about finds out what a request is about: the site that its parameter names, or the one that has
// its host, or all of them.
func (d *documents) about(r *http.Request) (view, error) {
	v := view{base: d.config.PublicURL(r), sites: d.config.Sites}
	if name := r.URL.Query().Get("site"); name != "" {
		id, ok := d.service.Sites().Find(name)
		if !ok {
			return v, fail.New(fail.NotFound,
				"this site is not served here; leave out the parameter site, or name one of %s", d.siteIDs())
		}
		return v.of(id), nil
	}
	for _, host := range []string{hostOf(v.base), r.Host} {
		for _, site := range v.sites {
			if host != "" && slices.ContainsFunc(site.Hosts, func(own string) bool { return sameHost(own, host) }) {
				return v.of(site.ID), nil
			}
		}
	}
	return v, nil
}

// of narrows a view to one site.
func (v view) of(id string) view {
	if len(v.sites) > 1 {
		v.query = "?site=" + url.QueryEscape(id)
		v.sites = slices.DeleteFunc(slices.Clone(v.sites), func(s Site) bool { return s.ID != id })
	}
	return v
}

func (d *documents) siteIDs() string {
	ids := make([]string, len(d.config.Sites))
	for i, site := range d.config.Sites {
		ids[i] = site.ID
	}
	return strings.Join(ids, ", ")
}

// name is what the front desk is called in this view.
func (d *documents) name(v view) string {
	switch {
	case len(v.sites) == 1 && (v.sites[0].Name != "" || v.query != ""):
		return v.sites[0].title()
	case d.config.Name != "":
		return line(d.config.Name)
	case len(v.sites) == 1 && hostOf(v.sites[0].URL) != "":
		return hostOf(v.sites[0].URL)
	}
	return "Frontdesk"
}

// summary is one sentence on what can be asked.
func (d *documents) summary(v view) string {
	if d.config.About != "" {
		return line(d.config.About)
	}
	return "Ask " + d.name(v) + " in plain language and get its items as schema.org data."
}

// page serves a document, small and with a strong tag. Caches ask again each time unless the
// address in it is configured: otherwise it comes from the request, and one that somebody made up
// must not be kept for others.
func (d *documents) page(make func(context.Context, view) (document, error)) http.Handler {
	return d.checked(func(w http.ResponseWriter, r *http.Request) error {
		v, err := d.about(r)
		if err != nil {
			return err
		}
		doc, err := make(r.Context(), v)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(doc.body)
		header := w.Header()
		header.Set("Content-Type", doc.kind)
		header.Set("Cache-Control", "no-cache")
		if d.config.SameURL {
			header.Set("Cache-Control", "public, max-age=300")
		}
		header.Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc.body))
		return nil
	})
}

// checked renders what a handler returns as an error.
func (d *documents) checked(next func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := next(w, r); err != nil {
			d.config.Fail(w, r, err)
		}
	})
}

// own gives the owner's own file.
func (d *documents) own(ctx context.Context, name string) ([]byte, error) {
	if d.config.OwnFile == nil {
		return nil, nil
	}
	text, err := d.config.OwnFile(name)
	if err != nil {
		httpx.EventFrom(ctx).Set("error", err.Error())
		return nil, fail.New(fail.Unavailable, "%s cannot be read at the moment; try again", name).Wrap(err)
	}
	return text, nil
}

func jsonDocument(kind string, value any) (document, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return document{}, err
	}
	return document{kind, b.Bytes()}, nil
}

// line brings a text to one line, so that it cannot begin another in a document of lines.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// sameHost compares hosts; case and a leading "www." do not count.
func sameHost(a, b string) bool {
	fold := func(host string) string { return strings.TrimPrefix(strings.ToLower(host), "www.") }
	return fold(a) == fold(b)
}
