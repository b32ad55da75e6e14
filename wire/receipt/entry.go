// Package receipt is what a front desk's ledger gives to others, and how they check it: entries,
// receipts, checkpoints, tiles and exports. Whoever holds the public key of a front desk can verify
// them years later, with no connection.
//
// The ledger is a Merkle tree over entries. The canonical JSON of an [Entry] (RFC 8785) is a leaf;
// leaves and nodes are hashed as RFC 6962 §2.1 says. A [Checkpoint] is the size and the root of the
// tree, signed (C2SP tlog-checkpoint and signed-note, with Ed25519); a [Tile] is a run of 256
// hashes of the tree (C2SP tlog-tiles). A [Receipt] is an entry with its place, the path of hashes
// from it to the root, and the checkpoint that signs that root.
//
// It is part of wire: no I/O but from the reader that it is given, no clock, and usable by clients.
package receipt

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/wire/strictjson"
)

// Version is the version of entries that this package makes and reads.
const Version = 1

// MaxLeaf is how many bytes the canonical JSON of an entry may have. (C2SP tlog-tiles has two bytes
// for an entry's length.)
const MaxLeaf = 1<<16 - 1

// The most characters that the texts of an entry have.
const (
	maxKind    = 32
	maxName    = 256  // site, party, request
	maxSubject = 2048 // as long as an address may be
)

// Entry is one fact: what happened, when, to whom, about what. It holds no personal datum, no text
// of a question, no id of a conversation and no secret.
type Entry struct {
	V    int       // Version
	ID   string    // a UUID of version 7, in lower case; given by the ledger
	Time time.Time // when it happened, to the microsecond
	Site string    // the id of the site that it concerns; empty for all
	Kind string    // what sort of fact: access, citation, terms, key, ...
	// to whom it was done or who did it, as the ledger's owner knows them; empty for nobody else
	Party   string
	Subject string           // what it was done with: an address, the id of another entry, of a key, ...
	Request string           // the other side's id of the request that brought it about, if there was one
	Body    strictjson.Value // a JSON object with what else belongs to this kind; empty for {}
}

// timeForm is how the time of an entry is written: RFC 3339 in UTC, with six digits of the second's
// fraction.
const timeForm = "2006-01-02T15:04:05.000000Z"

// isKind says whether a text is lower-case letters, digits and single dashes between them, with a
// letter first.
func isKind(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z':
		case c >= '0' && c <= '9' && i > 0:
		case c == '-' && i > 0 && text[i-1] != '-' && i < len(text)-1:
		default:
			return false
		}
	}
	return text != ""
}

// isID says whether a text is a UUID of version 7 and of the variant of RFC 9562, in lower case.
func isID(text string) bool {
	if len(text) != 36 || text[14] != '7' || !strings.Contains("89ab", text[19:20]) {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && (c < '0' || c > '9') &&
			(c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Leaf gives the entry's canonical JSON, which is a leaf of the tree. It is an error if the entry
// cannot be one.
func (e Entry) Leaf() ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	body, err := canonicalObject(e.Body)
	if err != nil {
		return nil, fmt.Errorf("the body of a ledger entry: %w", err)
	}
	leaf := make([]byte, 0, len(body)+160+len(e.Site)+len(e.Party)+len(e.Subject)+len(e.Request))
	leaf = append(append(leaf, `{"body":`...), body...)
	for _, member := range []struct{ name, value string }{
		{`,"id":`, e.ID}, {`,"kind":`, e.Kind}, {`,"party":`, e.Party}, {`,"request":`, e.Request}, {`,"site":`, e.Site},
		{`,"subject":`, e.Subject}, {`,"time":`, e.Time.UTC().Format(timeForm)},
	} {
		leaf = append(leaf, member.name...)
		if leaf, err = jsontext.AppendQuote(leaf, member.value); err != nil {
			return nil, err
		}
	}
	leaf = append(strconv.AppendInt(append(leaf, `,"v":`...), int64(e.V), 10), '}')
	if len(leaf) > MaxLeaf {
		return nil, fmt.Errorf("a ledger entry of %d bytes is too long; it may have %d", len(leaf), MaxLeaf)
	}
	return leaf, nil
}

// Member is how the leaf of an entry spells a member whose value is a text: bytes that it holds if
// it has this value (and may hold within its body, if not).
func Member(name, value string) []byte {
	member, _ := jsontext.AppendQuote([]byte(`"`+name+`":`), value) // no leaf holds what is not UTF-8
	return member
}

// check says what keeps the texts of the entry from being those of one.
func (e Entry) check() error {
	switch {
	case e.V != Version:
		return fmt.Errorf("a ledger entry has the version %d; this program knows %d", e.V, Version)
	case !isID(e.ID):
		return fmt.Errorf("the id %q of a ledger entry is no UUID of version 7 in lower case", e.ID)
	case len(e.Kind) > maxKind || !isKind(e.Kind):
		return fmt.Errorf("the kind %q of a ledger entry is not made of lower-case letters, digits and single dashes",
			e.Kind)
	case e.Time.Year() < 1970 || e.Time.Year() > 9999 || e.Time.Nanosecond()%1000 != 0:
		return fmt.Errorf("the time %s of a ledger entry is not one of the years 1970 to 9999 in whole microseconds",
			e.Time.Format(time.RFC3339Nano))
	}
	for _, text := range []struct {
		name, value string
		most        int
	}{{"site", e.Site, maxName}, {"party", e.Party, maxName}, {"request", e.Request, maxName},
		{"subject", e.Subject, maxSubject}} {
		if !utf8.ValidString(text.value) {
			return fmt.Errorf("the %s of a ledger entry is not UTF-8", text.name)
		}
		if n := utf8.RuneCountInString(text.value); n > text.most {
			return fmt.Errorf("the %s of a ledger entry has %d characters; it may have %d", text.name, n, text.most)
		}
	}
	return nil
}

// entryJSON is an entry as it is written.
type entryJSON struct {
	Body    strictjson.Value `json:"body"`
	ID      string           `json:"id"`
	Kind    string           `json:"kind"`
	Party   string           `json:"party"`
	Request string           `json:"request"`
	Site    string           `json:"site"`
	Subject string           `json:"subject"`
	Time    string           `json:"time"`
	V       int              `json:"v"`
}

// ParseEntry reads an entry from JSON in any spelling.
func ParseEntry(text []byte) (Entry, error) {
	var raw entryJSON
	if err := strictjson.Decode(text, &raw); err != nil {
		return Entry{}, err
	}
	at, err := time.Parse(timeForm, raw.Time)
	if err != nil || at.Format(timeForm) != raw.Time { // the library takes a comma for the point
		return Entry{}, fmt.Errorf("the time %q of an entry is not written as %s", raw.Time, timeForm)
	}
	e := Entry{V: raw.V, ID: raw.ID, Time: at, Site: raw.Site, Kind: raw.Kind, Party: raw.Party, Subject: raw.Subject,
		Request: raw.Request, Body: raw.Body}
	return e, e.check()
}

// ParseLeaf reads an entry from a leaf, which has no other spelling than its canonical one.
func ParseLeaf(leaf []byte) (Entry, error) {
	e, err := ParseEntry(leaf)
	if err != nil {
		return e, err
	}
	again, err := e.Leaf()
	if err == nil && !bytes.Equal(leaf, again) {
		err = errors.New("the JSON of the entry is not in canonical form (RFC 8785)")
	}
	return e, err
}

// MarshalJSON gives the leaf.
func (e Entry) MarshalJSON() ([]byte, error) { return e.Leaf() }

// UnmarshalJSON is ParseEntry.
func (e *Entry) UnmarshalJSON(text []byte) (err error) {
	*e, err = ParseEntry(text)
	return err
}

// Hash is the hash of a leaf (RFC 6962 §2.1).
type Hash = tlog.Hash

// ParseHash reads a hash from its base64, of which there is but one spelling.
func ParseHash(text string) (Hash, error) {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(data) != tlog.HashSize {
		return Hash{}, fmt.Errorf("%.60q is no SHA-256 hash in base64", text)
	}
	return Hash(data), nil
}

// LeafHash hashes a leaf.
func LeafHash(leaf []byte) Hash { return tlog.RecordHash(leaf) }

// canonicalObject gives the canonical JSON of an object, without changing the argument.
func canonicalObject(body strictjson.Value) (strictjson.Value, error) {
	if len(body) == 0 {
		return strictjson.Value("{}"), nil
	}
	if body.Kind() != '{' {
		return nil, errors.New("it is no JSON object")
	}
	return canonical(body)
}
