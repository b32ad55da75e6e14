package market

import (
	"fmt"
	"strings"
)

// Place is a participant: a lane of the page.
type Place struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Role    string `json:"role"`
	Address string `json:"address,omitempty"` // empty for one who only asks
}

// placeIDs are the ids of those who take part.
var placeIDs = func() map[string]bool {
	all := map[string]bool{}
	for _, id := range order {
		all[id] = true
	}
	return all
}()

// The publishers, their edges, and what platforms call what they write about.
var publishers = []struct {
	id, name, edge, label string
}{
	{"review", "The Tidewater Review", "reviewedge", "news.local"},
	{"almanac", "The Skerry Almanac", "almanacedge", "sea.tides"},
}

// The Exchanges at which the agent has an account.
var exchanges = []string{"north", "south"}

// sale is a publisher that sells through an Exchange.
type sale struct {
	publisher, exchange, price string
	// edge delivers what the Exchange sold, and tells it.
	edge string
}

// sales are who sells through whom. The Review sells the same at two prices.
var sales = []sale{
	{"review", "north", "0.02", "reviewedge"},
	{"review", "south", "0.015", "secondedge"},
	{"almanac", "south", "0.05", "almanacedge"},
}

// domainEdge is the edge at the publisher's domain, which answers for it.
func (s sale) domainEdge() string { return s.publisher + "edge" }

// Currency is that of all prices: XTS, which ISO 4217 keeps for tests, so that nothing costs
// anybody money.
const Currency = "XTS"

const (
	agentDomain = "agent.localhost"
	agentID     = "reading-bot"
	platformID  = "harbour_chat"
)

// caller is who speaks for a publisher at its Exchanges.
func caller(publisher string) string { return publisher + "-cms" }

// What the Broker takes of a price, in percent, and what it lets each requester spend in a day.
const (
	brokerFee    = "10"
	brokerBudget = "0.1"
)

// common is what the configurations have in common. What a place asks for is known by its user
// agent.
func (m *Market) common(id string) string {
	return fmt.Sprintf("# A place of `frontdesk demo --market`, written anew at each start.\nurl: %q\ndata: "+
		"%q\nmetrics: {listen: off}\nlog: {level: warn}\nfetch: {allow: [\"127.0.0.0/8\", \"::1\"], user_agent: "+
		"\"%s/1.0\", interval: 0s}\n",
		m.address(id), m.file(id), id)
}

// configurations are those of all places that serve, by their ids.
func (m *Market) configurations(keys map[string]string) map[string]string {
	all := map[string]string{}
	for _, p := range publishers {
		all[p.id] = m.common(p.id) + fmt.Sprintf(`site: {id: %[1]s, name: %[2]q, url: %[3]q}
sources: [{name: articles, path: %[4]q}]
terms:
  - {match: {path: "/premium/**"}, access: licensed, excerpt: {words: 40}, display: {words: 80}, labels: [%[5]s]}
  - {match: {}, access: open, labels: [%[5]s]}
intent: {enabled: true, publisher: {id: %[1]s}, compliance: {last_updated: "2026-11-22"}}
`, p.id, p.name, m.address(p.edge), m.file(p.id, "content"), p.label)
	}
	for _, s := range sales {
		all[s.edge] = m.common(s.edge) + fmt.Sprintf(`edge:
  exchange: %q
  every: 1s
  manifests: 600/1m
  spool: {every: 1s}
  key: %q
  secret_file: %q
  sites:
    - {domain: %q, url: %q, origin: %q, exchanges: [%s], keys: [%s]}
`, m.address(s.exchange), keys[s.edge], m.file(s.edge, "exchange.secret"), host(m.address(s.domainEdge())), m.address(s.edge), m.origins[s.publisher], m.others(s), m.signedBy(s))
	}
	for _, id := range exchanges {
		all[id] = m.common(id) + fmt.Sprintf(`site: {id: %[1]s, name: %[2]q, url: %[3]q}
terms: [{match: {}, access: open}]
ramp: {enabled: true, domain: %[4]s, currency: %[5]s}
`, id, places[id].Name, m.address(id), domain(id), Currency)
	}
	all["broker"] = m.common("broker") + fmt.Sprintf(`roles: [broker]
broker:
  deadline: 10s
  fee: {share: %q}
  budgets: [{requester: "*", amount: %q, currency: %s, period: 24h}]
  exchanges:
`, brokerFee, brokerBudget, Currency)
	for _, id := range exchanges {
		all["broker"] += fmt.Sprintf("    - {domain: %s, url: %q}\n", domain(id), m.address(id))
	}
	all["broker"] += "sources: # what publishers publish, so that it can be searched\n"
	for _, p := range publishers {
		all["broker"] += fmt.Sprintf("  - {name: %s, url: %q, kind: schemamap, crawl: {hosts: [%q]}}\n", p.id,
			m.address(p.id)+"/schemamap.xml", host(m.address(p.edge)))
	}
	all["business"] = m.common("business") + fmt.Sprintf(`site: {id: business, name: %q, url: %q}
terms: [{match: {}, access: open}]
intakes:
`, places["business"].Name, m.address("business"))
	for line := range strings.Lines(intakes) {
		all["business"] += "  " + line
	}
	all["agent"] = fmt.Sprintf("# The agent of `frontdesk demo --market`.\ndata: %q\nramp: {agent: {id: "+
		"%s}}\nfetch: {allow: [\"127.0.0.0/8\", \"::1\"]}\n", m.file("agent"), agentID)
	return all
}

// domain is by which an Exchange is known.
func domain(exchange string) string { return exchange + ".localhost" }

// others are the further Exchanges of an edge's site, as its configuration has them.
func (m *Market) others(s sale) string {
	var all []string
	for _, other := range sales {
		if other.publisher == s.publisher && other.exchange != s.exchange {
			all = append(all,
				fmt.Sprintf("{domain: %s, endpoint: %q}", domain(other.exchange), m.address(other.exchange)))
		}
	}
	return strings.Join(all, ", ")
}

// signedBy is the file with the keys that an edge verifies addresses with. It is empty for the edge
// at the domain, which has a registered key.
func (m *Market) signedBy(s sale) string {
	if s.edge == s.domainEdge() {
		return ""
	}
	return fmt.Sprintf("{form: hmac, file: %q}", m.file(s.edge, "delivery.hex"))
}

// places are those who take part, by their ids.
var places = map[string]Place{
	"platform":    {ID: "platform", Name: "Harbour Chat", Role: "a platform"},
	"agent":       {ID: "agent", Name: "Reading bot", Role: "a buying agent"},
	"review":      {ID: "review", Name: "The Tidewater Review", Role: "a publisher"},
	"broker":      {ID: "broker", Name: "Quay Broker", Role: "a Broker"},
	"reviewedge":  {ID: "reviewedge", Name: "The Review's edge", Role: "an edge"},
	"secondedge":  {ID: "secondedge", Name: "The Review's second edge", Role: "an edge, for what South sells of it"},
	"almanac":     {ID: "almanac", Name: "The Skerry Almanac", Role: "a publisher"},
	"almanacedge": {ID: "almanacedge", Name: "The Almanac's edge", Role: "an edge"},
	"north":       {ID: "north", Name: "North Exchange", Role: "an Exchange"},
	"south":       {ID: "south", Name: "South Exchange", Role: "an Exchange"},
	"business":    {ID: "business", Name: "Harbour & Pine Boats", Role: "a business"},
}

// order is that of the lanes.
var order = []string{"platform", "agent", "broker", "north", "south", "review", "reviewedge", "secondedge", "almanac",
	"almanacedge", "business"}

// intakes are what the business takes in.
const intakes = `provider:
  name: Harbour & Pine Boats
  description: Mends and paints boats.
  contact_email: boats@tidewater.example
list:
  - id: boat-repair
    name: Boat repair quote
    description: Says what painting a boat costs, and takes the order.
    category: service/quote
    offer_type: quote
    privacy: {data_retention: session}
    rate_limit: {requests_per_minute: 60, requests_per_day: 5000}
    input_schema:
      type: object
      additionalProperties: false
      required: [hull, length_m]
      properties:
        hull: {type: string, enum: [wood, steel, plastic]}
        length_m: {type: number, minimum: 2, maximum: 30}
    rules:
      tables:
        rate: {wood: 95.0, steel: 70.0, plastic: 55.0}
      let:
        price: data.length_m * tables.rate[data.hull]
      decline:
        - {when: "data.length_m > 20.0", reason: "Our slip holds boats of up to twenty metres; ask the yard at the mole."}
      offers:
        - summary: "A new coat for a hull of {data.hull}, {round(data.length_m, 1)} metres: {money(price, 'EUR')}, within a week of the next spring tide."
          details: {price: {amount: "{round(price, 2)}", currency: EUR}}
          expires: 168h
    binding: true
    bind:
      requires: [email]
      message: Your place on the slip is noted. This is a demonstration, so nothing is painted.
`
