package cli

import (
	"runtime"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/build"
)

type versionCommand struct{}

// Help is the command's example.
func (versionCommand) Help() string { return "Example:\n\n\tfrontdesk version" }

// Run prints what the binary knows of its making.
func (versionCommand) Run(env *command.Environment) error {
	info := build.Current()
	made := ""
	if info.Time != "" {
		made = ", of " + info.Time
	}
	if info.Changed {
		made += ", with changes"
	}
	env.Print("frontdesk %s\ncommit %s%s\n%s, %s/%s\n", info.Version, info.Commit, made, runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
	return nil
}
