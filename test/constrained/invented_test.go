package constrained

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/cli/eval"
)

// asked is when the invented questions are asked.
var asked = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// tongue is one of the languages of the invented site.
type tongue struct {
	code, currency string
	cities         []string
	topics         []string
	names          []string
	money          []string // with %d
	months         []string

	// Words for the types, one and several, by schema.org type.
	one, many map[string]string

	under, place, notPlace, rated, month, since, cheapest, newest, best []string
	pages, hours, free, author, notAuthor                               []string
	three, howMuch, when, versus                                        []string
	andPlace, andUnder, andRated, notHere                               []string
	titles                                                              map[string][]string
}

var tongues = []tongue{
	{
		code: "en", currency: "USD",
		cities: []string{"Boston", "Portland", "Savannah", "Santa Fe"},
		topics: []string{"gardening", "jazz", "pottery", "chess", "astronomy", "sailing", "photography", "cheese"},
		names:  []string{"Ada Merriweather", "Jonas Pike", "Lucia Tran", "Omar Castellane"},
		money:  []string{"$%d", "%d dollars", "%d usd", "$%d.00"},
		months: strings.Fields("january february march april may june july august september october november december"),
		one: map[string]string{"Book": "book", "Course": "course", "Hotel": "hotel", "Event": "event",
			"JobPosting": "job", "Article": "article", "Restaurant": "restaurant"},
		many: map[string]string{"Book": "books", "Course": "courses", "Hotel": "hotels", "Event": "events",
			"JobPosting": "jobs", "Article": "articles",
			"Restaurant": "restaurants"},
		under: []string{"%s under %s", "%s for less than %s", "%s that cost at most %s", "show me %s below %s pls",
			"%s, i can spend up to %s"},
		place:     []string{"%s in %s", "any %s in %s?", "looking for %s in %s", "%s located in %s"},
		notPlace:  []string{"%s but not in %s", "%s outside of %s", "%s anywhere except %s"},
		rated:     []string{"%s rated at least %s", "%s with %s stars or more", "%s %s+ stars"},
		month:     []string{"%s in %s 2027", "which %s are there in %s 2027", "%s during %s 2027"},
		since:     []string{"%s published since %d", "%s from %d or later"},
		cheapest:  []string{"cheapest %s about %s", "%s on %s, lowest price first"},
		newest:    []string{"newest %s about %s", "latest %s on %s"},
		best:      []string{"top rated %s in %s", "best rated %s in %s"},
		pages:     []string{"%s with fewer than %d pages", "%s under %d pages"},
		hours:     []string{"%s that take less than %d hours", "%s shorter than %d hours"},
		free:      []string{"free %s", "%s that are free"},
		author:    []string{"%s by %s", "what did %[2]s write? %[1]s only"},
		notAuthor: []string{"%s about %s not by %s"},
		three:     []string{"three %s about %s", "give me 3 %s on %s"},
		howMuch:   []string{"how much is %s", "what does %s cost"},
		when:      []string{"when is %s"},
		versus:    []string{"%s vs %s", "compare %s and %s"},
		andPlace:  []string{"and in %s?", "what about %s"},
		andUnder:  []string{"under %s please", "only those below %s"},
		andRated:  []string{"with at least %s stars", "only rated %s and up"},
		notHere:   []string{"not in %s", "but not %s"},
		titles: map[string][]string{
			"Book":    {"The Patient Art of %s", "%s for Beginners", "A Short History of %s", "Notes on %s"},
			"Course":  {"Introduction to %s", "Hands-on %s", "%s Masterclass"},
			"Event":   {"%s Night", "Open Day: %s", "An Evening of %s"},
			"Article": {"What %s Taught Our Street", "Why %s Is Back", "Five Facts about %s"},
		},
	},
	{
		code: "de", currency: "EUR",
		cities: []string{"Bremen", "Leipzig", "Freiburg", "Kassel"},
		topics: []string{"Gartenbau", "Töpfern", "Schach", "Astronomie", "Segeln", "Fotografie", "Imkerei"},
		names:  []string{"Greta Sonnleitner", "Uwe Brandhorst", "Mina Öztürk"},
		money:  []string{"%d Euro", "%d €", "%d EUR"},
		months: strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
		one: map[string]string{"Book": "Buch", "Course": "Kurs", "Hotel": "Hotel", "Event": "Veranstaltung",
			"JobPosting": "Stelle", "Article": "Artikel", "Restaurant": "Restaurant"},
		many: map[string]string{"Book": "Bücher", "Course": "Kurse", "Hotel": "Hotels", "Event": "Veranstaltungen",
			"JobPosting": "Stellen", "Article": "Artikel",
			"Restaurant": "Restaurants"},
		under:     []string{"%s unter %s", "%s für höchstens %s", "%s bis %s", "gibt es %s für weniger als %s?"},
		place:     []string{"%s in %s", "suche %s in %s", "welche %s gibt es in %s"},
		notPlace:  []string{"%s, aber nicht in %s", "%s außer in %s"},
		rated:     []string{"%s mit mindestens %s Sternen", "%s ab %s Sternen"},
		month:     []string{"%s im %s 2027", "welche %s gibt es im %s 2027"},
		since:     []string{"%s seit %d"},
		cheapest:  []string{"günstigste %s über %s", "billigste %s zu %s"},
		newest:    []string{"neueste %s über %s"},
		best:      []string{"bestbewertete %s in %s"},
		pages:     []string{"%s mit weniger als %d Seiten"},
		hours:     []string{"%s unter %d Stunden", "%s, die weniger als %d Stunden dauern"},
		free:      []string{"kostenlose %s"},
		author:    []string{"%s von %s"},
		notAuthor: []string{"%s über %s, nicht von %s"},
		three:     []string{"drei %s über %s"},
		howMuch:   []string{"was kostet %s", "wie viel kostet %s?"},
		when:      []string{"wann ist %s"},
		versus:    []string{"%s oder %s, was ist der Unterschied"},
		andPlace:  []string{"und in %s?"},
		andUnder:  []string{"nur unter %s", "höchstens %s"},
		andRated:  []string{"mindestens %s Sterne"},
		notHere:   []string{"aber nicht in %s"},
		titles: map[string][]string{
			"Book":   {"Die Kunst: %s", "%s für Anfänger", "Kleine Geschichte: %s"},
			"Course": {"Einführung: %s", "%s in der Praxis"}, "Event": {"Abend: %s", "%s zum Mitmachen"},
			"Article": {"Warum %s wieder da ist", "%s verändert eine Straße"},
		},
	},
	{
		code: "fr", currency: "EUR",
		cities: []string{"Nantes", "Lyon", "Arles"},
		topics: []string{"jardinage", "poterie", "échecs", "astronomie", "voile", "photographie"},
		names:  []string{"Solène Karadec", "Malik Beaufort", "Inès Vauquelin"},
		money:  []string{"%d euros", "%d €"},
		months: strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
		one: map[string]string{"Book": "livre", "Course": "cours", "Hotel": "hôtel", "Event": "événement",
			"JobPosting": "emploi", "Article": "article", "Restaurant": "restaurant"},
		many: map[string]string{"Book": "livres", "Course": "cours", "Hotel": "hôtels", "Event": "événements",
			"JobPosting": "emplois", "Article": "articles",
			"Restaurant": "restaurants"},
		under:     []string{"%s à moins de %s", "%s pour %s maximum", "des %s jusqu'à %s"},
		place:     []string{"%s à %s", "je cherche des %s à %s"},
		notPlace:  []string{"%s mais pas à %s", "%s sauf à %s"},
		rated:     []string{"%s avec au moins %s étoiles"},
		month:     []string{"%s en %s 2027", "quels %s en %s 2027"},
		since:     []string{"%s depuis %d"},
		cheapest:  []string{"%s de %s les moins chers"},
		newest:    []string{"derniers %s sur %s"},
		best:      []string{"%s les mieux notés à %s"},
		pages:     []string{"%s de moins de %d pages"},
		hours:     []string{"%s de moins de %d heures"},
		free:      []string{"%s gratuits"},
		author:    []string{"%s de %s"},
		notAuthor: []string{"%s sur %s, pas de %s"},
		three:     []string{"trois %s sur %s"},
		howMuch:   []string{"combien coûte %s"},
		when:      []string{"c'est quand, %s"},
		versus:    []string{"comparer %s et %s"},
		andPlace:  []string{"et à %s ?"},
		andUnder:  []string{"moins de %s seulement"},
		andRated:  []string{"au moins %s étoiles"},
		notHere:   []string{"mais pas à %s"},
		titles: map[string][]string{
			"Book": {"L'art patient : %s", "%s pour débutants"}, "Course": {"Initiation : %s", "%s pas à pas"},
			"Event": {"Soirée %s", "Fête : %s"}, "Article": {"Pourquoi revient-on à ceci : %s", "%s dans notre rue"},
		},
	},
}

// inventor makes a site and questions about it. The same seed makes the same.
type inventor struct {
	*rand.Rand
	t         *testing.T
	objects   []map[string]any
	items     []any // the objects as a judge reads them
	questions []eval.Constrained
}

func pick[T any](v *inventor, all []T) T { return all[v.IntN(len(all))] }

// invent makes a site and its questions.
func invent(t *testing.T, seed uint64) *inventor {
	v := &inventor{Rand: rand.New(rand.NewPCG(seed, 29)), t: t}
	for _, lang := range tongues {
		for range 30 {
			v.book(lang)
			v.course(lang)
			v.event(lang)
			v.article(lang)
		}
		for range 20 {
			v.hotel(lang)
			v.restaurant(lang)
			v.job(lang)
		}
	}
	for _, lang := range tongues {
		v.ask(lang)
	}
	return v
}

func (v *inventor) add(kind string, lang tongue, name string, more map[string]any) {
	object := map[string]any{
		"@context": "https://schema.org", "@type": kind, "name": name, "inLanguage": lang.code,
		"url": fmt.Sprintf("https://invented.example/%s/%d", strings.ToLower(kind), len(v.objects)),
	}
	for member, value := range more {
		object[member] = value
	}
	text, err := json.Marshal(object)
	if err != nil {
		v.t.Fatal(err)
	}
	item, err := eval.Item(text)
	if err != nil {
		v.t.Fatal(err)
	}
	v.objects, v.items = append(v.objects, object), append(v.items, item)
}

// title names something about a topic; a number tells it from others of the name.
func (v *inventor) title(kind string, lang tongue) (name, topic string) {
	topic = pick(v, lang.topics)
	words := topic
	if lang.code == "en" {
		words = strings.ToUpper(topic[:1]) + topic[1:]
	}
	return fmt.Sprintf(pick(v, lang.titles[kind]), words) + fmt.Sprintf(" %d", 100+len(v.objects)), topic
}

// price ends in 50 cents, so that no limit that people say is met exactly.
func (v *inventor) price(lang tongue, from, to int) map[string]any {
	amount := fmt.Sprintf("%d.50", from+v.IntN(to-from))
	if v.IntN(3) == 0 {
		return map[string]any{"@type": "AggregateOffer", "lowPrice": amount, "priceCurrency": lang.currency}
	}
	return map[string]any{"@type": "Offer", "price": amount, "priceCurrency": lang.currency}
}

// rating is on a scale of five, or of ten.
func (v *inventor) rating() map[string]any {
	tenths := 30 + v.IntN(20)
	if v.IntN(4) == 0 {
		return map[string]any{"@type": "AggregateRating", "ratingValue": fmt.Sprintf("%.1f", float64(tenths)/5),
			"bestRating": "10", "ratingCount": 1 + v.IntN(300)}
	}
	return map[string]any{"@type": "AggregateRating", "ratingValue": float64(tenths) / 10, "bestRating": 5,
		"ratingCount": 1 + v.IntN(300)}
}

func (v *inventor) day(from time.Time, days int) string {
	return from.AddDate(0, 0, v.IntN(days)).Format(time.DateOnly)
}

func address(city string) map[string]any {
	return map[string]any{"@type": "PostalAddress", "addressLocality": city}
}

func person(name string) map[string]any { return map[string]any{"@type": "Person", "name": name} }

func (v *inventor) book(lang tongue) {
	name, topic := v.title("Book", lang)
	v.add("Book", lang, name, map[string]any{
		"author": person(pick(v, lang.names)), "about": topic, "numberOfPages": 90 + v.IntN(500),
		"offers": v.price(lang, 6, 60), "datePublished": v.day(time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC), 4200),
		"aggregateRating": v.rating(),
	})
}

func (v *inventor) course(lang tongue) {
	name, topic := v.title("Course", lang)
	v.add("Course", lang, name, map[string]any{
		"about": topic, "timeRequired": fmt.Sprintf("PT%dH30M", 2+v.IntN(40)), "offers": v.price(lang, 20, 400),
		"provider": map[string]any{"@type": "Organization", "name": "School of " + pick(v, lang.cities)},
	})
}

func (v *inventor) event(lang tongue) {
	name, topic := v.title("Event", lang)
	offer, free := v.price(lang, 5, 80), v.IntN(5) == 0
	if free {
		offer = map[string]any{"@type": "Offer", "price": "0", "priceCurrency": lang.currency}
	}
	v.add(pick(v, []string{"Event", "MusicEvent", "EducationEvent", "Festival"}), lang, name, map[string]any{
		"about": topic, "startDate": v.day(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), 240) + "T19:30:00+01:00",
		"offers": offer, "isAccessibleForFree": free,
		"location": map[string]any{"@type": "Place", "name": pick(v, []string{"Halle", "Atelier", "Forum"}),
			"address": address(pick(v, lang.cities))},
	})
}

func (v *inventor) article(lang tongue) {
	name, topic := v.title("Article", lang)
	v.add("Article", lang, name, map[string]any{
		"keywords": []string{topic}, "author": person(pick(v, lang.names)),
		"datePublished": v.day(time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC), 1750),
	})
}

func (v *inventor) hotel(lang tongue) {
	city := pick(v, lang.cities)
	name := fmt.Sprintf("%s %s %d", pick(v, []string{"Hotel Aurora", "Hotel Meridian", "Pension Quay", "Hotel Linde"}),
		city, 100+len(v.objects))
	v.add("Hotel", lang, name, map[string]any{"address": address(city), "offers": v.price(lang, 50, 260),
		"aggregateRating": v.rating(), "petsAllowed": v.IntN(2) == 0})
}

func (v *inventor) restaurant(lang tongue) {
	city := pick(v, lang.cities)
	name := fmt.Sprintf("%s %d", pick(v, []string{"Copper Spoon", "Zum Anker", "La Lanterne", "Olive & Thyme"}),
		100+len(v.objects))
	v.add("Restaurant", lang, name, map[string]any{
		"address": address(city), "servesCuisine": pick(v, []string{"Italian", "Thai", "Lebanese", "Mexican"}),
		"aggregateRating": v.rating(),
	})
}

func (v *inventor) job(lang tongue) {
	city := pick(v, lang.cities)
	name := fmt.Sprintf("%s %d", pick(v, []string{"Boat Builder", "Archivist", "Network Engineer", "Pastry Chef"}),
		100+len(v.objects))
	v.add("JobPosting", lang, name, map[string]any{
		"jobLocation":        map[string]any{"@type": "Place", "address": address(city)},
		"datePosted":         v.day(time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC), 80),
		"employmentType":     pick(v, []string{"FULL_TIME", "PART_TIME"}),
		"hiringOrganization": map[string]any{"@type": "Organization", "name": "Works of " + city},
	})
}

// Conditions, as the judged files write them.

func all(c ...eval.Condition) eval.Condition { return eval.Condition{All: c} }
func not(c eval.Condition) eval.Condition    { return eval.Condition{Not: &c} }
func typed(kind string) eval.Condition {
	if kind == "Event" {
		return eval.Condition{Type: []string{"*Event", "Festival"}}
	}
	return eval.Condition{Type: []string{kind}}
}
func below(limit int, currency string) eval.Condition {
	n := float64(limit)
	return all(eval.Condition{At: []string{"offers.price", "offers.lowPrice"}, Under: &n},
		eval.Condition{At: []string{"offers.priceCurrency"}, Is: []string{currency}})
}
func within(city string) eval.Condition {
	return eval.Condition{At: []string{"address.addressLocality", "location.address.addressLocality",
		"jobLocation.address.addressLocality"}, Is: []string{city}}
}
func ratedFrom(stars float64) eval.Condition {
	five, ten, doubled := 5.0, 10.0, 2*stars
	value, best := []string{"aggregateRating.ratingValue"}, []string{"aggregateRating.bestRating"}
	return eval.Condition{Any: []eval.Condition{
		all(eval.Condition{At: best, Max: &five}, eval.Condition{At: value, Min: &stars}),
		all(eval.Condition{At: best, Min: &ten}, eval.Condition{At: value, Min: &doubled}),
	}}
}
func on(member, from, until string) eval.Condition {
	return eval.Condition{At: []string{member}, As: "date", From: from, Until: until}
}
func about(topic string) *eval.Condition {
	return &eval.Condition{At: []string{"name", "about", "keywords"}, Has: []string{topic}}
}
func writtenBy(name string) eval.Condition {
	return eval.Condition{At: []string{"author"}, Has: []string{name}}
}
func named(name any) eval.Condition {
	return eval.Condition{At: []string{"name"}, Is: []string{name.(string)}}
}

// try puts a question, if an item answers it and it was not put before, and tells whether.
func (v *inventor) try(q eval.Constrained) bool {
	same := func(before eval.Constrained) bool {
		return before.Text == q.Text && slices.Equal(before.Prev, q.Prev) && len(q.Filters) == 0
	}
	if slices.ContainsFunc(v.questions, same) {
		return false
	}
	for _, item := range v.items {
		if q.Want.Holds(item) && (q.About == nil || q.About.Holds(item)) {
			q.ID, q.Now = fmt.Sprintf("invented-%03d", len(v.questions)+1), asked
			v.questions = append(v.questions, q)
			return true
		}
	}
	return false
}

// some puts n questions that make invents, whose answers exist.
func (v *inventor) some(n int, make func() eval.Constrained) {
	v.t.Helper()
	for range 100 * n {
		if n > 0 && v.try(make()) {
			n--
		}
	}
	if n > 0 {
		v.t.Fatalf("for %d questions no answer was invented", n)
	}
}

// thing is an object of a type, of which details are asked.
func (v *inventor) thing(lang tongue, kinds ...string) map[string]any {
	for {
		object := pick(v, v.objects)
		for _, kind := range kinds {
			if object["@type"] == kind && object["inLanguage"] == lang.code {
				return object
			}
		}
	}
}

func (v *inventor) ask(lang tongue) {
	type question = eval.Constrained
	sum := func(n int) string { return fmt.Sprintf(pick(v, lang.money), n) }
	stars := func() (text string, n float64) {
		n = pick(v, []float64{3.5, 4, 4.5})
		text = strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
		if lang.code != "en" {
			text = strings.Replace(text, ".", ",", 1)
		}
		return text, n
	}
	v.some(4, func() question {
		kind, limit := pick(v, []string{"Book", "Course", "Event", "Hotel"}), pick(v, []int{15, 25, 40, 100, 150})
		return question{Kind: "price", Text: fmt.Sprintf(pick(v, lang.under), lang.many[kind], sum(limit)),
			Want: all(typed(kind), below(limit, lang.currency))}
	})
	v.some(4, func() question {
		kind, city := pick(v, []string{"Hotel", "Restaurant", "JobPosting", "Event"}), pick(v, lang.cities)
		return question{Kind: "place", Text: fmt.Sprintf(pick(v, lang.place), lang.many[kind], city),
			Want: all(typed(kind), within(city))}
	})
	v.some(2, func() question {
		kind, city := pick(v, []string{"Hotel", "Restaurant", "Event"}), pick(v, lang.cities)
		return question{Kind: "negation", Text: fmt.Sprintf(pick(v, lang.notPlace), lang.many[kind], city),
			Want: all(typed(kind), not(within(city)))}
	})
	v.some(2, func() question {
		topic, name := pick(v, lang.topics), pick(v, lang.names)
		kind := pick(v, []string{"Book", "Article"})
		text := fmt.Sprintf(pick(v, lang.notAuthor), lang.many[kind], topic, name)
		return question{Kind: "negation", Text: text, Want: all(typed(kind), not(writtenBy(name))), About: about(topic)}
	})
	v.some(3, func() question {
		kind := pick(v, []string{"Hotel", "Restaurant", "Book"})
		text, n := stars()
		return question{Kind: "rating", Text: fmt.Sprintf(pick(v, lang.rated), lang.many[kind], text),
			Want: all(typed(kind), ratedFrom(n))}
	})
	v.some(3, func() question {
		month := 1 + v.IntN(7)
		first := time.Date(2027, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
		want := all(typed("Event"),
			on("startDate", first.Format(time.DateOnly), first.AddDate(0, 1, -1).Format(time.DateOnly)))
		return question{Kind: "date", Text: fmt.Sprintf(pick(v, lang.month), lang.many["Event"], lang.months[month-1]),
			Want: want}
	})
	v.some(2, func() question {
		kind, year := pick(v, []string{"Book", "Article"}), 2023+v.IntN(3)
		return question{Kind: "date", Text: fmt.Sprintf(pick(v, lang.since), lang.many[kind], year),
			Want: all(typed(kind), on("datePublished", fmt.Sprint(year, "-01-01"), ""))}
	})
	v.some(2, func() question {
		pages := float64(150 + 100*v.IntN(3))
		want := all(typed("Book"), eval.Condition{At: []string{"numberOfPages"}, Under: &pages})
		return question{Kind: "quantity", Text: fmt.Sprintf(pick(v, lang.pages), lang.many["Book"], int(pages)),
			Want: want}
	})
	v.some(2, func() question {
		hours := 5 + 5*v.IntN(4)
		limit := float64(60 * hours)
		want := all(typed("Course"), eval.Condition{At: []string{"timeRequired"}, As: "minutes", Under: &limit})
		return question{Kind: "time", Text: fmt.Sprintf(pick(v, lang.hours), lang.many["Course"], hours), Want: want}
	})
	v.some(1, func() question {
		return question{Kind: "price", Text: fmt.Sprintf(pick(v, lang.free), lang.many["Event"]),
			Want: all(typed("Event"), eval.Condition{At: []string{"offers.price"}, Max: new(float64)})}
	})
	v.some(2, func() question {
		kind, name := pick(v, []string{"Book", "Article"}), pick(v, lang.names)
		return question{Kind: "words", Text: fmt.Sprintf(pick(v, lang.author), lang.many[kind], name),
			Want: all(typed(kind), writtenBy(name))}
	})
	v.some(2, func() question {
		kind, topic := pick(v, []string{"Book", "Course"}), pick(v, lang.topics)
		return question{Kind: "sort", Text: fmt.Sprintf(pick(v, lang.cheapest), lang.many[kind], topic),
			Want: typed(kind), About: about(topic),
			Order: &eval.Order{At: []string{"offers.price", "offers.lowPrice"}, By: "asc", Exact: true}}
	})
	v.some(2, func() question {
		kind, topic := pick(v, []string{"Article", "Book"}), pick(v, lang.topics)
		return question{Kind: "sort", Text: fmt.Sprintf(pick(v, lang.newest), lang.many[kind], topic),
			Want: typed(kind), About: about(topic),
			Order: &eval.Order{At: []string{"datePublished"}, By: "desc", Exact: true}}
	})
	v.some(1, func() question {
		kind, city := pick(v, []string{"Hotel", "Restaurant"}), pick(v, lang.cities)
		return question{Kind: "sort", Text: fmt.Sprintf(pick(v, lang.best), lang.many[kind], city),
			Want: all(typed(kind), within(city))}
	})
	v.some(1, func() question {
		kind, topic := pick(v, []string{"Book", "Article", "Course"}), pick(v, lang.topics)
		return question{Kind: "count", Text: fmt.Sprintf(pick(v, lang.three), lang.many[kind], topic),
			Want: typed(kind), About: about(topic), Count: 3}
	})
	v.some(2, func() question {
		object := v.thing(lang, "Book", "Course", "Hotel")
		return question{Kind: "detail", Text: fmt.Sprintf(pick(v, lang.howMuch), object["name"]),
			Want: named(object["name"]), First: 1}
	})
	v.some(1, func() question {
		object := v.thing(lang, "Event", "MusicEvent", "Festival")
		return question{Kind: "detail", Text: fmt.Sprintf(pick(v, lang.when), object["name"]),
			Want: named(object["name"]), First: 1}
	})
	v.some(1, func() question {
		a, b := v.thing(lang, "Hotel"), v.thing(lang, "Hotel")
		want := eval.Condition{Any: []eval.Condition{named(a["name"]), named(b["name"])}}
		return question{Kind: "compare", Text: fmt.Sprintf(pick(v, lang.versus), a["name"], b["name"]),
			Want: want, First: 2}
	})
	v.some(2, func() question {
		city, next, limit := lang.cities[0], pick(v, lang.cities[1:]), 120+20*v.IntN(4)
		before := fmt.Sprintf(lang.place[0], lang.many["Hotel"], city)
		if v.IntN(2) == 0 {
			return question{Kind: "followup", Prev: []string{before}, Text: fmt.Sprintf(pick(v, lang.andPlace), next),
				Want: all(typed("Hotel"), within(next))}
		}
		return question{Kind: "followup", Prev: []string{before}, Text: fmt.Sprintf(pick(v, lang.andUnder), sum(limit)),
			Want: all(typed("Hotel"), within(city), below(limit, lang.currency))}
	})
	v.some(2, func() question {
		city := pick(v, lang.cities)
		if v.IntN(2) == 0 {
			text, n := stars()
			return question{Kind: "followup", Prev: []string{fmt.Sprintf(lang.place[0], lang.many["Restaurant"], city)},
				Text: fmt.Sprintf(pick(v, lang.andRated), text),
				Want: all(typed("Restaurant"), within(city), ratedFrom(n))}
		}
		return question{Kind: "followup", Prev: []string{lang.many["Event"]},
			Text: fmt.Sprintf(pick(v, lang.notHere), city), Want: all(typed("Event"), not(within(city)))}
	})
	v.some(2, func() question {
		kind, topic := pick(v, []string{"Book", "Course", "Article"}), pick(v, lang.topics)
		return question{Kind: "spelling", Text: v.misspelt(topic) + " " + lang.many[kind], Want: typed(kind),
			About: about(topic)}
	})
	v.some(2, func() question {
		limit := pick(v, []int{30, 50, 100})
		kind := pick(v, []string{"Book", "Event", "Hotel"})
		price := map[string]any{"max": limit, "currency": lang.currency}
		return question{Kind: "attribute", Text: lang.many[kind], Filters: map[string]any{"price": price},
			Want: all(typed(kind), below(limit, lang.currency))}
	})
	v.some(1, func() question {
		name := pick(v, lang.names)
		return question{Kind: "attribute", Text: lang.many["Article"], Filters: map[string]any{"author": name},
			Want: all(typed("Article"), writtenBy(name))}
	})
}

// misspelt swaps two neighbouring letters of a word, leaves one out, or doubles one; never the
// first.
func (v *inventor) misspelt(word string) string {
	r := []rune(word)
	for {
		i := 2 + v.IntN(len(r)-3)
		var wrong string
		switch v.IntN(3) {
		case 0:
			wrong = string(r[:i-1]) + string(r[i]) + string(r[i-1]) + string(r[i+1:])
		case 1:
			wrong = string(r[:i]) + string(r[i+1:])
		default:
			wrong = string(r[:i]) + string(r[i]) + string(r[i:])
		}
		if wrong != word {
			return wrong
		}
	}
}
