package identity

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// EdgeSchema is the table of the keys with which edges sign what they tell of their deliveries. Of
// a key the table holds what the secret of the folder of secrets seals. Times are microseconds, 0
// for never.
var EdgeSchema = store.Schema{
	ID: "edge",
	Steps: []string{`
CREATE TABLE edge_key (
	id      {{text}} NOT NULL PRIMARY KEY,
	name    TEXT NOT NULL,
	sites   TEXT NOT NULL,
	created BIGINT NOT NULL,
	revoked BIGINT NOT NULL,
	sealed  {{bytes}} NOT NULL
);
`},
}

// EdgeKey is a key with which an edge signs its batches ([edge.Batch]), in the form of Standard
// Webhooks. An edge may have several that are good at once, so that one can follow another.
type EdgeKey struct {
	ID      string    // by which commands name it
	Edge    string    // the edge's name: small letters, digits and "-"
	Sites   []string  // the ids of the sites whose content it delivers, at least one
	Created time.Time // UTC
	Ends    time.Time // when it ended, or will; zero for no end

	secret sign.WebhookSecret
}

// State is "active" at a time, or "revoked".
func (k EdgeKey) State(now time.Time) string {
	if k.Ends.IsZero() || now.Before(k.Ends) {
		return "active"
	}
	return "revoked"
}

// Sign is the signature of a message to the edge, as [sign.WebhookSecret.Sign] makes it. The key is
// one that Verify gave.
func (k EdgeKey) Sign(id string, at time.Time, body []byte) string {
	return k.secret.Sign(id, at, body)
}

// EdgeKeys are the keys of edges. Several processes may share the database and the folder of
// secrets: what one does to a key holds in the others within a second. Its methods may be called
// concurrently.
type EdgeKeys struct {
	teller[EdgeKey]
	vault vault
	db    *store.DB
	now   func() time.Time
	known recent[knownEdge] // by id
}

// knownEdge is a key that is good, or that there is none.
type knownEdge struct {
	key  EdgeKey
	good bool
}

// edgeSecret is the name of the secret, in the folder of secrets, that seals edges' keys.
const edgeSecret = "edges"

// NewEdgeKeys makes the keys of a database that has EdgeSchema, sealed with a secret in the folder
// of secrets, which the first key makes. A nil clock is time.Now.
func NewEdgeKeys(db *store.DB, folder string, now func() time.Time) *EdgeKeys {
	if now == nil {
		now = time.Now
	}
	return &EdgeKeys{vault: vault{folder: folder, name: edgeSecret, opens: "the keys of edges"}, db: db, now: now}
}

var edgeName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// Issue makes a key for an edge, and gives its secret, which cannot be had again. It is
// fail.Invalid for a name that is none, without a site, and for an edge whose other keys are for
// other sites.
func (e *EdgeKeys) Issue(ctx context.Context, name string, sites []string) (made EdgeKey, secret sign.WebhookSecret,
	err error) {
	sites = slices.Compact(slices.Sorted(slices.Values(sites)))
	switch {
	case !edgeName.MatchString(name):
		return made, nil,
			fail.New(fail.Invalid, "%q is no name of an edge; use 1 to 63 small letters, digits and hyphens", name)
	case len(sites) == 0 || slices.Contains(sites, ""):
		return made, nil, fail.New(fail.Invalid, "say whose content the edge delivers: the id of a site")
	}
	all, err := e.List(ctx)
	if err != nil {
		return made, nil, err
	}
	active := slices.DeleteFunc(all, func(k EdgeKey) bool { return k.State(e.now()) != "active" })
	if other := slices.IndexFunc(active, func(k EdgeKey) bool {
		return k.Edge == name && !slices.Equal(k.Sites, sites)
	}); other >= 0 {
		return made, nil,
			fail.New(fail.Invalid, "the key %s of this edge is for %s; give this one the same sites, or revoke that "+
				"one first", active[other].ID, strings.Join(active[other].Sites, ", "))
	}
	seal, err := e.vault.sealer(len(active) == 0)
	if err != nil {
		return made, nil, err
	}
	secret = make([]byte, secretSize)
	rand.Read(secret)
	made = EdgeKey{ID: "edg_" + strings.ToLower(rand.Text()[:12]), Edge: name, Sites: sites,
		Created: e.now().UTC().Truncate(time.Microsecond), secret: secret}
	err = e.db.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO edge_key (id, name, sites, created, revoked, sealed) VALUES ($1, $2, $3, $4, 0, $5)`,
			made.ID, made.Edge, strings.Join(made.Sites, " "), store.Micros(made.Created),
			seal.Seal(nil, nil, secret, made.bound())); err != nil {
			return err
		}
		return e.tell(ctx, tx, made)
	})
	e.known.forgetAll()
	return made, secret, err
}

// bound is what a sealed key is bound to, so that a row that somebody has changed in the database
// signs nothing.
func (k EdgeKey) bound() []byte {
	return []byte(k.ID + "\x00" + k.Edge + "\x00" + strings.Join(k.Sites, " "))
}

const edgeColumns = `id, name, sites, created, revoked, sealed`

func scanEdge(row store.Scanner) (k EdgeKey, sealed []byte, err error) {
	var sites string
	err = row.Scan(&k.ID, &k.Edge, &sites, &k.Created, &k.Ends, &sealed)
	k.Sites = strings.Fields(sites)
	return k, sealed, err
}

// List gives all keys, the oldest first.
func (e *EdgeKeys) List(ctx context.Context) ([]EdgeKey, error) {
	return list(ctx, e.db, `SELECT `+edgeColumns+` FROM edge_key ORDER BY created, id`, scanEdge)
}

// Revoke ends a key at once. It is fail.NotFound when there is none of that id.
func (e *EdgeKeys) Revoke(ctx context.Context, id string) (EdgeKey, error) {
	return e.end(ctx, id, 0)
}

// Rotate makes a key for the edge of another, and gives its secret; the old one ends after overlap,
// if not before. It is fail.NotFound when there is none of that id, and fail.Invalid when it has
// ended.
func (e *EdgeKeys) Rotate(ctx context.Context, id string, overlap time.Duration) (made EdgeKey,
	secret sign.WebhookSecret, err error) {
	all, err := e.List(ctx)
	if err != nil {
		return made, nil, err
	}
	at := slices.IndexFunc(all, func(k EdgeKey) bool { return k.ID == id })
	switch {
	case at < 0:
		return made, nil, noPlatformKey(id)
	case all[at].State(e.now()) != "active":
		return made, nil, fail.New(fail.Invalid, "the key %s is revoked; issue one instead of rotating it", id)
	}
	if made, secret, err = e.Issue(ctx, all[at].Edge, all[at].Sites); err == nil {
		_, err = e.end(ctx, id, overlap)
	}
	return made, secret, err
}

// end has a key end after a span, if not before.
func (e *EdgeKeys) end(ctx context.Context, id string, after time.Duration) (key EdgeKey, err error) {
	err = e.db.Update(ctx, func(tx *store.Tx) (err error) {
		key, _, err = scanEdge(tx.QueryRow(ctx, `SELECT `+edgeColumns+` FROM edge_key WHERE id = $1`, id))
		if errors.Is(err, sql.ErrNoRows) {
			return noPlatformKey(id)
		}
		end := e.now().UTC().Truncate(time.Microsecond).Add(after)
		if err != nil || !key.Ends.IsZero() && !end.Before(key.Ends) {
			return err
		}
		key.Ends = end
		if _, err = tx.Exec(ctx, `UPDATE edge_key SET revoked = $1 WHERE id = $2`, store.Micros(end), id); err != nil {
			return err
		}
		return e.tell(ctx, tx, key)
	})
	e.known.forgetAll()
	return key, err
}

// SignedMessage is a message with the signature of an edge.
type SignedMessage struct {
	Key                      string // the id of its key ([edge.KeyHeader])
	ID, Timestamp, Signature string // of Standard Webhooks
	Body                     []byte
}

// Has says whether there is a key of an id that is good. The error is fail.Unavailable where that
// cannot be told.
func (e *EdgeKeys) Has(ctx context.Context, id string) (bool, error) {
	_, good, err := e.find(ctx, id)
	return good, err
}

// Verify gives the key of an edge that has signed a message. The error is fail.Unauthorized where
// it has not, with [sign.ErrWebhookTime] in it where the message is signed rightly and at another
// time, and fail.Unavailable where that cannot be told.
func (e *EdgeKeys) Verify(ctx context.Context, m SignedMessage) (EdgeKey, error) {
	key, good, err := e.find(ctx, m.Key)
	if err != nil {
		return EdgeKey{}, err
	}
	err = sign.ErrWebhookSignature
	if good {
		err = key.secret.Verify(m.ID, m.Timestamp, m.Signature, m.Body, e.now(), edge.Apart)
	}
	if err != nil {
		return EdgeKey{}, fail.New(fail.Unauthorized, "%v", err).Wrap(err)
	}
	return key, nil
}

// find gives the key of an id; good is false where there is none, or it was revoked. What it read
// holds for a second.
func (e *EdgeKeys) find(ctx context.Context, id string) (key EdgeKey, good bool, err error) {
	if !Visible(id) {
		return key, false, nil
	}
	found, err := e.known.get(id, e.now(), func() (knownEdge, error) {
		return store.Get(ctx, e.db, func(tx *store.Tx) (k knownEdge, err error) {
			k.key, k.good, err = e.read(ctx, tx, id)
			return k, err
		})
	})
	if err != nil {
		return key, false, fail.New(fail.Unavailable, "keys cannot be looked up at the moment; try again").
			After(5 * time.Second).Wrap(err)
	}
	return found.key, found.good, nil
}

func (e *EdgeKeys) read(ctx context.Context, tx *store.Tx, id string) (key EdgeKey, good bool, err error) {
	key, sealed, err := scanEdge(tx.QueryRow(ctx, `SELECT `+edgeColumns+` FROM edge_key WHERE id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) || err == nil && key.State(e.now()) != "active" {
		return EdgeKey{}, false, nil
	}
	if err != nil {
		return EdgeKey{}, false, err
	}
	seal, err := e.vault.sealer(false)
	if err != nil {
		return EdgeKey{}, false, err
	}
	if key.secret, err = seal.Open(nil, nil, sealed, key.bound()); err != nil {
		return EdgeKey{}, false,
			fmt.Errorf("the key %s of an edge cannot be opened: the file %s in the folder of secrets is another than "+
				"the one that sealed it, or the row was changed; "+
				"put the file back from a backup, or revoke the key and issue another", key.ID, edgeSecret)
	}
	return key, true, nil
}
