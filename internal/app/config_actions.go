package app

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// Widget is how ChatGPT shows answers.
type Widget struct {
	// Template is the URI of the widget's template, such as `ui://widget/recipes.html` or an https address. It is told
	// as `openai/outputTemplate`; without it nothing of a widget is told. One of `ui:` is a resource of `/mcp`.
	Template string `yaml:"template"`
	// File is the page that is read at a template of `ui:`; without it, one that lists the items.
	File string `yaml:"file"`
	// Accessible says whether the widget may call tools, and is told as `openai/widgetAccessible`.
	Accessible bool `yaml:"accessible"`
}

// maxWidget is the most that the file of a widget may have.
const maxWidget = 1 << 20

// page is the template of the widget.
func (w Widget) page() (string, error) {
	if w.File == "" {
		return nlweb.WidgetPage, nil
	}
	file, err := os.Open(w.File)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxWidget+1))
	if err == nil && len(text) > maxWidget {
		err = fmt.Errorf("%s is larger than 1 MiB", w.File)
	}
	return string(text), err
}

// CompileActions makes the templates of actions ready: the owner's, behind them those that start intakes, and those that lead to
// licences.
func (c Config) CompileActions() (*actions.Set, error) {
	templates := append(slices.Clone(c.Actions), c.intakeActions()...)
	for i := range templates {
		templates[i].Match.Type = canonicalTypes(templates[i].Match.Type)
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
	widget := c.Config.Ask.Widget
	if _, err := widget.page(); err != nil {
		c.Problem("ask.widget.file", "%v", err)
	} else if widget.File != "" && !strings.HasPrefix(widget.Template, "ui:") {
		c.Warning("ask.widget.file", "it is read by nobody; write a template like ui://widget/answer.html")
	}
	if template := widget.Template; template != "" {
		if u, err := url.Parse(template); err != nil || u.Scheme != "ui" && u.Scheme != "https" && u.Scheme != "http" {
			c.Problem("ask.widget.template", "%q is no address of a template; write it like ui://widget/answer.html or https://www.example.com/widget.html", template)
		}
	} else if widget.Accessible {
		c.Warning("ask.widget.accessible", "without ask.widget.template nothing of a widget is told")
	}
}
