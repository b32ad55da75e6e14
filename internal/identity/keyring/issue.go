package keyring

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/ratelimit"
)

// Wanted is a key that is to be made.
type Wanted struct {
	Kind  string    // API, Platform or Edge
	Name  string    // of the holder of an API key; the id of a platform; the name of an edge
	Doors []string  // of an API key; none for all but the operator's
	Roles []string  // of a platform's key; none for all
	Sites []string  // of an edge; none for all of the configuration
	Rate  string    // its own limit, as ratelimit.ParseRate reads it
	Ends  time.Time // zero for no end; edges' keys have none
}

// Issued are the kinds of keys that are made here, in the order in which they are offered.
var Issued = []string{API, Platform, Edge}

// elsewhere says where keys of the other kinds come from.
const elsewhere = "keys of this kind are not made here: buyers and callers bring keys of their own " +
	"(`frontdesk ramp requester add`, `frontdesk ramp caller add`), who delivers needs `frontdesk keys issue " +
	"delivery`, and the site's own are made where they are needed"

// Issue makes a key, and tells its secret, which is kept nowhere in the open and cannot be had
// again.
func (r *Ring) Issue(ctx context.Context, w Wanted) (made Key, err error) {
	w.Name = strings.TrimSpace(w.Name)
	if err := r.check(w); err != nil {
		return made, err
	}
	if w.Kind == Edge && len(w.Sites) == 0 {
		w.Sites = r.Sites()
	}
	switch w.Kind {
	case API:
		text, key, err := r.API.Create(ctx, identity.Key{Name: w.Name, Scopes: w.Doors, Rate: w.Rate, Expires: w.Ends})
		return r.made(r.ofAPI(key), w.Kind, text), err
	case Platform:
		if len(w.Roles) == 0 {
			w.Roles = identity.Roles
		}
		wanted := identity.PlatformKey{Platform: w.Name, Roles: w.Roles, Rate: w.Rate, NotAfter: w.Ends}
		key, secret, err := r.Platforms.Issue(ctx, wanted, nil)
		return r.made(r.ofPlatform(key), w.Kind, string(secret)), err
	}
	key, secret, err := r.Edges.Issue(ctx, w.Name, w.Sites)
	return r.made(r.ofEdge(key), w.Kind, secret.Text()), err
}

// made is a key that was made just now, with its secret.
func (r *Ring) made(k Key, kind, secret string) Key {
	return r.finish(told(k, secret), kindOf(kind), nil)
}

// check refuses what cannot be meant.
func (r *Ring) check(w Wanted) error {
	unprintable := func(c rune) bool { return !unicode.IsPrint(c) }
	switch {
	case !slices.Contains(Issued, w.Kind) && !slices.Contains(Kinds(), w.Kind):
		return fail.New(fail.Invalid, "%.40q is no kind of keys; there are %s", w.Kind, strings.Join(Issued, ", "))
	case !slices.Contains(Issued, w.Kind):
		return fail.New(fail.Invalid, "%s", elsewhere)
	case w.Kind == API && (w.Name == "" || len(w.Name) > 100 || strings.ContainsFunc(w.Name, unprintable)):
		return fail.New(fail.Invalid, "give the key's holder a name of up to 100 characters")
	case !w.Ends.IsZero() && !w.Ends.After(r.Now()):
		return fail.New(fail.Invalid, "the key would end before it begins; choose a later day")
	case w.Kind == Edge && !w.Ends.IsZero():
		return fail.New(fail.Invalid, "a key of an edge has no end of its own; roll it, or revoke it")
	}
	if _, err := ratelimit.ParseRate(w.Rate); err != nil {
		return fail.New(fail.Invalid, "rate: %v", err)
	}
	for _, door := range w.Doors {
		if !r.Door(door) {
			return fail.New(fail.Invalid, "there is no door %.60q; there are %s", door, strings.Join(r.Doors, ", "))
		}
	}
	return r.checkSites(w)
}

func (r *Ring) checkSites(w Wanted) error {
	if w.Kind != Edge {
		return nil
	}
	known := r.Sites()
	for _, site := range w.Sites {
		if !slices.Contains(known, site) {
			return fail.New(fail.Invalid, "there is no site %.60q; there are %s", site, strings.Join(known, ", "))
		}
	}
	return nil
}
