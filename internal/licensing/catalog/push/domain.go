package push

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Domain is a domain that was verified once, and its present state.
type Domain struct {
	Domain, Tenant, Caller string
	// Status is "verified", or "lapsed" where Reason says why.
	Status, Reason string
	Since          time.Time // from when it is verified without a gap
	Verified       time.Time // when it was last
	Until          time.Time // when that has to be done again
	Listed         time.Time // when the domain's ramp.json last named this Exchange
	Looked         time.Time // when that was last looked at
	// Form is how addresses are signed at the domain, and Key the id of the key that was registered
	// for that last; empty for none.
	Form, Key string
}

// The values of Domain.Status, and why domains lapse.
const (
	DomainVerified = "verified"
	DomainLapsed   = "lapsed"

	LapsedOver     = "OVER"        // it was not verified again in time
	LapsedUnlisted = "NOT_LISTED"  // its ramp.json does not name this Exchange any more
	LapsedSilent   = "UNREACHABLE" // its ramp.json could not be had for too long
)

// Valid says whether the domain is verified at a time.
func (d *Domain) Valid(now time.Time) bool { return d.Status == DomainVerified && now.Before(d.Until) }

// State is Status, as it is at a time.
func (d *Domain) State(now time.Time) string {
	if d.Valid(now) {
		return DomainVerified
	}
	return DomainLapsed
}

// OnProof calls fn for every domain that is verified or lapses, and of what it comes to, in the
// transaction that does it; its error undoes the change. Call it before anything else.
func (t *Tenants) OnProof(fn func(ctx context.Context, tx *store.Tx, domain Domain, did string) error) {
	t.proved = fn
}

func (t *Tenants) tell(ctx context.Context, tx *store.Tx, domain Domain, did string) error {
	if t.proved == nil {
		return nil
	}
	return t.proved(ctx, tx, domain, did)
}

// ErrMoved is of a domain that is another tenant's by now.
var ErrMoved = errors.New("the domain is not the tenant's any more")

// Registered is the key that goes with a proof.
type Registered struct {
	ID, Form string
	Ends     time.Time // zero for never
}

// RecordProof keeps that a used challenge was met: the domain is verified for so long. register
// registers the key that goes with that, in the same transaction; it gives the zero value for none,
// and then the one of before stays. The deadline is no later than the end of the key. The error is
// ErrMoved where the domain is another's by now, or register's: then nothing is kept.
func (t *Tenants) RecordProof(ctx context.Context, c Challenge, life time.Duration,
	register func(context.Context, *store.Tx) (Registered, error)) (proved Domain, err error) {
	now := t.config.Now().UTC().Truncate(time.Microsecond)
	err = t.change(ctx, func(tx *store.Tx) error {
		if owner, err := ownerOf(ctx, tx, c.Domain); err != nil || owner != c.Tenant &&
			(owner != "" || !t.config.Sites[c.Tenant]) {
			return errors.Join(err, ErrMoved)
		}
		proved = Domain{Domain: c.Domain, Tenant: c.Tenant, Caller: c.Caller, Status: DomainVerified, Since: now,
			Verified: now, Until: now.Add(life), Listed: now, Looked: now}
		before, err := domainAt(ctx, tx, c.Domain)
		if err != nil {
			return err
		}
		if before.Tenant == c.Tenant {
			proved.Form, proved.Key = before.Form, before.Key
			if before.Valid(now) {
				proved.Since = before.Since
			}
		}
		key, err := register(ctx, tx)
		if err != nil {
			return err
		}
		if key.ID != "" {
			proved.Form, proved.Key = key.Form, key.ID
		}
		if !key.Ends.IsZero() && key.Ends.Before(proved.Until) {
			proved.Until = key.Ends
		}
		if _, err := tx.Exec(ctx, `UPDATE supply_challenge SET outcome = $1 WHERE hash = $2`, DomainVerified, c.Hash); err != nil {
			return err
		}
		if err := putDomain(ctx, tx, proved); err != nil {
			return err
		}
		return t.tell(ctx, tx, proved, DomainVerified)
	})
	return proved, err
}

// RecordFailure keeps why a used challenge was not met, in one word. One that was met stays so:
// whoever could not be told of that may ask this in vain.
func (t *Tenants) RecordFailure(ctx context.Context, c Challenge, why string) error {
	return t.config.DB.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE supply_challenge SET outcome = $1 WHERE hash = $2 AND outcome = ''`, why, c.Hash)
		if err != nil || n == 0 {
			return err
		}
		return t.tell(ctx, tx, Domain{Domain: c.Domain, Tenant: c.Tenant, Caller: c.Caller, Reason: why}, "refused")
	})
}

// ownerOf is the tenant that has a domain; empty for none.
func ownerOf(ctx context.Context, tx *store.Tx, domain string) (owner string, err error) {
	err = tx.Each(ctx, `SELECT tenant FROM supply_domain WHERE domain = $1`, func(row store.Scanner) error { return row.Scan(&owner) }, domain)
	return owner, err
}

func putDomain(ctx context.Context, tx *store.Tx, d Domain) error {
	_, err := tx.Exec(ctx, `INSERT INTO supply_verified (domain, tenant, caller, state, reason, since, verified, until, listed, looked, form, signing)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (domain) DO UPDATE SET tenant = EXCLUDED.tenant, caller = EXCLUDED.caller, state = EXCLUDED.state, reason = EXCLUDED.reason, since = EXCLUDED.since,
		verified = EXCLUDED.verified, until = EXCLUDED.until, listed = EXCLUDED.listed, looked = EXCLUDED.looked, form = EXCLUDED.form, signing = EXCLUDED.signing`,
		d.Domain, d.Tenant, d.Caller, d.Status, d.Reason, store.Micros(d.Since), store.Micros(d.Verified),
		store.Micros(d.Until), store.Micros(d.Listed), store.Micros(d.Looked), d.Form, d.Key)
	return err
}

func scanDomain(row store.Scanner) (d Domain, err error) {
	err = row.Scan(&d.Domain, &d.Tenant, &d.Caller, &d.Status, &d.Reason, &d.Since, &d.Verified, &d.Until,
		&d.Listed, &d.Looked,
		&d.Form, &d.Key)
	return d, err
}

// domainAt is a domain as it is kept; the zero value for one that is not.
func domainAt(ctx context.Context, tx *store.Tx, domain string) (d Domain, err error) {
	err = tx.Each(ctx, `SELECT domain, tenant, caller, state, reason, since, verified, until, listed, looked, form, signing FROM supply_verified WHERE domain = $1`,
		func(row store.Scanner) (err error) { d, err = scanDomain(row); return err }, domain)
	return d, err
}

func readDomains(ctx context.Context, tx *store.Tx) (all []Domain, err error) {
	return store.All(ctx, tx, `SELECT domain, tenant, caller, state, reason, since, verified, until, listed, looked, form, signing FROM supply_verified ORDER BY domain`, scanDomain)
}

// forgetOthers forgets that domains are verified which are not their tenant's any more.
func forgetOthers(ctx context.Context, tx *store.Tx, tenant string) error {
	_, err := tx.Exec(ctx, `DELETE FROM supply_verified WHERE tenant = $1 AND NOT EXISTS
		(SELECT 1 FROM supply_domain WHERE supply_domain.domain = supply_verified.domain AND supply_domain.tenant = supply_verified.tenant)`, tenant)
	return err
}

// Proven gives a domain that was verified once, whether it is good or not, as it was last read; nil
// for one that was not. It must not be changed.
func (t *Tenants) Proven(domain string) *Domain { return t.known.Load().proven[domain] }

// Count says how many domains are in a state, of those that were last read.
func (t *Tenants) Count(state string) (n int) {
	now := t.config.Now()
	for _, d := range t.known.Load().proven {
		if d.State(now) == state {
			n++
		}
	}
	return n
}

// Domains gives all domains that were verified once, by their names, as the database has them now.
func (t *Tenants) Domains(ctx context.Context) (all []Domain, err error) {
	return store.Get(ctx, t.config.DB, func(tx *store.Tx) ([]Domain, error) { return readDomains(ctx, tx) })
}

// Due claims domains that were not looked at for some time, at most so many, so that no other
// process looks at them, too.
func (t *Tenants) Due(ctx context.Context, every time.Duration, limit int) (due []Domain, err error) {
	now := t.config.Now().UTC().Truncate(time.Microsecond)
	err = t.config.DB.Update(ctx, func(tx *store.Tx) error {
		due, err = store.All(ctx, tx, `SELECT domain, tenant, caller, state, reason, since, verified, until, listed, looked, form, signing FROM supply_verified
			WHERE looked <= $1 ORDER BY looked LIMIT $2`, scanDomain, store.Micros(now.Add(-every)), limit)
		for i := 0; i < len(due) && err == nil; i++ {
			due[i].Looked = now
			_, err = tx.Exec(ctx, `UPDATE supply_verified SET looked = $1 WHERE domain = $2`, store.Micros(now), due[i].Domain)
		}
		return err
	})
	return due, err
}

// ManifestState is what came of a look at a domain's ramp.json.
type ManifestState string

// The values of Seen.
const (
	ManifestLists       ManifestState = "listed"   // it names this Exchange
	ManifestOmits       ManifestState = "unlisted" // it does not, or there is none
	ManifestUnreachable ManifestState = "nothing"  // it could not be had
)

// RecordCheck keeps what came of a look at a domain that Due gave, and says how the domain stands
// then: it lapses at once where its provider does not name this Exchange any more, and after a time
// where that cannot be told, and when its deadline is over; it is verified again as soon as it is
// named again before its deadline. turned says whether any of this changed now.
func (t *Tenants) RecordCheck(ctx context.Context, due Domain, seen ManifestState, silent time.Duration) (now Domain,
	turned bool, err error) {
	at := t.config.Now().UTC().Truncate(time.Microsecond)
	look := func(tx *store.Tx) error {
		d, err := domainAt(ctx, tx, due.Domain)
		now, turned = d, false
		if err != nil || d.Domain == "" || d.Verified.After(due.Looked) { // what was seen is older than that
			return err
		}
		if seen == ManifestLists {
			d.Listed = at
		}
		status, reason := DomainVerified, ""
		switch {
		case !at.Before(d.Until):
			status, reason = DomainLapsed, LapsedOver
		case seen == ManifestOmits:
			status, reason = DomainLapsed, LapsedUnlisted
		case seen == ManifestUnreachable && d.Status == DomainLapsed:
			status, reason = d.Status, d.Reason
		case seen == ManifestUnreachable && at.Sub(d.Listed) >= silent:
			status, reason = DomainLapsed, LapsedSilent
		}
		turned = status != d.Status
		if turned && status == DomainVerified {
			d.Since = at
		}
		d.Status, d.Reason = status, reason
		now = d
		if err := putDomain(ctx, tx, d); err != nil || !turned {
			return err
		}
		if _, err = tx.Exec(ctx, `UPDATE supply_version SET version = version + 1 WHERE one = 1`); err != nil {
			return err
		}
		return t.tell(ctx, tx, d, status)
	}
	if err = t.config.DB.Update(ctx, look); err == nil && turned {
		_, err = t.Refresh(ctx)
	}
	return now, turned, err
}

// Forget forgets that a domain was verified. It is fail.NotFound for one that was not.
func (t *Tenants) Forget(ctx context.Context, domain string) error {
	return t.change(ctx, func(tx *store.Tx) error {
		d, err := domainAt(ctx, tx, domain)
		if err != nil {
			return err
		}
		if d.Domain == "" {
			return fail.New(fail.NotFound, "the domain %.253s was not verified", domain)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM supply_verified WHERE domain = $1`, domain); err != nil {
			return err
		}
		return t.tell(ctx, tx, d, "forgotten")
	})
}
