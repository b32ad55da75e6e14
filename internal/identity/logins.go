package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// LoginSchema is the tables of people at the owner's console: their sessions, by the SHA-256 of
// what their browsers keep; the links by which people come in, by that of their codes; and what
// people said of themselves. Times are microseconds.
var LoginSchema = store.Schema{
	ID: "login",
	Steps: []string{`
CREATE TABLE login_session (
	id    {{bytes}} NOT NULL PRIMARY KEY,
	token {{text}} NOT NULL,
	until BIGINT NOT NULL
);
CREATE INDEX login_session_until ON login_session (until);
`, `
CREATE TABLE login_link (
	id      {{bytes}} NOT NULL PRIMARY KEY,
	role    {{text}} NOT NULL,
	first   BIGINT NOT NULL,
	until   BIGINT NOT NULL,
	browser {{bytes}} NOT NULL
);
CREATE TABLE login_person (
	token {{text}} NOT NULL PRIMARY KEY,
	zone  TEXT NOT NULL
);
`, `
ALTER TABLE login_link ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE login_link ADD COLUMN made BIGINT NOT NULL DEFAULT 0;
`},
}

// consoleScope begins the scope of a key that opens the console and nothing else.
const consoleScope = "console:"

// ConsoleScopes are the scopes of a token that opens the console in a role.
func ConsoleScopes(role string) []string { return []string{consoleScope + role} }

// ConsoleRole is the role in which a key opens the console; empty when it does not. A key that
// opens every door opens this one not: it was given out for questions.
func ConsoleRole(scopes []string) string {
	for _, role := range PersonRoles {
		if slices.Contains(scopes, consoleScope+role) {
			return role
		}
	}
	return ""
}

// Login is somebody who logged in.
type Login struct {
	Key   string // the id of the token
	Name  string // what the owner calls its holder
	Role  string // one of PersonRoles
	Until time.Time
	Zone  *time.Location // in which times are told; never nil
}

// Logins are the sessions of people at the owner's console. They log in with a token, which is an
// API key that opens the console alone; a session ends with its time, with its token, or when its
// holder ends it, in every process that shares the database. Its methods may be called
// concurrently.
type Logins struct {
	db   *store.DB
	keys *Keys
	now  func() time.Time
}

// NewLogins makes the sessions of a database that has LoginSchema. A nil clock is time.Now.
func NewLogins(db *store.DB, keys *Keys, now func() time.Time) *Logins {
	if now == nil {
		now = time.Now
	}
	return &Logins{db: db, keys: keys, now: now}
}

// Begin begins a session with a token, good for a span, and gives the secret by which it is found
// again. It is fail.Unauthorized when the token does not open the console.
func (l *Logins) Begin(ctx context.Context, token string, good time.Duration) (secret string, in Login, err error) {
	party, err := l.keys.verify(ctx, strings.TrimSpace(token))
	if err != nil {
		return "", Login{}, err
	}
	if ConsoleRole(party.Scopes) == "" {
		return "", Login{},
			fail.New(fail.Unauthorized, "this key opens other doors than the console; `frontdesk console token` "+
				"makes one that does")
	}
	err = l.db.Update(ctx, func(tx *store.Tx) error {
		secret, in, err = l.begin(ctx, tx, strings.TrimPrefix(party.ID, "key:"), good)
		if err != nil {
			return err
		}
		in.Name = party.Name
		in.Role, in.Zone, err = person(ctx, tx, in.Key, party.Scopes)
		return err
	})
	return secret, in, err
}

// begin begins a session with the key of an id.
func (l *Logins) begin(
	ctx context.Context, tx *store.Tx, key string, good time.Duration,
) (secret string, in Login, err error) {
	if _, err := tx.Exec(ctx, `DELETE FROM login_session WHERE until <= $1`, store.Micros(l.now())); err != nil {
		return "", Login{}, err
	}
	secret = rand.Text() // 130 random bits
	in = Login{Key: key, Until: l.now().UTC().Add(good).Truncate(time.Microsecond), Zone: time.UTC}
	_, err = tx.Exec(ctx, `INSERT INTO login_session (id, token, until) VALUES ($1, $2, $3)`,
		loginID(secret), in.Key, store.Micros(in.Until))
	return secret, in, err
}

// person gives the role in which a key opens the console, and the zone of its holder. Tokens of
// operators from before there were owners count as those of owners, until the first owner's token
// is made.
func person(
	ctx context.Context, tx *store.Tx, key string, scopes []string,
) (role string, zone *time.Location, err error) {
	if role = ConsoleRole(scopes); role == Operator {
		var owners int
		err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM trust_key WHERE scopes = $1`, consoleScope+Owner).Scan(&owners)
		if err != nil {
			return "", nil, err
		}
		if owners == 0 {
			role = Owner
		}
	}
	var name string
	err = tx.QueryRow(ctx, `SELECT zone FROM login_person WHERE token = $1`, key).Scan(&name)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", nil, err
	}
	if zone, err = time.LoadLocation(name); err != nil {
		zone = time.UTC // a zone that the program knows no more
	}
	return role, zone, nil
}

// Find gives the session of a secret; ok is false when there is none, or it is over, or its token
// opens the console no longer.
func (l *Logins) Find(ctx context.Context, secret string) (in Login, ok bool, err error) {
	var until int64
	err = l.db.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT token, until FROM login_session WHERE id = $1`, loginID(secret)).Scan(&in.Key, &until)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Login{}, false, nil
	}
	if err != nil {
		return Login{}, false, err
	}
	now := l.now()
	if in.Until = store.FromMicros(until); !now.Before(in.Until) {
		return Login{}, false, nil
	}
	found, err := l.keys.find(ctx, in.Key)
	if err != nil || found.key.State(now) != "valid" || ConsoleRole(found.key.Scopes) == "" {
		return Login{}, false, err
	}
	in.Name = found.key.Name
	err = l.db.View(ctx, func(tx *store.Tx) (err error) {
		in.Role, in.Zone, err = person(ctx, tx, in.Key, found.key.Scopes)
		return err
	})
	return in, err == nil, err
}

// End ends the session of a secret, if there is one.
func (l *Logins) End(ctx context.Context, secret string) error {
	return l.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM login_session WHERE id = $1`, loginID(secret))
		return err
	})
}

func loginID(secret string) []byte {
	sum := sha256.Sum256([]byte("login " + secret))
	return sum[:]
}
