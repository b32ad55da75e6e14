package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
)

type configCommands struct {
	Check configCheck `cmd:"" help:"Report every mistake in a configuration file."`
	Print configPrint `cmd:"" help:"Show the values in force and where each came from."`
	Init  configInit  `cmd:"" help:"Write a configuration file to start from."`
}

type configCheck struct {
	File   string `arg:"" optional:"" help:"The file; without it the one that serve would read."`
	Config string `placeholder:"FILE" help:"The same, as other commands take it."`
}

// Help is the command's example.
func (configCheck) Help() string {
	return "Mistakes are listed with line, column, key and what would be right, and the exit code is 1. " +
		"The environment is read as well, as serve reads it.\n\nExample:\n\n\tfrontdesk config check frontdesk.yaml"
}

// Run checks a file.
func (c configCheck) Run(env *command.Environment) error {
	if c.File != "" && c.Config != "" {
		return command.Usage("name the file once, as %s or with --config", c.File)
	}
	file := command.ConfigFlags{Config: c.File + c.Config}.ConfigFile(env)
	if file == "" {
		return command.Usage("there is no %s here; name a file, or write one with `frontdesk config init`",
			command.DefaultFile)
	}
	loaded, err := app.Load(app.Layers{File: file, Env: env.Env})
	env.Warn(loaded.Warnings)
	if err != nil {
		return err
	}
	env.Warn(loaded.CheckKeys())
	config := loaded.Config
	env.Print("%s is right: %s, %s, %s.\n", file,
		command.Plural(len(config.AllSites()), "site"), command.Plural(len(config.AllSources()), "source"),
		command.Plural(len(config.Terms), "rule"))
	return nil
}

type configPrint struct {
	File string `arg:"" optional:"" help:"The same as --config."`
	command.ConfigFlags
}

// Help is the command's example.
func (configPrint) Help() string {
	return "The output is a configuration file itself; a comment on each value says where it came from. " +
		"Passwords are left out.\n\nExample:\n\n\tFRONTDESK_LISTEN=:8080 frontdesk config print"
}

// Run prints the configuration.
func (c configPrint) Run(env *command.Environment) error {
	if c.File != "" && c.Config != "" {
		return command.Usage("name the file once, as %s or with --config", c.File)
	}
	c.Config += c.File
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	env.Print("%s", loaded.Config.TermsNote(env.Ctx))
	loaded, unused, err := loaded.WithKept(env.Ctx)
	if err != nil {
		env.Print("# Whether keys were set beside this file cannot be told: %v\n", err)
	}
	for _, u := range unused {
		env.Print("# %s was set beside this file, and is left out: %s\n", command.Clean(u.Key),
			command.Clean(u.Problem))
	}
	return loaded.Print(env.Stdout)
}

type configInit struct {
	File string `arg:"" optional:"" default:"frontdesk.yaml" help:"The file to write (${default})."`
}

// Help is the command's example.
func (configInit) Help() string {
	return "A file that is there already is left alone.\n\nExample:\n\n\tfrontdesk config init"
}

// Run writes the file.
func (c configInit) Run(env *command.Environment) error {
	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already and was left alone; name another file, or remove it first", c.File)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(app.Starter)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	env.Print("Wrote %s. Name your content in it, then run `frontdesk config check %s` and `frontdesk serve`.\n",
		c.File, c.File)
	return nil
}
