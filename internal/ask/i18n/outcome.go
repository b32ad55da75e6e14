package i18n

// What is said when there is no answer, or not the whole of it. In places go names of types or of
// sites.
var (
	NoneOfType = in("none_of_type")
	NoneOnSite = in("none_on_site")
	None       = in("none")
	// FoundSoFar has how many items were found, of how many, and the name of the last.
	FoundSoFar = in("found_so_far")
	// Partial has how many results were ready.
	Partial = in("partial")
)

// What is said in place of an answer when something went wrong that is no fault of the request's.
// In English the failure's own words say more.
var (
	TooSlow         = in("too_slow")
	TooMany         = in("too_many")
	NotNow          = in("not_now")
	TakenBack       = in("taken_back")
	NoPromise       = in("no_promise")
	WentWrong       = in("went_wrong")
	QuestionTooLong = in("question_too_long")
)
