package broker

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

// behaviour is how a peer answers: see test/broker/peer.
type behaviour struct {
	Price  float64           `json:"price,omitempty"`
	Lists  []string          `json:"lists,omitempty"`
	Tricks map[string]string `json:"tricks,omitempty"`
	Times  int               `json:"times,omitempty"`
	Then   string            `json:"then,omitempty"`
	Lie    string            `json:"lie,omitempty"`
	Of     string            `json:"of,omitempty"`
	Only   string            `json:"only,omitempty"`
}

const peerProgram = "./test/broker/peer"

func startPeer(t testing.TB, args ...string) *process.Peer {
	t.Helper()
	return process.StartPeer(t, peerProgram, args...)
}

// domain is by which a peer is known.
func domain(p *process.Peer) string { return strings.TrimPrefix(p.Origin, "http://") }

// passedOver says why a Broker did not take what an Exchange offered; empty where it does not say.
func passedOver(t *testing.T, got *client.Resolved, exchange string) (why []string) {
	t.Helper()
	value, is := got.Answer.GetExt().GetFields()["ramp.passed"]
	if !is {
		return nil
	}
	text, err := value.MarshalJSON()
	var all []struct{ Exchange, URI, Why string }
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.Exchange == exchange {
			why = append(why, one.Why)
		}
	}
	return why
}

// soldBy is which Exchange sold what, by address.
func soldBy(got *client.Resolved) map[string]string {
	all := map[string]string{}
	for i := range got.Items {
		all[got.Items[i].URI] = got.Items[i].Exchange
	}
	return all
}

// TestBadExchangesCostTheOthersNothing asks a running Broker for two addresses at two good
// Exchanges and one that is cheaper and dead, slow, lying or flooding. What the good ones offer is
// bought all the same while the bad one still has not answered, the answer says what was wrong with
// it, and the Broker's memory stays within bounds. Without a trick the cheaper one sells, so that
// it is the tricks by which it does not.
func TestBadExchangesCostTheOthersNothing(t *testing.T) {
	t.Parallel()
	type trick struct {
		name string
		behaviour
		args []string // of the peer
		dead bool     // nobody listens
		why  string   // is told of it
	}
	at := func(name, does string) behaviour { return behaviour{Tricks: map[string]string{name: does}} }
	const query, late = "DiscoverResources", "did not answer in time|silent for too long"
	const unreachable = "it cannot be reached from here"
	tricks := []trick{
		{name: "none"},
		{name: "refuses connections", dead: true, why: unreachable},
		{name: "lets no connection come about", args: []string{"-hole"}, why: late},
		{name: "never shows its manifest", behaviour: at("ramp-exchange.json", "stall"), why: late},
		{name: "drips its manifest", behaviour: at("ramp-exchange.json", "drip"), why: late},
		{name: "has a manifest without end", behaviour: at("ramp-exchange.json", "endless"),
			why: "its answer broke off, or is larger than is read"},
		{name: "leads elsewhere", behaviour: at("ramp-exchange.json", "elsewhere"), why: unreachable},
		{name: "has the manifest of another", behaviour: behaviour{Lie: "manifest"}, why: "another domain"},
		{name: "never shows its keys", behaviour: at("keys", "stall"), why: late},
		{name: "never answers", behaviour: at(query, "stall"), why: late},
		{name: "drips", behaviour: at(query, "drip"), why: late},
		{name: "answers half and goes silent", behaviour: at(query, "half"), why: late},
		{name: "cuts its answer", behaviour: at(query, "cut"), why: "broke off"},
		{name: "hangs up", behaviour: at(query, "close"), why: unreachable},
		{name: "answers what is no answer", behaviour: at(query, "garbage"), why: "not RAMP v1"},
		{name: "leads queries elsewhere", behaviour: at(query, "elsewhere"), why: "307"},
		{name: "fails with many words", behaviour: at(query, "fail"), why: "larger"},
		{name: "answers 256 MiB", behaviour: at(query, "huge"), why: "larger"},
		{name: "answers without end", behaviour: at(query, "endless"), why: "larger"},
		{name: "answers a bomb", behaviour: at(query, "bomb"), why: "not RAMP v1"},
		{name: "offers 100,000 nothings", behaviour: at(query, "many"),
			why: "100000 of its offers are for addresses that were not asked for"},
		{name: "offers 50,000 groups of nothing", behaviour: at(query, "groups"),
			why: "50000 of its offers are for addresses that were not asked for"},
		{name: "answers without end of depth", behaviour: at(query, "deep"), why: "not RAMP v1"},
		{name: "changes prices after signing", behaviour: behaviour{Lie: "price"}, why: "not signed by the Exchange"},
		{name: "signs with a key that nobody knows", behaviour: behaviour{Lie: "signature"},
			why: "not signed by the Exchange"},
		{name: "has signatures that are none", behaviour: behaviour{Lie: "garbled"}, why: "signature"},
		{name: "gives out others' offers as its own", behaviour: behaviour{Lie: "others"},
			why: "not signed by the Exchange"},
		{name: "offers what ended", behaviour: behaviour{Lie: "past"}, why: "has ended"},
		{name: "offers what nobody asked for", behaviour: behaviour{Lie: "uris"},
			why: "2 of its offers are for addresses that were not asked for"},
		{name: "offers each a hundred times", behaviour: behaviour{Lie: "doubles"},
			why: "more offers than are looked at"},
		{name: "answers as another", behaviour: behaviour{Lie: "name"}, why: "another domain"},
		{name: "answers another query", behaviour: behaviour{Lie: "query"}, why: "another query"},
	}
	// nobody asks the last but who gives out its offers
	one, two, cheap := startPeer(t, "-key=1"), startPeer(t, "-key=2"), startPeer(t, "-key=3")
	var bad []*process.Peer
	lists := []string{one.Origin, two.Origin}
	for i, trick := range tricks {
		p := startPeer(t, append(trick.args, "-key", strconv.Itoa(10+i))...)
		bad, lists = append(bad, p), append(lists, p.Origin)
	}
	one.Set(behaviour{Lists: lists})
	two.Set(behaviour{Lists: lists})
	cheap.Set(behaviour{Price: 0.005})
	config, url := brokerConfig(t, "", one.Origin, two.Origin)
	server := process.Start(t, "broker", "--config", config, "--set", "broker.deadline=8s")
	uris, answers, errs := make([][]string, len(tricks)), make([]*client.Resolved, len(tricks)),
		make([]error, len(tricks))
	var wait sync.WaitGroup
	for i, trick := range tricks {
		p := bad[i]
		switch {
		case trick.dead:
			p.Kill()
		case trick.args == nil:
			trick.Price, trick.Of = 0.01, cheap.Origin
			p.Set(trick.behaviour)
		}
		uris[i] = []string{one.Origin + "/content/" + domain(p), two.Origin + "/content/" + domain(p)}
		wait.Go(func() {
			answers[i], errs[i] = openBroker(t, url).Resolve(t.Context(),
				&client.Resolving{URIs: uris[i], Exchanges: []string{domain(one), domain(two), domain(p)},
					Most: client.Price{Amount: 1, Currency: "USD"}})
		})
	}
	wait.Wait()
	for i, trick := range tricks {
		t.Run(trick.name, func(t *testing.T) {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			mine, sold := domain(bad[i]), soldBy(answers[i])
			for _, uri := range uris[i] {
				by := sold[uri]
				switch {
				case trick.why == "" && by != mine:
					t.Errorf("of whom plays no trick was not bought: %v", sold)
				case trick.why != "" && by != domain(one) && by != domain(two) &&
					(by != mine || trick.Lie != "doubles"):
					t.Errorf("%s was sold by %q; unsold are %v", uri, by, answers[i].Unsold)
				}
			}
			if why := passedOver(t, answers[i], mine); trick.why != "" &&
				!slices.ContainsFunc(why, func(one string) bool {
					return slices.ContainsFunc(strings.Split(trick.why, "|"),
						func(want string) bool { return strings.Contains(one, want) })
				}) {
				t.Errorf("it is told of it: %q, want %q", why, trick.why)
			}
		})
	}
	most := int64(384 << 20)
	if process.Race() {
		most *= 4
	}
	if rss := server.RSS(t); rss > most {
		t.Errorf("the Broker has %d MiB", rss>>20)
	} else {
		t.Logf("the Broker has %d MiB", rss>>20)
	}
}
