package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"frontdesk/internal/app"
	"frontdesk/internal/app/config"
)

// section is a page of the configuration.
type section struct{ from, title, guide string }

// sections are the pages of the configuration. From names the groups that a page has, with those in
// them, unless another page names these; the first names the page.
var sections = []section{
	{"site", "The site that is served", "start-owner.md"},
	{"sources", "Where content comes from", "sources.md"},
	{"fetch", "How pages of the web are fetched", "fetching.md"},
	{"tls", "Encryption and certificates", "tls-and-proxies.md"},
	{"terms", "What people and agents may see", "terms.md"},
	{
		"terms.match terms.excerpt terms.functions terms.users terms.countries terms.parties terms.display",
		"Which items, uses and parties a rule is for", "terms.md",
	},
	{"actions", "What can be done with items", "actions.md"},
	{"ask", "How questions are answered", "search.md"},
	{"ask.promise", "Answers that are promised for later", "promises.md"},
	{"ask.elicit", "When questions are asked back", "elicitation.md"},
	{"questions", "What is kept of questions", "privacy.md"},
	{"model", "A language model that helps", "model.md"},
	{"intent", "Passages for platforms", "intent.md"},
	{
		"intent.publisher intent.supports intent.compliance intent.refuse intent.events intent.sinks",
		"What platforms read of you, and report", "intent-reports.md",
	},
	{"intakes", "Requests from agents", "intake.md"},
	{"intakes.list", "What an intake asks for", "intake.md"},
	{
		"intakes.list.rules intakes.list.webhook intakes.list.person",
		"How an offer comes about", "offers.md",
	},
	{"intakes.list.bind", "What follows an accepted offer", "offers.md"},
	{"licences", "Licences that sites state", "licences.md"},
	{"ramp", "Sales to agents", "ramp.md"},
	{
		"ramp.reports ramp.disputes ramp.measures ramp.evidence ramp.requesters ramp.delegation ramp.agent " +
			"ramp.accounts",
		"Buyers, their reports and their disputes", "ramp-requesters.md",
	},
	{"ramp.offers ramp.exchanges", "What is offered, and how", "ramp-offers.md"},
	{"ramp.items ramp.aliases ramp.tokens", "What is known of items for sale", "catalog.md"},
	{"ramp.delivery", "How purchases are delivered", "delivery.md"},
	{"agents", "Which agents are told apart", "agents.md"},
	{"broker", "Purchases at several Exchanges", "broker.md"},
	{"spread", "Which node holds which sites", "spread.md"},
	{"edge", "The gate before your pages", "edge.md"},
	{"edge.sites", "The sites behind the gate", "edge-requests.md"},
	{"console", "The page for people, and the owner's pages", "console.md"},
	{"auth", "Who may come in", "access.md"},
	{"mcp", "Agents that speak MCP", "mcp.md"},
	{"ledger", "The name of the ledger", "ledger.md"},
	{"discovery", "What agents find by themselves", "discovery.md"},
	{"limits", "What a client may cost", "overload.md"},
	{"cors", "Which web pages may ask", "access.md"},
	{"metrics", "Figures for Prometheus", "health.md"},
	{"log", "The log", "health.md"},
	{"upgrade", "Where newer versions are announced", "operations.md"},
}

// configuration are the pages of the keys.
func configuration(t *testing.T) map[string]string {
	groups, err := config.Manual(app.Default(), func(pkg string) string {
		return filepath.Join("../..", strings.TrimPrefix(pkg, "frontdesk/"))
	})
	if err != nil {
		t.Error(err)
	}
	samples := parts(t, "examples.txtar")
	pages := map[string]string{"configuration.md": overview(t, groups)}
	for i, section := range sections {
		name := pageOf(section.from)
		sample, found := samples[name]
		if !found {
			t.Errorf("testdata/examples.txtar has no example for %s", name)
			continue
		}
		first, text := "", ""
		for n, group := range groups {
			if sectionOf(group.Path) != i {
				continue
			}
			if text == "" {
				first = group.Path
			}
			text += groupText(t, group, groups[n+1:], sample, text == "")
		}
		pages["reference/"+name] = page(t, "section", "path", first, "groups", text,
			"title", strings.ToLower(section.title[:1])+section.title[1:], "guide", section.guide)
	}
	return pages
}

// pageOf is the name of a section's page.
func pageOf(from string) string {
	first, _, _ := strings.Cut(from, " ")
	return "config-" + strings.ReplaceAll(first, ".", "-") + ".md"
}

// sectionOf is the place of the page that a group stands on: -1 for the keys at the top.
func sectionOf(path string) int {
	path = strings.ReplaceAll(path, "[]", "")
	best, longest := -1, ""
	for i, section := range sections {
		for from := range strings.FieldsSeq(section.from) {
			if (path == from || strings.HasPrefix(path, from+".")) && len(from) > len(longest) {
				best, longest = i, from
			}
		}
	}
	return best
}

// groupText describes the keys of a group. The first group of a page shows the whole example.
func groupText(t *testing.T, group config.Group, others []config.Group, sample string, first bool) string {
	text := ""
	example := sample
	if !first {
		text = fmt.Sprintf("## `%s`\n\n", group.Path)
		example = excerpt(t, group.Path, others, sample)
	} else if excerpt(t, group.Path, others, sample) == "" {
		t.Errorf("the example sets nothing of %s", group.Path)
	}
	if group.Meaning != "" {
		text += group.Meaning + "\n\n"
	}
	text += "```yaml\n" + example + "```\n\n"
	rows := make([][]string, 0, len(group.Keys))
	for _, key := range group.Keys {
		kind, _, _ := strings.Cut(key.Kind, " like ")
		if key.Required {
			kind += ", required"
		}
		rows = append(rows, []string{"`" + key.Name + "`", kind, key.Default, key.Meaning})
	}
	return text + table([]string{"key", "value", "default", "meaning"}, rows) + "\n"
}

// excerpt is what an example sets in a group, with the keys that lead there and without the groups
// below it.
func excerpt(t *testing.T, path string, others []config.Group, sample string) string {
	var whole yaml.MapSlice
	if err := yaml.UnmarshalWithOptions([]byte(sample), &whole, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	below := func(key string) bool {
		return slices.ContainsFunc(others, func(g config.Group) bool {
			return g.Path == path+"."+key || g.Path == path+"."+key+"[]"
		})
	}
	found := dig(whole, strings.Split(path, "."), func(key string) bool { return !below(key) })
	if found == nil {
		t.Errorf("the example sets nothing of %s", path)
		return ""
	}
	text, err := yaml.MarshalWithOptions(found, yaml.IndentSequence(true), yaml.UseSingleQuote(false))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// dig gives of a value what lies on a path, and at its end the keys that are kept; nil for nothing.
func dig(value any, path []string, keep func(string) bool) any {
	if len(path) == 0 {
		var kept yaml.MapSlice
		entries, isMap := value.(yaml.MapSlice)
		for _, entry := range entries {
			if keep(entry.Key.(string)) {
				kept = append(kept, entry)
			}
		}
		if !isMap || len(kept) == 0 && len(entries) == 0 {
			return nil
		}
		return kept
	}
	name, isList := strings.CutSuffix(path[0], "[]")
	entries, _ := value.(yaml.MapSlice)
	for _, entry := range entries {
		if entry.Key != name {
			continue
		}
		if !isList {
			if found := dig(entry.Value, path[1:], keep); found != nil {
				return yaml.MapSlice{{Key: name, Value: found}}
			}
			return nil
		}
		list, _ := entry.Value.([]any)
		for _, one := range list {
			if found := dig(one, path[1:], keep); found != nil {
				return yaml.MapSlice{{Key: name, Value: []any{found}}}
			}
		}
	}
	return nil
}

// overview is the page that names all sections, with the keys at the top.
func overview(t *testing.T, groups []config.Group) string {
	var rows [][]string
	for _, section := range sections {
		from, _, _ := strings.Cut(section.from, " ")
		rows = append(rows, []string{fmt.Sprintf("[`%s`](reference/%s)", from, pageOf(from)), section.title})
	}
	var keys [][]string
	for _, key := range groups[0].Keys {
		if sectionOf(key.Name) < 0 {
			keys = append(keys, []string{"`" + key.Name + "`", key.Kind, key.Default, key.Meaning})
		}
	}
	return page(t, "configuration.md", "sections", table([]string{"section", "what it sets"}, rows),
		"keys", table([]string{"key", "value", "default", "meaning"}, keys))
}

// secret is an invented secret of webhooks and edges.
const secret = "HARBOUR_SECRET=whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// TestExamplesOfTheConfigurationAreRight reads each as the program does.
func TestExamplesOfTheConfigurationAreRight(t *testing.T) {
	name, value, _ := strings.Cut(secret, "=")
	t.Setenv(name, value)
	for page, text := range parts(t, "examples.txtar") {
		if !slices.ContainsFunc(sections, func(s section) bool { return pageOf(s.from) == page }) {
			t.Errorf("there is no page %s", page)
		}
		file := filepath.Join(t.TempDir(), "frontdesk.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := app.Load(app.Layers{File: file, Env: []string{secret}}); err != nil {
			t.Errorf("%s: %v", page, err)
		}
	}
	file := filepath.Join(t.TempDir(), "frontdesk.yaml")
	if err := os.WriteFile(file, []byte("tls: {redirekt: \":80\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Load(app.Layers{File: file}); err == nil {
		t.Error("an example with a wrong key is taken")
	}
}
