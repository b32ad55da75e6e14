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

	"frontdesk/internal/app/config"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/intake/offers"
	wire "frontdesk/wire/intake"
)

// intakes checks the section intakes: first what the manifest would say, and then what it does not say.
func (c *checks) intakes() {
	i := c.Config.Intakes
	if !i.On() {
		return
	}
	if len(i.List) > maxIntakes {
		return // which was found
	}
	c.vault()
	c.intakeMail()
	if !safeAddress(cmp.Or(c.Config.URL, exampleDesk)) {
		c.Problem("url", "%s is not https; what is submitted is personal, so put the front desk behind https, or leave url out on this machine", c.Config.URL)
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
		c.Problem("intakes.vault", "the store is PostgreSQL, and the keys to personal data must lie apart from it; name a second database here, such as postgres://user:password@host:5432/vault")
	case vault == c.Config.DSN() || isFile && filepath.Clean(file) == filepath.Clean(store):
		c.Problem("intakes.vault", "this is the store itself; the keys to personal data must lie in a database of their own")
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
		c.Problem("intakes", "the manifest cannot be written: %v", err)
		return
	}
	for _, found := range wire.Check(wire.KindManifest, document.Body(), wire.Options{StrictUpstream: c.Config.Intakes.StrictUpstream, Now: time.Now()}) {
		key := c.Config.Intakes.keyOf(found.Pointer)
		schema := strings.HasSuffix(key, ".input_schema") || strings.HasSuffix(key, ".input_schema_file")
		switch {
		case key == "", schema && found.Severity == wire.Wrong: // which was found already, or is nothing that an owner writes
		case found.Severity == wire.Wrong:
			c.Problem(key, "%s; %s", found.Detail, found.Mend)
		default:
			c.Warning(key, "%s; %s", found.Detail, found.Mend)
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
	for n, match := range i.Match {
		c.matchNames(fmt.Sprintf("%s.match[%d]", path, n), match)
	}
	if address := c.Config.ownAddress(); len(i.Match) > 0 && (address == "" || !safeAddress(address)) {
		c.Warning(path+".match", "answers tell no action to start it, since they do not know a safe address of this front desk; set url")
	}
	if len(i.ID) > maxIntakeID {
		c.Problem(path+".id", "the id is longer than %d characters", maxIntakeID)
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
		c.Problem(path+".input_schema", "the schema of the data is missing; write it here, or name a file with it in input_schema_file")
		return
	case i.InputSchema != "" && i.InputSchemaFile != "":
		c.Problem(key, "the schema is given here and in input_schema; keep one of them")
		return
	}
	text, err := i.schema()
	if err == nil {
		_, err = wire.CompileSchema(text)
	}
	if err != nil {
		c.Problem(key, "%v", err)
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
		c.Problem(path+".webhook", "offers are made by rules and by a webhook; keep one of them")
	}
	if i.Person.RetryAfter != 0 && (i.byRules() || i.byWebhook()) {
		c.Problem(path+".person", "offers are made by a person, and by rules or a webhook, too; keep one of them")
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
			c.ProblemWithin(part+"."+found.Field, found.Line, found.Column, "%s", found.Detail)
		} else {
			c.Problem(part, "%v", e)
		}
	}
	if !i.byRules() && !i.byWebhook() && !c.Config.Console.Enabled {
		c.Warning(path, "a person has to make its offers, and the console, where that is done, is off")
	}
}

// CheckFirst looks at how many there are.
func (i Intakes) CheckFirst(r *yamlconf.Report) bool {
	if len(i.List) > maxIntakes {
		r.Problem("list", "there are more than %d intakes", maxIntakes)
		return false
	}
	return true
}

// Check looks at how offers are accepted.
func (i Intake) Check(r *yamlconf.Report) {
	b := i.Bind
	if !i.Binding && (b.Effect != "" || b.Message != "" || len(b.Requires)+len(b.Consent) > 0) {
		r.Problem("bind", "its offers cannot be accepted; set binding, or remove bind")
	}
}

// Check looks at the fields, and at what tells the business of accepted offers.
func (b IntakeBind) Check(r *yamlconf.Report) {
	seen := map[string]bool{}
	for n, name := range b.Requires {
		if name == "" || len(name) > 64 || seen[name] {
			r.Problem(yamlconf.Index("requires", n), "%q is no name of a field, longer than 64 bytes, or there twice", name)
		}
		seen[name] = true
	}
	if _, err := b.fields(); err != nil {
		r.Problem("formats", "%v", err)
	}
	switch {
	case b.Effect == effectWebhook:
		b.Webhook.check(r.Section("webhook"))
	case b.Webhook != (IntakeHook{}):
		r.Problem("webhook", "it is told nothing; set effect to webhook, or remove it")
	}
	switch {
	case b.Effect == effectMail:
		if err := notify.CheckAddress(b.Mail.To); err != nil {
			r.Problem("mail.to", "%v", err)
		}
	case b.Mail != (IntakeMail{}):
		r.Problem("mail", "it is sent nothing; set effect to mail, or remove it")
	}
}

// check looks at a server that is told.
func (h IntakeHook) check(r *yamlconf.Report) {
	if h.URL == "" {
		r.Problem("url", "the effect is a webhook; write where it is to be posted")
	} else if err := config.WebAddress(h.URL); err != nil {
		r.Problem("url", "%v", err)
	}
	if _, err := h.secret(); err != nil {
		key := "secret_env"
		if h.SecretFile != "" {
			key = "secret_file"
		}
		r.Problem(key, "%v", err)
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
			c.Problem("intakes.mail."+found.Field, "%s", found.Detail)
		}
	}
}
