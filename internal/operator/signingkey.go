package operator

import (
	"context"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/wire/sign"
)

// Signing keys sign the addresses at which others deliver (RAMP v1, CDN key rotation).
const (
	signingKeysPath = tenantPath + "/signing-keys"
	signingKeyPath  = signingKeysPath + "/{key_id}"
)

var signingKeyOperations = []Operation{
	Define[ListSigningKeys]("signingKeys", "GET", signingKeysPath, "List the keys that sign addresses for others"),
	Define[IssueSigningKey]("issueSigningKey", "POST", signingKeysPath,
		"Make a key, or take one, which waits (RAMP v1, CDN key rotation)"),
	Define[RevokeSigningKey]("revokeSigningKey", "DELETE", signingKeyPath, "End a key at once"),
	Define[ActivateSigningKey]("activateSigningKey", "POST", signingKeyPath+"/activate", "Have a key sign that waits"),
}

// SigningKey is a key that signs addresses, without its secret.
type SigningKey struct {
	KeyID     string  `json:"key_id"`
	Place     string  `json:"place"`                 // who delivers
	CDNType   string  `json:"cdn_type"`              // the form of the addresses
	KeyPairID string  `json:"key_pair_id,omitempty"` // what CloudFront calls the public key
	State     string  `json:"state" enum:"waiting,signing,overlapping,retired,revoked"`
	Imported  bool    `json:"imported,omitempty"` // it was made elsewhere
	Created   Instant `json:"created"`
	Activated Instant `json:"activated,omitzero"`
	Ends      Instant `json:"ends,omitzero"`
	// Shown is told once, of a key that was made here: what the other side has to know.
	Shown *ShownKey `json:"shown,omitempty"`
}

// ShownKey is what the other side has to know of a key.
type ShownKey struct {
	SigningKey string `json:"signing_key,omitempty"` // the secret, in hex; for fastly in base64
	PublicKey  string `json:"public_key,omitempty"`  // in PEM
}

// IssuedKey is a key that was issued.
type IssuedKey struct{ SigningKey }

// Fresh says that it was made.
func (IssuedKey) Fresh() bool { return true }

func (o *Operator) showKey(k identity.DeliveryKey) SigningKey {
	return SigningKey{
		KeyID: k.ID, Place: k.Place, CDNType: string(k.Form), KeyPairID: k.Name, State: k.State(o.Now()),
		Imported: k.Imported, Created: Instant{k.Created}, Activated: Instant{k.Activated}, Ends: Instant{k.Ends},
	}
}

// keysOf are the keys of who delivers for a tenant; or, for a site, of anybody of the
// configuration, as it is or was.
func (o *Operator) keysOf(ctx context.Context, id string) (all []identity.DeliveryKey, err error) {
	_, tenant := o.Places(id)[push.PlaceOf(id)]
	known, err := o.Deliveries.List(ctx)
	for _, k := range known {
		if tenant && k.Place == push.PlaceOf(id) || !tenant && !strings.HasPrefix(k.Place, push.PlaceOf("")) {
			all = append(all, k)
		}
	}
	return all, err
}

// ListSigningKeys lists the keys.
type ListSigningKeys struct{ HostName }

// SigningKeyList is keys that sign addresses.
type SigningKeyList struct {
	Keys []SigningKey `json:"keys"`
}

func (in ListSigningKeys) Do(ctx context.Context, o *Operator) (SigningKeyList, error) {
	id, err := in.site(o)
	if err != nil {
		return SigningKeyList{}, err
	}
	all, err := o.keysOf(ctx, id)
	return SigningKeyList{each(all, o.showKey)}, err
}

// IssueSigningKey makes a key, or takes one.
type IssueSigningKey struct {
	HostName
	// Place is who delivers, by its name in ramp.delivery; where one alone has the form, it may be
	// left out.
	Place      string `json:"place"`
	CDNType    string `json:"cdn_type" enum:"hmac,cloudfront,akamai,fastly"`
	SigningKey string `json:"signing_key"` // a key that was made elsewhere: PEM for cloudfront, else the secret
	// Encoding is that of the secret; without it base64 for fastly and hex for others.
	Encoding  string `json:"encoding" enum:"text,base64,hex"`
	KeyPairID string `json:"key_pair_id"` // what CloudFront calls the public key
}

// place is who delivers, by the name that is told, or else by the form of its addresses, where that
// is one alone.
func (in IssueSigningKey) place(places map[string]sign.URLForm) (string, error) {
	var fits []string
	for place, of := range places {
		if of != "" && (in.Place == "" || in.Place == place) && (in.CDNType == "" || in.CDNType == string(of)) {
			fits = append(fits, place)
		}
	}
	switch {
	case len(fits) == 1 && places[fits[0]] == sign.URLEd25519:
		return "", invalid("addresses of %s are signed with the site's key; "+
			"`frontdesk keys rotate site` makes another", fits[0])
	case len(fits) == 1:
		return fits[0], nil
	case len(fits) == 0:
		return "", invalid("nobody delivers for it by the name %.64q in the form %.20q; add who does to "+
			"ramp.delivery of the configuration, or to the tenant's delivery, first", in.Place, in.CDNType)
	}
	return "", invalid("several deliver so; name one of ramp.delivery as place")
}

func (in IssueSigningKey) Do(ctx context.Context, o *Operator) (out IssuedKey, err error) {
	id, err := in.site(o)
	if err != nil {
		return out, err
	}
	places := o.Places(id)
	place, err := in.place(places)
	if err != nil {
		return out, err
	}
	form := places[place]
	var secret []byte
	if in.SigningKey != "" {
		if secret, err = identity.ParseDeliverySecret(form, []byte(in.SigningKey), in.Encoding); err != nil {
			return out, err
		}
	}
	k, shown, err := o.Deliveries.Issue(ctx, place, form, in.KeyPairID, secret)
	out.SigningKey = o.showKey(k)
	switch {
	case shown == "":
	case form == sign.URLCloudFront:
		out.Shown = &ShownKey{PublicKey: shown}
	default:
		out.Shown = &ShownKey{SigningKey: shown}
	}
	return out, err
}

// SigningKeyID names a key of a site or tenant.
type SigningKeyID struct {
	HostName
	KeyID string `json:"-" path:"key_id" arg:"" help:"The key's id."`
}

// check refuses keys of others: nothing is told of them, and nothing is done with them.
func (in SigningKeyID) check(ctx context.Context, o *Operator) error {
	id, err := in.site(o)
	if err != nil {
		return err
	}
	all, err := o.keysOf(ctx, id)
	for _, k := range all {
		if k.ID == in.KeyID {
			return err
		}
	}
	if err == nil {
		err = fail.New(fail.NotFound, "%.80q has no key %.80s; GET %s lists those it has", in.Host, in.KeyID,
			signingKeysPath)
	}
	return err
}

// RevokeSigningKey ends a key at once.
type RevokeSigningKey struct{ SigningKeyID }

func (in RevokeSigningKey) Do(ctx context.Context, o *Operator) (SigningKey, error) {
	if err := in.check(ctx, o); err != nil {
		return SigningKey{}, err
	}
	k, err := o.Deliveries.Revoke(ctx, in.KeyID)
	return o.showKey(k), err
}

// ActivateSigningKey has a key sign that waits.
type ActivateSigningKey struct {
	SigningKeyID
	KeyPairID string `json:"key_pair_id"` // what CloudFront calls the public key
	Grace     string `json:"grace"`       // how long the key before it is still good, such as 1h
}

// Bodiless says that a request may say nothing.
func (ActivateSigningKey) Bodiless() {}

func (in ActivateSigningKey) Do(ctx context.Context, o *Operator) (SigningKey, error) {
	if err := in.check(ctx, o); err != nil {
		return SigningKey{}, err
	}
	grace := identity.DeliveryKeyGrace
	if in.Grace != "" {
		var err error
		if grace, err = time.ParseDuration(in.Grace); err != nil {
			return SigningKey{}, invalid("grace: %.40q is no span; write it like 1h", in.Grace)
		}
	}
	k, err := o.Deliveries.Activate(ctx, in.KeyID, in.KeyPairID, grace)
	return o.showKey(k), err
}
