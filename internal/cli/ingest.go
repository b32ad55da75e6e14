package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/content/ingest"
)

type ingestCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Files, folders or web addresses to read; without one, all sources of the configuration."`
	command.ConfigFlags
	Site        string `placeholder:"SITE" help:"Site that the paths belong to; needed when there are several."`
	Name        string `placeholder:"NAME" help:"Name of the source; without it, made of the path."`
	Base        string `placeholder:"URL" help:"Address from which items without an absolute URL get theirs."`
	Language    string `placeholder:"LANG" help:"Language of items that do not say theirs."`
	AllowShrink bool   `help:"Replace a source even by less than half of it, or by nothing."`
	Watch       bool   `help:"Go on, and read each source again when it is due, as a server does."`
	Problems    int    `default:"10" placeholder:"N" help:"Problems to list for each source (${default})."`
}

// Help is the command's example.
func (ingestCommand) Help() string {
	return "A source is replaced as a whole when it was read to its end, and otherwise stays as it was. " +
		"What cannot be read is listed and left out. " +
		"A server that uses the same database follows by itself.\n\n" +
		"Examples:\n\n\tfrontdesk ingest ./content\n" +
		"\tfrontdesk ingest --name shop --base https://shop.example.com/ products.jsonl.gz\n" +
		"\tfrontdesk ingest https://www.example.com/\n\tfrontdesk ingest --watch"
}

// Run reads the sources, one after the other. A source that fails does not keep the next from being
// read.
func (c ingestCommand) Run(env *command.Environment) error {
	loaded, sources, err := c.sources(env)
	if err != nil {
		return err
	}
	program, err := app.Build(env.Ctx,
		app.Options{Loaded: loaded, Log: app.NewLog(app.Log{Level: "warn"}, env.Stderr), Records: true})
	if err != nil {
		return err
	}
	defer program.Close()
	if c.Watch {
		return c.watch(env, program, sources)
	}
	var reports []ingest.Report
	failed := 0
	for _, source := range sources {
		show := command.NewProgress(env)
		report, err := program.Ingest(env.Ctx, source,
			ingest.Options{Progress: show.Update, AllowShrink: c.AllowShrink})
		show.End()
		c.problems(env, report)
		if env.Ctx.Err() != nil {
			return env.Ctx.Err()
		}
		if err != nil {
			failed++
			fmt.Fprintf(env.Stderr, "frontdesk: %s/%s: %s\n", source.Site, source.Name,
				command.Clean(command.Explained(err)))
			continue
		}
		reports = append(reports, report)
	}
	if len(reports) > 0 {
		table(env, reports)
	}
	if failed > 0 {
		return command.ErrTold
	}
	return nil
}

// watch reads the sources whenever they are due, until the command is told to end.
func (c ingestCommand) watch(env *command.Environment, program *app.App, sources []app.Source) error {
	if !slices.ContainsFunc(sources, func(s app.Source) bool { return s.Every > 0 }) {
		return command.Usage(
			"--watch: no source says how often it is read again; write `every: 6h` into the configuration")
	}
	var mu sync.Mutex
	program.Watch(env.Ctx, sources, app.Watching{
		Options: ingest.Options{AllowShrink: c.AllowShrink},
		Done: func(source app.Source, report ingest.Report, err error) {
			mu.Lock()
			defer mu.Unlock()
			at := time.Now().UTC().Format(time.RFC3339)
			if err != nil {
				fmt.Fprintf(env.Stderr, "%s %s/%s: %s\n", at, source.Site, source.Name,
					command.Clean(command.Explained(err)))
				return
			}
			s := report.Summary
			env.Print("%s %s/%s: %s, %d added, %d changed, %d removed, %d skipped, %s\n", at, source.Site,
				command.Clean(source.Name), command.Plural(s.Items, "item"),
				s.Added, s.Changed, s.Removed, report.SkippedCount, report.Elapsed.Round(time.Millisecond))
		},
	})
	return nil
}

// sources are those of the paths, or those of the configuration.
func (c ingestCommand) sources(env *command.Environment) (*app.Loaded, []app.Source, error) {
	given, err := command.PathSources(c.Paths,
		app.Source{Site: c.Site, Name: c.Name, Base: c.Base, Language: c.Language})
	if err != nil {
		return nil, nil, err
	}
	loaded, err := c.Load(env, nil, given...)
	if err != nil {
		return nil, nil, err
	}
	if loaded, _, err = loaded.WithKept(env.Ctx); err != nil {
		return nil, nil, err
	}
	all := loaded.Config.AllSources()
	switch {
	case len(given) > 0:
		return loaded, loaded.Given(), nil
	case len(all) == 0:
		return nil, nil, command.Usage(
			"there is nothing to read: name a file or folder, or write sources into the configuration")
	case c.Name != "" || c.Base != "" || c.Language != "":
		return nil, nil, command.Usage("--name, --base and --language are for paths on the command line; " +
			"sources of the configuration say theirs there")
	}
	if c.Site == "" {
		return loaded, all, nil
	}
	var chosen []app.Source
	for _, source := range all {
		if source.Site == c.Site {
			chosen = append(chosen, source)
		}
	}
	if chosen == nil {
		return nil, nil, fmt.Errorf("no source of the configuration belongs to site %s", c.Site)
	}
	return loaded, chosen, nil
}

// problems lists what could not be read of a source.
func (c ingestCommand) problems(env *command.Environment, report ingest.Report) {
	for i, problem := range report.Skipped {
		if i == c.Problems {
			break
		}
		fmt.Fprintf(env.Stderr, "%s: %s\n", command.Clean(problem.Origin), command.Clean(problem.Reason))
	}
	if more := report.SkippedCount - min(c.Problems, len(report.Skipped)); more > 0 {
		fmt.Fprintf(env.Stderr, "and %s more in %s; --problems lists more of them\n", command.Plural(more, "problem"),
			report.Name)
	}
}

// table sums the runs up.
func table(env *command.Environment, reports []ingest.Report) {
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "source\tfiles\titems\tpassages\tadded\tchanged\tremoved\tunchanged\tskipped\ttime\t")
	var sum ingest.Report
	for _, r := range reports {
		row(w, r.Site+"/"+r.Name, r)
		sum.Files += r.Files
		sum.SkippedCount += r.SkippedCount
		sum.Elapsed += r.Elapsed
		s := &sum.Summary
		s.Items, s.Passages = s.Items+r.Summary.Items, s.Passages+r.Summary.Passages
		s.Added, s.Changed = s.Added+r.Summary.Added, s.Changed+r.Summary.Changed
		s.Removed, s.Unchanged = s.Removed+r.Summary.Removed, s.Unchanged+r.Summary.Unchanged
	}
	if len(reports) > 1 {
		row(w, "all", sum)
	}
	w.Flush()
	for _, r := range reports {
		if r.Web != nil {
			visited(env, r)
			continue
		}
		if r.Partial {
			first := r.Unread[0]
			env.Print("%s/%s: removals were held back, since %s could not be read whole (%s: %s). "+
				"What is no longer there is still found; "+
				"mend or remove what is listed above, and run this again.\n", r.Site, r.Name,
				command.Plural(r.UnreadCount, "file"), command.Clean(first.Origin), command.Clean(first.Reason))
		}
	}
}

// visited sums up what was seen of the web.
func visited(env *command.Environment, r ingest.Report) {
	w := r.Web
	env.Print("%s/%s is a %s: %s", r.Site, command.Clean(r.Name), nameOfKind(w.Kind),
		command.Plural(w.Asked, "request"))
	for _, part := range []struct {
		n    int
		what string
	}{
		{w.Unchanged, "unchanged"}, {w.Gone, "gone"}, {w.Failed, "failed and kept as they were"},
		{w.Closed, "not open to everybody"}, {w.Disallowed, "disallowed by robots.txt"},
		{w.Hidden, "not to be indexed"}, {w.Repeated, "another page once more"}, {w.Useless, "of no form that is read"},
	} {
		if part.n > 0 {
			env.Print(", %d %s", part.n, part.what)
		}
	}
	if seconds := r.Elapsed.Seconds(); seconds > 0 {
		env.Print("; %.1f a second", float64(w.Asked)/seconds)
	}
	env.Print(".\n")
	if w.Endless > 0 {
		env.Print("%s/%s: %s were not followed, since they look endless.\n", r.Site, command.Clean(r.Name),
			command.Plural(w.Endless, "link"))
	}
	if w.Beyond > 0 {
		env.Print("%s/%s: %s lie beyond crawl.pages or crawl.depth.\n", r.Site, command.Clean(r.Name),
			command.Plural(w.Beyond, "link"))
	}
	if w.Note != "" {
		env.Print("%s/%s: %s.\n", r.Site, command.Clean(r.Name), command.Clean(w.Note))
	}
	if w.Cut != "" {
		env.Print("%s/%s: not all was seen, so nothing unseen was removed: %s.\n", r.Site, command.Clean(r.Name),
			command.Clean(w.Cut))
	}
}

// nameOfKind is a kind of source in words.
func nameOfKind(kind string) string {
	if words := map[string]string{"crawl": "site read by its links", "sitemap": "site with a sitemap",
		"schemamap": "site with a schema map", "data": "file of data", "wordpress": "WordPress"}[kind]; words != "" {
		return words
	}
	return kind
}

func row(w *tabwriter.Writer, name string, r ingest.Report) {
	s := r.Summary
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", strings.ReplaceAll(name, "\t", " "), r.Files,
		s.Items, s.Passages, s.Added, s.Changed, s.Removed, s.Unchanged, r.SkippedCount,
		r.Elapsed.Round(time.Millisecond))
}
