package vault

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// KeySchema is the table of a vault. Each key is encrypted under the vault's secret, bound to its
// id. unused is since when nothing is known to be sealed under it. Times are microseconds.
//
// A key is destroyed by writing over it, and its slot taken by another: no row is ever removed. All
// rows have the same length, and new ones come at the end, so that SQLite never moves one within
// its file; of what it moves it leaves copies. A slot that is free has an id that begins with free.
// Where unused is not known it is never, which takes as many bytes.
var KeySchema = store.Schema{
	ID: "vault",
	Steps: []string{`
CREATE TABLE vault_key (
	slot    {{key}},
	id      {{text}} NOT NULL,
	wrapped {{bytes}} NOT NULL,
	made    BIGINT NOT NULL,
	unused  BIGINT NOT NULL
);
CREATE UNIQUE INDEX vault_key_id ON vault_key (id);
`},
}

// free begins the id of a slot that is free: it comes after all ids of keys.
const free = "~"

// notUnused stands for no time; see KeySchema.
const notUnused = math.MaxInt64

// Options configure a Vault; DSN and Secret are required.
type Options struct {
	// DSN names its database, see store.Config, which is of the vault alone: no backup may hold its
	// keys.
	DSN string
	// Secret is what keys are encrypted under: 32 bytes.
	Secret []byte
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil for nobody
	Files  string           // the layer of SQLite's files, see store.Config; empty for the operating system's
}

// Vault keeps the keys under which submissions are sealed. Its methods may be called from many
// goroutines, and several processes may have the same vault open.
type Vault struct {
	db     *store.DB
	secret []byte
	aead   cipher.AEAD
	now    func() time.Time
	log    *slog.Logger

	mu     sync.Mutex
	ready  []Key     // made and durable, and taken by nobody
	made   time.Time // when the oldest of them was made
	making *making   // the next ones; nil when nobody makes any
	closed bool
	group  sync.WaitGroup

	fault func(step string) error // in tests: injects an error at a step, by its name; nil for none
}

// making is a batch of keys on its way to the disk.
type making struct {
	done chan struct{} // closed when it is there, or failed
	err  error
}

// Open opens a vault, and creates it when it is missing. A database that holds anything else
// is refused.
func Open(ctx context.Context, o Options) (*Vault, error) {
	v := &Vault{secret: o.Secret, now: o.Now, log: o.Log}
	block, err := aes.NewCipher(o.Secret)
	if err == nil {
		v.aead, err = cipher.NewGCM(block)
	}
	if err != nil {
		return nil, fmt.Errorf("the vault's secret: %w", err)
	}
	if v.now == nil {
		v.now = time.Now
	}
	if v.log == nil {
		v.log = slog.New(slog.DiscardHandler)
	}
	v.db, err = store.Open(ctx,
		store.Config{DSN: o.DSN, Schemas: []store.Schema{KeySchema}, Log: o.Log, Files: o.Files, Shred: true,
			Exclusive: true})
	if errors.Is(err, store.ErrNotAlone) {
		return nil,
			fmt.Errorf("the vault for what agents submit needs a database of its own, since no backup may hold its "+
				"keys: name another with intakes.vault (%w)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("the vault for what agents submit: %w", err)
	}
	return v, nil
}

// Close closes the vault's database.
func (v *Vault) Close() error {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.group.Wait()
	return v.db.Close()
}

// Failing says why the vault's database cannot be used, as [store.DB.Failing] does.
func (v *Vault) Failing() error { return v.db.Failing() }

// Keys are made batch by batch, since each batch costs a write to the disk, and the next one when
// there are only few left. Those that nobody took are given out for as long as fresh.
const (
	batch = 1024
	few   = batch / 2
	fresh = time.Hour
)

// NewKey makes a key that is durable already. What is sealed under it must be durable within a day:
// see [Vault.Sweep]. Its error is fail.Unavailable when the vault cannot be written to.
func (v *Vault) NewKey(ctx context.Context) (Key, error) {
	for {
		key, next, err := v.take()
		if err != nil || next == nil {
			return key, err
		}
		select {
		case <-next.done:
		case <-ctx.Done():
			return Key{}, context.Cause(ctx)
		}
		if next.err != nil {
			return Key{}, fail.New(fail.Unavailable, "what is submitted cannot be kept safe at the moment; try again").
				After(5 * time.Second).Wrap(next.err)
		}
	}
}

// take gives a key that is ready, or else what is to be waited for.
func (v *Vault) take() (Key, *making, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return Key{}, nil, store.ErrClosed
	}
	if age := v.now().Sub(v.made); age > fresh || age < -fresh {
		v.ready = nil
	}
	if len(v.ready) < few && v.making == nil {
		v.making = &making{done: make(chan struct{})}
		v.group.Go(v.make)
	}
	if len(v.ready) == 0 {
		return Key{}, v.making, nil
	}
	key := v.ready[len(v.ready)-1]
	v.ready = v.ready[:len(v.ready)-1]
	return key, nil, nil
}

// make makes a batch of keys, whoever waits for them.
func (v *Vault) make() {
	now := v.now()
	keys, err := v.store(context.Background(), now)
	if err != nil {
		v.log.Error("the vault cannot be written to, so that nothing more can be taken in", "error", err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		if len(v.ready) == 0 {
			v.made = now
		}
		v.ready = append(keys, v.ready...) // those that are older go first
	}
	v.making.err = err
	close(v.making.done)
	v.making = nil
}

// store makes keys that are durable.
func (v *Vault) store(ctx context.Context, now time.Time) ([]Key, error) {
	keys := make([]Key, batch)
	for i := range keys {
		keys[i].ID = rand.Text()
		rand.Read(keys[i].secret[:])
	}
	err := v.befalls("make")
	if err == nil {
		err = v.db.Update(ctx, func(tx *store.Tx) error { return v.put(ctx, tx, keys, now) })
	}
	if err == nil {
		err = v.befalls("make done")
	}
	if err != nil {
		return nil, fmt.Errorf("make keys in the vault: %w", err)
	}
	return keys, nil
}

// put stores new keys: in slots that are free, and in new ones behind all others.
func (v *Vault) put(ctx context.Context, tx *store.Tx, keys []Key, now time.Time) error {
	slots, err := freeSlots(ctx, tx, len(keys))
	if err != nil {
		return err
	}
	for i, slot := range slots {
		if _, err := tx.Exec(ctx, `UPDATE vault_key SET id = $1, wrapped = $2, made = $3, unused = $4 WHERE slot = $5`,
			keys[i].ID, v.wrap(keys[i]), store.Micros(now), int64(notUnused), slot); err != nil {
			return err
		}
	}
	var last int64
	if err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(slot), 0) FROM vault_key`).Scan(&last); err != nil {
		return err
	}
	_, err = tx.BulkInsert(ctx, "vault_key", []string{"slot", "id", "wrapped", "made", "unused"},
		func(yield func([]any) bool) {
			for i, k := range keys[len(slots):] {
				if !yield([]any{last + 1 + int64(i), k.ID, v.wrap(k), store.Micros(now), int64(notUnused)}) {
					return
				}
			}
		})
	return err
}

// freeSlots finds slots whose keys are destroyed.
func freeSlots(ctx context.Context, tx *store.Tx, limit int) (slots []int64, err error) {
	return store.All(ctx, tx, `SELECT slot FROM vault_key WHERE id >= $1 ORDER BY id LIMIT $2`,
		func(row store.Scanner) (slot int64, err error) {
			err = row.Scan(&slot)
			return slot, err
		}, free, limit)
}

// DeriveID is an id of 26 letters and digits for some parts, the same in all processes that have
// the vault's secret, and of which the parts cannot be guessed without it.
func (v *Vault) DeriveID(purpose string, parts ...string) string {
	mac := hmac.New(sha256.New, v.secret)
	for _, part := range append([]string{"name", purpose}, parts...) {
		fmt.Fprintf(mac, "%d %s", len(part), part)
	}
	return lettered.EncodeToString(mac.Sum(nil)[:16])
}

var lettered = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func (v *Vault) wrap(k Key) []byte {
	nonce := make([]byte, v.aead.NonceSize(), v.aead.NonceSize()+keySize+v.aead.Overhead())
	rand.Read(nonce)
	return v.aead.Seal(nonce, nonce, k.secret[:], []byte(k.ID))
}

func (v *Vault) unwrap(id string, wrapped []byte) (Key, error) {
	if size := v.aead.NonceSize(); len(wrapped) > size {
		if secret, err := v.aead.Open(nil, wrapped[:size], wrapped[size:], []byte(id)); err == nil &&
			len(secret) == keySize {
			return Key{ID: id, secret: [keySize]byte(secret)}, nil
		}
	}
	return Key{},
		errors.New("the vault was made under another secret; put the file \"vault\" of the folder of keys back that " +
			"belongs to it")
}

// Keys gives those keys of a list of ids that are there, by id; empty ids are passed over. What was
// destroyed is missing.
func (v *Vault) Keys(ctx context.Context, ids ...string) (map[string]Key, error) {
	found := map[string]Key{}
	var known []any
	for _, id := range ids {
		if id != "" {
			known = append(known, id)
		}
	}
	if len(known) == 0 {
		return found, nil
	}
	err := v.db.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT id, wrapped FROM vault_key WHERE id IN (`+store.Params(1, len(known))+`)`,
			func(row store.Scanner) error {
				var id string
				var wrapped []byte
				if err := row.Scan(&id, &wrapped); err != nil {
					return err
				}
				var err error
				found[id], err = v.unwrap(id, wrapped)
				return err
			}, known...)
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

// blank is what stands in place of a key that is destroyed: as many bytes as one has, with its
// nonce and its tag.
var blank = make([]byte, 12+keySize+16)

// Destroy destroys keys, and with them whatever they sealed: when it returns, they are in no file
// of the vault (on PostgreSQL, in none that its server still reads). Those that are not there are
// no error, nor are empty ids.
func (v *Vault) Destroy(ctx context.Context, ids ...string) error {
	err := v.befalls("destroy")
	if err == nil {
		err = v.db.Update(ctx, func(tx *store.Tx) error {
			for _, id := range ids {
				if id == "" {
					continue
				}
				if _, err := tx.Exec(ctx, `UPDATE vault_key SET id = $1, wrapped = $2, unused = $3 WHERE id = $4`, free+rand.Text()[1:], blank, int64(notUnused), id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err == nil {
		err = v.befalls("destroy done")
	}
	if err != nil {
		return fmt.Errorf("destroy keys of the vault: %w", err)
	}
	return nil
}

// Keys that nothing names are those that a process took, or had ready, when it ended; and those of
// what a restored backup does not know. The first are looked at when they are old enough, and the
// second are kept for a while, in case that it was the wrong backup.
const (
	settled = 24 * time.Hour     // how old a key is that is looked at
	grace   = 7 * 24 * time.Hour // how long it stays when nothing names it
)

// Sweep destroys keys that nothing has named for a week. named says whether something names a key
// of an id.
func (v *Vault) Sweep(ctx context.Context, named func(id string) bool) error {
	for last := ""; ; {
		keys, err := v.page(ctx, last)
		if err != nil || len(keys) == 0 {
			return err
		}
		last = keys[len(keys)-1].id
		if err := v.mark(ctx, keys, named); err != nil {
			return err
		}
	}
}

// looked is a key that Sweep looks at, and since when it is known to be unused.
type looked struct {
	id     string
	unused time.Time
}

// page gives some keys that are old enough.
func (v *Vault) page(ctx context.Context, after string) (keys []looked, err error) {
	keys, err = store.List(ctx, v.db, `SELECT id, unused FROM vault_key WHERE id > $1 AND id < $2 AND made < $3 ORDER BY id LIMIT 1000`,
		func(row store.Scanner) (k looked, err error) {
			var since int64
			if err := row.Scan(&k.id, &since); err != nil {
				return k, err
			}
			if since != notUnused {
				k.unused = store.FromMicros(since)
			}
			return k, err
		}, after, free, store.Micros(v.now().Add(-settled)))
	if err != nil {
		return nil, fmt.Errorf("look through the vault: %w", err)
	}
	return keys, nil
}

// mark notes of keys whether something names them, and destroys those that nothing has named for
// long.
func (v *Vault) mark(ctx context.Context, keys []looked, named func(id string) bool) error {
	now := v.now()
	var over []string
	since := map[string]time.Time{} // what changes
	for _, k := range keys {
		switch used := named(k.id); {
		case used && !k.unused.IsZero():
			since[k.id] = time.Time{}
		case !used && k.unused.IsZero():
			since[k.id] = now
		case !used && now.Sub(k.unused) > grace:
			over = append(over, k.id)
		}
	}
	if len(since) > 0 {
		err := v.db.Update(ctx, func(tx *store.Tx) error {
			for id, at := range since {
				unused := int64(notUnused)
				if !at.IsZero() {
					unused = store.Micros(at)
				}
				if _, err := tx.Exec(ctx, `UPDATE vault_key SET unused = $1 WHERE id = $2`, unused, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("look through the vault: %w", err)
		}
	}
	if len(over) == 0 {
		return nil
	}
	return v.Destroy(ctx, over...)
}

// befalls is what a test has happen at a step.
func (v *Vault) befalls(step string) error {
	if v.fault == nil {
		return nil
	}
	return v.fault(step)
}
