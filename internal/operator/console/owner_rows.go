package console

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ledger"
	"frontdesk/internal/operator/console/frame"
)

// The kinds of entries that there are at present. The words of pages say what they are called.
var kinds = strings.Fields(
	"access citation counter-receipt terms key setting intake offer bind erase transaction delivery usage account " +
		"dispute measure domain evidence")

// taken is one thing of what an entry says was taken or shown.
type taken struct {
	Text string
	URL  string // where Text leads; empty for nowhere
	Note string
}

// row is an entry as it is listed.
type row struct {
	Index    int64
	ID       string
	Time     time.Time
	Kind     string
	Called   string // its kind, as people say it
	Who      string // a platform's name, or another party's id; empty for this site itself
	Took     []taken
	Note     string
	Platform bool
	Sale     string // the id of the transaction that it is about; empty for none
	Delivery string // the id of the delivery that it is about; empty for none
}

// How parties of a kind begin.
const (
	platformParty = "platform:"
	agentParty    = "agent:"
	agentHash     = "hmac:" // then comes a hash, in place of what was more than an id
	// Of what is sold: who asks, and whose account it is.
	requesterParty = "requester:"
	buyerParty     = "buyer:"
	edgeParty      = "edge:" // which delivered what nobody is known to have bought
)

// bodies are the members of entries' bodies that are shown.
type bodies struct {
	Returned int    `json:"chunks_returned"`
	Tokens   int    `json:"token_count"`
	Terms    string `json:"terms"`
	Items    []struct {
		URL    string   `json:"url"`
		Chunks []string `json:"chunks"`
		Rule   int      `json:"rule"`
	} `json:"items"`
	SourceURL string   `json:"source_url"`
	Chunks    []string `json:"chunk_ids"`
	Surface   string   `json:"display_surface"`
	Verdict   string   `json:"verdict"`
	Unsigned  bool     `json:"unsigned"`
	Key       string   `json:"key"`
	State     string   `json:"state"`
	By        string   `json:"by"`

	// Of what agents submit.
	Intake  string `json:"intake"`
	Outcome string `json:"outcome"`
	Asked   string `json:"request_entry"`
	Offer   struct {
		Expires time.Time `json:"expires"`
	} `json:"offer"`
	Fields []string `json:"fields"`
	Reason string   `json:"reason"`

	// Of what is sold.
	URI      string `json:"uri"`
	Rule     *int   `json:"rule"`
	Model    string `json:"pricing_model"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	Size     int    `json:"bytes"`
	Delivery string `json:"delivery_id"`
	Consumed *int   `json:"consumed_quantity"`
	Unit     string `json:"unit"`
	Settled  string `json:"settled"`
	Of       string `json:"of"`
	Did      string `json:"did"`
	Limit    string `json:"limit"`
	Quota    *int64 `json:"quota"`
}

// verdicts are what our records say of what a platform reports.
var verdicts = []string{"agrees", "differs", "early", "ahead"}

// putBack begins what was done to terms that were put back.
const putBack = "put_back"

// newRow says what an entry is about.
func newRow(r ledger.Record, v *frame.Visit) row {
	e := r.Entry
	out := row{Index: r.Index, ID: e.ID, Time: e.Time, Kind: e.Kind, Called: known(v, "receipts.kind", e.Kind)}
	out.Who, out.Platform = strings.CutPrefix(e.Party, platformParty)
	if agent, ok := strings.CutPrefix(e.Party, agentParty); ok {
		out.Who = agent
		if hash, ok := strings.CutPrefix(agent, agentHash); ok {
			out.Who = v.Say("receipts.agent", short(hash))
		}
	}
	for _, kind := range []string{requesterParty, buyerParty} {
		if name, ok := strings.CutPrefix(e.Party, kind); ok {
			out.Who = name
		}
	}
	edge, ofEdge := strings.CutPrefix(e.Party, edgeParty)
	if ofEdge {
		out.Who = v.Say("receipts.edge", edge)
	}
	var b bodies
	if json.Unmarshal(e.Body, &b) != nil {
		b = bodies{}
	}
	switch e.Kind {
	case "transaction", "delivery", "usage":
		out.Took, out.Note, out.Delivery = b.sold(v), notes(b.sale(v), e.Subject), b.Delivery
		if !ofEdge {
			out.Sale = e.Subject
		}
	case "account":
		out.Took = []taken{{Text: strings.TrimSpace(known(v, "receipts.of", b.Of) + " " + e.Subject),
			Note: b.change(v)}}
		out.Note = labelled(v, "receipts.by", v.Called(b.By))
	case "access":
		for _, i := range b.Items {
			out.Took = append(out.Took, taken{i.URL, i.URL,
				v.Count("receipts.passages", len(i.Chunks)) + ", " + v.Say("receipts.rule", i.Rule)})
		}
		out.Note = notes(b.given(v), labelled(v, "receipts.terms", short(b.Terms)))
	case "citation":
		out.Took = []taken{{b.SourceURL, b.SourceURL, v.Count("receipts.passages", len(b.Chunks))}}
		out.Note = notes(labelled(v, "receipts.shown_as", b.Surface),
			known(v, "receipts.verdict", b.Verdict), b.sent(v))
	case "counter-receipt":
		out.Note = notes(b.given(v), known(v, "receipts.verdict", b.Verdict), b.sent(v))
	case "terms":
		out.Took = []taken{{Text: v.Say("receipts.version", short(e.Subject))}}
		if b.Of != "" { // what an operator's program changed of them
			if strings.HasPrefix(strings.ReplaceAll(b.Did, " ", "_"), putBack) { // the file's, or a version
				b.Did = putBack
			}
			out.Took, out.Note = []taken{{Text: known(v, "receipts.of", b.Of) + " " + e.Subject,
				Note: known(v, "receipts.did", b.Did)}}, labelled(v, "receipts.by", v.Called(b.By))
		}
	case "setting", "domain", "measure":
		out.Took, out.Note = []taken{{Text: e.Subject, Note: known(v, "receipts.did", b.Did)}},
			labelled(v, "receipts.by", v.Called(b.By))
	case "key":
		text := v.Say("receipts.key", known(v, "receipts.of", b.Key), e.Subject)
		if out.Platform { // who has a key did not change it
			text = v.Say("receipts.key_of", known(v, "receipts.of", b.Key), e.Subject, out.Who)
		}
		out.Took, out.Who = []taken{{Text: text, Note: known(v, "receipts.did", b.State)}}, ""
		out.Note = labelled(v, "receipts.by", v.Called(b.By))
	case "intake", "offer":
		out.Took = []taken{{Text: b.Intake}}
		out.Note = known(v, "inbox.is", b.Outcome)
		if !b.Offer.Expires.IsZero() {
			out.Note += " " + v.Say("list.until", v.Moment(b.Offer.Expires))
		}
		out.Note = notes(out.Note, labelled(v, "receipts.by", v.Called(b.By)))
	case "bind":
		out.Took = []taken{{Text: b.Intake, Note: labelled(v, "receipts.with", strings.Join(b.Fields, ", "))}}
	case "erase":
		out.Note = notes(known(v, "receipts.erased", b.Reason), labelled(v, "receipts.by", v.Called(b.By)))
	}
	if len(out.Took) == 0 && e.Subject != "" {
		out.Took = []taken{{Text: e.Subject}}
	}
	return out
}

// sold is what a transaction or a delivery is about.
func (b bodies) sold(v *frame.Visit) []taken {
	if b.URI == "" {
		return nil
	}
	t := taken{Text: b.URI, URL: b.URI}
	if b.Rule != nil {
		t.Note = v.Say("receipts.rule", *b.Rule+1) // an index, unlike that of passages
	}
	return []taken{t}
}

// sale is what came of a transaction: its price, how much was delivered, or what was reported.
func (b bodies) sale(v *frame.Visit) string {
	note := notes(known(v, "price.model", b.Model), b.amount(), known(v, "receipts.became", b.Outcome))
	switch {
	case b.Consumed != nil:
		note = notes(v.Say("receipts.used", strings.TrimSpace(strconv.Itoa(*b.Consumed)+" "+b.Unit)),
			labelled(v, "receipts.settled", strings.TrimSpace(b.Settled+" "+b.Currency)),
			known(v, "receipts.became", b.State))
	case b.Size > 0:
		note = v.Count("list.bytes", b.Size)
	}
	return note
}

// amount is the amount with its currency; empty for none.
func (b bodies) amount() string {
	if b.Amount == "" {
		return ""
	}
	return strings.TrimSpace(b.Amount + " " + b.Currency)
}

// change is what the operator did to an account, a licence or a subscription.
func (b bodies) change(v *frame.Visit) string {
	note := notes(known(v, "receipts.did", b.Did), b.amount(), labelled(v, "receipts.limit", b.Limit))
	if b.Quota != nil {
		note += " " + v.Say("receipts.quota", strconv.FormatInt(*b.Quota, 10)+" "+known(v, "grants.unit", b.Unit))
	}
	return note
}

// given is how much of what was asked for a platform got.
func (b bodies) given(v *frame.Visit) string {
	return v.Count("receipts.passages", b.Returned) + ", " + v.Count("receipts.tokens", b.Tokens)
}

// sent says of an event that it may be anybody's.
func (b bodies) sent(v *frame.Visit) string {
	if b.Unsigned {
		return v.Say("receipts.unsigned")
	}
	return ""
}

// known is a word of an entry as people say it; empty without one.
func known(v *frame.Visit, key, word string) string {
	if word == "" {
		return ""
	}
	return v.Term(key, word)
}

// notes puts together what there is of several notes.
func notes(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(note string) bool { return note == "" }), "; ")
}

// labelled is a text in the place of another; empty without a text.
func labelled(v *frame.Visit, key, text string) string {
	if text == "" {
		return ""
	}
	return v.Say(key, text)
}

// short is enough of a version to tell it from others.
func short(version string) string { return version[:min(12, len(version))] }
