package owner

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/ask/choice"
	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/practical"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/vector/words"
)

// Question is a practical question.
type Question struct {
	Text     string
	Before   string // the question that it goes on with, whose words count too; empty for none
	Asked    practical.Asked
	Language string    // of the asker
	Now      time.Time // in the place's own zone
	Sites    []string  // ids of those that are asked; nil for all
}

// Answer is what is said to a question.
type Answer struct {
	Text  string // one or two sentences; empty where the pages may answer, and no sentence of theirs does for sure
	Items []int  // the pages that answer, the best first

	By   choice.Reading // the evidence for it
	from int            // the page that the text is from
}

// evidence is that for an answer from a page that fits so well.
func (s *search) evidence(i int, fits float64) choice.Reading {
	return choice.Reading{
		Route: choice.Owner, Sure: s.Asked.Practical, Kin: s.Asked.KinSure(), Fits: min(fits, 1), Explained: 1 - s.strange(i),
		Called: min(s.pages[i].called, 1) * (1 - s.narrow(i)),
	}
}

// The weights by which pages and sentences are found, and what an answer has to have.
const (
	byTitle    = 1.6  // how well the page's title fits what is asked
	byPage     = 1.0  // the share of the question's words that the page has
	byAlike    = 0.5  // how alike what the page's name means is to what is asked
	bySentence = 0.8  // that the sentence has
	byQuestion = 0.5  // that stands in a question that is answered
	byIntent   = 0.3  // how well it fits what is asked
	byMeaning  = 0.6  // how alike what it means is to what is asked
	byValue    = 0.35 // it has a value of the kind that is asked for
	byName     = 0.45 // it names the same people or things
	even       = 0.15 // how much worse a sentence may be that is quoted beside another
	byCountry  = 1.2
	byDay      = 0.9

	titleFits     = 0.30 // from which a page is on what is asked
	titlePlain    = 0.70 // from which it is shown beside another
	titleSure     = 0.55
	questionFits  = 0.45 // the share of the words from which a question is answered by one that has them
	leastSure     = 0.4  // from which a property is told
	mostSure      = 0.8  // from which an intent needs no more
	mostStrange   = 0.5  // the share of the subject that a page may say nothing of
	littleStrange = 0.2
	wordsFit      = 0.60 // the share of the words from which a page is on it
	nameFits      = 0.60 // from which an answered question is the one that is asked, if it is a practical one
	nameSure      = 0.72 // if it may be any
	byWordless    = 0.1  // how much less sure it is where no word is the same
	maxAnswers    = 3    // pages that are shown
	maxRated      = 40   // whose sentences are looked at
)

// search is the work on one question.
type search struct {
	*Directory
	Question
	intent practical.Intent
	pages  []scored // by page
	means  words.Vector
	worded map[string]wording // of the question, by language

	namesCountry bool  // some page has a sentence on the country that is asked for
	named        []int // the places and people that the question names, the best first
	ofUs         bool  // no other place than the owner's is named
}

// scored is how well a page fits.
type scored struct {
	fit     float64 // of the title
	inName  float64 // the share of the subject's words that is in the name
	words   float64 // the share of the question's words that is in the page
	called  float64 // in its name
	alike   float64 // how alike what its name means is
	subject float64 // the share of the subject's words: those that are not by which anybody asks for the intent
	in      map[int32]float64
}

// Answer answers a question; false where nothing here does.
func (d *Directory) Answer(q Question) (Answer, bool) {
	s := &search{Directory: d, Question: q, intent: practical.IntentOf(q.Asked.Intent)}
	s.means = meaningOf(strings.TrimSpace(q.Before + " " + q.Text))()
	s.score()
	s.findNamed()
	if a, ok := s.byProperty(); ok {
		a.By = s.evidence(a.from, q.Asked.Sure())
		a.By.Property = 1
		return a, true
	}
	if i, sure := s.asked(); sure >= nameFits {
		return Answer{Text: s.quote(i, 0), Items: s.with(i), By: s.evidence(i, sure)}, true
	}
	return s.byText()
}

// AnswerSame answers a question of any kind by an answered one of the same meaning; false where none is for sure.
func (d *Directory) AnswerSame(q Question) (Answer, bool) {
	s := &search{Directory: d, Question: q, intent: practical.IntentOf(q.Asked.Intent)}
	s.means = meaningOf(q.Text)()
	s.score()
	i, sure := s.asked()
	if sure < nameSure {
		return Answer{}, false
	}
	return Answer{Text: s.quote(i, 0), Items: []int{i}, By: s.evidence(i, sure)}, true
}

// asked is the answered question that means most what is asked, and how sure it is that this is the same: 0 to 1. In one
// language both have to have most words of the other; between two, no other question may be nearly as alike.
func (s *search) asked() (best int, sure float64) {
	const margin = 0.08
	next := 0.0
	for i := range s.pages {
		p, page := &s.pages[i], &s.Directory.pages[i]
		if p.alike < leastSure || !s.serves(i) || len(page.sentences) == 0 || !content.IsA(page.Type, "Question") {
			continue
		}
		alike := p.alike
		if !s.foreign(i) && s.Asked.Language != "ja" {
			alike = (alike + min(p.called, 1-s.narrow(i))) / 2
		} else {
			alike -= byWordless
		}
		if alike > sure {
			best, sure, next = i, alike, sure
		} else {
			next = max(next, alike)
		}
	}
	if sure-next < margin {
		return best, 0
	}
	return best, sure
}

// serves says whether a page is of a site that is asked.
func (s *search) serves(p int) bool {
	return s.Sites == nil || slices.Contains(s.Sites, s.Directory.pages[p].Site)
}

// score finds the question's words in all pages.
func (s *search) score() {
	s.pages = make([]scored, len(s.Directory.pages))
	for i := range s.pages {
		s.pages[i].fit = practical.Fit(s.Asked.Weights, s.Directory.pages[i].title)
		s.pages[i].alike = words.Cosine(s.means, s.Directory.pages[i].meaning())
	}
	for _, language := range s.languages {
		terms, whole, subject := s.terms(language)
		for term, of := range terms {
			last := int32(-1)
			named := false // the word is in the page's name
			for _, at := range s.postings[language+" "+term] {
				p := &s.pages[at.page]
				if at.page != last {
					named = false
					p.words += of.weight / whole
					if of.subject {
						p.subject += of.weight / subject
					}
				}
				last = at.page
				if at.sentence == inName {
					named = true
					p.called += of.weight / whole
					if of.subject {
						p.inName += of.weight / subject
					}
					continue
				}
				if p.in == nil {
					p.in = map[int32]float64{}
				}
				share := of.weight / whole
				if named { // all of the page is on it
					share /= 3
				}
				if !of.subject { // as well all of those on what is asked
					share /= 1.5
				}
				p.in[at.sentence] += share
			}
		}
	}
}

// term is a word of the question as it is looked up.
type term struct {
	weight  float64
	subject bool // it is none by which the intent is asked for
}

// wording is the words of the question that say what is asked of, as a language has them, with the sum of their weights and
// that of the subject's.
type wording struct {
	terms          map[string]term
	whole, subject float64
}

// terms is the question's wording in a language. Words of the question before count half.
func (s *search) terms(language string) (map[string]term, float64, float64) {
	made, known := s.worded[language]
	if !known {
		made.terms, made.whole, made.subject = s.read(language)
		if s.worded == nil {
			s.worded = map[string]wording{}
		}
		s.worded[language] = made
	}
	return made.terms, made.whole, made.subject
}

func (s *search) read(language string) (terms map[string]term, whole, subject float64) {
	terms = map[string]term{}
	for i, text := range []string{s.Asked.Rest, s.Before} {
		for word := range analyzer().Words(text, language) {
			folded := facets.Fold(text[word.Start:word.End])
			if s.Asked.Common(folded) || folded == "" {
				continue
			}
			weight := s.weight(len(s.postings[language+" "+word.Term]))
			if i > 0 {
				weight /= 2
			}
			if old, known := terms[word.Term]; !known || weight > old.weight {
				terms[word.Term] = term{weight, !s.Asked.Usual(folded) && !slices.ContainsFunc(practical.NamesOf(folded), dated)}
			}
		}
	}
	for _, t := range terms {
		whole += t.weight
		if t.subject {
			subject += t.weight
		}
	}
	return terms, whole, subject
}

// dated says whether a name of [words] is read as more than words: a day, a country, how something is asked.
func dated(name string) bool {
	switch name {
	case "place", "yes", "no", "child", "student", "senior", "adult", "family", "group", "disabled", "dog", "free", "unit-time", "percent", "onward",
		"elsewhere", "europe":
		return false
	}
	return true
}

// strange is the share of the question that a page says nothing of: words that are in none of its sentences, and are not
// those by which anybody asks practical questions.
func (s *search) strange(i int) float64 {
	language := s.Directory.pages[i].Language
	if s.Asked.Language == "ja" { // whose words cannot be told apart
		return 0
	}
	terms, whole, _ := s.terms(language)
	missing := 0.0
	for field := range strings.FieldsSeq(s.Asked.Rest) {
		if folded := facets.Fold(field); s.Asked.IsPractical(folded) || slices.ContainsFunc(practical.NamesOf(folded), told) {
			continue
		}
		for word := range analyzer().Words(field, language) {
			t := terms[word.Term]
			if t.subject && !slices.ContainsFunc(s.postings[language+" "+word.Term], func(at posting) bool { return int(at.page) == i }) {
				missing += t.weight
			}
		}
	}
	return missing / max(whole, 0.01)
}

// told says whether a name of [words] is one of people or animals, which a page may call otherwise.
func told(name string) bool {
	return name == "place" || telling(name)
}

// findNamed finds the places and people that are named.
func (s *search) findNamed() {
	const enough = 0.5
	s.ofUs = true
	best := map[int]float64{}
	for i := range s.pages {
		p, found := &s.Directory.pages[i], 0.0
		if !s.serves(i) {
			continue
		}
		for _, named := range s.Asked.Places {
			switch {
			case content.IsA(p.Type, named.Type) && generic(named.Type):
			case content.IsA(p.Type, named.Type), named.Type != "" && nameHas(p, named):
				found = max(found, 1)
			}
		}
		switch {
		case p.role == person && s.intent.Is("person") && s.pages[i].subject >= enough:
			found += 1 + s.pages[i].subject
		case p.role == person:
			found = 0
		case p.role == organisation || p.role == place:
			found += s.pages[i].inName
		case found > 0:
			found += s.pages[i].inName - 0.4 // a page on a place is not the place
		}
		if found >= enough {
			best[i] = found
		}
	}
	us := s.owner()
	for i := range best {
		if i != us {
			s.named = append(s.named, i)
		}
	}
	if len(best) == 0 && s.intent.Is("place") && len(s.Asked.Places) == 0 {
		s.findDescribed(best, us)
	}
	slices.SortFunc(s.named, func(a, b int) int { return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(a, b)) })
	for _, named := range s.Asked.Places {
		s.ofUs = s.ofUs && (generic(named.Type) || us >= 0 && content.IsA(s.Directory.pages[us].Type, named.Type))
	}
}

// findDescribed finds the one place that says most of what the question is of, and has what is asked for: the pool of "when
// can I swim".
func (s *search) findDescribed(best map[int]float64, us int) {
	for i := range s.pages {
		role := s.Directory.pages[i].role
		if role != organisation && role != place || !s.serves(i) || s.pages[i].subject < wordsFit || i == us {
			continue
		}
		if _, ok := s.tell(i); ok {
			best[i] = s.pages[i].subject
		}
	}
	if len(best) == 1 {
		for i := range best {
			s.named = append(s.named, i)
		}
	}
}

// generic says whether a word for a type of place may mean whoever is asked.
func generic(typ string) bool {
	switch typ {
	case "Store", "LocalBusiness", "GovernmentOrganization", "ParkingFacility":
		return true
	}
	return false
}

// nameHas says whether a page is called by a kind of place, by a word of its own language for it.
func nameHas(p *page, named practical.Place) bool {
	if p.role == job || generic(named.Type) {
		return false
	}
	return slices.ContainsFunc(p.places(), func(own practical.Place) bool { return own.Type == named.Type })
}

// byProperty answers from the properties of what is named, or else of the owner.
func (s *search) byProperty() (Answer, bool) {
	if len(s.intent.Facts) == 0 || s.Asked.Sure() < leastSure {
		return Answer{}, false
	}
	if s.intent.Is("eat") && len(s.Asked.Days) > 0 {
		if a, ok := s.ofMeals(); ok {
			return a, true
		}
	}
	for _, i := range s.named {
		if text, ok := s.tell(i); ok {
			return Answer{Text: text, Items: s.with(i), from: i}, true
		}
	}
	if s.intent.Is("work") {
		return s.ofJobs()
	}
	if i := s.owner(); i >= 0 && !(s.intent.Is("place") && (!s.ofUs || s.elsewhere(i))) {
		if text, ok := s.tell(i); ok && !(s.intent.Is("words") && s.isWorded()) {
			return Answer{Text: text, Items: s.with(i), from: i}, true
		}
	}
	return s.byOthers()
}

// byOthers answers from the properties of the places that are not the owner, where nothing else is named and they are few:
// the restaurant of a hotel that states no hours itself.
func (s *search) byOthers() (Answer, bool) {
	if !s.intent.Is("place") || !s.ofUs || len(s.named) > 0 {
		return Answer{}, false
	}
	var said []string
	a := Answer{}
	for i := range s.pages {
		if role := s.Directory.pages[i].role; role != organisation && role != place || !s.serves(i) || s.strange(i) >= mostStrange {
			continue
		}
		if text, ok := s.tell(i); ok {
			said, a.Items, a.from = append(said, text), append(a.Items, i), i
		}
	}
	a.Text = strings.Join(said, " ")
	return a, len(said) > 0 && len(said) <= maxAnswers
}

// isWorded says whether some page that is called by what is asked has a sentence with most of the question's words.
func (s *search) isWorded() bool {
	for i := range s.pages {
		p := &s.pages[i]
		if p.fit < titleSure || !s.serves(i) {
			continue
		}
		for _, share := range p.in {
			if share >= wordsFit {
				return true
			}
		}
	}
	return false
}

// elsewhere says whether the question is of something that the owner says nothing of: other pages do, or nobody does and
// the question does not address the owner.
func (s *search) elsewhere(i int) bool {
	strange := s.strange(i)
	if !s.Asked.Has("you") {
		return strange > littleStrange
	}
	if strange < mostStrange {
		return false
	}
	for other := range s.pages {
		if s.serves(other) && s.pages[other].subject > 0 {
			return true
		}
	}
	return false
}

// ofMeals says whether the only place to eat is open on the day that is asked about.
func (s *search) ofMeals() (Answer, bool) {
	at := -1
	for i := range s.pages {
		if !s.serves(i) || !content.IsA(s.Directory.pages[i].Type, "FoodEstablishment") {
			continue
		}
		if at >= 0 {
			return Answer{}, false
		}
		at = i
	}
	if at < 0 {
		return Answer{}, false
	}
	text, ok := s.state(at, "open")
	return Answer{Text: text, Items: []int{at}, from: at}, ok
}

// ofJobs answers from the jobs on offer that have most of the question's words.
func (s *search) ofJobs() (Answer, bool) {
	best := -1
	for i := range s.pages {
		if s.Directory.pages[i].role == job && s.serves(i) && s.pages[i].words > 0.3 && (best < 0 || s.pages[i].words > s.pages[best].words) {
			best = i
		}
	}
	if best < 0 {
		return Answer{}, false
	}
	text, ok := s.tell(best)
	return Answer{Text: text, Items: []int{best}, from: best}, ok
}

// tell is what a page's properties say.
func (s *search) tell(i int) (string, bool) {
	var said []string
	for _, intent := range s.intent.Facts {
		if intent == "hours" {
			intent = s.Asked.Hours()
		}
		if text, ok := s.state(i, intent); ok {
			said = append(said, text)
		}
	}
	return strings.Join(said, " "), len(said) > 0
}

// state answers an intent of package facts from a page's properties. Of several days that are asked about, it tells the
// first that the properties know.
func (s *search) state(i int, intent string) (string, bool) {
	q := facts.Question{Language: s.Language, Intent: intent, Now: s.Now}
	if len(s.Asked.Countries) > 0 {
		q.Country = s.Asked.Countries[0]
	}
	for n := range max(1, len(s.Asked.Days)) {
		if len(s.Asked.Days) > 0 {
			q.When = s.Asked.Days[n]
		}
		if a, ok := q.Answer(s.Directory.pages[i].object()); ok {
			return a.Text, true
		}
	}
	return "", false
}

// with are the pages that are shown for an answer of one page: those that are called by what is asked come first, unless the
// question names that one.
func (s *search) with(i int) []int {
	items := []int{i}
	for _, other := range s.ranked() {
		if other == i || len(items) == maxAnswers || s.pages[other].fit < titlePlain || s.Directory.pages[other].role != 0 {
			continue
		}
		items = append(items, other)
	}
	if len(items) > 1 && !slices.Contains(s.named, i) {
		items = append(items[1:], i)
	}
	return items
}

// owner is the organisation that the sites are of: that at the root, or that which a contact page is about, or the only one;
// -1 where none is sure, as where several sites are asked that have each their own.
func (s *search) owner() int {
	best, rank, even := -1, 0, false
	for i := range s.Directory.pages {
		if !s.serves(i) {
			continue
		}
		p, r := &s.Directory.pages[i], 0
		owns := p.role == organisation || p.role == place
		switch {
		case owns && isRoot(p.URL):
			r = 4
		case content.IsA(p.Type, "ContactPage"), content.IsA(p.Type, "AboutPage"):
			r = 2
			if len(s.intent.Facts) > 0 {
				if _, ok := s.tell(i); ok {
					r = 3
				}
			}
		case owns && p.role == organisation:
			r = 1
		}
		switch {
		case r > rank:
			best, rank, even = i, r, false
		case r > 0 && r == rank:
			even = true
		}
	}
	if even && rank != 2 {
		return -1
	}
	return best
}

// ranked are the pages, the best fitting first.
func (s *search) ranked() []int {
	order := make([]int, 0, len(s.pages))
	for i := range s.pages {
		if s.serves(i) && s.pages[i].fit+s.pages[i].words > 0.1 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(s.title(b), s.title(a)), cmp.Compare(a, b)) })
	return order
}

// title is how well a page fits by what it is called and the words in it.
func (s *search) title(i int) float64 {
	p := &s.pages[i]
	return byTitle*p.fit*(1-0.6*s.narrow(i)) + byPage*p.words + byAlike*p.alike
}

// narrow is the share of a question's name that the question here does not ask, nor anybody who asks for the same: a place
// to leave the pram is none to park.
func (s *search) narrow(i int) float64 {
	p := &s.Directory.pages[i]
	if !content.IsA(p.Type, "Question") || s.foreign(i) || s.Asked.Language == "ja" {
		return 0
	}
	terms, _, _ := s.terms(p.Language)
	missing, whole := 0.0, 0.01
	for word := range analyzer().Words(p.Name, p.Language) {
		folded := facets.Fold(p.Name[word.Start:word.End])
		if s.Asked.Common(folded) {
			continue
		}
		weight := s.weight(len(s.postings[p.Language+" "+word.Term]))
		whole += weight
		if _, asked := terms[word.Term]; !asked && !s.Asked.Usual(folded) && !slices.ContainsFunc(practical.NamesOf(folded), s.Asked.Has) {
			missing += weight
		}
	}
	return missing / whole
}

// byText answers with the sentence of a page.
func (s *search) byText() (Answer, bool) {
	type candidate struct {
		page, sentence int
		score          float64
	}
	ranked := s.ranked()
	s.namesCountry = len(s.Asked.Countries) > 0 && slices.ContainsFunc(ranked[:min(len(ranked), maxRated)], func(i int) bool {
		return slices.ContainsFunc(s.Directory.pages[i].sentences, s.onCountry)
	})
	var best []candidate // of each page
	for _, i := range append(slices.Clip(ranked), s.named...) {
		p := &s.Directory.pages[i]
		if p.role == person || !s.tellsCountry(i) || !slices.Contains(s.named, i) && (len(best) >= maxRated || !s.fits(i)) ||
			slices.ContainsFunc(best, func(c candidate) bool { return c.page == i }) {
			continue
		}
		top := candidate{page: i, sentence: -1, score: -1}
		for n := range p.sentences {
			if score := s.rate(i, n); score > top.score {
				top.sentence, top.score = n, score
			}
		}
		top.score += s.title(i)
		if slices.Contains(s.named, i) && p.role != other {
			top.score++
		}
		if content.IsA(p.Type, "Question") {
			top.score += byQuestion * s.pages[i].called
		}
		best = append(best, top)
	}
	if len(best) == 0 {
		return Answer{}, false
	}
	slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	if s.pages[best[0].page].words < littleStrange && s.others(best[0].page) {
		return Answer{}, false
	}
	answer := Answer{By: s.evidence(best[0].page, s.pages[best[0].page].fit)}
	for _, c := range best[:min(len(best), maxAnswers)] {
		if c.score >= 0.6*best[0].score {
			answer.Items = append(answer.Items, c.page)
		}
	}
	if first := best[0]; first.sentence >= 0 {
		answer.Text = s.quote(first.page, first.sentence)
	}
	return answer, true
}

// others says whether another page is called by most of the question's words.
func (s *search) others(but int) bool {
	for i := range s.pages {
		if i != but && s.serves(i) && s.pages[i].called >= wordsFit {
			return true
		}
	}
	return false
}

// fits says whether a page is on what is asked, by its title or its words.
func (s *search) fits(i int) bool {
	p := &s.pages[i]
	if role := s.Directory.pages[i].role; role == organisation || role == place {
		return s.intent.Name == "about" && i == s.owner()
	}
	if s.intent.Is("place") && !s.ofUs && p.subject < wordsFit {
		return false
	}
	if content.IsA(s.Directory.pages[i].Type, "Question") && p.called >= questionFits {
		return true
	}
	sure := s.Asked.KinSure()
	switch {
	case s.foreign(i):
		return p.fit >= titleFits && sure >= leastSure
	case s.strange(i) >= mostStrange:
		return p.fit >= titleSure && sure >= titleSure && (s.Asked.Has("you") || sure >= mostSure)
	}
	return p.fit >= titleFits || p.words >= wordsFit && p.fit >= 0.05
}

// foreign says whether a page is in another language than the question.
func (s *search) foreign(i int) bool {
	return base(s.Asked.Language) != base(s.Directory.pages[i].Language)
}

// base is a language without its region.
func base(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
	return tag
}

// rate says how well a sentence answers.
func (s *search) rate(page, n int) float64 {
	one := &s.Directory.pages[page].sentences[n]
	score := bySentence*s.pages[page].in[int32(n)] - 0.02*float64(n)
	fit := byIntent * practical.Fit(s.Asked.Weights, one.weights())
	if !s.foreign(page) { // where words tell more
		fit /= 2
	}
	score += fit + byMeaning*words.Cosine(s.means, one.meaning())
	if asks(one.text) {
		score -= byName
	}
	for _, kind := range one.values() {
		switch {
		case kind == "money" && s.Asked.Has("how-much"), kind == "span" && s.Asked.Has("how-long"):
			score += byValue
		case slices.Contains(s.intent.Values, kind):
			score += byValue / 3
		}
	}
	for _, name := range s.Asked.Names {
		if telling(name) && slices.Contains(one.names(), name) {
			score += byName
		}
	}
	score += s.rateGroups(one)
	if s.Asked.Holiday != "" && slices.Contains(one.names(), s.Asked.Holiday) {
		score += byDay
	}
	return score + s.rateCountry(one)
}

// tellsCountry says whether a page says something of the country that is asked for: it names it, what it belongs to, or
// which ones there are.
func (s *search) tellsCountry(i int) bool {
	return len(s.Asked.Countries) == 0 || slices.ContainsFunc(s.Directory.pages[i].sentences, func(one sentence) bool {
		return len(one.countries()) > 0 || slices.ContainsFunc(one.names(), func(name string) bool { return name == "elsewhere" || name == "europe" })
	})
}

// telling says whether a name of [words] is one by which a sentence is told from others: people, animals, days.
func telling(name string) bool {
	switch name {
	case "child", "student", "senior", "adult", "family", "group", "disabled", "dog", "free", "monday", "tuesday", "wednesday", "thursday",
		"friday", "saturday", "sunday":
		return true
	}
	return false
}

// grouping says whether a name of [words] is one of people that an answer may be for.
func grouping(name string) bool {
	switch name {
	case "child", "student", "senior", "family", "group", "disabled":
		return true
	}
	return false
}

// rateGroups says how well a sentence is on the people that are asked for: where none are, on what holds for anybody.
func (s *search) rateGroups(one *sentence) (score float64) {
	const weight = byName / 2.5
	if slices.Contains(one.names(), "adult") && !slices.ContainsFunc(s.Asked.Names, grouping) {
		return weight
	}
	for _, name := range one.names() {
		if grouping(name) && !slices.Contains(s.Asked.Names, name) {
			score -= weight
		}
	}
	return score
}

// onCountry says whether a sentence is on the country that is asked for, by its name or as one of others.
func (s *search) onCountry(one sentence) bool {
	european := facts.European(s.Asked.Countries[0])
	return slices.Contains(one.countries(), s.Asked.Countries[0]) ||
		slices.ContainsFunc(one.names(), func(name string) bool { return name == "elsewhere" || european && name == "europe" })
}

// rateCountry says how well a sentence is on the country that is asked for.
func (s *search) rateCountry(one *sentence) float64 {
	if len(s.Asked.Countries) == 0 {
		return 0
	}
	country := s.Asked.Countries[0]
	switch european := facts.European(country); {
	case slices.Contains(one.countries(), country):
		return byCountry
	case european && slices.Contains(one.names(), "europe"):
		return byCountry / 2
	case !european && slices.Contains(one.names(), "elsewhere"):
		return byCountry / 2
	case slices.Contains(one.names(), "elsewhere"):
		return byCountry / 4
	case len(one.countries()) > 0 && s.namesCountry:
		return -byCountry / 3
	case len(one.countries()) > 0: // those that there are
		return byCountry / 4
	}
	return 0
}

// quote is the sentence that answers, and with it the rest of a short answer to a question, what follows a sentence that
// asks, and the sentence beside it that answers about as well.
func (s *search) quote(page, n int) string {
	p := &s.Directory.pages[page]
	from, to := n, n+1
	beside := func(other int) bool {
		return other >= 0 && other < len(p.sentences) && s.rate(page, n)-s.rate(page, other) < even
	}
	switch {
	case content.IsA(p.Type, "Question"):
		from, to = 0, len(p.sentences)
	case asks(p.sentences[n].text) && to < len(p.sentences), beside(n+1) && !(beside(n-1) && s.rate(page, n-1) > s.rate(page, n+1)):
		to++
	case beside(n - 1):
		from--
	}
	var said []string
	for _, one := range p.sentences[from:to] {
		said = append(said, one.text)
	}
	if text := strings.Join(said, " "); utf8.RuneCountInString(text) <= maxRunes {
		return text
	}
	return clip(p.sentences[n].text)
}

// asks says whether a sentence is a question.
func asks(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return last == '?' || last == '？'
}

// clip cuts a text to what is told of it.
func clip(text string) string {
	if utf8.RuneCountInString(text) <= maxRunes {
		return text
	}
	cut := string([]rune(text)[:maxRunes])
	if at := strings.LastIndexByte(cut, ' '); at > maxRunes/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
