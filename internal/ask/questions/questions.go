// Package questions keeps what people and agents ask: how often, by whom, and what became of it, so
// that an owner sees what finds nothing and mends it.
//
// Questions count as the same where they have the same normal form ([query.Normal]) once mail
// addresses, long numbers, addresses with user names and the names of who asks were cut out
// ([Clean]). Nothing else of a text is ever stored, and none of it goes into the ledger. A text is
// shown once two addresses have asked it, or the owner did; until then of an address a keyed hash
// is kept, for a day at most. The key is the site's, since with one of each process the same
// address would count as two after a restart, or on another node.
//
// The package owns the tables below. It must not know protocols or pages: a context says who asks
// ([With]), and where it says nothing the question is not kept. Enter by [NewKeeper], which takes
// questions in and writes them a little later, and [NewStore], which reads them.
package questions

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package. Days are counted from 1970 by UTC; times are microseconds.
//
// question_form has a row for each normal form: what became of it last, and how often it was asked
// in the last 7 and 30 days and altogether. These counts order the lists; question_state says for
// which day they are right. question_day has the counts by day, question_sum those of all questions
// together, also of those whose text is not kept. question_click has the answers whose places were
// followed, until their ids end. question_word has the words of each normal form,
// by which rare ones are found. question_given has how often agents were given an item, by day.
var Schema = store.Schema{
	ID: "question",
	Steps: []string{`
CREATE TABLE question_form (
	id        {{key}},
	form      {{text}} NOT NULL,
	text      {{text}} NOT NULL,
	language  {{text}} NOT NULL,
	state     BIGINT NOT NULL,
	outcome   BIGINT NOT NULL,
	score     BIGINT NOT NULL,
	best_url  {{text}} NOT NULL,
	best_name {{text}} NOT NULL,
	first     BIGINT NOT NULL,
	last      BIGINT NOT NULL,
	shown     BIGINT NOT NULL,
	seen      {{bytes}} NOT NULL,
	seen_at   BIGINT NOT NULL,
	ignored   BIGINT NOT NULL,
	who       BIGINT NOT NULL,
	clicks    BIGINT NOT NULL,
	week      BIGINT NOT NULL,
	month     BIGINT NOT NULL,
	times     BIGINT NOT NULL
);
CREATE INDEX question_form_week ON question_form (state, week, id, who);
CREATE INDEX question_form_month ON question_form (state, month, id, who);
CREATE INDEX question_form_times ON question_form (state, times, id, who);
CREATE INDEX question_form_last ON question_form (last);
CREATE INDEX question_form_seen ON question_form (seen_at) WHERE seen_at > 0;
CREATE TABLE question_variant (
	question BIGINT NOT NULL,
	text     {{text}} NOT NULL,
	last     BIGINT NOT NULL,
	PRIMARY KEY (question, text)
) {{clustered}};
CREATE TABLE question_day (
	question BIGINT NOT NULL,
	day      BIGINT NOT NULL,
	protocol {{text}} NOT NULL,
	kind     {{text}} NOT NULL,
	agent    {{text}} NOT NULL,
	outcome  BIGINT NOT NULL,
	count    BIGINT NOT NULL,
	PRIMARY KEY (question, day, protocol, kind, agent, outcome)
) {{clustered}};
CREATE INDEX question_day_day ON question_day (day, question);
CREATE TABLE question_sum (
	day      BIGINT NOT NULL,
	protocol {{text}} NOT NULL,
	kind     {{text}} NOT NULL,
	agent    {{text}} NOT NULL,
	outcome  BIGINT NOT NULL,
	count    BIGINT NOT NULL,
	PRIMARY KEY (day, protocol, kind, agent, outcome)
) {{clustered}};
CREATE TABLE question_click (
	answer {{bytes}} NOT NULL,
	place  BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	PRIMARY KEY (answer, place)
);
CREATE INDEX question_click_at ON question_click (at);
CREATE TABLE question_state (
	name  {{text}} NOT NULL PRIMARY KEY,
	day   BIGINT NOT NULL,
	value BIGINT NOT NULL
);
`, `
CREATE TABLE question_word (
	word     {{text}} NOT NULL,
	question BIGINT NOT NULL,
	PRIMARY KEY (word, question)
) {{clustered}};
`, `
CREATE TABLE question_given (
	day   BIGINT NOT NULL,
	url   {{text}} NOT NULL,
	count BIGINT NOT NULL,
	PRIMARY KEY (day, url)
) {{clustered}};
`},
}

// turn is the turn of transactions that write (see [store.DB.UpdateSerial]).
const turn = "question"

// Outcome is what became of a question.
type Outcome int64

// The outcomes. Weak is an answer whose best item has a score below WeakScore.
const (
	Answered  Outcome = 1
	Nothing   Outcome = 2
	Weak      Outcome = 3
	AskedBack Outcome = 4

	clicked Outcome = 9 // in the tables: not asked, but an answer that was followed
)

// WeakScore is the score below which the best item of an answer is a weak one.
const WeakScore = 40

var outcomeWords = map[Outcome]string{
	Answered: "answered", Nothing: "found_nothing", Weak: "weak", AskedBack: "asked_back",
}

func (o Outcome) String() string { return outcomeWords[o] }

// MarshalText is the outcome's word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// The kinds of who asks, beside those of agents that are known (identity/agents).
const (
	Person     = "person" // a browser
	OtherAgent = "other"  // a program that is in no list
)

// Source says who asks and over what. A context carries it.
type Source struct {
	Protocol string // ask, mcp or intent
	Kind     string // Person, OtherAgent, or the kind of a known agent
	Agent    string // its name, or else its operator; empty for a person
	Owner    bool   // who asks is logged in to the console
	// Address tells askers apart: a network address, or the operator of a known agent, whose
	// addresses say nothing of who asks it. It is kept only as a hash.
	Address string
	// Beacon says that the answer may carry an id by which its places are told when they are
	// followed.
	Beacon bool
}

type sourceKey struct{}

// With gives a context whose questions are kept.
func With(ctx context.Context, source Source) context.Context {
	return context.WithValue(ctx, sourceKey{}, source)
}

// From gives who asks; ok is false where the question is not to be kept.
func From(ctx context.Context) (source Source, ok bool) {
	source, ok = ctx.Value(sourceKey{}).(Source)
	return source, ok
}

// Asked is a question with what became of it.
type Asked struct {
	Source
	Text     string   // as it came
	Names    []string // of who asks, which are cut out of the text
	Language string   // of the answer
	Outcome  Outcome
	// Narrowed says that the question had conditions beside its words, such as a type or a least
	// score: what became of it says little of the words.
	Narrowed bool
	Score    float64 // of the best item, 0 to 100; 0 where there is none
	URL      string  // of the best item
	Name     string
	Results  int // how many items the answer has
	// Given are the addresses of the first items that an agent was given, for Store.Given. Of a
	// person there are none.
	Given []string
	At    time.Time
}

// ID is the id of a normal form, the same in every database.
type ID int64

func idOf(form string) ID {
	sum := sha256.Sum256([]byte("question\x00" + form))
	return ID(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

// idBase is that of the numbers as which ids are written.
const idBase = 36

func (id ID) String() string { return strconv.FormatInt(int64(id), idBase) }

// MarshalText writes the id as addresses have it.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads it.
func (id *ID) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), idBase, 64)
	if err != nil || n < 0 || ID(n).String() != string(text) {
		return fail.New(fail.Invalid, "%.20q is no id of a question", text)
	}
	*id = ID(n)
	return nil
}

// states order the lists: a question is in one of them, by what became of it last.
const (
	stateNothing   = 1
	stateWeak      = 2
	stateAskedBack = 3
	stateUnclicked = 4 // it was answered, a person asked it, and nobody followed an answer
	stateAnswered  = 5
	stateIgnored   = 6 // by the owner
)

// The bits of who asked.
const (
	askedByPerson = 1
	askedByAgent  = 2
)

// stateOf is the state of a question.
func stateOf(outcome Outcome, who, clicks int64, ignored bool) int64 {
	switch {
	case ignored:
		return stateIgnored
	case outcome == Nothing:
		return stateNothing
	case outcome == Weak:
		return stateWeak
	case outcome == AskedBack:
		return stateAskedBack
	case who&askedByPerson != 0 && clicks == 0:
		return stateUnclicked
	}
	return stateAnswered
}

const day = 24 * time.Hour

// dayOf is the day of a time.
func dayOf(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }

// startOf is the beginning of a day.
func startOf(n int64) time.Time { return time.Unix(n*int64(day/time.Second), 0).UTC() }
