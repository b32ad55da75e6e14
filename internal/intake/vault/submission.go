// Package vault keeps the tables of the Agent Intake Protocol: who submitted what to which intake,
// what was offered, and what was bound. Personal data is sealed, each datum under a key of its own.
//
// The keys lie in a [Vault], a separate database that no backup holds. To destroy a key is to erase
// what it sealed, wherever copies of that are.
//
// Enter at Put and Find for submissions, at Open for keys. The functions take part in the
// transactions of package intake; the package must not know protocols or engines. What must be
// provable later is in the ledger, as hashes under the same keys: once a key is gone, nobody can
// guess what was hashed.
package vault

import (
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// Schema is the tables of submissions and binds. Times are microseconds.
//
// submission_record has one row for each submission: ids and times in clear, what was submitted and
// what was answered sealed. id is that of its ledger entry, so that rows stand in the order of
// time. data_key and offer_key name the keys of the two in the vault, empty where there is none or
// no more. session is in lower case. sweep is when something of the row is to be erased, or the row
// itself, and NULL for never.
//
// reply is the ledger entry of an answer that a person gave later, and erased has those that say
// what of it was erased, with blanks between. submission_record_list has all that lists go by, and
// submission_record_day what is counted by day (day is made in days since 1970), in its order: so
// neither reads what is sealed, and nothing is sorted.
//
// submission_bind has one row for each offer that was bound. answer is what is answered to a bind
// of it; data is sealed under key. done is when the business had it, 0 for not yet.
//
// submission_work has who erases what is due, and until when.
var Schema = store.Schema{
	ID: "submission",
	Steps: []string{`
CREATE TABLE submission_record (
	id        {{text}} NOT NULL PRIMARY KEY,
	intake    {{text}} NOT NULL,
	session   {{text}} NOT NULL,
	agent     TEXT NOT NULL,
	platform  TEXT NOT NULL,
	state     TEXT NOT NULL,
	retention TEXT NOT NULL,
	made      BIGINT NOT NULL,
	expires   BIGINT NOT NULL,
	offer     {{text}},
	data_key  TEXT NOT NULL,
	offer_key TEXT NOT NULL,
	digest    {{bytes}},
	data      {{bytes}},
	answer    {{bytes}},
	sweep     BIGINT
);
CREATE UNIQUE INDEX submission_record_offer ON submission_record (offer);
CREATE INDEX submission_record_session ON submission_record (session, id);
CREATE INDEX submission_record_sweep ON submission_record (sweep);

CREATE TABLE submission_bind (
	offer  {{text}} NOT NULL PRIMARY KEY,
	made   BIGINT NOT NULL,
	sink   TEXT NOT NULL,
	done   BIGINT NOT NULL,
	entry  TEXT NOT NULL,
	key    TEXT NOT NULL,
	digest {{bytes}} NOT NULL,
	data   {{bytes}},
	answer {{bytes}} NOT NULL
);

CREATE TABLE submission_work (
	name   TEXT NOT NULL PRIMARY KEY,
	holder TEXT NOT NULL,
	lease  BIGINT NOT NULL
);
`, `
ALTER TABLE submission_record ADD COLUMN reply TEXT NOT NULL DEFAULT '';
ALTER TABLE submission_record ADD COLUMN day BIGINT NOT NULL DEFAULT 0;
UPDATE submission_record SET day = made / 86400000000;
CREATE INDEX submission_record_list ON submission_record (id, intake, platform, state, made, expires);
CREATE INDEX submission_record_day ON submission_record (day, intake, platform, state, expires, offer);
CREATE INDEX submission_record_agent ON submission_record (agent);
CREATE INDEX submission_record_waiting ON submission_record (id, expires) WHERE state = 'waiting';
CREATE INDEX submission_bind_open ON submission_bind (made) WHERE done = 0 AND sink = '';
`, `ALTER TABLE submission_record ADD COLUMN erased TEXT NOT NULL DEFAULT '';`},
}

// State is the state of a submission.
type State string

// The states of a submission. One that waits becomes Offered, Declined or Expired, an offered one
// Bound or Expired; and any may become Erased.
const (
	Waiting  State = "waiting" // for a person
	Offered  State = "offered"
	Declined State = "declined"
	Bound    State = "bound"
	Expired  State = "expired"
	Erased   State = "erased" // on somebody's demand
)

// Record is a submission. Its sealed data is opened with the keys that it names.
type Record struct {
	ID        string // of the ledger entry that records it
	Intake    string
	Session   string // in lower case
	Agent     string // its id, or a keyed hash of one that could be more than an id; empty once erased
	Platform  string // what the agent says it runs on; may be empty
	State     State
	Retention intake.Retention // as it was declared when it was submitted
	CreatedAt time.Time
	Expires   time.Time // from when on the answer stands no more
	Offer     string    // the offer's id, 128 random bits; empty where there is none
	Reply     string    // the id of the ledger entry of an answer by hand; empty where there is none
	Erasures  []string  // the ids of the ledger entries that say what of it was erased, in their order

	DataKey, OfferKey string // ids of keys; empty where there is none, or no more
	Digest            []byte // of what was submitted, under OfferKey
	Data              []byte // intake_data, sealed under DataKey; nil where it is not kept
	Answer            []byte // an [Answer], sealed under OfferKey; nil once erased
}

// Live says whether the answer still stands.
func (r Record) Live(now time.Time) bool {
	switch r.State {
	case Expired, Erased:
		return false
	}
	return now.Before(r.Expires)
}

// StateAt is the state at a time: an offer expires at an instant, and its record is updated some
// time later.
func (r Record) StateAt(now time.Time) State {
	if (r.State == Waiting || r.State == Offered) && !now.Before(r.Expires) {
		return Expired
	}
	return r.State
}

// Answer is the answer to a submission.
type Answer struct {
	Summary    string           `json:"summary,omitzero"`
	Details    strictjson.Value `json:"details,omitzero"`
	Binding    bool             `json:"binding,omitzero"`   // the offer can be bound
	Requires   []string         `json:"requires,omitempty"` // the names of what must be given to bind
	TermsURL   string           `json:"terms_url,omitzero"`
	Reason     string           `json:"reason,omitzero"` // why it was declined
	Agent      string           `json:"agent,omitzero"`  // the agent's id where the record has a hash of it
	RetryAfter int              `json:"after,omitzero"`  // of one that waits: in how many seconds asking again is worth it
}

// Bind is the acceptance of an offer.
type Bind struct {
	Offer     string
	CreatedAt time.Time
	Sink      string    // who is told of it in the outbox; empty where it waits in the inbox
	Done      time.Time // when the business had it; zero for not yet
	Entry     string    // of the ledger
	Key       string    // id of a key; empty once erased
	Digest    []byte    // of what was bound with, under the offer's key
	Data      []byte    // bind_data, sealed under Key; nil once erased
	Answer    []byte    // what is answered, an [api.Bound] as JSON
}

// The purposes for which data is sealed.
const (
	sealData   = "intake_data"
	sealAnswer = "answer"
	sealBind   = "bind_data"
)
