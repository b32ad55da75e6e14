// Package visitors counts which agents come, by day and over every channel, and keeps what the
// owner says of them: who may come, how often, and who has to show a key.
//
// Of an agent nothing is kept but a name that the list of agents has, the domain that its verified
// signature names, or the id of a key that was registered here. All other programs are one row, and
// people with browsers another; of these no address and no user agent is kept. So a flood of
// made-up user agents adds to one figure.
//
// The package owns the tables below. It must not know requests, protocols or pages. Enter by
// [NewCounter], which takes visits in and writes them a little later, [NewStore], which reads them,
// and [NewTreatments].
package visitors

import (
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package. Days are counted from 1970 by UTC; times are microseconds.
// visitor_version counts changes of visitor_treatment, by which other processes see that there are
// any.
var Schema = store.Schema{
	ID: "visitor",
	Steps: []string{`
CREATE TABLE visitor_day (
	day     BIGINT NOT NULL,
	agent   {{text}} NOT NULL,
	known   {{text}} NOT NULL,
	channel {{text}} NOT NULL,
	asked   BIGINT NOT NULL,
	fetched BIGINT NOT NULL,
	paid    BIGINT NOT NULL,
	denied  BIGINT NOT NULL,
	PRIMARY KEY (day, agent, known, channel)
) {{clustered}};
CREATE INDEX visitor_day_agent ON visitor_day (agent, day);
CREATE TABLE visitor_treatment (
	agent      {{text}} NOT NULL PRIMARY KEY,
	treatment  {{text}} NOT NULL,
	rate       BIGINT NOT NULL,
	changed    BIGINT NOT NULL,
	changed_by {{text}} NOT NULL
);
CREATE TABLE visitor_version (
	one     BIGINT NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
);
INSERT INTO visitor_version (one, version) VALUES (1, 0);
`},
}

// turn is the turn of transactions that write (see [store.DB.UpdateSerial]).
const turn = "visitor"

// The ids of those who are not told apart.
const (
	People = "people" // with browsers
	Others = "others" // programs that are in no list, and show no key and no signature
)

// ByKey is how an agent is known that shows a key of this front desk, beside what package agents
// knows.
const ByKey = "key"

// What is what somebody did.
type What int

// What visits are counted as.
const (
	Asked  What = iota // a question, a search for offers, a submission
	Read               // a document, an item, a page
	Paid               // a purchase
	Denied             // it was refused, for whatever reason
	whats
)

// Visit is one request.
type Visit struct {
	Agent   string // an id
	Known   string // how it is known; empty for People and Others
	Channel string // over what: ask, mcp, feeds and so on
	What    What
}

// Directory tells agents apart by ids: a name of the list, such as GPTBot; the host of an operator;
// the id of a registered key, such as key:k-7; People or Others.
type Directory struct {
	names map[string]agents.Known // by the word of the user agent, in small letters
	hosts map[string]agents.Known // by the operator's host
}

// NewDirectory makes a directory of the agents of a list, of which earlier ones go first.
func NewDirectory(known []agents.Known) *Directory {
	d := &Directory{names: map[string]agents.Known{}, hosts: map[string]agents.Known{}}
	for _, k := range known {
		name, host := strings.ToLower(k.UserAgent), hostOf(k.Origin)
		if _, there := d.names[name]; !there {
			d.names[name] = k
		}
		if _, there := d.hosts[host]; !there {
			d.hosts[host] = k
		}
	}
	return d
}

// hostOf is the host of an address; empty for none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Who says as whom a request counts, and how that is known. A verified signature says most, then a
// key, by the id of its holder, and the word of a user agent least.
func (d *Directory) Who(agent agents.Agent, party, userAgent string) (id, known string) {
	if agent.Known == agents.BySignature {
		host := hostOf(agent.Operator)
		_, listed := d.hosts[host]
		switch {
		case agent.Name != "":
			return agent.Name, agent.Known
		case listed:
			return host, agent.Known
		case isDomain(agent.Group()): // and no address
			return agent.Group(), agent.Known
		}
		return Others, agent.Known
	}
	switch {
	case party != "":
		return party, ByKey
	case agent.Known != "":
		return agent.Name, agent.Known
	case agent.Signature == "" && FromBrowser(userAgent): // people sign nothing
		return People, ""
	}
	return Others, ""
}

// FromBrowser says whether a user agent is that of a browser, as those of people are. Crawlers that
// write like one say that they are "compatible" or where they are explained.
func FromBrowser(userAgent string) bool {
	return strings.HasPrefix(userAgent, "Mozilla/") && !strings.Contains(userAgent, "compatible;") &&
		!strings.Contains(userAgent, "+http")
}

// About is what is known of an id.
type About struct {
	Name     string // as it calls itself; the operator's for its agents together
	Operator string // who runs it; empty for nobody known
	Origin   string // of the operator
	// Kind is one of agents.Kinds, or KindPeople and so on; empty for an agent that is in no list.
	Kind string
}

// The kinds of visitors beside agents.Kinds.
const (
	KindPeople   = "people"
	KindOthers   = "others"
	KindOperator = "operator" // all agents of a domain
	KindBuyer    = "buyer"    // it is registered to buy
	KindPlatform = "platform" // it asks for passages
	KindKey      = "key"      // it holds a key or a token
)

// About tells of an id.
func (d *Directory) About(id string) About {
	switch id {
	case People, Others:
		return About{Name: id, Kind: id}
	}
	if k, ok := d.names[strings.ToLower(id)]; ok {
		return About{Name: k.UserAgent, Operator: k.Operator, Origin: k.Origin, Kind: k.Kind}
	}
	if k, ok := d.hosts[id]; ok {
		return About{Name: id, Operator: k.Operator, Origin: k.Origin, Kind: KindOperator}
	}
	prefix, name, registered := strings.Cut(id, ":")
	switch {
	case !registered && strings.Contains(id, "."):
		return About{Name: id, Operator: id, Origin: "https://" + id, Kind: KindOperator}
	case prefix == "requester":
		return About{Name: name, Operator: name, Kind: KindBuyer}
	case prefix == "platform":
		return About{Name: name, Operator: name, Kind: KindPlatform}
	case registered:
		return About{Name: name, Kind: KindKey}
	case id == "token":
		return About{Name: id, Kind: KindKey}
	}
	return About{Name: id}
}

const day = 24 * time.Hour

// dayOf is the day of a time.
func dayOf(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }

// startOf is the beginning of a day.
func startOf(n int64) time.Time { return time.Unix(n*int64(day/time.Second), 0).UTC() }
