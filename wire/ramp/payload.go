package ramp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/proto"

	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// RequesterPayload is what a requester signs: id, domain, uris and scopes, as canonical JSON, all
// four always. It holds neither time nor audience, so that a Broker may pass it on; who sees it can
// send it again.
func RequesterPayload(r *rampv1.Requester) ([]byte, error) {
	return canonical(struct {
		Domain string   `json:"domain"`
		ID     string   `json:"id"`
		Scopes []string `json:"scopes"`
		URIs   []string `json:"uris"`
	}{r.GetDomain(), r.GetId(), r.GetScopes(), r.GetUris()})
}

// OfferPayload is what an Exchange signs of an offer: all of it but exchange_signature, as
// canonical JSON. The algorithm and the end of the offer are in it.
func OfferPayload(offer *rampv1.Offer) ([]byte, error) {
	if offer.GetExchangeSignature() == "" {
		return canonicalMessage(offer)
	}
	unsigned := proto.CloneOf(offer)
	unsigned.ExchangeSignature = ""
	return canonicalMessage(unsigned)
}

// HopPayload is what the intermediary at a place, counted from 0, signs when it passes a query on:
// the query with the hops up to its own, of which its own has no signature yet, as canonical JSON.
func HopPayload(query *rampv1.ResourceQuery, hop int) ([]byte, error) {
	if hop < 0 || hop >= len(query.GetIntermediaries()) {
		return nil, fmt.Errorf("the query has %d hops, and no hop %d: count from 0",
			len(query.GetIntermediaries()), hop)
	}
	sofar := proto.CloneOf(query)
	sofar.Intermediaries = sofar.Intermediaries[:hop+1]
	sofar.Intermediaries[hop].Signature = ""
	return canonicalMessage(sofar)
}

// AttestationPayload is what a verifier signs: the attestation without its signature, as canonical
// JSON, all five members always, and the time in the text that it came in ([AttestedAt]).
func AttestationPayload(a *rampv1.ResourceAttestation) ([]byte, error) {
	text, _, err := attestationPayload(a)
	return text, err
}

// attestationPayload is AttestationPayload, and says how many bytes of it are the claims.
func attestationPayload(a *rampv1.ResourceAttestation) (text []byte, claims int, err error) {
	if text, claims, ok := plainPayload(a); ok {
		return text, claims, nil
	}
	object, err := claimsJSONByStandard(a)
	if err != nil {
		return nil, 0, fmt.Errorf("its claims are nothing that JSON can carry: %w", err)
	}
	text, err = attestationOf(a, object)
	return text, len(object), err
}

func attestationOf(a *rampv1.ResourceAttestation, claims []byte) ([]byte, error) {
	return canonical(struct {
		AttestedAt string           `json:"attested_at"`
		Claims     strictjson.Value `json:"claims"`
		Kid        string           `json:"kid"`
		URI        string           `json:"uri"`
		Verifier   string           `json:"verifier"`
	}{AttestedAt(a), claims, a.GetKid(), a.GetUri(), a.GetVerifier()})
}

// claimsJSON is the canonical JSON of an attestation's claims.
func claimsJSON(a *rampv1.ResourceAttestation) ([]byte, error) {
	if text, ok := plainStruct(make([]byte, 0, 256), a.GetClaims(), plainLevels); ok {
		return text, nil
	}
	return claimsJSONByStandard(a)
}

// claimsJSONByStandard is claimsJSON the long way, for whatever JSON can carry.
func claimsJSONByStandard(a *rampv1.ResourceAttestation) ([]byte, error) {
	text, err := Marshal(&rampv1.ResourceAttestation{Claims: a.GetClaims()})
	if err != nil {
		return nil, err
	}
	var only struct {
		Claims strictjson.Value `json:"claims"`
	}
	if err := strictjson.Decode(text, &only); err != nil {
		return nil, err
	}
	if only.Claims == nil {
		return []byte("{}"), nil
	}
	return sign.Canonical(only.Claims)
}

// AgentIdentityHash is what transactions and signed addresses are bound to: the SHA-256 of
// "id:domain" of a requester, in lower-case hex.
func AgentIdentityHash(id, domain string) string {
	sum := sha256.Sum256([]byte(id + ":" + domain))
	return hex.EncodeToString(sum[:])
}

// LicenceHash is what stands in its place where those who deliver ask for the licence: the SHA-256
// of the licence's id, in lower-case hex. Whoever fetches shows the id in the header
// [LicenceHeader].
func LicenceHash(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// LicenceHeader is the header in which whoever fetches shows the id of the licence to those who
// deliver.
const LicenceHeader = "X-Agent-License-Id"

func canonical(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("this cannot be signed, since JSON cannot carry it: %w", err)
	}
	return sign.Canonical(text)
}
