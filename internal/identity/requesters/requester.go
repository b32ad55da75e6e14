package requesters

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Requester is the verified sender of a RAMP message (RAMP v1, Requester).
type Requester struct {
	// Domain is the host name whose keys speak for the requester, in lower case, with a port where
	// it has one.
	Domain string
	// ID is what the domain calls the requester. It is empty where a request without a Requester
	// was signed with a key that speaks for the whole domain.
	ID     string
	Type   rampv1.RequesterType // as it says of itself
	Signed string               // SignedHTTP, SignedBody, or empty where nobody signed and the policy lets that in
	// the key that signed, as its document calls it; empty where it has no name, and where nobody
	// signed
	KeyID  string
	SignUp string // SignUpOperator, SignUpSelf, or empty for one who never signed up
	// Claimed are the scopes that the requester asks for. They narrow what it gets and unlock
	// nothing: see Holds.
	Claimed []string
	// Granted are the scopes that the operator gave it; under a delegation those that are
	// delegated, as far as the operator gave them to the principal.
	Granted []string
	// Delegation is what it acts under; nil for nothing.
	Delegation *Delegation
	// UserCategory and Country are what the operator knows of its users (commercial, ...; ISO
	// 3166-1 alpha-2); empty for nothing.
	UserCategory, Country string
	Rate                  string // its own limit, as limit.ParseRate reads it; empty for what holds for everybody

	// Broker is the domain that sent a purchase in the requester's name, under a signature of its
	// own over HTTP; empty where the requester sent it itself. It may buy at the addresses in
	// Covered and nowhere else, which the requester has signed.
	Broker  string
	Covered []string
	// Proof is the signature over HTTP that let in a request which spends, for whoever answers it
	// to take it once; nil for none.
	Proof *identity.Proof

	also  []string // ids of the domain for which its key speaks beside it
	apart []string // ids of the domain that a key of the whole domain does not speak for
}

// How a requester signed.
const (
	SignedHTTP = "http" // the whole request (RFC 9421)
	// its id, domain, uris and scopes alone, which whoever saw them can send again (RAMP v1,
	// Requester.signature)
	SignedBody = "body"
)

// How a requester signed up.
const (
	SignUpOperator = "operator" // the operator put it in
	SignUpSelf     = "self"     // it did so itself
)

// Account is the key of the requester's account: its domain and id.
func (r Requester) Account() string { return r.Domain + "/" + r.ID }

// ActsFor says whether the requester may speak for an account: its own, those of others that have
// the same key, or, signed with a key of the whole domain, any of it.
func (r Requester) ActsFor(account string) bool {
	id, ok := strings.CutPrefix(account, r.Domain+"/")
	switch {
	case !ok || r.Domain == "" || id == "":
		return false
	case id == r.ID || slices.Contains(r.also, id):
		return true
	}
	return r.ID == "" && !slices.Contains(r.apart, id)
}

// Call is the HTTP request that carries a RAMP message, which may be signed.
type Call struct {
	Method string
	// Targets are the absolute URIs under which this front desk was meant if it was meant, the
	// likeliest first: a signature for another's does not count.
	Targets []string
	Header  http.Header
	Body    []byte // as it came over the wire
	// Fetch is asked before anything is fetched to tell who sent the request; its error keeps from
	// it. Nil lets it be fetched.
	Fetch func() error
	// Spends says that the request costs the requester money, so that [Config.Purchases] holds for
	// it, too. Brokered says that a Broker may send it in the requester's name.
	Spends, Brokered bool
	// UnknownHost says that nobody has told this front desk its address, and that the one in
	// Targets is the sender's word: what was signed for another Exchange may have been sent here.
	UnknownHost bool
}

// Allowance is what a limiter says to a requester: RAMP's RateLimitInfo.
type Allowance struct {
	OK         bool          // the request may go on
	Limit      int           // how many requests may come in a window; 0 for no limit, and the rest says nothing
	Remaining  int           // how many may come now
	Reset      time.Time     // when the whole limit is there again
	Window     time.Duration // in which Limit may come
	RetryAfter time.Duration // until the next may come; 0 if OK
}

// clip bounds what is repeated of a stranger's text.
func clip(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}
