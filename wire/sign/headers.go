package sign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// The five headers of a signature (Agentic Intent Protocol, "authentication-signing"), in the
// spelling that Go's net/http keeps them in.
const (
	HeaderVersion   = "X-Aip-Version"
	HeaderKeyID     = "X-Aip-Key-Id"
	HeaderTimestamp = "X-Aip-Timestamp"
	HeaderNonce     = "X-Aip-Nonce"
	HeaderSignature = "X-Aip-Signature"
)

// Names are the five headers as the protocol writes them.
var Names = []string{"X-AIP-Version", "X-AIP-Key-Id", "X-AIP-Timestamp", "X-AIP-Nonce", "X-AIP-Signature"}

// Skew is how far a timestamp may be from the verifier's clock, in either direction; exactly that
// far is good.
const Skew = 300 * time.Second

// maxText bounds key ids and nonces. The protocol bounds neither.
const maxText = 256

// scheme begins the signature header's value.
const scheme = "v1="

// Headers are the values of the five headers.
type Headers struct {
	Version   string // of the protocol, such as "0.1"
	KeyID     string // names the secret, never a user
	Timestamp string // RFC 3339; signed as it is written
	Nonce     string // never used twice with the same key within the window
	Signature string // "v1=" and the base64 of the HMAC
}

// Message is the text that is signed: five lines without a line break at the end. firstLine is the
// request's method, or of a response the digits of its status; path is the request's path as it
// went over the wire, percent-encoded, with "?" and the query where there is one; body is the raw
// body.
func Message(firstLine, path string, body []byte, timestamp, nonce string) string {
	sum := sha256.Sum256(body)
	return strings.Join([]string{firstLine, path, hex.EncodeToString(sum[:]), timestamp, nonce}, "\n")
}

// HMAC is the value of the signature header: "v1=" and the HMAC-SHA256 of the Message in standard
// base64.
func HMAC(secret []byte, firstLine, path string, body []byte, timestamp, nonce string) string {
	return scheme + base64.StdEncoding.EncodeToString(sum(secret, Message(firstLine, path, body, timestamp, nonce)))
}

func sum(secret []byte, message string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(message))
	return mac.Sum(nil)
}

// Signed returns the headers with the signature of a secret over them. (Version and KeyID are not
// in what is signed: the key id is bound by its secret, and the version by the body, which repeats
// it.)
func (h Headers) Signed(secret []byte, firstLine, path string, body []byte) Headers {
	h.Signature = HMAC(secret, firstLine, path, body, h.Timestamp, h.Nonce)
	return h
}

// noSecret stands in for the secret of a key that does not exist.
var noSecret = []byte("there is no such key")

// Verify says whether the signature is that of the secret over a message. It takes as long for a
// wrong signature as for a right one, and with an empty secret, which verifies nothing: so that who
// has no key learns no key's id.
func (h Headers) Verify(secret []byte, firstLine, path string, body []byte) bool {
	key := secret
	if len(key) == 0 {
		key = noSecret
	}
	want := sum(key, Message(firstLine, path, body, h.Timestamp, h.Nonce))
	got, ok := decodeSignature(h.Signature)
	return hmac.Equal(got, want) && ok && len(secret) > 0
}

// decodeSignature reads "v1=" and base64 in the standard or the URL's alphabet, padded or not.
// Where that fails, it gives as many bytes as it would otherwise, so that comparing them takes as
// long.
func decodeSignature(text string) (mac []byte, ok bool) {
	nothing := make([]byte, sha256.Size)
	text, ok = strings.CutPrefix(text, scheme)
	if !ok || strings.ContainsAny(text, "\r\n") { // which the decoder would skip
		return nothing, false
	}
	text = strings.TrimSuffix(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
	mac, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil || len(mac) != sha256.Size {
		return nothing, false
	}
	return mac, true
}

// HeaderError says which of the headers is wrong, and how. A verifier keeps it to itself: a
// stranger learns only that authentication failed.
type HeaderError struct {
	Name    string // as the protocol writes it
	Problem string
}

// Error names header and problem.
func (e *HeaderError) Error() string { return e.Name + ": " + e.Problem }

// Read takes the headers out of a message's (an http.Header is one). Each must stand there exactly
// once, and be something: the error is a *[HeaderError]. Neither the version nor the signature is
// looked at further.
func Read(header map[string][]string) (Headers, error) {
	var h Headers
	for i, field := range h.fields() {
		values := header[field.name]
		switch {
		case len(values) == 0 || len(values) == 1 && values[0] == "":
			return Headers{}, &HeaderError{Names[i], "missing"}
		case len(values) > 1:
			return Headers{}, &HeaderError{Names[i], "stands more than once"}
		case len(values[0]) > maxText:
			return Headers{}, &HeaderError{Names[i], fmt.Sprintf("longer than %d characters", maxText)}
		case !visible(values[0]):
			return Headers{}, &HeaderError{Names[i], "has characters that are not visible ASCII"}
		}
		*field.value = values[0]
	}
	if _, err := ParseTime(h.Timestamp); err != nil {
		return Headers{}, &HeaderError{"X-AIP-Timestamp", err.Error()}
	}
	return h, nil
}

// Any says whether any of the five headers is there at all: a message with some of them claims to
// be signed.
func Any(header map[string][]string) bool {
	var h Headers
	for _, field := range h.fields() {
		if len(header[field.name]) > 0 {
			return true
		}
	}
	return false
}

// Write puts the headers into a message's, in place of those there.
func (h Headers) Write(header map[string][]string) {
	for _, field := range h.fields() {
		header[field.name] = []string{*field.value}
	}
}

type field struct {
	name  string
	value *string
}

func (h *Headers) fields() []field {
	return []field{
		{HeaderVersion, &h.Version},
		{HeaderKeyID, &h.KeyID},
		{HeaderTimestamp, &h.Timestamp},
		{HeaderNonce, &h.Nonce},
		{HeaderSignature, &h.Signature},
	}
}

// visible says whether a text has visible ASCII alone: no blank, no control character.
func visible(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Fresh says whether the timestamp is at most [Skew] away from now.
func (h Headers) Fresh(now time.Time) bool {
	t, err := ParseTime(h.Timestamp)
	return err == nil && Fresh(t, now)
}

// Fresh says whether a time is at most [Skew] away from now.
func Fresh(t, now time.Time) bool {
	age := now.Sub(t)
	return -Skew <= age && age <= Skew
}

// UsedUntil is until when a nonce must be remembered that came with the timestamp: after it, the
// timestamp alone refuses the message. It is at most twice [Skew] after now for a timestamp that is
// fresh now.
func (h Headers) UsedUntil() time.Time {
	t, err := ParseTime(h.Timestamp)
	if err != nil {
		return time.Time{}
	}
	return t.Add(Skew)
}

// ParseTime reads a date-time of RFC 3339, strictly, within the years 0 to 9999 of UTC. A leap
// second is the second before it, since no clock here has any.
func ParseTime(text string) (time.Time, error) {
	const shortest = len("2006-01-02T15:04:05Z")
	plain := text
	if len(plain) >= shortest && plain[17:19] == "60" {
		plain = plain[:17] + "59" + plain[19:]
	}
	var t time.Time
	wrong := len(plain) < shortest || len(plain) > 64 || strings.Contains(plain, ",") ||
		t.UnmarshalText([]byte(strings.ToUpper(plain))) != nil
	if year := t.UTC().Year(); wrong || year < 0 || year > 9999 { // an offset may lead to where no such text is
		return time.Time{}, fmt.Errorf("%q is no time of RFC 3339; write it like 2025-11-14T18:22:01Z", clip(text))
	}
	return t, nil
}

// FormatTime writes a time as [ParseTime] reads it: in UTC, to the second.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// clip shortens a text for a message.
func clip(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}
