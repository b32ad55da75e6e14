package questions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/query"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Store reads what was kept. Its methods may be called from many goroutines.
type Store struct {
	db  *store.DB
	now func() time.Time
}

// NewStore reads a database that has Schema. Now is the clock; nil is time.Now.
func NewStore(db *store.DB, now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	return &Store{db, now}
}

// View is which questions a list has: by what became of them last.
type View string

// The views.
const (
	ViewAll       View = ""              // all but those that are ignored
	ViewNothing   View = "found_nothing" // nothing was found
	ViewWeak      View = "weak"          // the best item has a score below WeakScore
	ViewAskedBack View = "asked_back"
	ViewNoClick   View = "no_click" // a person asked, and nobody has followed an answer
	ViewIgnored   View = "ignored"
)

// Views are all, in the order in which they are shown.
var Views = []View{ViewAll, ViewNothing, ViewWeak, ViewAskedBack, ViewNoClick, ViewIgnored}

var viewStates = map[View][]int64{
	ViewAll:     {stateNothing, stateWeak, stateAskedBack, stateUnclicked, stateAnswered},
	ViewNothing: {stateNothing}, ViewWeak: {stateWeak}, ViewAskedBack: {stateAskedBack},
	ViewNoClick: {stateUnclicked}, ViewIgnored: {stateIgnored},
}

// Range is of which time counts are.
type Range string

// The ranges, by days of UTC that end with the present one.
const (
	LastWeek  Range = "7d"
	LastMonth Range = "30d"
	Last90    Range = "90d"
	AllKept   Range = "all"
)

// column is the count of a range in question_form; empty for that of all days.
func (r Range) column() string {
	return map[Range]string{LastWeek: "week", LastMonth: "month"}[r]
}

// days is how many days a range has; 0 for all that are kept.
func (r Range) days() int64 {
	return map[Range]int64{LastWeek: weekDays, LastMonth: monthDays, Last90: 90}[r]
}

// Who is by whom questions were asked.
type Who string

// The values of Who, beside none for everybody.
const (
	People Who = "people"
	Agents Who = "agents"
)

// MaxRows is how many questions a list has at most.
const MaxRows = 1000

// Filter says which questions a list has. The most often asked come first.
type Filter struct {
	View   View
	Range  Range
	Who    Who
	Search string // what their words have in them; only those whose text is shown are found
	After  string // the place behind which the list goes on; empty for its beginning
	Limit  int    // 1 to MaxRows; 0 is 50
}

// Question is a question as it is kept.
type Question struct {
	ID       ID
	Text     string // as it was worded last; empty where it is not shown
	Hidden   bool   // one address alone has asked it, and not the owner
	Variants []string
	Language string // of its answer
	Outcome  Outcome
	Score    float64 // of the best item, 0 to 100
	URL      string  // of the best item
	Name     string
	First    time.Time
	Last     time.Time
	Ignored  time.Time // when the owner said so
	Times    int64     // in the range
	Before   int64     // in the range before; 0 for all that is kept
	People   int64     // of Times
	Agents   int64     // of Times
	Clicks   int64     // in the range

	place int64 // by which lists are ordered
}

// check finds mistakes in a filter.
func (f Filter) check() error {
	if _, ok := viewStates[f.View]; !ok {
		return fail.New(fail.Invalid, "there is no list %.40q of questions", string(f.View))
	}
	if f.Range != "" && f.Range != AllKept && f.Range.days() == 0 {
		return fail.New(fail.Invalid, "the range is %.40q; it may be 7d, 30d, 90d or all", string(f.Range))
	}
	if f.Who != "" && f.Who != People && f.Who != Agents {
		return fail.New(fail.Invalid, "who is %.40q; it may be people or agents", string(f.Who))
	}
	return nil
}

const questionColumns = `id, text, language, outcome, score, best_url, best_name, first, last, ignored, shown`

// List lists questions, and says from where the next list goes on: empty for nowhere.
func (s *Store) List(ctx context.Context, f Filter) (all []Question, next string, err error) {
	if err := f.check(); err != nil {
		return nil, "", err
	}
	f.Range = cmp.Or(f.Range, LastMonth)
	if f.Limit <= 0 {
		f.Limit = 50
	}
	f.Limit = min(f.Limit, MaxRows)
	words, begin := searched(query.Normal(f.Search))
	if _, _, err := f.query(dayOf(s.now()), nil); err != nil {
		return nil, "", err
	}
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		var ids []any
		if len(words) > 0 && begin {
			rare, ok, err := narrow(ctx, tx, words)
			if err != nil || ok && len(rare) == 0 {
				return err
			}
			ids = rare
		}
		text, args, err := f.query(dayOf(s.now()), ids)
		if err != nil {
			return err
		}
		if all, err = store.All(ctx, tx, text, scanQuestion, args...); err != nil {
			return err
		}
		if len(all) > f.Limit {
			all = all[:f.Limit]
			last := all[f.Limit-1]
			next = strconv.FormatInt(last.place, idBase) + "-" + last.ID.String()
		}
		if err := s.count(ctx, tx, f.Range, all); err != nil {
			return err
		}
		return addVariants(ctx, tx, all)
	})
	if err != nil {
		return nil, "", fmt.Errorf("list questions: %w", err)
	}
	return all, next, nil
}

// query is the statement of a list: of each state those that come first, and of these the first.
// Each part reads an index in its order. Where the list is of some questions alone, it reads these.
func (f Filter) query(today int64, ids []any) (text string, args []any, err error) {
	column := cmp.Or(f.Range.column(), "times")
	param := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	where := column + " > 0"
	if f.Range == Last90 { // by all days, where more are kept
		where += " AND last >= " + param(store.Micros(startOf(today-f.Range.days()+1)))
	}
	if f.After != "" {
		place, id, _ := strings.Cut(f.After, "-")
		at, err := strconv.ParseInt(place, idBase, 64)
		var last ID
		if err == nil {
			err = last.UnmarshalText([]byte(id))
		}
		if err != nil {
			return "", nil, fail.New(fail.Invalid, "after: %.60q is no place in a list", f.After)
		}
		where += " AND (" + column + ", id) < (" + param(at) + ", " + param(int64(last)) + ")"
	}
	if f.Who != "" {
		bit := map[Who]int64{People: askedByPerson, Agents: askedByAgent}[f.Who]
		where += " AND (who & " + param(bit) + ") != 0"
	}
	where += f.search(param)
	if ids != nil {
		where += " AND id IN (" + store.Params(len(args)+1, len(ids)) + ")"
		args = append(args, ids...)
	}
	limit := param(f.Limit + 1)
	order := " ORDER BY " + column + " DESC, id DESC LIMIT " + limit
	if ids != nil {
		return fmt.Sprintf("SELECT %s, %s FROM question_form WHERE +state IN (%s) AND %s%s",
			questionColumns, column, f.states(), where, order), args, nil
	}
	var parts []string
	for _, state := range viewStates[f.View] {
		parts = append(parts,
			fmt.Sprintf("SELECT * FROM (SELECT %s, %s FROM question_form WHERE state = %d AND %s%s) AS of%d",
				questionColumns, column, state, where, order, state))
	}
	return strings.Join(parts, " UNION ALL ") + order, args, nil
}

// states are those of a view, for a statement.
func (f Filter) states() string {
	var all []string
	for _, state := range viewStates[f.View] {
		all = append(all, strconv.FormatInt(state, 10))
	}
	return strings.Join(all, ", ")
}

// search are the conditions of what is looked for.
func (f Filter) search(param func(any) string) (where string) {
	words, begin := searched(query.Normal(f.Search))
	for _, word := range words { // a normal form has no signs
		if begin {
			word = " " + word
		}
		where += " AND shown = 1 AND (' ' || form) LIKE " + param("%"+word+"%")
	}
	return where
}

// Count says how often what a filter selects was asked, by those whom it selects, on the days, by
// UTC, in which since ≤ time < until lies. Its range counts for nothing.
func (s *Store) Count(ctx context.Context, f Filter, since, until time.Time) (n int64, err error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	args := []any{dayOf(since), dayOf(until.Add(day - time.Nanosecond)), int64(clicked)}
	param := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	where := f.search(param)
	if f.Who != "" {
		where += map[Who]string{People: " AND kind = ", Agents: " AND kind != "}[f.Who] + param(Person)
	}
	err = s.db.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM question_day
			JOIN question_form ON id = question WHERE day >= $1 AND day < $2 AND question_day.outcome < $3
			AND state IN (`+f.states()+`)`+where, args...).Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("count questions: %w", err)
	}
	return n, nil
}

func scanQuestion(row store.Scanner) (q Question, err error) {
	var score, first, last, ignored, shown int64
	err = row.Scan((*int64)(&q.ID), &q.Text, &q.Language, (*int64)(&q.Outcome), &score, &q.URL, &q.Name,
		&first, &last, &ignored, &shown, &q.place)
	q.Score = float64(score) / 10
	q.First, q.Last, q.Ignored = store.FromMicros(first), store.FromMicros(last), store.FromMicros(ignored)
	if shown == 0 {
		q.Hidden, q.Text = true, ""
	}
	return q, err
}

// count counts the rows of a list, in the range and in the one before.
func (s *Store) count(ctx context.Context, tx *store.Tx, in Range, all []Question) error {
	days, today := in.days(), dayOf(s.now())
	begin := int64(0)
	if days > 0 {
		begin = today - days + 1
	}
	at := make(map[int64]int, len(all))
	for i, q := range all {
		at[int64(q.ID)] = i
	}
	for part := range slices.Chunk(all, chunk) {
		args := []any{begin, int64(clicked), Person, max(begin-days, 0)}
		for _, q := range part {
			args = append(args, int64(q.ID))
		}
		if err := tx.Each(ctx, `SELECT question,
			CAST(COALESCE(SUM(CASE WHEN day >= $1 AND outcome < $2 AND kind = $3 THEN count END), 0) AS BIGINT),
			CAST(COALESCE(SUM(CASE WHEN day >= $1 AND outcome < $2 AND kind != $3 THEN count END), 0) AS BIGINT),
			CAST(COALESCE(SUM(CASE WHEN day >= $1 AND outcome = $2 THEN count END), 0) AS BIGINT),
			CAST(COALESCE(SUM(CASE WHEN day < $1 AND outcome < $2 THEN count END), 0) AS BIGINT)
			FROM question_day WHERE day >= $4 AND question IN (`+store.Params(5, len(part))+`) GROUP BY question`,
			func(row store.Scanner) error {
				var id int64
				var people, agents, clicks, before int64
				err := row.Scan(&id, &people, &agents, &clicks, &before)
				q := &all[at[id]]
				q.People, q.Agents, q.Clicks, q.Before, q.Times = people, agents, clicks, before, people+agents
				return err
			}, args...); err != nil {
			return err
		}
	}
	return nil
}

// addVariants adds how questions that are shown were worded, the latest first.
func addVariants(ctx context.Context, tx *store.Tx, all []Question) error {
	at := map[int64]int{}
	var ids []any
	for i, q := range all {
		if !q.Hidden {
			at[int64(q.ID)] = i
			ids = append(ids, int64(q.ID))
		}
	}
	for part := range slices.Chunk(ids, chunk) {
		if err := tx.Each(ctx, `SELECT question, text FROM question_variant WHERE question IN (`+
			store.Params(1, len(part))+`) ORDER BY question, last DESC, text`, func(row store.Scanner) error {
			var id int64
			var text string
			err := row.Scan(&id, &text)
			if q := &all[at[id]]; text != q.Text {
				q.Variants = append(q.Variants, text)
			}
			return err
		}, part...); err != nil {
			return err
		}
	}
	return nil
}

// Day is how often something was asked on a day.
type Day struct {
	Day    time.Time // its beginning, by UTC
	People int64
	Agents int64
	Of     map[Outcome]int64
	Clicks int64
}

// Asker is who asked, by protocol.
type Asker struct {
	Protocol string
	Kind     string // Person, OtherAgent, or the kind of a known agent
	Agent    string // its name; empty for a person
	Times    int64
	Nothing  int64 // of Times, of which nothing was found
}

// Details are what is known of one question beside its row.
type Details struct {
	Question
	Days   []Day   // on which it was asked, the first first
	Askers []Asker // the most often first
}

// errUnknown is of a question that is not there, or not any more.
var errUnknown = fail.New(fail.NotFound, "this question is not kept, or not any more")

// Get gives a question with all that is kept of it; fail.NotFound where there is none.
func (s *Store) Get(ctx context.Context, id ID) (d Details, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		one, err := store.All(ctx, tx, `SELECT `+questionColumns+`, times FROM question_form WHERE id = $1`,
			scanQuestion, int64(id))
		switch {
		case err != nil:
			return err
		case len(one) == 0:
			return errUnknown
		}
		if err := s.count(ctx, tx, AllKept, one); err != nil {
			return err
		}
		if err := addVariants(ctx, tx, one); err != nil {
			return err
		}
		d.Question = one[0]
		d.Days, d.Askers, err = tallied(ctx, tx, `FROM question_day WHERE question = $1`, int64(id))
		return err
	})
	return d, err
}

// tallied sums rows up by day, and by who asked.
func tallied(ctx context.Context, tx *store.Tx, from string, args ...any) (days []Day, askers []Asker, err error) {
	type who struct{ protocol, kind, agent string }
	by := map[who]*Asker{}
	err = tx.Each(ctx, `SELECT day, protocol, kind, agent, outcome, count `+from+` ORDER BY day`, func(row store.Scanner) error {
		var key dayKey
		var n int64
		if err := row.Scan(&key.day, &key.protocol, &key.kind, &key.agent, (*int64)(&key.outcome), &n); err != nil {
			return err
		}
		at := startOf(key.day)
		if len(days) == 0 || !days[len(days)-1].Day.Equal(at) {
			days = append(days, Day{Day: at, Of: map[Outcome]int64{}})
		}
		today := &days[len(days)-1]
		if key.outcome == clicked {
			today.Clicks += n
			return nil
		}
		today.Of[key.outcome] += n
		if key.kind == Person {
			today.People += n
		} else {
			today.Agents += n
		}
		of := who{key.protocol, key.kind, key.agent}
		if by[of] == nil {
			by[of] = &Asker{Protocol: key.protocol, Kind: key.kind, Agent: key.agent}
		}
		by[of].Times += n
		if key.outcome == Nothing {
			by[of].Nothing += n
		}
		return nil
	}, args...)
	for _, one := range by {
		askers = append(askers, *one)
	}
	slices.SortFunc(askers, func(a, b Asker) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Protocol, b.Protocol))
	})
	return days, askers, err
}

// Totals are the sums of all questions, also of those whose text is not kept.
type Totals struct {
	Days   []Day   // on which something was asked, the first first
	Askers []Asker // the most often first
}

// Totals sums up the days, by UTC, in which since ≤ time < until lies.
func (s *Store) Totals(ctx context.Context, since, until time.Time) (all Totals, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		all.Days, all.Askers, err = tallied(ctx, tx, `FROM question_sum WHERE day >= $1 AND day < $2`,
			dayOf(since), dayOf(until.Add(day-time.Nanosecond)))
		return err
	})
	if err != nil {
		return all, fmt.Errorf("sum up questions: %w", err)
	}
	return all, nil
}

// Given says how often agents were given each item, by its address, in the days, by UTC, in which
// since ≤ time < until lies.
func (s *Store) Given(ctx context.Context, since, until time.Time) (times map[string]int64, err error) {
	times = map[string]int64{}
	err = s.db.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT url, CAST(SUM(count) AS BIGINT) FROM question_given WHERE day >= $1 AND day < $2
			GROUP BY url`, func(row store.Scanner) error {
			var url string
			var n int64
			err := row.Scan(&url, &n)
			times[url] = n
			return err
		}, dayOf(since), dayOf(until.Add(day-time.Nanosecond)))
	})
	if err != nil {
		return nil, fmt.Errorf("read what agents were given: %w", err)
	}
	return times, nil
}

// Replayed is a question to be asked again. Its text is there also where it is Hidden, and may then
// be shown to nobody.
type Replayed struct {
	ID       ID
	Text     string
	Hidden   bool
	Language string
	Outcome  Outcome
	URL      string // of the item that was the best
	Times    int64
}

// Latest gives the questions that were asked last, the latest first; of those that are ignored
// none.
func (s *Store) Latest(ctx context.Context, limit int) ([]Replayed, error) {
	all, err := store.List(ctx, s.db, `SELECT id, text, shown, language, outcome, best_url, times FROM question_form
		WHERE ignored = 0 ORDER BY last DESC LIMIT $1`, func(row store.Scanner) (q Replayed, err error) {
		var shown int64
		err = row.Scan((*int64)(&q.ID), &q.Text, &shown, &q.Language, (*int64)(&q.Outcome), &q.URL, &q.Times)
		q.Hidden = shown == 0
		return q, err
	}, min(max(limit, 0), MaxRows))
	if err != nil {
		return nil, fmt.Errorf("read the latest questions: %w", err)
	}
	return all, nil
}

// Ignore takes a question out of the lists, or back into them; fail.NotFound where there is none.
func (s *Store) Ignore(ctx context.Context, id ID, ignored bool) error {
	at := int64(0)
	if ignored {
		at = store.Micros(s.now())
	}
	return s.db.UpdateSerial(ctx, turn, func(tx *store.Tx) error {
		w := &writing{ctx: ctx, tx: tx}
		rows, err := w.rows([]ID{id})
		if err != nil {
			return err
		}
		r := rows[id]
		if r == nil {
			return errUnknown
		}
		_, err = tx.Exec(ctx, `UPDATE question_form SET ignored = $1, state = $2 WHERE id = $3`,
			at, stateOf(r.outcome, r.who, r.clicks, ignored), int64(id))
		return err
	})
}

// IgnoreText is Ignore for the question with a text.
func (s *Store) IgnoreText(ctx context.Context, text string, ignored bool) error {
	return s.Ignore(ctx, idOf(query.Normal(Clean(text))), ignored)
}

// Text gives the text of a question by its id as addresses have it; empty where it may not be
// shown.
func (s *Store) Text(ctx context.Context, id string) (string, error) {
	var of ID
	if err := of.UnmarshalText([]byte(id)); err != nil {
		return "", err
	}
	q, err := s.Get(ctx, of)
	return q.Text, err
}

// Forget removes a question with all that is kept of it; the sums of all questions keep it.
func (s *Store) Forget(ctx context.Context, id ID) error {
	return s.db.UpdateSerial(ctx, turn, func(tx *store.Tx) error {
		gone, err := forget(ctx, tx, `1 = 1`, []any{int64(id)})
		if err == nil && gone == 0 {
			return errUnknown
		}
		return err
	})
}
