package sign

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"errors"
	"fmt"
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

// Components of a request (RFC 9421 §2.2, RFC 9530).
const (
	ComponentMethod    = "@method"
	ComponentAuthority = "@authority"
	ComponentTarget    = "@target-uri"
	ComponentDigest    = "content-digest"
)

// RequestComponents are those that a signature covers for RAMP, at the least, in the order in which
// they are signed.
var RequestComponents = []string{ComponentMethod, ComponentTarget, ComponentDigest}

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
	Covered   []string  // identifiers of components, in their order: a name, and behind it its parameters
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
	inputs, err := ReadDictionary(header[HeaderSignatureInput])
	if err != nil {
		return nil, fmt.Errorf("the header Signature-Input cannot be read: %w", err)
	}
	values, err := ReadDictionary(header[HeaderSignatureOfHTTP])
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

// ReadTagged reads the signatures of a request that have a tag, in the order of Signature-Input.
// The others are another's matter (RFC 9421 §3.2): they may be anything, and are passed over. bad
// says why signatures that seem to have the tag are not among those.
func ReadTagged(header map[string][]string, tag string) (all []HTTPSignature, bad []error) {
	inputs, values := SplitMembers(header[HeaderSignatureInput]), SplitMembers(header[HeaderSignatureOfHTTP])
	for _, member := range inputs {
		if !strings.Contains(member.Text, `"`+tag+`"`) { // a string has one spelling
			continue
		}
		if len(all)+len(bad) == MaxHTTPSignatures {
			return all, append(bad, fmt.Errorf("there are more than %d signatures", MaxHTTPSignatures))
		}
		s, err := readLabelled(inputs, values, member.Name)
		switch {
		case err != nil:
			bad = append(bad, fmt.Errorf("the signature %.40q: %w", member.Name, err))
		case s.Tag == tag:
			all = append(all, s)
		}
	}
	return all, bad
}

func readLabelled(inputs, values Members, label string) (s HTTPSignature, err error) {
	input, err := inputs.Read(label)
	if err != nil {
		return s, fmt.Errorf("the header Signature-Input cannot be read: %w", err)
	}
	value, err := values.Read(label)
	if err != nil {
		return s, fmt.Errorf("the header Signature cannot be read: %w", err)
	}
	s, err = readSignature(input, value)
	s.Label = label
	return s, err
}

func readSignature(input, value httpsfv.Member) (s HTTPSignature, err error) {
	list, ok := input.(httpsfv.InnerList)
	item, _ := value.(httpsfv.Item)
	raw, isBytes := item.Value.([]byte)
	switch {
	case !ok:
		return s, errors.New("its input is no list of components")
	case !isBytes || len(raw) < ed25519.SignatureSize || len(raw) > maxSignature:
		return s, fmt.Errorf("it is no signature of %d to %d bytes", ed25519.SignatureSize, maxSignature)
	case len(list.Items) > maxItems:
		return s, fmt.Errorf("it covers more than %d components", maxItems)
	}
	s.Bytes = raw
	for _, component := range list.Items {
		name, ok := component.Value.(string)
		if !ok || name == "" || strings.Contains(name, ";") {
			return s, errors.New("a component it covers is no name")
		}
		if len(component.Params.Names()) > 0 {
			written, err := httpsfv.Marshal(component)
			if err != nil {
				return s, err
			}
			name += strings.TrimPrefix(written, `"`+name+`"`)
		}
		if slices.Contains(s.Covered, name) {
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

// Base is what is signed (RFC 9421 §2.5). It fails where the message lacks a component, and for
// components that are not understood here.
func (s *HTTPSignature) Base(m HTTPMessage) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(512 + len(s.input))
	for _, identifier := range s.Covered {
		name, parameters, _ := strings.Cut(identifier, ";")
		value, err := m.component(name, parameters)
		if err != nil {
			return nil, err
		}
		b.WriteByte('"')
		b.WriteString(name)
		b.WriteByte('"')
		b.WriteString(identifier[len(name):])
		b.WriteString(": ")
		b.WriteString(value)
		b.WriteByte('\n')
	}
	b.WriteString(`"@signature-params": `)
	b.WriteString(s.input)
	return b.Bytes(), nil
}

// Verify says whether the signature is that of a key over a message. It says nothing of the time,
// nor whether what is covered is enough, nor of the body, which is covered by its digest alone: see
// Fresh, Covers and CheckContentDigest. Keys are of Ed25519, of RSA (as rsa-pss-sha512) and of
// P-256 (as ecdsa-p256-sha256); an algorithm that the signature names must be the key's own.
func (s *HTTPSignature) Verify(key crypto.PublicKey, m HTTPMessage) error {
	algorithm, verify := verifierOf(key)
	if s.Algorithm != "" && s.Algorithm != algorithm {
		return fmt.Errorf("its algorithm %q is not %s", s.Algorithm, algorithm)
	}
	base, err := s.Base(m)
	if err != nil {
		return err
	}
	if verify == nil || !verify(base, s.Bytes) {
		return errors.New("it is not that of the key over this request")
	}
	return nil
}

// SigningParameters say how a request is to be signed.
type SigningParameters struct {
	Label   string    // "agent" when it is empty
	KeyID   string    // as the verifier resolves it; for RAMP "domain" or "domain#kid"
	Created time.Time // which is signed to the second
	Expires time.Time // the zero time for SignatureAge after Created
	Covered []string  // identifiers; RequestComponents when it is empty
	Tag     string    // what it is for, as an application names it; empty for none
	// Nonce sets the signature apart from that of the same request in the same second. Verifiers
	// that take a signature once need it. Empty for none.
	Nonce string
}

// SignHTTP gives the members of Signature-Input and Signature for a message, to be set, or added to
// those of others. The message's header must have what is covered: see ContentDigest. It fails
// where a component is not there.
func SignHTTP(m HTTPMessage, p SigningParameters, key ed25519.PrivateKey) (input, signature string, err error) {
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
	if p.Tag != "" {
		parameters.Add("tag", p.Tag)
	}
	list := httpsfv.InnerList{Params: parameters}
	for _, identifier := range p.Covered {
		name, rest, _ := strings.Cut(identifier, ";")
		item, err := httpsfv.UnmarshalItem([]string{`"` + name + `"` + strings.TrimPrefix(identifier, name)})
		if err != nil {
			return "", "", fmt.Errorf("the component %s with %q cannot stand in a header: %w", name, rest, err)
		}
		list.Items = append(list.Items, item)
	}
	if input, err = member(p.Label, list); err != nil {
		return "", "", fmt.Errorf("label and key id cannot stand in a header: %w", err)
	}
	s := HTTPSignature{Covered: p.Covered, input: strings.TrimPrefix(input, p.Label+"=")}
	base, err := s.Base(m)
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
