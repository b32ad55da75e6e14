package settings

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"frontdesk/internal/infra/yamlconf"
)

// Widget is how ChatGPT shows answers.
type Widget struct {
	// Template is the URI of the widget's template, such as `ui://widget/recipes.html` or an https
	// address. Answers have it as `openai/outputTemplate`. Without it, answers name no widget. A
	// `ui:` template is a resource of `/mcp`.
	Template string `yaml:"template"`
	// File is the page for a `ui:` template; without it, a page that lists the items.
	File string `yaml:"file"`
	// Accessible says whether the widget may call tools. Answers have it as
	// `openai/widgetAccessible`.
	Accessible bool `yaml:"accessible"`
}

// maxWidget is the most that the file of a widget may have.
const maxWidget = 1 << 20

// Page is the template of the widget; usual stands where the owner has none.
func (w Widget) Page(usual string) (string, error) {
	if w.File == "" {
		return usual, nil
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

// Check looks at the template and at its file.
func (w Widget) Check(r *yamlconf.Report) {
	if _, err := w.Page(""); err != nil {
		r.Problem("file", "%v", err)
	} else if w.File != "" && !strings.HasPrefix(w.Template, "ui:") {
		r.Warning("file", "it is read by nobody; write a template like ui://widget/answer.html")
	}
	if template := w.Template; template != "" {
		if u, err := url.Parse(template); err != nil || u.Scheme != "ui" && u.Scheme != "https" && u.Scheme != "http" {
			r.Problem("template", "%q is no address of a template; "+
				"write it like ui://widget/answer.html or https://www.example.com/widget.html", template)
		}
	} else if w.Accessible {
		r.Warning("accessible", "without ask.widget.template nothing of a widget is told")
	}
}
