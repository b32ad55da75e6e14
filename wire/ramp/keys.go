package ramp

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
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

// WriteExchangeKeys writes the document at keys_uri: each key in the form that RAMP documents, and as a JSON Web Key at the
// same time. From is when a key was created, Until when it was rotated.
func WriteExchangeKeys(keys []Key) ([]byte, error) {
	document := struct {
		Keys []writtenKey `json:"keys"`
	}{[]writtenKey{}}
	for _, key := range keys {
		w := writtenKey{
			ID: key.ID, Kid: key.ID, Algorithm: "ed25519", PublicKey: base64.StdEncoding.EncodeToString(key.Public), Status: "rotated",
			CreatedAt: written(key.From), RotatedAt: written(key.Until), Kty: "OKP", Crv: "Ed25519", X: base64.RawURLEncoding.EncodeToString(key.Public),
		}
		if key.Active {
			w.Status = "active"
		}
		document.Keys = append(document.Keys, w)
	}
	return json.Marshal(document)
}

// WriteAgentKeys writes ramp-agent.json of an agent: the first active key as public_key, and all of them in both forms with
// their times. id is by what requests name the agent, or its domain; contact is an e-mail address or "". The keys come with
// the newest first. Without an active one there is nothing to write.
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

// WriteVerifierKeys writes ramp-verifier.json of a verifier's domain: who it is, what it claims, and all keys in both forms with their times
// (RAMP v1, ramp-verifier.json). Each key needs an id, by which attestations name it.
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
		ID: key.ID, Kid: key.ID, Algorithm: "ed25519", PublicKey: base64.StdEncoding.EncodeToString(spki), Status: "rotated",
		ValidFrom: written(key.From), ValidUntil: written(key.Until), Kty: "OKP", Crv: "Ed25519", X: base64.RawURLEncoding.EncodeToString(key.Public),
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

// ReadKeys reads a key document of an agent (ramp-agent.json), a verifier (ramp-verifier.json) or an Exchange, of at most
// [MaxDocument] bytes: one public_key, or keys in RAMP's form or as JSON Web Keys. name is what the document says of itself,
// by agent_id or verifier; empty if it says nothing. A public_key that stands among the keys too is that one, with its times.
// Keys of other kinds are left out; one of ours that cannot be read is an error.
func ReadKeys(data []byte) (name string, keys []Key, err error) {
	if len(data) > MaxDocument {
		return "", nil, &strictjson.Error{Problem: fmt.Sprintf("%d bytes; a document has at most %d", len(data), MaxDocument)}
	}
	var document struct {
		AgentID   string                      `json:"agent_id"`
		Verifier  string                      `json:"verifier"`
		PublicKey string                      `json:"public_key"`
		Algorithm string                      `json:"public_key_algorithm"`
		Keys      []tolerantKey               `json:"keys"`
		Others    map[string]strictjson.Value `json:",embed"`
	}
	if err := strictjson.DecodeTolerant(data, &document); err != nil {
		return "", nil, err
	}
	for i, w := range document.Keys {
		key, ours, err := w.read()
		if err != nil {
			return "", nil, &strictjson.Error{Pointer: fmt.Sprintf("/keys/%d", i), Problem: err.Error()}
		}
		if ours {
			keys = append(keys, key)
		}
	}
	if document.PublicKey != "" {
		single, ours, err := writtenKey{Algorithm: document.Algorithm, PublicKey: document.PublicKey}.read()
		if err != nil {
			return "", nil, &strictjson.Error{Pointer: "/public_key", Problem: err.Error()}
		}
		if ours && !slices.ContainsFunc(keys, func(k Key) bool { return k.Public.Equal(single.Public) }) {
			keys = append([]Key{single}, keys...)
		}
	}
	if name = document.AgentID; name == "" {
		name = document.Verifier
	}
	return name, keys, nil
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

var errPublicKey = errors.New("no Ed25519 public key: write its 32 bytes, or its SubjectPublicKeyInfo, in base64")

// DecodePublicKey reads an Ed25519 public key as documents write it: its 32 bytes, or the 44 of its SubjectPublicKeyInfo, in
// base64 or base64url with or without padding.
func DecodePublicKey(text string) (ed25519.PublicKey, error) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	bare := text
	if len(text)%4 == 0 {
		bare = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	raw, err := encoding.Strict().DecodeString(bare)
	if err == nil && strings.ContainsAny(text, "\r\n") { // which the decoder passes over
		err = errPublicKey
	}
	if err == nil && len(raw) == ed25519.PublicKeySize {
		return raw, nil
	}
	if err == nil {
		if parsed, err := x509.ParsePKIXPublicKey(raw); err == nil {
			if public, ok := parsed.(ed25519.PublicKey); ok {
				return public, nil
			}
		}
	}
	return nil, errPublicKey
}
