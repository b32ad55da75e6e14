package ramp

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/strictjson"
)

// Key is one public key of a key document, and when it is good.
type Key struct {
	ID     string // empty in an agent's document with one key
	Public ed25519.PublicKey
	From   time.Time // the zero time is no bound
	Until  time.Time // the zero time is no bound
	Active bool      // whether new signatures are made with it; a rotated key is good for old ones
}

// Good says whether the key is within its time.
func (k Key) Good(now time.Time) bool {
	return (k.From.IsZero() || !now.Before(k.From)) && (k.Until.IsZero() || now.Before(k.Until))
}

// writtenKey is a key in both of its forms: the one that RAMP documents, and a JSON Web Key.
type writtenKey struct {
	ID         string `json:"id,omitempty"`
	Kid        string `json:"kid,omitempty"`
	Algorithm  string `json:"algorithm,omitempty"`
	PublicKey  string `json:"public_key,omitempty"`
	Status     string `json:"status,omitempty"`
	CreatedAt  string `json:"created_at,omitempty"`
	RotatedAt  string `json:"rotated_at,omitempty"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
	Kty        string `json:"kty,omitempty"`
	Crv        string `json:"crv,omitempty"`
	X          string `json:"x,omitempty"`
}

// WriteExchangeKeys writes the document at keys_uri: each key in the form that RAMP documents, and
// as a JSON Web Key at the same time. From is when a key was created, Until when it was rotated.
func WriteExchangeKeys(keys []Key) ([]byte, error) {
	document := struct {
		Keys []writtenKey `json:"keys"`
	}{[]writtenKey{}}
	for _, key := range keys {
		w := writtenKey{
			ID: key.ID, Kid: key.ID, Algorithm: "ed25519", PublicKey: base64.StdEncoding.EncodeToString(key.Public),
			Status:    "rotated",
			CreatedAt: written(key.From), RotatedAt: written(key.Until), Kty: "OKP", Crv: "Ed25519",
			X: base64.RawURLEncoding.EncodeToString(key.Public),
		}
		if key.Active {
			w.Status = "active"
		}
		document.Keys = append(document.Keys, w)
	}
	return json.Marshal(document)
}

// WriteAgentKeys writes ramp-agent.json of an agent: the first active key as public_key, and all of
// them in both forms with their times. id is by what requests name the agent, or its domain;
// contact is an e-mail address or "". The keys come with the newest first. Without an active one
// there is nothing to write.
func WriteAgentKeys(id, contact string, keys []Key) ([]byte, error) {
	document := struct {
		AgentID   string       `json:"agent_id"`
		PublicKey string       `json:"public_key"`
		Algorithm string       `json:"public_key_algorithm"`
		Contact   string       `json:"contact,omitempty"`
		Keys      []writtenKey `json:"keys"`
	}{AgentID: id, Algorithm: "ed25519", Contact: contact}
	for _, key := range keys {
		w, err := timed(key)
		if err != nil {
			return nil, err
		}
		if key.Active && document.PublicKey == "" {
			document.PublicKey = w.PublicKey
		}
		document.Keys = append(document.Keys, w)
	}
	if document.PublicKey == "" {
		return nil, errors.New("no key is active; make one before the document is written")
	}
	return json.Marshal(document)
}

// Claim is what a verifier says of one of its claims.
type Claim struct {
	Type        string `json:"type"` // of JSON
	Description string `json:"description"`
}

// WriteVerifierKeys writes ramp-verifier.json of a verifier's domain: who it is, what it claims,
// and all keys in both forms with their times (RAMP v1, ramp-verifier.json). Each key needs an id,
// by which attestations name it.
func WriteVerifierKeys(verifier, name string, claims map[string]Claim, keys []Key) ([]byte, error) {
	document := struct {
		Verifier string           `json:"verifier"`
		Name     string           `json:"name,omitempty"`
		Claims   map[string]Claim `json:"claims_schema"`
		Keys     []writtenKey     `json:"keys"`
	}{verifier, name, claims, []writtenKey{}}
	for _, key := range keys {
		w, err := timed(key)
		if err != nil {
			return nil, err
		}
		document.Keys = append(document.Keys, w)
	}
	return json.Marshal(document, json.Deterministic(true))
}

// timed is a key with its times.
func timed(key Key) (writtenKey, error) {
	spki, err := x509.MarshalPKIXPublicKey(key.Public)
	if err != nil {
		return writtenKey{}, fmt.Errorf("the key %q cannot be written: %w", key.ID, err)
	}
	w := writtenKey{
		ID: key.ID, Kid: key.ID, Algorithm: "ed25519", PublicKey: base64.StdEncoding.EncodeToString(spki),
		Status:    "rotated",
		ValidFrom: written(key.From), ValidUntil: written(key.Until), Kty: "OKP", Crv: "Ed25519",
		X: base64.RawURLEncoding.EncodeToString(key.Public),
	}
	if key.Active {
		w.Status = "active"
	}
	return w, nil
}

func written(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// ReadKeys reads a key document of an agent (ramp-agent.json), a verifier (ramp-verifier.json) or
// an Exchange, of at most [MaxDocument] bytes: one public_key, or keys in RAMP's form or as JSON
// Web Keys. name is what the document says of itself, by agent_id or verifier; empty if it says
// nothing. A public_key that stands among the keys too is that one, with its times. Keys of other
// kinds are left out, and so are those that cannot be read; where these are all, that is an error.
func ReadKeys(data []byte) (name string, keys []Key, err error) {
	name, keys, unread, err := readKeys(data)
	if err == nil && len(keys) == 0 && len(unread) > 0 {
		err = unread[0]
	}
	if err != nil {
		return "", nil, err
	}
	return name, keys, nil
}

// UnreadKeys says why keys of a document are left out by [ReadKeys] that are none of another kind.
func UnreadKeys(data []byte) []*strictjson.Error {
	_, _, unread, _ := readKeys(data)
	return unread
}

func readKeys(data []byte) (name string, keys []Key, unread []*strictjson.Error, err error) {
	if len(data) > MaxDocument {
		problem := fmt.Sprintf("%d bytes; a document has at most %d", len(data), MaxDocument)
		return "", nil, nil, &strictjson.Error{Problem: problem}
	}
	var document struct {
		AgentID   string                      `json:"agent_id"`
		Verifier  string                      `json:"verifier"`
		PublicKey strictjson.Value            `json:"public_key"`
		Algorithm strictjson.Value            `json:"public_key_algorithm"`
		Keys      []strictjson.Value          `json:"keys"`
		Others    map[string]strictjson.Value `json:",embed"`
	}
	if err := strictjson.DecodeTolerant(data, &document); err != nil {
		return "", nil, nil, err
	}
	var doubtful []ed25519.PublicKey // of keys that are left out
	for i, raw := range document.Keys {
		key, ours, err := readKey(raw)
		if err != nil {
			unread = append(unread, within(fmt.Sprintf("/keys/%d", i), err))
			doubtful = append(doubtful, publicsOf(raw)...)
		} else if ours {
			keys = append(keys, key)
		}
	}
	if text := string(document.PublicKey); text != "" && text != "null" && text != `""` {
		var w writtenKey
		if err = strictjson.DecodeTolerant(document.PublicKey, &w.PublicKey); err != nil {
			err = within("/public_key", err)
		} else if len(document.Algorithm) > 0 {
			if err = strictjson.DecodeTolerant(document.Algorithm, &w.Algorithm); err != nil {
				err = within("/public_key_algorithm", err)
			}
		}
		var single Key
		var ours bool
		if err == nil {
			single, ours, err = w.read()
		}
		is := func(k Key) bool { return k.Public.Equal(single.Public) }
		switch {
		case err != nil:
			unread = append(unread, within("/public_key", err))
		case !ours, slices.ContainsFunc(keys, is):
		case slices.ContainsFunc(doubtful, func(p ed25519.PublicKey) bool { return p.Equal(single.Public) }):
			// Its times cannot be read, and without them it would be good for ever.
		default:
			keys = append([]Key{single}, keys...)
		}
	}
	if name = document.AgentID; name == "" {
		name = document.Verifier
	}
	return name, keys, unread, nil
}

// within is a failure with where in the document it is.
func within(pointer string, err error) *strictjson.Error {
	var inner *strictjson.Error
	if !errors.As(err, &inner) {
		return &strictjson.Error{Pointer: pointer, Problem: err.Error()}
	}
	if !strings.HasPrefix(inner.Pointer, pointer) {
		pointer += inner.Pointer
	} else {
		pointer = inner.Pointer
	}
	return &strictjson.Error{Pointer: pointer, Problem: inner.Problem}
}

// readKey reads one of the keys of a document.
func readKey(raw strictjson.Value) (key Key, ours bool, err error) {
	if raw.Kind() != '{' {
		return Key{}, false, errors.New("a key has to be an object")
	}
	var w tolerantKey
	if err := strictjson.DecodeTolerant(raw, &w); err != nil {
		return Key{}, false, err
	}
	return w.read()
}

// publicsOf are the public keys that one which cannot be read tells, in either form.
func publicsOf(raw strictjson.Value) (all []ed25519.PublicKey) {
	var members map[string]strictjson.Value
	if strictjson.DecodeTolerant(raw, &members) != nil {
		return nil
	}
	for _, name := range []string{"public_key", "x"} {
		var text string
		if strictjson.DecodeTolerant(members[name], &text) == nil && text != "" {
			if public, err := DecodePublicKey(text); err == nil {
				all = append(all, public)
			}
		}
	}
	return all
}

// tolerantKey is a key with members that nobody knows.
type tolerantKey struct {
	writtenKey `json:",inline"`
	Others     map[string]strictjson.Value `json:",embed"`
}

// read gives a key; ours is false of one that is not for Ed25519.
func (w writtenKey) read() (key Key, ours bool, err error) {
	if w.Algorithm != "" && !strings.EqualFold(w.Algorithm, "ed25519") && !strings.EqualFold(w.Algorithm, "eddsa") ||
		w.Kty != "" && (w.Kty != "OKP" || w.Crv != "Ed25519") {
		return Key{}, false, nil
	}
	text := w.PublicKey
	if text == "" {
		text = w.X
	}
	if key.Public, err = DecodePublicKey(text); err != nil {
		return Key{}, false, err
	}
	key.ID, key.Active = w.ID, w.Status == "" || w.Status == "active"
	if key.ID == "" {
		key.ID = w.Kid
	}
	for _, bound := range []struct {
		text string
		into *time.Time
	}{{w.ValidFrom, &key.From}, {w.ValidUntil, &key.Until}} {
		if bound.text == "" {
			continue
		}
		if *bound.into, err = time.Parse(time.RFC3339, bound.text); err != nil {
			return Key{}, false, fmt.Errorf(`valid_from and valid_until have to be times such as "2026-03-18T09:00:00Z"`)
		}
	}
	return key, true, nil
}

var errPublicKey = errors.New("no Ed25519 public key: write its 32 bytes, or its SubjectPublicKeyInfo, in " +
	"base64 or hex")

// DecodePublicKey reads an Ed25519 public key as documents write it: its 32 bytes, or the 44 of its
// SubjectPublicKeyInfo, in base64 or base64url with or without padding, or in hex; "ed25519:" may
// stand before it. As base64, hex of these lengths would be 48 and 66 bytes, so nothing is read in
// two ways.
func DecodePublicKey(text string) (ed25519.PublicKey, error) {
	text = strings.TrimPrefix(text, "ed25519:")
	raw, err := hex.DecodeString(text)
	if err != nil || len(text) != 2*ed25519.PublicKeySize && len(text) != 2*spkiSize {
		raw, err = decodeBase64(text)
	}
	if err != nil {
		return nil, errPublicKey
	}
	if len(raw) == ed25519.PublicKeySize {
		return raw, nil
	}
	if parsed, err := x509.ParsePKIXPublicKey(raw); err == nil {
		if public, ok := parsed.(ed25519.PublicKey); ok {
			written, err := x509.MarshalPKIXPublicKey(public)
			if err == nil && bytes.Equal(written, raw) { // and not with unused bits
				return public, nil
			}
		}
	}
	return nil, errPublicKey
}

// spkiSize is how many bytes the SubjectPublicKeyInfo of an Ed25519 key has (RFC 8410).
const spkiSize = 44

func decodeBase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") { // which the decoder passes over
		return nil, errPublicKey
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	return encoding.Strict().DecodeString(text)
}
