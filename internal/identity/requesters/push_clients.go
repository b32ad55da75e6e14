package requesters

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// PushClientSchema is the tables of callers of the catalog, and what counts their changes. Times
// are microseconds.
var PushClientSchema = store.Schema{
	ID: "caller",
	Steps: []string{`
CREATE TABLE caller_party (
	id       {{text}} NOT NULL PRIMARY KEY,
	state    TEXT NOT NULL,
	document TEXT NOT NULL,
	created  BIGINT NOT NULL,
	changed  BIGINT NOT NULL
);
CREATE TABLE caller_version (
	one     BIGINT NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
);
INSERT INTO caller_version (one, version) VALUES (1, 0);
`},
}

// PushClient may push entries into the catalog of tenants (RAMP v1, CatalogService). Requests name
// it as caller_id.
type PushClient struct {
	ID string // which requests name as caller_id, and signatures as keyid
	// Domain is whose the caller is, where that is not the tenant's own: providers name it in their
	// catalog_contributors. Empty for a caller that speaks for its tenants.
	Domain  string
	Tenants []string   // ids, at least one
	Keys    []ramp.Key // at least one
	Revoked time.Time  // UTC; zero for one that is good
	Created time.Time
	Changed time.Time
}

// May says whether the caller may push for a tenant.
func (c *PushClient) May(tenant string) bool { return slices.Contains(c.Tenants, tenant) }

// State is "active" or "revoked".
func (c *PushClient) State() string {
	if c.Revoked.IsZero() {
		return "active"
	}
	return "revoked"
}

// KeyNames are the thumbprints (RFC 7638) of the caller's keys.
func (c *PushClient) KeyNames() (names []string) {
	for _, k := range c.Keys {
		names = append(names, botauth.Thumbprint(k.Public))
	}
	return names
}

// callerDocument is what a row has of a caller beside its id.
type callerDocument struct {
	Domain  string      `json:"domain,omitempty"`
	Tenants []string    `json:"tenants"`
	Keys    []callerKey `json:"keys"`
	Revoked time.Time   `json:"revoked,omitzero"`
}

type callerKey struct {
	ID     string    `json:"id,omitempty"`
	Public []byte    `json:"public_key"`
	From   time.Time `json:"from,omitzero"`
	Until  time.Time `json:"until,omitzero"`
}

// The bounds of callers.
const (
	maxCallers       = 10_000
	maxCallerKeys    = 10
	maxCallerTenants = 1000
)

// PushClients are the push clients of a database with [PushClientSchema]. Changes by one process
// hold in the others within a second.
type PushClients struct {
	db      *store.DB
	now     func() time.Time
	changed func(context.Context, *store.Tx, PushClient) error

	mu      sync.RWMutex
	known   map[string]*PushClient
	version int64
	looked  time.Time
}

// NewPushClients knows nobody yet. A nil clock is time.Now.
func NewPushClients(db *store.DB, now func() time.Time) *PushClients {
	if now == nil {
		now = time.Now
	}
	return &PushClients{db: db, now: now, version: -1}
}

// OnChange calls fn for every caller that is put in, changed or revoked, as it is then, in the
// transaction that does it; its error undoes the change. Call it before anything else.
func (c *PushClients) OnChange(fn func(context.Context, *store.Tx, PushClient) error) { c.changed = fn }

// look reads what changed, if that was not done within the last second.
func (c *PushClients) look(ctx context.Context, now time.Time) error {
	c.mu.RLock()
	fresh := c.version >= 0 && now.Sub(c.looked) < rowsFresh && !now.Before(c.looked)
	version := c.version
	c.mu.RUnlock()
	if fresh {
		return nil
	}
	var all map[string]*PushClient
	read := version
	err := c.db.View(ctx, func(tx *store.Tx) (err error) {
		all = nil
		if err = tx.QueryRow(ctx, `SELECT version FROM caller_version WHERE one = 1`).Scan(&read); err != nil || read == version {
			return err
		}
		all, err = readCallers(ctx, tx)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the callers: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looked = now
	if all != nil && read > c.version {
		c.known, c.version = all, read
	}
	return nil
}

func readCallers(ctx context.Context, tx *store.Tx) (map[string]*PushClient, error) {
	all := map[string]*PushClient{}
	err := tx.Each(ctx, `SELECT id, document, created, changed FROM caller_party`, func(row store.Scanner) error {
		one := &PushClient{}
		var text string
		if err := row.Scan(&one.ID, &text, &one.Created, &one.Changed); err != nil {
			return err
		}
		var d callerDocument
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			return fmt.Errorf("the caller %s: %w", one.ID, err)
		}
		one.Domain, one.Tenants, one.Revoked = d.Domain, d.Tenants, d.Revoked
		for _, k := range d.Keys {
			one.Keys = append(one.Keys, ramp.Key{ID: k.ID, Public: k.Public, From: k.From, Until: k.Until,
				Active: true})
		}
		all[one.ID] = one
		return nil
	})
	return all, err
}

var callerID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$`)

// Put puts a caller in, or in the place of that with its id, which is then good again. The error is
// fail.Invalid for what cannot be meant.
func (c *PushClients) Put(ctx context.Context, one PushClient) (fresh bool, err error) {
	switch {
	case !callerID.MatchString(one.ID):
		return false,
			fail.New(fail.Invalid, "%.140q is no id of a caller; use up to 128 letters, digits, dots, dashes and the "+
				"like, such as acme-cms", one.ID)
	case len(one.Tenants) == 0 || len(one.Tenants) > maxCallerTenants:
		return false, fail.New(fail.Invalid, "name at least one tenant, and at most %d", maxCallerTenants)
	case len(one.Keys) == 0 || len(one.Keys) > maxCallerKeys:
		return false, fail.New(fail.Invalid, "name at least one key, and at most %d", maxCallerKeys)
	}
	if one.Domain != "" {
		if one.Domain, err = identity.ParseDomain(one.Domain); err != nil {
			return false, err
		}
	}
	one.Tenants = slices.Clone(one.Tenants)
	slices.Sort(one.Tenants)
	one.Tenants, one.Revoked = slices.Compact(one.Tenants), time.Time{}
	return c.write(ctx, one)
}

// Revoke ends a caller's keys: nothing that they sign is taken any more. It is fail.NotFound where
// there is none.
func (c *PushClients) Revoke(ctx context.Context, id string) (PushClient, error) {
	one, err := c.Get(ctx, id)
	if err == nil && one.Revoked.IsZero() {
		one.Revoked = c.now().UTC().Truncate(time.Microsecond)
		_, err = c.write(ctx, one)
	}
	return one, err
}

func (c *PushClients) write(ctx context.Context, one PushClient) (fresh bool, err error) {
	d := callerDocument{Domain: one.Domain, Tenants: one.Tenants, Revoked: one.Revoked}
	for _, k := range one.Keys {
		d.Keys = append(d.Keys, callerKey{ID: k.ID, Public: k.Public, From: k.From, Until: k.Until})
	}
	text, err := json.Marshal(d)
	if err != nil {
		return false, err
	}
	err = c.db.Update(ctx, func(tx *store.Tx) error {
		now := store.Micros(c.now())
		var there, all int64
		err := tx.QueryRow(ctx, `SELECT COALESCE(SUM(CASE WHEN id = $1 THEN 1 ELSE 0 END), 0), COUNT(*) FROM caller_party`, one.ID).Scan(&there, &all)
		if err != nil {
			return err
		}
		if fresh = there == 0; fresh && all >= maxCallers {
			return fail.New(fail.Invalid, "there are %d callers, and there may be no more", maxCallers)
		}
		_, err = tx.Exec(ctx, `INSERT INTO caller_party (id, state, document, created, changed) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (id) DO UPDATE SET state = EXCLUDED.state, document = EXCLUDED.document, changed = EXCLUDED.changed`, one.ID, one.State(), string(text), now, now)
		if err == nil {
			_, err = tx.Exec(ctx, `UPDATE caller_version SET version = version + 1 WHERE one = 1`)
		}
		if err == nil && c.changed != nil {
			err = c.changed(ctx, tx, one)
		}
		return err
	})
	if err == nil {
		c.mu.Lock()
		c.looked = time.Time{} // what was changed here holds at once
		c.mu.Unlock()
	}
	return fresh, err
}

// List gives all callers, by their ids.
func (c *PushClients) List(ctx context.Context) (all []PushClient, err error) {
	read, err := store.Get(ctx, c.db, func(tx *store.Tx) (map[string]*PushClient, error) {
		return readCallers(ctx, tx)
	})
	for _, one := range read {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b PushClient) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// Get gives a caller. It is fail.NotFound where there is none.
func (c *PushClients) Get(ctx context.Context, id string) (PushClient, error) {
	all, err := c.List(ctx)
	for _, one := range all {
		if one.ID == id {
			return one, nil
		}
	}
	if err == nil {
		err = fail.New(fail.NotFound, "there is no caller %.140s", id)
	}
	return PushClient{}, err
}

// Identify says which caller sent a request, by its signature over HTTP (RFC 9421), whose keyid is
// the caller's id. named is the caller_id that the request names; empty where its message has none.
// The error is fail.Unauthorized for who cannot be told, and for another than it names.
func (c *PushClients) Identify(ctx context.Context, named string, call Call) (*PushClient, error) {
	now := c.now()
	if err := c.look(ctx, now); err != nil {
		return nil, fail.New(fail.Unavailable, "callers cannot be looked up at the moment; try again").
			After(5 * time.Second).Wrap(err)
	}
	if !call.Signed() {
		return nil,
			fail.New(fail.Unauthorized, "this request is not signed; sign it over HTTP (RFC 9421: %s) with the key "+
				"of your caller, and its caller_id as keyid", strings.Join(sign.RequestComponents, ", "))
	}
	all, err := readSignatures(call)
	if err != nil {
		return nil, err
	}
	p := &proving{now: now, left: maxVerifications}
	failed := error(errNoKey)
	for i := range all {
		id, _, _ := strings.Cut(all[i].KeyID, "#")
		c.mu.RLock()
		one := c.known[id]
		c.mu.RUnlock()
		if one == nil || !one.Revoked.IsZero() || named != "" && named != one.ID {
			continue
		}
		if _, failed = p.verify(&all[i], candidates(one.Keys, one.ID, all[i].KeyID, now), call); failed == nil {
			return one, nil
		}
	}
	if named != "" {
		return nil,
			fail.New(fail.Unauthorized, "the request is not signed by the caller %s: %v; sign it with a key that the "+
				"operator was given, and with caller_id as keyid", clip(named), failed)
	}
	return nil,
		fail.New(fail.Unauthorized, "the request is signed by no caller that is known here: %v; the keyid has to be "+
			"your caller_id", failed)
}
