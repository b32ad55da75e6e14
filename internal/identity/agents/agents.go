// Package agents says which automated client sends a request, and how that is known: by a signature
// of Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01), by the address it comes from, or by
// nothing but its own word, the user agent.
//
// It owns the directories of keys that were fetched, in memory, and the list of known operators'
// agents. Whoever decides what an agent may do reads the result from the context; this package
// refuses nobody. A directory that cannot be had leaves a request unverified, which is no error.
// It must not know terms, handlers or the ledger. Enter by [New] and [Verifier.Identify].
package agents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// How an agent is known.
const (
	BySignature = "signed"  // it holds a key that its operator publishes
	ByAddress   = "address" // it comes from an address that the owner gave for it
	ByWord      = "word"    // its user agent says so, and anybody can write that
)

// Agent is an automated client, as far as it is known.
type Agent struct {
	// ID is the identifier of Web Bot Auth: the address of its keys. Empty unless it is signed.
	ID string
	// Name is how it calls itself, a word of its user agent; empty for one that is in no list.
	Name string
	// Operator is the origin of who runs it: that of its keys, or that of the list (see Origins).
	Operator string
	// Kind is one of Kinds; empty for an agent that is in no list.
	Kind string
	// Engine says that it indexes for people who search the web, whatever else its operator does.
	Engine bool
	// Known is how it is known: one of BySignature, ByAddress and ByWord; empty for nobody known.
	Known string
	// Signature is what became of its signature: empty for a request without one.
	Signature Outcome
	// Why says why the signature is not verified. It is for the owner's log.
	Why string
	// Claimed is the origin that its signature names and does not prove: the signature is not
	// verified, or its keys are not those of the domain. Its own word; empty for none.
	Claimed string
	// Said is the agent of the list that the user agent of a signed request names, although its
	// keys are not that operator's: its own word. Nil for none.
	Said *Known
}

// Says is the word of the list by which it calls itself, proven or not; empty for none.
func (a Agent) Says() string {
	if a.Name == "" && a.Said != nil {
		return a.Said.UserAgent
	}
	return a.Name
}

// Proves says whether it proves that it is whom it says to be: by an address of its own, or by a
// key of its own and not of somebody else's.
func (a Agent) Proves() bool {
	return a.Known == ByAddress || a.Known == BySignature && a.Said == nil
}

// Origins are those of who runs it, as far as they are known: that of its keys, and that of the
// operator in the list whose host is theirs or above it.
func (a Agent) Origins() []string {
	if a.Operator == "" {
		return nil
	}
	if own := botauth.Origin(a.ID); botauth.OfDomain(a.ID) && own != a.Operator {
		return []string{a.Operator, own}
	}
	return []string{a.Operator}
}

// Group is with whom a verified agent counts where something is counted: with all in the registered
// domain of its operator, since whoever has one can name any number of hosts in it. Empty for an
// agent that is not verified, whose keys are not those of a domain, or whose host is one of many
// that a provider gives to anybody: such an agent counts by its address, as strangers do.
func (a Agent) Group() string {
	u, err := url.Parse(cmp.Or(a.Operator, a.ID))
	if a.Known != BySignature || err != nil || !botauth.OfDomain(a.ID) {
		return ""
	}
	host := u.Hostname()
	if address, err := netip.ParseAddr(host); err == nil {
		return ratelimit.Network(address)
	}
	if suffix, official := publicsuffix.PublicSuffix(host); !official && strings.Contains(suffix, ".") {
		return ""
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}

// HeaderOutcome is the header of an answer that says what became of the signature, as Told has it.
const HeaderOutcome = "Agent-Signature"

// Told is what the agent's developer is told of its signature: whether it counts, and what is wrong
// with it. What became of a fetch stays inside, since it says what this front desk can reach.
func (a Agent) Told() string {
	if a.Signature == Invalid || a.Why == ErrLargeBody.Error() || a.Why == errNoBody.Error() {
		return string(a.Signature) + "; " + a.Why
	}
	return string(a.Signature)
}

// Outcome is what became of a signature (appendix C.1).
type Outcome string

const (
	Verified   Outcome = "verified"
	Invalid    Outcome = "invalid"    // it is not that of the key, expired, or does not cover enough
	Unverified Outcome = "unverified" // its key cannot be had
)

type agentKey struct{}

// With gives a context that names the agent.
func With(ctx context.Context, agent Agent) context.Context {
	return context.WithValue(ctx, agentKey{}, agent)
}

// From gives the agent that a context names; the zero Agent for none.
func From(ctx context.Context) Agent {
	agent, _ := ctx.Value(agentKey{}).(Agent)
	return agent
}

// Config is what a Verifier needs.
type Config struct {
	// Fetch gets a directory. Its bounds are set with each request.
	Fetch func(ctx context.Context, request fetch.Request) (*fetch.Response, error)
	// Known are the owner's agents, which go before those that are built in.
	Known []Known
	Now   func() time.Time // nil is time.Now
	Log   *slog.Logger     // nil for nobody
}

// Verifier tells agents. It may be used from many goroutines.
type Verifier struct {
	now         func() time.Time
	list        list
	directories *directories
	nonces      nonces
}

// New makes a verifier.
func New(config Config) *Verifier {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	known := newList(config.Known)
	return &Verifier{now: config.Now, list: known, directories: newDirectories(config, known),
		nonces: nonces{used: map[[sha256.Size]byte]time.Time{}}}
}

// Request is what Identify looks at.
type Request struct {
	Method string
	Target string // the absolute URI as the agent sees it
	Header http.Header
	// Elsewhere says that nobody knows whether Target is an address of this front desk, so that the
	// signature may be one for somebody else.
	Elsewhere bool
	// Again says that it is looked at a second time, so that its nonce is no sign of a replay.
	Again bool
	// Body gives the whole body, or ErrLargeBody. It is asked for where a signature that is good
	// covers the body's digest. Nil where nobody has the body: then that of GET and HEAD is empty.
	Body func() ([]byte, error)
	From netip.Addr // whose requests for directories are counted together; the zero value for nobody's
}

// Identify says which agent sends a request. It takes no longer than 200 ms, in which it waits for
// a directory that is not at hand.
func (v *Verifier) Identify(ctx context.Context, r Request) Agent {
	said := v.list.byUserAgent(r.Header.Get("User-Agent"))
	agent := byWord(said, r.From)
	if !botauth.Signed(r.Header) {
		return agent
	}
	claims, bad := botauth.Read(r.Header)
	if len(bad) > 0 {
		agent.Signature, agent.Why = Invalid, clipped(bad[0])
	}
	until := time.Now().Add(patience) // for all of them together
	// The first that is verified is who sends it; each is judged by itself (§5.2.2).
	for i := range claims {
		if i == maxClaims {
			break
		}
		outcome, err := v.verify(ctx, &claims[i], r, until)
		if err == nil {
			return v.signed(claims[i].Agent, said)
		}
		if agent.Signature != Invalid {
			agent.Signature, agent.Why = outcome, clipped(err)
		}
		if agent.Claimed == "" {
			agent.Claimed = botauth.Origin(claims[i].Agent)
		}
	}
	return agent
}

// mostTold is how many bytes are told of what is wrong with a signature, some of which a stranger
// may have written.
const mostTold = 300

func clipped(err error) string {
	text := err.Error()
	if len(text) > mostTold {
		text = strings.ToValidUTF8(text[:mostTold], "") + "..."
	}
	return text
}

// maxClaims is how many signatures of a request are looked at. Each may cost a verification.
const maxClaims = 2

func (v *Verifier) verify(ctx context.Context, c *botauth.Claim, r Request, until time.Time) (Outcome, error) {
	now := v.now()
	if err := c.Check(now); err != nil {
		return Invalid, err
	}
	if r.Elsewhere {
		return Unverified, errElsewhere
	}
	key, err := v.directories.key(ctx, c, r.From, until)
	if err != nil {
		return Unverified, err
	}
	if err := c.Verify(key, sign.Request{Method: r.Method, Target: r.Target, Header: r.Header}); err != nil {
		return Invalid, err
	}
	if outcome, err := holdBody(c, r); err != nil {
		return outcome, err
	}
	if c.Signature.Nonce != "" && !r.Again && !v.nonces.use(c, now) {
		return Invalid, errNonceUsed
	}
	return Verified, nil
}

// ErrLargeBody is that a body is too large to be read before anything else is known of its request.
var ErrLargeBody = errors.New("its body is too large to be held against its Content-Digest; send less, or do not " +
	"cover content-digest")

var errNoBody = errors.New("its body is not seen here, so that nothing can be held against its Content-Digest")

// holdBody holds the body against a digest that the signature covers (RFC 9530): else the signature
// would say nothing of the body although it seems to.
func holdBody(c *botauth.Claim, r Request) (Outcome, error) {
	if !slices.ContainsFunc(c.Signature.Covered, func(component string) bool {
		name, _, _ := strings.Cut(component, ";")
		return name == sign.ComponentDigest
	}) {
		return Verified, nil
	}
	var body []byte
	switch {
	case r.Body != nil:
		var err error
		if body, err = r.Body(); errors.Is(err, ErrLargeBody) {
			return Unverified, err
		} else if err != nil {
			return Unverified, errors.New("its body broke off")
		}
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return Unverified, errNoBody
	}
	if err := sign.CheckContentDigest(r.Header[sign.HeaderContentDigest], body); err != nil {
		return Invalid, err
	}
	return Verified, nil
}

// signed is the agent of a verified claim. Keys at the well-known path are those of a domain, and
// so of its operator; any other address names itself alone (§4.5). What its user agent says is
// proven only where it names an agent of the same operator: a key of one operator makes nobody
// another's agent.
func (v *Verifier) signed(id string, said *Known) Agent {
	agent := Agent{ID: id, Known: BySignature, Signature: Verified, Said: said}
	if !botauth.OfDomain(id) {
		agent.Claimed = botauth.Origin(id)
		return agent
	}
	agent.Operator = botauth.Origin(id)
	if known := v.list.byOrigin(agent.Operator); known != nil {
		agent.Operator = known.Origin
		if said != nil && said.Operator == known.Operator {
			agent.Name, agent.Kind, agent.Engine, agent.Said = said.UserAgent, said.Kind, said.Engine, nil
		}
	}
	return agent
}

// byWord is the agent that a user agent names, if any, which counts for more where the request
// comes from an address of that agent.
func byWord(said *Known, from netip.Addr) Agent {
	if said == nil {
		return Agent{}
	}
	agent := Agent{Name: said.UserAgent, Operator: said.Origin, Kind: said.Kind, Engine: said.Engine, Known: ByWord}
	if slices.ContainsFunc(said.Addresses, func(p netip.Prefix) bool { return p.Contains(from.Unmap()) }) {
		agent.Known = ByAddress
	}
	return agent
}

// nonces are those that were used, each until its signature expired (RFC 9421 §7.2.2). They are
// kept by this process alone, and some are forgotten where there are too many.
type nonces struct {
	mu   sync.Mutex
	used map[[sha256.Size]byte]time.Time
}

// maxNonces is how many nonces are kept, of 32 bytes each.
const maxNonces = 100_000

// use uses a claim's nonce: false where it was used before.
func (n *nonces) use(c *botauth.Claim, now time.Time) bool {
	id := sha256.Sum256([]byte(c.Agent + "\x00" + c.Signature.KeyID + "\x00" + c.Signature.Nonce))
	n.mu.Lock()
	defer n.mu.Unlock()
	if until, there := n.used[id]; there && now.Before(until) {
		return false
	}
	if len(n.used) >= maxNonces {
		n.sweep(now)
	}
	n.used[id] = c.Ends()
	return true
}

// sweep forgets nonces whose time is over, and any others where that is not enough.
func (n *nonces) sweep(now time.Time) {
	for id, until := range n.used {
		if !now.Before(until) {
			delete(n.used, id)
		}
	}
	for id := range n.used {
		if len(n.used) < maxNonces*9/10 {
			return
		}
		delete(n.used, id)
	}
}
