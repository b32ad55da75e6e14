package market

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"frontdesk/client"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/buyer"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// onThisMachine is where the market is.
var onThisMachine = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// actState is what the acts of a page go on with: the passages that came last, and the offer.
type actState struct {
	mu       sync.Mutex
	asked    *client.Publisher
	passages *client.Passages
	business *client.Provider
	offered  *client.Offered
}

// acts are what a person can have done, beside the agent's tools.
func (m *Market) acts() map[string]func(context.Context, []byte) (any, error) {
	return map[string]func(context.Context, []byte) (any, error){
		"retrieve": m.retrieve, "cite": m.cite, "submit": m.submit, "bind": m.bind,
	}
}

// Act does what a person asks for: a tool of the agent's (search, quote, buy, fetch, report,
// dispute, spending), or one of the acts retrieve and cite of the platform, and submit and bind of
// the agent at the business. The arguments of a tool may have one that the tool does not know: by,
// which is "broker" to buy through the Broker. The result is one JSON object; failed says that it
// is a failure, which says what to do.
func (m *Market) Act(ctx context.Context, name string, arguments []byte) (result []byte, failed, known bool) {
	defer m.hub.quiet(ctx)
	arguments, agent := m.by(arguments)
	for _, t := range agent.Tools() {
		if t.Name == name {
			out := t.Call(ctx, httpx.Call{Arguments: arguments})
			return out.Object, out.IsError, true
		}
	}
	act := m.acts()[name]
	if act == nil {
		return nil, false, false
	}
	out, err := act(ctx, arguments)
	if failed = err != nil; failed {
		out = map[string]string{"code": "failed", "message": err.Error()}
	}
	result, err = json.Marshal(out)
	if err != nil {
		return []byte(`{"code":"failed","message":"the result cannot be written"}`), true, true
	}
	return result, failed, true
}

// by takes the argument by off others, and gives who buys so. What cannot be read is left to the
// tool.
func (m *Market) by(arguments []byte) ([]byte, *buyer.Buyer) {
	var all map[string]json.RawMessage
	if json.Unmarshal(arguments, &all) != nil || all["by"] == nil {
		return arguments, m.agent
	}
	agent := m.agent
	if string(all["by"]) == `"broker"` {
		agent = m.brokered
	}
	delete(all, "by")
	rest, err := json.Marshal(all)
	if err != nil {
		return arguments, agent
	}
	return rest, agent
}

// retrieve asks a publisher for passages, as the platform.
func (m *Market) retrieve(ctx context.Context, arguments []byte) (any, error) {
	var asked struct {
		Publisher string `json:"publisher"`
		Query     string `json:"query"`
	}
	if err := strictjson.Decode(arguments, &asked); err != nil {
		return nil, err
	}
	label := ""
	for _, p := range publishers {
		if p.id == asked.Publisher {
			label = p.label
		}
	}
	if label == "" {
		return nil, fmt.Errorf("%.40q is no publisher of this market; there are review and almanac", asked.Publisher)
	}
	options, err := m.web("platform")
	if err != nil {
		return nil, err
	}
	p, err := client.OpenPublisher(ctx, m.address(asked.Publisher),
		client.Platform{ID: platformID, Key: m.platforms[asked.Publisher], RequireSigned: true}, options)
	if err != nil {
		return nil, err
	}
	got, err := p.Retrieve(ctx, client.Retrieval{Domain: label, Query: asked.Query})
	if err != nil {
		return nil, err
	}
	m.actState.mu.Lock()
	m.actState.asked, m.actState.passages = p, got
	m.actState.mu.Unlock()
	return map[string]any{"passages": got.Answer.Content.Chunks, "citations": got.Answer.Citations,
		"signed": got.Signed}, nil
}

// cite tells the publisher that its passages were shown.
func (m *Market) cite(ctx context.Context, _ []byte) (any, error) {
	m.actState.mu.Lock()
	p, passages := m.actState.asked, m.actState.passages
	m.actState.mu.Unlock()
	if passages == nil || len(passages.Answer.Citations) == 0 {
		return nil, errors.New("nothing was retrieved yet; retrieve first")
	}
	source := passages.Answer.Citations[0].SourceURL
	shown, err := passages.Shown(source, "answer")
	if err == nil {
		err = p.Cite(ctx, shown)
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"cited": source}, nil
}

// submit asks the business for an offer.
func (m *Market) submit(ctx context.Context, arguments []byte) (any, error) {
	options, err := m.web("agent")
	if err != nil {
		return nil, err
	}
	p, err := client.DiscoverIntakes(ctx, m.address("business"), client.IntakeAgent{Name: places["agent"].Name},
		options)
	if err != nil {
		return nil, err
	}
	offered, err := p.SubmitIntake(ctx, "boat-repair", client.Submission{Data: strictjson.Value(arguments)})
	if err != nil {
		return nil, err
	}
	m.actState.mu.Lock()
	m.actState.business, m.actState.offered = p, offered
	m.actState.mu.Unlock()
	return map[string]any{"offer": offered.Response.Offer}, nil
}

// bind accepts the offer that came last, in the name of the person who pressed the button.
func (m *Market) bind(ctx context.Context, arguments []byte) (any, error) {
	m.actState.mu.Lock()
	p, offered := m.actState.business, m.actState.offered
	m.actState.mu.Unlock()
	if offered == nil {
		return nil, errors.New("there is no offer yet; submit first")
	}
	confirmed, err := offered.Confirm(strictjson.Value(arguments), intake.ScopeBind)
	if err != nil {
		return nil, err
	}
	bound, err := p.BindOffer(ctx, confirmed)
	if err != nil {
		return nil, err
	}
	return map[string]any{"bound": json.RawMessage(bound.Raw)}, nil
}
