package discovery

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// serverCard is the MCP server card, after the draft of the extension "server card" (SEP-2127):
// what a client needs to know before it connects. The tools are not in it; the server tells them.
type serverCard struct {
	Schema      string   `json:"$schema"`
	Name        string   `json:"name"` // reverse DNS, a slash, and a name
	Version     string   `json:"version"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description"` // up to 100 characters
	WebsiteURL  string   `json:"websiteUrl,omitempty"`
	Remotes     []remote `json:"remotes"`
}

type remote struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

const (
	cardSchema = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
	cardType   = "application/mcp-server-card+json"
)

// serverName is the part of the card's name after the slash.
const serverName = "frontdesk"

func (d *documents) serverCard(_ context.Context, v view) (document, error) {
	card := serverCard{
		Schema: cardSchema, Name: reversed(v.base) + "/" + serverName, Version: d.config.Version,
		Title: clip(d.name(v), 100), Description: clip(d.summary(v), 100),
		Remotes: []remote{{Type: "streamable-http", URL: v.base + mcpPath}},
	}
	if len(v.sites) == 1 {
		card.WebsiteURL = v.sites[0].URL
	}
	return jsonDocument(cardType, card)
}

// mcpCatalog lists the one server, for clients that begin with the domain.
type mcpCatalog struct {
	SpecVersion string         `json:"specVersion"`
	Entries     []catalogEntry `json:"entries"`
}

type catalogEntry struct {
	Identifier  string `json:"identifier"`
	DisplayName string `json:"displayName"`
	Type        string `json:"type"`
	URL         string `json:"url"`
}

func (d *documents) mcpCatalog(_ context.Context, v view) (document, error) {
	return jsonDocument("application/json", mcpCatalog{
		SpecVersion: "draft",
		Entries: []catalogEntry{{
			Identifier: "urn:air:" + domain(v.base) + ":" + serverName, DisplayName: d.name(v), Type: cardType,
			URL: v.base + "/mcp/server-card",
		}},
	})
}

// domain is the host of an address without its port.
func domain(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "localhost"
	}
	return u.Hostname()
}

// reversed is the domain of an address in reverse, as names of servers begin. A number is not
// reversed.
func reversed(base string) string {
	host := domain(base)
	if _, err := netip.ParseAddr(host); err == nil {
		return strings.ReplaceAll(host, ":", "-")
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.ReplaceAll(strings.Join(labels, "."), "_", "-")
}

// linkset is the catalog of the interfaces (RFC 9727), a set of links (RFC 9264).
type linkset struct {
	Linkset []linkContext `json:"linkset"`
}

type linkContext struct {
	Anchor      string `json:"anchor"`
	ServiceDesc []link `json:"service-desc,omitempty"`
	ServiceDoc  []link `json:"service-doc,omitempty"`
	ServiceMeta []link `json:"service-meta,omitempty"`
	Status      []link `json:"status,omitempty"`
}

type link struct {
	Href string `json:"href"`
	Type string `json:"type,omitempty"`
}

func (d *documents) apiCatalog(_ context.Context, v view) (document, error) {
	ask := linkContext{
		Anchor:      v.base + askPath,
		ServiceDesc: []link{{v.base + "/openapi.json", "application/vnd.oai.openapi+json;version=3.1"}},
		ServiceDoc:  []link{{v.base + "/llms.txt" + v.query, "text/markdown"}},
		Status:      []link{{v.base + "/readyz", "application/json"}},
	}
	if d.config.Feeds {
		ask.ServiceMeta = []link{{v.base + "/schemamap.xml" + v.query, "application/xml"}}
	}
	all := linkset{[]linkContext{ask}}
	if d.config.MCP {
		all.Linkset = append(all.Linkset, linkContext{
			Anchor:      v.base + mcpPath,
			ServiceDoc:  []link{{v.base + "/llms.txt" + v.query, "text/markdown"}},
			ServiceMeta: []link{{v.base + "/mcp/server-card", cardType}},
		})
	}
	if d.declares() {
		all.Linkset = append(all.Linkset, linkContext{
			Anchor:      v.base + intentService,
			ServiceDesc: []link{{v.base + "/openapi.json", "application/vnd.oai.openapi+json;version=3.1"}},
			ServiceMeta: []link{{v.base + intentDeclaration, "application/json"}},
		})
	}
	if len(d.config.Intakes) > 0 {
		all.Linkset = append(all.Linkset, linkContext{
			Anchor:      v.base + intakePath,
			ServiceDesc: []link{{v.base + "/openapi.json", "application/vnd.oai.openapi+json;version=3.1"}},
			ServiceMeta: []link{{v.base + intakeManifest, "application/json"}},
		})
	}
	if d.sells() {
		all.Linkset = append(all.Linkset, linkContext{
			Anchor:      v.base + rampService,
			ServiceDesc: []link{{v.base + "/openapi.json", "application/vnd.oai.openapi+json;version=3.1"}},
			ServiceMeta: []link{{v.base + rampManifest, "application/json"}},
			Status:      []link{{v.base + "/readyz", "application/json"}},
		})
	}
	return jsonDocument(`application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, all)
}

// clip shortens a text to so many characters.
func clip(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return strings.TrimRight(string(runes[:n-1]), " ") + "…"
	}
	return s
}
