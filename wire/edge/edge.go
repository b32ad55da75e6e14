// Package edge is how an edge reports deliveries and sightings of agents to its Exchange: batches
// of strict JSON, sent to `POST /exchange/v1/deliveries` under a signature of Standard Webhooks,
// and the signed answer that accepts them. RAMP v1 does not define this format; it is this front
// desk's own.
//
// A batch is sent until it is accepted, and may arrive twice, late, or after later ones. The id of
// a delivery and the digest of a batch count once. It is part of wire: no I/O, no clock, and usable
// by clients.
package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/strictjson"
)

// Version is the only version of a Batch so far.
const Version = 1

// The bounds of a batch.
const (
	MaxBatch      = 8 << 20 // bytes of its text
	MaxDeliveries = 2000
	MaxSightings  = 2000
	MaxURI        = 8192 // bytes of Delivery.URI
	MaxPath       = 256  // bytes of Sighting.Path
	MaxCount      = 1 << 40
)

// State is how far a delivery is.
type State string

// The states of a delivery. A record of one that has begun is followed by another under the same
// id, once its end is known.
const (
	Begun State = "begun" // its first byte may have left
	Ended State = "ended" // all of it was handed to the connection
	Cut   State = "cut"   // it ended before all of it was: the client or the origin went away, or the edge itself
)

// Delivery is content that left an edge against a signed address, or was about to.
type Delivery struct {
	// ID tells the delivery from all others of the edge: 1 to 64 letters, digits, "-" and "_".
	ID string `json:"id"`
	// Transaction is what the address names, "" where it names none. It may be one that the
	// Exchange does not know.
	Transaction string `json:"transaction,omitempty"`
	// Agent is the hash that stands for the buyer in the address; "" where none does.
	Agent string `json:"agent,omitempty"`
	// URI is the absolute address of the content, without what signs it.
	URI string `json:"uri"`
	// Form is the form of the signed address, such as "hmac"; "" where there was none.
	Form  string `json:"form,omitempty"`
	State State  `json:"state"`
	// Status is the HTTP status of the answer; 0 where that is not known.
	Status int `json:"status,omitzero"`
	// Announced is how many bytes of content the answer was to have; 0 where nobody could say.
	Announced int64 `json:"announced,omitzero"`
	// Bytes are how many of the content were handed to the connection; of one that has begun, and
	// with AtMost, the most that can have been.
	Bytes  int64 `json:"bytes"`
	AtMost bool  `json:"at_most,omitzero"`
	// SHA256 is the digest of those bytes, in hex; "" where it was not made.
	SHA256 string    `json:"sha256,omitempty"`
	At     time.Time `json:"at"` // when it began, by the edge's clock
	Ended  time.Time `json:"ended,omitzero"`
}

// Sighting is how often an edge saw an agent in an hour, and what came of it.
type Sighting struct {
	Hour time.Time `json:"hour"` // its beginning, in UTC
	Host string    `json:"host"` // that was asked, in lower case
	// Agent is the name by which the edge knows the agent, such as "GPTBot"; never a whole user
	// agent.
	Agent string `json:"agent"`
	// Path is what was asked for, or what it lies below; "" stands for many.
	Path    string `json:"path"`
	Outcome string `json:"outcome"` // a word such as "refused": small letters, digits, "-" and "_"
	Count   int64  `json:"count"`
}

// Batch is what an edge tells at once.
type Batch struct {
	Version    int        `json:"version"`
	ID         string     `json:"id"` // of the batch, as Delivery.ID
	Deliveries []Delivery `json:"deliveries,omitempty"`
	Sightings  []Sighting `json:"sightings,omitempty"`
}

// Taken is the answer to a batch that is recorded for good, signed with the same secret under the
// batch's id.
type Taken struct {
	ID         string `json:"id"`     // of the batch
	SHA256     string `json:"sha256"` // of the batch's text as it was received, in hex
	Deliveries int    `json:"deliveries"`
	Sightings  int    `json:"sightings"`
}

// Text is the batch as JSON: the same bytes each time.
func (b Batch) Text() ([]byte, error) {
	b.Version = Version
	return json.Marshal(b, json.Deterministic(true))
}

// Digest is the SHA-256 of a text in hex, as Taken has it.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Read reads and checks a batch. The error says what is wrong with it and is safe to show to
// whoever sent it.
func Read(text []byte) (Batch, error) {
	var b Batch
	if err := strictjson.Decode(text, &b); err != nil {
		return Batch{}, err
	}
	return b, b.Check()
}

// ReadTaken reads the answer to a batch.
func ReadTaken(text []byte) (t Taken, err error) {
	err = strictjson.Decode(text, &t)
	return t, err
}

// isID says whether a text is 1 to 64 letters, digits, "-" and "_". What each delivery is held to
// is written out, since it is asked for each of them on its way out.
func isID(text string) bool {
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return text != "" && len(text) <= 64
}

// isWord says whether a text is a word of up to 32 small letters, digits, "-" and "_" that begins
// with a letter.
func isWord(text string) bool {
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return text != "" && len(text) <= 32 && text[0] >= 'a'
}

// isDigest says whether a text is a SHA-256 in small hex digits.
func isDigest(text string) bool {
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'f') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(text) == 64
}

// Check says what of the batch cannot be meant.
func (b Batch) Check() error {
	switch {
	case b.Version != Version:
		return fmt.Errorf("version: it is %d; this is version %d", b.Version, Version)
	case !isID(b.ID):
		return fmt.Errorf("id: it has 1 to 64 letters, digits, - and _")
	case len(b.Deliveries) > MaxDeliveries || len(b.Sightings) > MaxSightings:
		return fmt.Errorf("a batch has at most %d deliveries and %d sightings; send several", MaxDeliveries,
			MaxSightings)
	}
	for n, d := range b.Deliveries {
		if err := d.Check(); err != nil {
			return fmt.Errorf("deliveries/%d/%w", n, err)
		}
	}
	for n, s := range b.Sightings {
		if err := s.Check(); err != nil {
			return fmt.Errorf("sightings/%d/%w", n, err)
		}
	}
	return nil
}

// Check says what of the delivery cannot be meant.
func (d Delivery) Check() error {
	switch {
	case !isID(d.ID):
		return fmt.Errorf("id: it has 1 to 64 letters, digits, - and _")
	case !plain(d.Transaction, 128):
		return fmt.Errorf("transaction: it has at most 128 printable characters")
	case !plain(d.Agent, 256):
		return fmt.Errorf("agent: it has at most 256 printable characters")
	case d.Form != "" && !isWord(d.Form):
		return fmt.Errorf("form: it is a word of small letters, such as hmac")
	case d.State != Begun && d.State != Ended && d.State != Cut:
		return fmt.Errorf("state: it is begun, ended or cut")
	case d.Status != 0 && (d.Status < 100 || d.Status > 599):
		return fmt.Errorf("status: it is a status of HTTP")
	case d.Bytes < 0 || d.Announced < 0:
		return fmt.Errorf("bytes: neither that nor announced can be negative")
	case d.SHA256 != "" && !isDigest(d.SHA256):
		return fmt.Errorf("sha256: it is a SHA-256 in small hex digits")
	case !plausible(d.At):
		return fmt.Errorf("at: it is a time between 2000 and 2200")
	case d.State == Begun && !d.Ended.IsZero():
		return fmt.Errorf("ended: what has only begun has no end")
	case d.State != Begun && !plausible(d.Ended):
		return fmt.Errorf("ended: it is a time between 2000 and 2200")
	}
	return checkURI(d.URI)
}

func checkURI(uri string) error {
	if len(uri) <= MaxURI && usual(uri) {
		return nil
	}
	u, err := url.Parse(uri)
	if err != nil || len(uri) > MaxURI || !plain(uri, MaxURI) || u.Host == "" || u.User != nil ||
		(u.Scheme != "https" && u.Scheme != "http") {
		return fmt.Errorf("uri: it is an absolute address of http or https with at most %d bytes", MaxURI)
	}
	return nil
}

// usual says quickly of an address that it is one: scheme, a host of letters, digits, dots and
// dashes, and a path and query of visible ASCII without escapes.
func usual(uri string) bool {
	rest, ok := strings.CutPrefix(uri, "https://")
	if !ok {
		return false
	}
	for i, c := range []byte(rest) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-':
		case c == '/' && i > 0:
			return !strings.ContainsFunc(rest[i:], func(r rune) bool { return r <= ' ' || r > '~' || r == '%' })
		default:
			return false
		}
	}
	return false
}

// Check says what of the sighting cannot be meant.
func (s Sighting) Check() error {
	switch {
	case !plausible(s.Hour) || !s.Hour.Equal(s.Hour.Truncate(time.Hour)):
		return fmt.Errorf("hour: it is the beginning of an hour between 2000 and 2200")
	case !plain(s.Host, 255) || s.Host != strings.ToLower(s.Host):
		return fmt.Errorf("host: it has at most 255 printable characters, in lower case")
	case !plain(s.Agent, 64):
		return fmt.Errorf("agent: it has at most 64 printable characters")
	case !plain(s.Path, MaxPath):
		return fmt.Errorf("path: it has at most %d printable characters of ASCII", MaxPath)
	case !isWord(s.Outcome):
		return fmt.Errorf("outcome: it is a word of small letters, such as refused")
	case s.Count < 1 || s.Count > MaxCount:
		return fmt.Errorf("count: it is from 1 to 2^40")
	}
	return nil
}

// plain says that a text is printable ASCII and not too long.
func plain(text string, most int) bool {
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return len(text) <= most
}

func plausible(t time.Time) bool { return t.Year() >= 2000 && t.Year() < 2200 }

// What goes with a batch beside the headers of Standard Webhooks.
const (
	// Path is where an Exchange takes batches.
	Path = "/exchange/v1/deliveries"
	// KeyHeader is the id of the edge's key that signed a batch.
	KeyHeader = "Edge-Key"
	// ClockHeader says "apart" in the answer to a batch that is signed rightly and at a time too
	// far from the Exchange's, which its Date tells.
	ClockHeader = "Edge-Clock"
	// Apart is how far the clocks of both may be apart.
	Apart = 5 * time.Minute
)
