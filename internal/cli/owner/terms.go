package owner

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/content"
	"frontdesk/internal/content/overview"
	"frontdesk/internal/operator"
	"frontdesk/internal/policy"
)

// Terms has the commands that show what the terms decide.
type Terms struct {
	Show    termsShow                 `cmd:"" help:"List the rules in force in their order: those of the file, and those of the operator's programs."`
	Explain termsExplain              `cmd:"" help:"Say which rule decides on an item, and why the ones before it do not."`
	Diff    termsDiff                 `cmd:"" help:"Say what other rules would change for the items there are, without changing anything."`
	Remove  of[operator.RemoveRule]   `cmd:"" help:"Take away a rule that a program of the operator's put in."`
	Publish of[operator.PublishTerms] `cmd:"" help:"Put other rules in force, in the place of those of the file."`
	History of[operator.TermsHistory] `cmd:"" help:"List the versions of the terms that were published or put back."`
	PutBack of[operator.PutBackTerms] `cmd:"" help:"Put a version of the terms in force again, or those of the file."`
}

type termsExplain struct {
	URL string `arg:"" help:"The item's URL."`
	command.ConfigFlags
	Site    string   `placeholder:"SITE" help:"The item's site; without it, what the database knows."`
	Source  string   `placeholder:"NAME" help:"The item's source; without it, what the database knows."`
	User    string   `placeholder:"KIND" help:"The kind of user who asks, such as commercial; without it, not known."`
	Country string   `placeholder:"CODE" help:"The country in which it is asked, such as DE; without it, not known."`
	As      []string `placeholder:"PARTY" help:"Who asks: verified, known, an operator's origin, an agent's name, the address that it comes from, with commas. With verified all of it is proven, and with an address that agents.known has for the agent; otherwise an agent is known by its word. Without it, somebody of whom nothing is known."`
	Type    []string `placeholder:"TYPE" help:"The item's schema.org types; without it, what the database knows."`
}

// Help is the command's example.
func (termsExplain) Help() string {
	return "An item that was read before is looked up, with its types and its source. For others say what they are " +
		"with --site, --source and --type.\n\n" +
		"Examples:\n\n\tfrontdesk terms explain https://www.example.com/premium/report\n" +
		"\tfrontdesk terms explain https://www.example.com/new --type Recipe"
}

// Run explains.
func (c termsExplain) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	if err := c.check(loaded.Config); err != nil {
		return err
	}
	program, rules, err := openTerms(env, loaded.Config)
	if err != nil {
		return err
	}
	if program != nil {
		defer program.Close()
	}
	party, err := partyAs(c.As, loaded.Config.Agents)
	if err != nil {
		return err
	}
	rules = rules.For(party)
	for i, name := range c.Type {
		if canonical, ok := content.KnownType(policy.BareType(name)); ok {
			c.Type[i] = canonical
		}
	}
	known, err := c.lookUp(env, loaded.Config, program)
	if err != nil {
		return err
	}
	if len(known) == 0 {
		facts := policy.Facts{Site: c.Site, Source: c.Source, URL: c.URL, Types: c.Type}
		if sites := loaded.Config.AllSites(); facts.Site == "" && len(sites) == 1 {
			facts.Site = sites[0].ID
		}
		env.Print("%s is not in the database%s\n", c.URL, assumed(facts))
		known = []policy.Facts{facts}
	}
	for i, facts := range known {
		if i > 0 {
			env.Print("\n")
		}
		explain(env, loaded, rules.Explain(facts), facts, policy.Use{User: c.User, Country: c.Country})
	}
	return nil
}

// check refuses a site that the configuration does not have. A source may have been read under a
// name that stands in no configuration.
func (c termsExplain) check(config app.Config) error {
	var sites []string
	for _, site := range config.AllSites() {
		sites = append(sites, site.ID)
	}
	if c.Site != "" && !slices.Contains(sites, c.Site) {
		return fmt.Errorf("there is no site %s; there are %s", command.Clean(c.Site), strings.Join(sites, ", "))
	}
	return nil
}

// assumed says on what the decision rests when the item is unknown.
func assumed(facts policy.Facts) string {
	if facts.Source == "" && len(facts.Types) == 0 {
		return ": decided by its address alone. Say --type, --source or --site for rules that ask for them."
	}
	return "; decided as if it were as you say."
}

// openTerms gives the rules in force, and the program, which is nil where there is no database yet:
// rules can be tried before anything was read.
func openTerms(env *command.Environment, config app.Config) (*app.App, *policy.Terms, error) {
	if path, isFile := config.StoreFile(); isFile {
		if _, err := os.Stat(path); err != nil {
			rules, err := config.CompileTerms()
			return nil, rules, err
		}
	}
	program, err := command.Open(env, config, false)
	if err != nil {
		return nil, nil, err
	}
	if program.Unusable != nil {
		return nil, nil, errors.Join(program.Unusable, program.Close())
	}
	return program, program.Terms(), nil
}

// lookUp finds what the database knows of the URL: an item of each source that has it. What the
// flags say outweighs it.
func (c termsExplain) lookUp(env *command.Environment, config app.Config, program *app.App) ([]policy.Facts, error) {
	if program == nil {
		return nil, nil
	}
	var refs []content.Ref
	for _, site := range config.AllSites() {
		if c.Site != "" && c.Site != site.ID {
			continue
		}
		for _, spelling := range overview.Spellings(c.URL) {
			found, err := program.Catalog.Find(env.Ctx, site.ID, spelling)
			if err != nil {
				return nil, err
			}
			if refs = append(refs, found...); len(found) > 0 {
				break
			}
		}
	}
	items, err := program.Catalog.LoadItems(env.Ctx, refs...)
	if err != nil {
		return nil, err
	}
	var known []policy.Facts
	for i, item := range items {
		if item.URL == "" || c.Source != "" && c.Source != refs[i].Source {
			continue
		}
		facts := factsOf(refs[i], item)
		if len(c.Type) > 0 {
			facts.Types = c.Type
		}
		known = append(known, facts)
	}
	return known, nil
}

// explain prints how a decision came about.
func explain(env *command.Environment, loaded *app.Loaded, e policy.Explanation, facts policy.Facts, who policy.Use) {
	d := e.Decision
	env.Print("%s: %s\n", command.Clean(facts.URL), command.Clean(d.String()))
	for _, known := range [][2]string{
		{"site", facts.Site}, {"source", facts.Source}, {"type", strings.Join(facts.Types, ", ")},
	} {
		if known[1] != "" {
			env.Print("  %s: %s\n", known[0], command.Clean(known[1]))
		}
	}
	env.Print("\n")
	if len(e.Steps) == 1 && len(loaded.Config.Terms) == 0 && e.Steps[0].Named == "" {
		env.Print("  No terms are configured, so everything is open.\n")
		e.Steps = nil
	}
	for i, step := range e.Steps {
		mark := "does not match"
		if step.Matched {
			mark = "matches"
		} else if i == d.Rule {
			mark = "cannot be decided"
		}
		env.Print("  %s %s: asks for %s; %s\n", place(loaded, step.Rule, step.Line, step.Named), mark,
			command.Clean(step.Conditions), command.Clean(step.Why))
	}
	if d.Rule < 0 {
		env.Print("  No rule matches, and what no rule matches is blocked.\n")
	}
	for _, own := range e.Imported {
		env.Print("  It comes with terms: %s%s\n", command.Clean(own.String()), ignored(d))
	}
	env.Print("\n")
	for _, purpose := range purposes {
		env.Print("  %-38s %s\n", purpose.what+" ("+purpose.function+"):",
			verdict(d, policy.Use{Function: purpose.function, User: who.User, Country: who.Country}))
	}
}

// place says where a rule stands.
func place(loaded *app.Loaded, rule, line int, named string) string {
	switch {
	case named != "":
		return command.Clean(named)
	case line == 0:
		return "everything else"
	}
	return fmt.Sprintf("rule %d (%s:%d)", rule+1, loaded.File(), line)
}

// purposes are the functions by what they mean here.
var purposes = []struct{ what, function string }{
	{"found and listed", "search"},
	{"summaries, feeds, passages", "ai-input"},
	{"indexes of others", "ai-index"},
	{"training", "ai-train"},
}

func ignored(d policy.Decision) string {
	if len(d.Own) == 0 {
		return "; they do not count here"
	}
	return ""
}

// verdict says whether a use is permitted, and else why not.
func verdict(d policy.Decision, use policy.Use) string {
	switch d.Permits(use) {
	case policy.Permitted:
		return "yes"
	case policy.ItemBlocked:
		return "no: blocked"
	case policy.FunctionRefused:
		return "no: the rule does not allow it"
	case policy.UserRefused:
		return "no: " + d.Users.String() + ", and the user is " + command.OrElse(use.User, "not known") + " (--user)"
	case policy.CountryRefused:
		return "no: " + d.Countries.String() + ", and the country is " + command.OrElse(use.Country, "not known") +
			" (--country)"
	}
	return "no: the terms that it comes with do not allow it"
}
