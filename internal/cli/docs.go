package cli

import (
	"frontdesk/internal/app/docsite"
	"frontdesk/internal/cli/command"
)

type docsCommand struct {
	Folder string `arg:"" help:"The folder to write into; it is made if it is missing."`
}

// Help is the command's example.
func (docsCommand) Help() string {
	return "The pages need no server: open index.html in a browser. Each is there as Markdown too. `frontdesk demo` " +
		"and the console serve the same, with a search.\n\nExample:\n\n\tfrontdesk docs ./manual"
}

// Run writes the pages.
func (c docsCommand) Run(env *command.Environment) error {
	site := docsite.Own()
	if err := site.Write(c.Folder); err != nil {
		return err
	}
	env.Print("%d pages are in %s; begin with index.html.\n", len(site.Pages()), c.Folder)
	return nil
}
