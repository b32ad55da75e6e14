package requesters

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign/botauth"
)

// Schema is the tables of requesters that signed up, or that the operator put in. Each change of a
// row takes the next version, so that other processes read what changed and nothing else; a row
// that was removed stays, in that state. Times are microseconds.
var Schema = store.Schema{
	ID: "requester",
	Steps: []string{`
CREATE TABLE requester_party (
	domain      {{text}} NOT NULL,
	id          {{text}} NOT NULL,
	signup      TEXT NOT NULL,
	state       TEXT NOT NULL,
	public_keys TEXT NOT NULL,
	scopes      TEXT NOT NULL,
	category    TEXT NOT NULL,
	country     TEXT NOT NULL,
	rate        TEXT NOT NULL,
	created     BIGINT NOT NULL,
	changed     BIGINT NOT NULL,
	version     BIGINT NOT NULL,
	PRIMARY KEY (domain, id)
);
CREATE INDEX requester_party_version ON requester_party (version);
CREATE TABLE requester_version (
	id      {{text}} NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
);
`, delegationTables},
}

// The states of a registration.
const (
	Active    = "active"
	Suspended = "suspended" // known and not let in, until it is active again
	Removed   = "removed"   // as if it had never been; kept so that other processes learn of it
)

// EveryID stands for every requester of a domain that has no registration of its own.
const EveryID = "*"

// UserCategories are the kinds of users that RAMP tells apart.
var UserCategories = []string{"commercial", "non-commercial", "education", "government", "personal"}

// Registration is a requester that signed up, and what the operator says of it.
type Registration struct {
	Domain, ID string     // ID may be EveryID
	SignUp     string     // SignUpOperator or SignUpSelf
	Status     string     // Active, Suspended or, told of a change, Removed
	Keys       []ramp.Key // that the operator was given; none for those that the domain publishes
	Scopes     []string   // granted
	// UserCategory is one of UserCategories, Country an ISO 3166-1 alpha-2 code, Rate a limit as
	// limit.ParseRate reads it; all may be empty.
	UserCategory, Country, Rate string
	Created, Changed            time.Time // UTC
}

// Account is the key of the requester's account.
func (g Registration) Account() string { return g.Domain + "/" + g.ID }

// Config says how requesters are told.
type Config struct {
	DB *store.DB // with Schema
	// Fetcher gets what domains publish. It should take AgentBytes at the most, AgentTime at the
	// longest, and follow no redirect.
	Fetcher *fetch.Fetcher
	// Signatures is how a request must be signed: SignaturesRequired, SignaturesBody or
	// SignaturesNone.
	Signatures string
	// Purchases is how a request that spends must be signed, in the same words; what Signatures
	// asks for beyond that holds for it, too. Empty asks for what Signatures does.
	Purchases string
	// Registered lets in only those who signed up.
	Registered bool
	// KeyGrace is how long a principal's tokens count after it has rotated the key that signed
	// them; 0 is DefaultKeyGrace.
	KeyGrace time.Duration
	Now      func() time.Time // nil is time.Now
}

// How a request must be signed.
const (
	SignaturesRequired = "required" // as a whole over HTTP (RFC 9421)
	// so, or else by the signature in its Requester; a request without a Requester may be unsigned
	SignaturesBody = "body"
	SignaturesNone = "none" // not at all; a signature that is there must be right all the same
)

// asks says how a request must be signed: the stricter of what holds for all and for those that
// spend.
func (c *Config) asks(call Call) string {
	switch {
	case !call.Spends || c.Purchases == "" || c.Signatures == SignaturesRequired:
		return c.Signatures
	case c.Purchases == SignaturesNone:
		return c.Signatures
	}
	return c.Purchases
}

// Registry are those who ask under RAMP: who signed up, what keys speak for whom, and who sent a
// request. What one process changes holds in the others within a second. Its methods may be called
// concurrently.
type Registry struct {
	config  Config
	agents  *agents
	changed func(context.Context, *store.Tx, Registration) error

	revoking func(context.Context, *store.Tx, Revocation) error
	lists    *lists
	tokens   readTokens

	reading sync.Mutex // of who reads changes out of the database

	mu      sync.RWMutex
	parties map[string]map[string]Registration // by domain and id
	version int64                              // of the newest change that was read
	looked  time.Time                          // when changes were last looked for, and found or not
	failed  error                              // of the last look
	good    time.Time                          // when a look last went well
	revoked map[string]bool                    // blocks of tokens, by their revocation ids
	revokes int64                              // the version of the newest of them that was read
	noted   map[string]*agent                  // documents whose keys are kept, by domain
}

// Open reads the requesters of a database.
func Open(ctx context.Context, config Config) (*Registry, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	for _, policy := range []string{config.Signatures, cmp.Or(config.Purchases, config.Signatures)} {
		if !slices.Contains([]string{SignaturesRequired, SignaturesBody, SignaturesNone}, policy) {
			return nil, fmt.Errorf("%q is no way in which requests must be signed; there are %s, %s and %s", policy,
				SignaturesRequired, SignaturesBody, SignaturesNone)
		}
	}
	if config.KeyGrace == 0 {
		config.KeyGrace = DefaultKeyGrace
	}
	rs := &Registry{
		config: config, agents: newAgents(config.Fetcher, config.Now), lists: newLists(config.Fetcher, config.Now),
		parties: map[string]map[string]Registration{}, revoked: map[string]bool{}, noted: map[string]*agent{},
	}
	rs.reload(ctx)
	return rs, rs.failed
}

// OnChange calls fn for every registration that is made, changed or removed, as it is then, in the
// transaction that does it; its error undoes the change. Call it before anything else.
func (rs *Registry) OnChange(fn func(context.Context, *store.Tx, Registration) error) {
	rs.changed = fn
}

// look reads changes if that was not done for so long as what is known holds. Where somebody else
// does it, what is known holds meanwhile.
func (rs *Registry) look(ctx context.Context, holds time.Duration) error {
	now := rs.config.Now()
	rs.mu.RLock()
	fresh := now.Sub(rs.looked) < holds && !now.Before(rs.looked)
	rs.mu.RUnlock()
	if !fresh && rs.reading.TryLock() {
		rs.read(context.WithoutCancel(ctx))
		rs.reading.Unlock()
	}
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	if rs.failed != nil && now.Sub(rs.good) >= rowsStale {
		return fail.New(fail.Unavailable, "requesters cannot be looked up at the moment; try again").
			After(5 * time.Second).Wrap(rs.failed)
	}
	return nil
}

// reload reads changes now.
func (rs *Registry) reload(ctx context.Context) {
	rs.reading.Lock()
	defer rs.reading.Unlock()
	rs.read(context.WithoutCancel(ctx))
}

// How long what was read of the tables holds: while the database can be asked, for a requester that
// it does not name, who may have been registered since, and while it cannot be asked.
const (
	rowsFresh   = time.Second
	rowsUnknown = 50 * time.Millisecond
	rowsStale   = time.Minute
)

const requesterColumns = `domain, id, signup, state, public_keys, scopes, category, country, rate, created, changed, version`

// read takes up what changed. The caller holds reading.
func (rs *Registry) read(ctx context.Context) {
	now := rs.config.Now()
	var fresh []Registration
	var gone []string
	version, revokes := rs.version, rs.revokes // which nobody else writes
	err := rs.config.DB.View(ctx, func(tx *store.Tx) error {
		fresh, version = nil, rs.version
		err := tx.Each(ctx, `SELECT `+requesterColumns+` FROM requester_party WHERE version > $1 ORDER BY version`,
			func(row store.Scanner) error {
				g, v, err := scanRegistration(row)
				if err != nil {
					return err
				}
				fresh, version = append(fresh, g), v
				return nil
			}, rs.version)
		if err != nil {
			return err
		}
		gone, revokes, err = readRevoked(ctx, tx, rs.revokes)
		return err
	})
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.looked, rs.failed = now, err
	if err != nil {
		return
	}
	rs.good, rs.version, rs.revokes = now, version, revokes
	for _, id := range gone {
		rs.revoked[id] = true
	}
	for _, g := range fresh {
		if rs.parties[g.Domain] == nil {
			rs.parties[g.Domain] = map[string]Registration{}
		}
		rs.parties[g.Domain][g.ID] = g
		if g.Status == Removed {
			delete(rs.parties[g.Domain], g.ID)
		}
		if len(rs.parties[g.Domain]) == 0 {
			delete(rs.parties, g.Domain)
		}
	}
}

// registration gives what holds for a requester: its own registration, or that of every id of its
// domain; the zero value for none.
func (rs *Registry) registration(domain, id string) Registration {
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	if own, ok := rs.parties[domain][id]; ok {
		return own
	}
	return rs.parties[domain][EveryID]
}

// ofDomain gives all registrations of a domain.
func (rs *Registry) ofDomain(domain string) []Registration {
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	all := make([]Registration, 0, len(rs.parties[domain]))
	for _, g := range rs.parties[domain] {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b Registration) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// storedKey is a key as its row has it.
type storedKey struct {
	ID     string     `json:"id,omitempty"`
	Public []byte     `json:"public"`
	From   *time.Time `json:"from,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
}

func storedTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func scanRegistration(row store.Scanner) (g Registration, version int64, err error) {
	var keys, scopes string
	err = row.Scan(&g.Domain, &g.ID, &g.SignUp, &g.Status, &keys, &scopes, &g.UserCategory, &g.Country, &g.Rate,
		&g.Created, &g.Changed, &version)
	if err != nil {
		return g, 0, err
	}
	g.Scopes = strings.Fields(scopes)
	var stored []storedKey
	if err := json.Unmarshal([]byte(keys), &stored); err != nil {
		return g, 0, fmt.Errorf("the keys of %s cannot be read: %w", g.Account(), err)
	}
	for _, k := range stored {
		key := ramp.Key{ID: k.ID, Public: ed25519.PublicKey(k.Public), Active: true}
		if k.From != nil {
			key.From = *k.From
		}
		if k.Until != nil {
			key.Until = *k.Until
		}
		g.Keys = append(g.Keys, key)
	}
	return g, version, nil
}

// put writes a registration in a transaction, and tells of it.
func (rs *Registry) put(ctx context.Context, tx *store.Tx, g Registration) error {
	stored := []storedKey{}
	for _, k := range g.Keys {
		stored = append(stored, storedKey{k.ID, k.Public, storedTime(k.From), storedTime(k.Until)})
	}
	keys, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	var version int64
	err = tx.QueryRow(ctx, `INSERT INTO requester_version (id, version) VALUES ('all', 1)
		ON CONFLICT (id) DO UPDATE SET version = requester_version.version + 1 RETURNING version`).Scan(&version)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO requester_party (`+requesterColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (domain, id) DO UPDATE SET signup = excluded.signup, state = excluded.state, public_keys = excluded.public_keys, scopes = excluded.scopes,
		category = excluded.category, country = excluded.country, rate = excluded.rate, created = excluded.created, changed = excluded.changed, version = excluded.version`,
		g.Domain, g.ID, g.SignUp, g.Status, string(keys), strings.Join(g.Scopes, " "), g.UserCategory, g.Country,
		g.Rate,
		store.Micros(g.Created), store.Micros(g.Changed), version)
	if err != nil || rs.changed == nil {
		return err
	}
	return rs.changed(ctx, tx, g)
}

// find reads a registration in a transaction; ok is false when there is none.
func (rs *Registry) find(ctx context.Context, tx *store.Tx, domain, id string) (g Registration, ok bool, err error) {
	err = tx.Each(ctx, `SELECT `+requesterColumns+` FROM requester_party WHERE domain = $1 AND id = $2 AND state <> 'removed'`,
		func(row store.Scanner) error {
			if g, _, err = scanRegistration(row); err != nil {
				return err
			}
			ok = true
			return nil
		}, domain, id)
	return g, ok, err
}

// update runs a change, after which this process knows of it.
func (rs *Registry) update(ctx context.Context, change func(*store.Tx) error) error {
	err := rs.config.DB.Update(ctx, change)
	rs.reload(ctx)
	return err
}

func (rs *Registry) moment() time.Time { return rs.config.Now().UTC().Truncate(time.Microsecond) }

// Add puts a requester in for the operator. Of g it takes all but SignUp, Status and the times. One
// that signed up itself becomes the operator's. It is fail.Invalid when something of g cannot be
// meant, or the operator has put it in before.
func (rs *Registry) Add(ctx context.Context, g Registration) (Registration, error) {
	return rs.AddWith(ctx, g, nil)
}

// AddWith is Add, and runs more with the registration as it is then in the same transaction; its
// error undoes both. Nil runs nothing.
func (rs *Registry) AddWith(ctx context.Context, g Registration,
	more func(*store.Tx, Registration) error) (Registration, error) {
	g.SignUp, g.Status, g.Changed = SignUpOperator, Active, rs.moment()
	g, err := checkRegistration(g)
	if err != nil {
		return g, err
	}
	err = rs.update(ctx, func(tx *store.Tx) error {
		old, there, err := rs.find(ctx, tx, g.Domain, g.ID)
		switch {
		case err != nil:
			return err
		case there && old.SignUp == SignUpOperator:
			return fail.New(fail.Invalid, "there is a requester %s already; change it, or remove it first", g.Account())
		}
		g.Created = g.Changed
		if there {
			g.Created = old.Created
		}
		if err := rs.put(ctx, tx, g); err != nil || more == nil {
			return err
		}
		return more(tx, g)
	})
	return g, err
}

// Change changes a registration: change gets it as it is, and changes all but domain, id and times.
// It is fail.NotFound when there is none, and fail.Invalid when something of it cannot be meant.
func (rs *Registry) Change(ctx context.Context, domain, id string, change func(*Registration) error) (g Registration,
	err error) {
	err = rs.update(ctx, func(tx *store.Tx) error {
		old, there, err := rs.find(ctx, tx, strings.ToLower(domain), id)
		switch {
		case err != nil:
			return err
		case !there:
			return noRequester(domain, id)
		}
		g = old
		if err := change(&g); err != nil {
			return err
		}
		g.Domain, g.ID, g.Created, g.Changed = old.Domain, old.ID, old.Created, rs.moment()
		if g, err = checkRegistration(g); err != nil {
			return err
		}
		return rs.put(ctx, tx, g)
	})
	return g, err
}

func noRequester(domain, id string) error {
	return fail.New(fail.NotFound, "there is no requester %s/%s; `frontdesk ramp requester list` shows those there are",
		clip(domain), clip(id))
}

// SetStatus makes a registration Active, Suspended or Removed. It is fail.NotFound when there is
// none.
func (rs *Registry) SetStatus(ctx context.Context, domain, id, status string) (Registration, error) {
	return rs.Change(ctx, domain, id, func(g *Registration) error {
		g.Status = status
		return nil
	})
}

// Get gives a registration. It is fail.NotFound when there is none.
func (rs *Registry) Get(ctx context.Context, domain, id string) (g Registration, err error) {
	err = rs.config.DB.View(ctx, func(tx *store.Tx) error {
		var there bool
		if g, there, err = rs.find(ctx, tx, strings.ToLower(domain), id); err == nil && !there {
			err = noRequester(domain, id)
		}
		return err
	})
	return g, err
}

// Page gives registrations by domain and id: those whose domains begin with a text, behind one that
// Registration.Account names, and at most so many.
func (rs *Registry) Page(ctx context.Context, begins, after string, limit int) (all []Registration, err error) {
	domain, id, _ := strings.Cut(after, "/")
	begins = strings.ToLower(begins)
	return store.List(ctx, rs.config.DB, `SELECT `+requesterColumns+` FROM requester_party WHERE domain >= $1 AND domain < $2 AND (domain > $3 OR id > $4) AND state <> 'removed'
			ORDER BY domain, id LIMIT $5`, func(row store.Scanner) (Registration, error) {
		g, _, err := scanRegistration(row)
		return g, err
	}, max(begins, domain), begins+"\U0010ffff", domain, id, limit)
}

// List gives all registrations by domain and id: of one domain, or of all for "".
func (rs *Registry) List(ctx context.Context, domain string) ([]Registration, error) {
	rs.reload(ctx)
	if err := rs.look(ctx, rowsFresh); err != nil {
		return nil, err
	}
	var domains []string
	rs.mu.RLock()
	for d := range rs.parties {
		if domain == "" || d == strings.ToLower(domain) {
			domains = append(domains, d)
		}
	}
	rs.mu.RUnlock()
	slices.Sort(domains)
	var all []Registration
	for _, d := range domains {
		all = append(all, rs.ofDomain(d)...)
	}
	return all, nil
}

const (
	maxRequesterID = 128
	maxAccount     = 240 // domain and id together, which are the party of ledger entries
	maxGranted     = 64
)

var alphaTwo = regexp.MustCompile(`^[A-Z]{2}$`)

// checkRegistration gives a registration in its normal form, or says what of it cannot be meant.
func checkRegistration(g Registration) (Registration, error) {
	id := g.ID
	if id == EveryID {
		id = "every"
	}
	var err error
	if g.Domain, err = parseRequester(g.Domain, id); err != nil {
		return g, err
	}
	g.Scopes, g.Country = NormalScopes(g.Scopes), strings.ToUpper(g.Country)
	for _, scope := range g.Scopes {
		if !identity.Visible(scope) {
			return g,
				fail.New(fail.Invalid, "%q is no scope; write visible ASCII characters without blanks, such as "+
					"news:read", clip(scope))
		}
	}
	switch {
	case len(g.Scopes) > maxGranted:
		return g, fail.New(fail.Invalid, "%d scopes are too many; grant up to %d, with * for what belongs together",
			len(g.Scopes), maxGranted)
	case len(g.Keys) > maxAgentKeys:
		return g, fail.New(fail.Invalid, "%d keys are too many; a requester has up to %d", len(g.Keys), maxAgentKeys)
	case g.UserCategory != "" && !slices.Contains(UserCategories, g.UserCategory):
		return g, fail.New(fail.Invalid, "%q is no category of users; there are %s", clip(g.UserCategory),
			strings.Join(UserCategories, ", "))
	case g.Country != "" && !alphaTwo.MatchString(g.Country):
		return g, fail.New(fail.Invalid, "%q is no country; write two letters, like FR", clip(g.Country))
	case !slices.Contains([]string{Active, Suspended, Removed}, g.Status):
		return g, fail.New(fail.Invalid, "%q is no state of a requester; there are active and suspended",
			clip(g.Status))
	}
	for _, k := range g.Keys {
		if len(k.Public) != ed25519.PublicKeySize || k.ID != "" && !identity.Visible(k.ID) || !k.Until.IsZero() &&
			!k.Until.After(k.From) {
			return g,
				fail.New(fail.Invalid, "a key is no Ed25519 key, has a name with blanks, or would end before it begins")
		}
	}
	return g, nil
}

// parseRequester gives the domain of a requester in its normal form, or says what keeps domain and
// id from being those of one.
func parseRequester(domain, id string) (string, error) {
	domain, err := identity.ParseDomain(domain)
	switch {
	case err != nil:
		return "", err
	case id == "" || len(id) > maxRequesterID || id == EveryID || !utf8.ValidString(id) ||
		strings.TrimSpace(id) != id || strings.ContainsFunc(id, unicode.IsControl):
		return "",
			fail.New(fail.Invalid, "%q is no id of a requester; write 1 to %d bytes without control characters, and "+
				"no blanks at its ends", clip(id), maxRequesterID)
	case len(domain)+len(id) > maxAccount:
		return "",
			fail.New(fail.Invalid, "domain and id of a requester have more than %d bytes together; choose a shorter id",
				maxAccount)
	}
	return domain, nil
}

// KeyNames are the thumbprints (RFC 7638) of the keys that the operator was given.
func (g Registration) KeyNames() []string {
	var names []string
	for _, k := range g.Keys {
		names = append(names, botauth.Thumbprint(k.Public))
	}
	return names
}
