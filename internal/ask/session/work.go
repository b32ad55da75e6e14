package session

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"frontdesk/internal/infra/store"
)

// Job is the work on a promise under a claim. It is for the goroutine that works.
type Job struct {
	Party   string // as it was asked
	Request []byte

	promises *Promises
	key      []byte
	claim    string
}

// ID names a job in this process; it says nothing of its token.
func (j *Job) ID() string { return string(j.key) }

// Forgotten says whether the promise is no more, with its conversation.
func (j *Job) Forgotten(ctx context.Context) (bool, error) {
	var n int
	err := j.promises.db.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM promise_job WHERE key = $1`, j.key).Scan(&n)
	})
	return err == nil && n == 0, err
}

// Progress is how far the work is.
type Progress struct {
	Part    float64       // 0 to 1
	Left    time.Duration // how long it will still take; 0 when that is not known
	Message string        // for people; empty leaves the last
}

// Claim gives a job that waits, or whose claim has run out; nil when there is none. Holders take
// turns: the next job is of the one for whom the fewest are worked on, among these of the one whose
// last was begun the longest ago, and of his jobs it is the oldest. So nobody's many promises hold
// up another's.
func (p *Promises) Claim(ctx context.Context) (*Job, error) {
	const next = `WITH due AS (SELECT holder, MIN(made) AS oldest FROM promise_job
			WHERE seal = $1 AND expires > $2 AND (state = 0 OR state = 1 AND lease < $2) GROUP BY holder),
		turn AS (SELECT holder, oldest FROM due ORDER BY
			(SELECT COUNT(*) FROM promise_job busy WHERE busy.holder = due.holder AND busy.state = 1 AND busy.lease >= $2),
			(SELECT MAX(begun) FROM promise_job before WHERE before.holder = due.holder), oldest LIMIT 1)
		SELECT job.key, job.request, job.tries FROM promise_job job JOIN turn ON job.holder = turn.holder AND job.made = turn.oldest
		WHERE job.seal = $1 AND job.expires > $2 AND (job.state = 0 OR job.state = 1 AND job.lease < $2) LIMIT 1`
	now := store.Micros(p.now())
	var job *Job
	look := func(tx *store.Tx) (request []byte, tries int, err error) {
		job = &Job{promises: p}
		err = tx.QueryRow(ctx, next, p.name, now).Scan(&job.key, &request, &tries)
		if errors.Is(err, sql.ErrNoRows) {
			job, err = nil, nil
		}
		return request, tries, err
	}
	// Mostly there is none, and then nothing is written.
	err := p.db.View(ctx, func(tx *store.Tx) error { _, _, err := look(tx); return err })
	if err != nil || job == nil {
		return nil, err
	}
	err = p.db.Update(ctx, func(tx *store.Tx) error {
		request, tries, err := look(tx)
		if err != nil || job == nil {
			return err
		}
		asked, unreadable := p.open(job.key, request)
		if tries >= maxTries || unreadable != nil {
			_, err = tx.Exec(ctx, `UPDATE promise_job SET state = $1, claim = '', lease = 0 WHERE key = $2`, int(Broken), job.key)
			job = nil
			return err
		}
		job.Party, job.Request, job.claim = asked.Party, asked.Request, rand.Text()
		now := p.now()
		_, err = tx.Exec(ctx, `UPDATE promise_job SET state = 1, claim = $1, lease = $2, begun = $3, tries = tries + 1 WHERE key = $4`,
			job.claim, store.Micros(now.Add(lease)), store.Micros(now), job.key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

// Renew holds the claim for longer and tells how far the work is. mine is false when the claim is
// lost: the promise was cancelled, or another worker took it over. Then the work must stop.
func (j *Job) Renew(ctx context.Context, at Progress) (mine bool, err error) {
	p := j.promises
	now := p.now()
	var ready time.Time
	if at.Left > 0 {
		ready = now.Add(at.Left)
	}
	err = p.db.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE promise_job SET lease = $1, progress = CASE WHEN progress < $2 THEN $2 ELSE progress END, ready = $3,
			message = CASE WHEN $4 = '' THEN message ELSE $4 END, expires = $5 WHERE key = $6 AND claim = $7 AND state = 1`,
			store.Micros(now.Add(lease)), int64(min(max(at.Part, 0), 1)*whole), store.Micros(ready), at.Message,
			store.Micros(now.Add(p.options.Keep)), j.key, j.claim)
		mine = n > 0
		return err
	})
	return mine, err
}

// Finish keeps the answer, released under a version of the terms. Of a job whose claim is lost
// nothing is kept. It returns fail.TooLong for an answer that is too large to be kept.
func (j *Job) Finish(ctx context.Context, rules string, answer []byte) error {
	packed, err := pack(answer)
	if err != nil {
		return err
	}
	p := j.promises
	return p.db.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE promise_job SET state = $1, claim = '', lease = 0, progress = $2, ready = 0, expires = $3
			WHERE key = $4 AND claim = $5 AND state = 1`,
			int(Kept), int64(whole), store.Micros(p.now().Add(p.options.Keep)), j.key, j.claim)
		if err != nil || n == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM promise_answer WHERE key = $1`, j.key); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO promise_answer (key, rules, answer) VALUES ($1, $2, $3)`, j.key, rules, p.sealing.close(packed, answerPlace(j.key, rules)))
		return err
	})
}

// Release gives the job back, for another worker to begin it anew: this one has to stop, and not
// because of the job.
func (j *Job) Release(ctx context.Context) error {
	return j.promises.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE promise_job SET state = 0, claim = '', lease = 0, tries = tries - 1 WHERE key = $1 AND claim = $2 AND state = 1`,
			j.key, j.claim)
		return err
	})
}

// Defer gives the job back, to be begun anew after a while: what it needs is not there at the
// moment. It counts as one of the times that a job may be begun.
func (j *Job) Defer(ctx context.Context) error {
	return j.promises.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE promise_job SET claim = '', lease = $1 WHERE key = $2 AND claim = $3 AND state = 1`,
			store.Micros(j.promises.now().Add(lease)), j.key, j.claim)
		return err
	})
}

// Sweep removes what has expired, and says how many promises that were.
func (p *Promises) Sweep(ctx context.Context) (removed int64, err error) {
	now := store.Micros(p.now())
	// Mostly there is nothing, and then nothing is written.
	var expired int
	err = p.db.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM promise_job WHERE expires <= $1`, now).Scan(&expired)
	})
	if err != nil || expired == 0 {
		return 0, err
	}
	err = p.db.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM promise_answer WHERE key IN (SELECT key FROM promise_job WHERE expires <= $1)`, now); err != nil {
			return err
		}
		removed, err = tx.Exec(ctx, `DELETE FROM promise_job WHERE expires <= $1`, now)
		return err
	})
	return removed, err
}
