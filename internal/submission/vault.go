package submission

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"frontdesk/internal/store"
)

// VaultSchema is the table of a vault. Each key is encrypted under the vault's secret, bound to its id. Times are
// microseconds.
var VaultSchema = store.Schema{
	Room: "vault",
	Steps: []string{`
CREATE TABLE vault_key (
	id      {{text}} NOT NULL PRIMARY KEY,
	wrapped {{bytes}} NOT NULL,
	made    BIGINT NOT NULL
);
CREATE INDEX vault_key_made ON vault_key (made);
`},
}

// VaultOptions are a vault's; DSN and Secret must be set.
type VaultOptions struct {
	// DSN names its database, see store.Config. It must be another than the one that backups are made of.
	DSN string
	// Secret is what keys are encrypted under: 32 bytes.
	Secret []byte
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil for nobody
}

// Vault keeps the keys under which submissions are sealed. Its methods may be called from many goroutines, and several
// processes may have the same vault open.
type Vault struct {
	db   *store.DB
	aead cipher.AEAD
	now  func() time.Time
	log  *slog.Logger

	mu    sync.Mutex
	ready []Key     // made and durable, and used by nobody
	made  time.Time // when they were made
}

// OpenVault opens a vault, making it when it is missing.
func OpenVault(ctx context.Context, o VaultOptions) (*Vault, error) {
	block, err := aes.NewCipher(o.Secret)
	if err != nil {
		return nil, fmt.Errorf("the vault's secret: %w", err)
	}
	v := &Vault{now: o.Now, log: o.Log}
	if v.aead, err = cipher.NewGCM(block); err != nil {
		return nil, fmt.Errorf("the vault's secret: %w", err)
	}
	if v.now == nil {
		v.now = time.Now
	}
	if v.log == nil {
		v.log = slog.New(slog.DiscardHandler)
	}
	if v.db, err = store.Open(ctx, store.Config{DSN: o.DSN, Schemas: []store.Schema{VaultSchema}, Log: o.Log}); err != nil {
		return nil, fmt.Errorf("the vault for what agents submit: %w", err)
	}
	return v, nil
}

// Close closes the vault's database.
func (v *Vault) Close() error { return v.db.Close() }

// batch is how many keys are made at once, and fresh how long those that nobody took may be given out.
const (
	batch = 256
	fresh = time.Hour
)

// Take gives a new key, which is durable already. What is sealed under it must be durable within a day: a key that
// nothing names is destroyed some time later.
func (v *Vault) Take(ctx context.Context) (Key, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if now := v.now(); len(v.ready) == 0 || now.Sub(v.made) > fresh {
		keys, err := v.make(ctx, now)
		if err != nil {
			return Key{}, err
		}
		v.ready, v.made = keys, now
	}
	key := v.ready[len(v.ready)-1]
	v.ready = v.ready[:len(v.ready)-1]
	return key, nil
}

// make makes keys and stores them.
func (v *Vault) make(ctx context.Context, now time.Time) ([]Key, error) {
	keys := make([]Key, batch)
	for i := range keys {
		keys[i].ID = rand.Text()
		rand.Read(keys[i].secret[:])
	}
	err := v.db.Update(ctx, func(tx *store.Tx) error {
		for _, k := range keys {
			if _, err := tx.Exec(ctx, `INSERT INTO vault_key (id, wrapped, made) VALUES ($1, $2, $3)`, k.ID, v.wrap(k), store.Micros(now)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("make keys in the vault: %w", err)
	}
	return keys, nil
}

func (v *Vault) wrap(k Key) []byte {
	nonce := make([]byte, v.aead.NonceSize(), v.aead.NonceSize()+keySize+v.aead.Overhead())
	rand.Read(nonce)
	return v.aead.Seal(nonce, nonce, k.secret[:], []byte(k.ID))
}

func (v *Vault) unwrap(id string, wrapped []byte) (Key, error) {
	if size := v.aead.NonceSize(); len(wrapped) > size {
		if secret, err := v.aead.Open(nil, wrapped[:size], wrapped[size:], []byte(id)); err == nil && len(secret) == keySize {
			return Key{ID: id, secret: [keySize]byte(secret)}, nil
		}
	}
	return Key{}, fmt.Errorf("key %s of the vault was made under another secret; put back the secret \"vault\" that belongs to this vault", id)
}

// Keys gives those keys of a list of ids that are there, by id. Those that were destroyed are missing.
func (v *Vault) Keys(ctx context.Context, ids ...string) (map[string]Key, error) {
	found := map[string]Key{}
	if len(ids) == 0 {
		return found, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	err := v.db.View(ctx, func(tx *store.Tx) error {
		rows, err := tx.Query(ctx, `SELECT id, wrapped FROM vault_key WHERE id IN (`+store.Params(1, len(args))+`)`, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			var wrapped []byte
			if err := rows.Scan(&id, &wrapped); err != nil {
				return err
			}
			if found[id], err = v.unwrap(id, wrapped); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("look for keys in the vault: %w", err)
	}
	return found, nil
}

// Key gives a key. Its error is ErrErased when the key was destroyed.
func (v *Vault) Key(ctx context.Context, id string) (Key, error) {
	keys, err := v.Keys(ctx, id)
	if err != nil {
		return Key{}, err
	}
	key, ok := keys[id]
	if !ok {
		return Key{}, ErrErased
	}
	return key, nil
}

// Destroy destroys keys, and with them whatever they sealed. Those that are not there are no error.
func (v *Vault) Destroy(ctx context.Context, ids ...string) error {
	err := v.db.Update(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			if _, err := tx.Exec(ctx, `DELETE FROM vault_key WHERE id = $1`, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return errors.Join(errors.New("keys of the vault could not be destroyed; that must be tried again"), err)
	}
	return nil
}
