// Package keyring reads every registry of keys through one interface, and does with a key what its
// registry can do: whoever looks after a front desk sees all keys in one list. It stores no key. It
// owns the table of when keys were used last ([Uses]), and must not know requests, protocols or
// pages.
//
// Enter by [Ring.List] and [Ring.Find]; kinds.go has the table of kinds.
package keyring

import (
	"context"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
)

// Key is a key of any kind, without its secret.
type Key struct {
	// Kind is api, console, configured, platform, requester, caller, delivery, edge, site, agent,
	// verifier or bot.
	Kind      string     `json:"kind" column:"1:KIND"`
	ID        string     `json:"id" column:"2:ID"`
	Name      string     `json:"name,omitempty"`     // of the holder, of who delivers, or of an edge
	Platform  string     `json:"platform,omitempty"` // whose a platform's key is
	State     string     `json:"state" column:"3:STATE"`
	Doors     []string   `json:"doors,omitempty"`       // of an API key; none for all but the operator's
	Roles     []string   `json:"roles,omitempty"`       // of a platform's key
	Sites     []string   `json:"sites,omitempty"`       // whose content an edge delivers, or a caller pushes
	Form      string     `json:"form,omitempty"`        // of the addresses that a delivery key signs
	KeyPairID string     `json:"key_pair_id,omitempty"` // as CloudFront names a delivery key
	MaxChunks int        `json:"max_chunks,omitempty"`
	MaxTokens int        `json:"max_tokens,omitempty"`
	Rate      string     `json:"rate,omitempty"`
	Imported  bool       `json:"imported,omitempty"`
	Created   time.Time  `json:"created,omitzero"`
	Begins    *time.Time `json:"not_before,omitempty"`
	Ends      *time.Time `json:"ends,omitempty"`
	Revoked   *time.Time `json:"revoked,omitempty"`
	// Secret is told once, of a key that was made just now.
	Secret string `json:"secret,omitempty"`
	// Protocols are those that the key is for: nlweb, mcp, intake, intent, ramp, ledger, console,
	// admin or web-bot-auth.
	Protocols []string `json:"protocols,omitempty"`
	LastUsed  string   `json:"last_used,omitempty"` // the day, such as 2027-01-31
	From      string   `json:"from,omitempty"`      // the network it was used from on that day
	// Can are what can be done with it: roll, suspend, resume, revoke.
	Can []string `json:"can,omitempty"`
}

// May says whether something can be done with the key: one of Roll, Suspend, Resume and Revoke.
func (k Key) May(what string) bool { return slices.Contains(k.Can, what) }

// Current says whether the key is good, or can become so.
func (k Key) Current() bool {
	return !slices.Contains([]string{"revoked", "expired", "retired"}, k.State)
}

// Holder is what people call who holds the key.
func (k Key) Holder() string {
	if k.Platform != "" {
		return k.Platform
	}
	return k.Name
}

// Own says whether the key is the site's own.
func (k Key) Own() bool { return ownKind(k.Kind) }

// Right is what changing the key asks of a person at the console. A key that opens the operator's
// door can do what owners can, the site's own sign in its name, and a token is a person.
func (k Key) Right() identity.Right {
	if slices.Contains(k.Doors, adminDoor) || ownKind(k.Kind) || k.Kind == Console {
		return identity.Own
	}
	return identity.Operate
}

// adminDoor is the door of the operator's programs.
const adminDoor = "admin"

// What can be done with a key.
const (
	Roll    = "roll"
	Suspend = "suspend"
	Resume  = "resume"
	Revoke  = "revoke"
)

// Ring is all keys. What is not there is nil.
type Ring struct {
	API         *identity.Keys
	Configured  []identity.ConfiguredKey // of the configuration
	Platforms   *identity.Platforms
	Deliveries  *identity.DeliveryKeys
	Edges       *identity.EdgeKeys
	Own         map[string]*identity.SiteKeys // with which this front desk signs, by kind
	Requesters  *requesters.Registry
	PushClients *requesters.PushClients
	Logins      *identity.Logins // of people at the console
	Uses        *Uses

	Sites func() []string        // whose content an edge may deliver
	Doors []string               // that an API key may open
	Door  func(name string) bool // whether there is a door of that name
	// Address is the public address by which links lead here, without a slash at its end; empty
	// where it is not known.
	Address func(context.Context) string
	Now     func() time.Time
}

// Filter says which keys are listed. Empty fields leave nothing out.
type Filter struct {
	Kind   string
	State  string // Current or Ended
	Search string // what the id or the holder's name has in it
}

// The states by which keys are listed.
const (
	Current = "current" // that are good, or can become so
	Ended   = "ended"
)

// check refuses a kind or state that there is not.
func (f Filter) check() error {
	switch {
	case f.Kind != "" && !slices.Contains(Kinds(), f.Kind):
		return fail.New(fail.Invalid, "%.40q is no kind of keys; there are %s", f.Kind, strings.Join(Kinds(), ", "))
	case f.State != "" && f.State != Current && f.State != Ended:
		return fail.New(fail.Invalid, "%.40q is no state; ask for %s or %s, or for neither", f.State, Current, Ended)
	}
	return nil
}

func (f Filter) fits(k Key) bool {
	text := strings.ToLower(f.Search)
	return (f.State == "" || (f.State == Current) == k.Current()) &&
		(text == "" || strings.Contains(strings.ToLower(k.ID+"\n"+k.Holder()), text))
}

// List gives keys: of each kind together, the oldest first.
func (r *Ring) List(ctx context.Context, f Filter) ([]Key, error) {
	all := []Key{}
	if err := f.check(); err != nil {
		return nil, err
	}
	uses, err := r.Uses.Read(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if f.Kind != "" && k.name != f.Kind || k.list == nil {
			continue
		}
		some, err := k.list(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, one := range some {
			if one = r.finish(one, k, uses); f.fits(one) {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// finish says of a key what is said of its whole kind, and when it was used.
func (r *Ring) finish(one Key, k kindOfKey, uses map[string]Use) Key {
	one.Kind = k.name
	if one.Protocols == nil {
		one.Protocols = k.protocols
	}
	if use, ok := uses[usedAs(one.Kind, one.ID)]; ok {
		one.LastUsed, one.From = use.Day.Format(time.DateOnly), use.From
	}
	one.Can = k.can[one.State]
	return one
}

// Find gives the key of an id. Kind may be empty where one key alone has the id. It is
// fail.NotFound where there is none.
func (r *Ring) Find(ctx context.Context, kind, id string) (Key, error) {
	all, err := r.List(ctx, Filter{Kind: kind})
	if err != nil {
		return Key{}, err
	}
	all = slices.DeleteFunc(all, func(k Key) bool { return k.ID != id })
	switch {
	case len(all) == 0:
		return Key{}, fail.New(fail.NotFound, "there is no key %.140s; `frontdesk keys list` shows those there are", id)
	case len(all) > 1:
		return Key{}, fail.New(fail.Invalid, "keys of several kinds have the id %.140s: %s and %s; say which is meant",
			id, all[0].Kind, all[1].Kind)
	}
	return all[0], nil
}

// Rotate makes a key that follows another, which stays good for the time of overlap at the most. Of
// the one that is made, Secret is told.
func (r *Ring) Rotate(ctx context.Context, kind, id string, overlap time.Duration) (made Key, err error) {
	old, k, err := r.able(ctx, kind, id, Roll)
	if err != nil {
		return made, err
	}
	if overlap < 0 || overlap > maxOverlap {
		return made, fail.New(fail.Invalid, "the overlap has to be from nothing to %d days", int(maxOverlap.Hours()/24))
	}
	if made, err = k.roll(ctx, r, old.ID, overlap); err != nil {
		return made, err
	}
	return r.finish(made, k, nil), nil
}

// maxOverlap is the most for which a key that was followed stays good.
const maxOverlap = 90 * 24 * time.Hour

// SetSuspended has a key open nothing until it is resumed, or resumes it.
func (r *Ring) SetSuspended(ctx context.Context, kind, id string, suspended bool) (Key, error) {
	what := Resume
	if suspended {
		what = Suspend
	}
	one, k, err := r.able(ctx, kind, id, what)
	if err != nil || one.State == "suspended" == suspended {
		return one, err
	}
	if err := k.suspend(ctx, r, one.ID, suspended); err != nil {
		return one, err
	}
	return r.Find(ctx, one.Kind, one.ID)
}

// Revoke ends a key for good, and gives it as it was. It is no error when it was revoked before.
func (r *Ring) Revoke(ctx context.Context, kind, id string) (Key, error) {
	one, k, err := r.able(ctx, kind, id, Revoke)
	if k.revoke != nil && one.State == "revoked" {
		return one, nil
	}
	if err == nil {
		err = k.revoke(ctx, r, one.ID)
	}
	return one, err
}

// able gives a key with which something can be done, and its kind. Its error says why it cannot.
func (r *Ring) able(ctx context.Context, kind, id, what string) (Key, kindOfKey, error) {
	one, err := r.Find(ctx, kind, id)
	if err != nil {
		return one, kindOfKey{}, err
	}
	k := kindOf(one.Kind)
	ever := false
	for _, can := range k.can {
		ever = ever || slices.Contains(can, what)
	}
	switch {
	case one.May(what), what == Suspend && one.May(Resume), what == Resume && one.May(Suspend):
		return one, k, nil
	case !ever:
		return one, k, fail.New(fail.Invalid, "%s", k.why)
	case one.State == "revoked":
		return one, k, fail.New(fail.Invalid, "the key %s was revoked and stays so; issue another", one.ID)
	}
	return one, k, fail.New(fail.Invalid, "the key %s is %s, and cannot be changed so; issue another", one.ID,
		one.State)
}
