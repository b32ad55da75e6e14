package identity

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/sign"
)

// MaxRegistered is how many bytes a key may have that somebody registers.
const MaxRegistered = 16 << 10

// keyPairHeader is the header of a PEM that says by what id CloudFront knows the key.
const keyPairHeader = "Key-Pair-Id"

// ParseRegistered reads a key as providers register it (RAMP v1, DomainVerificationConfirmation): a
// private key in PEM for cloudfront, in whose header Key-Pair-Id the id may stand by which
// CloudFront knows it; and for hmac, akamai and fastly a secret in hex. The error is fail.Invalid,
// and holds nothing of the key.
func ParseRegistered(form sign.URLForm, text string) (secret []byte, name string, err error) {
	if len(text) > MaxRegistered {
		return nil, "", fail.New(fail.Invalid, "signing_key has more than %d bytes", MaxRegistered)
	}
	switch form {
	case sign.URLCloudFront:
		if block, _ := pem.Decode([]byte(strings.TrimSpace(text))); block != nil {
			name = block.Headers[keyPairHeader]
		}
		if secret, err = parsePrivate([]byte(strings.TrimSpace(text))); err != nil {
			return nil, "",
				fail.New(fail.Invalid, "signing_key has to be a private key in PEM that is not encrypted, of RSA "+
					"with 2048 bits or ECDSA over P-256, for the cdn_type cloudfront")
		}
		if len(name) > maxDeliveryName || strings.ContainsFunc(name, unlikeName) {
			return nil, "",
				fail.New(fail.Invalid, "the header %s of signing_key is no id of CloudFront's; write it like "+
					"K2JCJMDEHXQW5F", keyPairHeader)
		}
	case sign.URLHMAC, sign.URLAkamai, sign.URLFastly:
		if secret, err = hex.DecodeString(strings.TrimSpace(text)); err != nil {
			return nil, "",
				fail.New(fail.Invalid, "signing_key has to be in hex, two digits for each byte, for the "+
					"cdn_type %s", form)
		}
	default:
		return nil, "", fail.New(fail.Invalid, "cdn_type has to be cloudfront, akamai, fastly or hmac")
	}
	key, err := DeliveryKey{Form: form, Name: name}.opened(secret)
	if err == nil {
		if key.ID == "" && form == sign.URLCloudFront {
			key.ID = "later" // it goes by the id that it is given here
		}
		err = key.Check()
	}
	if err != nil {
		return nil, "", fail.New(fail.Invalid, "signing_key: %v", err)
	}
	return secret, name, nil
}

// formWords are how ids of registered keys tell the forms.
var formWords = map[sign.URLForm]string{sign.URLCloudFront: "cf", sign.URLHMAC: "hmac", sign.URLAkamai: "akamai",
	sign.URLFastly: "fastly"}

// Register gives a function that registers a key for the addresses of a place, within a transaction
// of the caller's, and has it sign at once: the one of the place that signed so far ends after
// [DeliveryKeyGrace]. Its id is like k-2026-03-18-cf; a key for CloudFront whose name is not said
// goes by it. A key that signs already is registered once, and stays as it is. The error is
// fail.Invalid for one that is at its end, or was revoked or followed by another. Once the
// transaction is committed, Fresh has the key be used at once.
func (d *DeliveryKeys) Register(ctx context.Context, place string, form sign.URLForm, name string,
	secret []byte) (func(context.Context, *store.Tx) (DeliveryKey, error), error) {
	seal, err := d.sealerFor(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *store.Tx) (DeliveryKey, error) {
		now := d.now().UTC().Truncate(time.Microsecond)
		keys, sealed, err := readDeliveries(ctx, tx, `place = $1`, place)
		if err != nil {
			return DeliveryKey{}, err
		}
		for i, key := range keys {
			old, err := seal.Open(nil, nil, sealed[i], key.bound())
			if err != nil || key.Form != form || subtle.ConstantTimeCompare(old, secret) != 1 {
				continue // one that cannot be opened is told of where it would sign
			}
			if state := key.State(now); state != deliverySigning || name != "" && key.Name != name {
				return key, fail.New(fail.Invalid, "the key was registered before as %s, and is %s; make another",
					key.ID, state)
			}
			return key, nil
		}
		made := DeliveryKey{Place: place, Form: form, Name: name, Status: deliverySigning, Imported: true, Created: now,
			Activated: now, Ends: now.Add(DeliveryKeyLife)}
		if made.ID, err = freeID(ctx, tx, "k-"+now.Format(time.DateOnly)+"-"+formWords[form]); err != nil {
			return made, err
		}
		if form == sign.URLCloudFront && name == "" {
			made.Name = made.ID
		}
		for _, old := range keys {
			if old.Status != deliverySigning {
				continue
			}
			old.Status = deliveryFollowed
			if end := now.Add(DeliveryKeyGrace); end.Before(old.Ends) {
				old.Ends = end
			}
			if err := d.put(ctx, tx, old); err != nil {
				return made, err
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO delivery_key (id, place, form, name, state, imported, created, activated, ends, sealed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			made.ID, made.Place, string(made.Form), made.Name, made.Status, store.Flag(made.Imported),
			store.Micros(made.Created), store.Micros(made.Activated), store.Micros(made.Ends),
			seal.Seal(nil, nil, secret, made.bound()))
		if err == nil {
			err = d.tell(ctx, tx, made)
		}
		return made, err
	}, nil
}

// freeID is an id that no key has: base, or base with a number behind it.
func freeID(ctx context.Context, tx *store.Tx, base string) (string, error) {
	id := base
	for n := 2; ; n++ {
		var one int
		err := tx.QueryRow(ctx, `SELECT 1 FROM delivery_key WHERE id = $1`, id).Scan(&one)
		if errors.Is(err, sql.ErrNoRows) {
			return id, nil
		}
		if err != nil {
			return "", err
		}
		id = fmt.Sprintf("%s-%d", base, n)
	}
}

// Signing gives the key of a place that signs, within a transaction; ok is false for none.
func (d *DeliveryKeys) Signing(ctx context.Context, tx *store.Tx, place string) (key DeliveryKey, ok bool, err error) {
	keys, _, err := readDeliveries(ctx, tx, `place = $1 AND state = $2`, place, deliverySigning)
	if err != nil || len(keys) == 0 {
		return key, false, err
	}
	return keys[0], d.now().Before(keys[0].Ends), nil
}

// Invalidate has keys be read anew at once, where they were registered.
func (d *DeliveryKeys) Invalidate() { d.known.forgetAll() }
