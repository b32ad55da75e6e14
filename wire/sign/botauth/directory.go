package botauth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"frontdesk/wire/sign"
)

// The bounds of a directory (§6.7).
const (
	MaxDirectory = 64 << 10 // bytes
	maxKeys      = 64
	maxExponent  = 65537 // of RSA: a larger one makes verification cost more, and nobody has one
)

// Directory is a set of keys (§5.5.1).
type Directory struct {
	Keys []Key
	// Passed are why entries are not among Keys: keys of other kinds, for other uses, or malformed.
	Passed []string
}

// Key is one key of a directory.
type Key struct {
	ID          string // the thumbprint (RFC 7638), which is the keyid of signatures
	Named       string // what the directory calls it (kid); empty for nothing
	Public      crypto.PublicKey
	From, Until time.Time // when it may be used; zero for no bound
}

// Key gives the key of an id, if it may be used at a time.
func (d *Directory) Key(id string, now time.Time) (crypto.PublicKey, error) {
	for _, k := range d.Keys {
		switch {
		case k.ID != id:
		case !k.From.IsZero() && now.Add(clockSkew).Before(k.From):
			return nil, errors.New("its key may not be used yet")
		case !k.Until.IsZero() && !now.Before(k.Until):
			return nil, errors.New("its key may not be used any more")
		default:
			return k.Public, nil
		}
	}
	return nil, ErrNoKey
}

// ErrNoKey is that a directory does not hold a key.
var ErrNoKey = errors.New("the directory does not hold its key")

// testKeys are the thumbprints of keys whose private halves are published, in RFC 9421's appendix
// B.1: anybody can sign by them (§6.8).
var testKeys = map[string]bool{
	"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U": true, // test-key-ed25519
	"oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA": true, // test-key-rsa-pss
	"ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI": true, // test-key-ecc-p256
}

// jwk is a key of a set, as far as it matters here (RFC 7517, RFC 7518 §6, RFC 8037).
type jwk struct {
	Kind  string   `json:"kty"`
	ID    string   `json:"kid"`
	Use   string   `json:"use"`
	Curve string   `json:"crv"`
	X     string   `json:"x"`
	Y     string   `json:"y"`
	N     string   `json:"n"`
	E     string   `json:"e"`
	D     string   `json:"d"` // of a private key, which nobody may publish
	From  *float64 `json:"nbf"`
	Until *float64 `json:"exp"`
}

// ReadDirectory reads a directory. Entries that are no use here are passed over; a document that is
// no set of keys, or is too large, is an error. Public says that keys which anybody can sign by are
// passed over, too: it must be true but in tests.
func ReadDirectory(body []byte, public bool) (*Directory, error) {
	if len(body) > MaxDirectory {
		return nil, fmt.Errorf("the directory has more than %d bytes", MaxDirectory)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil || set.Keys == nil {
		return nil, errors.New("the directory is no JSON Web Key Set: an object with an array of keys is needed")
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("the directory has more than %d keys", maxKeys)
	}
	d := &Directory{}
	for i, raw := range set.Keys {
		key, err := readKey(raw)
		if err == nil && public && testKeys[key.ID] {
			err = errors.New("it is a published test key, by which anybody can sign")
		}
		if err != nil {
			d.Passed = append(d.Passed, fmt.Sprintf("key %d: %s", i+1, err))
			continue
		}
		d.Keys = append(d.Keys, key)
	}
	return d, nil
}

func readKey(raw []byte) (key Key, err error) {
	var k jwk
	if err := json.Unmarshal(raw, &k); err != nil {
		return key, errors.New("it is no JSON Web Key")
	}
	switch {
	case k.D != "":
		return key, errors.New("it is a private key: make a new one, and publish its public half alone")
	case k.Use != "" && k.Use != "sig":
		return key, fmt.Errorf("its use is %.40q, not sig", k.Use)
	}
	var members string // of the thumbprint (RFC 7638 §3.2)
	switch k.Kind {
	case "OKP":
		key.Public, err = k.ed25519()
		members = fmt.Sprintf(`{"crv":%q,"kty":"OKP","x":%q}`, k.Curve, k.X)
	case "EC":
		key.Public, err = k.ecdsa()
		members = fmt.Sprintf(`{"crv":%q,"kty":"EC","x":%q,"y":%q}`, k.Curve, k.X, k.Y)
	case "RSA":
		key.Public, err = k.rsa()
		members = fmt.Sprintf(`{"e":%q,"kty":"RSA","n":%q}`, k.E, k.N)
	default:
		err = fmt.Errorf("its kind %.40q is none of OKP, EC and RSA", k.Kind)
	}
	if err != nil {
		return key, err
	}
	key.ID, key.Named = thumbprint(members), k.ID
	key.From, key.Until = seconds(k.From), seconds(k.Until)
	return key, nil
}

// Thumbprint is the id of an Ed25519 key (RFC 8037, appendix A.3).
func Thumbprint(public ed25519.PublicKey) string {
	return thumbprint(`{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(public) + `"}`)
}

func thumbprint(members string) string {
	sum := sha256.Sum256([]byte(members))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func seconds(at *float64) time.Time {
	if at == nil || *at < 0 || *at > 1e11 {
		return time.Time{}
	}
	return time.Unix(int64(*at), 0).UTC()
}

// decode reads what has one spelling only, since thumbprints are of spellings.
func decode(text string) ([]byte, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && base64.RawURLEncoding.EncodeToString(b) != text {
		err = errors.New("it is not written as base64url is")
	}
	return b, err
}

func (k *jwk) ed25519() (crypto.PublicKey, error) {
	x, err := decode(k.X)
	if err != nil || k.Curve != "Ed25519" || len(x) != ed25519.PublicKeySize {
		return nil, errors.New("it is no Ed25519 key")
	}
	return ed25519.PublicKey(x), nil
}

func (k *jwk) ecdsa() (crypto.PublicKey, error) {
	x, errX := decode(k.X)
	y, errY := decode(k.Y)
	if errX != nil || errY != nil || k.Curve != "P-256" || len(x) != 32 || len(y) != 32 {
		return nil, errors.New("it is no key of P-256")
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
	if err != nil {
		return nil, errors.New("it is no key of P-256")
	}
	return key, nil
}

func (k *jwk) rsa() (crypto.PublicKey, error) {
	n, errN := decode(k.N)
	e, errE := decode(k.E)
	exponent := new(big.Int).SetBytes(e)
	if errN != nil || errE != nil || len(n) < 256 || len(n) > 512 || len(e) == 0 || n[0] == 0 ||
		exponent.Cmp(big.NewInt(maxExponent)) > 0 {
		return nil, errors.New("it is no RSA key of 2,048 to 4,096 bits, with 65537 as its exponent")
	}
	return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(exponent.Int64())}, nil
}

// WriteDirectory writes a directory of keys.
func WriteDirectory(keys []Key) ([]byte, error) {
	type entry struct {
		Kind  string `json:"kty"`
		Curve string `json:"crv"`
		ID    string `json:"kid"`
		X     string `json:"x"`
		Use   string `json:"use"`
		From  int64  `json:"nbf,omitempty"`
		Until int64  `json:"exp,omitempty"`
	}
	set := struct {
		Keys []entry `json:"keys"`
	}{Keys: []entry{}}
	for _, k := range keys {
		public, ok := k.Public.(ed25519.PublicKey)
		if !ok {
			return nil, errors.New("only Ed25519 keys are written")
		}
		e := entry{Kind: "OKP", Curve: "Ed25519", ID: k.ID, X: base64.RawURLEncoding.EncodeToString(public), Use: "sig"}
		if !k.From.IsZero() {
			e.From = k.From.Unix()
		}
		if !k.Until.IsZero() {
			e.Until = k.Until.Unix()
		}
		set.Keys = append(set.Keys, e)
	}
	return json.Marshal(set)
}

// directoryComponents are what the signature of a directory covers (appendix B.1).
var directoryComponents = []string{sign.ComponentAuthority + ";req", sign.ComponentDigest}

// SignDirectory gives the header of a directory that a request asked for, signed by each of its
// keys, which proves that who serves it holds them (appendix B.1). Each key signs under its label.
func SignDirectory(
	body []byte, r sign.Request, p sign.SigningParameters, keys map[string]ed25519.PrivateKey,
) (map[string][]string, error) {
	header := map[string][]string{sign.HeaderContentDigest: {sign.ContentDigest(body)}}
	for id, key := range keys {
		p.Label, p.KeyID, p.Tag, p.Covered = "key"+label(id), id, DirectoryTag, directoryComponents
		input, signature, err := sign.SignHTTP(sign.Response{Header: header, Request: r}, p, key)
		if err != nil {
			return nil, err
		}
		header[sign.HeaderSignatureInput] = append(header[sign.HeaderSignatureInput], input)
		header[sign.HeaderSignatureOfHTTP] = append(header[sign.HeaderSignatureOfHTTP], signature)
	}
	return header, nil
}

// label is a part of a label for a key: lower-case letters and digits.
func label(id string) string {
	sum := sha256.Sum256([]byte(id))
	return fmt.Sprintf("%x", sum[:4])
}

// Proven are the ids of a directory's keys whose possession its response proves at a time (appendix
// B.1). The error is why another signature of it proves nothing; nil where there is none.
func Proven(d *Directory, body []byte, response sign.Response, now time.Time) (ids []string, err error) {
	if !sign.HasHTTPSignature(response.Header) {
		return nil, errors.New("the response is not signed")
	}
	if err := sign.CheckContentDigest(response.Header[sign.HeaderContentDigest], bytes.Clone(body)); err != nil {
		return nil, err
	}
	all, bad := sign.ReadTagged(response.Header, DirectoryTag)
	err = errors.Join(bad...)
	for _, s := range all {
		if why := proves(d, &s, response, now); why != nil {
			err = fmt.Errorf("the signature %s: %w", s.Label, why)
			continue
		}
		ids = append(ids, s.KeyID)
	}
	if len(ids) == 0 && err == nil {
		err = errors.New("no signature has the tag " + DirectoryTag)
	}
	return ids, err
}

func proves(d *Directory, s *sign.HTTPSignature, response sign.Response, now time.Time) error {
	key, err := d.Key(s.KeyID, now)
	switch {
	case err != nil:
		return err
	case !s.Covers(directoryComponents...):
		return errors.New(`it does not cover "@authority";req and "content-digest"`)
	case s.Created.IsZero() || s.Expires.IsZero():
		return errors.New("it does not say when it was created and when it expires")
	case s.Created.After(now.Add(clockSkew)):
		return errors.New("it was created in the future")
	case !now.Before(s.Expires):
		return errors.New("it has expired")
	}
	return s.Verify(key, response)
}
