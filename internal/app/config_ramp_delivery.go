package app

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// RAMPDelivery is somebody else, such as a CDN, that delivers items in this front desk's place.
type RAMPDelivery struct {
	// Name is what keys belong to (`frontdesk keys issue delivery NAME`): lower-case letters, digits and dashes.
	Name string `yaml:"name,required"`
	// Match says which items are delivered there, as in `terms`; `{}` matches everything. Of several entries the first that
	// matches counts. A rule of the terms whose `delivery` does not name `instructions` keeps its items here.
	Match policy.Match `yaml:"match,required"`
	// At is where: scheme and host, such as `https://cdn.example.net`. An item has its own path and query there.
	At string `yaml:"at,required"`
	// Form is how addresses are signed: `hmac`, `cloudfront`, `akamai`, `fastly`; or `ed25519`, with the site's key.
	Form string `yaml:"form,required" check:"oneof=hmac cloudfront akamai fastly ed25519"`
	// Agent is what addresses are bound to: `requester` (without it, too), who bought; or `license`, the licence that the buyer names, whose id
	// whoever fetches shows in `X-Agent-License-Id`. A buyer that names none is sold nothing that is delivered there.
	Agent string `yaml:"agent"`
	// Hash is `sha1` or `sha256`, for `fastly` (without it SHA-256) and `cloudfront` (without it SHA-1, as CloudFront has it).
	Hash string `yaml:"hash"`
	// Policy is which policy addresses carry, for `cloudfront`: `canned` (without it, too), or `custom`, which says from when they open as
	// well. Either names the one address, and opens nothing else.
	Policy string `yaml:"policy"`
	// Parameter is the name of the token in the query, for `akamai`; without it, `hdnts`.
	Parameter string `yaml:"parameter"`
	// Token is what the token is about, for `akamai`: `acl` (without it, too), the path, for items whose address has no query; or
	// `url`, path and query.
	Token string `yaml:"token"`
	// Salt is the salt that the property has, for `akamai`; without it, none.
	Salt string `yaml:"salt"`
	// Escape is for a property that has "escape token input" on, for `akamai` with `token: url`.
	Escape bool `yaml:"escape"`
}

// What addresses may be bound to.
const (
	agentRequester = "requester"
	agentLicence   = "license"
)

var deliveryName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Check looks at where it is, and how addresses are signed.
func (d RAMPDelivery) Check(r *yamlconf.Report) {
	r.Match("name", d.Name, deliveryName.MatchString, "is no name; write lower-case letters, digits and dashes, like premium-cdn")
	checkMatch(r, d.Match)
	if _, ok := d.origin(); !ok {
		r.Problem("at", "%q is no place; write scheme and host, like https://cdn.example.net", d.At)
	}
	d.checkForm(r)
}

// checkForm checks how an entry signs.
func (d RAMPDelivery) checkForm(r *yamlconf.Report) {
	if d.Agent != "" {
		r.OneOf("agent", d.Agent, agentRequester, agentLicence)
	}
	if d.Escape && (d.Form != "akamai" || d.Token != "url") {
		r.Problem("escape", "only addresses of the form \"akamai\" with `token: url` are escaped; remove it")
	}
	for _, only := range []struct {
		key, value string
		of, values []string
	}{
		{"hash", d.Hash, []string{"fastly", "cloudfront"}, []string{sign.URLSHA1, sign.URLSHA256}},
		{"policy", d.Policy, []string{"cloudfront"}, []string{"canned", "custom"}},
		{"token", d.Token, []string{"akamai"}, []string{"acl", "url"}},
		{"parameter", d.Parameter, []string{"akamai"}, nil},
		{"salt", d.Salt, []string{"akamai"}, nil},
	} {
		if only.value == "" {
			continue
		}
		if !slices.Contains(only.of, d.Form) {
			r.Problem(only.key, "addresses of the form %q have none; remove it", d.Form)
		} else if only.values != nil {
			r.OneOf(only.key, only.value, only.values...)
		} else if only.key == "salt" {
			if strings.ContainsFunc(only.value, func(r rune) bool { return r <= ' ' || r > '~' }) {
				r.Problem(only.key, "the salt has to be of visible ASCII characters")
			}
		} else if strings.ContainsFunc(only.value, unlikeField) {
			r.Problem(only.key, "%q is no name of a parameter; write it like hdnts", only.value)
		}
	}
}

// origin is where the entry delivers, without a slash at its end.
func (d RAMPDelivery) origin() (string, bool) {
	origin := strings.TrimSuffix(d.At, "/")
	host, ok := policy.Host(origin)
	scheme, rest, _ := strings.Cut(origin, "://")
	return origin, ok && (scheme == "https" || scheme == "http") && host != "" && !strings.ContainsAny(rest, "/?#@ ")
}

// options are how the entry's form is set up.
func (d RAMPDelivery) options() sign.URLOptions {
	return sign.URLOptions{Hash: d.Hash, Parameter: d.Parameter, URL: d.Token == "url", Custom: d.Policy == "custom", Salt: d.Salt, Escape: d.Escape}
}

// outlet is an entry ready to be asked.
type outlet struct {
	RAMPDelivery
	at    string
	match *policy.Matcher
}

// outlets give who delivers an item in this front desk's place; nil where nobody ever does.
func (s *supply) outlets() (func(policy.Facts) *exchange.Outlet, error) {
	var all []outlet
	for i, d := range s.config.RAMP.Delivery {
		match := d.Match
		match.Type = canonicalTypes(match.Type)
		matcher, err := policy.Options{IsA: content.IsA}.Matcher(match)
		if err != nil {
			return nil, fmt.Errorf("ramp.delivery[%d]: %w", i, err)
		}
		at, _ := d.origin()
		all = append(all, outlet{RAMPDelivery: d, at: at, match: matcher})
	}
	if len(all) == 0 {
		return nil, nil
	}
	return func(facts policy.Facts) *exchange.Outlet {
		for _, o := range all {
			if o.match.Matches(facts) {
				return &exchange.Outlet{Name: o.Name, At: o.at, Licence: o.Agent == agentLicence, Keys: func(ctx context.Context) ([]sign.URLKey, error) { return s.outletKeys(ctx, o) }}
			}
		}
		return nil
	}, nil
}

// When keys that end soon are told of, and how often.
const (
	outletsSoon  = 14 * 24 * time.Hour
	outletsEvery = 6 * time.Hour
)

// watchOutlets tells the log of entries of ramp.delivery whose addresses nothing signs, or soon nothing, until ctx ends.
func (s *seller) watchOutlets(ctx context.Context) {
	tick := time.NewTicker(outletsEvery)
	defer tick.Stop()
	for {
		s.tellOutlets(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tellOutlets is one look of watchOutlets.
func (s *seller) tellOutlets(ctx context.Context) {
	now := s.now()
	for _, d := range s.config.RAMP.Delivery {
		keys, err := s.outletKeys(ctx, outlet{RAMPDelivery: d})
		switch {
		case err != nil:
			s.log.Error("what is to be delivered there is not sold, since the keys that sign its addresses cannot be had", "delivery", d.Name, "error", err)
		case len(keys) == 0 || !keys[0].Ends.IsZero() && !now.Before(keys[0].Ends):
			s.log.Warn("what is to be delivered there is not sold, since no key signs its addresses: run `frontdesk keys issue delivery` and `frontdesk keys activate`", "delivery", d.Name)
		case !keys[0].Ends.IsZero() && keys[0].Ends.Sub(now) < outletsSoon:
			s.log.Warn("the key that signs its addresses ends soon: run `frontdesk keys issue delivery` and `frontdesk keys activate`", "delivery", d.Name, "ends", keys[0].Ends)
		}
	}
}

// outletKeys are the keys that sign addresses of an entry.
func (s *supply) outletKeys(ctx context.Context, o outlet) ([]sign.URLKey, error) {
	if sign.URLForm(o.Form) == sign.URLEd25519 {
		id, signer, ok := s.SiteKeys.Current()
		if !ok {
			return nil, nil
		}
		return []sign.URLKey{{Form: sign.URLEd25519, ID: id, Signer: signer}}, nil
	}
	stored, err := s.Deliveries.Keys(ctx, o.Name)
	var keys []sign.URLKey
	for _, key := range stored {
		if key.Form == sign.URLForm(o.Form) { // the entry may have had another
			key.Options = o.options()
			keys = append(keys, key)
		}
	}
	return keys, err
}
