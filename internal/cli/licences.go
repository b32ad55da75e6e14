package cli

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"frontdesk/internal/app/server"
)

type licencesCommand struct {
	configFlags
	URL  string `arg:"" optional:"" name:"url" help:"An address of which is told what is known, and from where."`
	Read string `placeholder:"SITE" help:"Read what this site or tenant states, whole, before."`
	JSON bool   `name:"json" help:"Print it as JSON."`
}

// Help is the command's example.
func (licencesCommand) Help() string {
	return "It lists the sites and tenants whose licences and sitemaps are read (licences in the configuration), when that was, and what went wrong.\n" +
		"Of an address it tells each value that an offer has, and which source it is from.\n\n" +
		"Examples:\n\n\tfrontdesk licences\n\tfrontdesk licences --read local\n\tfrontdesk licences https://www.example.com/article"
}

// Run tells what was read.
func (c licencesCommand) Run(env *environment) error {
	loaded, err := c.load(env, nil)
	if err != nil {
		return err
	}
	if err := needContent(loaded.Config); err != nil {
		return err
	}
	house, err := server.OpenHouse(env.ctx, loaded.Config, server.NewLog(server.Log{Level: "error"}, env.stderr))
	if err != nil {
		return err
	}
	defer house.Close()
	if err := house.OpenSupply(env.ctx, loaded.Config); err != nil {
		return err
	}
	if c.Read != "" {
		begun, err := house.ReadLicences(env.ctx, loaded.Config, c.Read, true)
		if err != nil {
			return fmt.Errorf("what %s states could not be read, so that what was read before stays: %w", c.Read, err)
		}
		if !begun {
			return fmt.Errorf("nothing is read of %s: it stands in no entry of licences.from, or somebody reads it just now", c.Read)
		}
	}
	if c.URL != "" {
		return c.address(env, loaded.Config, house)
	}
	all, err := house.LicenceStatuses(env.ctx, loaded.Config)
	if err != nil {
		return err
	}
	if c.JSON {
		text, err := json.MarshalIndent(all, "", "  ")
		if err == nil {
			env.print("%s\n", text)
		}
		return err
	}
	if len(all) == 0 {
		env.print("No licences are read. Name a site's first page under `licences: {from: [{url: ...}]}` in the configuration.\n")
		return nil
	}
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "site\tdocuments\taddresses\tlast read\tage\tnext\tfrom")
	for _, s := range all {
		age := string(s.Age)
		if age == "" {
			age = "-"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\n", column(s.Site), s.Documents, s.Addresses, moment(s.Read), age, moment(s.Next), column(s.Where))
	}
	w.Flush()
	for _, s := range all {
		if s.Problem != "" {
			env.print("%s: %s\n", column(s.Site), clean(s.Problem))
		}
		for _, note := range s.Notes {
			env.print("%s: %s\n", column(s.Site), clean(note))
		}
	}
	return nil
}

// address tells what is known of an address, value for value.
func (c licencesCommand) address(env *environment, config server.Config, house *server.House) error {
	found, err := house.ValuesOf(env.ctx, config, c.URL)
	if err != nil {
		return err
	}
	if c.JSON {
		text, err := json.MarshalIndent(found, "", "  ")
		if err == nil {
			env.print("%s\n", text)
		}
		return err
	}
	if len(found) == 0 {
		env.print("Nothing is known of %s.\n", clean(c.URL))
		return nil
	}
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	for _, one := range found {
		fmt.Fprintf(w, "%s\t%s\n", column(one.Site), column(one.URL))
		for _, v := range one.Values {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", v.Name, column(v.Value), v.Source, column(v.Place))
		}
	}
	return w.Flush()
}
