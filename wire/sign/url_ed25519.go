package sign

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
)

// urlEd25519 is the form with the Exchange's own key: exp, kid, agent_id and txn_id join the
// content's query, all in the order of their names, and sig is an Ed25519 signature, in base64url
// without padding, over "GET", a line feed and that address. Nothing of the text is normalised. We
// name agent and transaction always; addresses of other Exchanges may leave them out.
type urlEd25519 struct{}

// ed25519Names are the names that the form adds.
var ed25519Names = []string{agentName, "exp", "kid", "sig", transactionName}

func (f urlEd25519) check(k URLKey) error {
	if _, ok := f.public(k); !ok {
		return errors.New("the form ed25519 needs an Ed25519 key")
	}
	if !plain(strings.ReplaceAll(k.ID, ".", "_")) {
		return errors.New("the key's id has to be of letters, digits, -, _ and points")
	}
	return nil
}

func (urlEd25519) public(k URLKey) (ed25519.PublicKey, bool) {
	public, ok := publicOf(k).(ed25519.PublicKey)
	return public, ok && len(public) == ed25519.PublicKeySize
}

// publicOf is the public part of a key.
func publicOf(k URLKey) crypto.PublicKey {
	if k.Public == nil && k.Signer != nil {
		return k.Signer.Public()
	}
	return k.Public
}

func (urlEd25519) binds(_ URLKey, content string) bool { return free(content, ed25519Names...) }

// unsigned is the address before it is signed.
func (urlEd25519) unsigned(k URLKey, content string, grant URLGrant) string {
	pairs := []string{"exp", seconds(grant.Expires), "kid", k.ID}
	if grant.Agent != "" {
		pairs = append(pairs, agentName, grant.Agent)
	}
	if grant.Transaction != "" {
		pairs = append(pairs, transactionName, grant.Transaction)
	}
	return byName(addPairs(content, pairs...))
}

func (f urlEd25519) sign(k URLKey, content string, grant URLGrant) (string, error) {
	if k.Signer == nil {
		return "", ErrURLNoKey
	}
	unsigned := f.unsigned(k, content, grant)
	signature, err := k.Signer.Sign(nil, []byte("GET\n"+unsigned), crypto.Hash(0))
	if err != nil {
		return "", err
	}
	return byName(addPairs(unsigned, "sig", base64.RawURLEncoding.EncodeToString(signature))), nil
}

// byName puts the pairs of an address's query in the order of their names; those of one name stay
// in theirs.
func byName(address string) string {
	base, query, asked := strings.Cut(address, "?")
	if !asked {
		return address
	}
	pairs := strings.Split(query, "&")
	slices.SortStableFunc(pairs, func(a, b string) int { return strings.Compare(nameOf(a), nameOf(b)) })
	return base + "?" + strings.Join(pairs, "&")
}

// nameOf is the name of a pair as it is written.
func nameOf(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	return name
}

func (urlEd25519) read(k URLKey, address string) (content string, grant URLGrant, ok bool) {
	content, taken := takePairs(address, ed25519Names)
	grant = URLGrant{Expires: readSeconds(taken["exp"]), Agent: taken[agentName], Transaction: taken[transactionName]}
	return content, grant, taken["kid"] == k.ID // what else is missing, bears finds
}

// takePairs takes the pairs of some names out of an address's query, wherever they stand; what
// stands twice, the first.
func takePairs(address string, names []string) (rest string, taken map[string]string) {
	rest, query, _ := strings.Cut(address, "?")
	taken = map[string]string{}
	var others []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if _, twice := taken[name]; !twice && slices.Contains(names, name) {
			taken[name] = value
			continue
		}
		others = append(others, pair)
	}
	if len(others) > 0 {
		rest += "?" + strings.Join(others, "&")
	}
	return rest, taken
}

func (f urlEd25519) bears(k URLKey, address, content string, grant URLGrant) bool {
	unsigned := f.unsigned(k, content, grant)
	_, taken := takePairs(address, []string{"sig"})
	signature, bad := base64.RawURLEncoding.Strict().DecodeString(taken["sig"])
	if bad != nil || len(signature) != ed25519.SignatureSize ||
		byName(addPairs(unsigned, "sig", taken["sig"])) != address {
		return false
	}
	public, _ := f.public(k)
	return ed25519.Verify(public, []byte("GET\n"+unsigned), signature)
}
