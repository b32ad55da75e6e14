package sign

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"strings"

	"github.com/dunglas/httpsfv"
)

// HTTPMessage is what a signature covers: a [Request] or a [Response].
type HTTPMessage interface {
	// component is the value of a component, whose parameters are as they are written behind its
	// name, without the first semicolon (RFC 9421 §2).
	component(name, parameters string) (string, error)
}

// Request is an HTTP request as far as signatures cover it.
type Request struct {
	Method string
	Target string              // the absolute URI, without a fragment
	Header map[string][]string // by the names that net/http keeps them under; the host is not among them
}

// Response is an HTTP response as far as signatures cover it: its header, and what it answers.
type Response struct {
	Header  map[string][]string // as in a Request
	Request Request
}

func (r Request) component(name, parameters string) (string, error) {
	switch name {
	case ComponentMethod, ComponentTarget, ComponentAuthority, "@scheme", "@request-target", "@path", "@query", "host":
		if parameters != "" {
			return "", notUnderstood(name, parameters)
		}
		return r.derived(name)
	case "@query-param":
		return r.queryParameter(parameters)
	}
	return headerField(r.Header, name, parameters)
}

func (r Response) component(name, parameters string) (string, error) {
	if parameters == "req" { // of the request (RFC 9421 §2.4)
		return r.Request.component(name, "")
	}
	return headerField(r.Header, name, parameters)
}

func notUnderstood(name, parameters string) error {
	if parameters != "" {
		name += ";" + parameters
	}
	return fmt.Errorf("the component %q is not understood here", name)
}

// derived is a component that is no field of the header (RFC 9421 §2.2), or the host, which
// net/http keeps apart.
func (r Request) derived(name string) (string, error) {
	switch name {
	case ComponentMethod:
		return r.Method, nil
	case ComponentTarget:
		return r.Target, nil
	}
	u, err := url.Parse(r.Target)
	if err != nil || u.Host == "" {
		return "", errors.New("the request's target is no absolute URI")
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	switch name {
	case "@scheme":
		return strings.ToLower(u.Scheme), nil
	case "@path":
		return path, nil
	case "@query":
		return "?" + u.RawQuery, nil
	case "@request-target":
		if u.RawQuery != "" || u.ForceQuery {
			path += "?" + u.RawQuery
		}
		return path, nil
	}
	host := strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[strings.ToLower(u.Scheme)]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return host, nil
}

// queryParameter is one parameter of the query, which must be there once (RFC 9421 §2.2.8).
func (r Request) queryParameter(parameters string) (string, error) {
	key, ok := parameter(parameters, "name")
	u, err := url.Parse(r.Target)
	if !ok || err != nil {
		return "", notUnderstood("@query-param", parameters)
	}
	query, err := url.ParseQuery(u.RawQuery)
	name, errName := url.QueryUnescape(key)
	if err != nil || errName != nil || len(query[name]) != 1 {
		return "", fmt.Errorf("it covers the parameter %q of the query, which is not there once", key)
	}
	return strings.ReplaceAll(url.QueryEscape(query[name][0]), "+", "%20"), nil
}

// parameter reads the only parameter that a component has, a text under a name.
func parameter(parameters, name string) (value string, ok bool) {
	item, err := httpsfv.UnmarshalItem([]string{"a;" + parameters})
	if err != nil || len(item.Params.Names()) != 1 {
		return "", false
	}
	text, _ := item.Params.Get(name)
	value, ok = text.(string)
	return value, ok
}

// headerField is a field of a header (RFC 9421 §2.1), or one member of a field that is a dictionary
// (§2.1.2).
func headerField(header map[string][]string, name, parameters string) (string, error) {
	if !fieldName(name) {
		return "", notUnderstood(name, parameters)
	}
	lines := header[canonicalName(name)]
	if len(lines) == 0 {
		return "", fmt.Errorf("it covers the header %s, which is not there", name)
	}
	if parameters != "" {
		return dictionaryMember(lines, name, parameters)
	}
	trimmed := make([]string, len(lines))
	for i, line := range lines {
		if trimmed[i] = strings.Trim(line, " \t"); strings.ContainsAny(line, "\r\n") {
			return "", fmt.Errorf("the header %s has a line break", name)
		}
	}
	return strings.Join(trimmed, ", "), nil
}

func dictionaryMember(lines []string, name, parameters string) (string, error) {
	key, ok := parameter(parameters, "key")
	if !ok {
		return "", notUnderstood(name, parameters)
	}
	value, err := SplitMembers(lines).Read(key)
	if err != nil {
		return "", fmt.Errorf("it covers the member %s of the header %s, which cannot be read: %w", key, name, err)
	}
	return httpsfv.Marshal(value)
}

// fieldName says whether a name is that of a header field in lower case.
func fieldName(name string) bool {
	for i := range len(name) {
		if strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~", name[i]) < 0 {
			return false
		}
	}
	return name != ""
}

// canonicalName is a lower-case name as net/http keeps it: Content-Digest for content-digest.
func canonicalName(name string) string {
	b := []byte(name)
	up := true
	for i, c := range b {
		if up && 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
		up = c == '-'
	}
	return string(b)
}

// maxSignature is the length of the longest signature, of an RSA key of 4,096 bits.
const maxSignature = 512

// verifierOf gives the algorithm of a key (RFC 9421 §3.3), and what verifies by it; nil for a key
// that verifies nothing here.
func verifierOf(key crypto.PublicKey) (algorithm string, verify func(base, signature []byte) bool) {
	switch key := key.(type) {
	case ed25519.PublicKey:
		if len(key) != ed25519.PublicKeySize {
			return "ed25519", nil
		}
		return "ed25519", func(base, signature []byte) bool { return ed25519.Verify(key, base, signature) }
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < 2048 || bits > 8*maxSignature {
			return "rsa-pss-sha512", nil
		}
		return "rsa-pss-sha512", func(base, signature []byte) bool {
			digest := sha512.Sum512(base)
			return rsa.VerifyPSS(key, crypto.SHA512, digest[:], signature, &rsa.PSSOptions{SaltLength: sha512.Size}) ==
				nil
		}
	case *ecdsa.PublicKey:
		if key.Curve != elliptic.P256() {
			return "ecdsa-p256-sha256", nil
		}
		return "ecdsa-p256-sha256", func(base, signature []byte) bool {
			digest := sha256.Sum256(base)
			return len(signature) == 64 &&
				ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]),
					new(big.Int).SetBytes(signature[32:]))
		}
	}
	return "one of ed25519, rsa-pss-sha512 and ecdsa-p256-sha256", nil
}
