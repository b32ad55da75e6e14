package i18n

// The first sentence of a summary, of parts: how many items of which kind, and what their figures
// range over.
var (
	InAll   = in("in_all")
	ReadyIn = in("ready_in")
	Priced  = in("priced")
	Rated   = in("rated")
	On      = in("on_that_day")
	Ranging = in("ranging")
	During  = in("during")
	Stop    = in("stop")
	Then    = in("then")
	Quotes  = in("quotes")
)
