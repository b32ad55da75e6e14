package requesters

import (
	"context"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// How many requesters may sign up by themselves: of one domain, and all together. The operator may
// put in any number.
const (
	maxSelfOfDomain = 100
	maxSelf         = 100_000
)

// SignUp lets a requester sign up by itself (RAMP v1, self sign-up): its domain must publish its
// keys, under its id or the domain's name. It gives the registration, and whether it was made now;
// one that was there stays as it is. The error is fail.Invalid for a domain or id that is none,
// fail.Unauthorized where the domain does not vouch for the id, fail.Forbidden where the operator
// suspended it, and fail.Limited where too many of the domain signed up.
func (rs *Registry) SignUp(ctx context.Context, domain, id string) (g Registration, made bool, err error) {
	if domain, err = parseRequester(domain, id); err != nil {
		return g, false, err
	}
	if err := rs.look(ctx, rowsFresh); err != nil {
		return g, false, err
	}
	if known := rs.registration(domain, id); known.Status == Suspended {
		return g, false, errSuspended
	} else if known.ID == id {
		return known, false, nil
	}
	published, err := rs.agents.find(ctx, domain, true, nil)
	if err == nil {
		err = published.vouches(domain, id)
	}
	if err != nil {
		return g, false, err
	}
	now := rs.moment()
	fresh := Registration{Domain: domain, ID: id, SignUp: SignUpSelf, Status: Active, Created: now, Changed: now}
	err = rs.update(ctx, func(tx *store.Tx) error {
		made = false
		var there bool
		if g, there, err = rs.find(ctx, tx, domain, id); err != nil || there {
			return err
		}
		if err := room(ctx, tx, domain); err != nil {
			return err
		}
		g, made = fresh, true
		return rs.put(ctx, tx, g)
	})
	return g, made, err
}

// room reports whether there is room for another requester that signs up by itself.
func room(ctx context.Context, tx *store.Tx, domain string) error {
	var ofDomain, all int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM requester_party WHERE domain = $1 AND signup = 'self' AND state <> 'removed'`, domain).Scan(&ofDomain)
	if err == nil {
		err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM requester_party WHERE signup = 'self' AND state <> 'removed'`).Scan(&all)
	}
	if err == nil && (ofDomain >= maxSelfOfDomain || all >= maxSelf) {
		err = fail.New(fail.Limited, "too many requesters have signed up by themselves; ask the operator of this "+
			"Exchange to put you in")
	}
	return err
}

var errSuspended = fail.New(fail.Forbidden, "this requester is suspended here; ask the operator of this Exchange why")

// vouches says whether what a domain publishes speaks for an id (RAMP v1, ramp-agent.json: agent_id
// is the id, or the domain).
func (a *agent) vouches(domain, id string) error {
	if a.speaksForAll(domain) || a.id == id {
		return nil
	}
	return fail.New(fail.Unauthorized, "%s%s is of the agent %q, and not of %q; write the requester's id, or the "+
		"domain for all its requesters, as agent_id",
		identity.Origin(domain), AgentPath, clip(a.id), clip(id))
}
