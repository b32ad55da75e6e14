package query

import (
	"testing"

	"frontdesk/internal/content/facets"
)

// board is a catalog of events, courses, articles, things for sale and, with jobs, vacancies.
func board() Asking {
	at := asking()
	slots := []facets.Known{{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 9},
		{Slot: facets.Start, Kind: facets.Times, Count: 9}, {Slot: facets.Published, Kind: facets.Times, Count: 9},
		{Slot: facets.Employment, Count: 5}, {Slot: facets.Workplace, Count: 3}, {Slot: facets.Location, Count: 9},
		{Slot: "isAccessibleForFree", Count: 4}}
	at.Lexicon = facets.NewLexicon(facets.Taught{
		Items: 60, Types: map[string]int{"Event": 9, "MusicEvent": 4, "Article": 9, "Course": 3, "Book": 3,
			"Product": 20, "JobPosting": 9}, Slots: slots,
		Values: map[facets.Slot][]facets.Value{facets.Location: {{Text: "Berlin", Count: 4}},
			facets.Category: {{Text: "Lamps", Count: 9}}, facets.Brand: {{Text: "Cheap Trick", Count: 2}}},
	})
	return at
}

// The questions are asked on Friday, 20 November 2026.
func TestWhatIsOverAndHowOldSomethingIs(t *testing.T) {
	t.Parallel()
	const past = "kind: Event; over before 20 November 2026; by date, latest first"
	for _, row := range []struct{ question, want string }{
		{"past events", past},
		{"events that already happened", past},
		{"previous events", past},
		{"old events", past},
		{"events in the old town", "in the old town; kind: Event"},
		{"recent events", past},
		{"recent articles", "kind: Article; by published, latest first"},
		{"recent lamps", "recent lamps; preferably category: Lamps"},
		{"past jazz concerts", "jazz; kind: MusicEvent; over before 20 November 2026; by date, latest first"},
		{"vergangene Veranstaltungen", past},
		{"événements passés", past},
		{"eventos pasados", past},
		{"eventos passados", past},
		{"過去のイベント", past},
		{"last year's events", "kind: Event; date 1 January 2025 to 31 December 2025"},
		{"last month's articles", "kind: Article; published 1 October 2026 to 31 October 2026"},
		{"what was on last summer", "kind: Event; date 1 June 2026 to 31 August 2026"},
		{"events since September", "kind: Event; date from 1 September 2026 on"},
		{"articles from the last month", "kind: Article; published 1 October 2026 to 31 October 2026"},
		{"articles published in the last month", "kind: Article; published 20 October 2026 to 20 November 2026"},
		{"current events", "kind: Event; date on 20 November 2026"},
		{"laufende Veranstaltungen", "kind: Event; date on 20 November 2026"},
		{"articles older than a year", "kind: Article; published until 19 November 2025"},
		{"articles more than two years old", "kind: Article; published until 19 November 2024"},
		{"articles less than 6 months old", "kind: Article; published from 20 May 2026 on"},
		{"Artikel älter als ein Jahr", "kind: Article; published until 19 November 2025"},
		{"articles de plus d'un an", "kind: Article; published until 19 November 2025"},
		{"artículos de hace más de un año", "kind: Article; published until 19 November 2025"},
		{"artigos há mais de dois anos", "kind: Article; published until 19 November 2024"},
		{"toys for kids older than 3 years", "toys for kids older than 3 years"},
		{"books for children more than 3 years old", "for children more than 3 years old; kind: Book"},
	} {
		if got := read(row.question, board()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}

func TestHowAndWhereOneWorks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, want string }{
		{"remote jobs", "kind: JobPosting; place of work: remote"},
		{"full-time remote jobs", "kind: JobPosting; employment: full time; place of work: remote"},
		{"jobs, not remote", "kind: JobPosting; place of work: not remote"},
		{"jobs on site in Berlin", "kind: JobPosting; place of work: not remote; place: Berlin"},
		{"jobs that are not full time", "kind: JobPosting; employment: not full time"},
		{"full time or part time jobs", "kind: JobPosting; employment: full time or part time"},
		{"internship in Berlin", "kind: JobPosting; employment: internship; place: Berlin"},
		{"work from home", "kind: JobPosting; place of work: remote"},
		{"remote full time go developer",
			"go developer; kind: JobPosting; place of work: remote; employment: full time"},
		{"hybrid jobs", "kind: JobPosting; place of work: hybrid"},
		{"Stellen in Teilzeit", "kind: JobPosting; employment: part time"},
		{"Jobs im Homeoffice", "kind: JobPosting; place of work: remote"},
		{"Praktikum in Berlin", "kind: JobPosting; employment: internship; place: Berlin"},
		{"offres d'emploi en télétravail", "kind: JobPosting; place of work: remote"},
		{"empleos a tiempo completo", "kind: JobPosting; employment: full time"},
		{"vagas em tempo integral", "kind: JobPosting; employment: full time"},
		{"リモートの求人", "kind: JobPosting; place of work: remote"},
		{"正社員の求人", "kind: JobPosting; employment: full time"},
		{"リモート以外の求人", "kind: JobPosting; place of work: not remote"},
		{"remote control for a lamp", "remote control for a lamp"},
	} {
		if got := read(row.question, board()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
	without := asking()
	// no item is a job
	for question, want := range map[string]string{"remote mouse": "remote mouse", "full time jobs": "full time jobs"} {
		if got := read(question, without); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

func TestWhatCostsNothingAndLittle(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, want string }{
		{"free family events", "family; kind: Event; free of charge"},
		{"jazz concerts that are free", "jazz; kind: MusicEvent; free of charge"},
		{"kostenlose Konzerte", "kind: MusicEvent; free of charge"},
		{"concerts gratuits", "kind: MusicEvent; free of charge"},
		{"conciertos gratis", "kind: MusicEvent; free of charge"},
		{"無料のイベント", "kind: Event; free of charge"},
		{"only free ones", "free of charge"},
		{"gluten-free events", "kind: Event; without gluten"},
		{"products with free shipping", "with free shipping; kind: Product"},
		{"Produkte mit kostenlosem Versand", "mit kostenlosem Versand; kind: Product"},
		{"free range eggs events", "free range eggs; kind: Event"},
		{"events that are not free", "kind: Event; price over 0"},
		{"cheap desk lamps", "desk lamps; preferably low price; preferably category: Lamps"},
		{"not too expensive wooden stool", "wooden stool; preferably low price"},
		{"günstige Schreibtischlampe", "Schreibtischlampe; preferably low price"},
		{"lampe pas chère", "lampe; preferably low price"},
		{"lámpara barata", "lámpara; preferably low price"},
		{"送料無料の商品", "送料無料; kind: Product"},
		{"安いランプ", "ランプ; preferably low price"},
		{"cheap trick poster", "cheap trick poster; preferably brand: Cheap Trick"},
		{"cheap products", "kind: Product; by price, lowest first"},
		{"articles on cheap wine", "on cheap wine; kind: Article"},
	} {
		if got := read(row.question, board()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}

// Any Saturday is meant where nothing says which one, a date where something does.
func TestDaysOfTheWeekAreAnyOfThem(t *testing.T) {
	t.Parallel()
	at := board()
	at.Lexicon = facets.NewLexicon(facets.Taught{
		Items: 60, Types: map[string]int{"Event": 9, "Course": 3, "JobPosting": 9},
		Slots: []facets.Known{{Slot: facets.Start, Kind: facets.Times, Count: 9}, {Slot: facets.Days, Count: 9},
			{Slot: facets.StartTime, Kind: facets.Figures, Count: 9}},
	})
	at.Met = func(*facets.Constraint) bool { return false } // nothing is on at the coming weekend
	for _, row := range []struct{ question, want string }{
		{"events on a saturday", "kind: Event; day: saturday"},
		{"events on Saturday", "kind: Event; date on 21 November 2026"},
		{"events next Saturday", "kind: Event; date on 28 November 2026"},
		{"events on Saturday 5 December", "kind: Event; date on 5 December 2026"},
		{"events on mondays or tuesdays", "kind: Event; day: monday or tuesday"},
		{"events on a sunday morning", "kind: Event; day: sunday; start time 05:00 to 12:00"},
		{"events at the weekend", "kind: Event; day: saturday or sunday"},
		{"events this weekend", "kind: Event; date 21 November 2026 to 22 November 2026"},
		{"jobs on Saturday", "kind: JobPosting; day: saturday"},
		{"Veranstaltungen samstags", "kind: Event; day: saturday"},
		{"Veranstaltungen an einem Sonntag", "kind: Event; day: sunday"},
		{"Veranstaltungen am Wochenende", "kind: Event; day: saturday or sunday"},
		{"événements le samedi", "kind: Event; day: saturday"},
		{"événements le samedi 23 janvier", "kind: Event; date on 23 January 2027"},
		{"cours en semaine", "kind: Course; day: monday, tuesday, wednesday, thursday or friday"},
		{"eventos los domingos", "kind: Event; day: sunday"},
		{"eventos aos sábados", "kind: Event; day: saturday"},
		{"eventi la domenica", "kind: Event; day: sunday"},
		{"土曜日のイベント", "kind: Event; day: saturday"},
		{"welche Kurse laufen samstags", "kind: Course; day: saturday"},
		{"Sprachkurse am Samstag", "Sprachkurse; kind: Course; day: saturday"},
		// A part of the day may be what is not wanted.
		{"Kurse abends", "kind: Course; start time 17:00 to 24:00"},
		{"classes in the morning", "kind: Event or Course; start time 05:00 to 12:00"},
		{"courses, but not in the evening", "kind: Course; not (start time 17:00 to 24:00)"},
		{"courses but not evenings", "kind: Course; not (start time 17:00 to 24:00)"},
		{"Kurse, aber bitte nicht abends", "kind: Course; not (start time 17:00 to 24:00)"},
		{"Kurse, nicht am Abend", "kind: Course; not (start time 17:00 to 24:00)"},
		{"cours mais pas le soir", "kind: Course; not (start time 17:00 to 24:00)"},
		{"cursos pero no por la noche", "kind: Course; not (start time 19:00 to 24:00)"},
		{"corsi ma non di sera", "kind: Course; not (start time 17:00 to 24:00)"},
		{"cursos mas não à noite", "kind: Course; not (start time 18:00 to 24:00)"},
	} {
		if got := read(row.question, at); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}
