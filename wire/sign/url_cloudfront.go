package sign

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // CloudFront's default
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"
)

// urlCloudFront is Amazon CloudFront's form. Agent and transaction join the content's query before
// it is signed. An address has a canned policy, which names that address and when it ends; or a
// custom policy, which names it, too, and from when to when it opens (URLOptions.Custom); or the
// custom policy of a [URLPass].
//
// The custom policy of one address has no star. In a custom policy a question mark stands for any
// one character, that between path and query as well, and a star for any text, slashes and steps up
// among it: one that left the transaction open would open to its bearer what was never bought
// wherever an origin follows "/../".
type urlCloudFront struct{}

// cloudFrontNames are the names that the form adds.
var cloudFrontNames = []string{agentName, transactionName, "Expires", "Policy", "Signature", "Key-Pair-Id",
	"Hash-Algorithm"}

func (urlCloudFront) check(k URLKey) error {
	if !plain(k.ID) {
		return errors.New("CloudFront's keys need the id that it gave them (Key-Pair-Id)")
	}
	switch public := publicOf(k).(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() == 2048 {
			return nil
		}
	case *ecdsa.PublicKey:
		if public.Curve == elliptic.P256() {
			return nil
		}
	}
	return errors.New("CloudFront takes RSA keys of 2048 bits and ECDSA keys over P-256")
}

func (urlCloudFront) binds(k URLKey, content string) bool {
	return free(content, cloudFrontNames...) && !(k.Options.Custom && strings.Contains(content, "*"))
}

// bound is the content's address with agent and transaction.
func (urlCloudFront) bound(content string, grant URLGrant) string {
	return addPairs(content, agentName, grant.Agent, transactionName, grant.Transaction)
}

// canned is the policy of one address.
func (urlCloudFront) canned(resource, expires string) string {
	return `{"Statement":[{"Resource":"` + resource + `","Condition":{"DateLessThan":{"AWS:EpochTime":` + expires + `}}}]}`
}

func (f urlCloudFront) sign(k URLKey, content string, grant URLGrant) (string, error) {
	bound := f.bound(content, grant)
	expires := seconds(grant.Expires)
	policy, told := f.canned(bound, expires), []string{"Expires", expires}
	if k.Options.Custom {
		policy = f.custom(bound, grant.Expires)
		told = []string{"Policy", toCloudFront([]byte(policy))}
	}
	signature, err := f.signature(k, policy)
	if err != nil {
		return "", err
	}
	return addPairs(bound, append(told, f.tail(k, signature)...)...), nil
}

// custom is the custom policy of one address.
func (urlCloudFront) custom(resource string, expires time.Time) string {
	return passBegin + resource + passFrom + seconds(expires.Add(-URLLife)) + passUntil + seconds(expires) + passEnd
}

// readCustom is when a policy ends that custom writes of an address; the zero time for any other.
func (f urlCloudFront) readCustom(policy, resource string) time.Time {
	_, until, _ := strings.Cut(policy, passUntil)
	expires := readSeconds(strings.TrimSuffix(until, passEnd))
	if expires.IsZero() || strings.Contains(resource, "*") || f.custom(resource, expires) != policy {
		return time.Time{}
	}
	return expires
}

// tail are the pairs at the end of an address.
func (f urlCloudFront) tail(k URLKey, signature string) []string {
	pairs := []string{"Signature", signature, "Key-Pair-Id", k.ID}
	if f.hash(k) == crypto.SHA256 {
		pairs = append(pairs, "Hash-Algorithm", "SHA256")
	}
	return pairs
}

func (urlCloudFront) hash(k URLKey) crypto.Hash {
	if k.Options.Hash == URLSHA256 {
		return crypto.SHA256
	}
	return crypto.SHA1
}

func (f urlCloudFront) digest(k URLKey, policy string) []byte {
	if f.hash(k) == crypto.SHA256 {
		sum := sha256.Sum256([]byte(policy))
		return sum[:]
	}
	sum := sha1.Sum([]byte(policy))
	return sum[:]
}

// signature signs a policy. Both kinds of keys do it without randomness: PKCS #1 v1.5 has none, and
// ECDSA takes that of RFC 6979.
func (f urlCloudFront) signature(k URLKey, policy string) (string, error) {
	if k.Signer == nil {
		return "", ErrURLNoKey
	}
	signature, err := k.Signer.Sign(nil, f.digest(k, policy), f.hash(k))
	if err != nil {
		return "", err
	}
	return toCloudFront(signature), nil
}

func (f urlCloudFront) signed(k URLKey, policy, text string) bool {
	signature, ok := fromCloudFront(text)
	if !ok {
		return false
	}
	switch public := publicOf(k).(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(public, f.hash(k), f.digest(k, policy), signature) == nil
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(public, f.digest(k, policy), signature)
	}
	return false
}

var (
	cloudFrontEscapes = strings.NewReplacer("+", "-", "=", "_", "/", "~")
	cloudFrontPlain   = strings.NewReplacer("-", "+", "_", "=", "~", "/")
)

// toCloudFront writes bytes as CloudFront does: base64 with three characters in place of others.
func toCloudFront(b []byte) string {
	return cloudFrontEscapes.Replace(base64.StdEncoding.EncodeToString(b))
}

// fromCloudFront reads what toCloudFront writes, and nothing else.
func fromCloudFront(text string) ([]byte, bool) {
	b, err := base64.StdEncoding.Strict().DecodeString(cloudFrontPlain.Replace(text))
	return b, err == nil && toCloudFront(b) == text
}

// names are those of the pairs at the end of an address; first is Expires or Policy.
func (f urlCloudFront) names(k URLKey, first string) []string {
	names := []string{agentName, transactionName, first, "Signature", "Key-Pair-Id"}
	if f.hash(k) == crypto.SHA256 {
		names = append(names, "Hash-Algorithm")
	}
	return names
}

func (f urlCloudFront) read(k URLKey, address string) (content string, grant URLGrant, ok bool) {
	content, values, ok := cutPairs(address, f.names(k, "Expires")...)
	if ok {
		grant.Expires = readSeconds(values[2])
	} else if content, values, ok = cutPairs(address, f.names(k, "Policy")...); ok {
		policy, _ := fromCloudFront(values[2])
		grant.Agent, grant.Transaction = values[0], values[1]
		if grant.Expires = f.readCustom(string(policy), f.bound(content, grant)); grant.Expires.IsZero() {
			_, grant.Begins, grant.Expires, ok = readPass(string(policy))
		}
	}
	if !ok || values[4] != k.ID {
		return "", URLGrant{}, false
	}
	grant.Agent, grant.Transaction = values[0], values[1]
	return content, grant, true
}

func (f urlCloudFront) bears(k URLKey, address, content string, grant URLGrant) bool {
	bound := f.bound(content, grant)
	if !grant.Begins.IsZero() {
		return f.bearsPass(k, address, bound, grant)
	}
	if _, values, ok := cutPairs(address, f.names(k, "Policy")...); ok {
		policy := f.custom(bound, grant.Expires)
		return addPairs(bound, append([]string{"Policy", toCloudFront([]byte(policy))}, f.tail(k, values[3])...)...) ==
			address && f.signed(k, policy, values[3])
	}
	expires := seconds(grant.Expires)
	_, values, ok := cutPairs(address, f.names(k, "Expires")...)
	return ok && addPairs(bound, append([]string{"Expires", expires}, f.tail(k, values[3])...)...) == address &&
		f.signed(k, f.canned(bound, expires), values[3])
}

// URLPass opens with CloudFront, by one custom policy that is signed once, whatever lies below one
// place, for one agent and a span of time. The transactions in its addresses are what the agent
// says they are: it binds agent, place and time only. Its methods may be called concurrently.
type URLPass struct {
	scope string
	grant URLGrant
	tail  []string
}

// Pass makes a pass for what lies below scope, an address at the origin that ends in a slash, for
// the agent of a grant, which has no transaction, from Begins until Expires. It needs a key of
// CloudFront. Errors are as of [URLKeys.Sign].
func (r URLKeys) Pass(scope string, grant URLGrant, now time.Time) (*URLPass, error) {
	switch {
	case grant.Expires.Sub(now) > URLLife, grant.Expires.Sub(grant.Begins) > URLLife:
		return nil, ErrURLTooFar
	case !r.holds(scope), !strings.HasSuffix(scope, "/"), strings.ContainsAny(scope, "?*"), !plain(grant.Agent),
		grant.Transaction != "", grant.Begins.Unix() <= 0,
		!grant.Begins.Before(grant.Expires):
		return nil, ErrURLForm
	}
	for _, k := range r.Keys {
		if k.Form != URLCloudFront || !k.lives(now) {
			continue
		}
		if err := k.Check(); err != nil {
			return nil, err
		}
		var f urlCloudFront
		policy := passPolicy(scope, grant)
		signature, err := f.signature(k, policy)
		if err != nil {
			return nil, err
		}
		return &URLPass{scope: scope, grant: grant, tail: append([]string{"Policy", toCloudFront([]byte(policy))},
			f.tail(k, signature)...)}, nil
	}
	return nil, ErrURLNoKey
}

// Sign makes the address that opens content below the pass's place; the error is ErrURLForm for any
// other content.
func (p *URLPass) Sign(content, transaction string) (string, error) {
	grant := p.grant
	grant.Transaction = transaction
	var form urlCloudFront
	if !plain(transaction) || !form.binds(URLKey{}, content) ||
		!(URLKeys{Origin: strings.TrimSuffix(p.scope, "/")}).holds(content) {
		return "", ErrURLForm
	}
	return addPairs(form.bound(content, grant), p.tail...), nil
}

// The parts of the policy of a pass, between what it is about.
const (
	passBegin = `{"Statement":[{"Resource":"`
	passAgent = "*?" + agentName + "="
	passAny   = "&" + transactionName + "=*"
	passFrom  = `","Condition":{"DateGreaterThan":{"AWS:EpochTime":`
	passUntil = `},"DateLessThan":{"AWS:EpochTime":`
	passEnd   = `}}}]}`
)

// passPolicy is the policy of a pass. In a resource a star is any text, and a question mark any one
// character.
func passPolicy(scope string, g URLGrant) string {
	return passBegin + scope + passAgent + g.Agent + passAny + passFrom + seconds(g.Begins) + passUntil +
		seconds(g.Expires) + passEnd
}

// readPass takes the policy of a pass apart, and believes it. ok is false for one that passPolicy
// would not write.
func readPass(policy string) (scope string, begins, expires time.Time, ok bool) {
	rest := strings.TrimPrefix(policy, passBegin)
	scope, rest, _ = strings.Cut(rest, passAgent)
	agent, rest, _ := strings.Cut(rest, passAny+passFrom)
	from, rest, _ := strings.Cut(rest, passUntil)
	begins, expires = readSeconds(from), readSeconds(strings.TrimSuffix(rest, passEnd))
	return scope, begins, expires, begins.Unix() > 0 &&
		passPolicy(scope, URLGrant{Agent: agent, Begins: begins, Expires: expires}) == policy
}

// bearsPass is bears for an address of a pass.
func (f urlCloudFront) bearsPass(k URLKey, address, bound string, grant URLGrant) bool {
	_, values, ok := cutPairs(address, f.names(k, "Policy")...)
	if !ok {
		return false
	}
	policy, _ := fromCloudFront(values[2])
	scope, _, _, ok := readPass(string(policy))
	return ok && strings.HasSuffix(scope, "/") && !strings.ContainsAny(scope, "?*") &&
		strings.HasPrefix(bound, scope) &&
		passPolicy(scope, grant) == string(policy) &&
		addPairs(bound, append([]string{"Policy", values[2]}, f.tail(k, values[3])...)...) == address &&
		f.signed(k, string(policy), values[3])
}
