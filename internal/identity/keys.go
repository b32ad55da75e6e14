package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package: one row for each API key that the owner gave out. The hash
// is SHA-256 of the whole key; since a key has 128 random bits, nothing slower is needed. Times are
// microseconds, 0 for never.
var Schema = store.Schema{
	ID: "trust",
	Steps: []string{`
CREATE TABLE trust_key (
	id      {{text}} NOT NULL PRIMARY KEY,
	name    TEXT NOT NULL,
	hash    {{bytes}} NOT NULL,
	scopes  TEXT NOT NULL,
	rate    TEXT NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	revoked BIGINT NOT NULL
);
`, `
ALTER TABLE trust_key ADD COLUMN suspended BIGINT NOT NULL DEFAULT 0;
`},
}

// Prefix begins every API key that this program makes, so that a person, and a scanner for leaked
// secrets, knows one when seeing it.
const Prefix = "fd_"

// Key is an API key as it is kept: all but the secret.
type Key struct {
	ID      string // public; part of the key's text
	Name    string // what the owner calls its holder
	Scopes  []string
	Rate    string    // its own limit, as limit.ParseRate reads it; empty for the configured one
	Created time.Time // UTC
	Expires time.Time // zero for never
	Revoked time.Time // zero for not
	// Suspended is since when it opens nothing until it is resumed; zero for not.
	Suspended time.Time
}

// State says whether the key opens anything at a time: "valid", "expired", "suspended" or
// "revoked".
func (k Key) State(now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return "expired"
	case !k.Suspended.IsZero():
		return "suspended"
	}
	return "valid"
}

// Keys are the API keys that the owner gave out. Several processes may use the same database: what
// one does to a key holds in the others within a second.
type Keys struct {
	teller[Key]
	db    *store.DB
	now   func() time.Time
	known recent[known] // by id
}

// known is what was read of a key.
type known struct {
	key  Key
	hash []byte // empty when there is no such key
}

// keyStale is how long what was read of a key holds when the database cannot be asked.
const keyStale = time.Minute

// NewKeys makes the keys of a database with [Schema]. A nil clock is time.Now.
func NewKeys(db *store.DB, now func() time.Time) *Keys {
	if now == nil {
		now = time.Now
	}
	return &Keys{db: db, now: now, known: recent[known]{stale: keyStale}}
}

// Create makes a key and gives its text, which is kept nowhere and cannot be had again. Of k it
// takes name, scopes, rate and when it expires.
func (ks *Keys) Create(ctx context.Context, k Key) (text string, made Key, err error) {
	err = ks.db.Update(ctx, func(tx *store.Tx) (err error) {
		text, made, err = ks.create(ctx, tx, k)
		return err
	})
	return text, made, err
}

func (ks *Keys) create(ctx context.Context, tx *store.Tx, k Key) (text string, made Key, err error) {
	made = k
	made.ID, made.Revoked, made.Suspended = strings.ToLower(rand.Text()[:12]), time.Time{}, time.Time{}
	made.Created = ks.now().UTC().Truncate(time.Microsecond)
	text = Prefix + made.ID + "_" + strings.ToLower(rand.Text())
	hash := sha256.Sum256([]byte(text))
	_, err = tx.Exec(ctx, `INSERT INTO trust_key (id, name, hash, scopes, rate, created, expires, revoked) VALUES ($1, $2, $3, $4, $5, $6, $7, 0)`,
		made.ID, made.Name, hash[:], strings.Join(made.Scopes, " "), made.Rate, store.Micros(made.Created),
		store.Micros(made.Expires))
	if err == nil {
		err = ks.tell(ctx, tx, made)
	}
	return text, made, err
}

// Rotate makes a key with all that another has but its secret; the old one ends after overlap, if
// not before. It is fail.NotFound when there is none of that id, and fail.Invalid when it is not
// valid at the moment.
func (ks *Keys) Rotate(ctx context.Context, id string, overlap time.Duration) (text string, made Key, err error) {
	now := ks.now().UTC().Truncate(time.Microsecond)
	err = ks.db.Update(ctx, func(tx *store.Tx) error {
		old, _, err := ks.read(ctx, tx, id)
		if err == nil && old.State(now) != "valid" {
			err = fail.New(fail.Invalid, "the key %s is %s; issue one instead of rotating it", id, old.State(now))
		}
		if err != nil {
			return err
		}
		if text, made, err = ks.create(ctx, tx, old); err != nil {
			return err
		}
		if overlap <= 0 {
			return ks.revoke(ctx, tx, id)
		}
		end := now.Add(overlap)
		if !old.Expires.IsZero() && old.Expires.Before(end) {
			return nil
		}
		old.Expires = end
		return ks.put(ctx, tx, old)
	})
	ks.known.forget(id)
	return text, made, err
}

// put writes what may change of a key.
func (ks *Keys) put(ctx context.Context, tx *store.Tx, k Key) error {
	_, err := tx.Exec(ctx, `UPDATE trust_key SET scopes = $1, expires = $2, revoked = $3, suspended = $4 WHERE id = $5`,
		strings.Join(k.Scopes, " "), store.Micros(k.Expires), store.Micros(k.Revoked), store.Micros(k.Suspended), k.ID)
	if err != nil {
		return err
	}
	return ks.tell(ctx, tx, k)
}

const keyColumns = `id, name, hash, scopes, rate, created, expires, revoked, suspended`

// read reads a key in a transaction. It is fail.NotFound when there is none of that id.
func (ks *Keys) read(ctx context.Context, tx *store.Tx, id string) (Key, []byte, error) {
	key, hash, err := scanKey(tx.QueryRow(ctx, `SELECT `+keyColumns+` FROM trust_key WHERE id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = fail.New(fail.NotFound, "there is no key %s; `frontdesk keys list` shows those there are", id)
	}
	return key, hash, err
}

// Name is that of the holder of a key, also of one that is over. It is fail.NotFound when there is
// no key of that id.
func (ks *Keys) Name(ctx context.Context, id string) (name string, err error) {
	err = ks.db.View(ctx, func(tx *store.Tx) error {
		key, _, err := ks.read(ctx, tx, id)
		name = key.Name
		return err
	})
	return name, err
}

// List gives all keys, the oldest first.
func (ks *Keys) List(ctx context.Context) ([]Key, error) {
	return list(ctx, ks.db, `SELECT `+keyColumns+` FROM trust_key ORDER BY created, id`, scanKey)
}

// list gives what the rows of a query say, without their secrets.
func list[K any](ctx context.Context, db *store.DB, query string, scan func(store.Scanner) (K, []byte, error)) ([]K,
	error) {
	return store.List(ctx, db, query, func(row store.Scanner) (K, error) {
		key, _, err := scan(row)
		return key, err
	})
}

func scanKey(row store.Scanner) (Key, []byte, error) {
	var k Key
	var hash []byte
	var scopes string
	err := row.Scan(&k.ID, &k.Name, &hash, &scopes, &k.Rate, &k.Created, &k.Expires, &k.Revoked, &k.Suspended)
	k.Scopes = strings.Fields(scopes)
	return k, hash, err
}

// Revoke ends a key. It is fail.NotFound when there is none of that id, and no error when it was
// revoked before.
func (ks *Keys) Revoke(ctx context.Context, id string) error {
	defer ks.known.forget(id)
	return ks.db.Update(ctx, func(tx *store.Tx) error { return ks.revoke(ctx, tx, id) })
}

// Suspend has a key open nothing until it is resumed. It is fail.NotFound when there is none of
// that id, and fail.Invalid for one that is revoked.
func (ks *Keys) Suspend(ctx context.Context, id string, suspended bool) error {
	defer ks.known.forget(id)
	return ks.db.Update(ctx, func(tx *store.Tx) error { return ks.suspend(ctx, tx, id, suspended) })
}

func (ks *Keys) suspend(ctx context.Context, tx *store.Tx, id string, suspended bool) error {
	key, _, err := ks.read(ctx, tx, id)
	switch {
	case err != nil || suspended != key.Suspended.IsZero():
		return err
	case !key.Revoked.IsZero():
		return fail.New(fail.Invalid, "the key %s was revoked and stays so; issue another", id)
	}
	key.Suspended = time.Time{}
	if suspended {
		key.Suspended = ks.now().UTC().Truncate(time.Microsecond)
	}
	return ks.put(ctx, tx, key)
}

func (ks *Keys) revoke(ctx context.Context, tx *store.Tx, id string) error {
	key, _, err := ks.read(ctx, tx, id)
	if err != nil || !key.Revoked.IsZero() {
		return err
	}
	key.Revoked = ks.now().UTC()
	return ks.put(ctx, tx, key)
}

// verify gives the party whose key a text is.
func (ks *Keys) verify(ctx context.Context, text string) (Party, error) {
	id, _, ok := strings.Cut(strings.TrimPrefix(text, Prefix), "_")
	if !ok || len(id) != 12 {
		return Party{}, errWrongKey
	}
	found, err := ks.find(ctx, id)
	if err != nil {
		return Party{}, err
	}
	hash := sha256.Sum256([]byte(text))
	if subtle.ConstantTimeCompare(hash[:], found.hash) != 1 {
		return Party{}, errWrongKey
	}
	if state := found.key.State(ks.now()); state != "valid" {
		return Party{},
			fail.New(fail.Unauthorized, "this API key is %s; ask the operator of this front desk for another", state)
	}
	return Party{ID: "key:" + id, Name: found.key.Name, Kind: KindKey, Scopes: found.key.Scopes, Rate: found.key.Rate},
		nil
}

var errWrongKey = fail.New(fail.Unauthorized, "this API key is not known here; look for a slip in it, or ask the "+
	"operator of this front desk for one")

// find reads a key, or remembers what it read a moment ago.
func (ks *Keys) find(ctx context.Context, id string) (known, error) {
	found, err := ks.known.get(id, ks.now(), func() (known, error) {
		return store.Get(ctx, ks.db, func(tx *store.Tx) (k known, err error) {
			k.key, k.hash, err = ks.read(ctx, tx, id)
			if err != nil && fail.From(err).Code == fail.NotFound {
				return known{}, nil
			}
			return k, err
		})
	})
	if err != nil {
		return known{}, fail.New(fail.Unavailable, "API keys cannot be looked up at the moment; try again").
			After(5 * time.Second).Wrap(err)
	}
	return found, nil
}

// hashPrefix begins a hash, so that another method can come one day.
const hashPrefix = "sha256:"

// Hash is the form in which a key stands in a configuration: "sha256:" and 64 hexadecimal digits.
func Hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hashPrefix + hex.EncodeToString(sum[:])
}

// ParseHash reads what Hash gives.
func ParseHash(text string) ([]byte, error) {
	digits, ok := strings.CutPrefix(text, hashPrefix)
	sum, err := hex.DecodeString(digits)
	if !ok || err != nil || len(sum) != sha256.Size {
		return nil,
			fmt.Errorf("this is no hash of a key; write %s and 64 hexadecimal digits, as `frontdesk keys hash` "+
				"prints them", hashPrefix)
	}
	return sum, nil
}

// fixedKeys are those of the configuration.
type fixedKeys []struct {
	hash  []byte
	party Party
}

func newFixed(keys []ConfiguredKey) (fixedKeys, error) {
	fixed := make(fixedKeys, len(keys))
	for i, k := range keys {
		var err error
		if fixed[i].hash, err = ParseHash(k.Hash); err != nil {
			return nil, fmt.Errorf("the key %q: %w", k.Name, err)
		}
		fixed[i].party = Party{ID: "key:" + k.Name, Name: k.Name, Kind: KindKey, Scopes: k.Scopes, Rate: k.Rate}
	}
	return fixed, nil
}

// find compares with every key, so that the time taken tells nothing.
func (f fixedKeys) find(text string) (party Party, ok bool) {
	hash := sha256.Sum256([]byte(text))
	for i := range f {
		if subtle.ConstantTimeCompare(hash[:], f[i].hash) == 1 {
			party, ok = f[i].party, true
		}
	}
	return party, ok
}
