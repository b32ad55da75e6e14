package edge

import (
	"fmt"

	"frontdesk/wire/strictjson"
)

// PolicyPath is where an edge asks to whom the paths of a host are open: what an access policy of
// RAMP v1 does not say. Request and answer are signed as those of a batch are, under the request's
// id.
const PolicyPath = "/exchange/v1/edge-policy"

// MaxPolicy bounds the text of a GatePolicy.
const MaxPolicy = 4 << 20

// PartialHeader is of an access policy (RAMP v1) that does not say all: with Partial as its value,
// gates are told more under PolicyPath, and who goes by the access policy alone may let agents have
// what others decide on.
const (
	PartialHeader = "Frontdesk-Access-Policy"
	Partial       = "partial"
)

// GateRequest asks for the policy of a host.
type GateRequest struct {
	ID   string `json:"id"`   // as Delivery.ID
	Host string `json:"host"` // such as www.example.com
}

// GatePolicy is how far the paths of a host are open, and to whom. The first rule that fits a path
// counts, and the last one fits all.
type GatePolicy struct {
	ID    string     `json:"id"` // of the request
	Rules []GateRule `json:"rules"`
}

// GateRule is a rule of a GatePolicy.
type GateRule struct {
	// Pattern is of paths: a star stands for any run of characters, slashes among them.
	Pattern string `json:"pattern"`
	Access  string `json:"access"` // open, licensed or blocked
	// Parties say whom the rule is for: those whom each of them admits. To others the paths are
	// blocked.
	Parties []Parties `json:"parties,omitempty"`
}

// Parties are some of those who ask, in the words of the terms.
type Parties struct {
	Permit   []string `json:"permit,omitempty"`
	Prohibit []string `json:"prohibit,omitempty"`
}

// ReadGateRequest reads a request.
func ReadGateRequest(text []byte) (r GateRequest, err error) {
	if err = strictjson.Decode(text, &r); err == nil && !isID(r.ID) {
		err = fmt.Errorf("id: it has 1 to 64 letters, digits, - and _")
	}
	return r, err
}

// ReadGatePolicy reads the answer.
func ReadGatePolicy(text []byte) (p GatePolicy, err error) {
	if err = strictjson.Decode(text, &p); err != nil {
		return p, err
	}
	for n, rule := range p.Rules {
		if rule.Access != "open" && rule.Access != "licensed" && rule.Access != "blocked" {
			return p, fmt.Errorf("rules/%d/access: it is open, licensed or blocked", n)
		}
	}
	if len(p.Rules) == 0 {
		err = fmt.Errorf("rules: there is none")
	}
	return p, err
}
