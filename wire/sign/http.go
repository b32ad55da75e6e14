package sign

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
)

// The headers of HTTP message signatures (RFC 9421 §4).
const (
	HeaderSignatureInput  = "Signature-Input"
	HeaderSignatureOfHTTP = "Signature"
)

// The components of a request that a signature covers for RAMP, at the least (RFC 9421 §2.2, RFC
// 9530).
const (
	ComponentMethod = "@method"
	ComponentTarget = "@target-uri"
	ComponentDigest = "content-digest"
)

// RequestComponents are those three, in the order in which they are signed.
var RequestComponents = []string{ComponentMethod, ComponentTarget, ComponentDigest}

// Request is an HTTP request as far as signatures cover it.
type Request struct {
	Method string
	Target string              // the absolute URI, without a fragment
	Header map[string][]string // by the names that net/http keeps them under; the host is not among them
}

// HTTPSignature is one signature of a request: what Signature-Input says of it, and its bytes (RFC
// 9421 §2.3).
type HTTPSignature struct {
	Label     string
	KeyID     string
	Algorithm string    // empty when it is not said
	Nonce     string    // empty for none
	Tag       string    // empty for none
	Created   time.Time // the zero time when it is not said
	Expires   time.Time // the zero time when it is not said
	Covered   []string  // names of components, in their order
	Bytes     []byte

	input string // what of Signature-Input is signed along
}

// MaxHTTPSignatures is how many signatures a request may carry.
const MaxHTTPSignatures = 8

// HasHTTPSignature says whether a request claims to be signed (an http.Header is a header).
func HasHTTPSignature(header map[string][]string) bool {
	return len(header[HeaderSignatureInput]) > 0 || len(header[HeaderSignatureOfHTTP]) > 0
}

// ReadHTTPSignatures reads the signatures of a request, in the order of Signature-Input. Each must
// have both its input and its bytes. Nothing is verified.
func ReadHTTPSignatures(header map[string][]string) ([]HTTPSignature, error) {
	inputs, err := parseDictionary(header[HeaderSignatureInput])
	if err != nil {
		return nil, fmt.Errorf("the header Signature-Input cannot be read: %w", err)
	}
	values, err := parseDictionary(header[HeaderSignatureOfHTTP])
	if err != nil {
		return nil, fmt.Errorf("the header Signature cannot be read: %w", err)
	}
	if len(inputs.Names()) > MaxHTTPSignatures {
		return nil, fmt.Errorf("there are more than %d signatures", MaxHTTPSignatures)
	}
	if len(values.Names()) != len(inputs.Names()) || len(inputs.Names()) == 0 {
		return nil, errors.New("the headers Signature-Input and Signature do not name the same signatures")
	}
	all := make([]HTTPSignature, 0, len(inputs.Names()))
	for _, label := range inputs.Names() {
		value, ok := values.Get(label)
		if !ok {
			return nil, fmt.Errorf("the header Signature has no %s, which Signature-Input describes", label)
		}
		input, _ := inputs.Get(label)
		s, err := readSignature(input, value)
		if err != nil {
			return nil, fmt.Errorf("the signature %s: %w", label, err)
		}
		s.Label = label
		all = append(all, s)
	}
	return all, nil
}

func readSignature(input, value httpsfv.Member) (s HTTPSignature, err error) {
	list, ok := input.(httpsfv.InnerList)
	item, _ := value.(httpsfv.Item)
	raw, isBytes := item.Value.([]byte)
	switch {
	case !ok:
		return s, errors.New("its input is no list of components")
	case !isBytes || len(raw) != ed25519.SignatureSize:
		return s, errors.New("it is no Ed25519 signature of 64 bytes")
	case len(list.Items) > maxItems:
		return s, fmt.Errorf("it covers more than %d components", maxItems)
	}
	s.Bytes = raw
	for _, component := range list.Items {
		name, ok := component.Value.(string)
		switch {
		case !ok || name == "":
			return s, errors.New("a component it covers is no name")
		case len(component.Params.Names()) > 0:
			return s, fmt.Errorf("the component %q has parameters, which are not understood here", name)
		case slices.Contains(s.Covered, name):
			return s, fmt.Errorf("it covers %q twice", name)
		}
		s.Covered = append(s.Covered, name)
	}
	for _, name := range list.Params.Names() {
		value, _ := list.Params.Get(name)
		if err := s.set(name, value); err != nil {
			return s, err
		}
	}
	s.input, err = httpsfv.Marshal(list)
	return s, err
}

// set takes a parameter of a signature. Those that RFC 9421 does not name are passed over: they are
// signed along.
func (s *HTTPSignature) set(name string, value any) error {
	var text *string
	var at *time.Time
	switch name {
	case "keyid":
		text = &s.KeyID
	case "alg":
		text = &s.Algorithm
	case "nonce":
		text = &s.Nonce
	case "tag":
		text = &s.Tag
	case "created":
		at = &s.Created
	case "expires":
		at = &s.Expires
	}
	if text != nil {
		var ok bool
		if *text, ok = value.(string); !ok {
			return fmt.Errorf("its %s is no string", name)
		}
	}
	if at != nil {
		seconds, ok := value.(int64)
		if !ok || seconds < 0 {
			return fmt.Errorf("its %s is no time in seconds since 1970", name)
		}
		*at = time.Unix(seconds, 0).UTC()
	}
	return nil
}

// Covers says whether the signature covers all of some components.
func (s *HTTPSignature) Covers(components ...string) bool {
	return !slices.ContainsFunc(components, func(c string) bool { return !slices.Contains(s.Covered, c) })
}

// How old a signature may be that does not say when it expires, and how far the clocks of signer
// and verifier may differ.
const (
	SignatureAge = 5 * time.Minute
	ClockSkew    = time.Minute
	maxLifetime  = 15 * time.Minute // between created and expires
)

// Ends is from when on [HTTPSignature.Fresh] refuses the signature in any case.
func (s *HTTPSignature) Ends() time.Time {
	end := s.Expires
	if end.IsZero() {
		end = s.Created.Add(SignatureAge)
	}
	return end.Add(ClockSkew)
}

// Fresh says what keeps a signature from counting at a time: nil for nothing. It must say when it
// was created, so that who overheard it can use it for minutes at the most.
func (s *HTTPSignature) Fresh(now time.Time) error {
	end := s.Ends().Add(-ClockSkew)
	switch {
	case s.Created.IsZero():
		return errors.New("it does not say when it was created")
	case s.Created.After(now.Add(ClockSkew)):
		return errors.New("it was created in the future; set your clock")
	case end.Before(s.Created), end.After(s.Created.Add(maxLifetime)):
		return errors.New("it expires before it was created, or more than 15 minutes after; let it expire within " +
			"minutes")
	case !now.Before(end.Add(ClockSkew)):
		return errors.New("it has expired; sign again, or set your clock")
	}
	return nil
}

// Base is what is signed (RFC 9421 §2.5). It fails where the request lacks a component, and for
// components that are not understood here.
func (s *HTTPSignature) Base(r Request) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(512 + len(s.input))
	for _, name := range s.Covered {
		value, err := r.component(name)
		if err != nil {
			return nil, err
		}
		b.WriteByte('"')
		b.WriteString(name)
		b.WriteString(`": `)
		b.WriteString(value)
		b.WriteByte('\n')
	}
	b.WriteString(`"@signature-params": `)
	b.WriteString(s.input)
	return b.Bytes(), nil
}

// Verify says whether the signature is that of a key over a request. It says nothing of the time,
// nor whether what is covered is enough, nor of the body, which is covered by its digest alone: see
// Fresh, Covers and CheckContentDigest.
func (s *HTTPSignature) Verify(key ed25519.PublicKey, r Request) error {
	if s.Algorithm != "" && s.Algorithm != "ed25519" {
		return fmt.Errorf("its algorithm %q is not ed25519", s.Algorithm)
	}
	base, err := s.Base(r)
	if err != nil {
		return err
	}
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, base, s.Bytes) {
		return errors.New("it is not that of the key over this request")
	}
	return nil
}

// component is the value of a component of the request (RFC 9421 §2.1, §2.2).
func (r Request) component(name string) (string, error) {
	switch name {
	case ComponentMethod:
		return r.Method, nil
	case ComponentTarget:
		return r.Target, nil
	case "@authority", "@scheme", "@request-target", "@path", "@query", "host":
		return r.ofTarget(name)
	}
	if !fieldName(name) {
		return "", fmt.Errorf("the component %q is not understood here", name)
	}
	lines := r.Header[canonicalName(name)]
	if len(lines) == 0 {
		return "", fmt.Errorf("it covers the header %s, which is not there", name)
	}
	trimmed := make([]string, len(lines))
	for i, line := range lines {
		if trimmed[i] = strings.Trim(line, " \t"); strings.ContainsAny(line, "\r\n") {
			return "", fmt.Errorf("the header %s has a line break", name)
		}
	}
	return strings.Join(trimmed, ", "), nil
}

// ofTarget is a component that the target URI holds.
func (r Request) ofTarget(name string) (string, error) {
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

// SigningParameters say how a request is to be signed.
type SigningParameters struct {
	Label   string    // "agent" when it is empty
	KeyID   string    // as the verifier resolves it; for RAMP "domain" or "domain#kid"
	Created time.Time // which is signed to the second
	Expires time.Time // the zero time for SignatureAge after Created
	Covered []string  // RequestComponents when it is empty
	// Nonce sets the signature apart from that of the same request in the same second. Verifiers
	// that take a signature once need it. Empty for none.
	Nonce string
}

// SignRequest gives the members of Signature-Input and Signature for a request, to be set, or added
// to those of others. The request's header must have what is covered: see ContentDigest. It fails
// where a component is not there.
func SignRequest(r Request, p SigningParameters, key ed25519.PrivateKey) (input, signature string, err error) {
	if p.Label == "" {
		p.Label = "agent"
	}
	if len(p.Covered) == 0 {
		p.Covered = RequestComponents
	}
	if p.Expires.IsZero() {
		p.Expires = p.Created.Add(SignatureAge)
	}
	parameters := httpsfv.NewParams()
	parameters.Add("keyid", p.KeyID)
	parameters.Add("alg", "ed25519")
	parameters.Add("created", p.Created.Unix())
	parameters.Add("expires", p.Expires.Unix())
	if p.Nonce != "" {
		parameters.Add("nonce", p.Nonce)
	}
	list := httpsfv.InnerList{Params: parameters}
	for _, name := range p.Covered {
		list.Items = append(list.Items, httpsfv.NewItem(name))
	}
	if input, err = member(p.Label, list); err != nil {
		return "", "", fmt.Errorf("label and key id cannot stand in a header: %w", err)
	}
	s := HTTPSignature{Covered: p.Covered, input: strings.TrimPrefix(input, p.Label+"=")}
	base, err := s.Base(r)
	if err != nil {
		return "", "", err
	}
	signature, err = member(p.Label, httpsfv.NewItem(ed25519.Sign(key, base)))
	return input, signature, err
}

// member writes a dictionary of one member.
func member(name string, value httpsfv.Member) (string, error) {
	dictionary := httpsfv.NewDictionary()
	dictionary.Add(name, value)
	return httpsfv.Marshal(dictionary)
}
