package i18n

// Texts that several rooms say. What belongs to one subject alone stands in a file of its own.
var (
	Or           = in("or", " or ", " oder ", " ou ", " o ", " ou ", "か")
	And          = in("and", " and ", " und ", " et ", " y ", " e ", "と")
	NoPreference = in("no_preference", "no preference", "egal", "peu importe", "me da igual", "tanto faz", "こだわらない")
)
