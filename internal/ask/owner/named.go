package owner

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/practical"
	"frontdesk/internal/content"
)

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

// findDescribed finds the one place that says most of what the question is of, and has what is
// asked for: the pool of "when can I swim".
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

// byOthers answers from the properties of the places that are not the owner, where nothing else is
// named and they are few: the restaurant of a hotel that states no hours itself.
func (s *search) byOthers() (Answer, bool) {
	if !s.intent.Is("place") || !s.ofUs || len(s.named) > 0 {
		return Answer{}, false
	}
	var said []string
	a := Answer{}
	for i := range s.pages {
		if role := s.Directory.pages[i].role; role != organisation && role != place || !s.serves(i) ||
			s.strange(i) >= mostStrange {
			continue
		}
		if text, ok := s.tell(i); ok {
			said, a.Items, a.from = append(said, text), append(a.Items, i), i
		}
	}
	a.Text = strings.Join(said, " ")
	return a, len(said) > 0 && len(said) <= maxAnswers
}

// isWorded says whether some page that is called by what is asked has a sentence with most of the
// question's words.
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

// elsewhere says whether the question is of something that the owner says nothing of: other pages
// do, or nobody does and the question does not address the owner.
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
		if s.Directory.pages[i].role == job && s.serves(i) && s.pages[i].words > 0.3 &&
			(best < 0 || s.pages[i].words > s.pages[best].words) {
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

// state answers an intent of package facts from a page's properties. Of several days that are asked
// about, it tells the first that the properties know.
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

// owner is the organisation that the sites are of: that at the root, or that which a contact page
// is about, or the only one; -1 where none is sure, as where several sites are asked that have each
// their own.
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
