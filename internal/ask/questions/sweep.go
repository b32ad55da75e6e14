package questions

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

// sweepEvery is how often Follow sweeps.
const sweepEvery = time.Minute

// Follow sweeps now and then, until ctx ends. It has to be running where nothing is kept, too: what
// was kept before goes then.
func (k *Keeper) Follow(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := k.Sweep(ctx); err != nil && ctx.Err() == nil {
			k.options.Log.Warn("old questions could not be removed; that is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep removes what is older than is kept, the hashes of addresses that are older than a day, and
// the ids of answers that ended; and it takes the days that left the last 7 and 30 out of their
// counts. It works in small steps, so that others can write between them.
func (k *Keeper) Sweep(ctx context.Context) error {
	now := k.options.Now()
	for _, step := range []func(context.Context, *store.Tx, time.Time) (more bool, err error){
		k.sweepSeen, k.sweepTurn, k.sweepOld, k.sweepSums, k.sweepWords,
	} {
		for more := true; more; {
			err := k.options.DB.UpdateSerial(ctx, turn, func(tx *store.Tx) (err error) {
				more, err = step(ctx, tx, now)
				return err
			})
			if err != nil {
				return fmt.Errorf("sweep questions: %w", err)
			}
		}
	}
	return nil
}

// sweepSeen forgets who asked, and which answers were followed.
func (k *Keeper) sweepSeen(ctx context.Context, tx *store.Tx, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE question_form SET seen = $1, seen_at = 0 WHERE id IN
		(SELECT id FROM question_form WHERE seen_at > 0 AND seen_at < $2 LIMIT $3)`,
		[]byte{}, store.Micros(now.Add(-day)), chunk)
	if err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM question_click WHERE at < $1`, store.Micros(now.Add(-ClickTime-2*time.Minute)))
	return n == chunk, err
}

// The days of which week and month are the counts.
const (
	weekDays  = 7
	monthDays = 30
)

// sweepTurn brings week and month from one day to the next, for some questions at a time.
func (k *Keeper) sweepTurn(ctx context.Context, tx *store.Tx, now time.Time) (bool, error) {
	at, after, ok, err := stateRow(ctx, tx, stateTurn)
	today := dayOf(now)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, setState(ctx, tx, stateTurn, today, 0)
	}
	if at >= today {
		return false, nil
	}
	next := at + 1
	ids, err := someIDs(ctx, tx, `SELECT DISTINCT question FROM question_day WHERE day IN ($1, $2) AND question > $3
		ORDER BY question LIMIT $4`, next-weekDays, next-monthDays, after, chunk)
	if err != nil {
		return false, err
	}
	if err := recount(ctx, tx, ids, next); err != nil {
		return false, err
	}
	if len(ids) == chunk {
		return true, setState(ctx, tx, stateTurn, at, ids[chunk-1].(int64))
	}
	return next < today, setState(ctx, tx, stateTurn, next, 0)
}

// someIDs are the questions that a query names.
func someIDs(ctx context.Context, tx *store.Tx, query string, args ...any) ([]any, error) {
	return store.All(ctx, tx, query, func(row store.Scanner) (any, error) {
		var id int64
		err := row.Scan(&id)
		return id, err
	}, args...)
}

// recount sets the counts of questions as they are on a day.
func recount(ctx context.Context, tx *store.Tx, ids []any, today int64) error {
	if len(ids) == 0 {
		return nil
	}
	const sum = `(SELECT COALESCE(SUM(d.count), 0) FROM question_day d WHERE d.question = question_form.id AND d.outcome `
	args := append([]any{int64(clicked), today - weekDays, today - monthDays}, ids...)
	_, err := tx.Exec(ctx, `UPDATE question_form SET times = CAST(`+sum+`< $1) AS BIGINT),
		week = CAST(`+sum+`< $1 AND d.day > $2) AS BIGINT), month = CAST(`+sum+`< $1 AND d.day > $3) AS BIGINT),
		clicks = CAST(`+sum+`= $1) AS BIGINT) WHERE id IN (`+store.Params(4, len(ids))+`)`, args...)
	return err
}

// oldest is the first day that is kept.
func (k *Keeper) oldest(now time.Time) int64 {
	if k.options.Keep <= 0 {
		return dayOf(now) + 1
	}
	return dayOf(now.Add(-k.options.Keep)) + 1
}

// sweepOld removes days that are over, for some questions at a time, and questions that were asked
// on no other.
func (k *Keeper) sweepOld(ctx context.Context, tx *store.Tx, now time.Time) (bool, error) {
	oldest := k.oldest(now)
	ids, err := someIDs(ctx, tx, `SELECT DISTINCT question FROM question_day WHERE day < $1 LIMIT $2`, oldest, chunk)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM question_day WHERE day < $1 AND question IN (`+store.Params(2, len(ids))+`)`,
		append([]any{oldest}, ids...)...); err != nil {
		return false, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM question_variant WHERE last < $1 AND question IN (`+store.Params(2, len(ids))+`)`,
		append([]any{store.Micros(startOf(oldest))}, ids...)...); err != nil {
		return false, err
	}
	if err := recount(ctx, tx, ids, dayOf(now)); err != nil {
		return false, err
	}
	_, err = forget(ctx, tx, `times = 0`, ids)
	return len(ids) == chunk, err
}

// forget removes those of some questions for which a condition holds, and says how many.
func forget(ctx context.Context, tx *store.Tx, where string, ids []any) (gone int64, err error) {
	if err := dropWords(ctx, tx, where, ids); err != nil {
		return 0, err
	}
	gone, err = tx.Exec(ctx, `DELETE FROM question_form WHERE `+where+` AND id IN (`+store.Params(1, len(ids))+`)`, ids...)
	if err != nil || gone == 0 {
		return 0, err
	}
	for _, table := range []string{"question_variant", "question_day"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE question IN (`+store.Params(1, len(ids))+`)
			AND NOT EXISTS (SELECT 1 FROM question_form f WHERE f.id = question)`, ids...); err != nil {
			return 0, err
		}
	}
	_, err = tx.Exec(ctx, `UPDATE question_state SET value = value - $1 WHERE name = $2`, gone, stateForms)
	return gone, err
}

// sweepSums removes the days of all questions together, and of items, that are over.
func (k *Keeper) sweepSums(ctx context.Context, tx *store.Tx, now time.Time) (bool, error) {
	oldest := k.oldest(now)
	if _, err := tx.Exec(ctx, `DELETE FROM question_sum WHERE day < $1`, oldest); err != nil {
		return false, err
	}
	_, err := tx.Exec(ctx, `DELETE FROM question_given WHERE day < $1`, oldest)
	return false, err
}
