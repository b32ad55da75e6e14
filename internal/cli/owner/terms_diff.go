package owner

import (
	"context"
	"slices"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/content"
	"frontdesk/internal/policy"
)

type termsDiff struct {
	File string `arg:"" name:"new.yaml" help:"A file with the other rules under terms: a whole configuration, or one with nothing else."`
	command.ConfigFlags
	As       []string `placeholder:"PARTY" help:"For whom: verified, known, an operator's origin, an agent's name, the address that it comes from, with commas; without it, somebody of whom nothing is known."`
	Examples int      `default:"3" placeholder:"N" help:"How many items to name for each change."`
	JSON     bool     `name:"json" help:"Print a JSON object."`
}

// Help is the command's example.
func (termsDiff) Help() string {
	return "Every item of the database is decided on by the rules in force and by the others; " +
		"what differs is counted and shown with examples. " +
		"Nothing is changed.\n\nExample:\n\n\tfrontdesk terms diff stricter.yaml"
}

// differences are all changes, the most telling first.
type differences struct {
	Items   int                 `json:"items"`   // that there are
	Changed int                 `json:"changed"` // for which anything changes
	Changes []policy.Difference `json:"changes"`
}

// Run compares.
func (c termsDiff) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	other, err := loaded.WithTermsOf(c.File)
	if err != nil {
		return err
	}
	env.Warn(other.Warnings)
	if err := command.NeedContent(loaded.Config); err != nil {
		return err
	}
	program, err := command.Open(env, loaded.Config, false)
	if err != nil {
		return err
	}
	defer program.Close()
	if program.Unusable != nil {
		return program.Unusable
	}
	after, err := other.Config.CompileTerms(program.Added().Rules...) // which stand with the rules of either file
	if err != nil {
		return err
	}
	var sites []string
	for _, site := range loaded.Config.AllSites() {
		sites = append(sites, site.ID)
	}
	party, err := partyAs(c.As, loaded.Config.Agents)
	if err != nil {
		return err
	}
	found, err := compareTerms(env.Ctx, program.Catalog, sites, program.Terms().For(party), after.For(party),
		max(0, c.Examples))
	if err != nil {
		return err
	}
	if c.JSON {
		return command.PrintJSON(env, found)
	}
	c.print(env, found)
	return nil
}

// compareTerms decides on every item of sites by both rules.
func compareTerms(ctx context.Context, catalog *content.Catalog, sites []string, before, after *policy.Terms,
	examples int) (differences, error) {
	c := policy.Comparison{Before: before, After: after, Most: examples}
	_, err := catalog.Changes(ctx, nil, func(change content.Change) error {
		if !change.Removed && slices.Contains(sites, change.Entry.Site) {
			c.Add(factsOf(change.Entry.Ref, change.Entry.Item))
		}
		return nil
	})
	return differences{c.Items, c.Changed, c.Differences()}, err
}

// factsOf are what rules can ask of an item.
func factsOf(ref content.Ref, item content.Item) policy.Facts {
	return policy.Facts{Site: ref.Site, Source: ref.Source, URL: item.URL, Types: item.Types,
		Own: policy.Markup(item.Types, item.Object, content.IsA)}
}

func (c termsDiff) print(env *command.Environment, found differences) {
	if found.Changed == 0 {
		env.Print("Nothing changes for the %d items there are.\n", found.Items)
		return
	}
	env.Print("%d of %d items change.\n", found.Changed, found.Items)
	for _, group := range found.Changes {
		env.Print("\n%s: %s -> %s, %s\n", group.What, command.Clean(group.From), command.Clean(group.To),
			command.Plural(group.Items, "item"))
		for _, url := range group.Examples {
			env.Print("  %s\n", command.Clean(url))
		}
		if more := group.Items - len(group.Examples); more > 0 && len(group.Examples) > 0 {
			env.Print("  and %d more\n", more)
		}
	}
}
