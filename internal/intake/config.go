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
	// Provider describes you to agents.
	Provider ProviderSettings `yaml:"provider"`
	// Certification is a registry's statement about you, for the manifest. Frontdesk does not check
	// it.
	Certification CertificationSettings `yaml:"certification"`
	// Vault is the database with the keys to personal data, apart from the store and from every
	// backup: `sqlite:PATH` or `postgres://...`. Without it, it is the file `vault.db` in the data
	// folder. With a store in PostgreSQL it has no default, because nodes must share it: name a
	// second database.
	Vault string `yaml:"vault" check:"database" relative:"database"`
	// Pending answers with the status `pending` while a person has still to write the offer. The
	// protocol reserves that status for future use. Otherwise the agent gets 503 with the same time
	// to wait.
	Pending bool `yaml:"pending"`
	// Revisions says how to answer a submission with other data in a session that already has an
	// offer: `allow` makes a new offer, `refuse` answers 409.
	Revisions string `yaml:"revisions" check:"oneof=allow refuse"`
	// Undeclared says how to treat a member that the intake's schema does not name and that looks
	// personal, if the intake asks for no personal data: `refuse` answers SCHEMA_MISMATCH, `drop`
	// leaves it out, like any other such member.
	Undeclared string `yaml:"undeclared" check:"oneof=refuse drop"`
	// Lenient accepts binds with `aip_version`, or with platform and name of the agent. The
	// protocol's schema of binds does not have these members.
	Lenient bool `yaml:"lenient"`
	// StrictUpstream accepts only categories that the protocol's published schema accepts: no
	// digits and no dashes, and so not even the protocol's own `b2b/vendor`.
	StrictUpstream bool `yaml:"strict_upstream"`
	// MaxBody is the most that the body of a submission or a bind may have, at least 64KiB.
	MaxBody yamlconf.Size `yaml:"max_body" check:"64KiB..16MiB"`
	// Mail is the server for mail about accepted offers.
	Mail notify.MailServer `yaml:"mail"`
	// List are the intakes.
	List []IntakeSettings `yaml:"list"`
}

// ProviderSettings says whose intakes they are.
type ProviderSettings struct {
	// Name is what people call you; without it, the name of the site.
	Name string `yaml:"name"`
	// URL is your web address; without it, the site's address, or `url`.
	URL string `yaml:"url"`
	// Description says briefly what you do.
	Description string `yaml:"description"`
	// Logo is the web address of a picture.
	Logo string `yaml:"logo"`
	// ContactEmail is the address for questions about intakes.
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
	// Description says what the intake does and for whom. Agents choose by it.
	Description string `yaml:"description,required"`
	// Category says what kind it is, as `health/assessment`, `service/matching`, `saas/onboarding`,
	// `finance/quote`, `tool/calculator`, or another two words with a slash between.
	Category string `yaml:"category"`
	// InputSchema is the JSON Schema (2020-12) of submissions, of type object. Formats are checked,
	// references to other documents are refused.
	InputSchema yamlconf.Object `yaml:"input_schema"`
	// InputSchemaFile is a file with the JSON Schema, in place of `input_schema`.
	InputSchemaFile string `yaml:"input_schema_file" relative:"path"`
	// OfferType says what kind of offer it gives, such as `quote` or `recommendation`.
	OfferType string `yaml:"offer_type,required"`
	// Privacy declares how long data are kept, and Frontdesk carries it out.
	Privacy PrivacySettings `yaml:"privacy"`
	// RateLimit limits how often one caller may submit, and separately how often it may bind.
	RateLimit RateSettings `yaml:"rate_limit"`
	// RequiresAuth says whether callers need an API key (`frontdesk keys issue api NAME --door
	// intake`) or a token.
	RequiresAuth bool `yaml:"requires_auth"`
	// Scopes are further consents of the person that a submission needs, beside `intake`: `offer`,
	// `bind`, `account_creation` or `payment`.
	Scopes []string `yaml:"scopes" check:"oneof=intake offer bind account_creation payment"`
	// Binding says whether its offers can be accepted here.
	Binding bool `yaml:"binding"`
	// Expires is how long an offer is valid if it does not say so itself, from `1m` to `8784h`;
	// without it, `168h`.
	Expires time.Duration `yaml:"expires" check:"optional,1m..8784h"`
	// TermsURL is the web address of the terms of its offers.
	TermsURL string `yaml:"terms_url" check:"url"`
	// Rules make offers by expressions.
	Rules offers.Rules `yaml:"rules"`
	// Webhook asks your own server for offers.
	Webhook offers.Webhook `yaml:"webhook"`
	// Person leaves offers to people, in the console's inbox.
	Person offers.Person `yaml:"person"`
	// Bind says how its offers are accepted.
	Bind BindSettings `yaml:"bind"`
	// Match are conditions for your items, as in terms. An answer with a matching item says that
	// this intake can be started for it. It needs `url`.
	Match []policy.Match `yaml:"match"`
}

// PrivacySettings says what becomes of what is submitted.
type PrivacySettings struct {
	// DataRetention is how long data are kept: `none`, `session` (until the offer is accepted or
	// expires), `30_days`, `1_year` or `indefinite`; without it, `none`.
	DataRetention string `yaml:"data_retention"`
	// PIIRequired says that the intake asks for personal data. Some agents avoid such an intake.
	PIIRequired bool `yaml:"pii_required"`
	// Redacted says whether `[redacted]` is accepted for an optional text: `accept` or `refuse`;
	// without it, `accept`. The manifest calls it redacted_acceptable.
	Redacted string `yaml:"redacted" check:"optional,oneof=accept refuse"`
}

// RateSettings bounds how often one caller may come: an API key, the subject of a token, or an
// address. No span of such a length, wherever it begins, has more of them.
type RateSettings struct {
	// RequestsPerMinute is the limit for any minute; 0 is no limit.
	RequestsPerMinute int `yaml:"requests_per_minute" check:"0..1000000000"`
	// RequestsPerDay is the limit for any 24 hours; 0 is no limit.
	RequestsPerDay int `yaml:"requests_per_day" check:"0..1000000000"`
}

// BindSettings says how offers are accepted.
type BindSettings struct {
	// Requires are the fields that an agent must give to accept an offer, such as `email` and
	// `full_name`, unless the offer names its own.
	Requires []string `yaml:"requires"`
	// Formats are formats of fields as in JSON Schema, such as `{birthday: date, site: uri}`.
	// `email` is always checked.
	Formats yamlconf.Object `yaml:"formats"`
	// Consent are further consents of the person that a bind needs, beside `bind`:
	// `account_creation`, `payment`.
	Consent []string `yaml:"consent" check:"oneof=intake offer bind account_creation payment"`
	// Effect is what happens to an accepted offer: `inbox` shows it to people in the console,
	// `webhook` posts it to your server, `mail` sends it. Without it, `inbox`.
	Effect string `yaml:"effect" check:"optional,oneof=inbox webhook mail"`
	// Webhook is the server that gets accepted offers, with the effect `webhook`.
	Webhook HookSettings `yaml:"webhook"`
	// Mail is the mail about accepted offers, with the effect `mail`.
	Mail MailSettings `yaml:"mail"`
	// Message is the text for the agent after it accepted an offer.
	Message string `yaml:"message"`
}

// HookSettings is a server of yours that is told what was accepted: once or, when it does not
// answer, several times under the same `webhook-id`.
type HookSettings struct {
	// URL is the address of your server.
	URL string `yaml:"url"`
	// SecretEnv names the variable of the environment with the secret that signs the message, in
	// the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64.
	SecretEnv string `yaml:"secret_env"`
	// SecretFile is a file that holds the secret.
	SecretFile string `yaml:"secret_file" relative:"path"`
}

// MailSettings is how mail about what was accepted is sent.
type MailSettings struct {
	// To is your address for these mails.
	To string `yaml:"to"`
	// Subject is the mail's subject; without it, the name of the intake.
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
