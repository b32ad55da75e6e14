package trust

// Requester is who asks an Exchange for licensed content: what it says of itself, and what of that is known to be so.
type Requester struct {
	Domain string // under which its keys are published
	ID     string // within its domain
	Type   int32  // as the protocol numbers RequesterType; 0 when it does not say
	// Signed is how it showed that it is itself.
	Signed Signed
	KeyID  string // of the key that it showed it with; empty for none
	// SignUp is how it came to be known here.
	SignUp SignUp
	// Claimed are the scopes that it says it has, and Granted those that the operator gave it. Claims unlock nothing alone.
	Claimed, Granted []string
	// UserCategory and Country are the operator's word on it; empty for none.
	UserCategory, Country string
	// Rate is its own limit, as limits are written; empty for that of all.
	Rate string
}

// Account is the name of the requester's account, and of what is remembered of it.
func (r Requester) Account() string { return r.Domain + "/" + r.ID }

// Signed is how a requester showed that it is itself.
type Signed int

// The ways to show it, the weakest first.
const (
	NotSigned    Signed = iota
	SignedByBody        // over id, domain, addresses and scopes: anybody who saw it can send it again
	SignedByHTTP        // over the request (RFC 9421)
)

// SignUp is how a requester came to be known.
type SignUp int

// The ways of signing up.
const (
	NoSignUp SignUp = iota
	SelfSignUp
	OperatorSignUp
)
