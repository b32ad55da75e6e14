package session

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// PromiseSchema is the tables of promises.
//
// promise_job has one row for each promise. Its key is the SHA-256 of its owner and its token, so
// that the table opens nothing to who reads it, and a token that does not exist is looked up like
// one that is another's. holder is for whom the promise counts, and talk the conversation with
// which it is forgotten, NULL for none: both under a hash that only the front desk's secret can
// make. request is who asked and what, encrypted under the secret; seal says which secret that is,
// so that who has another leaves the promise alone. A job is done under a claim, which was made at
// begun, 0 for never, and holds until lease. Times are microseconds, progress is in millionths.
//
// promise_answer has what came of it, compressed and encrypted, and the version of the terms under
// which it was released.
var PromiseSchema = store.Schema{
	ID: "promise",
	Steps: []string{`
CREATE TABLE promise_job (
	key      {{bytes}} NOT NULL PRIMARY KEY,
	holder   {{bytes}} NOT NULL,
	party    TEXT NOT NULL,
	request  {{bytes}} NOT NULL,
	state    BIGINT NOT NULL,
	claim    TEXT NOT NULL DEFAULT '',
	lease    BIGINT NOT NULL DEFAULT 0,
	tries    BIGINT NOT NULL DEFAULT 0,
	progress BIGINT NOT NULL DEFAULT 0,
	ready    BIGINT NOT NULL DEFAULT 0,
	message  TEXT NOT NULL,
	made     BIGINT NOT NULL,
	expires  BIGINT NOT NULL
);
CREATE INDEX promise_job_state ON promise_job (state, made);
CREATE INDEX promise_job_holder ON promise_job (holder, expires);
CREATE INDEX promise_job_expires ON promise_job (expires);

CREATE TABLE promise_answer (
	key    {{bytes}} NOT NULL PRIMARY KEY,
	rules  TEXT NOT NULL,
	answer {{bytes}} NOT NULL
);
`, `
ALTER TABLE promise_job ADD COLUMN talk {{bytes}};
CREATE INDEX promise_job_talk ON promise_job (talk);
`,
		// Questions were kept as they were asked before: those are forgotten.
		`
DROP TABLE promise_answer;
DROP TABLE promise_job;

CREATE TABLE promise_job (
	key      {{bytes}} NOT NULL PRIMARY KEY,
	seal     {{bytes}} NOT NULL,
	holder   {{bytes}} NOT NULL,
	talk     {{bytes}},
	request  {{bytes}} NOT NULL,
	state    BIGINT NOT NULL,
	claim    TEXT NOT NULL,
	lease    BIGINT NOT NULL,
	begun    BIGINT NOT NULL,
	tries    BIGINT NOT NULL,
	progress BIGINT NOT NULL,
	ready    BIGINT NOT NULL,
	message  TEXT NOT NULL,
	made     BIGINT NOT NULL,
	expires  BIGINT NOT NULL
);
CREATE INDEX promise_job_state ON promise_job (state, made);
CREATE INDEX promise_job_holder ON promise_job (holder, begun);
CREATE INDEX promise_job_expires ON promise_job (expires);
CREATE INDEX promise_job_talk ON promise_job (talk);

CREATE TABLE promise_answer (
	key    {{bytes}} NOT NULL PRIMARY KEY,
	rules  TEXT NOT NULL,
	answer {{bytes}} NOT NULL
);
`},
}

// State is how far a promise has come.
type State int

// The states of a promise. The first two can become any other, and a kept one waits again when its
// answer may no longer leave; the last two are final.
const (
	Waiting   State = iota // for a worker
	Running                // under a claim
	Kept                   // there is an answer
	Cancelled              // by its owner
	Broken                 // the work was interrupted too often
)

// PromiseOptions say how promises are kept, and bound what they may cost; every member but Now must
// be set.
type PromiseOptions struct {
	Secret []byte           // of the front desk; nodes that work for each other share it
	Keep   time.Duration    // how long an answer is kept once it is there, and a question until it is worked on
	Each   int              // promises of one holder at a time whose answer is not there yet
	Kept   int              // answers of one holder that are kept at a time before no more are promised
	All    int              // promises of all holders at a time, whatever became of them
	Now    func() time.Time // nil is time.Now
}

// The bounds of one promise.
const (
	// MaxRequest is the most bytes of a recorded request.
	MaxRequest = 2 << 20
	// MaxAnswer is the most bytes of an answer, as it is kept: compressed.
	MaxAnswer = 4 << 20
	// maxUnpacked is the most bytes of an answer as it leaves.
	maxUnpacked = 64 << 20
	// maxTries is how often a job is begun: one that ends its process each time must not do so for
	// ever.
	maxTries = 3
)

// lease is how long a claim holds without being renewed, and RenewEvery how often whoever has it
// renews it.
const (
	lease      = 6 * time.Second
	RenewEvery = time.Second
)

// Promises keeps what was promised: the question, how far the work on it is, and what came of it.
// Any number of processes may share a database: one that claims a job works on it, and every one
// can say how it stands. Its methods may be called from many goroutines.
type Promises struct {
	db      *store.DB
	options PromiseOptions
	now     func() time.Time
	naming  []byte // key under which names are hashed
	sealing seal
	name    []byte // of the seal
}

// NewPromises returns the promises of a database that has PromiseSchema.
func NewPromises(db *store.DB, options PromiseOptions) (*Promises, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	sealing, err := newSeal(options.Secret, "promise")
	if err != nil {
		return nil, err
	}
	return &Promises{
		db: db, options: options, now: options.Now,
		naming: derive(options.Secret, "promise names"), sealing: sealing,
		name: derive(options.Secret, "promise seal")[:8],
	}, nil
}

// hash is a name as it stands in the table.
func (p *Promises) hash(kind string, parts ...string) []byte {
	mac := hmac.New(sha256.New, p.naming)
	mac.Write([]byte(kind))
	for _, part := range parts {
		fmt.Fprintf(mac, " %d %s", len(part), part)
	}
	return mac.Sum(nil)
}

// question is what is kept of who asked what.
type question struct {
	Party   string `json:"party,omitzero"`
	Request []byte `json:"request"`
}

// close encrypts a question for the row of a key.
func (p *Promises) close(key []byte, q question) ([]byte, error) {
	plain, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("keep a question: %w", err)
	}
	return p.sealing.close(plain, append([]byte("question "), key...)), nil
}

// open decrypts what close did.
func (p *Promises) open(key, closed []byte) (q question, err error) {
	plain, ok := p.sealing.open(closed, append([]byte("question "), key...))
	if !ok {
		return q, errors.New("a question that was kept cannot be opened: its row was changed")
	}
	if err := json.Unmarshal(plain, &q); err != nil {
		return q, fmt.Errorf("read a question that was kept: %w", err)
	}
	return q, nil
}

// Asked is what is promised an answer.
type Asked struct {
	Party   string // id of the principal that asks; empty for a stranger, for whom the token is all it takes
	Holder  string // for whom the promise counts; never stored as it is
	Talk    Talk   // with which the promise is forgotten; never stored as it is
	Request []byte // all that is needed to answer, and to go on after a restart
	Message string // for people, until there is progress
	Expect  time.Duration
	Begun   bool // whoever promises works on it already, and gets the job
}

// Talk is a conversation with which promises are forgotten; the zero Talk is none.
type Talk struct {
	Party        string // verified id of who asks; empty for a stranger
	Secret       string // of a stranger's conversation, from its state; without one it is no Talk
	Conversation string // id
}

// talk is under which name a conversation is kept, nil for none.
func (p *Promises) talk(t Talk) []byte {
	switch {
	case t.Conversation == "" || t.Party == "" && t.Secret == "":
		return nil
	case t.Party != "":
		return p.hash("talk of a party", t.Party, t.Conversation)
	}
	return p.hash("talk of a stranger", t.Secret, t.Conversation)
}

// Standing is how a promise stands.
type Standing struct {
	ID       string // as Job.ID
	State    State
	Request  []byte
	Message  string
	Progress float64       // 0 to 1, never less than before
	Left     time.Duration // until the answer is expected; 0 when that is not known
	Answer   []byte        // once Kept
	Rules    string        // the version of the terms under which the answer was released
}

// errUnknown is the answer to every token that is not the caller's, whether it is another's or
// nobody's.
func errUnknown() error {
	return fail.New(fail.UnknownPromise,
		"there is no promise of that token: it is mistyped, too old, or somebody else's; ask the question again")
}

// tokenPrefix begins every token.
const tokenPrefix = "promise_"

// keyOf is under which key a token of a party is kept.
func keyOf(party, token string) []byte {
	sum := sha256.Sum256([]byte("promise\x00" + party + "\x00" + token))
	return sum[:]
}

// Make keeps a promise, and gives its token: 130 random bits, which are kept nowhere. With
// Asked.Begun it gives the job as well. It returns fail.Limited when the holder has too many
// promises, or all together have.
func (p *Promises) Make(ctx context.Context, a Asked) (token string, job *Job, err error) {
	if len(a.Request) > MaxRequest {
		return "", nil, fail.New(fail.TooLarge, "the question is too large to be kept; send less context")
	}
	token = tokenPrefix + rand.Text()
	now := p.now()
	job = &Job{promises: p, key: keyOf(a.Party, token), Party: a.Party, Request: a.Request}
	request, err := p.close(job.key, question{a.Party, a.Request})
	if err != nil {
		return "", nil, err
	}
	state, begun, until := Waiting, time.Time{}, time.Time{}
	if a.Begun {
		state, begun, until, job.claim = Running, now, now.Add(lease), rand.Text()
	}
	holder := p.hash("holder", a.Holder)
	var ready time.Time
	if a.Expect > 0 {
		ready = now.Add(a.Expect)
	}
	err = p.db.Update(ctx, func(tx *store.Tx) error {
		if err := p.room(ctx, tx, holder, now); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO promise_job (key, seal, holder, talk, request, state, claim, lease, begun, tries, progress, ready, message, made, expires)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12, $13, $14)`,
			job.key, p.name, holder, p.talk(a.Talk), request, int(state), job.claim, store.Micros(until),
			store.Micros(begun), b2i(a.Begun), store.Micros(ready),
			a.Message, store.Micros(now), store.Micros(now.Add(p.options.Keep)))
		return err
	})
	if err != nil {
		return "", nil, err
	}
	if !a.Begun {
		job = nil
	}
	return token, job, nil
}

// room says whether there is room for one more promise of a holder.
func (p *Promises) room(ctx context.Context, tx *store.Tx, holder []byte, now time.Time) error {
	var open, kept, all int
	err := tx.QueryRow(ctx, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN holder = $1 AND state < $2 THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN holder = $1 AND state = $2 THEN 1 ELSE 0 END), 0) FROM promise_job WHERE expires > $3`,
		holder, int(Kept), store.Micros(now)).Scan(&all, &open, &kept)
	switch {
	case err != nil:
		return err
	case open >= p.options.Each:
		return p.full("%d answers are promised to you and not there yet, which is as many as one may wait "+
			"for; wait for one, or cancel one", open)
	case kept >= p.options.Kept:
		return p.full("%d answers are kept for you already, which is all that is kept for one; "+
			"come back when one has expired", kept)
	case all >= p.options.All:
		return p.full("too many answers are promised at the moment; come back later")
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *Promises) full(format string, args ...any) error {
	err := fail.New(fail.Limited, format, args...)
	err.RetryAfter = min(p.options.Keep, time.Minute)
	return err
}

// Look says how the promise of a token stands, to the party that it was made to. It returns
// fail.UnknownPromise for every other token.
func (p *Promises) Look(ctx context.Context, party, token string) (Standing, error) {
	var s Standing
	err := p.db.View(ctx, func(tx *store.Tx) error {
		key, err := p.find(ctx, tx, party, token)
		if err == nil {
			s, err = p.read(ctx, tx, key)
		}
		return err
	})
	return s, err
}

// find gives the key of a token: that of the party, or of a stranger, as the party may have been
// when it asked. Each token is looked up as often as every other.
func (p *Promises) find(ctx context.Context, tx *store.Tx, party, token string) ([]byte, error) {
	parties := []string{""}
	if party != "" {
		parties = []string{party, ""}
	}
	var found []byte
	for _, owner := range parties {
		key := keyOf(owner, token)
		var one int
		err := tx.QueryRow(ctx, `SELECT 1 FROM promise_job WHERE key = $1 AND seal = $2 AND expires > $3`, key, p.name, store.Micros(p.now())).Scan(&one)
		switch {
		case err == nil:
			found = key
		case !errors.Is(err, sql.ErrNoRows):
			return nil, err
		}
	}
	if found == nil {
		return nil, errUnknown()
	}
	return found, nil
}

func (p *Promises) read(ctx context.Context, tx *store.Tx, key []byte) (Standing, error) {
	s := Standing{ID: string(key)}
	var state int
	var request []byte
	var progress, ready int64
	err := tx.QueryRow(ctx, `SELECT state, request, message, progress, ready FROM promise_job WHERE key = $1`, key).
		Scan(&state, &request, &s.Message, &progress, &ready)
	if err != nil {
		return s, err
	}
	asked, err := p.open(key, request)
	if err != nil {
		return s, err
	}
	s.Request = asked.Request
	s.State, s.Progress = State(state), float64(progress)/whole
	if ready > 0 {
		s.Left = max(0, store.FromMicros(ready).Sub(p.now()))
	}
	if s.State != Kept {
		return s, nil
	}
	var closed []byte
	if err := tx.QueryRow(ctx, `SELECT rules, answer FROM promise_answer WHERE key = $1`, key).Scan(&s.Rules, &closed); err != nil {
		return s, err
	}
	packed, ok := p.sealing.open(closed, answerPlace(key, s.Rules))
	if !ok {
		return s, errors.New("an answer that was kept cannot be opened: its row was changed")
	}
	s.Answer, err = unpack(packed)
	return s, err
}

// answerPlace is what an answer is sealed to: its promise, and the terms that it was released
// under.
func answerPlace(key []byte, rules string) []byte {
	return append(append([]byte("answer "), key...), rules...)
}

// whole is the progress of work that is done, in the table.
const whole = 1e6

// Cancel ends the work that a token promises, if it has not ended yet, and says how the promise
// stands then. Whoever works on it learns of it when it renews its claim.
func (p *Promises) Cancel(ctx context.Context, party, token string) (Standing, error) {
	var s Standing
	err := p.db.Update(ctx, func(tx *store.Tx) error {
		key, err := p.find(ctx, tx, party, token)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE promise_job SET state = $1, claim = '', lease = 0, expires = $2 WHERE key = $3 AND state < $4`,
			int(Cancelled), store.Micros(p.now().Add(p.options.Keep)), key, int(Kept))
		if err == nil {
			s, err = p.read(ctx, tx, key)
		}
		return err
	})
	return s, err
}

// Forget removes all promises of a conversation, questions and answers, and gives the ids of their
// jobs. Whoever works on one learns of it when it renews its claim.
func (p *Promises) Forget(ctx context.Context, t Talk) (jobs []string, err error) {
	talk := p.talk(t)
	if talk == nil {
		return nil, nil
	}
	err = p.db.Update(ctx, func(tx *store.Tx) error {
		jobs, err = store.All(ctx, tx, `SELECT key FROM promise_job WHERE talk = $1`,
			func(row store.Scanner) (string, error) {
				var key []byte
				err := row.Scan(&key)
				return string(key), err
			}, talk)
		if err != nil || len(jobs) == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM promise_answer WHERE key IN (SELECT key FROM promise_job WHERE talk = $1)`, talk); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM promise_job WHERE talk = $1`, talk)
		return err
	})
	return jobs, err
}

// Again has the answer of a kept promise made anew: it may no longer leave. Its progress stays what
// it was.
func (p *Promises) Again(ctx context.Context, party, token, message string) (Standing, error) {
	var s Standing
	err := p.db.Update(ctx, func(tx *store.Tx) error {
		key, err := p.find(ctx, tx, party, token)
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `UPDATE promise_job SET state = $1, tries = 0, ready = 0, message = $2, expires = $3 WHERE key = $4 AND state = $5`,
			int(Waiting), message, store.Micros(p.now().Add(p.options.Keep)), key, int(Kept))
		if err == nil && n > 0 {
			_, err = tx.Exec(ctx, `DELETE FROM promise_answer WHERE key = $1`, key)
		}
		if err == nil {
			s, err = p.read(ctx, tx, key)
		}
		return err
	})
	return s, err
}

// Count is how many promises there are that have not expired, in each state.
func (p *Promises) Count(ctx context.Context) (map[State]int, error) {
	count := map[State]int{}
	err := p.db.View(ctx, func(tx *store.Tx) error {
		clear(count)
		return tx.Each(ctx, `SELECT state, COUNT(*) FROM promise_job WHERE expires > $1 GROUP BY state`,
			func(row store.Scanner) error {
				var state, n int
				if err := row.Scan(&state, &n); err != nil {
					return err
				}
				count[State(state)] = n
				return nil
			}, store.Micros(p.now()))
	})
	return count, err
}

// pack compresses an answer.
func pack(answer []byte) ([]byte, error) {
	if len(answer) > maxUnpacked {
		return nil, errLarge()
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(answer)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil && b.Len() > MaxAnswer {
		err = errLarge()
	}
	return b.Bytes(), err
}

func errLarge() error {
	return fail.New(fail.TooLong, "the answer is larger than what is kept for later; ask for fewer items")
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack a kept answer: %w", err)
	}
	answer, err := io.ReadAll(io.LimitReader(r, maxUnpacked))
	if err != nil {
		return nil, fmt.Errorf("unpack a kept answer: %w", err)
	}
	return answer, nil
}
