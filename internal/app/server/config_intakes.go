package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/policy"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/sign"
)

// Intakes takes in what agents submit under the Agent Intake Protocol, and makes offers that people can accept. It is on
// as soon as `list` has an entry; what is taken in is then published at /.well-known/agent-intake.json.
type Intakes struct {
	// Provider says whose intakes they are.
	Provider IntakeProvider `yaml:"provider"`
	// Certification is what the manifest says that a registry says of you. Nothing here checks it.
	Certification IntakeCertification `yaml:"certification"`
	// Vault is the database that holds the keys to personal data, apart from the store and from every backup:
	// `sqlite:PATH` or `postgres://...`. Without it, it is the file `vault.db` in the data folder. With a store in
	// PostgreSQL it has no default, since nodes must share it: name a second database.
	Vault string `yaml:"vault" check:"database" relative:"database"`
	// Pending says whether an agent whose offer a person has still to write is told to come back (status `pending`, which
	// the protocol reserves for future use). Otherwise it is told that the service is unavailable, with the same time to wait.
	Pending bool `yaml:"pending"`
	// Revisions says what becomes of a submission with other data in a session that has an offer already: `allow` makes a new
	// offer, `refuse` answers 409.
	Revisions string `yaml:"revisions" check:"oneof=allow refuse"`
	// Undeclared says what becomes of a member that the intake's schema does not name and that looks like personal data,
	// where the intake asks for none: `refuse` answers SCHEMA_MISMATCH, `drop` leaves it out, as it does any other such member.
	Undeclared string `yaml:"undeclared" check:"oneof=refuse drop"`
	// Lenient takes binds with `aip_version`, or with platform and name of the agent, for which the protocol's schema of
	// binds has no place.
	Lenient bool `yaml:"lenient"`
	// StrictUpstream takes only categories that the protocol's published schema takes: no digits and no dashes, so that
	// even its own `b2b/vendor` is none.
	StrictUpstream bool `yaml:"strict_upstream"`
	// MaxBody is the most that the body of a submission or a bind may have, at least 64KiB.
	MaxBody yamlconf.Size `yaml:"max_body" check:"64KiB..16MiB"`
	// Mail is the server that mail about accepted offers goes through.
	Mail notify.MailServer `yaml:"mail"`
	// List are the intakes.
	List []Intake `yaml:"list"`
}

// IntakeProvider says whose intakes they are.
type IntakeProvider struct {
	// Name is what people call you; without it, the name of the site.
	Name string `yaml:"name"`
	// URL is your web address; without it, that of the site, or `url`.
	URL string `yaml:"url"`
	// Description says briefly what you do.
	Description string `yaml:"description"`
	// Logo is the web address of a picture.
	Logo string `yaml:"logo"`
	// ContactEmail is where people write to about intakes.
	ContactEmail string `yaml:"contact_email"`
}

// IntakeCertification is what the manifest says that a registry says.
type IntakeCertification struct {
	// Registry is the registry's web address.
	Registry string `yaml:"registry"`
	// Certified says whether you are certified.
	Certified bool `yaml:"certified"`
	// CertID is the certificate, such as `aip-cert-2026-00142`.
	CertID string `yaml:"cert_id"`
	// Expires is the last day of the certificate, like `2027-12-31`.
	Expires string `yaml:"expires"`
}

// Intake is one thing that is taken in. Exactly one of `rules`, `webhook` and `person` says how its offers are made; where
// none does, a person makes them.
type Intake struct {
	// ID names the intake in addresses: lower-case letters, digits and dashes. Another id is another intake.
	ID string `yaml:"id,required"`
	// Name is what people call it.
	Name string `yaml:"name,required"`
	// Description says what it does and for whom; agents choose by it.
	Description string `yaml:"description,required"`
	// Category says what kind it is, as `health/assessment`, `service/matching`, `saas/onboarding`, `finance/quote`,
	// `tool/calculator`, or another two words with a slash between.
	Category string `yaml:"category"`
	// InputSchema is the JSON Schema (2020-12) of what is submitted, of type object. Formats are asserted, references to
	// elsewhere are refused.
	InputSchema yamlconf.Object `yaml:"input_schema"`
	// InputSchemaFile is a file with the JSON Schema, in its place.
	InputSchemaFile string `yaml:"input_schema_file" relative:"path"`
	// OfferType says what kind of offer it gives, such as `quote` or `recommendation`.
	OfferType string `yaml:"offer_type,required"`
	// Privacy says what becomes of what is submitted, and is carried out.
	Privacy IntakePrivacy `yaml:"privacy"`
	// RateLimit bounds how often one caller may submit, and apart from that how often it may bind.
	RateLimit IntakeRate `yaml:"rate_limit"`
	// RequiresAuth says whether callers need an API key (`frontdesk keys issue api NAME --door intake`) or a token.
	RequiresAuth bool `yaml:"requires_auth"`
	// Scopes are what a person must have authorized the agent to do, beside `intake`, for a submission to be taken: `offer`,
	// `bind`, `account_creation` or `payment`.
	Scopes []string `yaml:"scopes" check:"oneof=intake offer bind account_creation payment"`
	// Binding says whether its offers can be accepted here.
	Binding bool `yaml:"binding"`
	// Expires is how long an offer stands that does not say it itself, from `1m` to `8784h`; without it, `168h`.
	Expires time.Duration `yaml:"expires" check:"optional,1m..8784h"`
	// TermsURL is the web address of the terms of its offers.
	TermsURL string `yaml:"terms_url" check:"url"`
	// Rules say what is offered, in expressions.
	Rules offers.Rules `yaml:"rules"`
	// Webhook asks a server of yours what to offer.
	Webhook offers.Webhook `yaml:"webhook"`
	// Person leaves offers to people, in the console's inbox.
	Person offers.Person `yaml:"person"`
	// Bind says how its offers are accepted.
	Bind IntakeBind `yaml:"bind"`
	// Match are conditions, as those of terms, for items of yours: an answer with an item that meets one of them tells that
	// this intake can be started for it. It needs `url`.
	Match []policy.Match `yaml:"match"`
}

// IntakePrivacy says what becomes of what is submitted.
type IntakePrivacy struct {
	// DataRetention says how long it is kept: `none`, `session` (until the offer is accepted or expires), `30_days`,
	// `1_year` or `indefinite`; without it, `none`.
	DataRetention string `yaml:"data_retention"`
	// PIIRequired says that it asks for personal data. Agents may pass such an intake by.
	PIIRequired bool `yaml:"pii_required"`
	// Redacted says whether `[redacted]` passes for an optional text: `accept` or `refuse`; without it, `accept`. The manifest
	// calls it redacted_acceptable.
	Redacted string `yaml:"redacted" check:"optional,oneof=accept refuse"`
}

// IntakeRate bounds how often one caller may come: an API key, the subject of a token, or an address. No span of such a length,
// wherever it begins, has more of them.
type IntakeRate struct {
	// RequestsPerMinute are how many in a minute; 0 is no limit.
	RequestsPerMinute int `yaml:"requests_per_minute" check:"0..1000000000"`
	// RequestsPerDay are how many in 24 hours; 0 is no limit.
	RequestsPerDay int `yaml:"requests_per_day" check:"0..1000000000"`
}

// IntakeBind says how offers are accepted.
type IntakeBind struct {
	// Requires are the fields without which an offer cannot be taken, such as `email` and `full_name`, unless the offer names
	// its own.
	Requires []string `yaml:"requires"`
	// Formats are formats of fields, such as `{birthday: date, site: uri}`: those of JSON Schema. `email` has its own.
	Formats yamlconf.Object `yaml:"formats"`
	// Consent are what a person must have authorized beside `bind`: `account_creation`, `payment`.
	Consent []string `yaml:"consent" check:"oneof=intake offer bind account_creation payment"`
	// Effect is what happens with what was accepted: `inbox` puts it before people in the console, `webhook` posts it to a
	// server of yours, `mail` sends it. Without it, `inbox`.
	Effect string `yaml:"effect" check:"optional,oneof=inbox webhook mail"`
	// Webhook is where what was accepted is posted to, with the effect `webhook`.
	Webhook IntakeHook `yaml:"webhook"`
	// Mail is how it is sent, with the effect `mail`.
	Mail IntakeMail `yaml:"mail"`
	// Message is what the agent is told once it is done.
	Message string `yaml:"message"`
}

// IntakeHook is a server of yours that is told what was accepted: once or, when it does not answer, several times under the
// same `webhook-id`.
type IntakeHook struct {
	// URL is where it is posted to.
	URL string `yaml:"url"`
	// SecretEnv names the variable of the environment that holds the secret with which it is signed, in the form of Standard
	// Webhooks: `whsec_` and 24 to 64 bytes in Base64.
	SecretEnv string `yaml:"secret_env"`
	// SecretFile is a file that holds the secret.
	SecretFile string `yaml:"secret_file" relative:"path"`
}

// IntakeMail is how mail about what was accepted is sent.
type IntakeMail struct {
	// To is the address of yours that gets it.
	To string `yaml:"to"`
	// Subject is what stands above it; without it, the name of the intake.
	Subject string `yaml:"subject"`
}

func defaultIntakes() Intakes {
	return Intakes{Revisions: "allow", Undeclared: "refuse", MaxBody: 64 << 10}
}

// On says whether anything is taken in.
func (i Intakes) On() bool { return len(i.List) > 0 }

// The defaults of an intake.
const (
	defaultOfferFor = 7 * 24 * time.Hour
	effectInbox     = "inbox"
	effectWebhook   = "webhook"
	effectMail      = "mail"
)

// expires is how long its offers stand.
func (i Intake) expires() time.Duration { return cmp.Or(i.Expires, defaultOfferFor) }

// privacy is what the manifest says of it.
func (i Intake) privacy() *wire.Privacy {
	redacted := i.Privacy.Redacted != "refuse"
	return &wire.Privacy{
		DataRetention: wire.Retention(cmp.Or(i.Privacy.DataRetention, string(wire.RetainNone))), PIIRequired: i.Privacy.PIIRequired, RedactedAcceptable: &redacted,
	}
}

// VaultDSN is the address of the database that holds the keys to personal data; empty where it must be named and is not.
func (c Config) VaultDSN() string {
	if c.Intakes.Vault != "" {
		return c.Intakes.Vault
	}
	if _, file := c.StoreFile(); !file {
		return ""
	}
	return "sqlite:" + filepath.Join(c.Data, "vault.db")
}

// hasVault says whether there is a vault already, or one is named.
func (c Config) hasVault() bool {
	if c.Intakes.Vault != "" {
		return true
	}
	_, err := os.Stat(strings.TrimPrefix(strings.TrimPrefix(c.VaultDSN(), "sqlite:"), "//"))
	return c.VaultDSN() != "" && err == nil
}

// secret is what a webhook is signed with. The error does not hold it.
func (h IntakeHook) secret() (sign.WebhookSecret, error) {
	text, err := notify.ReadSecret(h.SecretEnv, h.SecretFile)
	switch {
	case err != nil:
		return nil, err
	case text == "":
		return nil, errors.New("without a secret your server cannot know who tells it; name the variable of the environment, or the file, that holds it")
	}
	return sign.ParseWebhookSecret(text)
}

// fields is the schema of what offers are accepted with: of the fields that have a format. Nil where none has.
func (b IntakeBind) fields() (*wire.Schema, error) {
	if b.Formats == "" {
		return nil, nil
	}
	var formats map[string]string
	if err := json.Unmarshal([]byte(b.Formats), &formats); err != nil {
		return nil, errors.New("write each field with the name of its format, like {birthday: date}")
	}
	properties := map[string]any{}
	for field, format := range formats {
		if !slices.Contains(bindFormats, format) {
			return nil, fmt.Errorf("%q is none of the formats %s", format, strings.Join(bindFormats, ", "))
		}
		properties[field] = map[string]string{"type": "string", "format": format}
	}
	text, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		return nil, err
	}
	return wire.CompileSchema(text)
}

// bindFormats are the formats of JSON Schema 2020-12 that fields of a person's data can have.
var bindFormats = []string{"date", "date-time", "time", "duration", "email", "idn-email", "hostname", "ipv4", "ipv6", "uri", "iri", "uuid"}
