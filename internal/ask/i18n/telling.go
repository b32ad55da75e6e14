package i18n

// Answers to comparisons, made of items' own facts.
var (
	SetBeside = in("set_beside")
	Lowest    = in("lowest")
	Highest   = in("highest")
	Soonest   = in("soonest")
)
