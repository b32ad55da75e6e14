package owner

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask/choice"
	"frontdesk/internal/ask/details"
	"frontdesk/internal/ask/practical"
	"frontdesk/internal/content"
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
		Route: choice.Owner, Sure: s.Asked.Practical, Kin: s.Asked.KinSure(), Fits: min(fits, 1),
		Explained: 1 - s.strange(i), Called: min(s.pages[i].called, 1) * (1 - s.narrow(i)),
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
	fewWords   = 3    // between the words of a sentence that says little
	even       = 0.4  // how much worse a sentence may be that is quoted beside another
	byCountry  = 1.2
	byDay      = 0.9

	titleFits     = 0.30 // from which a page is on what is asked,
	titleNear     = 0.20 // and where none is, but it is sure what that is
	titlePlain    = 0.70 // from which it is shown beside another
	titleSure     = 0.55
	sentenceFits  = 0.5  // from which a sentence is on what is asked,
	leastSaid     = 0.15 // if it has this share of the question's words
	questionFits  = 0.45 // the share of the words from which a question is answered by one that has them
	leastSure     = 0.4  // from which a property is told
	mostSure      = 0.8  // from which an intent needs no more
	mostStrange   = 0.5  // the share of the subject that a page may say nothing of
	littleStrange = 0.2
	leastBeside   = 0.25 // of the question's words that a sentence has which is told beside a property,
	mostBeside    = 0.5  // and of its subject's that the page has
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

	namesCountry bool    // some page has a sentence on the country that is asked for
	leastFit     float64 // from which a page is on what is asked
	named        []int   // the places and people that the question names, the best first
	ofUs         bool    // no other place than the owner's is named
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
		if page, n := s.beside(a); page >= 0 {
			a.Text += " " + s.quote(page, n)
			if !slices.Contains(a.Items, page) {
				a.Items = slices.Insert(a.Items, 1, page)
			}
		}
		a.By = s.evidence(a.from, q.Asked.Sure())
		a.By.Property = 1
		return a, true
	}
	if i, sure := s.asked(); sure >= nameFits {
		items := append([]int{i}, slices.DeleteFunc(s.with(i), func(other int) bool { return other == i })...)
		return Answer{Text: s.quote(i, 0), Items: items, By: s.evidence(i, sure)}, true
	}
	return s.byText()
}

// AnswerSame answers a question of any kind by an answered one of the same meaning; false where
// none is for sure.
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

// beside is the sentence that is told behind a property, of the page that says most of the
// question's subject, or what it costs where that is asked: how high a van may be, where the
// property says that there is a car park. It is -1, 0 where the property says all.
func (s *search) beside(told Answer) (page, sentence int) {
	page, most := -1, leastBeside
	priced := s.Asked.Has("how-much") && !details.Has(told.Text, "money")
	for i := range s.pages {
		p, of := &s.pages[i], &s.Directory.pages[i]
		if i == told.from || of.role == person || of.role == organisation || of.role == place || !s.serves(i) {
			continue
		}
		for n := range of.sentences {
			share := p.in[int32(n)]
			switch {
			case priced && p.fit >= titleSure && slices.Contains(of.sentences[n].values(), "money"):
				share += p.fit
			case p.subject < mostBeside:
				continue
			}
			if share > most {
				page, sentence, most = i, n, share
			}
		}
	}
	return page, sentence
}

// asked is the answered question that means most what is asked, and how sure it is that this is the
// same: 0 to 1. In one language both have to have most words of the other; between two, no other
// question may be nearly as alike.
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
	s.leastFit = titleFits
	if s.Asked.KinSure() >= mostSure &&
		!slices.ContainsFunc(s.pages, func(p scored) bool { return p.fit >= titleFits }) {
		s.leastFit = titleNear
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

// with are the pages that are shown for an answer of one page: those that are called by what is
// asked come first, unless the question names that one.
func (s *search) with(i int) []int {
	items := []int{i}
	for _, other := range s.ranked() {
		if other == i || len(items) == maxAnswers || s.pages[other].fit < titlePlain ||
			s.Directory.pages[other].role != 0 {
			continue
		}
		items = append(items, other)
	}
	if len(items) > 1 && !slices.Contains(s.named, i) {
		items = append(items[1:], i)
	}
	return items
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

// byText answers with the sentence of a page.
func (s *search) byText() (Answer, bool) {
	type candidate struct {
		page, sentence int
		score          float64
	}
	ranked := s.ranked()
	s.namesCountry = len(s.Asked.Countries) > 0 &&
		slices.ContainsFunc(ranked[:min(len(ranked), maxRated)], func(i int) bool {
			return slices.ContainsFunc(s.Directory.pages[i].sentences, s.onCountry)
		})
	var best []candidate // of each page
	for _, i := range append(slices.Clip(ranked), s.named...) {
		p := &s.Directory.pages[i]
		if p.role == person || !s.tellsCountry(i) ||
			!slices.Contains(s.named, i) && (len(best) >= maxRated || !s.fits(i)) ||
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
	return p.fit >= s.leastFit || p.words >= wordsFit && p.fit >= 0.05 || s.says(i)
}

// says says whether a page that is called by something else has a sentence on what is asked, with
// words of the question.
func (s *search) says(i int) bool {
	for n, share := range s.pages[i].in {
		if share >= leastSaid &&
			practical.Fit(s.Asked.Weights, s.Directory.pages[i].sentences[n].weights()) >= sentenceFits {
			return true
		}
	}
	return false
}
