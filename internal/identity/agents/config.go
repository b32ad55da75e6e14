package agents

import (
	"slices"
	"strings"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/sign/botauth"
)

// Settings is the section agents: which automated clients are told apart.
type Settings struct {
	// Verify says whether signatures of Web Bot Auth are verified. Frontdesk then fetches the
	// directory of keys that a request names. Without it, agents are known by their own word only.
	Verify bool `yaml:"verify"`
	// Allow are networks (`127.0.0.0/8`) and addresses that are not public, and from which
	// directories may be fetched: for a trial on one machine. The sender of a request chooses the
	// address, so allow no network with services that strangers must not reach.
	Allow []string `yaml:"allow" check:"network"`
	// Sign signs this front desk's own requests, as an agent: to read sources, and to ask Exchanges
	// as a buyer or a Broker. Its keys are published below `url`. It signs only if that is an https
	// address.
	Sign bool `yaml:"sign"`
	// Known are further agents, yours or others'. They come before the program's own list.
	Known []KnownSettings `yaml:"known"`
}

// KnownSettings is an agent of the list.
type KnownSettings struct {
	// Operator is the name of the agent's operator.
	Operator string `yaml:"operator,required"`
	// Origin is the operator's origin, such as `https://bots.example.com`: the host of its keys, or
	// a host above it.
	Origin string `yaml:"origin,required"`
	// Origins are further origins where the operator publishes keys.
	Origins []string `yaml:"origins" check:"count=0..20"`
	// Kind is what the agent does: `training`, `search`, `assistant` or `data`.
	Kind string `yaml:"kind,required" check:"oneof=training search assistant data"`
	// UserAgent is a word of its user agent, such as `ExampleBot`. Rules name the agent by it.
	UserAgent string `yaml:"user_agent,required"`
	// Addresses are the networks (`192.0.2.0/24`) and addresses of its requests. A request from
	// there with the agent's name in its user agent is known by its address.
	Addresses []string `yaml:"addresses" check:"network"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{Verify: true, Sign: true} }

// Check looks at the agents.
func (s Settings) Check(r *yamlconf.Report) {
	for i, k := range s.Known {
		path := yamlconf.Index("known", i)
		isOrigin := func(at, origin string) {
			if _, _, err := botauth.Address(origin); err != nil ||
				strings.Count(strings.TrimSuffix(origin, "/"), "/") != 2 {
				r.Problem(path+at, "%q is no origin; write it like https://bots.example.com", origin)
			}
		}
		isOrigin(".origin", k.Origin)
		for i, further := range k.Origins {
			isOrigin(yamlconf.Index(".origins", i), further)
		}
		if word := k.UserAgent; len(word) < 3 || len(word) > 64 ||
			strings.ContainsFunc(word, func(c rune) bool { return c < ' ' || c > '~' }) {
			r.Problem(path+".user_agent", "%q is no word of a user agent; write 3 to 64 characters, like ExampleBot",
				word)
		}
	}
}

// List are the settings' agents.
func (s Settings) List() (list []Known) {
	plain := func(origin string) string { return strings.ToLower(strings.TrimSuffix(origin, "/")) }
	for _, k := range s.Known {
		known := Known{Operator: k.Operator, Origin: plain(k.Origin), Kind: k.Kind,
			UserAgent: k.UserAgent, Source: "the configuration", Addresses: fetch.Networks(k.Addresses)}
		for _, further := range k.Origins {
			known.Further = append(known.Further, plain(further))
		}
		list = append(list, known)
	}
	return list
}

// All are the settings' agents, and behind them those that are built in.
func (s Settings) All() []Known { return slices.Concat(s.List(), BuiltIn) }

// OperatorAt is the origin of the operator that has keys at an origin; empty for none of the list.
func (s Settings) OperatorAt(origin string) string {
	if known := newList(s.List()).byOrigin(origin); known != nil {
		return known.Origin
	}
	return ""
}

// Names are the names that rules may use for agents.
func (s Settings) Names() (names []string) {
	for _, k := range s.All() {
		names = append(names, k.UserAgent)
	}
	return names
}

// Operators are the origins of all operators of the list.
func (s Settings) Operators() map[string]bool {
	origins := map[string]bool{}
	for _, k := range s.All() {
		origins[k.Origin] = true
	}
	delete(origins, "") // of those that nobody is known to run
	return origins
}
