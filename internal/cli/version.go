package cli

import (
	"runtime"
	"runtime/debug"
)

type versionCommand struct{}

// Help is the command's example.
func (versionCommand) Help() string { return "Example:\n\n\tfrontdesk version" }

// Run prints what the binary knows of its making.
func (versionCommand) Run(env *environment) error {
	version, commit, built := "unknown", "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				commit = setting.Value
			case setting.Key == "vcs.time":
				built = ", of " + setting.Value
			case setting.Key == "vcs.modified" && setting.Value == "true":
				built += ", with changes"
			}
		}
	}
	env.print("frontdesk %s\ncommit %s%s\n%s, %s/%s\n", version, commit, built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
