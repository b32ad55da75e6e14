package app

import (
	"context"
	"slices"
	"strings"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/operator"
	visitorpages "frontdesk/internal/operator/console/visitors"
)

// visiting is who comes, and what the owner says of them.
type visiting struct {
	Directory  *visitors.Directory
	Counter    *visitors.Counter
	Visitors   *visitors.Store
	Treatments *visitors.Treatments
}

// openVisiting reads what was counted, counts, and puts in force what the owner says of agents.
func (b *base) openVisiting(ctx context.Context) (*visiting, error) {
	v := &visiting{Directory: visitors.NewDirectory(b.config.Agents.All())}
	v.Visitors = visitors.NewStore(b.db, v.Directory)
	v.Counter = visitors.NewCounter(visitors.Options{
		DB: b.db, Keep: b.config.Questions.Keep, Now: b.now, Log: b.log,
	}, v.Directory)
	v.Treatments = visitors.NewTreatments(b.db, v.Directory, b.now)
	return v, v.Treatments.Refresh(ctx)
}

// treated are who comes, and what the owner says of them.
func (v *visiting) treated() visitors.Book {
	return visitors.Book{Store: v.Visitors, Treatments: v.Treatments}
}

// visitorsModule counts who comes, and follows what the owner says of agents.
func (a *App) visitorsModule() Module {
	m := Module{Jobs: []Job{
		{"count visitors", a.Counter.Run},
		{"follow treatments", func(ctx context.Context) { a.Treatments.Follow(ctx, a.log) }},
	}}
	if a.gate != nil {
		m.Routes = operatorRoutes(a.gate, &operator.Operator{Visitors: a.treated(), Now: a.now}, "/admin/visitors")
	}
	return m
}

// visitorPages are the pages of the console on them.
func (a *App) visitorPages() visitorpages.Config {
	c := visitorpages.Config{
		Operator: &operator.Operator{Visitors: a.treated(), Now: a.now}, Uncounted: a.config.Questions.Keep <= 0,
		Found: []string{"llms.txt", "robots.txt", "openapi.json", ".well-known/api-catalog"},
	}
	if a.config.Discovery.Feeds {
		c.Found = append(c.Found, "schemamap.xml")
	}
	if a.config.MCP.Enabled {
		c.Found = append(c.Found, ".well-known/mcp/server-card.json")
	}
	return c
}

// channels say over what visitors of an address come, by how its pattern begins; the first row that
// fits counts. Of what has none nobody is counted: it is not for agents, but for the owner, for
// those whose content is sold here, or for browsers that show a page.
var channels = []struct{ prefix, channel string }{
	{"/ask/click", ""}, {"/assets/", ""}, {"/widget/", ""}, {"/console", ""}, {"/admin/", ""}, {"/healthz", ""},
	{"/readyz", ""}, {"/api/v1/reports/", ""}, {"/provider/{domain}/transactions", ""}, {"/exchange/v1/deliveries", ""},
	{"/exchange/v1/edge-policy", ""}, {"/ramp.v1.CatalogService/", ""}, {"/.well-known/ramp-verify/", ""},
	{"/{$}", "ask"}, {"/ask", "ask"}, {"/await", "ask"}, {"/sites", "ask"}, {"/who", "ask"}, {"/sessions/", "ask"},
	{"/mcp/", "documents"}, {"/mcp", "mcp"},
	{"/feeds/", "feeds"}, {"/schemamap.xml", "feeds"}, {"/llms.txt", "llms.txt"}, {"/robots.txt", "robots.txt"},
	{"/intent/", "intent"}, {"/.well-known/aip.json", "intent"},
	{"/intake/", "intake"}, {"/.well-known/agent-intake.json", "intake"},
	{"/ramp", "ramp"}, {"/fora.", "ramp"}, {"/grpc.", "ramp"}, {"/frontdesk.delivery.", "ramp"}, {"/exchange/", "ramp"},
	{"/broker/", "ramp"}, {"/deliver/", "ramp"}, {"/provider/", "ramp"}, {"/rsl.txt", "ramp"},
	{"/.well-known/ramp", "ramp"},
	{"/ledger/", "ledger"},
	{"/openapi.json", "documents"}, {"/connect", "documents"}, {"/.well-known/", "documents"},
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

// askingProof begin the patterns of addresses whose handlers ask for a signature of their own, or
// at which an agent gets its key.
var askingProof = []string{
	"/ramp.v1.ExchangeService/", "/ramp.v1.BrokerService/", "/broker/", "/deliver/", intentRetrieve, intentEvents,
	intentReceipts, "/exchange/v1/requesters/register",
}

// withChannels has the visitors of routes be counted, and held to what the owner says of them.
func withChannels(routes []apphttp.Route) []apphttp.Route {
	for i := range routes {
		at := &routes[i]
		at.Channel, _ = channelOf(at.Pattern)
		at.Proves = slices.ContainsFunc(askingProof, func(p string) bool { return strings.HasPrefix(at.Pattern, p) })
	}
	return routes
}
