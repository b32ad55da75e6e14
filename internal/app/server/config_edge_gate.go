package server

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/edge/deliverylog"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// Edge is the gate before sites: it answers AI agents without a licence, and delivers what was bought at signed addresses. `frontdesk
// edge` runs it by itself, without a database, for an Exchange elsewhere; `frontdesk serve` runs it where `exchange` is empty, as the
// Exchange itself.
type Edge struct {
	// Exchange is the address of the Exchange, such as `https://desk.example.com`: it is asked for policies, documents and keys, and
	// told of deliveries. Empty where this front desk is the Exchange.
	Exchange string `yaml:"exchange"`
	// Key is the id of this edge's key at the Exchange, as `frontdesk keys issue edge` shows it. Without one it is told of nothing, and
	// records are kept until there is one.
	Key string `yaml:"key"`
	// SecretEnv is the variable that holds the key's secret part (`whsec_...`).
	SecretEnv string `yaml:"secret_env"`
	// SecretFile is a file that holds it.
	SecretFile string `yaml:"secret_file"`
	// InfoURL is the address that agents are told of for more (`info_url`, `X-Content-Rules`); without it, that of the Exchange's
	// manifest.
	InfoURL string `yaml:"info_url"`
	// Sites are the sites behind the gate.
	Sites []EdgeSite `yaml:"sites"`
	// Agents are words of the header User-Agent: whoever sends one is an AI agent. Case does not matter. Without it, those that the
	// protocol lists.
	Agents []string `yaml:"agents"`
	// Refusals is how often one network address is told that it needs a licence; empty for no limit.
	Refusals string `yaml:"refusals"`
	// Manifests is how often one network address gets ramp.json from the gate; empty for no limit.
	Manifests string `yaml:"manifests"`
	// Timeout is how long an origin may take until it answers, less than `limits.write_timeout`.
	Timeout time.Duration `yaml:"timeout"`
	// Stall is how long an origin may send nothing within an answer.
	Stall time.Duration `yaml:"stall"`
	// Body is the most that a request to an origin may have as its body.
	Body yamlconf.Size `yaml:"body"`
	// Every is how often the Exchange is asked for what it says.
	Every time.Duration `yaml:"every"`
	// Stale is how old a policy may be before the log tells of it. It holds on in any case.
	Stale time.Duration `yaml:"stale"`
	// Keep is how long a front desk keeps whom edges saw, by agent, hour and path, from a day to ten years.
	Keep time.Duration `yaml:"keep"`
	// Spool sets how records wait until the Exchange has them.
	Spool EdgeSpool `yaml:"spool"`
	// Auth answers servers that deliver by themselves, such as nginx and Caddy.
	Auth EdgeAuth `yaml:"auth"`
}

// EdgeSite is a site behind the gate.
type EdgeSite struct {
	// Domain is by which the Exchange knows the site: `www.example.com`.
	Domain string `yaml:"domain,required"`
	// URL is scheme and host of its addresses; without it, `https://` and the domain. Signed addresses must be spelled so.
	URL string `yaml:"url"`
	// Hosts are further hosts at which its requests come. Signed addresses are those of `url`, at whichever host.
	Hosts []string `yaml:"hosts"`
	// Origin is where its content is: `http://127.0.0.1:3000`. Without one, `frontdesk serve` delivers its own content, and
	// `frontdesk edge` only answers servers that ask (`edge.auth`).
	Origin string `yaml:"origin"`
	// OriginHost is what the origin is told as Host; without it, the host that was asked.
	OriginHost string `yaml:"origin_host"`
	// Most is how many requests the origin has at a time; 0 is 256. Further ones are told to come back.
	Most int `yaml:"most"`
	// Upgrades lets clients change to WebSocket at the origin, on addresses without a signature.
	Upgrades bool `yaml:"upgrades"`
	// Unknown is how far the paths are open whose policy was never known, `open`, `licensed` or `blocked`; without it, `blocked`.
	Unknown string `yaml:"unknown"`
	// Closed has licensed and blocked paths open to nobody without a signature, people among them.
	Closed bool `yaml:"closed"`
	// License says how the header X-Agent-License-Id counts, whose SHA-256 the address must then have: `ignore` (without it, too),
	// `check` where it is there, `require`. It is for Exchanges that bind addresses to licences.
	License string `yaml:"license"`
	// Fetches is how often one signed address may be fetched at this edge; 0 is 100, and 1 makes it good once.
	Fetches int `yaml:"fetches"`
	// Exchanges are further Exchanges through which the site sells: its `ramp.json` names them beside that of `edge.exchange`. What they sell is
	// delivered by whoever they sign addresses for, such as another edge. `frontdesk serve` has them from `ramp.exchanges`.
	Exchanges []RAMPExchange `yaml:"exchanges"`
	// Tokens are what challenges of the domain are answered with at `/.well-known/ramp-verify/`, up to 20, for an hour from the start.
	Tokens []string `yaml:"tokens"`
	// TokensFile has further ones, one in each line, up to 20. It is read again when it changes, and answered for an hour from then.
	TokensFile string `yaml:"tokens_file"`
	// Keys are the keys with which addresses are signed, those of before among them. `frontdesk serve` has them from `ramp.delivery`, of
	// the entries whose `at` is the site's `url`.
	Keys []EdgeKey `yaml:"keys"`
}

// EdgeKey is a key that verifies signed addresses. The file is read again when it changes.
type EdgeKey struct {
	// Form is `hmac`, `cloudfront`, `akamai`, `fastly` or `ed25519`. Without a file `ed25519` is by the keys that the Exchange publishes.
	Form string `yaml:"form,required"`
	// File holds the secret, or for `cloudfront` and `ed25519` the public key in PEM.
	File string `yaml:"file"`
	// Encoding is how the secret is written: `hex` (without it, too; for `fastly` it is then `base64`), `base64` or `text`.
	Encoding string `yaml:"encoding"`
	// ID is how addresses name the key, for `cloudfront` (Key-Pair-Id) and `ed25519`.
	ID string `yaml:"id"`
	// Until is from when the key is not good any more (`2026-12-01T12:00:00Z`); without it, it always is.
	Until string `yaml:"until"`
	// Hash is as in `ramp.delivery`.
	Hash string `yaml:"hash"`
	// Parameter is as in `ramp.delivery`.
	Parameter string `yaml:"parameter"`
	// Token is as in `ramp.delivery`.
	Token string `yaml:"token"`
}

// EdgeSpool sets how records wait.
type EdgeSpool struct {
	// Max is the most that records may take on disk. When it is full, nothing licensed is delivered.
	Max yamlconf.Size `yaml:"max"`
	// Sync is how long a record may wait for the disk with others; `0s` has each delivery wait for it. A loss of power loses what waits.
	Sync time.Duration `yaml:"sync"`
	// Every is how often the Exchange is told.
	Every time.Duration `yaml:"every"`
}

// EdgeAuth answers servers that ask whether a request may pass.
type EdgeAuth struct {
	// Listen is the address at which they ask; without it there is none. Whoever reaches it is believed, so it must be within
	// reach of those servers alone.
	Listen string `yaml:"listen"`
	// Log is the server's log of deliveries, which is followed: it tells how they ended.
	Log string `yaml:"log"`
	// Unseen is how much a delivery is taken to have at the most until the log tells.
	Unseen yamlconf.Size `yaml:"unseen"`
}

func defaultEdge() Edge {
	return Edge{
		Refusals: "100/1m", Manifests: "10/1m", Timeout: 25 * time.Second, Stall: 30 * time.Second, Body: 16 << 20, Every: time.Minute, Stale: time.Hour, Keep: 90 * 24 * time.Hour,
		Spool: EdgeSpool{Max: deliverylog.DefaultMax, Sync: deliverylog.DefaultSync, Every: deliverylog.DefaultEvery}, Auth: EdgeAuth{Unseen: 64 << 20},
	}
}

// The most that there may be of sites, keys and words.
const (
	maxEdgeSites  = 1000
	maxEdgeKeys   = 20
	maxEdgeAgents = 500
	defaultMost   = 256
)

// fromFolder makes relative paths that the file named start from the file's folder.
func (e *Edge) fromFolder(move func(*string)) {
	move(&e.SecretFile)
	move(&e.Auth.Log)
	for i := range e.Sites {
		move(&e.Sites[i].TokensFile)
		for j := range e.Sites[i].Keys {
			move(&e.Sites[i].Keys[j].File)
		}
	}
}

// address is the site's scheme and host.
func (s EdgeSite) address() string { return first(strings.TrimSuffix(s.URL, "/"), "https://"+s.Domain) }

// gated checks the section edge.
func (c *checks) gated() {
	e := c.Config.Edge
	c.publicURL("edge.exchange", e.Exchange)
	c.web("edge.info_url", e.InfoURL)
	between(c, "edge.sites", len(e.Sites), 0, maxEdgeSites)
	between(c, "edge.agents", len(e.Agents), 0, maxEdgeAgents)
	for i, word := range e.Agents {
		if strings.TrimSpace(word) != word || len(word) < 3 || len(word) > 64 || strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r > '~' }) {
			c.problem(fmt.Sprintf("edge.agents[%d]", i), "%q is no word of a user agent; write 3 to 64 characters, like GPTBot", word)
		}
	}
	for path, text := range map[string]string{"edge.refusals": e.Refusals, "edge.manifests": e.Manifests} {
		if _, err := ratelimit.ParseRate(text); err != nil {
			c.problem(path, "%v", err)
		}
	}
	between(c, "edge.timeout", e.Timeout, 10*time.Millisecond, time.Hour)
	between(c, "edge.stall", e.Stall, 10*time.Millisecond, time.Hour)
	between(c, "edge.body", e.Body, 0, 16<<30)
	between(c, "edge.every", e.Every, time.Second, 24*time.Hour)
	between(c, "edge.stale", e.Stale, time.Second, 30*24*time.Hour)
	between(c, "edge.keep", e.Keep, 24*time.Hour, 10*366*24*time.Hour)
	between(c, "edge.spool.max", e.Spool.Max, deliverylog.MinSize, 1<<40)
	between(c, "edge.spool.sync", e.Spool.Sync, 0, 10*time.Second)
	between(c, "edge.spool.every", e.Spool.Every, 10*time.Millisecond, time.Hour)
	between(c, "edge.auth.unseen", e.Auth.Unseen, 0, 1<<40)
	if len(e.Sites) > 0 && e.Timeout >= c.Config.Limits.WriteTimeout {
		c.problem("edge.timeout", "%s is not less than limits.write_timeout, %s: that an origin is late could not be told", show(e.Timeout), show(c.Config.Limits.WriteTimeout))
	}
	if host, _, err := net.SplitHostPort(e.Auth.Listen); e.Auth.Listen != "" && err != nil {
		c.problem("edge.auth.listen", "%q is no address; write it like 127.0.0.1:8091", e.Auth.Listen)
	} else if address, err := netip.ParseAddr(host); e.Auth.Listen != "" && host != "localhost" && (err != nil || !address.IsLoopback()) {
		c.warning("edge.auth.listen", "whoever reaches %s can say that any request passed; it should be on this machine alone, or in a network of your servers' own", e.Auth.Listen)
	}
	if len(e.Sites) > 0 && e.Exchange == "" {
		switch {
		case !c.Config.RAMP.Enabled:
			c.problem("edge.sites", "a gate needs an Exchange: name one in edge.exchange, or set ramp.enabled to be one")
		case c.Config.URL == "":
			c.problem("edge.sites", "agents are told where the Exchange is: set url to the public address of this front desk")
		}
	}
	if e.Auth.Log != "" && e.Auth.Listen == "" {
		c.problem("edge.auth.log", "without edge.auth.listen no server asks, and its log tells of nothing")
	}
	seen := map[string]bool{}
	for i, site := range e.Sites {
		c.gatedSite(fmt.Sprintf("edge.sites[%d]", i), site, seen)
	}
}

// gatedHost is how a host of a site is written.
var gatedHost = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$`)

// gatedSite checks one site behind the gate.
func (c *checks) gatedSite(path string, site EdgeSite, seen map[string]bool) {
	if _, err := identity.ParseDomain(site.Domain); !gatedHost.MatchString(site.Domain) || strings.Contains(site.Domain, ":") && err != nil { // a port is for trials on this machine
		c.problem(path+".domain", "%q is no domain; write it like www.example.com, in lower case and ASCII", site.Domain)
		return
	}
	if origin, ok := (RAMPDelivery{At: site.address()}).origin(); !ok || origin != strings.ToLower(origin) {
		c.problem(path+".url", "%q is no place; write scheme and host, like https://www.example.com", site.URL)
		return
	}
	for _, host := range site.hosts() {
		if !gatedHost.MatchString(host) {
			c.problem(path+".hosts", "%q is no host; write it like www.example.com, in lower case and ASCII", host)
		}
		if seen[host] {
			c.problem(path+".hosts", "the host %s is another site's, too", host)
		}
		seen[host] = true
		if own, _ := policy.Host(c.Config.URL); c.Config.Edge.Exchange == "" && own != "" && host == own {
			c.problem(path+".hosts", "%s is the host of url, where this front desk answers itself; give one of them another host", host)
		}
	}
	if u, err := url.Parse(site.Origin); site.Origin != "" && (err != nil || !validHost(u.Host) || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		c.problem(path+".origin", "%q is no origin; write scheme and host, like http://127.0.0.1:3000", site.Origin)
	}
	if site.OriginHost != "" && !validHost(site.OriginHost) {
		c.problem(path+".origin_host", "%q is no host", site.OriginHost)
	}
	between(c, path+".most", site.Most, 0, 100_000)
	between(c, path+".fetches", site.Fetches, 0, 1000)
	c.oneOf(path+".unknown", first(site.Unknown, "blocked"), "open", "licensed", "blocked")
	c.oneOf(path+".license", first(site.License, edge.LicenseIgnored), edge.LicenseIgnored, edge.LicenseChecked, edge.LicenseRequired)
	between(c, path+".tokens", len(site.Tokens), 0, edge.MaxTokens)
	for i, token := range site.Tokens {
		if !edge.IsToken(token) {
			c.problem(fmt.Sprintf("%s.tokens[%d]", path, i), "it is no token; write it as the Exchange gave it")
		}
	}
	if len(site.Exchanges) > 0 && c.Config.Edge.Exchange == "" {
		c.problem(path+".exchanges", "without edge.exchange this front desk is the Exchange, and ramp.exchanges names the others")
	}
	c.otherSellers(path+".exchanges", site.Exchanges)
	between(c, path+".keys", len(site.Keys), 0, maxEdgeKeys)
	for i, key := range site.Keys {
		c.gatedKey(fmt.Sprintf("%s.keys[%d]", path, i), key)
	}
}

// gatedKey checks a key of a site.
func (c *checks) gatedKey(path string, key EdgeKey) {
	c.rampDeliveryForm(path, RAMPDelivery{Form: key.Form, Hash: key.Hash, Parameter: key.Parameter, Token: key.Token})
	form := sign.URLForm(key.Form)
	if key.File == "" && (form != sign.URLEd25519 || c.Config.Edge.Exchange == "") {
		c.problem(path+".file", "the key is missing; name the file that holds it")
	}
	if key.ID == "" && (form == sign.URLCloudFront || form == sign.URLEd25519 && key.File != "") {
		c.problem(path+".id", "addresses of the form %s name the key; write the name", key.Form)
	}
	c.oneOf(path+".encoding", first(key.Encoding, "hex"), "hex", "base64", "text")
	if _, err := time.Parse(time.RFC3339, key.Until); key.Until != "" && err != nil {
		c.problem(path+".until", "%q is no time; write it like 2026-12-01T12:00:00Z", key.Until)
	}
}

// hosts are all hosts of a site.
func (s EdgeSite) hosts() []string {
	hosts := []string{s.Domain, hostOf(s.address())}
	hosts = append(hosts, s.Hosts...)
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// file is the key as it is read.
func (k EdgeKey) file() edge.KeyFile {
	until, _ := time.Parse(time.RFC3339, k.Until)
	encoding := first(k.Encoding, "hex")
	if k.Encoding == "" && k.Form == string(sign.URLFastly) {
		encoding = "base64"
	}
	options := RAMPDelivery{Hash: k.Hash, Parameter: k.Parameter, Token: k.Token}.options()
	return edge.KeyFile{Path: k.File, Encoding: encoding, Key: sign.URLKey{Form: sign.URLForm(k.Form), ID: k.ID, Ends: until, Options: options}}
}

// spoolFolder is where records wait.
func (c Config) spoolFolder() string { return filepath.Join(c.Data, "edge", "spool") }
