package owner

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/content/overview"
)

// Sources lists the sources, and how they stand.
type Sources struct {
	command.ConfigFlags
	Site     string `placeholder:"SITE" help:"Only the sources of this site."`
	JSON     bool   `name:"json" help:"Print all that is known, as JSON."`
	Problems int    `default:"3" placeholder:"N" help:"Problems of the last run to list for each source (${default}); up to 100 are kept."`
}

// Help is the command's example.
func (Sources) Help() string {
	return "It lists the sources of the configuration, and those whose content is still in the database although " +
		"nothing is configured for them.\n\n" +
		"Examples:\n\n\tfrontdesk sources\n\tfrontdesk sources --json"
}

// Run lists the sources.
func (c Sources) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	if err := command.NeedContent(loaded.Config); err != nil {
		return err
	}
	program, err := command.OpenLoaded(env, loaded, false)
	if err != nil {
		return err
	}
	defer program.Close()
	all, err := program.Sources(env.Ctx)
	if err != nil {
		return err
	}
	chosen := []overview.SourceStatus{}
	for _, s := range all {
		if c.Site == "" || s.Site == c.Site {
			chosen = append(chosen, s)
		}
	}
	if c.JSON {
		text, err := json.MarshalIndent(chosen, "", "  ")
		if err != nil {
			return err
		}
		env.Print("%s\n", text)
		return nil
	}
	if len(chosen) == 0 {
		env.Print("There are no sources. Read content with `frontdesk ingest PATH`, " +
			"or write `sources` into the configuration.\n")
		return nil
	}
	c.table(env, chosen)
	return nil
}

// table lists the sources, and below them what is wrong with any.
func (c Sources) table(env *command.Environment, all []overview.SourceStatus) {
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "source\titems\tlast read\tage\tresult\tnext\tfrom")
	for _, s := range all {
		from := s.Where
		if !s.Configured {
			from = "(not configured)"
		}
		fmt.Fprintf(w, "%s/%s\t%d\t%s\t%s\t%s\t%s\t%s\n", s.Site, command.Column(s.Name), s.Items,
			command.Moment(s.Tried, s.LastRun), age(s), result(s), command.Moment(s.NextRun), command.Column(from))
	}
	w.Flush()
	for _, s := range all {
		name := s.Site + "/" + command.Column(s.Name)
		if s.Error != "" {
			env.Print("%s: %s\n", name, command.Clean(s.Error))
		}
		if v := s.Vectors; v != nil {
			env.Print("%s: %d of %d texts have vectors\n", name, v.Ready, v.Texts)
			if v.Error != "" {
				env.Print("%s: texts could not be turned into vectors at %s: %s\n", name, command.Moment(v.Failed),
					command.Clean(v.Error))
			}
		}
		if s.Attempt == nil {
			continue
		}
		if s.Attempt.Web != nil && s.Attempt.Web.Cut != "" {
			env.Print("%s: not all was seen: %s\n", name, command.Clean(s.Attempt.Web.Cut))
		}
		if s.Attempt.Web != nil && s.Attempt.Web.Note != "" {
			env.Print("%s: %s\n", name, command.Clean(s.Attempt.Web.Note))
		}
		for _, p := range s.Attempt.Problems[:min(len(s.Attempt.Problems), c.Problems)] {
			env.Print("%s: %s: %s\n", name, command.Clean(p.Origin), command.Clean(p.Reason))
		}
	}
}

// age is how long ago the source was last read with success, and whether that is too long ago.
func age(s overview.SourceStatus) string {
	if s.LastRun.IsZero() {
		return "-"
	}
	text := command.Ago(time.Duration(s.AgeSeconds) * time.Second)
	if s.Age != overview.Recent {
		text += " " + string(s.Age)
	}
	return text
}

// result is the outcome of the last run in a few words.
func result(s overview.SourceStatus) string {
	switch {
	case s.Error != "":
		return "failed"
	case s.Summary == nil:
		return "never read"
	case s.Attempt != nil && s.Attempt.Partial:
		return "read in part"
	}
	return fmt.Sprintf("+%d ~%d -%d", s.Summary.Added, s.Summary.Changed, s.Summary.Removed)
}
