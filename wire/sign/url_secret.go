package sign

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // Fastly's form has it by setting
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"net/url"
	"regexp"
	"strings"
)

// leastSecret is how many bytes a secret has at least that signs addresses.
const leastSecret = 8

// checkSecret is check for forms with a secret that both sides have.
func checkSecret(k URLKey) error {
	if len(k.Secret) < leastSecret {
		return errors.New("the secret is too short to sign addresses; take 32 random bytes")
	}
	return nil
}

// rebuilt is bears for forms whose signatures can be made again.
func rebuilt(form urlForm, k URLKey, address, content string, grant URLGrant) bool {
	made, err := form.sign(k, content, grant)
	return err == nil && same(made, address)
}

func mac(of func() hash.Hash, secret []byte, text string) string {
	sum := hmac.New(of, secret)
	sum.Write([]byte(text))
	return hex.EncodeToString(sum.Sum(nil))
}

// urlHMAC is the generic form (RAMP v1): a query of expires, agent_id, txn_id and sig, where sig is
// HMAC-SHA256 over the address without a query, expires, agent and transaction, with a line feed
// between each. Content has no query.
type urlHMAC struct{}

func (urlHMAC) check(k URLKey) error { return checkSecret(k) }

func (urlHMAC) binds(_ URLKey, content string) bool { return !strings.Contains(content, "?") }

func (urlHMAC) sign(k URLKey, content string, grant URLGrant) (string, error) {
	expires := seconds(grant.Expires)
	sum := mac(sha256.New, k.Secret, content+"\n"+expires+"\n"+grant.Agent+"\n"+grant.Transaction)
	return addPairs(content, "expires", expires, agentName, grant.Agent, transactionName, grant.Transaction, "sig",
		sum), nil
}

func (urlHMAC) read(_ URLKey, address string) (content string, grant URLGrant, ok bool) {
	content, values, ok := cutPairs(address, "expires", agentName, transactionName, "sig")
	if !ok {
		return "", URLGrant{}, false
	}
	return content, URLGrant{Expires: readSeconds(values[0]), Agent: values[1], Transaction: values[2]}, true
}

// bears compares the signature alone: of an address that read has taken apart, and whose content
// has no query, nothing else could be spelled otherwise.
func (urlHMAC) bears(k URLKey, address, content string, grant URLGrant) bool {
	made := mac(sha256.New, k.Secret, content+"\n"+seconds(grant.Expires)+"\n"+grant.Agent+"\n"+grant.Transaction)
	at := strings.LastIndex(address, "&sig=")
	return at >= 0 && same(address[at+len("&sig="):], made)
}

// urlAkamai is Akamai's Edge Authorization Token 2.0:
// hdnts=exp=N~acl=/path~data=AGENT.TRANSACTION~hmac=SUM, where sum is HMAC-SHA256 over what is
// before it. Instead of acl, what is hashed may end in url= with path and query, as the address has
// them or percent-encoded once more ("escape token input" is off or on), and in the salt. The
// origin is not signed.
type urlAkamai struct{}

func (urlAkamai) check(k URLKey) error {
	if k.Options.Parameter != "" && !plain(k.Options.Parameter) {
		return errors.New("the name of the token's parameter has to be of letters, digits, - and _")
	}
	if k.Options.Escape && !k.Options.URL {
		return errors.New("path and query can be escaped only where the token signs them (url)")
	}
	if strings.ContainsFunc(k.Options.Salt, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the salt has to be of visible ASCII characters")
	}
	return checkSecret(k)
}

func (urlAkamai) parameter(k URLKey) string {
	if k.Options.Parameter == "" {
		return "hdnts"
	}
	return k.Options.Parameter
}

func (f urlAkamai) binds(k URLKey, content string) bool {
	// which are escaped by some and not by others
	if k.Options.Escape && strings.ContainsAny(pathOf(content), "!'()*~") {
		return false
	}
	if k.Options.URL {
		return free(content, f.parameter(k))
	}
	return !strings.ContainsAny(pathOf(content), "?*!~&") // which an access list reads in its own way
}

func (f urlAkamai) sign(k URLKey, content string, grant URLGrant) (string, error) {
	name, local := f.parameter(k), pathOf(content)
	fields := []string{"exp=" + seconds(grant.Expires)}
	if !k.Options.URL {
		fields = append(fields, "acl="+local)
	}
	fields = append(fields, "data="+grant.Agent+"."+grant.Transaction)
	token := strings.Join(fields, "~")
	hashed := token
	if k.Options.Escape {
		local = escapes.ReplaceAllStringFunc(url.QueryEscape(local), strings.ToLower)
	}
	if k.Options.URL {
		hashed += "~url=" + local
	}
	if k.Options.Salt != "" {
		hashed += "~salt=" + k.Options.Salt
	}
	return addPairs(content, name, token+"~hmac="+mac(sha256.New, k.Secret, hashed)), nil
}

func (f urlAkamai) read(k URLKey, address string) (content string, grant URLGrant, ok bool) {
	content, values, ok := cutPairs(address, f.parameter(k))
	if !ok {
		return "", URLGrant{}, false
	}
	for field := range strings.SplitSeq(values[0], "~") {
		switch name, value, _ := strings.Cut(field, "="); name {
		case "exp":
			grant.Expires = readSeconds(value)
		case "data":
			grant.Agent, grant.Transaction, _ = strings.Cut(value, ".")
		}
	}
	return content, grant, true
}

func (f urlAkamai) bears(k URLKey, address, content string, grant URLGrant) bool {
	return rebuilt(f, k, address, content, grant)
}

// escapes are percent-encoded bytes.
var escapes = regexp.MustCompile(`%..`)

// pathOf is path and query of an address.
func pathOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		return rest[at:]
	}
	return "/"
}

// urlFastly is the form of Fastly's tutorial on token validation: token=EXPIRES_SUM, where sum is
// HMAC-SHA256 (or HMAC-SHA1) over path and query without the token, and expires. Agent and
// transaction stand in the query before it. The origin is not signed.
type urlFastly struct{}

func (urlFastly) check(k URLKey) error { return checkSecret(k) }

func (urlFastly) binds(_ URLKey, content string) bool {
	return free(content, agentName, transactionName, "token")
}

func (urlFastly) sign(k URLKey, content string, grant URLGrant) (string, error) {
	expires := seconds(grant.Expires)
	if len(expires) < 10 || len(expires) > 11 { // the tutorial's pattern
		return "", ErrURLForm
	}
	of := sha256.New
	if k.Options.Hash == URLSHA1 {
		of = sha1.New
	}
	bound := addPairs(content, agentName, grant.Agent, transactionName, grant.Transaction)
	return addPairs(bound, "token", expires+"_"+mac(of, k.Secret, pathOf(bound)+expires)), nil
}

func (urlFastly) read(_ URLKey, address string) (content string, grant URLGrant, ok bool) {
	content, values, ok := cutPairs(address, agentName, transactionName, "token")
	if !ok {
		return "", URLGrant{}, false
	}
	expires, _, _ := strings.Cut(values[2], "_")
	return content, URLGrant{Expires: readSeconds(expires), Agent: values[0], Transaction: values[1]}, true
}

func (f urlFastly) bears(k URLKey, address, content string, grant URLGrant) bool {
	return rebuilt(f, k, address, content, grant)
}
