package identity

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// PlatformSchema is the tables of platforms' keys and of nonces. Of a key's secret the table holds
// what the secret of the folder of secrets seals; a copy of the database opens nothing. Times are
// microseconds, 0 for never. A nonce is kept by the first 64 bits of a hash.
var PlatformSchema = store.Schema{
	ID: "platform",
	Steps: []string{`
CREATE TABLE platform_key (
	id         {{text}} NOT NULL PRIMARY KEY,
	platform   TEXT NOT NULL,
	roles      TEXT NOT NULL,
	state      TEXT NOT NULL,
	not_before BIGINT NOT NULL,
	not_after  BIGINT NOT NULL,
	max_chunks BIGINT NOT NULL,
	max_tokens BIGINT NOT NULL,
	rate       TEXT NOT NULL,
	imported   BIGINT NOT NULL,
	created    BIGINT NOT NULL,
	changed    BIGINT NOT NULL,
	sealed     {{bytes}} NOT NULL
);
CREATE TABLE platform_nonce (
	id    {{key}},
	owner TEXT NOT NULL,
	until BIGINT NOT NULL
);
CREATE INDEX platform_nonce_until ON platform_nonce (until);
`, `
DROP INDEX platform_nonce_until;
`},
}

// The roles of a platform's key.
const (
	RoleRetrieve = "retrieve" // ask for passages
	RoleEvent    = "event"    // report citations
)

// Roles are all roles that there are.
var Roles = []string{RoleRetrieve, RoleEvent}

// The states that an owner gives a platform's key.
const (
	PlatformActive    = "active"
	PlatformSuspended = "suspended" // known and not let in, until it is active again
	PlatformRevoked   = "revoked"   // ended for good
)

// PlatformKey is a key that a platform signs its requests with (HMAC-SHA256 under a secret that
// both sides have), all but the secret.
type PlatformKey struct {
	ID        string   // public; a request names it
	Platform  string   // whose it is: the only platform.id that requests under it may name
	Roles     []string // of Roles, in that order
	Status    string   // PlatformActive, PlatformSuspended or PlatformRevoked
	NotBefore time.Time
	NotAfter  time.Time // zero for no end
	MaxChunks int       // the most passages of an answer, 0 for what holds for everybody
	MaxTokens int       // the most tokens of an answer, 0 for what holds for everybody
	Rate      string    // as limit.ParseRate reads it; empty for what holds for everybody
	Imported  bool      // the secret came from elsewhere, such as a registry
	Created   time.Time
	Changed   time.Time // when Status was set last
}

// State says whether the key is good at a time: "active", "suspended", "revoked", "not yet valid"
// or "expired".
func (k PlatformKey) State(now time.Time) string {
	switch {
	case k.Status != PlatformActive:
		return k.Status
	case !k.NotBefore.IsZero() && now.Before(k.NotBefore):
		return "not yet valid"
	case !k.NotAfter.IsZero() && !now.Before(k.NotAfter):
		return "expired"
	}
	return PlatformActive
}

// May says whether the key has a role.
func (k PlatformKey) May(role string) bool { return slices.Contains(k.Roles, role) }

// Platforms are the keys of platforms. Several processes may share the database and the folder of
// secrets: what one does to a key holds in the others within a second. Its methods may be called
// concurrently.
type Platforms struct {
	teller[PlatformKey]
	db    *store.DB
	seal  cipher.AEAD
	now   func() time.Time
	known recent[knownPlatform] // by id
}

// knownPlatform is what was read of a key.
type knownPlatform struct {
	key    PlatformKey
	secret []byte // nil when there is no such key
}

// PlatformSecret is the name of the secret, in the folder of secrets, that seals platforms'
// secrets.
const PlatformSecret = "platforms"

// OpenPlatforms is NewPlatforms with the secret of a folder of secrets, which is made where it is
// missing. While the database has keys it is not made, since they would open nothing: that is an
// error.
func OpenPlatforms(ctx context.Context, db *store.DB, folder string, now func() time.Time) (*Platforms, error) {
	path := filepath.Join(folder, PlatformSecret)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		var keys int
		err := db.View(ctx, func(tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT COUNT(*) FROM platform_key WHERE state <> 'revoked'`).Scan(&keys)
		})
		if err != nil {
			return nil, err
		}
		if keys > 0 {
			return nil,
				fmt.Errorf("the secret %s is missing, which opens the %d keys of platforms that the database has; "+
					"put it back from a backup. "+
					"If it is lost, make another with `openssl rand -out %s 32`, and revoke and issue the keys anew",
					path, keys, path)
		}
	}
	secret, err := OpenSecret(folder, PlatformSecret)
	if err != nil {
		return nil, err
	}
	return NewPlatforms(db, secret, now)
}

// NewPlatforms makes the keys of a database that has PlatformSchema; secret is what OpenSecret
// gives for PlatformSecret. A nil clock is time.Now.
func NewPlatforms(db *store.DB, secret []byte, now func() time.Time) (*Platforms, error) {
	if now == nil {
		now = time.Now
	}
	seal, err := sealing(secret)
	if err != nil {
		return nil, fmt.Errorf("the secret that seals platforms' keys: %w", err)
	}
	return &Platforms{db: db, seal: seal, now: now}, nil
}

// sealing seals with a secret of the folder of secrets (AES-256-GCM).
func sealing(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// The bounds of what a registry may give out.
const (
	maxPlatformID  = 128
	minSecretBytes = 16
	maxSecretBytes = 1024
)

// platformSecretPrefix begins a secret that is made here, so that a person, and a scanner for
// leaked secrets, knows one.
const platformSecretPrefix = "fds_"

// Issue adds a key. It makes an id and a secret where k.ID is empty or secret is nil, and gives
// both: a secret that was made is text, whose bytes are the HMAC key, and cannot be had again. Of k
// it takes all but Status, Imported and the times of its making. It is fail.Invalid when something
// of k cannot be meant, or the id is taken.
func (p *Platforms) Issue(ctx context.Context, k PlatformKey, secret []byte) (made PlatformKey, text []byte,
	err error) {
	var key PlatformKey
	err = p.db.Update(ctx, func(tx *store.Tx) (err error) {
		key, text, err = p.IssueIn(ctx, tx, k, secret)
		return err
	})
	return key, text, err
}

// IssueIn is Issue in the caller's transaction.
func (p *Platforms) IssueIn(ctx context.Context, tx *store.Tx, k PlatformKey, secret []byte) (made PlatformKey,
	text []byte, err error) {
	made = k
	made.Status, made.Imported = PlatformActive, secret != nil
	made.Created = p.now().UTC().Truncate(time.Microsecond)
	made.Changed = made.Created
	made.Roles = slices.DeleteFunc(slices.Clone(Roles), func(r string) bool { return !k.May(r) })
	if made.ID == "" {
		made.ID = "plat_" + strings.ToLower(rand.Text()[:12])
	}
	if secret == nil {
		secret = []byte(platformSecretPrefix + strings.ToLower(rand.Text()+rand.Text()))
	}
	if err := checkPlatform(made, k.Roles, secret); err != nil {
		return made, nil, err
	}
	n, err := tx.Exec(ctx, `INSERT INTO platform_key (id, platform, roles, state, not_before, not_after, max_chunks, max_tokens, rate, imported, created, changed, sealed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (id) DO NOTHING`,
		made.ID, made.Platform, strings.Join(made.Roles, " "), made.Status, store.Micros(made.NotBefore),
		store.Micros(made.NotAfter),
		made.MaxChunks, made.MaxTokens, made.Rate, store.Flag(made.Imported), store.Micros(made.Created),
		store.Micros(made.Changed), p.sealed(made, secret))
	if err == nil && n == 0 {
		err = fail.New(fail.Invalid, "there is a key %s already; choose another id, or revoke that one and ask for "+
			"another", made.ID)
	}
	if err == nil {
		err = p.tell(ctx, tx, made)
	}
	return made, secret, err
}

func checkPlatform(k PlatformKey, roles []string, secret []byte) error {
	for _, role := range roles {
		if !slices.Contains(Roles, role) {
			return fail.New(fail.Invalid, "%q is no role; there are %s", role, strings.Join(Roles, ", "))
		}
	}
	switch {
	case !Visible(k.ID):
		return fail.New(fail.Invalid, "%q is no id of a key; use 1 to %d visible ASCII characters", k.ID, maxPlatformID)
	case !Visible(k.Platform):
		return fail.New(fail.Invalid, "%q is no id of a platform; use 1 to %d visible ASCII characters, as "+
			"platform.id of its requests has them", k.Platform, maxPlatformID)
	case len(secret) < minSecretBytes || len(secret) > maxSecretBytes:
		return fail.New(fail.Invalid, "the secret has %d bytes; it needs %d to %d", len(secret), minSecretBytes,
			maxSecretBytes)
	case k.MaxChunks < 0 || k.MaxTokens < 0:
		return fail.New(fail.Invalid, "a limit cannot be less than nothing")
	case !k.NotAfter.IsZero() && !k.NotAfter.After(k.NotBefore):
		return fail.New(fail.Invalid, "the key would end before it begins")
	case len(k.Roles) == 0:
		return fail.New(fail.Invalid, "give the key a role; there are %s", strings.Join(Roles, ", "))
	}
	return nil
}

// Visible says whether a text is one of visible ASCII characters, of a length that an id may have.
func Visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= maxPlatformID
}

// bound is what a sealed secret is bound to: it opens for this key, this platform and these roles,
// so that a row that somebody has changed in the database opens nothing.
func (k PlatformKey) bound() []byte {
	return []byte(k.ID + "\x00" + k.Platform + "\x00" + strings.Join(k.Roles, " "))
}

func (p *Platforms) sealed(k PlatformKey, secret []byte) []byte {
	return p.seal.Seal(nil, nil, secret, k.bound())
}

func (p *Platforms) opened(k PlatformKey, sealed []byte) ([]byte, error) {
	secret, err := p.seal.Open(nil, nil, sealed, k.bound())
	if err != nil {
		return nil,
			fmt.Errorf("the secret of the key %s cannot be opened: the file %s in the folder of secrets is another "+
				"than the one that sealed it, or the row was changed; "+
				"put the file back from a backup, or revoke the key and issue another", k.ID, PlatformSecret)
	}
	return secret, nil
}

const platformColumns = `id, platform, roles, state, not_before, not_after, max_chunks, max_tokens, rate, imported, created, changed, sealed`

func scanPlatform(row store.Scanner) (PlatformKey, []byte, error) {
	var k PlatformKey
	var sealed []byte
	var roles string
	err := row.Scan(&k.ID, &k.Platform, &roles, &k.Status, &k.NotBefore, &k.NotAfter, &k.MaxChunks, &k.MaxTokens,
		&k.Rate, &k.Imported, &k.Created, &k.Changed, &sealed)
	k.Roles = strings.Fields(roles)
	return k, sealed, err
}

// List gives all keys, the oldest first.
func (p *Platforms) List(ctx context.Context) ([]PlatformKey, error) {
	return list(ctx, p.db, `SELECT `+platformColumns+` FROM platform_key ORDER BY created, id`, scanPlatform)
}

// noPlatformKey is of an id that no key has.
func noPlatformKey(id string) error {
	return fail.New(fail.NotFound, "there is no key %s; `frontdesk keys list` shows those there are", id)
}

// read reads a key in a transaction. It is fail.NotFound when there is none of that id.
func (p *Platforms) read(ctx context.Context, tx *store.Tx, id string) (PlatformKey, []byte, error) {
	key, sealed, err := scanPlatform(tx.QueryRow(ctx, `SELECT `+platformColumns+` FROM platform_key WHERE id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = noPlatformKey(id)
	}
	return key, sealed, err
}

// SetStatusIn makes a key active, suspended or revoked, in the caller's transaction, and gives it
// as it is now. It is fail.NotFound when there is none of that id, and fail.Invalid for one that
// was revoked, which stays so.
func (p *Platforms) SetStatusIn(ctx context.Context, tx *store.Tx, id, status string) (PlatformKey, error) {
	key, _, err := p.read(ctx, tx, id)
	switch {
	case err != nil || key.Status == status:
		return key, err
	case key.Status == PlatformRevoked:
		return key, fail.New(fail.Invalid, "the key %s was revoked and stays so; issue another", id)
	}
	key.Status, key.Changed = status, p.now().UTC().Truncate(time.Microsecond)
	_, err = tx.Exec(ctx, `UPDATE platform_key SET state = $1, changed = $2 WHERE id = $3`, key.Status, store.Micros(key.Changed), id)
	if err == nil {
		err = p.tell(ctx, tx, key)
	}
	p.known.forget(id)
	return key, err
}

// SetStatus is SetStatusIn in a transaction of its own.
func (p *Platforms) SetStatus(ctx context.Context, id, status string) (PlatformKey, error) {
	var key PlatformKey
	err := p.db.Update(ctx, func(tx *store.Tx) (err error) {
		key, err = p.SetStatusIn(ctx, tx, id, status)
		return err
	})
	p.known.forget(id)
	return key, err
}

// RotateIn issues a key with all that another has but its secret, in the caller's transaction; the
// old one ends after overlap, if not before. It is fail.Invalid when the old one is not good at the
// moment.
func (p *Platforms) RotateIn(ctx context.Context, tx *store.Tx, id string, overlap time.Duration) (made PlatformKey,
	text []byte, err error) {
	old, _, err := p.read(ctx, tx, id)
	if err != nil {
		return made, nil, err
	}
	now := p.now().UTC().Truncate(time.Microsecond)
	if state := old.State(now); state != PlatformActive {
		return made, nil, fail.New(fail.Invalid, "the key %s is %s; issue one instead of rotating it", id, state)
	}
	made = old
	made.ID, made.NotBefore = "", time.Time{}
	if made, text, err = p.IssueIn(ctx, tx, made, nil); err != nil {
		return made, nil, err
	}
	if end := now.Add(overlap); old.NotAfter.IsZero() || end.Before(old.NotAfter) {
		if overlap <= 0 {
			_, err = p.SetStatusIn(ctx, tx, id, PlatformRevoked)
			return made, text, err
		}
		old.NotAfter = end
		if _, err = tx.Exec(ctx, `UPDATE platform_key SET not_after = $1 WHERE id = $2`, store.Micros(end), id); err == nil {
			err = p.tell(ctx, tx, old)
		}
		p.known.forget(id)
	}
	return made, text, err
}

// Rotate is RotateIn in a transaction of its own.
func (p *Platforms) Rotate(ctx context.Context, id string, overlap time.Duration) (made PlatformKey, text []byte,
	err error) {
	err = p.db.Update(ctx, func(tx *store.Tx) (err error) {
		made, text, err = p.RotateIn(ctx, tx, id, overlap)
		return err
	})
	p.known.forget(id)
	return made, text, err
}

// Find gives the key of an id, whatever its state, with its secret, which must not be changed. What
// it read holds for a second. It is fail.NotFound when there is none of that id, and
// fail.Unavailable when that cannot be told.
func (p *Platforms) Find(ctx context.Context, id string) (PlatformKey, []byte, error) {
	if !Visible(id) {
		return PlatformKey{}, nil, noPlatformKey("of that id")
	}
	found, err := p.known.get(id, p.now(), func() (knownPlatform, error) {
		return store.Get(ctx, p.db, func(tx *store.Tx) (k knownPlatform, err error) {
			var sealed []byte
			if k.key, sealed, err = p.read(ctx, tx, id); err == nil {
				k.secret, err = p.opened(k.key, sealed)
			}
			if err != nil && fail.From(err).Code == fail.NotFound {
				return knownPlatform{}, nil
			}
			return k, err
		})
	})
	switch {
	case err != nil:
		return PlatformKey{}, nil, fail.New(fail.Unavailable, "keys cannot be looked up at the moment; try again").
			After(5 * time.Second).Wrap(err)
	case found.secret == nil:
		return PlatformKey{}, nil, noPlatformKey(id)
	}
	return found.key, found.secret, nil
}
