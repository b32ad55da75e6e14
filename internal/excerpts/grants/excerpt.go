// Package grants keeps the tables of the Agentic Intent Protocol: the requests that were answered,
// how much of each article a session and a platform have seen (Coverage), and the events that
// platforms reported. It keeps no text, no question and no name of a session.
//
// Its functions take part in the transactions of package excerpts; it knows the store alone. What
// must be provable later is in the ledger; what is here is forgotten in time (Sweep).
package grants

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package. Times are microseconds.
//
// excerpt_request has one row for each request that a platform made, by the id that it gave it: the
// SHA-256 of its body, what came of it, and which passages were given. excerpt_session has of each
// session, under a hash, which parts of each passage of each article it was given; and of each
// platform and article, under another, what all its sessions together were given. excerpt_event has
// the events that platforms reported.
//
// Every answer writes a row of the first two. So they have no index that only Sweep would use,
// which looks at all sessions instead; and of the requests by their time that of those alone that
// got nothing.
var Schema = store.Schema{
	ID: "excerpt",
	Steps: []string{`
CREATE TABLE excerpt_request (
	platform {{text}} NOT NULL,
	request  {{text}} NOT NULL,
	digest   {{bytes}} NOT NULL,
	at       BIGINT NOT NULL,
	outcome  TEXT NOT NULL,
	answer   {{bytes}} NOT NULL,
	PRIMARY KEY (platform, request)
);
CREATE INDEX excerpt_request_at ON excerpt_request (at);

CREATE TABLE excerpt_session (
	session {{bytes}} NOT NULL PRIMARY KEY,
	given   {{bytes}} NOT NULL,
	until   BIGINT NOT NULL
);
CREATE INDEX excerpt_session_until ON excerpt_session (until);

CREATE TABLE excerpt_event (
	platform {{text}} NOT NULL,
	event    {{text}} NOT NULL,
	digest   {{bytes}} NOT NULL,
	request  {{text}} NOT NULL,
	kind     TEXT NOT NULL,
	entry    TEXT NOT NULL,
	verdict  TEXT NOT NULL,
	at       BIGINT NOT NULL,
	PRIMARY KEY (platform, event)
);
CREATE INDEX excerpt_event_at ON excerpt_event (at);
`, `
CREATE INDEX excerpt_request_owed ON excerpt_request (platform, outcome, at);
CREATE INDEX excerpt_event_last ON excerpt_event (platform, kind, at);
`, `
ALTER TABLE excerpt_session RENAME TO excerpt_session_apart;
DROP INDEX excerpt_session_until;
CREATE TABLE excerpt_session (
	session {{bytes}} NOT NULL PRIMARY KEY,
	given   {{bytes}} NOT NULL,
	until   BIGINT NOT NULL
) {{clustered}};
INSERT INTO excerpt_session (session, given, until) SELECT session, given, until FROM excerpt_session_apart;
DROP TABLE excerpt_session_apart;
CREATE INDEX excerpt_session_until ON excerpt_session (until);
`, `
DROP INDEX excerpt_session_until;
DROP INDEX excerpt_request_at;
CREATE INDEX excerpt_request_refused ON excerpt_request (at, platform, request) WHERE outcome <> 'ok';
`},
}

// Chunk is a passage that was given, without its text.
type Chunk struct {
	Site    string `json:"site"`
	URL     string `json:"url"`
	Passage string `json:"passage"`
	// From is the byte of the passage from which it was given, and Bytes how many; 0 of both is all
	// of it.
	From  int `json:"from,omitzero"`
	Bytes int `json:"bytes,omitzero"`
	Rule  int `json:"rule,omitzero"` // by which it was given, from 1
}

// Answer is the result of a request, beside its outcome.
type Answer struct {
	Chunks       []Chunk `json:"chunks,omitempty"`
	MaxChunks    int     `json:"max_chunks,omitzero"`
	MaxTokens    int     `json:"max_tokens,omitzero"`
	Tokens       int     `json:"tokens,omitzero"`
	LimitedByDay bool    `json:"by_day,omitzero"` // MaxTokens is what the platform's share of a day left
	Entry        string  `json:"entry,omitzero"`  // of the ledger
}

// Request is a platform's request.
type Request struct {
	Platform string
	ID       string            // which the platform gave it
	Digest   [sha256.Size]byte // of its body
	At       time.Time         // when it was answered
	Outcome  string            // Ok, or why there was nothing: a reason of a denial or a code of an error
	Answer   Answer
}

// OutcomeOK is the outcome of a request that was given passages.
const OutcomeOK = "ok"

// Event is a platform's report.
type Event struct {
	Platform string
	ID       string            // which the platform gave it
	Digest   [sha256.Size]byte // of its canonical form
	Request  string            // the id of the request that it is about
	Kind     string            // "access" or "citation"
	Entry    string            // of the ledger
	Verdict  string            // what our own records say of it
	At       time.Time
}

// Find returns a platform's request by its id; ok is false when there is none.
func Find(ctx context.Context, tx *store.Tx, platform, id string) (r Request, ok bool, err error) {
	r = Request{Platform: platform, ID: id}
	var digest, answer []byte
	err = tx.QueryRow(ctx, `SELECT digest, at, outcome, answer FROM excerpt_request WHERE platform = $1 AND request = $2`, platform, id).
		Scan(&digest, &r.At, &r.Outcome, &answer)
	if errors.Is(err, sql.ErrNoRows) {
		return Request{}, false, nil
	}
	if err != nil {
		return Request{}, false, fmt.Errorf("find a request: %w", err)
	}
	if copy(r.Digest[:], digest) != len(r.Digest) {
		return Request{}, false, fmt.Errorf("request %q of %q has no whole digest", id, platform)
	}
	if err := json.Unmarshal(answer, &r.Answer); err != nil {
		return Request{}, false, fmt.Errorf("read what request %q of %q was given: %w", id, platform, err)
	}
	return r, true, nil
}

// Put records a request, and replaces an earlier record of it.
func Put(ctx context.Context, tx *store.Tx, r Request) error {
	answer, err := json.Marshal(r.Answer, json.Deterministic(true))
	if err == nil {
		_, err = tx.Exec(ctx, `INSERT INTO excerpt_request (platform, request, digest, at, outcome, answer) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (platform, request) DO UPDATE SET at = EXCLUDED.at, outcome = EXCLUDED.outcome, answer = EXCLUDED.answer`,
			r.Platform, r.ID, r.Digest[:], store.Micros(r.At), r.Outcome, answer)
	}
	if err != nil {
		return fmt.Errorf("record a request: %w", err)
	}
	return nil
}

// FindEvent returns a platform's report by its id; ok is false when there is none.
func FindEvent(ctx context.Context, tx *store.Tx, platform, id string) (e Event, ok bool, err error) {
	e = Event{Platform: platform, ID: id}
	var digest []byte
	err = tx.QueryRow(ctx, `SELECT digest, request, kind, entry, verdict, at FROM excerpt_event WHERE platform = $1 AND event = $2`, platform, id).
		Scan(&digest, &e.Request, &e.Kind, &e.Entry, &e.Verdict, &e.At)
	if errors.Is(err, sql.ErrNoRows) {
		return Event{}, false, nil
	}
	if err == nil && copy(e.Digest[:], digest) != len(e.Digest) {
		err = errors.New("it has no whole digest")
	}
	if err != nil {
		return Event{}, false, fmt.Errorf("find event %q of %q: %w", id, platform, err)
	}
	return e, true, nil
}

// PutEvent records a new report.
func PutEvent(ctx context.Context, tx *store.Tx, e Event) error {
	if _, err := tx.Exec(ctx, `INSERT INTO excerpt_event (platform, event, digest, request, kind, entry, verdict, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.Platform, e.ID, e.Digest[:], e.Request, e.Kind, e.Entry, e.Verdict, store.Micros(e.At)); err != nil {
		return fmt.Errorf("record an event: %w", err)
	}
	return nil
}

// CountUncited counts a platform's requests in a span of time that were given passages and of which
// no citation was reported since.
func CountUncited(ctx context.Context, tx *store.Tx, platform string, since, until time.Time) (n int, err error) {
	var last int64
	if err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(at), 0) FROM excerpt_event WHERE platform = $1 AND kind = 'citation'`, platform).Scan(&last); err != nil {
		return 0, fmt.Errorf("look for a platform's citations: %w", err)
	}
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM excerpt_request WHERE platform = $1 AND outcome = 'ok' AND at > $2 AND at <= $3`,
		platform, max(last, store.Micros(since)), store.Micros(until)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count a platform's requests: %w", err)
	}
	return n, nil
}
