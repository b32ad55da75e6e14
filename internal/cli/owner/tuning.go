package owner

import "frontdesk/internal/operator"

// Tuning has the commands for what mends answers.
type Tuning struct {
	Add     of[operator.AddTuning]     `cmd:"" help:"Say what words mean, what comes first for a question, or which question is no problem."`
	List    of[operator.ListTuning]    `cmd:"" help:"List what mends answers, and how often it did."`
	Preview of[operator.PreviewTuning] `cmd:"" help:"Say what an entry would do, without keeping it."`
	Off     of[operator.TurnOffTuning] `cmd:"" help:"Have an entry do nothing, until it is turned on."`
	On      of[operator.TurnOnTuning]  `cmd:"" help:"Have an entry do again what it says."`
	Remove  of[operator.RemoveTuning]  `cmd:"" help:"Remove an entry."`
	Export  of[operator.ExportTuning]  `cmd:"" help:"Print all entries as a tuning.yaml."`
	Import  of[operator.ImportTuning]  `cmd:"" help:"Take in the entries of a tuning.yaml."`
}
