package questions

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/infra/store"
)

// today is what one process has counted on a day, to hold the bounds.
type today struct {
	day       int64
	addresses map[[8]byte]*counted
	agents    map[string]bool
	given     map[string]bool // addresses of items
}

// counted is what one address asked on a day.
type counted struct{ fresh, times int }

// dayKey tells apart what is counted on a day.
type dayKey struct {
	day                   int64
	protocol, kind, agent string
	outcome               Outcome
}

// tally is what was asked of one question.
type tally struct {
	last  kept // of those that tell what becomes of its words, where there is one
	asked []kept
	days  map[dayKey]int64
}

// batch is what is written together.
type batch struct {
	forms  map[ID]*tally
	sums   map[dayKey]int64
	given  map[givenKey]int64
	clicks []click
}

// givenKey is an item on a day on which agents were given it.
type givenKey struct {
	day int64
	url string
}

// write writes questions and clicks in one transaction.
func (k *Keeper) write(ctx context.Context, pending []kept, clicks []click) error {
	b := k.gather(pending)
	b.clicks = clicks
	full := 0
	err := k.options.DB.UpdateSerial(ctx, turn, func(tx *store.Tx) (err error) {
		w := &writing{Keeper: k, ctx: ctx, tx: tx, fresh: map[[8]byte]int{}, sums: maps.Clone(b.sums)}
		if err := w.all(b); err != nil {
			return err
		}
		full = w.full
		tx.AfterCommit(func() {
			for address, n := range w.fresh {
				if who := k.today.addresses[address]; who != nil {
					who.fresh += n
				}
			}
		})
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep questions: %w", err)
	}
	k.dropped(droppedFull, full)
	return nil
}

// gather puts together what is of one question.
func (k *Keeper) gather(pending []kept) batch {
	b := batch{forms: map[ID]*tally{}, sums: map[dayKey]int64{}, given: map[givenKey]int64{}}
	full := 0
	for _, one := range pending {
		k.turnDay(dayOf(one.At))
		if !k.today.agents[one.Agent] {
			if len(k.today.agents) >= maxAgents {
				one.Agent = ""
			}
			k.today.agents[one.Agent] = true
		}
		key := dayKey{dayOf(one.At), one.Protocol, one.Kind, one.Agent, one.Outcome}
		b.sums[key]++
		for _, url := range one.Given {
			if k.today.tellsApart(url) {
				b.given[givenKey{key.day, url}]++
			}
		}
		if one.form == "" {
			continue
		}
		who := k.addressOf(one)
		if who == nil || who.times >= maxTimesEach {
			full++
			continue
		}
		who.times++
		t := b.forms[one.id]
		if t == nil {
			t = &tally{last: one, days: map[dayKey]int64{}}
			b.forms[one.id] = t
		}
		if !one.Narrowed || t.last.Narrowed {
			t.last = one
		}
		t.asked = append(t.asked, one)
		t.days[key]++
	}
	k.dropped(droppedFull, full)
	return b
}

// turnDay begins to count anew on a new day.
func (k *Keeper) turnDay(n int64) {
	if k.today == nil || n > k.today.day {
		k.today = &today{
			day: n, addresses: map[[8]byte]*counted{}, agents: map[string]bool{}, given: map[string]bool{},
		}
	}
}

// tellsApart says whether an item is counted by itself.
func (t *today) tellsApart(url string) bool {
	if !t.given[url] {
		if len(t.given) >= maxGiven {
			return false
		}
		t.given[url] = true
	}
	return true
}

// addressOf is what the address of a question asked today; nil where too many are told apart.
func (k *Keeper) addressOf(one kept) *counted {
	at := k.address(one.Source)
	who := k.today.addresses[at]
	if who == nil && len(k.today.addresses) < maxAddresses {
		who = &counted{}
		k.today.addresses[at] = who
	}
	return who
}

func (k *Keeper) address(s Source) [8]byte { return [8]byte(k.sum("address", []byte(s.Address))[:8]) }

// seenBy is a hash of who asked a question. It differs from question to question, so that it does
// not tell what else the same address asked.
func (k *Keeper) seenBy(one kept) []byte {
	return k.sum("seen "+one.id.String(), []byte(one.Address))[:8]
}

// writing is a batch on its way.
type writing struct {
	*Keeper
	ctx   context.Context
	tx    *store.Tx
	sums  map[dayKey]int64
	fresh map[[8]byte]int // new texts, by the address that asked first
	left  int64           // of the day's new texts
	room  int64           // for questions
	full  int
}

// row is a row of question_form, as far as it is changed.
type row struct {
	state                               int64
	outcome                             Outcome
	seen                                []byte
	shown, seenAt, ignored, who, clicks int64
}

// all writes a batch.
func (w *writing) all(b batch) error {
	if err := w.bounds(); err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(b.forms))
	rows, err := w.rows(ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := w.form(b.forms[id], rows[id]); err != nil {
			return err
		}
	}
	for _, one := range b.clicks {
		if err := w.click(one); err != nil {
			return err
		}
	}
	if err := w.add("question_sum", w.sums); err != nil {
		return err
	}
	given := make([][]any, 0, len(b.given))
	for at, n := range b.given {
		given = append(given, []any{at.day, at.url, n})
	}
	if err := w.tx.Add(w.ctx, "question_given", "day url", "count", given); err != nil {
		return err
	}
	return w.spend()
}

func (a dayKey) compare(b dayKey) int {
	return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.protocol, b.protocol), cmp.Compare(a.kind, b.kind),
		cmp.Compare(a.agent, b.agent), cmp.Compare(a.outcome, b.outcome))
}

// The names of the states in question_state.
const (
	stateFresh = "fresh"  // new texts on a day
	stateForms = "forms"  // how many questions there are
	stateTurn  = "turned" // the day that week and month are right for, and up to which question of the next
)

// stateRow reads a state; ok is false where there is none.
func stateRow(ctx context.Context, tx *store.Tx, name string) (day, value int64, ok bool, err error) {
	err = tx.Each(ctx, `SELECT day, value FROM question_state WHERE name = $1`, func(row store.Scanner) error {
		ok = true
		return row.Scan(&day, &value)
	}, name)
	return day, value, ok, err
}

func setState(ctx context.Context, tx *store.Tx, name string, day, value int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO question_state (name, day, value) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET day = excluded.day, value = excluded.value`, name, day, value)
	return err
}

// bounds reads how much more may be kept.
func (w *writing) bounds() error {
	day, fresh, _, err := stateRow(w.ctx, w.tx, stateFresh)
	if err != nil {
		return err
	}
	w.left = maxFresh
	if w.today != nil && day == w.today.day {
		w.left -= fresh
	}
	_, forms, _, err := stateRow(w.ctx, w.tx, stateForms)
	w.room = maxForms - forms
	return err
}

// spend writes how much was kept of it.
func (w *writing) spend() error {
	day, fresh, _, err := stateRow(w.ctx, w.tx, stateFresh)
	if err != nil || w.today == nil {
		return err
	}
	before := int64(maxFresh)
	if day == w.today.day {
		before -= fresh
	}
	if w.left != before {
		if err := setState(w.ctx, w.tx, stateFresh, w.today.day, maxFresh-w.left); err != nil {
			return err
		}
	}
	_, forms, _, err := stateRow(w.ctx, w.tx, stateForms)
	if err != nil || maxForms-w.room == forms {
		return err
	}
	return setState(w.ctx, w.tx, stateForms, 0, maxForms-w.room)
}

// chunk is how many questions one statement names.
const chunk = 200

// rows reads the rows of questions.
func (w *writing) rows(ids []ID) (map[ID]*row, error) {
	rows := make(map[ID]*row, len(ids))
	for part := range slices.Chunk(ids, chunk) {
		args := make([]any, len(part))
		for i, id := range part {
			args[i] = int64(id)
		}
		if err := w.tx.Each(w.ctx, `SELECT id, outcome, shown, seen, seen_at, ignored, who, clicks FROM question_form
			WHERE id IN (`+store.Params(1, len(args))+`)`, func(s store.Scanner) error {
			var id int64
			r := &row{}
			err := s.Scan(&id, (*int64)(&r.outcome), &r.shown, &r.seen, &r.seenAt, &r.ignored, &r.who, &r.clicks)
			rows[ID(id)] = r
			return err
		}, args...); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// form writes what was asked of one question. A new one is written where there is room.
func (w *writing) form(t *tally, r *row) error {
	last, fresh := t.last, r == nil
	if fresh {
		address := w.address(t.asked[0].Source)
		if w.left <= 0 || w.room <= 0 || w.freshOf(address) >= maxFreshEach {
			w.full += len(t.asked)
			return nil
		}
		w.left, w.room = w.left-1, w.room-1
		w.fresh[address]++
		r = &row{outcome: last.Outcome, seen: []byte{}}
	}
	for _, one := range t.asked {
		w.see(r, one)
		r.who |= whoOf(one.Kind)
	}
	tells := !last.Narrowed || fresh
	if tells {
		r.outcome = last.Outcome
	}
	r.state = stateOf(r.outcome, r.who, r.clicks, r.ignored > 0)
	if err := w.put(t, r, fresh, tells); err != nil {
		return err
	}
	if err := w.add("question_day", t.days, int64(last.id)); err != nil {
		return err
	}
	return w.variants(t, fresh)
}

// freshOf is how many new texts came of an address today.
func (w *writing) freshOf(address [8]byte) int {
	n := w.fresh[address]
	if who := w.today.addresses[address]; who != nil {
		n += who.fresh
	}
	return n
}

func whoOf(kind string) int64 {
	if kind == Person {
		return askedByPerson
	}
	return askedByAgent
}

// see notes who asked a question, until two addresses have or the owner did.
func (w *writing) see(r *row, one kept) {
	at := store.Micros(one.At)
	by := w.seenBy(one)
	switch {
	case r.shown > 0:
		return
	case one.Owner:
	case len(r.seen) == 0 || at-r.seenAt > day.Microseconds():
		r.seen, r.seenAt = by, at
		return
	case bytes.Equal(r.seen, by):
		return
	}
	r.shown, r.seen, r.seenAt = 1, []byte{}, 0
}

// put writes the row of a question.
func (w *writing) put(t *tally, r *row, fresh, tells bool) (err error) {
	last, n := t.last, int64(len(t.asked))
	at := last.At
	for _, one := range t.asked {
		if one.At.After(at) {
			at = one.At
		}
	}
	score := int64(last.Score*10 + 0.5)
	switch {
	case fresh:
		_, err = w.tx.Exec(w.ctx, `INSERT INTO question_form (id, form, text, language, state, outcome, score, best_url, best_name,
			first, last, shown, seen, seen_at, ignored, who, clicks, week, month, times)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, $15, 0, $16, $17, $18)`,
			int64(last.id), last.form, last.Text, last.Language, r.state, int64(r.outcome), score, last.URL, last.Name,
			store.Micros(t.asked[0].At), store.Micros(at), r.shown, r.seen, r.seenAt, r.who, n, n, n)
		if err == nil {
			err = putWords(w.ctx, w.tx, int64(last.id), last.form)
		}
	case tells:
		_, err = w.tx.Exec(w.ctx, `UPDATE question_form SET text = $1, language = $2, state = $3, outcome = $4, score = $5,
			best_url = $6, best_name = $7, last = $8, shown = $9, seen = $10, seen_at = $11, who = $12,
			week = week + $13, month = month + $14, times = times + $15 WHERE id = $16`,
			last.Text, last.Language, r.state, int64(r.outcome), score, last.URL, last.Name, store.Micros(at),
			r.shown, r.seen, r.seenAt, r.who, n, n, n, int64(last.id))
	default:
		_, err = w.tx.Exec(w.ctx, `UPDATE question_form SET state = $1, last = $2, shown = $3, seen = $4, seen_at = $5, who = $6,
			week = week + $7, month = month + $8, times = times + $9 WHERE id = $10`,
			r.state, store.Micros(at), r.shown, r.seen, r.seenAt, r.who, n, n, n, int64(last.id))
	}
	return err
}

// add adds counts by day to a table, behind what else its key begins with.
func (w *writing) add(table string, days map[dayKey]int64, id ...any) error {
	key := "day protocol kind agent outcome"
	if len(id) > 0 {
		key = "question " + key
	}
	var rows [][]any
	for _, at := range slices.SortedFunc(maps.Keys(days), dayKey.compare) {
		row := append(slices.Clone(id), at.day, at.protocol, at.kind, at.agent, int64(at.outcome), days[at])
		rows = append(rows, row)
	}
	return w.tx.Add(w.ctx, table, key, "count", rows)
}

// variants writes how a question was worded, as far as there is room.
func (w *writing) variants(t *tally, fresh bool) error {
	texts := map[string]time.Time{}
	for _, one := range t.asked {
		texts[one.Text] = one.At
	}
	known := 0
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		if !fresh {
			n, err := w.tx.Exec(w.ctx, `UPDATE question_variant SET last = $1 WHERE question = $2 AND text = $3`,
				store.Micros(texts[text]), int64(t.last.id), text)
			if err != nil {
				return err
			}
			if n > 0 {
				continue
			}
			if err := w.tx.QueryRow(w.ctx, `SELECT COUNT(*) FROM question_variant WHERE question = $1`,
				int64(t.last.id)).Scan(&known); err != nil {
				return err
			}
		}
		if known >= maxVariants || known > 0 && w.left <= 0 {
			return nil
		}
		if _, err := w.tx.Exec(w.ctx, `INSERT INTO question_variant (question, text, last) VALUES ($1, $2, $3)`,
			int64(t.last.id), text, store.Micros(texts[text])); err != nil {
			return err
		}
		if known > 0 {
			w.left--
		}
		known++
	}
	return nil
}

// click counts a place of an answer that was followed, unless it was counted before.
func (w *writing) click(one click) error {
	n, err := w.tx.Exec(w.ctx, `INSERT INTO question_click (answer, place, at) VALUES ($1, $2, $3)
		ON CONFLICT (answer, place) DO NOTHING`, one.answer[:], one.place, store.Micros(one.at))
	if err != nil || n == 0 {
		return err
	}
	rows, err := w.rows([]ID{one.question})
	r := rows[one.question]
	if err != nil || r == nil {
		return err
	}
	r.clicks++
	if _, err := w.tx.Exec(w.ctx, `UPDATE question_form SET clicks = $1, state = $2 WHERE id = $3`, r.clicks,
		stateOf(r.outcome, r.who, r.clicks, r.ignored > 0), int64(one.question)); err != nil {
		return err
	}
	key := dayKey{dayOf(one.at), one.source.Protocol, one.source.Kind, one.source.Agent, clicked}
	w.sums[key]++
	return w.add("question_day", map[dayKey]int64{key: 1}, int64(one.question))
}
