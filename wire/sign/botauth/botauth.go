// Package botauth defines how an automated client says who it is: by a signature over HTTP and the
// address at which it publishes its keys (Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01;
// RFC 9421).
//
// It reads the claims of a request, and reads, writes and signs directories of keys. It has no I/O
// and no clock: who fetches directories, and what a verified agent may do, is decided elsewhere.
// Enter at [Read] for a request, at [ReadDirectory] for a directory.
package botauth

import (
	"crypto"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"

	"frontdesk/wire/sign"
)

// Names of the draft (§5.2, §5.5, §8).
const (
	HeaderAgent   = "Signature-Agent"
	Tag           = "web-bot-auth"
	DirectoryTag  = "http-message-signatures-directory"
	DirectoryPath = "/.well-known/http-message-signatures-directory"
	MediaType     = "application/http-message-signatures-directory+json"
)

const (
	componentAgent = "signature-agent"
	maxAddress     = 2048 // characters of a directory's address
)

// Signed says whether a request claims to be signed for Web Bot Auth, before anything of it is
// read (an http.Header is a header).
func Signed(header map[string][]string) bool {
	for _, line := range header[sign.HeaderSignatureInput] {
		if strings.Contains(line, `"`+Tag+`"`) {
			return true
		}
	}
	return false
}

// Claim is what one signature of a request claims. It is an identity only once it was verified with
// a key that its directory holds (§4.1).
type Claim struct {
	Signature sign.HTTPSignature
	// Directory is the address at which the keys are, as it is fetched.
	Directory string
	// Agent is the identifier: Directory in its normal form, without a query (§5.5).
	Agent string
}

// Read reads the claims of a request: its signatures with the tag web-bot-auth, in their order,
// each with the member of Signature-Agent that it covers. A request without such a signature has
// none. Each stands for itself: other signatures, and those of the tag that cannot be read, take
// nothing from one that can. bad says why those of the tag are not among the claims.
func Read(header map[string][]string) (claims []Claim, bad []error) {
	if !Signed(header) {
		return nil, nil
	}
	all, bad := sign.ReadTagged(header, Tag)
	for _, s := range all {
		claim := Claim{Signature: s}
		address, err := agentOf(header[HeaderAgent], &s)
		if err == nil {
			claim.Directory, claim.Agent, err = Address(address)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("the signature %q: %w", s.Label, err))
			continue
		}
		claims = append(claims, claim)
	}
	return claims, bad
}

// agentOf gives the address of Signature-Agent that a signature covers. The older form is a bare
// string, which holds for each signature that covers the whole header (§5.2.1).
func agentOf(lines []string, s *sign.HTTPSignature) (string, error) {
	if len(lines) == 0 {
		return "", errors.New("there is no Signature-Agent, which says where its key is; send one, and sign it along")
	}
	if strings.HasPrefix(strings.TrimLeft(lines[0], " \t"), `"`) {
		item, err := httpsfv.UnmarshalItem(lines)
		address, ok := item.Value.(string)
		switch {
		case err != nil || !ok:
			return "", errors.New("the header Signature-Agent cannot be read")
		case !s.Covers(componentAgent):
			return "", errors.New(`it does not cover "signature-agent"`)
		}
		return address, nil
	}
	members := sign.SplitMembers(lines)
	for _, m := range members {
		if !s.Covers(fmt.Sprintf("%s;key=%q", componentAgent, m.Name)) {
			continue
		}
		member, err := members.Read(m.Name)
		if err != nil {
			return "", fmt.Errorf("the header Signature-Agent cannot be read: %w", err)
		}
		item, ok := member.(httpsfv.Item)
		address, isText := item.Value.(string)
		if ok && isText && len(item.Params.Names()) == 0 { // with parameters it is to be ignored
			return address, nil
		}
	}
	return "", fmt.Errorf("it covers no member of Signature-Agent; cover %q;key=%q", componentAgent, s.Label)
}

// Address reads an address of Signature-Agent: where the directory is fetched, and the agent's
// identifier, which is the same without a query. One without a path is an origin, as earlier
// revisions had it, and its directory is at the well-known path. What is fetched is what the
// identifier names, in its one spelling: a server may take others for something else.
func Address(text string) (directory, agent string, err error) {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxAddress || !strings.EqualFold(u.Scheme, "https") || !plainHost(u.Host) ||
		u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return "", "", errors.New("its Signature-Agent is no https address of a directory of keys, with a host as " +
			"DNS has it")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path, u.RawPath = DirectoryPath, ""
	}
	path := oneSpelling(u.JoinPath().EscapedPath()) // without the segments . and ..
	agent = "https://" + strings.TrimSuffix(strings.ToLower(u.Host), ":443") + path
	if u.RawQuery == "" || path == DirectoryPath {
		return agent, agent, nil
	}
	return agent + "?" + u.RawQuery, agent, nil
}

// plainHost says whether a host, with its port, is spelled as one only can be: in ASCII, without
// percent signs, and without a dot at its end.
func plainHost(host string) bool {
	name, port, found := strings.Cut(host, ":")
	if strings.HasPrefix(host, "[") {
		at := strings.LastIndex(host, "]")
		name, port, found = host[1:max(at, 1)], strings.TrimPrefix(host[at+1:], ":"), at+1 < len(host)
	}
	for i := range len(name) {
		if c := name[i]; !alphanumeric(c) && c != '-' && c != '.' && c != ':' {
			return false
		}
	}
	return name != "" && name[0] != '.' && name[len(name)-1] != '.' && (!found || port != "" && port[0] != '0')
}

// oneSpelling is a path as RFC 3986 §6.2.2 normalizes it: nothing percent-encoded that need not be,
// and the rest in capitals.
func oneSpelling(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' || i+2 >= len(path) {
			b.WriteByte(path[i])
			continue
		}
		n, err := strconv.ParseUint(path[i+1:i+3], 16, 8)
		if err == nil && unreserved(byte(n)) {
			b.WriteByte(byte(n))
		} else {
			b.WriteString(strings.ToUpper(path[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

// unreserved says whether a byte need not be percent-encoded (RFC 3986 §2.3).
func unreserved(c byte) bool {
	return alphanumeric(c) || strings.IndexByte("-._~", c) >= 0
}

func alphanumeric(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// OfDomain says whether an identifier is the address at which a domain publishes its own keys
// (§4.5). Any other address names no domain, since who may write there need not be its operator.
func OfDomain(agent string) bool {
	rest, ok := strings.CutPrefix(agent, "https://")
	_, path, found := strings.Cut(rest, "/")
	return ok && found && "/"+path == DirectoryPath
}

// Origin is that of an agent's identifier: who answers for a name in the web.
func Origin(agent string) string {
	u, err := url.Parse(agent)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// How long after it was made a signature counts at the most, whatever it says, and how far the
// clocks of signer and verifier may differ.
const (
	MaxAge    = 24 * time.Hour
	clockSkew = time.Minute
)

// Ends is from when on [Claim.Check] refuses the claim in any case.
func (c *Claim) Ends() time.Time {
	end := c.Signature.Created.Add(MaxAge)
	if c.Signature.Expires.Before(end) {
		end = c.Signature.Expires
	}
	return end.Add(clockSkew)
}

// Check says what keeps a claim from counting at a time, its key apart: nil for nothing (§5.2).
func (c *Claim) Check(now time.Time) error {
	s := &c.Signature
	switch {
	case !s.Covers(sign.ComponentAuthority) && !s.Covers(sign.ComponentTarget):
		return errors.New("it covers neither @authority nor @target-uri")
	case s.Created.IsZero() || s.Expires.IsZero():
		return errors.New("it does not say when it was created and when it expires")
	case s.KeyID == "":
		return errors.New("it names no key; keyid is the key's thumbprint")
	case s.Created.After(now.Add(clockSkew)):
		return errors.New("it was created in the future; set your clock")
	case s.Expires.Before(s.Created):
		return errors.New("it expires before it was created")
	case !now.Before(c.Ends()):
		return errors.New("it has expired; sign each request anew, or set your clock")
	}
	return nil
}

// Verify says whether a claim is that of a key over a request. Check must be asked beside it.
func (c *Claim) Verify(key crypto.PublicKey, r sign.Request) error { return c.Signature.Verify(key, r) }
