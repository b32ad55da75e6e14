package accounts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// meterTable is the step of Schema for purchases whose use the seller measures itself: one row for
// each, with for how long it was used, and until when that is counted. Both are microseconds.
const meterTable = `
CREATE TABLE account_meter (
	id    {{text}} NOT NULL PRIMARY KEY,
	used  BIGINT NOT NULL CHECK (used >= 0),
	until BIGINT NOT NULL
) {{clustered}};
`

// meterGaps is the step of Schema by which a meter knows which time before its end is not counted,
// see gaps. What was measured before has none: nothing of it counts any more.
const meterGaps = `
ALTER TABLE account_meter ADD COLUMN gaps TEXT NOT NULL DEFAULT '';
`

// openMeter begins to measure a purchase.
func openMeter(ctx context.Context, tx *store.Tx, id string) error {
	if _, err := tx.Exec(ctx, `INSERT INTO account_meter (id, used, until, gaps) VALUES ($1, 0, 0, '')`, id); err != nil {
		return fmt.Errorf("begin to measure a purchase: %w", err)
	}
	return nil
}

// Meter counts that a purchase with a Charge that was Timed was used between two moments, and gives
// for how long it was used in all. Each moment counts once, in whatever order it is told of: who
// uses a purchase twice at a time pays once, and what is told late counts as well. Of a purchase
// that is not measured it counts nothing.
func (b *Ledger) Meter(ctx context.Context, tx *store.Tx, id string, from, to time.Time) (time.Duration, error) {
	m, ok, err := meterOf(ctx, tx, id)
	if err != nil || !ok {
		return 0, err
	}
	if !m.count(store.Micros(from), store.Micros(to)) {
		return m.inAll(), nil
	}
	if _, err := tx.Exec(ctx, `UPDATE account_meter SET used = $1, until = $2, gaps = $3 WHERE id = $4`, m.used, m.until, m.gaps.String(), id); err != nil {
		return 0, fmt.Errorf("measure a purchase: %w", err)
	}
	return m.inAll(), nil
}

// MeteredTime returns for how long a purchase was used; ok is false if it is not measured.
func (b *Ledger) MeteredTime(ctx context.Context, tx *store.Tx, id string) (used time.Duration, ok bool, err error) {
	m, ok, err := meterOf(ctx, tx, id)
	return m.inAll(), ok, err
}

// meter is for how long a purchase was used until a moment, in microseconds, and which time before
// that is not counted.
type meter struct {
	used, until int64
	gaps        gaps
}

func (m meter) inAll() time.Duration { return time.Duration(m.used) * time.Microsecond }

// count counts the time between two moments, and says whether any of it was new.
func (m *meter) count(from, to int64) (counted bool) {
	if to <= from {
		return false
	}
	before := m.used
	if to > m.until {
		if from > m.until {
			m.gaps = append(m.gaps, gap{m.until, from})
		}
		m.used += to - max(from, m.until)
		m.until = to
	}
	var left gaps
	for _, g := range m.gaps {
		start, end := max(from, g.from), min(to, g.to)
		if start >= end {
			left = append(left, g)
			continue
		}
		m.used += end - start
		if g.from < start {
			left = append(left, gap{g.from, start})
		}
		if end < g.to {
			left = append(left, gap{end, g.to})
		}
	}
	m.gaps = left
	return m.used > before
}

// gap is a time between two moments that is not counted; gaps are those of a meter, the earliest
// first, as they are stored: "0-17 21-23". There is one more at the most than the purchase had
// streams.
type (
	gap  struct{ from, to int64 }
	gaps []gap
)

func (all gaps) String() string {
	var text []byte
	for i, g := range all {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, g.from, 10)
		text = strconv.AppendInt(append(text, '-'), g.to, 10)
	}
	return string(text)
}

func readGaps(text string) (all gaps, err error) {
	for one := range strings.FieldsSeq(text) {
		from, to, _ := strings.Cut(one, "-")
		var g gap
		if g.from, err = strconv.ParseInt(from, 10, 64); err == nil {
			g.to, err = strconv.ParseInt(to, 10, 64)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

func meterOf(ctx context.Context, tx *store.Tx, id string) (m meter, ok bool, err error) {
	var uncounted string
	err = tx.QueryRow(ctx, `SELECT used, until, gaps FROM account_meter WHERE id = $1`, id).Scan(&m.used, &m.until, &uncounted)
	if errors.Is(err, sql.ErrNoRows) {
		return meter{}, false, nil
	}
	if err == nil {
		m.gaps, err = readGaps(uncounted)
	}
	if err != nil {
		return meter{}, false, fmt.Errorf("read for how long a purchase was used: %w", err)
	}
	return m, true, nil
}

// byMeter says whether a purchase is charged by its meter, if it has one: its model counts minutes.
func (h Hold) byMeter() bool { return policy.Money{Model: h.Model}.Unit() == policy.UnitMinutes }

// measured is what a purchase that is held costs by its meter: each minute that was begun, and no
// more than was authorised. ok is false where no meter counts what its model does.
func measured(ctx context.Context, tx *store.Tx, h Hold) (charge int64, ok bool, err error) {
	if !h.byMeter() {
		return 0, false, nil
	}
	m, ok, err := meterOf(ctx, tx, h.ID)
	return min(Product(h.Rate, begun(m.inAll(), time.Minute)), h.Authorised), ok, err
}

// compare holds a report against the purchase's meter, where it tells what that counts.
func (s *Settlement) compare(ctx context.Context, tx *store.Tx, r Report) error {
	of, told := r.TimeUnit, r.Reported
	if of == 0 && s.byMeter() {
		of, told = time.Minute, r.Quantity
	}
	if of == 0 {
		return nil
	}
	m, ok, err := meterOf(ctx, tx, s.ID)
	if ok {
		s.Measured, s.Deviant = m.inAll(), differs(m.inAll(), of, told)
	}
	return err
}

// begun is how many of a unit of time were begun in a time.
func begun(used, of time.Duration) int64 { return int64((used + of - 1) / of) }

// onTheWay is by how much the clocks of two sides differ about the same stream, whose bytes take
// their time from one to the other.
const onTheWay = 2 * time.Second

// differs says whether a quantity of a unit of time, as it was reported, is another than what was
// measured: further off than whole units can tell it.
func differs(used, of time.Duration, reported int64) bool {
	least, most := int64(max(used-onTheWay, 0)/of), begun(used+onTheWay, of)
	return reported < least || reported > most
}
