package server

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/intake/offers"
	wire "frontdesk/wire/intake"
)

// intakes checks the section intakes: first what the manifest would say, and then what it does not say.
func (c *checks) intakes() {
	i := c.Config.Intakes
	c.oneOf("intakes.revisions", i.Revisions, "allow", "refuse")
	c.oneOf("intakes.undeclared", i.Undeclared, "refuse", "drop")
	between(c, "intakes.max_body", i.MaxBody, minIntake, yamlconf.Size(maxIntake))
	if scheme, _, remote := strings.Cut(i.Vault, "://"); remote && !slices.Contains([]string{"postgres", "postgresql", "sqlite"}, scheme) {
		c.problem("intakes.vault", "%s:// is no database that frontdesk knows; write sqlite:PATH or postgres://user:password@host:5432/database", scheme)
	}
	if !i.On() {
		return
	}
	if len(i.List) > maxIntakes {
		c.problem("intakes.list", "there are more than %d intakes", maxIntakes)
		return
	}
	c.vault()
	c.intakeMail()
	if !safeAddress(cmp.Or(c.Config.URL, exampleDesk)) {
		c.problem("url", "%s is not https; what is submitted is personal, so put the front desk behind https, or leave url out on this machine", c.Config.URL)
	}
	for n, one := range i.List {
		c.intake(fmt.Sprintf("intakes.list[%d]", n), one)
	}
	c.manifest()
}

// vault checks that keys and data lie apart.
func (c *checks) vault() {
	vault := c.Config.VaultDSN()
	file := strings.TrimPrefix(strings.TrimPrefix(vault, "sqlite:"), "//")
	store, isFile := c.Config.StoreFile()
	switch {
	case vault == "":
		c.problem("intakes.vault", "the store is PostgreSQL, and the keys to personal data must lie apart from it; name a second database here, such as postgres://user:password@host:5432/vault")
	case vault == c.Config.DSN() || isFile && filepath.Clean(file) == filepath.Clean(store):
		c.problem("intakes.vault", "this is the store itself; the keys to personal data must lie in a database of their own")
	}
}

// manifest checks what would be published, and says where in the configuration it comes from.
func (c *checks) manifest() {
	m, err := c.Config.manifestAt(exampleDesk)
	if err != nil || slices.ContainsFunc(m.Intakes, func(one wire.Intake) bool { return len(one.InputSchema) == 0 }) {
		return // which was found with the intake
	}
	document, err := httpx.NewDocument(m)
	if err != nil {
		c.problem("intakes", "the manifest cannot be written: %v", err)
		return
	}
	for _, found := range wire.Check(wire.KindManifest, document.Body(), wire.Options{StrictUpstream: c.Config.Intakes.StrictUpstream, Now: time.Now()}) {
		key := c.Config.Intakes.keyOf(found.Pointer)
		schema := strings.HasSuffix(key, ".input_schema") || strings.HasSuffix(key, ".input_schema_file")
		switch {
		case key == "", schema && found.Severity == wire.Wrong: // which was found already, or is nothing that an owner writes
		case found.Severity == wire.Wrong:
			c.problem(key, "%s; %s", found.Detail, found.Mend)
		default:
			c.warning(key, "%s; %s", found.Detail, found.Mend)
		}
	}
}

// keyOf is the key from which a member of the manifest is made; empty for one that is made of nothing here, or was checked
// by itself.
func (i Intakes) keyOf(pointer string) string {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	switch {
	case parts[0] == "provider":
		return "intakes." + strings.Join(parts, ".")
	case parts[0] == "certification" && pointer != "/certification/certified":
		return "intakes." + strings.Join(parts, ".")
	case parts[0] != "intakes" || len(parts) < 2:
		return ""
	}
	key := "intakes.list[" + parts[1] + "]"
	if len(parts) == 2 {
		return key
	}
	switch n, err := strconv.Atoi(parts[1]); {
	case parts[2] == "endpoint":
		return ""
	case parts[2] == "input_schema" && err == nil && n < len(i.List) && i.List[n].InputSchemaFile != "":
		return key + ".input_schema_file"
	case parts[2] == "input_schema": // what is wrong within it is told of the whole
		return key + ".input_schema"
	}
	return key + "." + strings.Join(parts[2:], ".")
}

// intake checks what an intake says beside its part of the manifest.
func (c *checks) intake(path string, i Intake) {
	c.intakeSchema(path, i)
	c.intakeEngine(path, i)
	names := make([]string, len(wire.Scopes))
	for n, scope := range wire.Scopes {
		names[n] = string(scope)
	}
	c.names(path+".scopes", i.Scopes, names)
	c.oneOf(path+".privacy.redacted", cmp.Or(i.Privacy.Redacted, "accept"), "accept", "refuse")
	between(c, path+".expires", i.expires(), time.Minute, maxOfferFor)
	between(c, path+".rate_limit.requests_per_minute", i.RateLimit.RequestsPerMinute, 0, maxPerCaller)
	between(c, path+".rate_limit.requests_per_day", i.RateLimit.RequestsPerDay, 0, maxPerCaller)
	c.web(path+".terms_url", i.TermsURL)
	c.intakeBind(path+".bind", i, names)
	for n, match := range i.Match {
		c.matchNames(fmt.Sprintf("%s.match[%d]", path, n), match)
	}
	if address := c.Config.ownAddress(); len(i.Match) > 0 && (address == "" || !safeAddress(address)) {
		c.warning(path+".match", "answers tell no action to start it, since they do not know a safe address of this front desk; set url")
	}
	if len(i.ID) > maxIntakeID {
		c.problem(path+".id", "the id is longer than %d characters", maxIntakeID)
	}
}

// intakeSchema checks what data an intake takes.
func (c *checks) intakeSchema(path string, i Intake) {
	key := path + ".input_schema"
	if i.InputSchemaFile != "" {
		key = path + ".input_schema_file"
	}
	switch {
	case i.InputSchema == "" && i.InputSchemaFile == "":
		c.problem(path+".input_schema", "the schema of the data is missing; write it here, or name a file with it in input_schema_file")
		return
	case i.InputSchema != "" && i.InputSchemaFile != "":
		c.problem(key, "the schema is given here and in input_schema; keep one of them")
		return
	}
	text, err := i.schema()
	if err == nil {
		_, err = wire.CompileSchema(text)
	}
	if err != nil {
		c.problem(key, "%v", err)
	}
}

// byRules and byWebhook say how an intake's offers are made; otherwise a person makes them.
func (i Intake) byRules() bool {
	return len(i.Rules.Offers)+len(i.Rules.Decline) > 0 || i.Rules.Otherwise != ""
}

func (i Intake) byWebhook() bool { return i.Webhook != (offers.Webhook{}) }

// intakeEngine checks how an intake's offers are made.
func (c *checks) intakeEngine(path string, i Intake) {
	if i.byRules() && i.byWebhook() {
		c.problem(path+".webhook", "offers are made by rules and by a webhook; keep one of them")
	}
	if i.Person.After != 0 && (i.byRules() || i.byWebhook()) {
		c.problem(path+".person", "offers are made by a person, and by rules or a webhook, too; keep one of them")
	}
	var err error
	part := path + ".rules"
	switch text, unread := i.schema(); {
	case i.byRules() && unread == nil:
		_, err = offers.NewRules(i.Rules, text)
	case i.byWebhook():
		part, err = path+".webhook", i.Webhook.Check()
	}
	for _, e := range flatten(err) {
		var found *offers.Error
		if errors.As(e, &found) {
			c.problemWithin(part+"."+found.Field, found.Line, found.Column, "%s", found.Detail)
		} else {
			c.problem(part, "%v", e)
		}
	}
	if !i.byRules() && !i.byWebhook() && !c.Config.Console.Enabled {
		c.warning(path, "a person has to make its offers, and the console, where that is done, is off")
	}
}

// intakeBind checks how an intake's offers are accepted.
func (c *checks) intakeBind(path string, i Intake, scopes []string) {
	b := i.Bind
	c.oneOf(path+".effect", cmp.Or(b.Effect, effectInbox), effectInbox, effectWebhook, effectMail)
	c.names(path+".consent", b.Consent, scopes)
	seen := map[string]bool{}
	for n, name := range b.Requires {
		if name == "" || len(name) > 64 || seen[name] {
			c.problem(fmt.Sprintf("%s.requires[%d]", path, n), "%q is no name of a field, longer than 64 bytes, or there twice", name)
		}
		seen[name] = true
	}
	if _, err := b.fields(); err != nil {
		c.problem(path+".formats", "%v", err)
	}
	c.intakeEffect(path, b)
	if !i.Binding && (b.Effect != "" || b.Message != "" || len(b.Requires)+len(b.Consent) > 0) {
		c.problem(path, "its offers cannot be accepted; set binding, or remove bind")
	}
}

// intakeEffect checks that there is what tells the business of accepted offers.
func (c *checks) intakeEffect(path string, b IntakeBind) {
	switch {
	case b.Effect == effectWebhook:
		c.web(path+".webhook.url", b.Webhook.URL)
		if b.Webhook.URL == "" {
			c.problem(path+".webhook.url", "the effect is a webhook; write where it is to be posted")
		}
		if _, err := b.Webhook.secret(); err != nil {
			key := path + ".webhook.secret_env"
			if b.Webhook.SecretFile != "" {
				key = path + ".webhook.secret_file"
			}
			c.problem(key, "%v", err)
		}
	case b.Webhook != (IntakeHook{}):
		c.problem(path+".webhook", "it is told nothing; set effect to webhook, or remove it")
	}
	switch {
	case b.Effect == effectMail:
		if err := notify.CheckAddress(b.Mail.To); err != nil {
			c.problem(path+".mail.to", "%v", err)
		}
	case b.Mail != (IntakeMail{}):
		c.problem(path+".mail", "it is sent nothing; set effect to mail, or remove it")
	}
}

// intakeMail checks the server that mail goes through, where any goes.
func (c *checks) intakeMail() {
	i := c.Config.Intakes
	sends := slices.ContainsFunc(i.List, func(one Intake) bool { return one.Bind.Effect == effectMail })
	if !sends && i.Mail == (notify.MailServer{}) {
		return
	}
	for _, e := range flatten(i.Mail.Check()) {
		var found *notify.Error
		if errors.As(e, &found) {
			c.problem("intakes.mail."+found.Field, "%s", found.Detail)
		}
	}
}
