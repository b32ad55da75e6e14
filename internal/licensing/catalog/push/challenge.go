package push

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// The bounds of challenges (RAMP v1, domain verification). What was used counts until it would have
// ended, so that they bound how often a domain is asked, too.
const (
	ChallengeLife          = 10 * time.Minute
	MaxChallengesPerDomain = 10  // that have not ended
	MaxChallengesPerCaller = 100 // that have not ended
	ChallengeRetention     = 30 * 24 * time.Hour
	challengeTokenBytes    = 32
	challengesSweptOnce    = 5000
	maxChallengesListed    = 1000
)

// Challenge is a token that proves a tenant's control of a domain: the provider publishes it at a
// fixed address (RAMP v1, Domain Verification).
type Challenge struct {
	Domain, Caller, Tenant string
	Hash                   string // SHA-256 of the token, in hex
	Created, Ends          time.Time
	Used                   time.Time // zero for one that is not
	// Outcome is "verified", or one word for why not, of one that was used; empty while that is
	// being looked at, and where that broke off.
	Outcome string
}

// State is "open", "over" or "used", or the outcome.
func (c Challenge) State(now time.Time) string {
	switch {
	case c.Outcome != "":
		return c.Outcome
	case !c.Used.IsZero():
		return "used"
	case !now.Before(c.Ends):
		return "over"
	}
	return "open"
}

// Why a token proves nothing.
var (
	ErrNoChallenge   = errors.New("there is no such challenge")
	ErrChallengeUsed = errors.New("the challenge was used")
	ErrChallengeOver = errors.New("the challenge is over")
)

// Challenges are the challenges of a database. Its methods may be called concurrently.
type Challenges struct {
	db  *store.DB // with Schema
	now func() time.Time
}

// Issue makes a challenge, and gives its token: 256 random bits. The error is fail.Limited where
// there are too many of the domain or the caller.
func (c *Challenges) Issue(ctx context.Context, domain, caller, tenant string) (token string, ends time.Time,
	err error) {
	random := make([]byte, challengeTokenBytes)
	rand.Read(random)
	token = base64.RawURLEncoding.EncodeToString(random)
	now := c.now().UTC().Truncate(time.Microsecond)
	ends = now.Add(ChallengeLife)
	err = c.db.Update(ctx, func(tx *store.Tx) error {
		if err := fewChallenges(ctx, tx, domain, caller, now); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO supply_challenge (hash, domain, caller, tenant, created, ends, used, outcome) VALUES ($1, $2, $3, $4, $5, $6, 0, '')`,
			tokenHash(token), domain, caller, tenant, store.Micros(now), store.Micros(ends))
		return err
	})
	return token, ends, err
}

// fewChallenges refuses a challenge beyond those that there may be.
func fewChallenges(ctx context.Context, tx *store.Tx, domain, caller string, now time.Time) error {
	for _, of := range []struct {
		query, value, name string
		most               int
	}{
		{`SELECT COUNT(*), COALESCE(MIN(ends), 0) FROM supply_challenge WHERE domain = $1 AND ends > $2`, domain, "the domain " + domain, MaxChallengesPerDomain},
		{`SELECT COUNT(*), COALESCE(MIN(ends), 0) FROM supply_challenge WHERE caller = $1 AND ends > $2`, caller, "your caller", MaxChallengesPerCaller},
	} {
		var n int
		var next int64
		if err := tx.QueryRow(ctx, of.query, of.value, store.Micros(now)).Scan(&n, &next); err != nil {
			return err
		}
		if n >= of.most {
			return fail.New(fail.Limited, "%s has had %d challenges in ten minutes, and may have no more until one "+
				"of them ends; use one that you have, or come back later", of.name, n).
				After(store.FromMicros(next).Sub(now))
		}
	}
	return nil
}

func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func scanChallenge(row store.Scanner) (c Challenge, err error) {
	err = row.Scan(&c.Hash, &c.Domain, &c.Caller, &c.Tenant, &c.Created, &c.Ends, &c.Used, &c.Outcome)
	return c, err
}

// Use uses a challenge up: of many who try at once one succeeds. The error is ErrNoChallenge where
// there is none with this token of the caller's for the domain, ErrChallengeUsed or
// ErrChallengeOver.
func (c *Challenges) Use(ctx context.Context, token, domain, caller string) (used Challenge, err error) {
	now := c.now().UTC().Truncate(time.Microsecond)
	hash := tokenHash(token)
	err = c.db.Update(ctx, func(tx *store.Tx) error {
		used, err = scanChallenge(tx.QueryRow(ctx, `SELECT hash, domain, caller, tenant, created, ends, used, outcome FROM supply_challenge WHERE hash = $1`, hash))
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && (used.Domain != domain || used.Caller != caller):
			return ErrNoChallenge
		case err != nil:
			return err
		case !used.Used.IsZero():
			return ErrChallengeUsed
		case !now.Before(used.Ends):
			return ErrChallengeOver
		}
		used.Used = now
		n, err := tx.Exec(ctx, `UPDATE supply_challenge SET used = $1 WHERE hash = $2 AND used = 0`, store.Micros(now), hash)
		if err == nil && n != 1 {
			err = ErrChallengeUsed
		}
		return err
	})
	return used, err
}

// List gives the last challenges, of a domain or of all, the last first, at most so many, and no
// more than 1000.
func (c *Challenges) List(ctx context.Context, domain string, limit int) (all []Challenge, err error) {
	query, args := `SELECT hash, domain, caller, tenant, created, ends, used, outcome FROM supply_challenge ORDER BY created DESC, hash LIMIT $1`, []any{min(limit, maxChallengesListed)}
	if domain != "" {
		query = `SELECT hash, domain, caller, tenant, created, ends, used, outcome FROM supply_challenge WHERE domain = $1 ORDER BY created DESC, hash LIMIT $2`
		args = []any{domain, min(limit, maxChallengesListed)}
	}
	return store.List(ctx, c.db, query, scanChallenge, args...)
}

// Open counts the challenges that are open, by domain.
func (c *Challenges) Open(ctx context.Context) (open map[string]int, err error) {
	now := store.Micros(c.now())
	err = c.db.View(ctx, func(tx *store.Tx) error {
		open = map[string]int{}
		return tx.Each(ctx, `SELECT domain, COUNT(*) FROM supply_challenge WHERE used = 0 AND ends > $1 GROUP BY domain`,
			func(row store.Scanner) error {
				var domain string
				var n int
				err := row.Scan(&domain, &n)
				open[domain] = n
				return err
			}, now)
	})
	return open, err
}

// Sweep deletes challenges that ended long ago.
func (c *Challenges) Sweep(ctx context.Context) error {
	before := store.Micros(c.now().Add(-ChallengeRetention))
	for {
		var swept int64
		err := c.db.Update(ctx, func(tx *store.Tx) (err error) {
			swept, err = tx.Exec(ctx, `DELETE FROM supply_challenge WHERE hash IN (SELECT hash FROM supply_challenge WHERE ends < $1 LIMIT $2)`, before, challengesSweptOnce)
			return err
		})
		if err != nil || swept < challengesSweptOnce {
			return err
		}
	}
}
