package requesters

import (
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section ramp.requesters: who may ask under RAMP, and who may sign up.
type Settings struct {
	// Registered lets in only requesters that signed up, or that you put in (`frontdesk ramp
	// requester add`). Otherwise everybody with a valid signature is let in.
	Registered bool `yaml:"registered"`
	// SignUp lets requesters sign up by themselves, if their domain publishes keys for the id.
	SignUp bool `yaml:"sign_up"`
	// SignUpRate limits attempts to sign up, by address and by domain.
	SignUpRate string `yaml:"sign_up_rate" check:"rate"`
}

// AgentSettings is the section ramp.agent. It has this front desk publish the keys that `frontdesk
// keys agent` makes, at /.well-known/ramp-agent.json, so that an agent of yours can ask Exchanges
// in the name of this domain.
type AgentSettings struct {
	// Enabled says whether the keys are published. It needs nothing else of RAMP.
	Enabled bool `yaml:"enabled"`
	// ID is the agent's name in requests (`requester.id`). Without it, it is the host of `url`, and
	// the agent may use any name.
	ID string `yaml:"id"`
	// Contact is an e-mail address for the Exchanges that the agent asks.
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
	// KeyGrace is how long a token stays valid after its principal stops publishing its key. So a
	// principal can change keys and keep its tokens.
	KeyGrace time.Duration `yaml:"key_grace" check:"1s..2160h"`
	// RevokedAbove is the price, in any currency, from which on a purchase needs a fresh list of
	// revocations (at most a minute old), if its delegation names a `revocation_uri`. Cheaper
	// purchases use the known list and do not wait. `"0"` always asks.
	RevokedAbove string `yaml:"revoked_above" check:"amount"`
}

// DefaultDelegationSettings are those where nothing is said.
func DefaultDelegationSettings() DelegationSettings {
	return DelegationSettings{KeyGrace: DefaultKeyGrace, RevokedAbove: "1"}
}
