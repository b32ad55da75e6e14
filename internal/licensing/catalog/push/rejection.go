package push

import (
	"context"
	"time"

	"frontdesk/internal/infra/store"
)

// Rejections is how many entries that were refused are kept for each tenant, the last ones.
const Rejections = 1000

// The bounds of a rejection's texts, in bytes.
const (
	maxAddress = 512
	maxDetail  = 512
)

// Rejection is a pushed entry that was refused.
type Rejection struct {
	At      time.Time
	Caller  string
	Address string // what the entry said: its domain and path
	Reason  string // one word, such as UNKNOWN_VERIFIER
	Detail  string // a sentence
}

// refuse keeps rejections, in the places of the oldest.
func refuse(ctx context.Context, tx *store.Tx, tenant string, at *tenantState, all []Rejection) error {
	for _, r := range all[max(0, len(all)-Rejections):] {
		at.refused++
		err := tx.ExecOne(ctx, `INSERT INTO supply_rejection (tenant, place, number, at, caller, address, reason, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (tenant, place) DO UPDATE SET number = EXCLUDED.number, at = EXCLUDED.at, caller = EXCLUDED.caller, address = EXCLUDED.address,
			reason = EXCLUDED.reason, detail = EXCLUDED.detail`,
			tenant, at.refused%Rejections, at.refused, store.Micros(r.At), r.Caller, clip(r.Address, maxAddress),
			r.Reason, clip(r.Detail, maxDetail))
		if err != nil {
			return err
		}
	}
	return nil
}

// Refused gives the entries of a tenant that were refused last, the last first, at most so many.
func (s *Store) Refused(ctx context.Context, tenant string, limit int) (all []Rejection, err error) {
	return store.List(ctx, s.db, `SELECT at, caller, address, reason, detail FROM supply_rejection WHERE tenant = $1 ORDER BY number DESC LIMIT $2`,
		func(row store.Scanner) (r Rejection, err error) {
			err = row.Scan(&r.At, &r.Caller, &r.Address, &r.Reason, &r.Detail)
			return r, err
		}, tenant, limit)
}

// clip shortens a text to at most n bytes, at the end of a character, and without what a database
// does not keep.
func clip(text string, n int) string {
	if len(text) > n {
		text = text[:n]
	}
	clean := make([]rune, 0, len(text))
	for _, r := range text {
		if r != 0 && r != '\uFFFD' {
			clean = append(clean, r)
		}
	}
	return string(clean)
}
