package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
	"frontdesk/wire/strictjson"
)

// SealData seals what was submitted.
func (r *Record) SealData(k Key, data strictjson.Value) (err error) {
	r.DataKey = k.ID
	r.Data, err = k.Seal(sealData, data)
	return err
}

// SealAnswer seals what is answered.
func (r *Record) SealAnswer(k Key, a Answer) error {
	text, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write an answer: %w", err)
	}
	r.OfferKey = k.ID
	r.Answer, err = k.Seal(sealAnswer, text)
	return err
}

// OpenData opens what was submitted, with the keys that there are; nil when it is not kept, or
// erased.
func (r Record) OpenData(keys map[string]Key) (strictjson.Value, error) {
	return open(keys, r.DataKey, sealData, r.Data)
}

// OpenAnswer opens what was answered, with the keys that there are; nil when it was erased.
func (r Record) OpenAnswer(keys map[string]Key) (*Answer, error) {
	text, err := open(keys, r.OfferKey, sealAnswer, r.Answer)
	if err != nil || text == nil {
		return nil, err
	}
	a := new(Answer)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("read what was answered to submission %s: %w", r.ID, err)
	}
	return a, nil
}

// SealData seals what an offer was bound with.
func (b *Bind) SealData(k Key, data strictjson.Value) (err error) {
	b.Key = k.ID
	b.Data, err = k.Seal(sealBind, data)
	return err
}

// OpenData opens what an offer was bound with, with the keys that there are; nil when it was
// erased.
func (b Bind) OpenData(keys map[string]Key) (strictjson.Value, error) {
	return open(keys, b.Key, sealBind, b.Data)
}

func open(keys map[string]Key, id, purpose string, sealed []byte) ([]byte, error) {
	key, ok := keys[id]
	if !ok || len(sealed) == 0 {
		return nil, nil
	}
	return key.Open(purpose, sealed)
}

const recordColumns = `id, intake, session, agent, platform, state, retention, made, expires, COALESCE(offer, ''), reply, erased, data_key, offer_key, digest, data, answer`

func scanRecord(from store.Scanner, also ...any) (r Record, err error) {
	var erased string
	err = from.Scan(append([]any{&r.ID, &r.Intake, &r.Session, &r.Agent, &r.Platform, &r.State, &r.Retention,
		&r.CreatedAt, &r.Expires, &r.Offer, &r.Reply, &erased, &r.DataKey, &r.OfferKey,
		&r.Digest, &r.Data, &r.Answer}, also...)...)
	r.Erasures = strings.Fields(erased)
	return r, err
}

// Put records a new submission.
func Put(ctx context.Context, tx *store.Tx, r Record) error {
	_, next := due(r, nil, r.CreatedAt)
	_, err := tx.Exec(ctx, `INSERT INTO submission_record (id, intake, session, agent, platform, state, retention, made, expires, offer, data_key, offer_key, digest, data, answer, sweep, day)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		r.ID, r.Intake, r.Session, r.Agent, r.Platform, string(r.State), string(r.Retention), store.Micros(r.CreatedAt),
		store.Micros(r.Expires), nullable(r.Offer),
		r.DataKey, r.OfferKey, blob(r.Digest), blob(r.Data), blob(r.Answer), whenever(next), dayOf(r.CreatedAt))
	if err != nil {
		return fmt.Errorf("record a submission: %w", err)
	}
	return nil
}

// nullable is a text, or NULL where it is empty, of which there may be many in a column of its own
// kind.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// blob is some bytes, or NULL for none.
func blob(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

// whenever is a time, or NULL for never.
func whenever(t time.Time) any {
	if t.Equal(never) {
		return nil
	}
	return store.Micros(t)
}

// Find returns a submission by its id; ok is false when there is none.
func Find(ctx context.Context, tx *store.Tx, id string) (r Record, ok bool, err error) {
	return found(tx.QueryRow(ctx, `SELECT `+recordColumns+` FROM submission_record WHERE id = $1`, id))
}

// FindOffer returns the submission of an offer; ok is false when there is none.
func FindOffer(ctx context.Context, tx *store.Tx, offer string) (r Record, ok bool, err error) {
	return found(tx.QueryRow(ctx, `SELECT `+recordColumns+` FROM submission_record WHERE offer = $1`, offer))
}

func found(from store.Scanner) (r Record, ok bool, err error) {
	r, err = scanRecord(from)
	if errors.Is(err, sql.ErrNoRows) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("find a submission: %w", err)
	}
	return r, true, nil
}

// MaxRevisions bounds how many submissions of a session are read.
const MaxRevisions = 32

// ListBySession gives the latest submissions of a session, the last first; of one intake, or of all
// where that is empty.
func ListBySession(ctx context.Context, tx *store.Tx, session, intake string) ([]Record, error) {
	return records(ctx, tx, selectOfSession, strings.ToLower(session), intake)
}

// selectOfSession names its limit in the text: SQLite plans a statement anew each time whose limit
// is a parameter.
var selectOfSession = fmt.Sprintf(`SELECT `+recordColumns+` FROM submission_record WHERE session = $1 AND ($2 = '' OR intake = $2) ORDER BY id DESC LIMIT %d`, MaxRevisions)

// ListFrom lists the submissions of a session, or the one of an offer, in order of time, from after
// an id on; some at a time.
func ListFrom(ctx context.Context, tx *store.Tx, sessionOrOffer, after string) ([]Record, error) {
	return records(ctx, tx, `SELECT `+recordColumns+` FROM submission_record
		WHERE (session = $1 OR offer = $1) AND id > $2 ORDER BY id LIMIT 100`, strings.ToLower(sessionOrOffer), after)
}

// LatestID returns the id of the session's latest submission to an intake; empty for none.
func LatestID(ctx context.Context, tx *store.Tx, session, intake string) (id string, err error) {
	err = tx.QueryRow(ctx, `SELECT id FROM submission_record WHERE session = $1 AND intake = $2 ORDER BY id DESC LIMIT 1`, strings.ToLower(session), intake).Scan(&id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("find a session's submission: %w", err)
	}
	return id, nil
}

func records(ctx context.Context, tx *store.Tx, query string, args ...any) ([]Record, error) {
	all, err := store.All(ctx, tx, query, func(row store.Scanner) (Record, error) { return scanRecord(row) }, args...)
	if err != nil {
		return nil, fmt.Errorf("look for submissions: %w", err)
	}
	return all, nil
}

// Update records how a submission is now. What is new of it: state, expiry, offer, reply, erasures,
// keys, and what is sealed and hashed.
func Update(ctx context.Context, tx *store.Tx, r Record, now time.Time) error {
	b, bound, err := FindBind(ctx, tx, r.Offer)
	if err != nil {
		return err
	}
	at := &b
	if !bound {
		at = nil
	}
	what, next := due(r, at, now)
	if what.any() {
		next = now
	}
	_, err = tx.Exec(ctx, `UPDATE submission_record SET agent = $1, platform = $2, state = $3, expires = $4, offer = $5, data_key = $6, offer_key = $7, digest = $8, data = $9, answer = $10, sweep = $11, reply = $12, erased = $13
		WHERE id = $14`,
		r.Agent, r.Platform, string(r.State), store.Micros(r.Expires), nullable(r.Offer), r.DataKey, r.OfferKey,
		blob(r.Digest), blob(r.Data), blob(r.Answer), whenever(next), r.Reply, strings.Join(r.Erasures, " "), r.ID)
	if err != nil {
		return fmt.Errorf("record a submission: %w", err)
	}
	return nil
}

// FindBind returns the bind of an offer; ok is false when there is none.
func FindBind(ctx context.Context, tx *store.Tx, offer string) (b Bind, ok bool, err error) {
	if offer == "" {
		return Bind{}, false, nil
	}
	b = Bind{Offer: offer}
	err = tx.QueryRow(ctx, `SELECT made, sink, done, entry, key, digest, data, answer FROM submission_bind WHERE offer = $1`, offer).
		Scan(&b.CreatedAt, &b.Sink, &b.Done, &b.Entry, &b.Key, &b.Digest, &b.Data, &b.Answer)
	if errors.Is(err, sql.ErrNoRows) {
		return Bind{}, false, nil
	}
	if err != nil {
		return Bind{}, false, fmt.Errorf("find a bind: %w", err)
	}
	return b, true, nil
}

// PutBind records that an offer was bound. A bind never changes.
func PutBind(ctx context.Context, tx *store.Tx, r Record, b Bind) error {
	_, err := tx.Exec(ctx, `INSERT INTO submission_bind (offer, made, sink, done, entry, key, digest, data, answer) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		b.Offer, store.Micros(b.CreatedAt), b.Sink, store.Micros(b.Done), b.Entry, b.Key, b.Digest, b.Data, b.Answer)
	if err != nil {
		return fmt.Errorf("record a bind: %w", err)
	}
	r.State = Bound
	return Update(ctx, tx, r, b.CreatedAt)
}

// MarkDone records that the business has received a bind, and says whether that is new.
func MarkDone(ctx context.Context, tx *store.Tx, r Record, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE submission_bind SET done = $1 WHERE offer = $2 AND done = 0`, store.Micros(now), r.Offer)
	if err != nil {
		return false, fmt.Errorf("record that a bind is done: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	return true, Update(ctx, tx, r, now)
}

// forgetBind forgets what an offer was bound with.
func forgetBind(ctx context.Context, tx *store.Tx, offer string) error {
	if _, err := tx.Exec(ctx, `UPDATE submission_bind SET key = '', data = NULL WHERE offer = $1`, offer); err != nil {
		return fmt.Errorf("forget a bind's data: %w", err)
	}
	return nil
}

// remove removes a submission and its bind.
func remove(ctx context.Context, tx *store.Tx, r Record) error {
	_, err := tx.Exec(ctx, `DELETE FROM submission_record WHERE id = $1`, r.ID)
	if err == nil && r.Offer != "" {
		_, err = tx.Exec(ctx, `DELETE FROM submission_bind WHERE offer = $1`, r.Offer)
	}
	if err != nil {
		return fmt.Errorf("remove a submission: %w", err)
	}
	return nil
}
