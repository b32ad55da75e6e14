package market

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxSeen is how many bytes of a body are looked at, to say what it carried.
const maxSeen = 256 << 10

// seen is the beginning of a body.
type seen struct{ bytes.Buffer }

// Write keeps what there is room for.
func (s *seen) Write(p []byte) (int, error) {
	s.Buffer.Write(p[:min(len(p), maxSeen-s.Len())])
	return len(p), nil
}

// watched is a body that is read by somebody else.
type watched struct {
	io.ReadCloser
	seen *seen
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	w.seen.Write(p[:n])
	return n, err
}

// document is JSON that passed. What is not there is empty.
type document struct{ value any }

// read reads what was seen of a body; the empty document where that is no JSON.
func read(s *seen, header http.Header) (d document) {
	text := s.Bytes()
	if header.Get("Content-Encoding") == "gzip" {
		if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, _ = io.ReadAll(io.LimitReader(z, maxSeen)) // what cannot be read is no JSON
		}
	}
	if json.Unmarshal(text, &d.value) != nil {
		d.value = nil
	}
	return d
}

// at is what stands at a path of names.
func (d document) at(names ...string) document {
	for _, name := range names {
		object, _ := d.value.(map[string]any)
		d.value = object[name]
	}
	return d
}

func (d document) list() (all []document) {
	values, _ := d.value.([]any)
	for _, value := range values {
		all = append(all, document{value})
	}
	return all
}

// maxWords is how many bytes of a text are shown.
const maxWords = 320

// text is a short value; empty for none.
func (d document) text() string {
	switch value := d.value.(type) {
	case string:
		if len(value) > maxWords {
			value = strings.ToValidUTF8(value[:maxWords], "") + "…"
		}
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return ""
}

// money is an amount with its currency, of the form of RAMP's Cost.
func (d document) money() string {
	if d.at("currency").text() == "" {
		return ""
	}
	number, _ := d.at("amount").value.(float64)
	return strconv.FormatFloat(number, 'f', -1, 64) + " " + d.at("currency").text()
}

// texts are those of a list.
func (d document) texts() (all []string) {
	for _, one := range d.list() {
		all = append(all, one.text())
	}
	return all
}

// each are the members of objects in a list.
func (d document) each(name string) (all []string) {
	for _, one := range d.list() {
		if text := one.at(name).text(); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// path is that of an address, without its host and query.
func path(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

func paths(addresses []string) string {
	for i := range addresses {
		addresses[i] = path(addresses[i])
	}
	return strings.Join(addresses, ", ")
}

// account is what a message says of itself, as lines in words. An empty one is left out, and so is
// what has an empty part.
type account []string

func (t *account) say(format string, parts ...string) {
	all := make([]any, len(parts))
	for i, part := range parts {
		if part == "" {
			return
		}
		all[i] = part
	}
	*t = append(*t, fmt.Sprintf(format, all...))
}

// inWords is a value of an enum in words.
func inWords(prefix, name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", " "))
}

// exchanged is a request and its answer.
type exchanged struct {
	m               *Message
	request, answer document
	bytes           int64 // of the answer
	media           string
}

// carried says in words what a message carried, and what was answered. No address with its query is
// in it, no token, no e-mail address: signatures and secrets are in those.
func (x exchanged) carried() []string {
	var t account
	if x.m.Status >= 400 {
		x.describe(&t)
		t.say("refused: %s",
			firstOf(x.answer.at("message").text(), x.answer.at("error").text(), x.answer.at("detail").text(),
				x.answer.at("denial", "reason").text()))
		return t
	}
	x.describe(&t)
	return t
}

func firstOf(all ...string) string {
	at := slices.IndexFunc(all, func(one string) bool { return one != "" })
	if at < 0 {
		return ""
	}
	return all[at]
}

func (x exchanged) describe(t *account) {
	switch x.m.Protocol {
	case "RAMP":
		x.ramp(t)
	case "NLWeb":
		t.say("asks: %s", x.request.at("query", "text").text())
		t.say("finds: %s", strings.Join(x.answer.at("results").each("name"), "; "))
	case "Intent":
		x.intent(t)
	case "Intake":
		x.intake(t)
	}
}

// intent describes messages of Agentic Intent.
func (x exchanged) intent(t *account) {
	t.say("a reader wants: %s", x.request.at("intent", "query_text").text())
	if n := len(x.answer.at("content", "chunks").list()); n > 0 {
		t.say("%s, %s to be cited", counted(n, "passage"), strconv.Itoa(len(x.answer.at("citations").list())))
	}
	t.say("event: %s", x.request.at("event_type").text())
}

// intake describes messages of the Agent Intake Protocol. What identifies a person is not shown.
func (x exchanged) intake(t *account) {
	for _, name := range []string{"hull", "length_m"} {
		t.say(name+": %s", x.request.at("intake_data", name).text())
	}
	t.say("offers: %s", firstOf(x.answer.at("offer", "summary").text(), x.answer.at("summary").text()))
	t.say("says: %s", x.answer.at("message").text())
}

// ramp describes messages of RAMP.
func (x exchanged) ramp(t *account) {
	switch x.m.What {
	case "Resolve":
		x.resolve(t)
	case "DiscoverResources":
		x.discover(t)
	case "ExecuteTransaction":
		t.say("for %s of %s", x.request.at("requester", "id").text(), x.request.at("requester", "domain").text())
		t.say("sold for %s, transaction %s", x.answer.at("cost").money(), x.answer.at("transaction_id").text())
		t.say("denied: %s", inWords("DENIAL_REASON_", x.answer.at("denial_reason").text()))
	case "ReportUsage":
		t.say("transaction %s, %s used", x.request.at("transaction_id").text(),
			firstOf(x.request.at("usage", "consumed_quantity").text(), "0"))
		t.say("report %s", x.answer.at("report_id").text())
	case "DisputeTransaction":
		t.say("transaction %s: %s", x.request.at("transaction_id").text(),
			inWords("DISPUTE_REASON_", x.request.at("reason").text()))
		t.say("dispute %s: %s", x.answer.at("dispute_id").text(),
			inWords("DISPUTE_STATUS_", x.answer.at("status").text()))
	case "/.well-known/ramp.json":
		t.say("sells through %s", strings.Join(x.answer.at("exchanges").each("domain"), " and "))
	case "/.well-known/ramp-agent.json":
		t.say("keys of %s", x.answer.at("agent_id").text())
	case "/.well-known/ramp-exchange.json":
		t.say("is %s", x.answer.at("domain").text())
	case "/exchange/v1/keys":
		t.say("%s for offers", counted(len(x.answer.at("keys").list()), "key"))
	default:
		if strings.HasPrefix(x.m.What, "/premium/") && x.m.Status == http.StatusOK {
			t.say("delivers %s bytes of %s", strconv.FormatInt(x.bytes, 10), x.media)
		}
	}
}

// discover describes a query, with the hops of those who pass it on, and what is offered.
func (x exchanged) discover(t *account) {
	q := x.request
	t.say("%s of %s wants %s", q.at("requester", "id").text(), q.at("requester", "domain").text(),
		paths(q.at("requester", "uris").texts()))
	t.say("passed on and signed by %s", strings.Join(q.at("intermediaries").each("domain"), ", then "))
	n := t.offered("it", x.answer.at("offers").list())
	groups := x.answer.at("offer_groups").list()
	for _, group := range groups {
		what := "it"
		if len(groups) > 1 {
			what = path(group.at("uri").text())
		}
		n += t.offered(what, group.at("offers").list())
	}
	if n == 0 && x.m.Status == http.StatusOK {
		t.say("offers nothing: %s",
			inWords("OFFER_ABSENCE_REASON_",
				firstOf(append(x.answer.at("offer_groups").each("absence_reason"), "not in catalog")...)))
	}
}

// offered tells of offers for one thing, and how many there are.
func (t *account) offered(what string, offers []document) int {
	for _, offer := range offers {
		t.say("offers %s for %s %s %s", what, offer.at("pricing", "rate").text(),
			offer.at("pricing", "currency").text(), inWords("PRICING_MODEL_", offer.at("pricing", "model").text()))
	}
	return len(offers)
}

// resolve describes what a Broker is asked, what it took, and what it did not.
func (x exchanged) resolve(t *account) {
	q, a := x.request, x.answer
	t.say("%s of %s wants %s", q.at("requester", "id").text(), q.at("requester", "domain").text(),
		paths(q.at("requester", "uris").texts()))
	t.say("looks for: %s", q.at("query").text())
	t.say("at most %s", q.at("constraints", "max_price").money())
	if q.at("ext", "ramp.dry_run").value == true {
		t.say("asks what would be bought, and buys nothing")
	}
	for _, one := range a.at("ext", "ramp.found").list() {
		t.say("found %s: %s", path(one.at("uri").text()), one.at("title").text())
	}
	if items := a.at("ext", "ramp.items").list(); len(items) > 1 {
		for _, one := range items {
			t.say("for %s chose %s for %s, and %s for itself", path(one.at("ext", "ramp.uri").text()),
				one.at("exchange").text(), one.at("cost").money(), one.at("broker_fee").money())
		}
	} else {
		t.say("chose %s for %s", a.at("exchange").text(), a.at("cost").money())
		t.say("takes %s for itself", a.at("broker_fee").money())
	}
	t.say("transaction %s", a.at("transaction_id").text())
	for _, one := range a.at("ext", "ramp.passed").list() {
		t.say("passed over %s: %s", one.at("exchange").text(), one.at("why").text())
	}
}

// counted is so many of a thing.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
