package submission

// Filter says which submissions are looked for; a zero member does not narrow.
type Filter struct {
	Intake string
	State  State
	Open   bool   // only what somebody has to see to: what waits, and binds that are not done
	Before string // the id of a record: only those that come after it in the list
	Limit  int    // 0 is 50, at most 500
}

// Count is what became of the submissions of a platform to an intake.
type Count struct {
	Intake, Platform                                              string
	Submitted, Waiting, Offered, Declined, Bound, Expired, Erased int // Offered are those that were, whatever became of them
}
