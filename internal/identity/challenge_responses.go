package identity

import (
	"context"
	"crypto/subtle"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// ChallengeResponseSchema is the table of the tokens with which this front desk answers challenges
// of its domains. Times are microseconds.
var ChallengeResponseSchema = store.Schema{
	ID: "answer",
	Steps: []string{`
CREATE TABLE answer_token (
	domain {{text}} NOT NULL,
	token  {{text}} NOT NULL,
	ends   BIGINT NOT NULL,
	PRIMARY KEY (domain, token)
);
`},
}

// The bounds of the tokens with which a front desk answers.
const (
	ChallengeResponseLife = time.Hour // for which one is answered at the most
	MaxChallengeResponses = 100       // of all domains, that have not ended
	minAnswer             = 8
	maxAnswer             = 256
)

// ChallengeResponses are the tokens with which this front desk answers others' challenges of its
// domains (RAMP v1, domain verification).
type ChallengeResponses struct {
	db  *store.DB
	now func() time.Time

	mu     sync.Mutex
	looked time.Time
	known  []ChallengeResponse
}

// ChallengeResponse is a token that a domain answers with until it ends.
type ChallengeResponse struct {
	Domain, Token string
	Ends          time.Time
}

// NewChallengeResponses gives the tokens of a database that has AnswerSchema.
func NewChallengeResponses(db *store.DB, now func() time.Time) *ChallengeResponses {
	return &ChallengeResponses{db: db, now: now}
}

// Put has a token be answered at a domain until it ends. The error is fail.Invalid for what is no
// token, ends too late, or is one too many.
func (a *ChallengeResponses) Put(ctx context.Context, one ChallengeResponse) error {
	now := a.now()
	switch {
	case len(one.Token) < minAnswer || len(one.Token) > maxAnswer ||
		strings.Trim(one.Token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~=+") != "" ||
		strings.Trim(one.Token, ".") == "":
		return fail.New(fail.Invalid, "this is no token; it has 8 to 256 letters, digits, and -_.~=+")
	case !now.Before(one.Ends) || one.Ends.Sub(now) > ChallengeResponseLife:
		return fail.New(fail.Invalid, "a token is answered for an hour at the most; say when it ends within that")
	}
	err := a.db.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM answer_token WHERE ends <= $1`, store.Micros(now)); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM answer_token`).Scan(&n); err != nil {
			return err
		}
		if n >= MaxChallengeResponses {
			return fail.New(fail.Invalid, "%d tokens are answered, and there may be no more; take some back, or wait "+
				"until they end", n)
		}
		_, err := tx.Exec(ctx, `INSERT INTO answer_token (domain, token, ends) VALUES ($1, $2, $3) ON CONFLICT (domain, token) DO UPDATE SET ends = EXCLUDED.ends`,
			one.Domain, one.Token, store.Micros(one.Ends))
		return err
	})
	a.forget()
	return err
}

// Remove has a token of a domain not be answered any more; there need be none.
func (a *ChallengeResponses) Remove(ctx context.Context, domain, token string) error {
	err := a.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM answer_token WHERE domain = $1 AND token = $2`, domain, token)
		return err
	})
	a.forget()
	return err
}

func (a *ChallengeResponses) forget() {
	a.mu.Lock()
	a.looked = time.Time{}
	a.mu.Unlock()
}

// List gives the tokens that are answered.
func (a *ChallengeResponses) List(ctx context.Context) (all []ChallengeResponse, err error) {
	now := store.Micros(a.now())
	return store.List(ctx, a.db, `SELECT domain, token, ends FROM answer_token WHERE ends > $1 ORDER BY domain, token`,
		func(row store.Scanner) (one ChallengeResponse, err error) {
			err = row.Scan(&one.Domain, &one.Token, &one.Ends)
			return one, err
		}, now)
}

// Has says whether a domain answers with a token now. It takes the same time whether or not there
// is one that begins alike. Where it cannot be told, it does not.
func (a *ChallengeResponses) Has(ctx context.Context, domain, token string) bool {
	if len(token) < minAnswer || len(token) > maxAnswer {
		return false
	}
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if since := now.Sub(a.looked); since >= keyFresh || since < 0 {
		all, err := a.List(ctx)
		if err != nil {
			return false
		}
		a.known, a.looked = all, now
	}
	found := 0
	for _, one := range a.known {
		if one.Domain == domain && now.Before(one.Ends) {
			found |= subtle.ConstantTimeCompare([]byte(one.Token), []byte(token))
		}
	}
	return found == 1
}
