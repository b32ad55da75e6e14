// Package disputes stores the disputes of purchases (RAMP v1, DisputeTransaction): the status of
// each, its steps, and the evidence for each step. It also holds the rules that decide by evidence,
// as pure functions of [Facts].
//
// The package must not move money, which is done by accounts, and must not collect evidence, which
// is done by licensing/exchange. Its functions run in the transactions of that service. Enter by
// [Put], [Advance] and [NewReader].
//
//	dispute_case     one row for each dispute; a transaction has one at most
//	dispute_step     every change of a dispute: who made it, and the evidence
//	dispute_request  the requests that filed or appealed, so that a repeated one is recognised
package disputes

import (
	"slices"
	"time"

	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package. Times are microseconds, 0 for none, and amounts units of
// 1e-8. Of dispute_case, due is when time moves the dispute on, and short is 1 where it told of too
// few tokens, and the bytes that were sent say so, too.
var Schema = store.Schema{
	ID: "dispute",
	Steps: []string{`
CREATE TABLE dispute_case (
	id         {{text}} NOT NULL PRIMARY KEY,
	txn        {{text}} NOT NULL,
	buyer      {{text}} NOT NULL,
	site       {{text}} NOT NULL,
	billing    TEXT NOT NULL,
	report     TEXT NOT NULL,
	request    TEXT NOT NULL,
	reason     TEXT NOT NULL,
	prefers    TEXT NOT NULL,
	method     TEXT NOT NULL,
	hash       TEXT NOT NULL,
	text       TEXT NOT NULL,
	level      BIGINT NOT NULL,
	mutability TEXT NOT NULL,
	status     TEXT NOT NULL,
	resolution TEXT NOT NULL,
	rule       TEXT NOT NULL,
	tier       BIGINT NOT NULL,
	credit     BIGINT NOT NULL CHECK (credit >= 0),
	currency   TEXT NOT NULL,
	short      BIGINT NOT NULL,
	appeals    BIGINT NOT NULL,
	filed      BIGINT NOT NULL,
	changed    BIGINT NOT NULL,
	due        BIGINT NOT NULL,
	again      BIGINT NOT NULL,
	steps      BIGINT NOT NULL
) {{clustered}};
CREATE UNIQUE INDEX dispute_case_txn ON dispute_case (txn);
CREATE INDEX dispute_case_due ON dispute_case (due, id) WHERE due > 0;
CREATE INDEX dispute_case_buyer ON dispute_case (buyer, filed);
CREATE INDEX dispute_case_site ON dispute_case (site, filed);
CREATE INDEX dispute_case_text ON dispute_case (changed) WHERE text <> '' AND status = 'final';

CREATE TABLE dispute_step (
	dispute    {{text}} NOT NULL,
	n          BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	came       TEXT NOT NULL,
	went       TEXT NOT NULL,
	by         TEXT NOT NULL,
	resolution TEXT NOT NULL,
	rule       TEXT NOT NULL,
	consulted  TEXT NOT NULL,
	entry      {{text}} NOT NULL,
	PRIMARY KEY (dispute, n)
) {{clustered}};

CREATE TABLE dispute_request (
	key     {{bytes}} NOT NULL PRIMARY KEY,
	digest  {{bytes}} NOT NULL,
	dispute {{text}} NOT NULL,
	made    BIGINT NOT NULL
) {{clustered}};
`, `
CREATE TABLE dispute_note (
	dispute {{text}} NOT NULL,
	n       BIGINT NOT NULL,
	text    TEXT NOT NULL,
	PRIMARY KEY (dispute, n)
) {{clustered}};
`},
}

// Status is where a dispute stands (RAMP v1, DisputeStatus).
type Status string

// The statuses.
const (
	Filed        Status = "filed"         // received
	AutoResolved Status = "auto_resolved" // decided while it was filed (tier 1)
	// what there is does not decide it: tier 2 will, once there is more or the time for that is
	// over
	EvidenceNeeded Status = "evidence_needed"
	UnderReview    Status = "under_review" // the rules of tier 2 have still to decide
	Escalated      Status = "escalated"    // a person has to look at it, and at the pattern it is part of (tier 3)
	Resolved       Status = "resolved"     // decided by a rule of tier 2, or by the operator
	Appealed       Status = "appealed"     // who lost has brought new evidence
	Settled        Status = "settled"      // decided in tier 3
	Final          Status = "final"        // over
)

// moves says from which status a dispute may go to which (RAMP v1, DisputeStatus). That from
// nothing begins it.
var moves = map[Status][]Status{
	"":             {Filed},
	Filed:          {AutoResolved, EvidenceNeeded},
	EvidenceNeeded: {UnderReview},
	UnderReview:    {Resolved, Escalated},
	Resolved:       {Appealed, Final},
	Appealed:       {UnderReview},
	Escalated:      {Settled},
	Settled:        {Final},
	AutoResolved:   {Appealed, Final},
	Final:          nil,
}

// Statuses are all statuses, in the order of the protocol.
var Statuses = []Status{Filed, AutoResolved, EvidenceNeeded, UnderReview, Escalated, Resolved, Appealed, Settled, Final}

// May says whether a dispute may go from one status to another.
func (s Status) May(to Status) bool { return slices.Contains(moves[s], to) }

// Open says whether a dispute in this status has still to be decided.
func (s Status) Open() bool {
	return s == Filed || s == EvidenceNeeded || s == UnderReview || s == Escalated || s == Appealed
}

// Reason is why somebody disputes (RAMP v1, DisputeReason).
type Reason string

// The reasons.
const (
	DeliveryFailed     Reason = "delivery_failed"
	ContentMismatch    Reason = "content_mismatch"
	IncompleteContent  Reason = "incomplete_content"
	WrongContent       Reason = "wrong_content"
	ExpiredBeforeFetch Reason = "expired_before_fetch"
)

// Reasons are all reasons, in the order of the protocol.
var Reasons = []Reason{DeliveryFailed, ContentMismatch, IncompleteContent, WrongContent, ExpiredBeforeFetch}

// Resolution is how a dispute is decided (RAMP v1, ResolutionType); empty while it is not.
type Resolution string

// The resolutions.
const (
	Credit        Resolution = "credit"        // the buyer is given back what was charged
	Redelivery    Resolution = "redelivery"    // the buyer may fetch again
	Rejected      Resolution = "rejected"      // nothing corroborates it
	Investigation Resolution = "investigation" // it went to tier 3, and is not decided
)

// Resolutions are all resolutions, in the order of the protocol.
var Resolutions = []Resolution{Credit, Redelivery, Rejected, Investigation}

// Case is one dispute. A transaction has at most one.
type Case struct {
	ID           string // "dsp-" and a ULID: they sort by time
	Transaction  string
	Buyer        string // the account that bought
	Site         string // whose the resource is: the provider
	Billing      string // ids of the transaction's bill and of its report
	Report       string
	Request      string // the id that the buyer gave to the request that filed it
	Reason       Reason
	Prefers      Resolution // what the buyer would rather have: Redelivery, or empty
	Method       string     // how Hash was made, "sha256"; empty where the buyer told none
	Hash         string     // of what the buyer received, in lower-case hex
	Description  string     // of the buyer's, for people; it may hold personal data, and is forgotten with time
	Level        int        // of the attestations of the offer (RAMP v1, attestation levels): 0, 1 or 2
	Mutability   string     // of the resource, as the offer said: "static", "dynamic" or "live"
	Status       Status
	Resolution   Resolution
	Rule         string // by which it was decided, or why it is not decided yet; see [Explain]
	Tier         int    // that decided it, 1 to 3; 0 while none did
	Credit       int64  // what was given back, in units of 1e-8 of Currency
	Currency     string
	Short        bool // it tells of too few tokens, and the bytes that were sent say so, too
	Appeals      int
	Filed        time.Time
	Changed      time.Time // when it got its status
	Due          time.Time // when time moves it on; zero for never
	RefetchUntil time.Time // until when a redelivery may be fetched; zero for none
	Steps        int       // how many there are; a case changes only from the number that was read
}

// Step is a move of a dispute.
type Step struct {
	Dispute    string
	N          int // from 1
	At         time.Time
	From, To   Status
	By         string // "buyer", "rule", or "operator:" and the operator's name
	Resolution Resolution
	Rule       string
	Evidence   []Evidence
	Entry      string // of the ledger, of kind "dispute"
	Note       string // what the operator wrote of it, which is not in the ledger
}

// MaxNote is how many bytes a note may have.
const MaxNote = 1000

// Who moves disputes. An operator is Operator and a name.
const (
	ByBuyer  = "buyer"
	ByRule   = "rule"
	Operator = "operator:"
)

// Evidence is one piece of evidence that a rule read. It has no address and no person.
type Evidence struct {
	// "delivery", "refusal", "report", "offer", "catalog", "cases", "rates", or the name of a log
	Source  string `json:"source"`
	ID      string `json:"id,omitempty"`
	Finding string `json:"says"` // in few words: "status 404", "1200 of 5000 bytes"
}
