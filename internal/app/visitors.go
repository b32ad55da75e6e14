package app

import (
	"strings"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/identity/visitors"
)

// visiting is who comes, and what the owner says of them.
type visiting struct {
	Directory *visitors.Directory
	Counter   *visitors.Counter
	Visitors  *visitors.Store
}

// openVisiting reads what was counted, and counts.
func (b *base) openVisiting() *visiting {
	v := &visiting{Directory: visitors.NewDirectory(b.config.Agents.All())}
	v.Visitors = visitors.NewStore(b.db, v.Directory)
	v.Counter = visitors.NewCounter(visitors.Options{
		DB: b.db, Keep: b.config.Questions.Keep, Now: b.now, Log: b.log,
	}, v.Directory)
	return v
}

// module counts who comes.
func (v *visiting) module() Module { return Module{Jobs: []Job{{"count visitors", v.Counter.Run}}} }

// channels say over what visitors of an address come, by how its pattern begins; the first row that
// fits counts. Of what has none nobody is counted: it is not for agents, but for the owner, for
// those whose content is sold here, or for browsers that show a page.
var channels = []struct{ prefix, channel string }{
	{"/ask/click", ""}, {"/assets/", ""}, {"/console", ""}, {"/admin/", ""}, {"/healthz", ""}, {"/readyz", ""},
	{"/api/v1/reports/", ""}, {"/provider/{domain}/transactions", ""}, {"/exchange/v1/deliveries", ""}, {"/exchange/v1/edge-policy", ""},
	{"/ramp.v1.CatalogService/", ""}, {"/.well-known/ramp-verify/", ""},
	{"/{$}", "ask"}, {"/ask", "ask"}, {"/await", "ask"}, {"/sites", "ask"}, {"/who", "ask"}, {"/sessions/", "ask"},
	{"/mcp/", "documents"}, {"/mcp", "mcp"},
	{"/feeds/", "feeds"}, {"/schemamap.xml", "feeds"}, {"/llms.txt", "llms.txt"}, {"/robots.txt", "robots.txt"},
	{"/intent/", "intent"}, {"/.well-known/aip.json", "intent"},
	{"/intake/", "intake"}, {"/.well-known/agent-intake.json", "intake"},
	{"/ramp", "ramp"}, {"/fora.", "ramp"}, {"/grpc.", "ramp"}, {"/frontdesk.delivery.", "ramp"}, {"/exchange/", "ramp"},
	{"/broker/", "ramp"}, {"/deliver/", "ramp"}, {"/provider/", "ramp"}, {"/rsl.txt", "ramp"},
	{"/.well-known/ramp", "ramp"},
	{"/ledger/", "ledger"},
	{"/openapi.json", "documents"}, {"/.well-known/", "documents"},
}

// channelOf is over what visitors of an address come; ok is false for an address that no row fits.
func channelOf(pattern string) (channel string, ok bool) {
	for _, row := range channels {
		if strings.HasPrefix(pattern, row.prefix) {
			return row.channel, true
		}
	}
	return "", false
}

// withChannels has the visitors of routes be counted.
func withChannels(routes []apphttp.Route) []apphttp.Route {
	for i := range routes {
		routes[i].Channel, _ = channelOf(routes[i].Pattern)
	}
	return routes
}
