package i18n

// What is said when a question goes on with others.
var (
	NoMore = in("no_more")
	// NoSuchPlace has the number of items that were shown.
	NoSuchPlace = in("no_such_place")
)
