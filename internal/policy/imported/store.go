// Package imported reads and stores what sites state about the use of their addresses, beside their
// pages: RSL documents, and sitemaps with the RAMP extension (RAMP v1, Ingestion).
//
// A site is read as a whole, and the new [Snapshot] replaces the old one in one transaction. If
// anything fails, the old one stays: an unreadable list never withdraws a licence.
//
// The package owns the table of snapshots and their schedule. It must not decide: policy says what
// follows from a licence, and licensing/catalog takes the figures. Enter by [Read] and [Store.Put].
package imported

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/licence"
)

// Schema is the tables of this package.
//
//	stated_site  one row for each site for which something was ever asked: how that went, and who
//	             asks just now
//	stated_part  what it states, as JSON that is compressed and parted
//
// Times are microseconds.
var Schema = store.Schema{
	ID: "stated",
	Steps: []string{`
CREATE TABLE stated_site (
	site    {{text}} NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL,
	read    BIGINT NOT NULL,
	tried   BIGINT NOT NULL,
	next    BIGINT NOT NULL,
	held    BIGINT NOT NULL,
	problem TEXT NOT NULL,
	detail  TEXT NOT NULL
);
CREATE TABLE stated_part (
	site    {{text}} NOT NULL,
	place   BIGINT NOT NULL,
	data    {{bytes}},
	PRIMARY KEY (site, place)
);
`},
}

// Source is where a value is from, in the words of RAMP v1 (IngestionSource).
type Source string

// The sources, the one that counts first at the head.
const (
	RAMPSitemap Source = "RAMP_SITEMAP"
	RSL         Source = "RSL"
	Sitemap     Source = "SITEMAP"
	Crawl       Source = "HTML_CRAWL"
	CMS         Source = "CMS_API"
	Manual      Source = "MANUAL"
	Pushed      Source = "CATALOG_API"
)

// Sources are all sources in the order in which their values count: the first that has a value
// gives it.
var Sources = []Source{RAMPSitemap, RSL, Sitemap, Crawl, CMS, Manual, Pushed}

// Snapshot is what a site states, as it was read at one time.
type Snapshot struct {
	Site      string
	Documents []Document
	Addresses []Address // the first that has an address counts
	Places    []Place
	Posts     *Posts        `json:",omitempty"` // of its WordPress; nil for none
	Looked    []ScannedPage `json:",omitempty"` // the pages that were looked at for licences
	Notes     []string      // what could not be used, for the owner; the first few
}

// Document is an RSL document, or a feed that carries RSL.
type Document struct {
	Place string // its address, or that of the page that it stands in
	Text  []byte
}

// Address is what is told of one address.
type Address struct {
	URL      string
	Place    string // where it is told
	Source   Source
	Post     int64           `json:",omitempty"` // the id, of a post of a WordPress
	Title    string          `json:",omitempty"`
	Modified string          `json:",omitempty"` // as written
	Stated   *licence.Stated `json:",omitempty"`
}

// Place is an address that was asked for, with what makes it unnecessary to have it once more.
type Place struct {
	URL                string
	ETag, LastModified string `json:",omitempty"`
	Modified           string `json:",omitempty"` // as the list has it that names it
	Of                 string `json:",omitempty"` // that list
}

// Status is the state of a site's import.
type Status struct {
	Site      string    `json:"site"`
	Version   int64     `json:"version"`
	Read      time.Time `json:"read,omitzero"`     // when it was last read with success
	Tried     time.Time `json:"tried,omitzero"`    // when it was last tried
	Next      time.Time `json:"next,omitzero"`     // when it is read again
	Problem   string    `json:"problem,omitempty"` // why the last try changed nothing
	Documents int       `json:"documents"`
	Addresses int       `json:"addresses"`
	Posts     int       `json:"posts,omitempty"` // those of the addresses that are posts of a WordPress
	Notes     []string  `json:"notes,omitempty"`
}

// detail is what a row has beside its columns.
type detail struct {
	Documents, Addresses, Posts int
	Notes                       []string
}

// posts counts the addresses that are posts of a WordPress.
func (s *Snapshot) posts() (n int) {
	for i := range s.Addresses {
		if s.Addresses[i].Source == CMS {
			n++
		}
	}
	return n
}

// Store stores snapshots of sites in a database with [Schema]. Its methods may be called
// concurrently, by several processes.
type Store struct {
	db  *store.DB
	now func() time.Time
}

// New returns the store of a database.
func New(db *store.DB, now func() time.Time) *Store { return &Store{db: db, now: now} }

// heldFor is how long one that asks keeps others from asking.
const heldFor = 15 * time.Minute

// Claim reserves a site for reading; false if another process has it. Put, RecordFailure, Release
// and time end the claim.
func (k *Store) Claim(ctx context.Context, site string) (held bool, err error) {
	now := k.now()
	err = k.db.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `INSERT INTO stated_site (site, version, read, tried, next, held, problem, detail) VALUES ($1, 0, 0, 0, 0, $2, '', '{}')
			ON CONFLICT (site) DO UPDATE SET held = EXCLUDED.held WHERE stated_site.held < $3 OR stated_site.held > $4`,
			// one of the far future is from before the clock was set back
			site, store.Micros(now.Add(heldFor)), store.Micros(now), store.Micros(now.Add(2*heldFor)))
		held = n > 0
		return err
	})
	return held, err
}

// partSize is how much of a snapshot is in one row.
const partSize = 512 << 10

// Put puts what a site states in the place of what it stated before, at once; next is when it is
// read again. Without allowShrink it is fail.Invalid, and nothing is changed, where that would
// empty what is kept, or halve it: most often something went wrong.
func (k *Store) Put(ctx context.Context, s *Snapshot, next time.Time, allowShrink bool) error {
	data, err := pack(s)
	if err != nil {
		return err
	}
	now := k.now()
	return k.db.Update(ctx, func(tx *store.Tx) error {
		before, err := statusOf(ctx, tx, s.Site)
		if err != nil {
			return err
		}
		if !allowShrink && before != nil {
			if err := shrinks(before, s); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `DELETE FROM stated_part WHERE site = $1`, s.Site); err != nil {
			return err
		}
		for i := 0; i*partSize < len(data); i++ {
			part := data[i*partSize : min((i+1)*partSize, len(data))]
			if _, err := tx.Exec(ctx, `INSERT INTO stated_part (site, place, data) VALUES ($1, $2, $3)`, s.Site, i, part); err != nil {
				return err
			}
		}
		told, err := json.Marshal(detail{len(s.Documents), len(s.Addresses), s.posts(), s.Notes})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO stated_site (site, version, read, tried, next, held, problem, detail) VALUES ($1, 1, $2, $2, $3, 0, '', $4)
			ON CONFLICT (site) DO UPDATE SET version = stated_site.version + 1, read = EXCLUDED.read, tried = EXCLUDED.tried, next = EXCLUDED.next, held = 0, problem = '', detail = EXCLUDED.detail`,
			s.Site, store.Micros(now), store.Micros(next), string(told))
		return err
	})
}

// shrinks says why what is new may not stand in the place of what was before.
func shrinks(before *Status, s *Snapshot) error {
	const few = 20
	switch {
	case before.Documents > 0 && len(s.Documents) == 0:
		return fail.New(fail.Invalid, "%s states no licence any more, where it had %d documents; the old stay. If "+
			"that is meant, allow it with allow_shrink", s.Site, before.Documents)
	case before.Addresses > 0 && len(s.Addresses) == 0, before.Addresses >= few &&
		len(s.Addresses) < before.Addresses/2:
		return fail.New(fail.Invalid, "the sitemaps of %s tell of %d addresses, where they had %d; the old stay. If "+
			"that is meant, allow it with allow_shrink", s.Site, len(s.Addresses), before.Addresses)
	}
	if posts := s.posts(); before.Posts > 0 && posts == 0 || before.Posts >= few && posts < before.Posts/2 {
		return fail.New(fail.Invalid, "the WordPress of %s shows %d posts, where it had %d; the old stay. If that is "+
			"meant, allow it with allow_shrink", s.Site, posts, before.Posts)
	}
	return nil
}

// RecordFailure notes why what a site states could not be read, and when that is tried again; what
// was read before stays.
func (k *Store) RecordFailure(ctx context.Context, site string, problem error, next time.Time) error {
	const most = 1000
	text := problem.Error()
	if len(text) > most {
		text = text[:most]
	}
	return k.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE stated_site SET tried = $1, next = $2, problem = $3, held = 0 WHERE site = $4`, store.Micros(k.now()), store.Micros(next), text, site)
		return err
	})
}

// Release ends a claim without a result.
func (k *Store) Release(ctx context.Context, site string) error {
	return k.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE stated_site SET held = 0 WHERE site = $1`, site)
		return err
	})
}

// MakeDue schedules a site for the next round of reading.
func (k *Store) MakeDue(ctx context.Context, site string) error {
	return k.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE stated_site SET next = $1 WHERE site = $2 AND next > $1`, store.Micros(k.now()), site)
		return err
	})
}

// Load gives what a site states, with its version; nil where nothing was ever read.
func (k *Store) Load(ctx context.Context, site string) (s *Snapshot, version int64, err error) {
	var data []byte
	err = k.db.View(ctx, func(tx *store.Tx) error {
		data, version = nil, 0
		err := tx.Each(ctx, `SELECT version FROM stated_site WHERE site = $1`, func(row store.Scanner) error { return row.Scan(&version) }, site)
		if err != nil || version == 0 {
			return err
		}
		return tx.Each(ctx, `SELECT data FROM stated_part WHERE site = $1 ORDER BY place`,
			func(row store.Scanner) error {
				var part []byte
				err := row.Scan(&part)
				data = append(data, part...)
				return err
			}, site)
	})
	if err != nil || version == 0 {
		return nil, 0, err
	}
	if s, err = unpack(data); err != nil {
		return nil, 0, fmt.Errorf("read what %s states: %w", site, err)
	}
	return s, version, nil
}

// Statuses tell how all sites stand, by site.
func (k *Store) Statuses(ctx context.Context) (all []Status, err error) {
	return store.List(ctx, k.db,
		`SELECT site, version, read, tried, next, problem, detail FROM stated_site ORDER BY site`, scanStatus)
}

// statusOf is how one site stands; nil where nothing is known of it.
func statusOf(ctx context.Context, tx *store.Tx, site string) (s *Status, err error) {
	err = tx.Each(ctx, `SELECT site, version, read, tried, next, problem, detail FROM stated_site WHERE site = $1`,
		func(row store.Scanner) error {
			one, err := scanStatus(row)
			s = &one
			return err
		}, site)
	return s, err
}

func scanStatus(row store.Scanner) (s Status, err error) {
	var text string
	if err := row.Scan(&s.Site, &s.Version, &s.Read, &s.Tried, &s.Next, &s.Problem, &text); err != nil {
		return s, err
	}
	var d detail
	err = json.Unmarshal([]byte(text), &d)
	s.Documents, s.Addresses, s.Posts, s.Notes = d.Documents, d.Addresses, d.Posts, d.Notes
	return s, err
}

func pack(s *Snapshot) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	err := json.NewEncoder(w).Encode(s)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func unpack(data []byte) (*Snapshot, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	s := &Snapshot{}
	if err := json.NewDecoder(r).Decode(s); err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, r) // which says whether it is whole
	return s, err
}
