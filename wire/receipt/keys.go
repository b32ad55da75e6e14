package receipt

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Key is a public key with which a ledger signs.
type Key struct {
	ID     string // what the key is called where it was found; may be empty
	Origin string // the ledger that it signs; empty for any
	Public ed25519.PublicKey
}

// Keys are the public keys that somebody trusts.
type Keys []Key

// Verifier is the form in which tools for C2SP signed notes take the key of a ledger:
// ORIGIN+HASH+KEY.
func (k Key) Verifier(origin string) (string, error) {
	return note.NewEd25519VerifierKey(origin, k.Public)
}

// verifiers are the keys that may sign a ledger.
func (ks Keys) verifiers(origin string) (note.Verifiers, error) {
	seen := map[string]bool{}
	var list []note.Verifier
	for _, k := range ks {
		if k.Origin != "" && k.Origin != origin {
			continue
		}
		text, err := k.Verifier(origin)
		if err != nil {
			return nil, err
		}
		verifier, err := note.NewVerifier(text)
		if err != nil {
			return nil, err
		}
		if !seen[text] {
			seen[text] = true
			list = append(list, verifier)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("none of the given keys is for the ledger %s", origin)
	}
	return note.VerifierList(list...), nil
}

// ParseKeys reads public keys, in whichever form they are: a JWKS or a JWK (RFC 7517 and 8037),
// PEM, or the lines of C2SP signed notes (ORIGIN+HASH+KEY). Keys of other kinds than Ed25519, and
// those that cannot be read, are passed over in a JWKS.
func ParseKeys(text []byte) (Keys, error) {
	trimmed := bytes.TrimSpace(text)
	var keys Keys
	var err error
	switch {
	case bytes.HasPrefix(trimmed, []byte("{")):
		keys, err = parseJWKS(trimmed)
	// words before it are allowed (RFC 7468 §2), and our own files have some
	case bytes.Contains(trimmed, []byte("-----BEGIN ")):
		keys, err = parsePEM(trimmed)
	default:
		keys, err = parseLines(string(trimmed))
	}
	if err == nil && len(keys) == 0 {
		err = errors.New("there is no public key for Ed25519 in it")
	}
	return keys, err
}

// jwk is what is read of a key in a JWKS.
type jwk struct {
	Type  string `json:"kty"`
	Curve string `json:"crv"`
	X     string `json:"x"`
	ID    string `json:"kid"`
	Use   string `json:"use"`
}

func parseJWKS(text []byte) (Keys, error) {
	var set struct {
		jwk
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("this is no JWKS: %w", err)
	}
	if set.Type != "" {
		set.Keys = append(set.Keys, text)
	}
	var keys Keys
	var unread error // of keys that are left out
	for _, raw := range set.Keys {
		var k jwk
		if err := json.Unmarshal(raw, &k); err != nil {
			unread = fmt.Errorf("a key of the JWKS cannot be read: %w", err)
			continue
		}
		if k.Type != "OKP" || k.Curve != "Ed25519" || k.Use == "enc" {
			continue
		}
		public, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(k.X, "="))
		if err != nil || len(public) != ed25519.PublicKeySize {
			unread = fmt.Errorf("the key %q of the JWKS is no public key for Ed25519", k.ID)
			continue
		}
		keys = append(keys, Key{ID: k.ID, Public: public})
	}
	if len(keys) == 0 {
		return nil, unread
	}
	return keys, nil
}

func parsePEM(text []byte) (Keys, error) {
	var keys Keys
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			if len(bytes.TrimSpace(rest)) > 0 {
				return nil, errors.New("the PEM text cannot be read to its end")
			}
			return keys, nil
		}
		text = rest
		if strings.Contains(block.Type, "PRIVATE") {
			return nil,
				errors.New("this is a private key: keep it to yourself, and give its public key (openssl pkey -pubout)")
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the PEM text holds no public key: %w", err)
		}
		public, ok := parsed.(ed25519.PublicKey)
		if !ok {
			return nil, errors.New("the PEM text holds a public key of another kind than Ed25519")
		}
		keys = append(keys, Key{Public: public})
	}
}

// algEd25519 marks an Ed25519 key in the lines of signed notes.
const algEd25519 = 1

func parseLines(text string) (Keys, error) {
	var keys Keys
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := note.NewVerifier(line); err != nil {
			return nil,
				errors.New("this is no public key: give a JWKS, a key in PEM, or ORIGIN+HASH+KEY as tools for signed " +
					"notes write it")
		}
		origin, rest, _ := strings.Cut(line, "+")
		hash, data, _ := strings.Cut(rest, "+")
		key, err := base64.StdEncoding.DecodeString(data)
		if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != algEd25519 {
			return nil, fmt.Errorf("the key %s+%s is of another kind than Ed25519", origin, hash)
		}
		keys = append(keys, Key{ID: hash, Origin: origin, Public: key[1:]})
	}
	return keys, nil
}
