package excerpts

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"time"

	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/sign"
)

// Settings is the section intent. It serves passages to platforms under the Agentic Intent
// Protocol: they sign their requests with keys that you give them (`frontdesk keys issue`), say
// what a user is after, and get passages of items that your rules label with the editorial domain
// in question. What is declared here is published at /.well-known/aip.json.
type Settings struct {
	// Enabled says whether the declaration is published and platforms are served at all. If you set
	// it to false while the server runs, every request is denied from then on. To switch it on,
	// start the server again.
	Enabled bool `yaml:"enabled"`
	// State is `active`, `paused` or `disabled`. Unless it is active, every request is denied.
	State string `yaml:"state" check:"oneof=active paused disabled"`
	// Publisher describes the publisher.
	Publisher PublisherSettings `yaml:"publisher"`
	// Hosts are further hosts of your items. Items under other hosts than these and
	// `publisher.domain` give no passages.
	Hosts []string `yaml:"hosts"`
	// Domains are the declared editorial domains, such as `finance.markets`. The `labels` of rules
	// say which items are in one. Without this key they are all the labels of the rules.
	Domains []string `yaml:"domains"`
	// Versions are the supported versions of the protocol, `0.1` and `1.0`. The declaration has the
	// first.
	Versions []string `yaml:"versions" check:"oneof=0.1 1.0"`
	// Supports says what platforms may get.
	Supports Supports `yaml:"supports"`
	// MaxChunks is the most passages of an answer. A key may have a lower limit.
	MaxChunks int `yaml:"max_chunks" check:"1..100"`
	// MaxTokens is the most tokens of an answer. A key may have a lower limit. Four characters
	// count as a token, rounded up for each passage.
	MaxTokens int `yaml:"max_tokens" check:"1..100000"`
	// Share is how much of an item's text one session of a platform may see, from 0.01 to 0.95,
	// unless `supports.full_article` is true.
	Share float64 `yaml:"share" check:"0.01..0.95"`
	// SharePerDay is how much of an item's text all sessions of a platform may see together in 24
	// hours, from 0.01 to 1, unless `supports.full_article` is true. Platforms name their sessions
	// themselves. 0 is the same as `share`, 1 is no limit.
	SharePerDay float64 `yaml:"share_per_day" check:"optional,0.01..1"`
	// Session is how long Frontdesk remembers what a session has seen, after its last request.
	Session time.Duration `yaml:"session" check:"1m..2160h"`
	// Training says, for the declaration, whether content may be used for training models.
	Training bool `yaml:"training"`
	// Compliance has further members of the declaration.
	Compliance ComplianceSettings `yaml:"compliance"`
	// Refuse names requests that are denied.
	Refuse RefuseSettings `yaml:"refuse"`
	// Confidence is the least confidence of a platform in what its user wants, if it states one; 0
	// to 1.
	Confidence float64 `yaml:"confidence" check:"0..1"`
	// Languages are the accepted languages of requests: `strict` accepts those of the protocol's
	// schema (`en-US`), `any` every tag of a language (`en`, `zh-Hant-TW`).
	Languages string `yaml:"languages" check:"oneof=strict any"`
	// Events set how platforms report citations.
	Events EventSettings `yaml:"events"`
	// Sign says whether answers are signed, with the key that signed the request.
	Sign bool `yaml:"sign"`
	// Rate limits the requests of each platform: `600/1m` is 600 in any minute, an empty rate is no
	// limit. A key may have its own rate.
	Rate string `yaml:"rate" check:"rate"`
	// Sessions limits the requests of each session.
	Sessions string `yaml:"sessions" check:"rate"`
	// Keep is how long requests and events are kept, so that later ones can refer to them. Their
	// receipts are kept for ever.
	Keep time.Duration `yaml:"keep" check:"1h..87600h"`
	// Sinks are addresses that get a copy of each access event, at least once each: a platform, an
	// operator, an auditor.
	Sinks []SinkSettings `yaml:"sinks"`
	// Extensions are further members of the declaration, under names with a dot, such as
	// `example.note`.
	Extensions yamlconf.Object `yaml:"extensions"`
}

// PublisherSettings names a publisher.
type PublisherSettings struct {
	// ID is 2 to 64 lower-case letters, digits, dashes and underscores.
	ID string `yaml:"id"`
	// Name is what people call it, up to 128 characters; without it, the name of the site.
	Name string `yaml:"name"`
	// Domain is the host name that the declaration is for; without it, the host of `site.url`,
	// without `www.`.
	Domain string `yaml:"domain"`
}

// Supports says what platforms may have.
type Supports struct {
	// Chunks says whether passages are given at all.
	Chunks bool `yaml:"chunks"`
	// Citations says whether answers name the sources of their passages.
	Citations bool `yaml:"citations"`
	// FullArticle says whether a platform may see all passages of an item.
	FullArticle bool `yaml:"full_article"`
}

// ComplianceSettings is what the declaration says of itself.
type ComplianceSettings struct {
	// Revocable says whether you may withdraw the access.
	Revocable bool `yaml:"revocable"`
	// NoticeRequired says whether platforms must show a notice.
	NoticeRequired bool `yaml:"notice_required"`
	// RevocationReason is `legal`, `policy` or `technical`, once access is withdrawn.
	RevocationReason string `yaml:"revocation_reason" check:"optional,oneof=legal policy technical"`
	// Sunset is the last day of the access, like `2027-12-31`, by UTC.
	Sunset string `yaml:"sunset" check:"day"`
	// LastUpdated is the day on which you last changed the declaration.
	LastUpdated string `yaml:"last_updated" check:"day"`
}

// RefuseSettings names requests that are denied.
type RefuseSettings struct {
	// Countries are ISO codes, such as `FR`.
	Countries []string `yaml:"countries"`
	// Languages are tags; `fr` is every kind of French.
	Languages []string `yaml:"languages"`
	// Placements are where a platform says it would show the answer.
	Placements []string `yaml:"placements"`
}

// EventSettings is how platforms report what they showed.
type EventSettings struct {
	// Enabled says whether there is an address for events.
	Enabled bool `yaml:"enabled"`
	// Required says, in the declaration, that platforms must report what they show.
	Required bool `yaml:"required"`
	// Signed says whether events must be signed.
	Signed bool `yaml:"signed"`
	// Strict says whether events must have every member that belongs to their kind.
	Strict bool `yaml:"strict"`
	// MaxUncited is the number of answers in seven days without any report, from which on a
	// platform is denied; 0 never denies.
	MaxUncited int `yaml:"owed" check:"0..1000000"`
	// Grace is the age from which on an answer without a report counts for `owed`.
	Grace time.Duration `yaml:"grace" check:"0..144h"`
}

// SinkSettings is an address that gets access events.
type SinkSettings struct {
	// Name is its name in logs and figures.
	Name string `yaml:"name,required"`
	// URL is the address that events are posted to, one each, as JSON.
	URL string `yaml:"url,required" check:"url"`
	// Platform is the id of the platform whose events it gets; without it, it gets all events.
	Platform string `yaml:"platform"`
	// SecretEnv names the variable of the environment with the secret that signs the events, in the
	// form of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64. Without a secret they are
	// not signed.
	SecretEnv string `yaml:"secret_env"`
	// SecretFile is a file that holds the secret.
	SecretFile string `yaml:"secret_file"`
}

// Secret is what is signed with that a sink gets; nil for none. The error does not hold it.
func (s SinkSettings) Secret() (sign.WebhookSecret, error) {
	text, err := notify.ReadSecret(s.SecretEnv, s.SecretFile)
	if err != nil || text == "" {
		return nil, err
	}
	return sign.ParseWebhookSecret(text)
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{
		State: "active", Versions: []string{"0.1"}, Supports: Supports{Chunks: true, Citations: true},
		MaxChunks: 5, MaxTokens: 800, Share: 0.5,
		Session: 24 * time.Hour, Compliance: ComplianceSettings{Revocable: true}, Languages: "strict",
		Events: EventSettings{Enabled: true, Signed: true, Strict: true, Grace: 24 * time.Hour},
		Sign:   true, Rate: "600/1m", Sessions: "30/1m", Keep: 90 * 24 * time.Hour,
	}
}

// Check looks at names and addresses.
func (i Settings) Check(r *yamlconf.Report) {
	r.MatchAll("domains", i.Domains, IsEditorialDomain, "is no editorial domain; "+EditorialForm)
	r.MatchAll("hosts", i.Hosts, yamlconf.IsHostName, "is no host name; write it like news.example.com, in ASCII")
	r.MatchAll("refuse.countries", i.Refuse.Countries, countryCode.MatchString,
		"is no country; write two letters, like FR")
	r.MatchAll("refuse.languages", i.Refuse.Languages, languageRange.MatchString,
		"is no language; write it like fr or fr-CA")
	names := map[string]bool{}
	for n, sink := range i.Sinks {
		if names[sink.Name] || sink.Name == "" {
			r.Problem(yamlconf.Index("sinks", n)+".name", "%q is empty, or another sink's name", sink.Name)
		}
		names[sink.Name] = true
	}
	for name := range i.ExtensionMembers() {
		if !strings.Contains(name, ".") {
			r.Warning("extensions", "the name %s has no dot; the protocol wants names such as example.note", name)
		}
	}
}

// Check looks at where events go, and how they are signed.
func (s SinkSettings) Check(r *yamlconf.Report) {
	if u, err := url.Parse(s.URL); err == nil && u.User != nil {
		r.Problem("url", "an address must not hold a user or a password; it would never be reached")
	}
	if s.URL == "" {
		r.Problem("url", "it is empty; write where events are to be posted")
	}
	key := "secret_env"
	if s.SecretFile != "" {
		key = "secret_file"
	}
	switch secret, err := s.Secret(); {
	case err != nil:
		r.Problem(key, "%v", err)
	case secret == nil:
		r.Warning("", "what it gets is not signed, so that anybody could send it the like; "+
			"name a secret by secret_env or secret_file")
	}
}

// ExtensionMembers are the further members of the declaration.
func (i Settings) ExtensionMembers() (members map[string]json.RawMessage) {
	if i.Extensions != "" {
		_ = json.Unmarshal([]byte(i.Extensions), &members) // a strictyaml.Object is the text of a JSON object
	}
	return members
}

// EditorialForm says what an editorial domain looks like.
const EditorialForm = "use lower-case letters and digits, with dots between, and dashes behind the first dot"

var (
	publisherID     = regexp.MustCompile(`^[a-z0-9_-]{2,64}$`)
	editorialDomain = regexp.MustCompile(`^[a-z0-9]+(\.[a-z0-9-]+)*$`)
	countryCode     = regexp.MustCompile(`^[A-Za-z]{2}$`)
	languageRange   = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)
)

// IsEditorialDomain says whether a text is written as EditorialForm says.
func IsEditorialDomain(text string) bool { return editorialDomain.MatchString(text) }

// CheckDeclared looks at what a declaration cannot do without, once the defaults are filled in.
func (p PublisherSettings) CheckDeclared(r *yamlconf.Report) {
	switch {
	case !publisherID.MatchString(p.ID):
		r.Problem("id", "%q is no id of a publisher; "+
			"use 2 to 64 lower-case letters, digits, dashes and underscores", p.ID)
	case p.Name == "" || len([]rune(p.Name)) > 128:
		r.Problem("name", "give the publisher a name of up to 128 characters")
	case !yamlconf.IsHostName(p.Domain):
		r.Problem("domain", "%q is no host name; write it like example.com, in ASCII, or set site.url", p.Domain)
	}
}
