package intake

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/policy"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Settings is the section intakes. It takes in what agents submit under the Agent Intake Protocol,
// and makes offers that people can accept. It is on as soon as `list` has an entry; what is taken
// in is then published at /.well-known/agent-intake.json.
type Settings struct {
	// Provider says whose intakes they are.
	Provider ProviderSettings `yaml:"provider"`
	// Certification is what the manifest says that a registry says of you. Nothing here checks it.
	Certification CertificationSettings `yaml:"certification"`
	// Vault is the database that holds the keys to personal data, apart from the store and from
	// every backup: `sqlite:PATH` or `postgres://...`. Without it, it is the file `vault.db` in the
	// data folder. With a store in PostgreSQL it has no default, since nodes must share it: name a
	// second database.
	Vault string `yaml:"vault" check:"database" relative:"database"`
	// Pending says whether an agent whose offer a person has still to write is told to come back
	// (status `pending`, which the protocol reserves for future use). Otherwise it is told that the
	// service is unavailable, with the same time to wait.
	Pending bool `yaml:"pending"`
	// Revisions says what becomes of a submission with other data in a session that has an offer
	// already: `allow` makes a new offer, `refuse` answers 409.
	Revisions string `yaml:"revisions" check:"oneof=allow refuse"`
	// Undeclared says what becomes of a member that the intake's schema does not name and that
	// looks like personal data, where the intake asks for none: `refuse` answers SCHEMA_MISMATCH,
	// `drop` leaves it out, as it does any other such member.
	Undeclared string `yaml:"undeclared" check:"oneof=refuse drop"`
	// Lenient takes binds with `aip_version`, or with platform and name of the agent, for which the
	// protocol's schema of binds has no place.
	Lenient bool `yaml:"lenient"`
	// StrictUpstream takes only categories that the protocol's published schema takes: no digits
	// and no dashes, so that even its own `b2b/vendor` is none.
	StrictUpstream bool `yaml:"strict_upstream"`
	// MaxBody is the most that the body of a submission or a bind may have, at least 64KiB.
	MaxBody yamlconf.Size `yaml:"max_body" check:"64KiB..16MiB"`
	// Mail is the server that mail about accepted offers goes through.
	Mail notify.MailServer `yaml:"mail"`
	// List are the intakes.
	List []IntakeSettings `yaml:"list"`
}

// ProviderSettings says whose intakes they are.
type ProviderSettings struct {
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

// CertificationSettings is what the manifest says that a registry says.
type CertificationSettings struct {
	// Registry is the registry's web address.
	Registry string `yaml:"registry"`
	// Certified says whether you are certified.
	Certified bool `yaml:"certified"`
	// CertID is the certificate, such as `aip-cert-2026-00142`.
	CertID string `yaml:"cert_id"`
	// Expires is the last day of the certificate, like `2027-12-31`.
	Expires string `yaml:"expires"`
}

// IntakeSettings is one thing that is taken in. Exactly one of `rules`, `webhook` and `person` says
// how its offers are made; where none does, a person makes them.
type IntakeSettings struct {
	// ID names the intake in addresses: lower-case letters, digits and dashes. Another id is
	// another intake.
	ID string `yaml:"id,required"`
	// Name is what people call it.
	Name string `yaml:"name,required"`
	// Description says what it does and for whom; agents choose by it.
	Description string `yaml:"description,required"`
	// Category says what kind it is, as `health/assessment`, `service/matching`, `saas/onboarding`,
	// `finance/quote`, `tool/calculator`, or another two words with a slash between.
	Category string `yaml:"category"`
	// InputSchema is the JSON Schema (2020-12) of what is submitted, of type object. Formats are
	// asserted, references to elsewhere are refused.
	InputSchema yamlconf.Object `yaml:"input_schema"`
	// InputSchemaFile is a file with the JSON Schema, in its place.
	InputSchemaFile string `yaml:"input_schema_file" relative:"path"`
	// OfferType says what kind of offer it gives, such as `quote` or `recommendation`.
	OfferType string `yaml:"offer_type,required"`
	// Privacy says what becomes of what is submitted, and is carried out.
	Privacy PrivacySettings `yaml:"privacy"`
	// RateLimit bounds how often one caller may submit, and apart from that how often it may bind.
	RateLimit RateSettings `yaml:"rate_limit"`
	// RequiresAuth says whether callers need an API key (`frontdesk keys issue api NAME --door
	// intake`) or a token.
	RequiresAuth bool `yaml:"requires_auth"`
	// Scopes are what a person must have authorized the agent to do, beside `intake`, for a
	// submission to be taken: `offer`, `bind`, `account_creation` or `payment`.
	Scopes []string `yaml:"scopes" check:"oneof=intake offer bind account_creation payment"`
	// Binding says whether its offers can be accepted here.
	Binding bool `yaml:"binding"`
	// Expires is how long an offer stands that does not say it itself, from `1m` to `8784h`;
	// without it, `168h`.
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
	Bind BindSettings `yaml:"bind"`
	// Match are conditions, as those of terms, for items of yours: an answer with an item that
	// meets one of them tells that this intake can be started for it. It needs `url`.
	Match []policy.Match `yaml:"match"`
}

// PrivacySettings says what becomes of what is submitted.
type PrivacySettings struct {
	// DataRetention says how long it is kept: `none`, `session` (until the offer is accepted or
	// expires), `30_days`, `1_year` or `indefinite`; without it, `none`.
	DataRetention string `yaml:"data_retention"`
	// PIIRequired says that it asks for personal data. Agents may pass such an intake by.
	PIIRequired bool `yaml:"pii_required"`
	// Redacted says whether `[redacted]` passes for an optional text: `accept` or `refuse`; without
	// it, `accept`. The manifest calls it redacted_acceptable.
	Redacted string `yaml:"redacted" check:"optional,oneof=accept refuse"`
}

// RateSettings bounds how often one caller may come: an API key, the subject of a token, or an
// address. No span of such a length, wherever it begins, has more of them.
type RateSettings struct {
	// RequestsPerMinute are how many in a minute; 0 is no limit.
	RequestsPerMinute int `yaml:"requests_per_minute" check:"0..1000000000"`
	// RequestsPerDay are how many in 24 hours; 0 is no limit.
	RequestsPerDay int `yaml:"requests_per_day" check:"0..1000000000"`
}

// BindSettings says how offers are accepted.
type BindSettings struct {
	// Requires are the fields without which an offer cannot be taken, such as `email` and
	// `full_name`, unless the offer names its own.
	Requires []string `yaml:"requires"`
	// Formats are formats of fields, such as `{birthday: date, site: uri}`: those of JSON Schema.
	// `email` has its own.
	Formats yamlconf.Object `yaml:"formats"`
	// Consent are what a person must have authorized beside `bind`: `account_creation`, `payment`.
	Consent []string `yaml:"consent" check:"oneof=intake offer bind account_creation payment"`
	// Effect is what happens with what was accepted: `inbox` puts it before people in the console,
	// `webhook` posts it to a server of yours, `mail` sends it. Without it, `inbox`.
	Effect string `yaml:"effect" check:"optional,oneof=inbox webhook mail"`
	// Webhook is where what was accepted is posted to, with the effect `webhook`.
	Webhook HookSettings `yaml:"webhook"`
	// Mail is how it is sent, with the effect `mail`.
	Mail MailSettings `yaml:"mail"`
	// Message is what the agent is told once it is done.
	Message string `yaml:"message"`
}

// HookSettings is a server of yours that is told what was accepted: once or, when it does not
// answer, several times under the same `webhook-id`.
type HookSettings struct {
	// URL is where it is posted to.
	URL string `yaml:"url"`
	// SecretEnv names the variable of the environment that holds the secret with which it is
	// signed, in the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64.
	SecretEnv string `yaml:"secret_env"`
	// SecretFile is a file that holds the secret.
	SecretFile string `yaml:"secret_file" relative:"path"`
}

// MailSettings is how mail about what was accepted is sent.
type MailSettings struct {
	// To is the address of yours that gets it.
	To string `yaml:"to"`
	// Subject is what stands above it; without it, the name of the intake.
	Subject string `yaml:"subject"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{Revisions: "allow", Undeclared: "refuse", MaxBody: 64 << 10}
}

// On says whether anything is taken in.
func (i Settings) On() bool { return len(i.List) > 0 }

// The defaults of an intake.
const (
	maxSchema       = 256 << 10 // bytes of the schema
	maxIntakes      = 1000
	maxIntakeID     = 50
	defaultOfferFor = 7 * 24 * time.Hour
	EffectInbox     = "inbox"
	EffectWebhook   = "webhook"
	EffectMail      = "mail"
)

// OfferLifetime is how long its offers stand.
func (i IntakeSettings) OfferLifetime() time.Duration { return cmp.Or(i.Expires, defaultOfferFor) }

// DeclaredPrivacy is what the manifest says of it.
func (i IntakeSettings) DeclaredPrivacy() *wire.Privacy {
	redacted := i.Privacy.Redacted != "refuse"
	return &wire.Privacy{
		DataRetention: wire.Retention(cmp.Or(i.Privacy.DataRetention, string(wire.RetainNone))),
		PIIRequired:   i.Privacy.PIIRequired, RedactedAcceptable: &redacted,
	}
}

// Secret is what a webhook is signed with. The error does not hold it.
func (h HookSettings) Secret() (sign.WebhookSecret, error) {
	text, err := notify.ReadSecret(h.SecretEnv, h.SecretFile)
	switch {
	case err != nil:
		return nil, err
	case text == "":
		return nil, errors.New("without a secret your server cannot know who tells it; " +
			"name the variable of the environment, or the file, that holds it")
	}
	return sign.ParseWebhookSecret(text)
}

// FieldSchema is the schema of what offers are accepted with: of the fields that have a format. Nil
// where none has.
func (b BindSettings) FieldSchema() (*wire.Schema, error) {
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
var bindFormats = []string{
	"date", "date-time", "time", "duration", "email", "idn-email",
	"hostname", "ipv4", "ipv6", "uri", "iri", "uuid",
}

// CheckFirst looks at how many there are.
func (i Settings) CheckFirst(r *yamlconf.Report) bool {
	if len(i.List) > maxIntakes {
		r.Problem("list", "there are more than %d intakes", maxIntakes)
		return false
	}
	return true
}

// Check looks at how offers are accepted.
func (i IntakeSettings) Check(r *yamlconf.Report) {
	i.checkSchema(r)
	i.checkEngine(r)
	if len(i.ID) > maxIntakeID {
		r.Problem("id", "the id is longer than %d characters", maxIntakeID)
	}
	b := i.Bind
	if !i.Binding && (b.Effect != "" || b.Message != "" || len(b.Requires)+len(b.Consent) > 0) {
		r.Problem("bind", "its offers cannot be accepted; set binding, or remove bind")
	}
}

// Check looks at the fields, and at what tells the business of accepted offers.
func (b BindSettings) Check(r *yamlconf.Report) {
	seen := map[string]bool{}
	for n, name := range b.Requires {
		if name == "" || len(name) > 64 || seen[name] {
			r.Problem(yamlconf.Index("requires", n),
				"%q is no name of a field, longer than 64 bytes, or there twice", name)
		}
		seen[name] = true
	}
	if _, err := b.FieldSchema(); err != nil {
		r.Problem("formats", "%v", err)
	}
	switch {
	case b.Effect == EffectWebhook:
		b.Webhook.check(r.Section("webhook"))
	case b.Webhook != (HookSettings{}):
		r.Problem("webhook", "it is told nothing; set effect to webhook, or remove it")
	}
	switch {
	case b.Effect == EffectMail:
		if err := notify.CheckAddress(b.Mail.To); err != nil {
			r.Problem("mail.to", "%v", err)
		}
	case b.Mail != (MailSettings{}):
		r.Problem("mail", "it is sent nothing; set effect to mail, or remove it")
	}
}

// check looks at a server that is told.
func (h HookSettings) check(r *yamlconf.Report) {
	if h.URL == "" {
		r.Problem("url", "the effect is a webhook; write where it is to be posted")
	} else if err := yamlconf.WebAddress(h.URL); err != nil {
		r.Problem("url", "%v", err)
	}
	if _, err := h.Secret(); err != nil {
		key := "secret_env"
		if h.SecretFile != "" {
			key = "secret_file"
		}
		r.Problem(key, "%v", err)
	}
}

// ByRules says how an intake's offers are made; otherwise a person makes them.
func (i IntakeSettings) ByRules() bool {
	return len(i.Rules.Offers)+len(i.Rules.Decline) > 0 || i.Rules.Otherwise != ""
}

// ByWebhook says whether a server of the owner makes its offers.
func (i IntakeSettings) ByWebhook() bool { return i.Webhook != (offers.Webhook{}) }

// Schema is the intake's schema as the owner wrote it, inline or in a file.
func (i IntakeSettings) Schema() (strictjson.Value, error) {
	if i.InputSchemaFile == "" {
		return strictjson.Value(i.InputSchema), nil
	}
	text, err := os.ReadFile(i.InputSchemaFile)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read", i.InputSchemaFile)
	case len(text) > maxSchema:
		return nil, fmt.Errorf("%s is larger than %d bytes", i.InputSchemaFile, maxSchema)
	}
	var any strictjson.Value
	if err := strictjson.Decode(text, &any); err != nil {
		return nil, fmt.Errorf("%s: %w", i.InputSchemaFile, err)
	}
	return any, nil
}

// checkSchema checks what data an intake takes.
func (i IntakeSettings) checkSchema(r *yamlconf.Report) {
	key := "input_schema"
	if i.InputSchemaFile != "" {
		key = "input_schema_file"
	}
	switch {
	case i.InputSchema == "" && i.InputSchemaFile == "":
		r.Problem("input_schema", "the schema of the data is missing; "+
			"write it here, or name a file with it in input_schema_file")
		return
	case i.InputSchema != "" && i.InputSchemaFile != "":
		r.Problem(key, "the schema is given here and in input_schema; keep one of them")
		return
	}
	text, err := i.Schema()
	if err == nil {
		_, err = wire.CompileSchema(text)
	}
	if err != nil {
		r.Problem(key, "%v", err)
	}
}

// checkEngine checks how an intake's offers are made.
func (i IntakeSettings) checkEngine(r *yamlconf.Report) {
	if i.ByRules() && i.ByWebhook() {
		r.Problem("webhook", "offers are made by rules and by a webhook; keep one of them")
	}
	if i.Person.RetryAfter != 0 && (i.ByRules() || i.ByWebhook()) {
		r.Problem("person", "offers are made by a person, and by rules or a webhook, too; keep one of them")
	}
	var err error
	part := "rules"
	switch text, unread := i.Schema(); {
	case i.ByRules() && unread == nil:
		_, err = offers.NewRules(i.Rules, text)
	case i.ByWebhook():
		part, err = "webhook", i.Webhook.Check()
	}
	for _, e := range yamlconf.Unjoin(err) {
		var found *offers.Error
		if errors.As(e, &found) {
			r.ProblemWithin(part+"."+found.Field, found.Line, found.Column, "%s", found.Detail)
		} else {
			r.Problem(part, "%v", e)
		}
	}
}
