package i18n

// How and where one works, what costs nothing and little, and other details of items that questions
// ask for.
var (
	Employment  = in("employment")
	Workplace   = in("workplace")
	RemoteWork  = in("remote_work")
	Free        = in("free_of_charge")
	LowPrice    = in("low_price")
	OverBefore  = in("over_before")
	Ended       = in("ended")
	Ingredients = in("ingredients")
	Genre       = in("genre")
	Pages       = in("number_of_pages")
	Organizer   = in("organizer")
	Performer   = in("performer")
	Director    = in("director")
	Instructor  = in("instructor")
	Employer    = in("employer")
	Publisher   = in("publisher")
)

// Jobs are ways to be employed by schema.org's words: "FULL_TIME" is "full time", and work from
// anywhere is "remote".
var Jobs = Names{
	"FULL_TIME":   in("job_full_time"),
	"PART_TIME":   in("job_part_time"),
	"INTERN":      in("job_intern"),
	"CONTRACTOR":  in("job_contractor"),
	"TEMPORARY":   in("job_temporary"),
	"VOLUNTEER":   in("job_volunteer"),
	"PER_DIEM":    in("job_per_diem"),
	"TELECOMMUTE": RemoteWork,
}
