package owner

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
)

// StatedLicences shows what sites state of the use of their addresses.
type StatedLicences struct {
	command.ConfigFlags
	URL  string `arg:"" optional:"" name:"url" help:"An address: tells what is known of it, and from where."`
	Read string `placeholder:"SITE" help:"Read what this site or tenant states, whole, before."`
	JSON bool   `name:"json" help:"Print it as JSON."`
}

// Help is the command's example.
func (StatedLicences) Help() string {
	return "It lists the sites and tenants whose licences and sitemaps are read (licences in the configuration), " +
		"when that was, and what went wrong.\n" +
		"Of an address it tells each value that an offer has, and which source it is from.\n\n" +
		"Examples:\n\n\tfrontdesk licences\n\tfrontdesk licences --read local\n" +
		"\tfrontdesk licences https://www.example.com/article"
}

// Run tells what was read.
func (c StatedLicences) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	if err := command.NeedContent(loaded.Config); err != nil {
		return err
	}
	program, err := command.Open(env, loaded.Config, false)
	if err != nil {
		return err
	}
	defer program.Close()
	if c.Read != "" {
		begun, err := program.ReadLicences(env.Ctx, c.Read, true)
		if err != nil {
			return fmt.Errorf("what %s states could not be read, so that what was read before stays: %w", c.Read, err)
		}
		if !begun {
			return fmt.Errorf("nothing is read of %s: it stands in no entry of licences.from, "+
				"or somebody reads it just now", c.Read)
		}
	}
	if c.URL != "" {
		return c.address(env, loaded.Config, program)
	}
	all, err := program.LicenceStatuses(env.Ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		text, err := json.MarshalIndent(all, "", "  ")
		if err == nil {
			env.Print("%s\n", text)
		}
		return err
	}
	if len(all) == 0 {
		env.Print("No licences are read. Name a site's first page under `licences: {from: [{url: " +
			"...}]}` in the configuration.\n")
		return nil
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "site\tdocuments\taddresses\tlast read\tage\tnext\tfrom")
	for _, s := range all {
		age := string(s.Age)
		if age == "" {
			age = "-"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\n", command.Column(s.Site), s.Documents, s.Addresses,
			command.Moment(s.Read), age, command.Moment(s.Next), command.Column(s.Where))
	}
	w.Flush()
	for _, s := range all {
		if s.Problem != "" {
			env.Print("%s: %s\n", command.Column(s.Site), command.Clean(s.Problem))
		}
		for _, note := range s.Notes {
			env.Print("%s: %s\n", command.Column(s.Site), command.Clean(note))
		}
	}
	return nil
}

// address tells what is known of an address, value for value.
func (c StatedLicences) address(env *command.Environment, config app.Config, program *app.App) error {
	found, err := program.ValuesOf(env.Ctx, c.URL)
	if err != nil {
		return err
	}
	if c.JSON {
		text, err := json.MarshalIndent(found, "", "  ")
		if err == nil {
			env.Print("%s\n", text)
		}
		return err
	}
	if len(found) == 0 {
		env.Print("Nothing is known of %s.\n", command.Clean(c.URL))
		return nil
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	for _, one := range found {
		fmt.Fprintf(w, "%s\t%s\n", command.Column(one.Site), command.Column(one.URL))
		for _, v := range one.Values {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", v.Name, command.Column(v.Value), v.Source, command.Column(v.Place))
		}
	}
	return w.Flush()
}
