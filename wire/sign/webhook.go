package sign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// WebhookSecret is what both sides of a webhook sign with, as Standard Webhooks have it.
type WebhookSecret []byte

// The bounds of a WebhookSecret in bytes, by Standard Webhooks.
const (
	minWebhookSecret = 24
	maxWebhookSecret = 64
)

// The headers of Standard Webhooks, in the spelling of [net/http].
const (
	WebhookID        = "Webhook-Id"        // by which whoever gets a message twice can tell
	WebhookTimestamp = "Webhook-Timestamp" // when it was signed, in seconds since 1970
	WebhookSignature = "Webhook-Signature"
)

// The ways in which a webhook's signature is none.
var (
	ErrWebhookTime = errors.New("the message was signed at another time than now; the clocks of both sides have " +
		"to agree")
	ErrWebhookSignature = errors.New("the signature of the message is not right")
)

// ParseWebhookSecret reads a secret in the form of Standard Webhooks: whsec_ and 24 to 64 bytes in
// Base64. The error does not hold the text.
func ParseWebhookSecret(text string) (WebhookSecret, error) {
	encoded, ok := strings.CutPrefix(text, "whsec_")
	if !ok {
		return nil, errors.New("what is there is no secret; it begins with whsec_")
	}
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(secret) < minWebhookSecret || len(secret) > maxWebhookSecret {
		return nil, fmt.Errorf("what is there is no secret; behind whsec_ stand %d to %d bytes in Base64",
			minWebhookSecret, maxWebhookSecret)
	}
	return secret, nil
}

// Text is the secret as ParseWebhookSecret reads it.
func (s WebhookSecret) Text() string { return "whsec_" + base64.StdEncoding.EncodeToString(s) }

// Sign is the header webhook-signature of a body that is sent under an id at a time.
func (s WebhookSecret) Sign(id string, at time.Time, body []byte) string {
	return "v1," + base64.StdEncoding.EncodeToString(s.mac(id, at.Unix(), body))
}

func (s WebhookSecret) mac(id string, seconds int64, body []byte) []byte {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte(id + "." + strconv.FormatInt(seconds, 10) + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify checks the three headers of a message that is received at a time, which may be apart from
// when it was signed by as much as apart. Of several signatures one has to be right. The error is
// ErrWebhookSignature, or ErrWebhookTime where that alone is wrong.
func (s WebhookSecret) Verify(id, timestamp, signature string, body []byte, now time.Time, apart time.Duration) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != timestamp || len(s) < minWebhookSecret {
		return ErrWebhookSignature
	}
	want, right := s.mac(id, seconds, body), false
	for one := range strings.SplitSeq(signature, " ") {
		encoded, ok := strings.CutPrefix(one, "v1,")
		got, err := base64.StdEncoding.DecodeString(encoded)
		right = right || ok && err == nil && hmac.Equal(got, want)
	}
	if !right {
		return ErrWebhookSignature
	}
	if signed := time.Unix(seconds, 0); signed.Before(now.Add(-apart)) || signed.After(now.Add(apart)) {
		return ErrWebhookTime
	}
	return nil
}
