package attestation

import (
	"crypto/ed25519"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/wire/contenthash"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Claims are what a site attests of its own content (RAMP v1, ResourceAttestation). What is not
// known is not claimed: the zero value of each.
type Claims struct {
	Hash       contenthash.Hash // of the bytes that are delivered where no form is asked for
	Quantity   int              // about how many tokens it is
	Words      int
	Language   string // of which the main part is claimed (ISO 639-1)
	Title      string
	Categories []string // codes of the IAB Content Taxonomy
}

// maxTitle is how many bytes of a title are claimed, and maxCategories how many categories: all
// claims stay within ramp.MaxClaims.
const (
	maxTitle      = 512
	maxCategories = 32
)

// members are the claims as JSON has them.
func (c Claims) members() map[string]any {
	m := map[string]any{}
	if c.Hash.Method != "" {
		m["content_hash"], m["hash_method"] = c.Hash.String(), string(c.Hash.Method)
	}
	if c.Quantity > 0 {
		m["estimated_quantity"] = c.Quantity
	}
	if c.Words > 0 {
		m["word_count"] = c.Words
	}
	if language, _, _ := strings.Cut(c.Language, "-"); len(language) == 2 {
		m["language"] = strings.ToLower(language)
	}
	if c.Title != "" && len(c.Title) <= maxTitle {
		m["title"] = c.Title
	}
	var categories []any
	for _, one := range c.Categories[:min(len(c.Categories), maxCategories)] {
		if len(one) <= 32 {
			categories = append(categories, one)
		}
	}
	if categories != nil {
		m["iab_categories"] = categories
	}
	return m
}

// Schema says what the claims are that this front desk makes, as ramp-verifier.json tells it.
var Schema = map[string]ramp.Claim{
	"content_hash": {Type: "string", Description: "sha256: or simhash-v1:, and the hash, in hex, of the bytes " +
		"that a purchase delivers where no form is asked for"},
	"hash_method": {Type: "string", Description: "sha256; or simhash-v1, by which texts that are nearly the " +
		"same have hashes that are near each other"},
	"estimated_quantity": {Type: "integer", Description: "about how many tokens it is"},
	"word_count": {Type: "integer", Description: "how many words it has; of what is no running text, an " +
		"estimate"},
	"language":       {Type: "string", Description: "ISO 639-1"},
	"title":          {Type: "string", Description: "the title"},
	"iab_categories": {Type: "array", Description: "codes of the IAB Content Taxonomy"},
}

// SelfAttester signs a site's attestations of its own content, once for each version of an item.
// Its methods may be called concurrently.
type SelfAttester struct {
	// Key is the key that signs, and its id; ok is false while there is none, and nothing is
	// attested.
	Key func() (id string, key ed25519.PrivateKey, ok bool)
	Now func() time.Time

	mu   sync.Mutex
	made map[version]*rampv1.ResourceAttestation
}

// version is what an attestation is kept by.
type version struct{ verifier, kid, uri, of string }

// An attestation is made anew after a day, so that its time tells that it is still so, and so many
// are remembered.
const (
	ownFresh = 24 * time.Hour
	maxOwn   = 20_000
)

// Attest attests claims of a version of what is at an address, in a host's name. Each call with one
// version gives the same attestation, for a day and until another key signs; it is not to be
// changed. It is nil where there is no key, or nothing to claim.
func (o *SelfAttester) Attest(verifier, uri, of string, claims func() Claims) (*rampv1.ResourceAttestation, error) {
	kid, key, ok := o.Key()
	if !ok {
		return nil, nil
	}
	by, now := version{verifier, kid, uri, of}, o.Now().UTC().Truncate(time.Second)
	o.mu.Lock()
	known := o.made[by]
	o.mu.Unlock()
	if known != nil {
		if age := now.Sub(known.AttestedAt.AsTime()); age < ownFresh && age >= 0 {
			return known, nil
		}
	}
	members := claims().members()
	if len(members) == 0 {
		return nil, nil
	}
	said, err := structpb.NewStruct(members)
	if err != nil {
		return nil, err
	}
	a := &rampv1.ResourceAttestation{Verifier: verifier, Kid: kid, AttestedAt: timestamppb.New(now), Uri: uri,
		Claims: said}
	if err := ramp.SignAttestation(a, key); err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.made) >= maxOwn || o.made == nil {
		o.made = map[version]*rampv1.ResourceAttestation{}
	}
	o.made[by] = a
	return a, nil
}
