package broker

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

// told is what a peer tells of itself: see test/broker/peer.
type told struct {
	Asked map[string]int
	Sales []string
}

// sale is one way in which an Exchange sells badly, and what an agent is to be told of it.
type sale struct {
	name string
	behaviour
	// What comes of it: "open" until it behaves, "elsewhere" where another sells it, "denied" where
	// nobody does, or "bought".
	want string
	why  string   // is told of it, where it was not bought there at first
	cost *charged // what is told to be charged for each; nil for what was offered
}

type charged struct {
	client.Price
	over bool // it is more than was offered
}

// badSales are ways to sell badly.
func badSales() []sale {
	does := func(what string) behaviour { return behaviour{Tricks: map[string]string{"ExecuteTransaction": what}} }
	lies := func(how string) behaviour { return behaviour{Lie: how} }
	unheard := func(b behaviour, then string) behaviour { // the answer to what it sells is lost, once
		b.Tricks, b.Times, b.Then = map[string]string{"ExecuteTransaction": "close"}, 1, then
		return b
	}
	all := []sale{
		{name: "none", want: "bought"},
		// It stalls, and breaks off.
		{name: "never answers", behaviour: does("stall"), want: "open", why: "in time"},
		{name: "answers half and goes silent", behaviour: does("half"), want: "open", why: "in time"},
		{name: "drips", behaviour: does("drip"), want: "open", why: "in time"},
		{name: "cuts its answer", behaviour: does("cut"), want: "open", why: "broke off|too large|cannot be reached"},
		{name: "hangs up", behaviour: does("close"), want: "open", why: "broke off|cannot be reached"},
		{name: "hangs up once", behaviour: unheard(behaviour{}, ""), want: "bought"},
		// It floods.
		{name: "answers without end", behaviour: does("endless"), want: "open", why: "broke off|in time"},
		{name: "answers 256 MiB", behaviour: does("huge"), want: "open", why: "broke off|in time"},
		{name: "answers a bomb", behaviour: does("bomb"), want: "open", why: "not RAMP v1|in time"},
		{name: "answers without end of depth", behaviour: does("deep"), want: "open", why: "not RAMP v1|in time"},
		{name: "fails with many words", behaviour: does("fail"), want: "open", why: "broke off|in time"},
		// It answers what is no answer.
		{name: "answers garbage", behaviour: does("garbage"), want: "open", why: "not RAMP v1"},
		{name: "leads elsewhere", behaviour: does("elsewhere"), want: "open", why: "307"},
		{name: "answers another purchase", behaviour: lies("purchase"), want: "open", why: "something else"},
		{name: "answers for other offers", behaviour: lies("items"), want: "open", why: "other offers"},
		{name: "answers for too few", behaviour: lies("fewer"), want: "open", why: "something else|no transaction_id"},
		{name: "answers for too many", behaviour: lies("further"), want: "open", why: "something else"},
		{name: "answers for one twice", behaviour: lies("twice"), want: "open", why: "something else|other offers"},
		{name: "has no transaction", behaviour: lies("nameless"), want: "open", why: "no transaction_id"},
		{name: "sells and denies", behaviour: lies("both"), want: "open", why: "denies what it sells"},
		{name: "charges less than nothing", behaviour: lies("negative"), want: "open", why: "not RAMP v1"},
		// It charges something else.
		{name: "charges more", behaviour: lies("dearer"), want: "bought",
			cost: &charged{client.Price{Amount: 0.5, Currency: "USD"}, true}},
		{name: "charges less", behaviour: lies("cheaper"), want: "bought",
			cost: &charged{client.Price{Amount: 0.005, Currency: "USD"}, false}},
		{name: "charges in another currency", behaviour: lies("currency"), want: "bought",
			cost: &charged{client.Price{Amount: 0.01, Currency: "EUR"}, true}},
		{name: "charges more than there is", behaviour: lies("boundless"), want: "open", why: "not RAMP v1"},
		// It denies.
		{name: "denies", behaviour: lies("denies"), want: "elsewhere", why: "CONTENT_UNAVAILABLE"},
		{name: "says that it has ended", behaviour: lies("ended"), want: "elsewhere", why: "OFFER_EXPIRED"},
		{name: "takes back what it sold unheard", behaviour: unheard(lies("takes back"), ""), want: "denied",
			why: "CONTENT_UNAVAILABLE"},
		{name: "names another transaction", behaviour: unheard(lies("renames"), ""), want: "bought"},
		// What it sells cannot be fetched.
		{name: "delivers nowhere", behaviour: lies("addressless"), want: "bought"},
		{name: "delivers elsewhere", behaviour: lies("host"), want: "bought"},
	}
	for _, one := range []struct{ answer, want string }{
		{"401 unauthenticated", "elsewhere"}, {"403 permission_denied", "elsewhere"},
		{"400 invalid_argument", "elsewhere"}, {"404 not_found", "elsewhere"}, {"409 already_exists", "open"},
		{"409 aborted", "open"}, {"429 resource_exhausted", "open"}, {"429 resource_exhausted 3600", "open"},
		{"500 internal", "open"}, {"503 unavailable 3600", "open"}, {"401", "open"}, {"403", "open"}, {"409", "open"},
		{"429", "open"}, {"429 - 3600", "open"}, {"500", "open"}, {"502", "open"}, {"503", "open"},
		{"503 - 3600", "open"},
	} {
		why := strings.Fields(one.answer)[min(1, strings.Count(one.answer, " "))]
		if status := strings.Fields(one.answer)[0]; why == "-" || why == status {
			why = "http_" + status
		}
		all = append(all, sale{name: "refuses with " + one.answer, behaviour: does("refuses " + one.answer),
			want: one.want, why: why})
	}
	// it has sold, and nobody heard of it
	for _, answer := range []string{"401 unauthenticated", "403 permission_denied", "404 not_found"} {
		all = append(all, sale{name: "sells unheard, and then refuses with " + answer,
			behaviour: unheard(behaviour{}, "refuses "+answer), want: "open", why: strings.Fields(answer)[1]})
	}
	return all
}

// TestBadSalesBuyNothingTwice has agents buy of Exchanges that offer best and sell badly, one
// address and two of them with one of another Exchange: each is told what was bought, denied or is
// open yet. What is denied for sure is bought of the next best; of what is open nothing is bought
// elsewhere, and what it may cost stays held. When the Exchange behaves again everything is known,
// was bought once, and the budget counts what was charged. What was told is told again.
func TestBadSalesBuyNothingTwice(t *testing.T) {
	t.Parallel()
	good := startPeer(t, "-key=1")
	lists := []string{good.Origin}
	var bad []*process.Peer
	for i := range 16 {
		p := startPeer(t, "-key", strconv.Itoa(10+i))
		bad, lists = append(bad, p), append(lists, p.Origin)
	}
	good.Set(behaviour{Price: 0.03, Lists: lists})
	hasty, patient := startBuyer(t, good, "500ms"), startBuyer(t, good, "1m")
	var wait sync.WaitGroup
	turns := make(chan *process.Peer, len(bad))
	for _, p := range bad {
		turns <- p
	}
	for _, one := range badSales() {
		for _, alone := range []bool{true, false} {
			b := &bargain{t: t, sale: one, alone: alone, good: good, bad: <-turns, broker: patient}
			if one.want == "open" {
				b.broker = hasty
			}
			wait.Go(func() {
				defer func() { turns <- b.bad }()
				if err := b.strikes(); err != nil {
					t.Errorf("%s, alone %v: %v", one.name, alone, err)
				}
			})
		}
	}
	wait.Wait()
}

// startBuyer starts a Broker that takes so long to buy.
func startBuyer(t *testing.T, good *process.Peer, within string) *client.Broker {
	config, url := brokerConfig(t, "limits: {rate: {address: \"\", failures: \"\"}}\nramp: {requester_rate: \"\"}\n",
		good.Origin)
	process.Start(t, "broker", "--config", config, "--set", "broker.deadline=20s", "--set", "broker.buy_within="+within)
	return openBroker(t, url)
}

// bargain is one request of which an Exchange sells badly.
type bargain struct {
	t *testing.T
	sale
	alone     bool
	good, bad *process.Peer
	broker    *client.Broker

	request client.Resolving
	mine    []string // addresses that the bad one offers best
	before  int      // purchases that it was asked for
}

// What things cost.
const badPrice, goodPrice, feeToo = 0.01, 0.03, 1.1

// strikes has an agent ask for something, while it is sold badly and after.
func (b *bargain) strikes() error {
	id := client.NewPurchase()
	address := b.good.Origin + "/content/" + id
	b.mine = []string{address + "/mine-1"}
	b.request = client.Resolving{ID: id, URIs: b.mine, Scope: id, Budget: client.Price{Amount: 100, Currency: "USD"},
		Exchanges: []string{domain(b.good), domain(b.bad)}}
	if !b.alone {
		b.mine = append(b.mine, address+"/mine-2")
		b.request.URIs = []string{b.mine[0], address + "/other", b.mine[1]}
	}
	b.Price, b.Only = badPrice, "/mine-"
	b.bad.Set(b.behaviour)
	b.before = b.asked()
	first, err := b.whileBad()
	if err != nil {
		return fmt.Errorf("while it sells badly: %w", err)
	}
	b.bad.Set(behaviour{Price: badPrice, Only: "/mine-"})
	for range 2 {
		last, err := b.known()
		if err != nil {
			return fmt.Errorf("when it behaves: %w", err)
		}
		if first != nil && first.got != nil && (last.got == nil || !proto.Equal(first.got.Answer, last.got.Answer)) {
			return fmt.Errorf("it is told otherwise later: %v and then %v", first.got.Answer, last)
		}
		if err := b.holds(last); err != nil {
			return fmt.Errorf("when it behaves: %w", err)
		}
		first = last
	}
	return nil
}

// heard is what an agent was told: one of both.
type heard struct {
	got *client.Resolved
	err *client.ExchangeError
}

func (h *heard) String() string {
	if h.err != nil {
		return h.err.Error()
	}
	return h.got.Answer.String()
}

func (h *heard) open() []string {
	if h.got == nil {
		return nil
	}
	return h.got.Open
}

// ask asks once. The error is of what may not be told.
func (b *bargain) ask() (*heard, error) {
	r := b.request
	got, err := b.broker.Resolve(b.t.Context(), &r)
	var failed *client.ExchangeError
	if err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	return &heard{got, failed}, nil
}

// whileBad asks while the Exchange sells badly, and gives what is known for good.
func (b *bargain) whileBad() (out *heard, err error) {
	err = insists(func() (lost, err error) {
		h, err := b.ask()
		switch {
		case err != nil:
			return nil, err
		case b.want != "open":
			if h.err != nil && h.err.Code == "unavailable" || len(h.open()) > 0 {
				return errors.New("it is open"), nil
			}
			out = h
			return nil, b.holds(h)
		case b.alone && (h.err == nil || h.err.Code != "unavailable"):
			return nil, fmt.Errorf("it is told as %v", h)
		case b.alone:
			return b.saysWhy(h.err.Message), b.isHeld(0)
		case h.err != nil && h.err.Code == "unavailable", slices.Contains(h.open(), b.request.URIs[1]):
			return errors.New("the other one is open, too"), nil
		case h.err != nil || len(h.got.Items) != 1 || h.got.Items[0].Exchange != domain(b.good) ||
			len(h.got.Unsold) != 0 || !slices.Equal(h.got.Open, b.mine):
			return nil, fmt.Errorf("it is told as %v", h)
		}
		return b.saysWhy(strings.Join(passedOver(b.t, h.got, domain(b.bad)), "; ")), b.isHeld(goodPrice * feeToo)
	})
	return out, err
}

// saysWhy says what is missing where an answer does not say what is wrong, or nobody was asked
// often enough.
func (b *bargain) saysWhy(text string) error {
	least := b.before + 1
	if b.Then != "" {
		least++
	}
	if n := b.asked(); n < least {
		return fmt.Errorf("it was asked %d times", n-b.before)
	}
	for _, why := range strings.Split(b.why, "|") {
		if strings.Contains(text, why) {
			return nil
		}
	}
	return fmt.Errorf("it is told why: %q, want %q", text, b.why)
}

// isHeld says what is wrong of a budget that has spent so much, and holds what is open. Nothing of
// it was bought elsewhere.
func (b *bargain) isHeld(spent float64) error {
	if n := count(b.good, b.mine); n != 0 {
		return fmt.Errorf("%d of it were bought elsewhere", n)
	}
	s, h, err := b.purse()
	if err != nil || !near(s, spent) || !near(h, badPrice*feeToo*float64(len(b.mine))) {
		return fmt.Errorf("the budget has spent %v, and holds %v: %v", s, h, err)
	}
	return nil
}

// known asks until nothing is open.
func (b *bargain) known() (out *heard, err error) {
	err = insists(func() (lost, err error) {
		if out, err = b.ask(); err == nil && (out.err != nil && out.err.Code == "unavailable" || len(out.open()) > 0) {
			lost = fmt.Errorf("it is open: %v", out)
		}
		return lost, err
	})
	return out, err
}

// holds says what is wrong of what was told for good, of the books and of the budget.
func (b *bargain) holds(h *heard) error {
	by := map[string]string{}
	for _, uri := range b.request.URIs {
		by[uri] = domain(b.good)
	}
	sold := 1
	for _, uri := range b.mine {
		switch b.want {
		case "open", "bought":
			by[uri] = domain(b.bad)
		case "denied":
			delete(by, uri)
		case "elsewhere":
			sold = 0
		}
	}
	if n := count(b.bad, b.mine); n != sold*len(b.mine) {
		return fmt.Errorf("it has sold %d times", n)
	}
	if n := count(b.good, b.request.URIs); n != len(b.request.URIs)-sold*len(b.mine) {
		return fmt.Errorf("the other one has sold %d times", n)
	}
	if len(by) == 0 { // all was denied
		if h.err == nil || h.err.Code != "failed_precondition" || !strings.Contains(h.err.Message, b.why) {
			return fmt.Errorf("it is told as %v", h)
		}
		return b.hasSpent(0)
	}
	if h.err != nil || len(h.got.Items) != len(by) || len(h.got.Open) != 0 ||
		len(h.got.Unsold) != len(b.request.URIs)-len(by) {
		return fmt.Errorf("it is told as %v", h)
	}
	if why := passedOver(b.t, h.got, domain(b.bad)); (b.want == "elsewhere" || b.want == "denied") &&
		!strings.Contains(strings.Join(why, ";"), b.why) {
		return fmt.Errorf("it is told why: %q, want %q", why, b.why)
	}
	spent := 0.0
	for i := range h.got.Items {
		item := &h.got.Items[i]
		if item.Exchange != by[item.URI] {
			return fmt.Errorf("%s was sold by %q", item.URI, item.Exchange)
		}
		n, err := b.costs(item)
		if err != nil {
			return fmt.Errorf("%s: %w", item.URI, err)
		}
		spent += n
	}
	return b.hasSpent(spent)
}

// costs is what an item costs with the fee, as a budget in USD has it, and what is wrong of how
// that is told.
func (b *bargain) costs(item *client.ResolvedItem) (float64, error) {
	price, want := goodPrice, (*charged)(nil)
	if item.Exchange == domain(b.bad) {
		price, want = badPrice, b.cost
	}
	if !near(item.GetBrokerFee().GetAmount(), price*(feeToo-1)) {
		return 0, fmt.Errorf("the fee is %v", item.BrokerFee)
	}
	told, over := item.GetExt().GetFields()["ramp.overcharged"].GetStructValue().GetFields(), item.Overcharged()
	if want == nil {
		want = &charged{client.Price{Amount: price, Currency: "USD"}, false}
	}
	switch {
	case !near(item.GetCost().GetAmount(), want.Amount) || item.GetCost().GetCurrency() != want.Currency:
		return 0, fmt.Errorf("it is told to cost %v", item.Cost)
	case want.over != (over != nil) || want.over && !errors.Is(over, client.ErrOvercharged):
		return 0, fmt.Errorf("that it costs %v in place of %v is told as %v", want.Price, price, over)
	case !want.over && told != nil:
		return 0, fmt.Errorf("it is told as overcharged: %v", told)
	case want.over:
		offered, charged := told["offered"].GetStructValue().GetFields(), told["charged"].GetStructValue().GetFields()
		if !near(offered["amount"].GetNumberValue(), price) || offered["currency"].GetStringValue() != "USD" ||
			!near(charged["amount"].GetNumberValue(), want.Amount) ||
			charged["currency"].GetStringValue() != want.Currency {
			return 0, fmt.Errorf("it is told as overcharged: %v", told)
		}
	}
	if want.Currency != "USD" { // nobody knows what it is worth
		return price * feeToo, nil
	}
	return want.Amount + price*(feeToo-1), nil
}

// hasSpent says what is wrong of a budget of which so much is spent, and nothing held.
func (b *bargain) hasSpent(want float64) error {
	if spent, held, err := b.purse(); err != nil || !near(spent, want) || held != 0 {
		return fmt.Errorf("the budget has spent %v in place of %v, and holds %v: %v", spent, want, held, err)
	}
	return nil
}

// purse is how the budget of the request stands, by asking for what it does not allow.
func (b *bargain) purse() (spent, held float64, err error) {
	r := client.Resolving{URIs: []string{b.good.Origin + "/content/palace/1"}, Scope: b.request.Scope,
		Budget: b.request.Budget, Exchanges: b.request.Exchanges[:1]}
	_, err = b.broker.Resolve(b.t.Context(), &r)
	return standingOf(err)
}

// asked is how often the Exchange was asked to sell something.
func (b *bargain) asked() int {
	var t told
	b.bad.Report(&t)
	return t.Asked["ExecuteTransaction"]
}

// count is how often some addresses were sold.
func count(p *process.Peer, of []string) (n int) {
	var t told
	p.Report(&t)
	for _, uri := range t.Sales {
		if slices.Contains(of, uri) {
			n++
		}
	}
	return n
}
