package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// OutletSettings is somebody else, such as a CDN, that delivers items in this front desk's place.
type OutletSettings struct {
	// Name is the entry's name for its keys (`frontdesk keys issue delivery NAME`): lower-case
	// letters, digits and dashes.
	Name string `yaml:"name,required"`
	// Match says which items are delivered there, as in `terms`; `{}` matches everything. The first
	// entry that matches counts. A rule of the terms whose `delivery` does not name `instructions`
	// keeps its items at your front desk.
	Match policy.Match `yaml:"match,required"`
	// At is scheme and host of the deliverer, such as `https://cdn.example.net`. An item keeps its
	// path and query there.
	At string `yaml:"at,required"`
	edge.AddressForm
}

var outletName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Check looks at where it is, and how addresses are signed.
func (d OutletSettings) Check(r *yamlconf.Report) {
	r.Match("name", d.Name, outletName.MatchString,
		"is no name; write lower-case letters, digits and dashes, like premium-cdn")
	content.CheckMatch(r, d.Match)
	if _, ok := edge.ParseOrigin(d.At); !ok {
		r.Problem("at", "%q is no place; write scheme and host, like https://cdn.example.net", d.At)
	}
	d.CheckForm(r)
}

// Outlets are who else delivers, and the keys that sign addresses there.
type Outlets struct {
	Settings []OutletSettings
	SiteKeys *identity.SiteKeys     // for the form ed25519
	Stored   *identity.DeliveryKeys // for the others
	Now      func() time.Time
	Log      *slog.Logger
}

// Compile gives who delivers an item in this front desk's place; nil where nobody ever does.
func (o *Outlets) Compile() (func(policy.Facts) *exchange.Outlet, error) {
	matches := make([]*policy.Matcher, len(o.Settings))
	for i, d := range o.Settings {
		var err error
		if matches[i], err = content.CompileMatch(d.Match); err != nil {
			return nil, fmt.Errorf("ramp.delivery[%d]: %w", i, err)
		}
	}
	if len(matches) == 0 {
		return nil, nil
	}
	return func(facts policy.Facts) *exchange.Outlet {
		for i, d := range o.Settings {
			if matches[i].Matches(facts) {
				return o.Open(d)
			}
		}
		return nil
	}, nil
}

// Open gives who delivers by an entry; nil where the entry names no place.
func (o *Outlets) Open(d OutletSettings) *exchange.Outlet {
	at, ok := edge.ParseOrigin(d.At)
	if !ok {
		return nil
	}
	return &exchange.Outlet{
		Name: d.Name, At: at, Licence: d.Agent == edge.AgentLicence,
		Keys: func(ctx context.Context) ([]sign.URLKey, error) { return o.signing(ctx, d) },
	}
}

// When keys that end soon are told of, and how often.
const (
	outletsSoon  = 14 * 24 * time.Hour
	outletsEvery = 6 * time.Hour
)

// Watch tells the log of entries whose addresses nothing signs, or soon nothing, until ctx ends.
func (o *Outlets) Watch(ctx context.Context) {
	periodic.Run(ctx, outletsEvery, o.tell)
}

// tell is one look of Watch.
func (o *Outlets) tell(ctx context.Context) {
	now := o.Now()
	for _, d := range o.Settings {
		log := o.Log.With("delivery", d.Name)
		keys, err := o.signing(ctx, d)
		switch {
		case err != nil:
			log.Error("what is to be delivered there is not sold, since the keys that sign its addresses cannot be had",
				"error", err)
		case len(keys) == 0 || !keys[0].Ends.IsZero() && !now.Before(keys[0].Ends):
			log.Warn("what is to be delivered there is not sold, since no key signs its addresses: " +
				"run `frontdesk keys issue delivery` and `frontdesk keys activate`")
		case !keys[0].Ends.IsZero() && keys[0].Ends.Sub(now) < outletsSoon:
			log.Warn("the key that signs its addresses ends soon: "+
				"run `frontdesk keys issue delivery` and `frontdesk keys activate`", "ends", keys[0].Ends)
		}
	}
}

// signing are the keys that sign addresses of an entry.
func (o *Outlets) signing(ctx context.Context, d OutletSettings) ([]sign.URLKey, error) {
	if sign.URLForm(d.Form) == sign.URLEd25519 {
		id, signer, ok := o.SiteKeys.Current()
		if !ok {
			return nil, nil
		}
		return []sign.URLKey{{Form: sign.URLEd25519, ID: id, Signer: signer}}, nil
	}
	stored, err := o.Stored.Keys(ctx, d.Name)
	var keys []sign.URLKey
	for _, key := range stored {
		if key.Form == sign.URLForm(d.Form) { // the entry may have had another
			key.Options = d.Options()
			keys = append(keys, key)
		}
	}
	return keys, err
}

// Verifying are the keys that addresses at a place may be signed with.
func (o *Outlets) Verifying(ctx context.Context, at string) (keys []sign.URLKey, err error) {
	for _, d := range o.Settings {
		if origin, _ := edge.ParseOrigin(d.At); origin != at {
			continue
		}
		own := o.published()
		if sign.URLForm(d.Form) != sign.URLEd25519 {
			if own, err = o.signing(ctx, d); err != nil {
				return nil, err
			}
		}
		keys = append(keys, own...)
	}
	return keys, nil
}

// published are the site's keys that are not retired.
func (o *Outlets) published() (keys []sign.URLKey) {
	now := o.Now()
	for _, key := range o.SiteKeys.Keys() {
		if key.State(now) != "retired" {
			keys = append(keys, sign.URLKey{Form: sign.URLEd25519, ID: key.ID, Public: key.Public})
		}
	}
	return keys
}
