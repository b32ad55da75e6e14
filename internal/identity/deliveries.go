package identity

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/sign"
)

// DeliverySchema is the table of the keys that sign addresses. Of a key the table holds what the
// secret of the folder of secrets seals; a copy of the database signs nothing. Times are
// microseconds, 0 for never.
var DeliverySchema = store.Schema{
	ID: "delivery",
	Steps: []string{`
CREATE TABLE delivery_key (
	id        {{text}} NOT NULL PRIMARY KEY,
	place     TEXT NOT NULL,
	form      TEXT NOT NULL,
	name      TEXT NOT NULL,
	state     TEXT NOT NULL,
	imported  BIGINT NOT NULL,
	created   BIGINT NOT NULL,
	activated BIGINT NOT NULL,
	ends      BIGINT NOT NULL,
	sealed    {{bytes}} NOT NULL
);
`},
}

// The statuses of a delivery key.
const (
	deliveryWaiting  = "waiting"  // it was made, and signs nothing yet
	deliverySigning  = "signing"  // it signs
	deliveryFollowed = "followed" // another signs in its place
	deliveryRevoked  = "revoked"
)

// The lives of delivery keys (RAMP v1, signed URLs: key rotation).
const (
	DeliveryKeyLife  = 90 * 24 * time.Hour // for which a key signs at the most, from when it was activated
	DeliveryKeyGrace = time.Hour           // for which what a key signed that was followed is still good
)

// DeliveryKey is a key with which addresses are signed that somebody else verifies, such as a CDN;
// all but its secret part.
type DeliveryKey struct {
	ID    string // by which commands name it
	Place string // whose addresses it signs
	Form  sign.URLForm
	// as addresses name it (CloudFront's Key-Pair-Id); empty where they do not, and while it is not
	// known
	Name      string
	Status    string
	Imported  bool
	Created   time.Time
	Activated time.Time // zero before it was
	Ends      time.Time // from when it signs nothing, and what it signed is not good; zero before it was activated
}

// State says what the key does at a time: "waiting", "signing", "overlapping" beside one that has
// followed it, "retired" or "revoked".
func (k DeliveryKey) State(now time.Time) string {
	switch {
	case k.Status == deliveryRevoked, k.Status == deliveryWaiting:
		return k.Status
	case !now.Before(k.Ends):
		return "retired"
	case k.Status == deliveryFollowed:
		return "overlapping"
	}
	return k.Status
}

// DeliveryKeys are the keys that sign addresses for others. Several processes may share the
// database and the folder of secrets: what one does to a key holds in the others within a second.
// Its methods may be called concurrently.
type DeliveryKeys struct {
	teller[DeliveryKey]
	vault vault
	db    *store.DB
	now   func() time.Time
	known recent[[]sign.URLKey] // by place
}

// deliverySecret is the name of the secret, in the folder of secrets, that seals delivery keys.
const deliverySecret = "delivery"

// NewDeliveryKeys makes the keys of a database that has DeliverySchema, sealed with a secret in the
// folder of secrets, which the first key makes. A nil clock is time.Now.
func NewDeliveryKeys(db *store.DB, folder string, now func() time.Time) *DeliveryKeys {
	if now == nil {
		now = time.Now
	}
	return &DeliveryKeys{vault: vault{folder: folder, name: deliverySecret, opens: "the keys that sign addresses"},
		db: db, now: now}
}

// sealerFor is what seals another key. A secret is not made while keys need the one that is
// missing.
func (d *DeliveryKeys) sealerFor(ctx context.Context) (cipher.AEAD, error) {
	keys, err := d.List(ctx)
	if err != nil {
		return nil, err
	}
	return d.vault.sealer(!slices.ContainsFunc(keys, func(k DeliveryKey) bool { return k.Status != deliveryRevoked }))
}

// maxDeliveryName bounds DeliveryKey.Name.
const maxDeliveryName = 128

// Issue adds a key for the addresses of a place, which waits until it is activated. Secret is what
// [ParseDeliverySecret] read; nil makes one. Shown is what the other side has to know: the secret
// where both have it, else the public key in PEM; empty for a secret that came from there. It is
// fail.Invalid when something of k cannot be meant.
func (d *DeliveryKeys) Issue(ctx context.Context, place string, form sign.URLForm, name string,
	secret []byte) (made DeliveryKey, shown string, err error) {
	now := d.now().UTC().Truncate(time.Microsecond)
	made = DeliveryKey{ID: "url_" + strings.ToLower(rand.Text()[:12]), Place: place, Form: form, Name: name,
		Status: deliveryWaiting, Imported: secret != nil, Created: now}
	if secret == nil {
		if secret, err = makeDelivery(form); err != nil {
			return made, "", err
		}
	}
	if len(name) > maxDeliveryName {
		return made, "", fail.New(fail.Invalid, "the name of the key has more than %d characters", maxDeliveryName)
	}
	key, err := made.opened(secret)
	if err == nil && name == "" && form == sign.URLCloudFront {
		key.ID = "later" // told when it is activated
	}
	if err == nil {
		err = key.Check()
	}
	if err != nil {
		return made, "", fail.New(fail.Invalid, "%v", err)
	}
	seal, err := d.sealerFor(ctx)
	if err != nil {
		return made, "", err
	}
	err = d.db.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO delivery_key (id, place, form, name, state, imported, created, activated, ends, sealed) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8)`,
			made.ID, made.Place, string(made.Form), made.Name, made.Status, store.Flag(made.Imported),
			store.Micros(made.Created), seal.Seal(nil, nil, secret, made.bound())); err != nil {
			return err
		}
		return d.tell(ctx, tx, made)
	})
	if err == nil {
		shown, err = made.shown(secret, key)
	}
	return made, shown, err
}

// bound is what a sealed key is bound to, so that a row that somebody has changed in the database
// signs nothing.
func (k DeliveryKey) bound() []byte { return []byte(k.ID + "\x00" + k.Place + "\x00" + string(k.Form)) }

const deliveryColumns = `id, place, form, name, state, imported, created, activated, ends, sealed`

func scanDelivery(row store.Scanner) (k DeliveryKey, sealed []byte, err error) {
	err = row.Scan(&k.ID, &k.Place, (*string)(&k.Form), &k.Name, &k.Status, &k.Imported, &k.Created,
		&k.Activated, &k.Ends, &sealed)
	return k, sealed, err
}

// List gives all keys, the oldest first.
func (d *DeliveryKeys) List(ctx context.Context) ([]DeliveryKey, error) {
	return list(ctx, d.db, `SELECT `+deliveryColumns+` FROM delivery_key ORDER BY created, id`, scanDelivery)
}

// readDeliveries reads keys for which a condition holds, those that were activated last first, with
// what is sealed of them.
func readDeliveries(ctx context.Context, tx *store.Tx, where string, args ...any) (keys []DeliveryKey, sealed [][]byte,
	err error) {
	err = tx.Each(ctx, `SELECT `+deliveryColumns+` FROM delivery_key WHERE `+where+` ORDER BY activated DESC, id`,
		func(row store.Scanner) error {
			k, text, err := scanDelivery(row)
			if err != nil {
				return err
			}
			keys, sealed = append(keys, k), append(sealed, text)
			return nil
		}, args...)
	return keys, sealed, err
}

// change changes a key in a transaction, and gives it as it is then. It is fail.NotFound when there
// is none of that id.
func (d *DeliveryKeys) change(ctx context.Context, id string,
	how func(tx *store.Tx, k *DeliveryKey) error) (DeliveryKey, error) {
	var key DeliveryKey
	err := d.db.Update(ctx, func(tx *store.Tx) (err error) {
		key, _, err = scanDelivery(tx.QueryRow(ctx, `SELECT `+deliveryColumns+` FROM delivery_key WHERE id = $1`, id))
		if errors.Is(err, sql.ErrNoRows) {
			err = noPlatformKey(id)
		}
		if err == nil {
			err = how(tx, &key)
		}
		if err != nil {
			return err
		}
		return d.put(ctx, tx, key)
	})
	d.known.forgetAll()
	return key, err
}

func (d *DeliveryKeys) put(ctx context.Context, tx *store.Tx, k DeliveryKey) error {
	if _, err := tx.Exec(ctx, `UPDATE delivery_key SET name = $1, state = $2, activated = $3, ends = $4 WHERE id = $5`,
		k.Name, k.Status, store.Micros(k.Activated), store.Micros(k.Ends), k.ID); err != nil {
		return err
	}
	return d.tell(ctx, tx, k)
}

// Activate has a key sign that waits, for [DeliveryKeyLife] at the most; the one of its place that
// signed so far ends after a grace, of a day at the most. Name is as addresses name the key, where
// that was not said before. It is fail.NotFound when there is none of that id, and fail.Invalid for
// one that does not wait, or cannot sign.
func (d *DeliveryKeys) Activate(ctx context.Context, id, name string, grace time.Duration) (DeliveryKey, error) {
	if grace < 0 || grace > 24*time.Hour {
		return DeliveryKey{}, fail.New(fail.Invalid, "the grace has to be from nothing to a day")
	}
	return d.change(ctx, id, func(tx *store.Tx, k *DeliveryKey) error {
		if k.Status != deliveryWaiting {
			return fail.New(fail.Invalid, "the key %s does not wait: it is %s; issue another", id, k.State(d.now()))
		}
		if name != "" {
			k.Name = name
		}
		if k.Form == sign.URLCloudFront &&
			(k.Name == "" || len(k.Name) > maxDeliveryName || strings.ContainsFunc(k.Name, unlikeName)) {
			return fail.New(fail.Invalid, "give the id that CloudFront gave the public key (Key-Pair-Id), such as "+
				"K2JCJMDEHXQW5F")
		}
		k.Status, k.Activated = deliverySigning, d.now().UTC().Truncate(time.Microsecond)
		k.Ends = k.Activated.Add(DeliveryKeyLife)
		before, _, err := readDeliveries(ctx, tx, `place = $1 AND state = $2`, k.Place, deliverySigning)
		for _, old := range before {
			old.Status = deliveryFollowed
			if end := k.Activated.Add(grace); end.Before(old.Ends) {
				old.Ends = end
			}
			if err = d.put(ctx, tx, old); err != nil {
				break
			}
		}
		return err
	})
}

// unlikeName says of a character that names of keys have none.
func unlikeName(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r)
}

// Revoke ends a key at once. It is fail.NotFound when there is none of that id.
func (d *DeliveryKeys) Revoke(ctx context.Context, id string) (DeliveryKey, error) {
	return d.change(ctx, id, func(_ *store.Tx, k *DeliveryKey) error {
		k.Status, k.Ends = deliveryRevoked, d.now().UTC().Truncate(time.Microsecond)
		return nil
	})
}

// Keys gives the keys of a place whose addresses are good, the one that signs first. What it read
// holds for a second; what it gives must not be changed.
func (d *DeliveryKeys) Keys(ctx context.Context, place string) ([]sign.URLKey, error) {
	return d.known.get(place, d.now(), func() ([]sign.URLKey, error) { return d.placed(ctx, place) })
}

// placed reads the keys of a place.
func (d *DeliveryKeys) placed(ctx context.Context, place string) ([]sign.URLKey, error) {
	return store.Get(ctx, d.db, func(tx *store.Tx) (all []sign.URLKey, err error) {
		keys, sealed, err := readDeliveries(ctx, tx, `place = $1 AND (state = $2 OR state = $3)`, place, deliverySigning, deliveryFollowed)
		for i := 0; i < len(keys) && err == nil; i++ {
			var key sign.URLKey
			key, err = d.unsealed(keys[i], sealed[i])
			// which may have been activated in the same moment as one that it follows
			if keys[i].Status == deliverySigning {
				all = slices.Insert(all, 0, key)
			} else {
				all = append(all, key)
			}
		}
		return all, err
	})
}

func (d *DeliveryKeys) unsealed(k DeliveryKey, sealed []byte) (sign.URLKey, error) {
	seal, err := d.vault.sealer(false)
	if err != nil {
		return sign.URLKey{}, err
	}
	secret, err := seal.Open(nil, nil, sealed, k.bound())
	if err != nil {
		return sign.URLKey{},
			fmt.Errorf("the key %s that signs addresses cannot be opened: the file %s in the folder of secrets is "+
				"another than the one that sealed it, or the row was changed; "+
				"put the file back from a backup, or revoke the key and issue another", k.ID, deliverySecret)
	}
	return k.opened(secret)
}
