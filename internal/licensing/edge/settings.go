package edge

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/edge/deliverylog"
	"frontdesk/wire/sign"
)

// Settings is the section edge, the gate before sites: it answers AI agents without a licence, and
// delivers what was bought at signed addresses. `frontdesk edge` runs it by itself, without a
// database, for an Exchange elsewhere; `frontdesk serve` runs it where `exchange` is empty, as the
// Exchange itself.
type Settings struct {
	// Exchange is the address of the Exchange, such as `https://desk.example.com`. The edge asks it
	// for policies, documents and keys, and reports deliveries to it. Leave it empty if this front
	// desk is the Exchange.
	Exchange string `yaml:"exchange" check:"public_url"`
	// Key is the id of this edge's key at the Exchange, as `frontdesk keys issue edge` shows it.
	// Without a key, the edge keeps its records and reports nothing.
	Key string `yaml:"key"`
	// SecretEnv is the variable that holds the key's secret part (`whsec_...`).
	SecretEnv string `yaml:"secret_env"`
	// SecretFile is a file that holds it.
	SecretFile string `yaml:"secret_file" relative:"path"`
	// InfoURL is the address where agents find more (`info_url`, `X-Content-Rules`); without it,
	// the address of the Exchange's manifest.
	InfoURL string `yaml:"info_url" check:"url"`
	// Sites are the sites behind the gate.
	Sites []SiteSettings `yaml:"sites" check:"count=0..1000"`
	// Agents are words of the header User-Agent: a client that sends one is an AI agent. Case does
	// not matter. Without it, the gate uses the list of known agents (docs/agents.md) and
	// `agents.known`, except search engines for people.
	Agents []string `yaml:"agents" check:"count=0..500"`
	// Refusals is how often one network address gets the refusal that says where to buy; empty for
	// no limit.
	Refusals string `yaml:"refusals" check:"rate"`
	// Manifests is how often one network address gets ramp.json from the gate; empty for no limit.
	Manifests string `yaml:"manifests" check:"rate"`
	// Timeout is how long an origin may take until it answers, less than `limits.write_timeout`.
	Timeout time.Duration `yaml:"timeout" check:"10ms..1h"`
	// Stall is how long an origin may send nothing within an answer.
	Stall time.Duration `yaml:"stall" check:"10ms..1h"`
	// Body is the most that a request to an origin may have as its body.
	Body yamlconf.Size `yaml:"body" check:"0..16GiB"`
	// Every is how often the edge asks the Exchange for policies and documents.
	Every time.Duration `yaml:"every" check:"1s..24h"`
	// Stale is the age from which on the log warns of an old policy. The policy stays in force.
	Stale time.Duration `yaml:"stale" check:"1s..720h"`
	// Keep is how long a front desk keeps the visitors that edges counted, by agent, hour and path,
	// from a day to ten years.
	Keep time.Duration `yaml:"keep" check:"24h..87840h"`
	// Deliveries sets how records wait until the Exchange has them.
	Deliveries DeliverySettings `yaml:"spool"`
	// Auth answers servers that deliver by themselves, such as nginx and Caddy.
	Auth AuthSettings `yaml:"auth"`
}

// SiteSettings is a site behind the gate.
type SiteSettings struct {
	// Domain is the site's name at the Exchange: `www.example.com`.
	Domain string `yaml:"domain,required"`
	// URL is scheme and host of its addresses; without it, `https://` and the domain. Signed
	// addresses must begin with it.
	URL string `yaml:"url"`
	// Hosts are further host names of the site. Signed addresses are made for `url`, whatever host
	// a request names.
	Hosts []string `yaml:"hosts"`
	// Origin is the address of its web server: `http://127.0.0.1:3000`. Without one, `frontdesk
	// serve` delivers its own content, and `frontdesk edge` only answers servers that ask
	// (`edge.auth`).
	Origin string `yaml:"origin"`
	// OriginHost is the header Host for the origin; without it, the host of the request.
	OriginHost string `yaml:"origin_host"`
	// Most is how many requests the origin may have at a time; 0 is 256. Further requests get 503
	// with Retry-After.
	Most int `yaml:"most" check:"0..100000"`
	// Upgrades lets clients change to WebSocket at the origin, on addresses without a signature.
	Upgrades bool `yaml:"upgrades"`
	// Unknown is the access to paths without a known policy: `open`, `licensed` or `blocked`;
	// without it, `blocked`.
	Unknown string `yaml:"unknown" check:"optional,oneof=open licensed blocked"`
	// Closed opens licensed and blocked paths to signed addresses only, for people, too.
	Closed bool `yaml:"closed"`
	// License says how the header X-Agent-License-Id counts. The signed address has its SHA-256.
	// `ignore` (the default) does not look at it, `check` compares it if it is there, `require`
	// needs it. It is for Exchanges that bind addresses to licences.
	License string `yaml:"license" check:"optional,oneof=ignore check require"`
	// Fetches is how often one signed address opens at this edge; 0 is 100.
	Fetches int `yaml:"fetches" check:"0..1000"`
	// Exchanges are further Exchanges that sell the site: its `ramp.json` names them, too. They
	// sign addresses for other deliverers, such as another edge. `frontdesk serve` takes them from
	// `ramp.exchanges`.
	Exchanges []ExchangeSettings `yaml:"exchanges"`
	// Tokens answer challenges of the domain at `/.well-known/ramp-verify/`, up to 20, for an hour
	// from the start.
	Tokens []string `yaml:"tokens" check:"count=0..20"`
	// TokensFile is a file with further tokens, one in each line, up to 20. The edge reads it again
	// when it changes, and answers them for an hour from then.
	TokensFile string `yaml:"tokens_file" relative:"path"`
	// Keys are the keys that verify signed addresses, former ones included. `frontdesk serve` takes
	// them from the entries of `ramp.delivery` whose `at` is the site's `url`.
	Keys []KeySettings `yaml:"keys" check:"count=0..20"`
}

// KeySettings is a key that verifies signed addresses. The file is read again when it changes.
type KeySettings struct {
	// Form is `hmac`, `cloudfront`, `akamai`, `fastly` or `ed25519`. `ed25519` without a file uses
	// the keys that the Exchange publishes.
	Form string `yaml:"form,required" check:"oneof=hmac cloudfront akamai fastly ed25519"`
	// File holds the secret, or for `cloudfront` and `ed25519` the public key in PEM.
	File string `yaml:"file" relative:"path"`
	// Encoding is how the secret is written: `hex`, `base64` or `text`. The default is `base64` for
	// `fastly`, and `hex` for the others.
	Encoding string `yaml:"encoding" check:"optional,oneof=hex base64 text"`
	// ID is the key's name in addresses, for `cloudfront` (Key-Pair-Id) and `ed25519`.
	ID string `yaml:"id"`
	// Until is the end of the key (`2026-12-01T12:00:00Z`); without it, the key has no end.
	Until string `yaml:"until"`
	// Hash is as in `ramp.delivery`.
	Hash string `yaml:"hash"`
	// Parameter is as in `ramp.delivery`.
	Parameter string `yaml:"parameter"`
	// Token is as in `ramp.delivery`.
	Token string `yaml:"token"`
}

// DeliverySettings sets how records wait.
type DeliverySettings struct {
	// Max is the most that records may take on disk. When it is full, nothing licensed is
	// delivered.
	Max yamlconf.Size `yaml:"max" check:"4MiB..1024GiB"`
	// Sync is how long a record may wait for the disk with others; `0s` has each delivery wait for
	// it. A loss of power loses what waits.
	Sync time.Duration `yaml:"sync" check:"0..10s"`
	// Every is how often the Exchange is told.
	Every time.Duration `yaml:"every" check:"10ms..1h"`
}

// AuthSettings answers servers that ask whether a request may pass.
type AuthSettings struct {
	// Listen is the address at which they ask; without it there is none. Everybody who reaches it
	// is believed, so it must be within reach of those servers alone.
	Listen string `yaml:"listen"`
	// Log is the server's log of deliveries, which is followed: it tells how they ended.
	Log string `yaml:"log" relative:"path"`
	// Unseen is how much a delivery is taken to have at the most until the log tells.
	Unseen yamlconf.Size `yaml:"unseen" check:"0..1024GiB"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{
		Refusals: "100/1m", Manifests: "10/1m", Timeout: 25 * time.Second, Stall: 30 * time.Second,
		Body: 16 << 20, Every: time.Minute, Stale: time.Hour, Keep: 90 * 24 * time.Hour,
		Deliveries: DeliverySettings{
			Max: deliverylog.DefaultMax, Sync: deliverylog.DefaultSync, Every: deliverylog.DefaultEvery,
		},
		Auth: AuthSettings{Unseen: 64 << 20},
	}
}

// Address is the site's scheme and host.
func (s SiteSettings) Address() string {
	return cmp.Or(strings.TrimSuffix(s.URL, "/"), "https://"+s.Domain)
}

// CheckFirst looks at who names further Exchanges, before these are looked at.
func (e Settings) CheckFirst(r *yamlconf.Report) bool {
	for i, site := range e.Sites {
		if len(site.Exchanges) > 0 && e.Exchange == "" && site.CheckFirst(yamlconf.NewReport()) {
			r.Problem(yamlconf.Index("sites", i)+".exchanges",
				"without edge.exchange this front desk is the Exchange, and ramp.exchanges names the others")
		}
	}
	return true
}

// Check looks at words of agents, at where servers ask, and at the sites.
func (e Settings) Check(r *yamlconf.Report) {
	r.MatchAll("agents", e.Agents, func(word string) bool {
		return strings.TrimSpace(word) == word && len(word) >= 3 && len(word) <= 64 &&
			!strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r > '~' })
	}, "is no word of a user agent; write 3 to 64 characters, like GPTBot")
	e.Auth.check(r.Section("auth"))
	seen := map[string]bool{}
	for i, site := range e.Sites {
		if site.CheckFirst(yamlconf.NewReport()) {
			site.check(r.Entry("sites", i), e, seen)
		}
	}
}

// check looks at where servers ask.
func (a AuthSettings) check(r *yamlconf.Report) {
	if host, _, err := net.SplitHostPort(a.Listen); a.Listen != "" && err != nil {
		r.Problem("listen", "%q is no address; write it like 127.0.0.1:8091", a.Listen)
	} else if a.Listen != "" && !isLoopback(host) {
		r.Warning("listen", "whoever reaches %s can say that any request passed; it should be on this machine alone, "+
			"or in a network of your servers' own", a.Listen)
	}
	if a.Log != "" && a.Listen == "" {
		r.Problem("log", "without edge.auth.listen no server asks, and its log tells of nothing")
	}
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// gatedHost is how a host of a site is written.
var gatedHost = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$`)

// CheckFirst looks at what the site is called, which all else is about.
func (s SiteSettings) CheckFirst(r *yamlconf.Report) bool {
	_, err := identity.ParseDomain(s.Domain) // a port is for trials on this machine
	if !gatedHost.MatchString(s.Domain) || strings.Contains(s.Domain, ":") && err != nil {
		r.Problem("domain", "%q is no domain; write it like www.example.com, in lower case and ASCII", s.Domain)
		return false
	}
	if origin, ok := ParseOrigin(s.Address()); !ok || origin != strings.ToLower(origin) {
		r.Problem("url", "%q is no place; write scheme and host, like https://www.example.com", s.URL)
		return false
	}
	return true
}

// check looks at one site behind the gate; seen are the hosts of those before it.
func (s SiteSettings) check(r *yamlconf.Report, e Settings, seen map[string]bool) {
	for _, host := range s.AllHosts() {
		r.Match("hosts", host, gatedHost.MatchString,
			"is no host; write it like www.example.com, in lower case and ASCII")
		if seen[host] {
			r.Problem("hosts", "the host %s is another site's, too", host)
		}
		seen[host] = true
	}
	u, err := url.Parse(s.Origin)
	if s.Origin != "" && (err != nil || !httpx.IsHost(u.Host) || u.Scheme != "http" && u.Scheme != "https" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		r.Problem("origin", "%q is no origin; write scheme and host, like http://127.0.0.1:3000", s.Origin)
	}
	if s.OriginHost != "" {
		r.Match("origin_host", s.OriginHost, httpx.IsHost, "is no host")
	}
	for i, token := range s.Tokens {
		if !IsToken(token) {
			r.Problem(yamlconf.Index("tokens", i), "it is no token; write it as the Exchange gave it")
		}
	}
	for i, key := range s.Keys {
		key.check(r.Entry("keys", i), e.Exchange != "")
	}
}

// check looks at a key of a site; published says whether an Exchange elsewhere publishes keys.
func (k KeySettings) check(r *yamlconf.Report, published bool) {
	k.addressForm().CheckForm(r)
	form := sign.URLForm(k.Form)
	if k.File == "" && (form != sign.URLEd25519 || !published) {
		r.Problem("file", "the key is missing; name the file that holds it")
	}
	if k.ID == "" && (form == sign.URLCloudFront || form == sign.URLEd25519 && k.File != "") {
		r.Problem("id", "addresses of the form %s name the key; write the name", k.Form)
	}
	if _, err := time.Parse(time.RFC3339, k.Until); k.Until != "" && err != nil {
		r.Problem("until", "%q is no time; write it like 2026-12-01T12:00:00Z", k.Until)
	}
}

// AllHosts are all hosts of a site.
func (s SiteSettings) AllHosts() []string {
	_, host, _ := strings.Cut(s.Address(), "://")
	hosts := []string{s.Domain, host}
	hosts = append(hosts, s.Hosts...)
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// addressForm is how addresses are signed with the key.
func (k KeySettings) addressForm() AddressForm {
	return AddressForm{Form: k.Form, Hash: k.Hash, Parameter: k.Parameter, Token: k.Token}
}

// file is the key as it is read.
func (k KeySettings) file() KeyFile {
	until, _ := time.Parse(time.RFC3339, k.Until)
	encoding := cmp.Or(k.Encoding, "hex")
	if k.Encoding == "" && k.Form == string(sign.URLFastly) {
		encoding = "base64"
	}
	return KeyFile{Path: k.File, Encoding: encoding, Key: sign.URLKey{
		Form: sign.URLForm(k.Form), ID: k.ID, Ends: until, Options: k.addressForm().Options(),
	}}
}
