package edge

import (
	"slices"
	"strings"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// AddressForm says how addresses of what was bought are signed.
type AddressForm struct {
	// Form is how addresses are signed: `hmac`, `cloudfront`, `akamai`, `fastly`; or `ed25519`,
	// with the site's key.
	Form string `yaml:"form,required" check:"oneof=hmac cloudfront akamai fastly ed25519"`
	// Agent is what addresses are bound to: `requester` (without it, too), who bought; or
	// `license`, the licence that the buyer names, whose id the client shows in
	// `X-Agent-License-Id`. A buyer that names none is sold nothing that is delivered there.
	Agent string `yaml:"agent"`
	// Hash is `sha1` or `sha256`, for `fastly` (without it SHA-256) and `cloudfront` (without it
	// SHA-1, as CloudFront has it).
	Hash string `yaml:"hash"`
	// Policy is which policy addresses carry, for `cloudfront`: `canned` (without it, too), or
	// `custom`, which says from when they open as well. Either names the one address, and opens
	// nothing else.
	Policy string `yaml:"policy"`
	// Parameter is the name of the token in the query, for `akamai`; without it, `hdnts`.
	Parameter string `yaml:"parameter"`
	// Token is what the token is about, for `akamai`: `acl` (without it, too), the path, for items
	// whose address has no query; or `url`, path and query.
	Token string `yaml:"token"`
	// Salt is the salt that the property has, for `akamai`; without it, none.
	Salt string `yaml:"salt"`
	// Escape is for a property that has "escape token input" on, for `akamai` with `token: url`.
	Escape bool `yaml:"escape"`
}

// What addresses may be bound to.
const (
	AgentRequester = "requester"
	AgentLicence   = "license"
)

// CheckForm looks at what goes with the form.
func (f AddressForm) CheckForm(r *yamlconf.Report) {
	if f.Agent != "" {
		r.OneOf("agent", f.Agent, AgentRequester, AgentLicence)
	}
	if f.Escape && (f.Form != "akamai" || f.Token != "url") {
		r.Problem("escape", "only addresses of the form \"akamai\" with `token: url` are escaped; remove it")
	}
	for _, only := range []struct {
		key, value string
		of, values []string
	}{
		{"hash", f.Hash, []string{"fastly", "cloudfront"}, []string{sign.URLSHA1, sign.URLSHA256}},
		{"policy", f.Policy, []string{"cloudfront"}, []string{"canned", "custom"}},
		{"token", f.Token, []string{"akamai"}, []string{"acl", "url"}},
		{"parameter", f.Parameter, []string{"akamai"}, nil},
		{"salt", f.Salt, []string{"akamai"}, nil},
	} {
		if only.value == "" {
			continue
		}
		if !slices.Contains(only.of, f.Form) {
			r.Problem(only.key, "addresses of the form %q have none; remove it", f.Form)
		} else if only.values != nil {
			r.OneOf(only.key, only.value, only.values...)
		} else if only.key == "salt" {
			if strings.ContainsFunc(only.value, func(r rune) bool { return r <= ' ' || r > '~' }) {
				r.Problem(only.key, "the salt has to be of visible ASCII characters")
			}
		} else if !yamlconf.IsFieldName(only.value) {
			r.Problem(only.key, "%q is no name of a parameter; write it like hdnts", only.value)
		}
	}
}

// ParseOrigin reads scheme and host of a place, such as `https://cdn.example.net`, with a slash at
// its end or without.
func ParseOrigin(at string) (string, bool) {
	origin := strings.TrimSuffix(at, "/")
	host, ok := policy.Host(origin)
	scheme, rest, _ := strings.Cut(origin, "://")
	return origin, ok && (scheme == "https" || scheme == "http") && host != "" && !strings.ContainsAny(rest, "/?#@ ")
}

// Options are how the form is set up.
func (f AddressForm) Options() sign.URLOptions {
	return sign.URLOptions{
		Hash: f.Hash, Parameter: f.Parameter, URL: f.Token == "url",
		Custom: f.Policy == "custom", Salt: f.Salt, Escape: f.Escape,
	}
}
