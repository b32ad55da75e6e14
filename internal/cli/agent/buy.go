package agent

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// BuyerFlags say who buys.
type BuyerFlags struct {
	command.ConfigFlags
	As         string   `placeholder:"DOMAIN/ID" help:"The agent: the domain that publishes its keys, and its id. Without it, the domain of url and ramp.agent.id."`
	Scope      []string `placeholder:"SCOPE" help:"An entitlement to ask for, such as news.example:premium; may be repeated."`
	License    string   `placeholder:"ID" help:"A licence or subscription that the Exchange gave you."`
	Delegation string   `placeholder:"FILE" help:"Act for whoever gave you this delegation, which frontdesk ramp delegate made."`
	Unsigned   bool     `help:"Sign nothing, for an Exchange on trial that does not ask for it."`

	verifiers []string // whom the buyer trusts, where that is asked
}

// open opens an Exchange as the buyer, whose key is the agent's in the folder of secrets.
func (f BuyerFlags) open(env *command.Environment, address string) (*client.Exchange, error) {
	buyer, err := f.AsBuyer(env)
	if err != nil {
		return nil, err
	}
	options, err := f.options(env)
	if err != nil {
		return nil, err
	}
	x, err := client.OpenExchange(env.Ctx, address, buyer, options)
	return x, explainedExchange(err)
}

// AsBuyer is who buys.
func (f BuyerFlags) AsBuyer(env *command.Environment) (client.Buyer, error) {
	buyer := client.Buyer{Scopes: f.Scope, Licence: f.License, Verifiers: f.verifiers}
	if f.Delegation != "" {
		text, err := os.ReadFile(f.Delegation)
		if err == nil {
			buyer.Delegation, err = client.ReadDelegation(text)
		}
		if err != nil {
			return buyer, fmt.Errorf("--delegation %s: %w", f.Delegation, err)
		}
	}
	if f.As != "" {
		var ok bool
		if buyer.Domain, buyer.ID, ok = strings.Cut(f.As, "/"); !ok || buyer.Domain == "" || buyer.ID == "" {
			return buyer, command.Usage("--as %s is nobody; write DOMAIN/ID, like buyer.example.com/research-bot", f.As)
		}
	}
	if f.As != "" && f.Unsigned {
		return buyer, nil
	}
	return buyer, f.know(env, &buyer)
}

// options are those of a client that buys, and says by its requests' signatures whose it is.
func (f BuyerFlags) options(env *command.Environment) (client.Options, error) {
	options := buying()
	if f.Unsigned {
		return options, nil
	}
	var err error
	options.Agent, err = f.OwnAgent(env)
	return options, err
}

// buying are the options of a client that buys.
func buying() client.Options {
	transport := command.NewTransport()
	transport.DisableKeepAlives = true // a person thinks between two requests
	return client.Options{HTTP: &http.Client{Transport: transport}, UserAgent: command.UserAgent}
}

// know takes the buyer's name and key from this front desk.
func (f BuyerFlags) know(env *command.Environment, buyer *client.Buyer) error {
	program, loaded, err := command.OpenKeys(env, f.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	if buyer.ID == "" {
		if buyer.ID = loaded.Config.AgentID(); buyer.ID == "" {
			return command.Usage("nobody asks; give --as DOMAIN/ID, or set url and ramp.agent.id in the configuration")
		}
		buyer.Domain = buyer.ID
		if u, err := url.Parse(loaded.Config.URL); err == nil && u.Host != "" {
			buyer.Domain = u.Host
		}
	}
	if f.Unsigned {
		return nil
	}
	id, signer, ok := program.AgentKeys.Current()
	key, isKey := signer.(ed25519.PrivateKey)
	if !ok || !isKey {
		return errors.New("the agent has no key yet: run `frontdesk keys agent`, " +
			"and publish what it prints; or ask with --unsigned")
	}
	buyer.Key, buyer.KeyID = key, id
	return nil
}

// explainedExchange is an error of an Exchange for a terminal.
func explainedExchange(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(command.Clean(err.Error()))
}

// Discover shows what an Exchange offers.
type Discover struct {
	Exchange string   `arg:"" help:"The Exchange's address, such as https://exchange.example.com."`
	URI      []string `arg:"" name:"uri" help:"Addresses of content to ask offers for."`
	BuyerFlags
	Use      []string `placeholder:"FUNCTION" help:"What it is for: ai-input, search, ai-index, ai-train; may be repeated."`
	Verifier []string `placeholder:"DOMAIN" help:"Whose word on other people's content you take, such as verifier.example.com; may be repeated. Without any, that of providers on their own alone."`
	Verify   bool     `default:"true" negatable:"" help:"Check the attestations of offers, with the keys that providers and --verifier publish."`
	JSON     bool     `name:"json" help:"Print each offer with its level of attestation."`
}

// Help is the command's example.
func (Discover) Help() string {
	return "Every offer's signature is verified with the Exchange's keys; those that are not good are passed over, " +
		"and said. Level 1 is what a provider itself attests of its content, " +
		"level 2 what a --verifier does, level 0 is that nobody does whose word holds.\n\n" +
		"Example:\n\n\tfrontdesk ramp discover https://exchange.example.com https://www.example.com/lamp --use ai-input"
}

// Run shows what is offered.
func (c Discover) Run(env *command.Environment) error {
	c.verifiers = c.Verifier
	x, err := c.open(env, c.Exchange)
	if err != nil {
		return err
	}
	quotes, err := x.Discover(env.Ctx, client.Wanted{URIs: c.URI, Uses: c.Use})
	if err != nil {
		return explainedExchange(err)
	}
	offers := 0
	for _, q := range quotes.All {
		for _, why := range q.Passed {
			fmt.Fprintf(env.Stderr, "%s: %s\n", command.Clean(q.URI), command.Clean(why.Error()))
		}
		offers += len(q.Offers)
		if len(q.Offers) == 0 && !c.JSON {
			env.Print("%s: no offer, %s\n", command.Clean(q.URI), inWords(q.Absence.String(), "OFFER_ABSENCE_REASON_"))
		}
		for _, offer := range q.Offers {
			if err := c.show(env, x, q.URI, offer); err != nil {
				return err
			}
		}
	}
	if offers == 0 {
		return errors.New("nothing is offered")
	}
	return nil
}

// shownOffer is an offer as it is printed in JSON.
type shownOffer struct {
	URI          string             `json:"uri"`
	Level        *int               `json:"attestation_level,omitempty"` // where it was looked at
	Attestations []shownAttestation `json:"attestations,omitempty"`
	Offer        json.RawMessage    `json:"offer"`
}

// shownAttestation is what is told of an attestation beside what stands in the offer.
type shownAttestation struct {
	Verifier string `json:"verifier"`
	Kid      string `json:"kid"`
	Level    int    `json:"level"`
	Problem  string `json:"problem,omitempty"`
}

// show prints an offer with what is attested of it.
func (c Discover) show(env *command.Environment, x *client.Exchange, uri string, offer *rampv1.Offer) error {
	level, all := 0, []client.Attestation(nil)
	if c.Verify {
		var err error
		if level, all, err = x.Attestations(env.Ctx, uri, offer); err != nil {
			return err
		}
	}
	if !c.JSON {
		env.Print("%s: %s\n", command.Clean(uri), describedOffer(offer))
		switch n := len(offer.Attestations); {
		case c.Verify:
			env.Print("  level %d of attestation\n", level)
		case n > 0:
			env.Print("  %d attestations, not verified\n", n)
		}
		for _, a := range all {
			env.Print("  %s\n", describedAttestation(a))
		}
		return nil
	}
	text, err := ramp.Marshal(offer)
	if err != nil {
		return err
	}
	out := shownOffer{URI: uri, Offer: text}
	if c.Verify {
		out.Level = &level
	}
	for _, a := range all {
		one := shownAttestation{Verifier: a.GetVerifier(), Kid: a.GetKid(), Level: a.Level}
		if a.Problem != nil {
			one.Problem = a.Problem.Error()
		}
		out.Attestations = append(out.Attestations, one)
	}
	line, err := json.Marshal(out)
	if err == nil {
		env.Print("%s\n", line)
	}
	return err
}

// describedAttestation is an attestation in a line: by whom, when, and what it claims, or why it
// does not hold.
func describedAttestation(a client.Attestation) string {
	by := fmt.Sprintf("%s at %s", command.Clean(a.GetVerifier()), command.Clean(ramp.AttestedAt(a.ResourceAttestation)))
	if a.Problem != nil {
		return by + ": does not hold: " + command.Clean(a.Problem.Error())
	}
	return fmt.Sprintf("%s, level %d: %s", by, a.Level, claimsOf(a.ResourceAttestation))
}

// claimsOf are the claims of an attestation in a line, by their names.
func claimsOf(a *rampv1.ResourceAttestation) string {
	claims := a.GetClaims().GetFields()
	words := make([]string, 0, len(claims))
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		text, err := json.Marshal(claims[name].AsInterface())
		if err != nil {
			continue
		}
		words = append(words, command.Clean(name+" "+string(text)))
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// inWords writes the name of an enum's value for people.
func inWords(name, prefix string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", " "))
}

// describedOffer is an offer in a line.
func describedOffer(o *rampv1.Offer) string {
	words := []string{command.Clean(o.GetPackage().GetTitle()), priceOf(o)}
	if o.GetSubscriptionId() != "" {
		words = append(words, "under "+command.Clean(o.GetSubscriptionId()))
	}
	if r := o.GetReporting(); r.GetRequired() {
		words = append(words, "its use to be reported within "+yamlconf.Span(r.GetWindow().AsDuration()))
	}
	if o.ExpiresAt != nil {
		words = append(words, "until "+o.ExpiresAt.AsTime().Format(time.RFC3339))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "; ")
}

// priceOf is an offer's price in words.
func priceOf(o *rampv1.Offer) string {
	p := o.GetPricing()
	model := inWords(p.GetModel().String(), "PRICING_MODEL_")
	if p.GetRate() == 0 {
		return model
	}
	text := fmt.Sprintf("%s, %s %s", model, number(p.GetRate()), command.Clean(p.GetCurrency()))
	if n, most := p.GetEstimatedQuantity(), client.CostOf(o); n > 0 && most.Amount != p.GetRate() {
		text += fmt.Sprintf(", about %d %s: %s", n, command.Clean(p.GetUnit()), command.Clean(most.String()))
	}
	return text
}

// number writes an amount without needless zeros.
func number(n float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.8f", n), "0"), ".")
}

// Buy buys from an Exchange, and fetches what was bought.
type Buy struct {
	Exchange string `arg:"" help:"The Exchange's address, such as https://exchange.example.com."`
	URI      string `arg:"" name:"uri" help:"The address of the content."`
	BuyerFlags
	Use  []string `placeholder:"FUNCTION" help:"What it is for: ai-input, search, ai-index, ai-train; may be repeated."`
	Most float64  `placeholder:"AMOUNT" help:"Pay no more than this, in the offer's currency."`
	Yes  bool     `help:"Buy without asking."`
	Out  string   `placeholder:"FILE" help:"Write the content here; without it, to standard output."`
	Save string   `placeholder:"FILE" help:"Keep the purchase here, which reporting its use needs."`
}

// Help is the command's example.
func (Buy) Help() string {
	return "The cheapest offer is taken, and first one under a subscription of yours. " +
		"What is fetched is held against the hash that the offer tells.\n\n" +
		"Example:\n\n\tfrontdesk ramp buy https://exchange.example.com https://www.example.com/lamp --use ai-input " +
		"--most 0.05 --save lamp.json > lamp.txt"
}

// Run buys, and fetches what it bought.
func (c Buy) Run(env *command.Environment) error {
	x, err := c.open(env, c.Exchange)
	if err != nil {
		return err
	}
	offer, err := c.cheapest(env, x)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "%s\n", describedOffer(offer))
	if cost := client.CostOf(offer); c.Most > 0 && cost.Amount > c.Most {
		return fmt.Errorf("it would cost %s, which is more than --most", command.Clean(cost.String()))
	}
	if !c.Yes {
		if sure, err := command.Confirmed(env, "Buy it?"); err != nil || !sure {
			return err
		}
	}
	id := client.NewPurchase()
	if err := keepPurchase(c.Save,
		&client.Purchase{Exchange: c.Exchange, ID: id, URI: c.URI, Offer: offer}); err != nil {
		return err
	}
	all, err := x.Buy(env.Ctx, id, offer)
	if err != nil {
		return explainedExchange(fmt.Errorf("purchase %s: %w", id, err))
	}
	bought := &all[0]
	if bought.Denied() {
		return fmt.Errorf("the Exchange does not sell it: %s", inWords(bought.Denial.String(), "DENIAL_REASON_"))
	}
	if cost := bought.Result.GetCost(); cost != nil {
		fmt.Fprintf(env.Stderr, "Bought for %s %s: %s\n", number(cost.Amount), command.Clean(cost.Currency),
			command.Clean(bought.Result.TransactionId))
	} else {
		fmt.Fprintf(env.Stderr, "Bought: %s\n", command.Clean(bought.Result.TransactionId))
	}
	if err := keepPurchase(c.Save,
		&client.Purchase{Exchange: c.Exchange, ID: id, URI: c.URI, Offer: offer, Result: bought.Result}); err != nil {
		return err
	}
	if offer.DeliveryMethod == rampv1.DeliveryMethod_DELIVERY_METHOD_STREAMING {
		fmt.Fprintln(env.Stderr, "It is told as a stream: open this address with an EventSource or a WebSocket, "+
			"or with curl -N and Accept: text/event-stream.")
		env.Print("%s\n", command.Clean(bought.URL()))
		return nil
	}
	content, err := x.Fetch(env.Ctx, bought)
	if content == nil {
		return explainedExchange(err)
	}
	return writeContent(env, c.Out, content, err)
}

// cheapest is the offer that is taken.
func (c Buy) cheapest(env *command.Environment, x *client.Exchange) (*rampv1.Offer, error) {
	quotes, err := x.Discover(env.Ctx, client.Wanted{URIs: []string{c.URI}, Uses: c.Use})
	if err != nil {
		return nil, explainedExchange(err)
	}
	var best *rampv1.Offer
	why := "the Exchange says nothing of it"
	for _, q := range quotes.All {
		for _, passed := range q.Passed {
			fmt.Fprintf(env.Stderr, "%s\n", command.Clean(passed.Error()))
		}
		why = inWords(q.Absence.String(), "OFFER_ABSENCE_REASON_")
		for _, offer := range q.Offers {
			if best == nil || client.CostOf(offer).Amount < client.CostOf(best).Amount {
				best = offer
			}
		}
	}
	if best == nil {
		return nil, fmt.Errorf("nothing is offered: %s", why)
	}
	return best, nil
}

// ReportUse reports the use of something bought.
type ReportUse struct {
	File string `arg:"" help:"The purchase that fetch or buy kept with --save."`
	BuyerFlags
	Quantity int      `required:"" placeholder:"NUMBER" help:"How much was used, in the offer's unit."`
	Use      []string `placeholder:"FUNCTION" help:"What it was used for: ai-input, search, ai-index, ai-train; may be repeated."`
	ID       string   `name:"id" placeholder:"ID" help:"The id of the report; sent again under it, it counts once."`
	usageFlags
}

// Help is the command's example.
func (ReportUse) Help() string {
	return "What the report must say is told by the purchase; --displayed-url and " +
		"--citation tell how the source was named, --revenue what was earned.\n\n" +
		"Examples:\n\n\tfrontdesk ramp report lamp.json --quantity 17 --use ai-input\n" +
		"\tfrontdesk ramp report lamp.json --quantity 1 --use ai-input --displayed-url " +
		"https://www.example.com/lamp --citation link"
}

// Run reports.
func (c ReportUse) Run(env *command.Environment) error {
	p, err := readPurchase(c.File)
	if err == nil && p.Transaction() == "" {
		err = fmt.Errorf("%s holds a purchase that is not known to be made; go on with it by "+
			"`frontdesk ramp fetch --resume`", c.File)
	}
	if err != nil {
		return err
	}
	use, err := c.use(c.Use)
	if err != nil {
		return err
	}
	use.ID, use.Quantity, use.RequestID = c.ID, c.Quantity, p.ID
	x, err := c.open(env, p.Exchange)
	if err != nil {
		return err
	}
	if use.ID == "" && p.ID != "" {
		use.ID = p.ID + "-report" // as fetch has it, so that there is one
	}
	id, err := x.Report(env.Ctx, &client.Bought{Offer: p.Offer, Result: p.Result}, use)
	if err != nil {
		return explainedExchange(err)
	}
	env.Print("Reported: %s\n", command.Clean(id))
	p.Reported = id
	return keepPurchase(c.File, p)
}
