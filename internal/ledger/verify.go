package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"frontdesk/internal/infra/store"
)

// verifiedTable is the step of Schema for what came of the last time that the whole was verified.
const verifiedTable = `
CREATE TABLE ledger_verified (
	one    BIGINT NOT NULL PRIMARY KEY,
	began  BIGINT NOT NULL,
	ended  BIGINT NOT NULL,
	who    TEXT NOT NULL,
	report TEXT NOT NULL
);
`

// Verified is how the ledger was verified last, and whether it is being verified.
type Verified struct {
	Running time.Time // since when it is being verified by this process; zero where it is not
	Failed  bool      // the last time of this process did not come to its end
	// Of the last time that came to its end; zero where there was none.
	Began, Ended time.Time
	By           string // who asked for it
	Report       Report
}

// Sound says whether all was as it was signed, the last time.
func (v Verified) Sound() bool { return !v.Ended.IsZero() && len(v.Report.Findings) == 0 }

// verifying is a run of Verify.
type verifying struct {
	mu     sync.Mutex
	since  time.Time
	done   chan struct{} // closed when the one that runs has ended
	failed bool
}

// maxVerify is how long one run may take.
const maxVerify = time.Hour

// Verify begins to check the whole ledger, unless that is going on already, and waits for the end
// for as long as ctx lives. What was begun goes on after that. What came of it is kept.
func (l *Ledger) Verify(ctx context.Context, by string) (Verified, error) {
	v := &l.verifying
	v.mu.Lock()
	done := v.done
	if v.since.IsZero() {
		done = make(chan struct{})
		v.since, v.done, v.failed = l.now(), done, false
		go l.verify(context.WithoutCancel(ctx), by, v.since)
	}
	v.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return l.Verified(context.WithoutCancel(ctx))
}

func (l *Ledger) verify(ctx context.Context, by string, began time.Time) {
	ctx, cancel := context.WithTimeout(ctx, maxVerify)
	defer cancel()
	report, err := l.Check(ctx)
	var text []byte
	if err == nil {
		text, err = json.Marshal(report)
	}
	if err == nil {
		err = l.db.Update(ctx, func(tx *store.Tx) error {
			return tx.ExecOne(ctx, `INSERT INTO ledger_verified (one, began, ended, who, report) VALUES (1, $1, $2, $3, $4)
				ON CONFLICT (one) DO UPDATE SET began = excluded.began, ended = excluded.ended, who = excluded.who,
				report = excluded.report`, store.Micros(began), store.Micros(l.now()), by, string(text))
		})
	}
	if err != nil {
		l.log.Warn("the ledger could not be verified", "error", err)
	}
	v := &l.verifying
	v.mu.Lock()
	defer v.mu.Unlock()
	v.since, v.failed = time.Time{}, err != nil
	close(v.done)
}

// Verified says how the ledger was verified last.
func (l *Ledger) Verified(ctx context.Context) (out Verified, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		out = Verified{}
		var report string
		err := tx.QueryRow(ctx, `SELECT began, ended, who, report FROM ledger_verified WHERE one = 1`).
			Scan(&out.Began, &out.Ended, &out.By, &report)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(report), &out.Report)
	})
	if err != nil {
		return out, fmt.Errorf("read when the ledger was verified: %w", err)
	}
	v := &l.verifying
	v.mu.Lock()
	defer v.mu.Unlock()
	out.Running, out.Failed = v.since, v.failed
	return out, nil
}
