package keyring

import (
	"context"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
)

// The kinds of keys.
const (
	API        = "api"        // opens doors
	Configured = "configured" // an API key by its hash in the configuration
	Console    = "console"    // lets a person in to the console; see [identity.Logins]
	Platform   = "platform"   // a platform signs its requests with it (Agentic Intent)
	Requester  = "requester"  // a buyer signs with keys of its own (RAMP)
	Caller     = "caller"     // signs what it pushes into catalogs with keys of its own (RAMP)
	Delivery   = "delivery"   // signs the addresses at which somebody else delivers (RAMP)
	Edge       = "edge"       // an edge signs what it tells of its deliveries (RAMP)
	Site       = "site"       // with it this front desk signs its ledger and offers
	Agent      = "agent"      // with it an agent of the owner's signs what it asks of Exchanges (RAMP)
	Verifier   = "verifier"   // with it the sites attest things of their content (RAMP)
	Bot        = "bot"        // with it this front desk signs what it asks of others (Web Bot Auth)
)

// Kinds are all kinds whose keys are listed, in their order.
func Kinds() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// ownKind says whether keys of a kind are those with which this front desk signs.
func ownKind(name string) bool { return slices.Contains([]string{Site, Agent, Verifier, Bot}, name) }

// kindOfKey is how keys of a kind are read, and what can be done with them.
type kindOfKey struct {
	name      string
	protocols []string
	// can are what can be done with a key, by its state.
	can map[string][]string
	why string // why nothing else can be done
	// list gives all keys; of what a kind has in common nothing is set.
	list    func(context.Context, *Ring) ([]Key, error)
	roll    func(ctx context.Context, r *Ring, id string, overlap time.Duration) (Key, error)
	suspend func(ctx context.Context, r *Ring, id string, suspended bool) error
	revoke  func(ctx context.Context, r *Ring, id string) error
}

// own is a kind of keys with which this front desk signs.
func own(name string, protocols ...string) kindOfKey {
	return kindOfKey{
		name: name, protocols: protocols, can: map[string][]string{"signing": {Roll}},
		why: "a key with which this front desk signs cannot be without a follower; roll it with no overlap to end it " +
			"at once",
		list: func(_ context.Context, r *Ring) ([]Key, error) {
			if r.Own[name] == nil {
				return nil, nil
			}
			return shown(r.Own[name].Keys(), r.ofSite), nil
		},
		roll: func(_ context.Context, r *Ring, _ string, overlap time.Duration) (Key, error) {
			made, err := r.Own[name].Rotate(overlap)
			return r.ofSite(made), err
		},
	}
}

func shown[A, B any](all []A, show func(A) B) []B {
	out := make([]B, len(all))
	for i, one := range all {
		out[i] = show(one)
	}
	return out
}

// at is a time that may not be there.
func at(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (r *Ring) ofSite(k identity.SiteKey) Key {
	return Key{ID: k.ID, State: k.State(r.Now()), Created: k.Created, Ends: at(k.Retires)}
}

// kinds are all kinds of keys: those of others first.
var kinds = []kindOfKey{
	{
		name: API,
		can:  map[string][]string{"valid": {Roll, Suspend, Revoke}, "suspended": {Resume, Revoke}},
		list: func(ctx context.Context, r *Ring) ([]Key, error) { return r.keysOf(ctx, false) },
		roll: func(ctx context.Context, r *Ring, id string, overlap time.Duration) (Key, error) {
			text, made, err := r.API.Rotate(ctx, id, overlap)
			return told(r.ofAPI(made), text), err
		},
		suspend: func(ctx context.Context, r *Ring, id string, suspended bool) error {
			return r.API.Suspend(ctx, id, suspended)
		},
		revoke: func(ctx context.Context, r *Ring, id string) error { return r.API.Revoke(ctx, id) },
	},
	{
		name: Console, protocols: []string{"console"},
		can:  map[string][]string{"valid": {Suspend, Revoke}, "suspended": {Resume, Revoke}},
		why:  "a person who has lost the token is removed, and invited again",
		list: func(ctx context.Context, r *Ring) ([]Key, error) { return r.keysOf(ctx, true) },
		suspend: func(ctx context.Context, r *Ring, id string, suspended bool) error {
			return r.Logins.Suspend(ctx, id, suspended)
		},
		revoke: func(ctx context.Context, r *Ring, id string) error { return r.Logins.Remove(ctx, id) },
	},
	{
		name: Configured,
		why:  "this key stands in the configuration, under auth.keys; change it there",
		list: func(_ context.Context, r *Ring) ([]Key, error) {
			return shown(r.Configured, func(k identity.ConfiguredKey) Key {
				return Key{ID: k.Name, Name: k.Name, State: "valid", Doors: k.Scopes, Rate: k.Rate,
					Protocols: protocols(k.Scopes)}
			}), nil
		},
	},
	{
		name: Platform, protocols: []string{"intent"},
		can: map[string][]string{
			"active": {Roll, Suspend, Revoke}, "suspended": {Resume, Revoke},
			"not yet valid": {Suspend, Revoke},
		},
		list: func(ctx context.Context, r *Ring) ([]Key, error) {
			if r.Platforms == nil {
				return nil, nil
			}
			all, err := r.Platforms.List(ctx)
			return shown(all, r.ofPlatform), err
		},
		roll: func(ctx context.Context, r *Ring, id string, overlap time.Duration) (Key, error) {
			made, secret, err := r.Platforms.Rotate(ctx, id, overlap)
			return told(r.ofPlatform(made), string(secret)), err
		},
		suspend: func(ctx context.Context, r *Ring, id string, suspended bool) error {
			status := identity.PlatformActive
			if suspended {
				status = identity.PlatformSuspended
			}
			_, err := r.Platforms.SetStatus(ctx, id, status)
			return err
		},
		revoke: func(ctx context.Context, r *Ring, id string) error {
			_, err := r.Platforms.SetStatus(ctx, id, identity.PlatformRevoked)
			return err
		},
	},
	{
		name: Requester, protocols: []string{"ramp"},
		can: map[string][]string{"active": {Suspend, Revoke}, "suspended": {Resume, Revoke}},
		why: "a buyer signs with keys of its own, and rolls them itself, where it publishes them; name others with " +
			"`frontdesk ramp requester change`",
		list: func(ctx context.Context, r *Ring) ([]Key, error) {
			if r.Requesters == nil {
				return nil, nil
			}
			all, err := r.Requesters.Page(ctx, "", "", maxRequesters)
			return shown(all, ofRequester), err
		},
		suspend: func(ctx context.Context, r *Ring, id string, suspended bool) error {
			status := requesters.Active
			if suspended {
				status = requesters.Suspended
			}
			return r.setRequester(ctx, id, status)
		},
		revoke: func(ctx context.Context, r *Ring, id string) error {
			return r.setRequester(ctx, id, requesters.Removed)
		},
	},
	{
		name: Caller, protocols: []string{"ramp"}, can: map[string][]string{"active": {Revoke}},
		why: "a caller signs with keys of its own; `frontdesk ramp caller add` names others, and puts in again one " +
			"that was revoked",
		list: func(ctx context.Context, r *Ring) ([]Key, error) {
			if r.PushClients == nil {
				return nil, nil
			}
			all, err := r.PushClients.List(ctx)
			return shown(all, ofCaller), err
		},
		revoke: func(ctx context.Context, r *Ring, id string) error {
			_, err := r.PushClients.Revoke(ctx, id)
			return err
		},
	},
	{
		name: Edge, protocols: []string{"ramp"}, can: map[string][]string{"active": {Roll, Revoke}},
		why: "a key of an edge cannot be suspended; revoke it, and issue another",
		list: func(ctx context.Context, r *Ring) ([]Key, error) {
			if r.Edges == nil {
				return nil, nil
			}
			all, err := r.Edges.List(ctx)
			return shown(all, r.ofEdge), err
		},
		roll: func(ctx context.Context, r *Ring, id string, overlap time.Duration) (Key, error) {
			made, secret, err := r.Edges.Rotate(ctx, id, overlap)
			return told(r.ofEdge(made), secret.Text()), err
		},
		revoke: func(ctx context.Context, r *Ring, id string) error {
			_, err := r.Edges.Revoke(ctx, id)
			return err
		},
	},
	{
		name: Delivery, protocols: []string{"ramp"},
		can: map[string][]string{"waiting": {Revoke}, "signing": {Revoke}, "overlapping": {Revoke}},
		why: "whoever delivers has to learn a key before it signs: `frontdesk keys issue delivery` makes the next, " +
			"and `frontdesk keys activate` has it sign",
		list: func(ctx context.Context, r *Ring) ([]Key, error) {
			if r.Deliveries == nil {
				return nil, nil
			}
			all, err := r.Deliveries.List(ctx)
			return shown(all, r.ofDelivery), err
		},
		revoke: func(ctx context.Context, r *Ring, id string) error {
			_, err := r.Deliveries.Revoke(ctx, id)
			return err
		},
	},
	own(Site, "ledger", "ramp"), own(Agent, "ramp"), own(Verifier, "ramp"), own(Bot, "web-bot-auth"),
}

// keysOf gives the keys that open the console, or those that open other doors.
func (r *Ring) keysOf(ctx context.Context, console bool) ([]Key, error) {
	if r.API == nil {
		return nil, nil
	}
	all, err := r.API.List(ctx)
	all = slices.DeleteFunc(all, func(k identity.Key) bool { return (identity.ConsoleRole(k.Scopes) != "") != console })
	return shown(all, r.ofAPI), err
}

// maxRequesters is how many buyers are listed: anybody may sign up to buy.
const maxRequesters = 1000

func kindOf(name string) kindOfKey {
	at := slices.IndexFunc(kinds, func(k kindOfKey) bool { return k.name == name })
	return kinds[at]
}

func (r *Ring) setRequester(ctx context.Context, account, status string) error {
	domain, id, _ := strings.Cut(account, "/")
	_, err := r.Requesters.SetStatus(ctx, domain, id, status)
	return err
}

// told is a key with its secret.
func told(k Key, secret string) Key {
	k.Secret = secret
	return k
}

func (r *Ring) ofAPI(k identity.Key) Key {
	return Key{
		ID: k.ID, Name: k.Name, State: k.State(r.Now()), Doors: k.Scopes, Rate: k.Rate, Created: k.Created,
		Ends: at(k.Expires), Revoked: at(k.Revoked), Protocols: protocols(k.Scopes),
	}
}

// byDoor are the protocols behind doors.
var byDoor = []struct{ door, protocol string }{
	{"ask", "nlweb"}, {"mcp", "mcp"}, {"intake", "intake"}, {"ledger", "ledger"}, {adminDoor, "admin"},
	{"reports", "admin"}, {"provider:", "ramp"},
}

// protocols are those behind doors; none are all but the operator's.
func protocols(doors []string) (all []string) {
	for _, row := range byDoor {
		opens := func(door string) bool { return strings.HasPrefix(door, row.door) }
		if len(doors) == 0 && row.protocol != "admin" && row.protocol != "ramp" || slices.ContainsFunc(doors, opens) {
			all = append(all, row.protocol)
		}
	}
	return slices.Compact(all)
}

func (r *Ring) ofPlatform(k identity.PlatformKey) Key {
	out := Key{
		ID: k.ID, Platform: k.Platform, State: k.State(r.Now()), Roles: k.Roles, MaxChunks: k.MaxChunks,
		MaxTokens: k.MaxTokens, Rate: k.Rate, Imported: k.Imported, Created: k.Created, Begins: at(k.NotBefore),
		Ends: at(k.NotAfter),
	}
	if k.Status == identity.PlatformRevoked {
		out.Revoked = at(k.Changed)
	}
	return out
}

func (r *Ring) ofDelivery(k identity.DeliveryKey) Key {
	out := Key{
		ID: k.ID, Name: k.Place, State: k.State(r.Now()), Form: string(k.Form), KeyPairID: k.Name, Imported: k.Imported,
		Created: k.Created, Begins: at(k.Activated), Ends: at(k.Ends),
	}
	if out.State == "revoked" {
		out.Revoked = out.Ends
	}
	return out
}

func (r *Ring) ofEdge(k identity.EdgeKey) Key {
	out := Key{ID: k.ID, Name: k.Edge, State: k.State(r.Now()), Sites: k.Sites, Created: k.Created}
	if out.State == "revoked" {
		out.Revoked = at(k.Ends)
	} else {
		out.Ends = at(k.Ends)
	}
	return out
}

func ofRequester(g requesters.Registration) Key {
	return Key{ID: g.Account(), Name: g.Domain, State: g.Status, Roles: g.Scopes, Rate: g.Rate, Created: g.Created}
}

func ofCaller(c requesters.PushClient) Key {
	k := Key{ID: c.ID, Name: c.Domain, State: c.State(), Sites: c.Tenants, Created: c.Created}
	k.Revoked = at(c.Revoked)
	return k
}
