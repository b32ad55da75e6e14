package i18n

// Texts that several rooms say. What belongs to one subject alone stands in a file of its own.
var (
	Or           = in("or")
	And          = in("and")
	NoPreference = in("no_preference")
)
