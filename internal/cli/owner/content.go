package owner

import "frontdesk/internal/operator"

// Content are the commands on what was read.
type Content struct {
	List     of[operator.ListItems]     `cmd:"" help:"List the items, with what the terms decide on each."`
	Show     of[operator.ShowItem]      `cmd:"" help:"Show an item as it was read, and as a stranger, a platform and a buyer see it."`
	Look     of[operator.LookAtAddress] `cmd:"" help:"Look at an address of the web, and print the lines that make it a source."`
	Problems of[operator.ListProblems]  `cmd:"" help:"List what could not be used, where it is, and how to mend it."`
}
