package requesters

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"time"

	"frontdesk/biscuit"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// delegationTables are those of what is known of delegations: blocks of tokens that the operator
// revoked, by their revocation ids, and keys that principals published, with when they were last
// seen to.
const delegationTables = `
CREATE TABLE requester_revoked (
	id      {{bytes}} NOT NULL PRIMARY KEY,
	note    TEXT NOT NULL,
	revoked BIGINT NOT NULL,
	version BIGINT NOT NULL
);
CREATE INDEX requester_revoked_version ON requester_revoked (version);
CREATE TABLE requester_former_key (
	domain     {{text}} NOT NULL,
	public_key {{bytes}} NOT NULL,
	seen       BIGINT NOT NULL,
	PRIMARY KEY (domain, public_key)
) {{clustered}};
CREATE INDEX requester_former_key_seen ON requester_former_key (seen);
`

// DefaultKeyGrace is how long tokens count whose principal publishes their key no more.
const DefaultKeyGrace = 24 * time.Hour

// readToken is a token whose signatures verify, and what it says: nothing of it is read again for
// the next request.
type readToken struct {
	verified *biscuit.Verified
	grants   *biscuit.Grants
	size     int
}

// readTokens are tokens that were verified lately, by the hash of their text: two generations of
// them, of which the older goes when the younger is full.
type readTokens struct {
	mu         sync.Mutex
	young, old map[[sha256.Size]byte]*readToken
	size       int // of the text of the young
}

const (
	maxReadTokens  = 2048    // of a generation
	readTokenBytes = 4 << 20 // of their texts
)

func (c *readTokens) find(sum [sha256.Size]byte) *readToken {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.young[sum]; t != nil {
		return t
	}
	t := c.old[sum]
	if t != nil {
		c.keep(sum, t)
	}
	return t
}

func (c *readTokens) add(sum [sha256.Size]byte, t *readToken) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(sum, t)
}

// keep is add for who holds the lock.
func (c *readTokens) keep(sum [sha256.Size]byte, t *readToken) {
	if c.young == nil || len(c.young) >= maxReadTokens || c.size+t.size > readTokenBytes {
		c.old, c.young, c.size = c.young, map[[sha256.Size]byte]*readToken{}, 0
	}
	if c.young[sum] == nil {
		c.size += t.size
	}
	c.young[sum] = t
}

// verified gives the token of a delegation, if a key of its principal signed it: of those that the
// operator was given for it, or else of those that its domain publishes, or published until a
// moment ago.
func (rs *Registry) verified(ctx context.Context, domain string, said *rampv1.Delegation, principal Registration,
	may func() error) (*readToken, error) {
	sum := sha256.Sum256([]byte(said.GetToken()))
	known := rs.tokens.find(sum)
	var parsed *biscuit.Token
	if known == nil {
		var err error
		if parsed, err = biscuit.ParseText(said.GetToken()); err != nil {
			return nil, refusedDelegation("its token cannot be read: %v", err)
		}
	}
	// by tries keys that are good for the token.
	by := func(keys []ed25519.PublicKey) (*readToken, error) {
		if known != nil {
			if root := known.verified.Root(); root.Algorithm() == biscuit.Ed25519 &&
				slices.ContainsFunc(keys, func(k ed25519.PublicKey) bool { return string(k) == string(root.Bytes()) }) {
				return known, nil
			}
			if parsed == nil {
				parsed = known.verified.Token
			}
		}
		err := error(refusedDelegation("no key of the principal's domain %s is good now", domain))
		for _, key := range keys {
			var verified *biscuit.Verified
			if verified, err = verifyUnder(parsed, key); err != nil {
				continue
			}
			grants, err := verified.Grants()
			if err != nil {
				return nil, refusedDelegation("%v", err)
			}
			t := &readToken{verified, grants, len(said.GetToken())}
			rs.tokens.add(sum, t)
			return t, nil
		}
		return nil, err
	}
	t, err := rs.underKeys(ctx, domain, said.GetPrincipalId(), principal.Keys, may, by)
	if errors.Is(err, biscuit.ErrSignature) {
		return nil, refusedDelegation("%v; it has to be signed with a key that %s publishes", err, domain)
	}
	return t, err
}

func verifyUnder(token *biscuit.Token, key ed25519.PublicKey) (*biscuit.Verified, error) {
	root, err := biscuit.NewPublicKey(biscuit.Ed25519, key)
	if err != nil {
		return nil, err
	}
	return token.Verify(root)
}

// underKeys calls by with the keys of a principal until it is content: with own, or else with what
// the domain publishes.
func (rs *Registry) underKeys(ctx context.Context, domain, id string, own []ramp.Key, may func() error,
	by func([]ed25519.PublicKey) (*readToken, error)) (*readToken, error) {
	now := rs.config.Now()
	if len(own) > 0 {
		return by(rs.goodFor(own, now))
	}
	var before *agent
	var failed error
	for _, again := range []bool{false, true} {
		published, err := rs.agents.find(ctx, domain, again, may)
		if err == nil {
			err = published.vouches(domain, id)
		}
		if refused := (*fail.Error)(nil); errors.As(err, &refused) && refused.Code == fail.Unauthorized {
			err = refusedDelegation("its principal: %s", refused.Detail).Wrap(err)
		}
		if err != nil {
			return nil, err
		}
		if published == before {
			break
		}
		t, err := by(rs.goodFor(published.keys, now))
		if err == nil {
			rs.noteKeys(ctx, domain, published)
			return t, nil
		}
		before, failed = published, err
	}
	former, err := rs.formerKeys(ctx, domain, now)
	if err != nil {
		return nil, err
	}
	if len(former) == 0 {
		return nil, failed
	}
	return by(former)
}

// goodFor are the keys that tokens may be signed with: those that are good, and those that were
// until a moment ago, which a token that was made then still has.
func (rs *Registry) goodFor(keys []ramp.Key, now time.Time) (good []ed25519.PublicKey) {
	for _, k := range keys {
		if !k.Until.IsZero() {
			k.Until = k.Until.Add(rs.config.KeyGrace)
		}
		if k.Good(now) {
			good = append(good, k.Public)
		}
	}
	return good
}

// noteKeys keeps which keys a domain publishes, so that they count for a while when they are
// published no more. It is done once for each document; that it cannot be done refuses nobody, and
// it is tried with the next document.
func (rs *Registry) noteKeys(ctx context.Context, domain string, published *agent) {
	rs.mu.Lock()
	noted := rs.noted[domain] == published
	if len(rs.noted) >= maxAgents {
		clear(rs.noted)
	}
	rs.noted[domain] = published
	rs.mu.Unlock()
	if noted {
		return
	}
	now := rs.config.Now()
	_ = rs.config.DB.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		for _, key := range published.keys {
			if !key.Good(now) {
				continue
			}
			if _, err := tx.Exec(ctx, `INSERT INTO requester_former_key (domain, public_key, seen) VALUES ($1, $2, $3)
				ON CONFLICT (domain, public_key) DO UPDATE SET seen = excluded.seen`, domain, []byte(key.Public), store.Micros(published.got)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `DELETE FROM requester_former_key WHERE seen < $1`, store.Micros(now.Add(-rs.config.KeyGrace-agentMost)))
		return err
	})
}

// formerKeys are those that a domain published until a moment ago.
func (rs *Registry) formerKeys(ctx context.Context, domain string, now time.Time) (keys []ed25519.PublicKey,
	err error) {
	return store.List(ctx, rs.config.DB, `SELECT public_key FROM requester_former_key WHERE domain = $1 AND seen >= $2 ORDER BY seen DESC LIMIT $3`,
		func(row store.Scanner) (key ed25519.PublicKey, err error) {
			err = row.Scan((*[]byte)(&key))
			return key, err
		}, domain, store.Micros(now.Add(-rs.config.KeyGrace)), maxAgentKeys)
}
