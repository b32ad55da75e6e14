package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/app/server"
)

type sourcesCommand struct {
	configFlags
	Site     string `placeholder:"SITE" help:"Only the sources of this site."`
	JSON     bool   `name:"json" help:"Print all that is known, as JSON."`
	Problems int    `default:"3" placeholder:"N" help:"Problems of the last run to list for each source (${default}); up to 20 are kept."`
}

// Help is the command's example.
func (sourcesCommand) Help() string {
	return "It lists the sources of the configuration, and those whose content is still in the database although nothing is configured for them.\n\n" +
		"Examples:\n\n\tfrontdesk sources\n\tfrontdesk sources --json"
}

// Run lists the sources.
func (c sourcesCommand) Run(env *environment) error {
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
	all, err := house.Sources(env.ctx, loaded.Config)
	if err != nil {
		return err
	}
	chosen := []server.SourceStatus{}
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
		env.print("%s\n", text)
		return nil
	}
	if len(chosen) == 0 {
		env.print("There are no sources. Read content with `frontdesk ingest PATH`, or write `sources` into the configuration.\n")
		return nil
	}
	c.table(env, chosen)
	return nil
}

// table lists the sources, and below them what is wrong with any.
func (c sourcesCommand) table(env *environment, all []server.SourceStatus) {
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "source\titems\tlast read\tage\tresult\tnext\tfrom")
	for _, s := range all {
		from := s.Where
		if !s.Configured {
			from = "(not configured)"
		}
		fmt.Fprintf(w, "%s/%s\t%d\t%s\t%s\t%s\t%s\t%s\n", s.Site, column(s.Name), s.Items, moment(s.Tried, s.LastRun), age(s), result(s), moment(s.NextRun), column(from))
	}
	w.Flush()
	for _, s := range all {
		name := s.Site + "/" + column(s.Name)
		if s.Error != "" {
			env.print("%s: %s\n", name, clean(s.Error))
		}
		if v := s.Vectors; v != nil {
			env.print("%s: %d of %d texts have vectors\n", name, v.Ready, v.Texts)
			if v.Error != "" {
				env.print("%s: texts could not be turned into vectors at %s: %s\n", name, moment(v.Failed), clean(v.Error))
			}
		}
		if s.Attempt == nil {
			continue
		}
		if s.Attempt.Web != nil && s.Attempt.Web.Cut != "" {
			env.print("%s: not all was seen: %s\n", name, clean(s.Attempt.Web.Cut))
		}
		if s.Attempt.Web != nil && s.Attempt.Web.Note != "" {
			env.print("%s: %s\n", name, clean(s.Attempt.Web.Note))
		}
		for _, p := range s.Attempt.Problems[:min(len(s.Attempt.Problems), c.Problems)] {
			env.print("%s: %s: %s\n", name, clean(p.Origin), clean(p.Reason))
		}
	}
}

func column(s string) string { return strings.ReplaceAll(clean(s), "\t", " ") }

// moment is the first time that is known, or a dash.
func moment(times ...time.Time) string {
	for _, t := range times {
		if !t.IsZero() {
			return t.UTC().Format("2006-01-02 15:04 UTC")
		}
	}
	return "-"
}

// age is how long ago the source was last read with success, and whether that is too long ago.
func age(s server.SourceStatus) string {
	if s.LastRun.IsZero() {
		return "-"
	}
	text := ago(time.Duration(s.AgeSeconds) * time.Second)
	if s.Age != server.Recent {
		text += " " + string(s.Age)
	}
	return text
}

// ago is a span of time in its largest unit.
func ago(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
}

// result is the outcome of the last run in a few words.
func result(s server.SourceStatus) string {
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
