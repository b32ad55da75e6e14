package app

import (
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// CompileActions makes the templates of actions ready: the owner's, behind them those that start
// intakes, and those that lead to licences.
func (c Config) CompileActions() (*actions.Set, error) {
	templates := append(slices.Clone(c.Actions), c.intakeActions()...)
	for i := range templates {
		templates[i].Match.Type = content.CanonicalTypes(templates[i].Match.Type)
	}
	set, err := actions.New(templates, content.IsA)
	if err == nil {
		err = c.addLicences(set)
	}
	return set, err
}

// protocolsOwn is the type of action in NLWeb's own examples (§5), which schema.org does not have.
const protocolsOwn = "AddToCartAction"

func (c *checks) actions() {
	_, err := c.Config.CompileActions()
	for _, e := range yamlconf.Unjoin(err) {
		var found *actions.Error
		switch own := len(c.Config.Actions); {
		case !errors.As(e, &found):
		case found.Template < own:
			c.Problem(fmt.Sprintf("actions[%d].%s", found.Template, found.Field), "%s", found.Detail)
		default:
			c.Problem(c.Config.intakeMatches()[found.Template-own], "%s: %s", found.Field, found.Detail)
		}
	}
	for i, template := range c.Config.Actions {
		path := fmt.Sprintf("actions[%d]", i)
		if typ := policy.BareType(template.Type); typ != "" && typ != protocolsOwn && !content.IsA(typ, "Action") {
			c.Warning(path+".type", "schema.org has no action of type %s", typ)
		}
		c.matchNames(path+".match", template.Match)
	}
}
