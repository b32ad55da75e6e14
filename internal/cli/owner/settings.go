package owner

import "frontdesk/internal/operator"

// Settings has the commands for what is set without the configuration file.
type Settings struct {
	List         of[operator.ListSettings]   `cmd:"" help:"List what can be set without the configuration file, with where each value is from."`
	Set          of[operator.SetSetting]     `cmd:"" help:"Set a key about which the configuration file is silent."`
	Reset        of[operator.ResetSetting]   `cmd:"" help:"Have the default of a key hold again."`
	AddSource    of[operator.AddSource]      `cmd:"" help:"Add a source of the web."`
	RemoveSource of[operator.RemoveSource]   `cmd:"" help:"Remove a source that was added here, with what was read of it."`
	Export       of[operator.ExportSettings] `cmd:"" help:"Print what was set as lines for the configuration file."`
	FirstSteps   of[operator.MarkSteps]      `cmd:"" help:"Say whether the console shows the first steps."`
}
