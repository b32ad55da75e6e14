package app

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
	"frontdesk/internal/intake"
	wire "frontdesk/wire/intake"
)

// intakes checks the section intakes: first what the manifest would say, and then what it does not
// say.
func (c *checks) intakes() {
	i := c.Config.Intakes
	if !i.On() {
		return
	}
	if !i.CheckFirst(yamlconf.NewReport()) {
		return
	}
	c.vault()
	c.intakeMail()
	if !intake.SafeAddress(cmp.Or(c.Config.URL, exampleDesk)) {
		c.Problem("url", "%s is not https; what is submitted is personal, so put the front desk behind https, "+
			"or leave url out on this machine", c.Config.URL)
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
		c.Problem("intakes.vault", "the store is PostgreSQL, and the keys to personal data must lie apart from it; "+
			"name a second database here, such as postgres://user:password@host:5432/vault")
	case vault == c.Config.DSN() || isFile && filepath.Clean(file) == filepath.Clean(store):
		c.Problem("intakes.vault",
			"this is the store itself; the keys to personal data must lie in a database of their own")
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
	for _, found := range wire.Check(wire.KindManifest, document.Body(),
		wire.Options{StrictUpstream: c.Config.Intakes.StrictUpstream, Now: time.Now()}) {
		key := keyOf(c.Config.Intakes, found.Pointer)
		schema := strings.HasSuffix(key, ".input_schema") || strings.HasSuffix(key, ".input_schema_file")
		switch {
		case key == "", schema && found.Severity == wire.Wrong:
			// which was found already, or is nothing that an owner writes
		case found.Severity == wire.Wrong:
			c.Problem(key, "%s; %s", found.Detail, found.Mend)
		default:
			c.Warning(key, "%s; %s", found.Detail, found.Mend)
		}
	}
}

// keyOf is the key from which a member of the manifest is made; empty for one that is made of
// nothing here, or was checked by itself.
func keyOf(i intake.Settings, pointer string) string {
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
func (c *checks) intake(path string, i intake.IntakeSettings) {
	if !i.ByRules() && !i.ByWebhook() && !c.Config.Console.Enabled {
		c.Warning(path, "a person has to make its offers, and the console, where that is done, is off")
	}
	for n, match := range i.Match {
		c.matchNames(fmt.Sprintf("%s.match[%d]", path, n), match)
	}
	if address := c.Config.ownAddress(); len(i.Match) > 0 && (address == "" || !intake.SafeAddress(address)) {
		c.Warning(path+".match",
			"answers tell no action to start it, since they do not know a safe address of this front desk; set url")
	}
}

// intakeMail checks the server that mail goes through, where any goes.
func (c *checks) intakeMail() {
	i := c.Config.Intakes
	sends := slices.ContainsFunc(i.List, func(one intake.IntakeSettings) bool {
		return one.Bind.Effect == intake.EffectMail
	})
	if !sends && i.Mail == (notify.MailServer{}) {
		return
	}
	for _, e := range yamlconf.Unjoin(i.Mail.Check()) {
		var found *notify.Error
		if errors.As(e, &found) {
			c.Problem("intakes.mail."+found.Field, "%s", found.Detail)
		}
	}
}
