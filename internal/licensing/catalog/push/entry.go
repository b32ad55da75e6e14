package push

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
)

// Entry is what was pushed for an address.
type Entry struct {
	// Address is where, in the form in which the catalog compares addresses: host, path and query,
	// without scheme. One that ends in a slash or a star stands for all that begins so; a star
	// elsewhere stands for any run of characters.
	Address string `json:"-"`
	// Author is the domain of the contributor who pushed it; empty for the tenant itself.
	Author    string `json:"-"`
	ContentID string `json:"i,omitempty"`
	Title     string `json:"t,omitempty"`
	Words     int64  `json:"w,omitempty"`
	// about how much of it one use takes, in whatever its price counts; 0 for unknown
	Quantity int64  `json:"q,omitempty"`
	Hash     string `json:"h,omitempty"`
	Method   string `json:"m,omitempty"` // of Hash
	Found    int32  `json:"f,omitempty"` // how the pusher says it was found (IngestionSource); 0 for nothing
	// Provenance is who provided what is said, and Collected when that was, as the pusher says;
	// empty and zero for nothing.
	Provenance string    `json:"p,omitempty"`
	Collected  time.Time `json:"c,omitzero"`
	Caller     string    `json:"by"` // by whose key
	Pushed     time.Time `json:"at"` // UTC
	// AttestsOnly says that it is nothing by itself: it brings what others attest of what is there
	// otherwise.
	AttestsOnly bool `json:"o,omitempty"`
	// Attested says that there are attestations.
	Attested bool `json:"a,omitempty"`
	// Attestations are JSON, each as it was signed. They are kept apart: only Attestations gives
	// them.
	Attestations [][]byte `json:"-"`
	// Claimed is the SHA-256, in lower-case hex, that the newest of them claims which its provider
	// made itself, at ClaimedAt; empty for none.
	Claimed   string    `json:"-"`
	ClaimedAt time.Time `json:"-"`
}

// Batch is the entries of one push request.
type Batch struct {
	Tenant  string
	Entries []*Entry
	Refused []Rejection
	// Patterns is how many entries with a star within their address the tenant may have, and Over
	// says why one is refused that would be one too many. A nil Over lets all in.
	Patterns int
	Over     func(*Entry) Rejection

	texts, attested [][]byte // of Entries, as they are kept
}

// Write writes the entries as they are kept. Put does so where that was not done.
func (b *Batch) Write() error {
	b.texts, b.attested = make([][]byte, len(b.Entries)), make([][]byte, len(b.Entries))
	for i, e := range b.Entries {
		e.Attested = len(e.Attestations) > 0
		var err error
		if b.texts[i], err = json.Marshal(e); err != nil {
			return fmt.Errorf("write an entry: %w", err)
		}
		if b.attested[i], err = joined(e.Attestations); err != nil {
			return fmt.Errorf("write attestations: %w", err)
		}
	}
	return nil
}

// Put takes over entries, each in the place of that at its address by the same author, and notes
// those that were refused; all of it, or nothing. It says how many entries were refused for their
// stars.
func (s *Store) Put(ctx context.Context, b Batch) (over int, err error) {
	if len(b.texts) != len(b.Entries) {
		if err := b.Write(); err != nil {
			return 0, err
		}
	}
	err = s.change(ctx, b.Tenant, func(tx *store.Tx, at *tenantState) error {
		many, err := b.over(ctx, tx)
		if err != nil {
			return err
		}
		refused := b.Refused
		if over = len(many); over < len(b.Entries) {
			at.revision++
		}
		now := store.Micros(s.now())
		for i, e := range b.Entries {
			if many[i] {
				refused = append(refused[:len(refused):len(refused)], b.Over(e))
				continue
			}
			if err := b.put(ctx, tx, i, at.revision, now); err != nil {
				return err
			}
		}
		return refuse(ctx, tx, b.Tenant, at, refused)
	})
	return over, err
}

func (b *Batch) put(ctx context.Context, tx *store.Tx, i int, revision, now int64) error {
	e := b.Entries[i]
	err := tx.ExecOne(ctx, `INSERT INTO supply_entry (tenant, address, author, revision, changed, entry, attested) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (tenant, address, author) DO UPDATE
		SET revision = EXCLUDED.revision, changed = EXCLUDED.changed, entry = EXCLUDED.entry, attested = EXCLUDED.attested`,
		b.Tenant, e.Address, e.Author, revision, now, b.texts[i], b.attested[i])
	if err == nil && e.Claimed != "" {
		err = tx.ExecOne(ctx, `INSERT INTO supply_attested (tenant, address, digest, at, made) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant, address, digest) DO UPDATE SET at = supply_attested.at`,
			b.Tenant, e.Address, e.Claimed, now, store.Micros(e.ClaimedAt))
	}
	if _, stars := Pattern(e.Address); err == nil && stars {
		_, err = tx.Exec(ctx, `INSERT INTO supply_pattern (tenant, address, author) VALUES ($1, $2, $3) ON CONFLICT (tenant, address, author) DO NOTHING`, b.Tenant, e.Address, e.Author)
	}
	return err
}

// over says which entries would be one pattern too many. One that is there already is none.
func (b *Batch) over(ctx context.Context, tx *store.Tx) (many map[int]bool, err error) {
	if b.Over == nil {
		return nil, nil
	}
	type key struct{ address, author string }
	var has map[key]bool
	for i, e := range b.Entries {
		if _, stars := Pattern(e.Address); !stars {
			continue
		}
		if has == nil {
			has = map[key]bool{}
			err = tx.Each(ctx, `SELECT address, author FROM supply_pattern WHERE tenant = $1`,
				func(row store.Scanner) error {
					var k key
					err := row.Scan(&k.address, &k.author)
					has[k] = true
					return err
				}, b.Tenant)
			if err != nil {
				return nil, err
			}
		}
		k := key{e.Address, e.Author}
		if !has[k] && len(has) >= b.Patterns {
			if many == nil {
				many = map[int]bool{}
			}
			many[i] = true
			continue
		}
		has[k] = true
	}
	return many, nil
}

// Claim is a hash that a provider attested of an address of its own.
type Claim struct {
	Received, Made time.Time
	Digest         string // SHA-256, in lower-case hex
}

// Claims gives those that came at an address of a tenant in a time, both ends included, the oldest
// first and 100 at most.
func (s *Store) Claims(ctx context.Context, tenant, address string, since, until time.Time) (all []Claim, err error) {
	return store.List(ctx, s.db, `SELECT at, made, digest FROM supply_attested WHERE tenant = $1 AND address = $2 AND at >= $3 AND at <= $4 ORDER BY at LIMIT 100`,
		func(row store.Scanner) (c Claim, err error) {
			err = row.Scan(&c.Received, &c.Made, &c.Digest)
			return c, err
		}, tenant, address, store.Micros(since), store.Micros(until))
}

// joined are attestations as one JSON array, in which each keeps its bytes; nil for none.
func joined(all [][]byte) ([]byte, error) {
	if len(all) == 0 {
		return nil, nil
	}
	parts := make([]string, len(all))
	for i, one := range all {
		parts[i] = string(one)
	}
	return json.Marshal(parts)
}

// Remove takes out what is at some addresses: of everybody, or of one contributor alone. It says
// how many entries those were. Others learn of it by the feed.
func (s *Store) Remove(ctx context.Context, tenant string, addresses []string, author string) (removed int, err error) {
	err = s.change(ctx, tenant, func(tx *store.Tx, at *tenantState) error {
		removed = 0
		now := store.Micros(s.now())
		for _, address := range addresses {
			n, err := remove(ctx, tx, tenant, address, author, at.revision+1, now)
			if err != nil {
				return err
			}
			removed += n
		}
		if removed > 0 {
			at.revision++
		}
		return nil
	})
	return removed, err
}

func remove(ctx context.Context, tx *store.Tx, tenant, address, author string, revision, now int64) (int, error) {
	var n int64
	var err error
	if author == "" {
		n, err = tx.Exec(ctx, `UPDATE supply_entry SET revision = $1, changed = $2, entry = NULL, attested = NULL
			WHERE tenant = $3 AND address = $4 AND entry IS NOT NULL`, revision, now, tenant, address)
		n = min(n, 1) // an entry, whoever spoke of it
	} else {
		n, err = tx.Exec(ctx, `UPDATE supply_entry SET revision = $1, changed = $2, entry = NULL, attested = NULL
			WHERE tenant = $3 AND address = $4 AND author = $5 AND entry IS NOT NULL`, revision, now, tenant, address, author)
	}
	if _, stars := Pattern(address); stars && n > 0 && err == nil {
		all := author == ""
		_, err = tx.Exec(ctx, `DELETE FROM supply_pattern WHERE tenant = $1 AND address = $2 AND ($3 = 1 OR author = $4)`, tenant, address, store.Flag(all), author)
	}
	return int(n), err
}

// Attestations gives what was attested at an address of a tenant, each as JSON as it was signed:
// what came from the tenant first, then by the domains of contributors. It gives those of the
// entries alone that of picks by their authors and revisions, so that who follows behind does not
// put what is attested by now beside what an entry said before; a nil one picks all.
func (s *Store) Attestations(ctx context.Context, tenant, address string,
	of func(author string, revision int64) bool) (all [][]byte, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) error {
		all = nil
		return tx.Each(ctx, `SELECT author, revision, attested FROM supply_entry WHERE tenant = $1 AND address = $2 ORDER BY author`,
			func(row store.Scanner) error {
				var author string
				var revision int64
				var text []byte
				if err := row.Scan(&author, &revision, &text); err != nil {
					return err
				}
				var parts []string
				if len(text) > 0 && (of == nil || of(author, revision)) {
					if err := json.Unmarshal(text, &parts); err != nil {
						return fmt.Errorf("read attestations: %w", err)
					}
				}
				for _, one := range parts {
					all = append(all, []byte(one))
				}
				return nil
			}, tenant, address)
	})
	return all, err
}

// At gives what was pushed at an address of a tenant, without attestations: the tenant's own first,
// then by the domains of contributors.
func (s *Store) At(ctx context.Context, tenant, address string) (all []Entry, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) error {
		all = nil
		return tx.Each(ctx, `SELECT author, entry FROM supply_entry WHERE tenant = $1 AND address = $2 AND entry IS NOT NULL ORDER BY author`,
			func(row store.Scanner) error {
				e := Entry{Address: address}
				var text []byte
				if err := row.Scan(&e.Author, &text); err != nil {
					return err
				}
				if err := json.Unmarshal(text, &e); err != nil {
					return fmt.Errorf("read an entry: %w", err)
				}
				all = append(all, e)
				return nil
			}, tenant, address)
	})
	return all, err
}

// Has says whether there is something at an address of a tenant by an author.
func (s *Store) Has(ctx context.Context, tenant, address, author string) (has bool, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) error {
		var one int64
		err := tx.QueryRow(ctx, `SELECT 1 FROM supply_entry WHERE tenant = $1 AND address = $2 AND author = $3 AND entry IS NOT NULL`, tenant, address, author).Scan(&one)
		has = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return err
	})
	return has, err
}

// Pattern says how an address is meant: as a beginning, as a pattern with stars, or, where both are
// false, as itself.
func Pattern(address string) (beginning, stars bool) {
	star := strings.IndexByte(address, '*')
	switch {
	case star >= 0 && star < len(address)-1:
		return false, true
	case star >= 0, strings.HasSuffix(address, "/"):
		return true, false
	}
	return false, false
}
