package i18n

// Answers to questions for a detail and to comparisons, made of items' own facts.
var (
	Tells     = in("tells")
	TellsNot  = in("tells_not")
	Is        = in("is_so")
	IsNot     = in("is_not_so")
	HasIn     = in("has_in")
	HasNotIn  = in("has_not_in")
	SetBeside = in("set_beside")
	Lowest    = in("lowest")
	Highest   = in("highest")
	Soonest   = in("soonest")
)
