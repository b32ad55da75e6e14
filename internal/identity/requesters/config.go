package requesters

import (
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section ramp.requesters: who may ask under RAMP, and who may sign up.
type Settings struct {
	// Registered lets in only requesters that signed up, or that you put in (`frontdesk ramp
	// requester add`). Otherwise everybody is let in whose signature is right.
	Registered bool `yaml:"registered"`
	// SignUp lets requesters sign up by themselves: anybody whose domain publishes the keys that
	// belong to the id.
	SignUp bool `yaml:"sign_up"`
	// SignUpRate is how often that may be tried from one address, and how often for one domain.
	SignUpRate string `yaml:"sign_up_rate" check:"rate"`
}

// AgentSettings is the section ramp.agent. It has this front desk publish the keys that `frontdesk
// keys agent` makes, at /.well-known/ramp-agent.json, so that an agent of yours can ask Exchanges
// in the name of this domain.
type AgentSettings struct {
	// Enabled says whether they are published. It needs nothing else of RAMP.
	Enabled bool `yaml:"enabled"`
	// ID is what the agent calls itself in requests (`requester.id`); without it, the host of
	// `url`, which lets it call itself anything.
	ID string `yaml:"id"`
	// Contact is an e-mail address for those whom it asks.
	Contact string `yaml:"contact" check:"email"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{SignUp: true, SignUpRate: "10/1h"} }

// Check looks at the id.
func (a AgentSettings) Check(r *yamlconf.Report) {
	if len(a.ID) > 128 || strings.TrimSpace(a.ID) != a.ID {
		r.Problem("id", "%q is no id of a requester; write up to 128 characters without blanks at the ends", a.ID)
	}
}

// DelegationSettings is the section ramp.delegation: what holds for requesters that act for
// somebody else, with a token of theirs.
type DelegationSettings struct {
	// KeyGrace is how long a token counts after its principal has stopped publishing the key that
	// signed it, so that keys can be changed without making all tokens anew.
	KeyGrace time.Duration `yaml:"key_grace" check:"1s..2160h"`
	// RevokedAbove is the price, in whatever currency, from which on nothing is sold under a
	// delegation that names a `revocation_uri` unless the list there was had within the last
	// minute. Below it, the list counts as far as it is known, and nobody waits for it. `"0"`
	// always asks.
	RevokedAbove string `yaml:"revoked_above" check:"amount"`
}

// DefaultDelegationSettings are those where nothing is said.
func DefaultDelegationSettings() DelegationSettings {
	return DelegationSettings{KeyGrace: DefaultKeyGrace, RevokedAbove: "1"}
}
