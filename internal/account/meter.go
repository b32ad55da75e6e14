package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/store"
	"frontdesk/internal/terms"
)

// meterTable is the step of Schema for purchases whose use the seller measures itself: one row for each, with for how long it was
// used, and until when that is counted. Both are microseconds.
const meterTable = `
CREATE TABLE account_meter (
	id    {{text}} NOT NULL PRIMARY KEY,
	used  BIGINT NOT NULL CHECK (used >= 0),
	until BIGINT NOT NULL
) {{clustered}};
`

// openMeter begins to measure a purchase.
func openMeter(ctx context.Context, tx *store.Tx, id string) error {
	if _, err := tx.Exec(ctx, `INSERT INTO account_meter (id, used, until) VALUES ($1, 0, 0)`, id); err != nil {
		return fmt.Errorf("begin to measure a purchase: %w", err)
	}
	return nil
}

// Meter counts that a purchase with a Charge that was Timed was used between two moments, and gives for how long it was used in all.
// What was counted already does not count again, so that who uses it twice at a time pays once. Of a purchase that is not measured it
// counts nothing. Use that is told later than what came after it is not counted: a meter never runs ahead.
func (b *Book) Meter(ctx context.Context, tx *store.Tx, id string, from, to time.Time) (time.Duration, error) {
	used, until, ok, err := meterOf(ctx, tx, id)
	if err != nil || !ok {
		return 0, err
	}
	if from.Before(until) {
		from = until
	}
	if !to.After(from) {
		return used, nil
	}
	used += to.Sub(from)
	if _, err := tx.Exec(ctx, `UPDATE account_meter SET used = $1, until = $2 WHERE id = $3`, used.Microseconds(), store.Micros(to), id); err != nil {
		return 0, fmt.Errorf("measure a purchase: %w", err)
	}
	return used, nil
}

// Metered is for how long a purchase was used; ok is false for one that is not measured.
func (b *Book) Metered(ctx context.Context, tx *store.Tx, id string) (used time.Duration, ok bool, err error) {
	used, _, ok, err = meterOf(ctx, tx, id)
	return used, ok, err
}

func meterOf(ctx context.Context, tx *store.Tx, id string) (used time.Duration, until time.Time, ok bool, err error) {
	var micros, last int64
	err = tx.QueryRow(ctx, `SELECT used, until FROM account_meter WHERE id = $1`, id).Scan(&micros, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, time.Time{}, false, nil
	}
	if err != nil {
		return 0, time.Time{}, false, fmt.Errorf("read for how long a purchase was used: %w", err)
	}
	return time.Duration(micros) * time.Microsecond, store.FromMicros(last), true, nil
}

// byMeter says whether a purchase is charged by its meter, if it has one: its model counts minutes.
func (h Hold) byMeter() bool { return terms.Money{Model: h.Model}.Unit() == terms.UnitMinutes }

// measured is what a purchase that is held costs by its meter: each minute that was begun, and no more than was authorised. ok is false
// where no meter counts what its model does.
func measured(ctx context.Context, tx *store.Tx, h Hold) (charge int64, ok bool, err error) {
	if !h.byMeter() {
		return 0, false, nil
	}
	used, _, ok, err := meterOf(ctx, tx, h.ID)
	return min(Product(h.Rate, begun(used, time.Minute)), h.Authorised), ok, err
}

// compare holds a report against the purchase's meter, where it tells what that counts.
func (s *Settlement) compare(ctx context.Context, tx *store.Tx, r Report) error {
	of, told := r.Of, r.Told
	if of == 0 && s.byMeter() {
		of, told = time.Minute, r.Quantity
	}
	if of == 0 {
		return nil
	}
	used, _, ok, err := meterOf(ctx, tx, s.ID)
	if ok {
		s.Used, s.Outside = used, differs(used, of, told)
	}
	return err
}

// begun is how many of a unit of time were begun in a time.
func begun(used, of time.Duration) int64 { return int64((used + of - 1) / of) }

// onTheWay is by how much the clocks of two sides differ about the same stream, whose bytes take their time from one to the other.
const onTheWay = 2 * time.Second

// differs says whether a quantity of a unit of time, as it was reported, is another than what was measured: further off than whole
// units can tell it.
func differs(used, of time.Duration, reported int64) bool {
	least, most := int64(max(used-onTheWay, 0)/of), begun(used+onTheWay, of)
	return reported < least || reported > most
}
