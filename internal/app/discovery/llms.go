package discovery

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// llms is /llms.txt: for a model that reads before it asks, a page of Markdown with a name, a
// sentence and links. A file of the owner's own comes in its place.
func (d *documents) llms(ctx context.Context, v view) (document, error) {
	const kind = "text/markdown; charset=utf-8"
	own, err := d.own(ctx, "llms.txt")
	if err != nil {
		return document{}, err
	}
	if own != nil {
		return document{kind, own}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> %s\n\n", d.name(v), d.summary(v))
	fmt.Fprintf(&b,
		"Answers are items with their schema.org type, address, name and facts, best first, each with a score "+
			"from 0 to 100. "+
			"An item with `isAccessibleForFree` false is a notice: its text is licensed, and only an excerpt "+
			"is shown.\n\n")
	if types := d.types(v); types != "" {
		fmt.Fprintf(&b, "Types of items here, the most frequent first: %s.\n\n", types)
	}
	fmt.Fprintf(&b, "## Ask\n\n")
	fmt.Fprintf(&b,
		"- [Ask](%s%s): POST `{\"query\": {\"text\": \"your question\"%s}}` as JSON (NLWeb 0.55). Further members "+
			"of `query`: `itemType`, a schema.org type; `limit`. "+
			"`\"prefer\": {\"mode\": \"list, summarize\"}` adds a summary, `\"streaming\": true` streams. "+
			"GET without a "+
			"question tells formats and limits.\n", v.base, askPath, siteMember(v))
	fmt.Fprintf(&b,
		"- `_meta.response_type` says what came. With `elicitation`, send the question again with each answer as a "+
			"member of `query` named by the `id` of its "+
			"question, and `_meta.session_context` as `meta.session_context`.")
	if slices.Contains(d.config.Patterns, awaitPath) {
		fmt.Fprintf(&b,
			" With `promise` the answer comes later: POST `{\"promise_token\": \"its token\", \"action\": "+
				"\"checkin\"}` to [Await](%s%s).", v.base, awaitPath)
	}
	b.WriteByte('\n')
	if d.config.MCP {
		fmt.Fprintf(&b, "- [MCP](%s%s): the same as a tool, by the Model Context Protocol over Streamable HTTP.\n",
			v.base, mcpPath)
	}
	fmt.Fprintf(&b, "- [OpenAPI](%s/openapi.json): every address, with the schemas of requests and answers.\n", v.base)
	if d.sells() {
		fmt.Fprintf(&b,
			"\n## Buy\n\n- [Exchange](%s%s): licensed content is sold under RAMP v1, by Connect, gRPC and "+
				"gRPC-Web at %s%s. "+
				"POST a query with the addresses to DiscoverResources and get signed offers; buying one binds "+
				"whoever signs.", v.base, rampManifest, v.base, rampService)
		if d.config.MCP {
			b.WriteString(" The tools ramp_discover, ramp_execute and ramp_report at MCP do the same.")
		}
		b.WriteByte('\n')
	}
	if len(d.config.Intakes) > 0 {
		fmt.Fprintf(&b,
			"\n## Submit\n\n- [Manifest](%s%s): what is taken in from agents in a person's name, each with the "+
				"schema of its data (Agent Intake Protocol 0.1.0). "+
				"POST a submission to its address and get an offer, which binds nobody; accept it only after "+
				"the person "+
				"has said so.\n", v.base, intakeManifest)
		for _, one := range d.config.Intakes {
			fmt.Fprintf(&b, "- [%s](%s%s%s): %s\n", bracketed(line(one.Name)), v.base, intakePath, one.ID,
				line(one.Description))
		}
	}
	if d.config.Feeds {
		fmt.Fprintf(&b,
			"\n## Read everything\n\n- [Schema map](%s/schemamap.xml%s): feeds of all items, as lines of "+
				"schema.org JSON.\n", v.base, v.query)
		for _, site := range v.sites {
			fmt.Fprintf(&b, "- [Newest of %s](%s): RSS.\n", bracketed(site.title()), newestURL(v.base, site.ID))
		}
	}
	var pages strings.Builder
	for _, site := range v.sites {
		if site.URL != "" {
			fmt.Fprintf(&pages, "- [%s](%s): ask for this site alone with `\"site\": %q`.\n", bracketed(site.title()),
				site.URL, site.ID)
		}
	}
	if pages.Len() > 0 {
		fmt.Fprintf(&b, "\n## Sites\n\n%s", pages.String())
	}
	return document{kind, []byte(b.String())}, nil
}

// maxTypes is how many types of items are named.
const maxTypes = 12

// types are the types that the items have, for a view of all sites.
func (d *documents) types(v view) string {
	var names []string
	for _, t := range d.service.Types() {
		if v.query == "" && len(names) < maxTypes {
			names = append(names, line(t.Name))
		}
	}
	return strings.Join(names, ", ")
}

// siteMember shows how to ask one site of several.
func siteMember(v view) string {
	if v.query == "" {
		return ""
	}
	return fmt.Sprintf(`, "site": %q`, v.sites[0].ID)
}

// bracketed makes a text safe between the brackets of a link.
func bracketed(s string) string { return strings.NewReplacer("[", "(", "]", ")").Replace(s) }

// Links is the value of a Link header (RFC 8288) that leads from a page of the front desk to what
// it has to offer.
func Links(config Config, r *http.Request) string {
	base := config.PublicURL(r)
	links := []string{
		"<" + base + askPath + `>; rel="nlweb"`,
		"<" + base + `/openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json;version=3.1"`,
		"<" + base + `/llms.txt>; rel="service-doc"; type="text/markdown"`,
		"<" + base + `/.well-known/api-catalog>; rel="api-catalog"`,
	}
	if config.Feeds {
		links = append(links, "<"+base+`/schemamap.xml>; rel="schemamap"; type="application/xml"`)
	}
	if config.MCP {
		links = append(links, "<"+base+mcpPath+`>; rel="mcp"`)
	}
	if len(config.Intakes) > 0 {
		links = append(links, "<"+base+intakeManifest+`>; rel="agent-intake"; type="application/json"`)
	}
	if slices.Contains(config.Patterns, licencePath) {
		links = append(links, "<"+base+licencePath+`>; rel="license"; type="application/rsl+xml"`)
	}
	return strings.Join(links, ", ")
}
