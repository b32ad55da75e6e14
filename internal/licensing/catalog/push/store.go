// Package push stores what others push into the catalog of an Exchange (RAMP v1, CatalogService):
// the tenants, with their domains and terms; the entries pushed for them; the challenges by which
// domains are verified.
//
// The package owns those tables. It must not decide who may push what, nor what is offered:
// licensing/exchange does. licensing/catalog follows the entries by their revisions. Enter by
// [NewStore] and [OpenTenants].
package push

import (
	"context"
	"time"

	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package.
//
//	supply_tenant     one row for each tenant, with what it is as JSON; one that was removed
//	                  stays, in that state
//	supply_domain     whose each domain is
//	supply_version    counts changes of the two, by which other processes see that there are any
//	supply_shelf      one row for each tenant for which something was ever pushed: how often that
//	                  was, and what was refused
//	supply_entry      one row for each entry and who pushed it. One that was removed stays for a
//	                  while, so that others learn of it
//	supply_pattern    which of the entries that are there have a star within their address
//	supply_rejection  the entries that were refused last, as many for each tenant as [Rejections]
//	supply_challenge  one row for each challenge of a domain, by the SHA-256 of its token
//	supply_verified   one row for each domain that somebody has shown to have, and how that stands
//	supply_attested   the hashes that a provider has attested of what is at its own addresses:
//	                  when each came first, and when it was made
//
// Times are microseconds.
var Schema = store.Schema{
	ID: "supply",
	Steps: []string{`
CREATE TABLE supply_tenant (
	id       {{text}} NOT NULL PRIMARY KEY,
	state    TEXT NOT NULL,
	document TEXT NOT NULL,
	created  BIGINT NOT NULL,
	changed  BIGINT NOT NULL
);
CREATE TABLE supply_domain (
	domain {{text}} NOT NULL PRIMARY KEY,
	tenant {{text}} NOT NULL
);
CREATE TABLE supply_version (
	one     BIGINT NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
);
INSERT INTO supply_version (one, version) VALUES (1, 0);
CREATE TABLE supply_shelf (
	tenant   {{text}} NOT NULL PRIMARY KEY,
	revision BIGINT NOT NULL,
	horizon  BIGINT NOT NULL,
	refused  BIGINT NOT NULL
);
CREATE TABLE supply_entry (
	tenant   {{text}} NOT NULL,
	address  {{text}} NOT NULL,
	author   {{text}} NOT NULL,
	revision BIGINT NOT NULL,
	changed  BIGINT NOT NULL,
	entry    {{bytes}},
	attested {{bytes}},
	PRIMARY KEY (tenant, address, author)
);
CREATE INDEX supply_entry_revision ON supply_entry (tenant, revision);
CREATE TABLE supply_rejection (
	tenant  {{text}} NOT NULL,
	place   BIGINT NOT NULL,
	number  BIGINT NOT NULL,
	at      BIGINT NOT NULL,
	caller  TEXT NOT NULL,
	address TEXT NOT NULL,
	reason  TEXT NOT NULL,
	detail  TEXT NOT NULL,
	PRIMARY KEY (tenant, place)
);
`, `
CREATE TABLE supply_attested (
	tenant  {{text}} NOT NULL,
	address {{text}} NOT NULL,
	digest  {{text}} NOT NULL,
	at      BIGINT NOT NULL,
	made    BIGINT NOT NULL,
	PRIMARY KEY (tenant, address, digest)
) {{clustered}};
CREATE INDEX supply_attested_at ON supply_attested (tenant, at);
`, `
CREATE TABLE supply_challenge (
	hash    {{text}} NOT NULL PRIMARY KEY,
	domain  {{text}} NOT NULL,
	caller  {{text}} NOT NULL,
	tenant  {{text}} NOT NULL,
	created BIGINT NOT NULL,
	ends    BIGINT NOT NULL,
	used    BIGINT NOT NULL,
	outcome TEXT NOT NULL
);
CREATE INDEX supply_challenge_domain ON supply_challenge (domain, ends);
CREATE INDEX supply_challenge_caller ON supply_challenge (caller, ends);
CREATE TABLE supply_verified (
	domain   {{text}} NOT NULL PRIMARY KEY,
	tenant   {{text}} NOT NULL,
	caller   TEXT NOT NULL,
	state    TEXT NOT NULL,
	reason   TEXT NOT NULL,
	since    BIGINT NOT NULL,
	verified BIGINT NOT NULL,
	until    BIGINT NOT NULL,
	listed   BIGINT NOT NULL,
	looked   BIGINT NOT NULL,
	form     TEXT NOT NULL,
	signing  TEXT NOT NULL
);
CREATE INDEX supply_verified_looked ON supply_verified (looked);
`, `
CREATE TABLE supply_pattern (
	tenant  {{text}} NOT NULL,
	address {{text}} NOT NULL,
	author  {{text}} NOT NULL,
	PRIMARY KEY (tenant, address, author)
) {{clustered}};
INSERT INTO supply_pattern (tenant, address, author) SELECT tenant, address, author FROM supply_entry WHERE entry IS NOT NULL AND address LIKE '%*_%';
`},
}

// Store stores the pushed entries of each tenant, in a database with [Schema]. Its methods may be
// called concurrently, by several processes.
type Store struct {
	db  *store.DB
	now func() time.Time
}

// NewStore keeps entries in a database.
func NewStore(db *store.DB, now func() time.Time) *Store { return &Store{db: db, now: now} }

// tenantState is a row of supply_shelf; the zero value of a tenant that has none.
type tenantState struct{ revision, horizon, refused int64 }

// change has fn change a tenant's entries, and then keeps how its shelf stands. What one tenant's
// callers push at the same time is done one after the other; tenants do not wait for each other.
func (s *Store) change(ctx context.Context, tenant string, fn func(tx *store.Tx, at *tenantState) error) error {
	return s.db.UpdateSerial(ctx, "supply "+tenant, func(tx *store.Tx) error {
		at, err := tenantStateOf(ctx, tx, tenant)
		before := at
		if err == nil {
			err = fn(tx, &at)
		}
		if err != nil || at == before {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO supply_shelf (tenant, revision, horizon, refused) VALUES ($1, $2, $3, $4)
			ON CONFLICT (tenant) DO UPDATE SET revision = EXCLUDED.revision, horizon = EXCLUDED.horizon, refused = EXCLUDED.refused`,
			tenant, at.revision, at.horizon, at.refused)
		return err
	})
}
