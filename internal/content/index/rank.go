package index

import (
	"cmp"
	"embed"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/content"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/infra/language"
)

// Among few items, what is found by words and what means about the same compete for the first
// places, by evidence of which the weights stand in rank.txt, a line "evidence weight". The command
// test/fit fits them by logistic regression on the everyday questions of many sites. That nothing
// answers competes, too, where words found nothing but the closest. Among many items words alone
// decide: there directions order worse.

//go:embed rank.txt
var rankFile embed.FS

const (
	maxRanked   = 10   // that are found by words, and as many by what they mean
	leastRanked = 0.15 // the cosine from which an item that shares no word competes
	unplaced    = -2.5 // the place of one that words did not find
)

// RankEvidence names the evidence for a candidate, in the order of its values. Those of none speak
// for it that nothing answers.
var RankEvidence = []string{
	"score", "closest", "place", "first", "meant", "meant-long", "named", "named-long", "none", "none-long",
	"said", "said-long", "owner", "clause", "clause-long", "faq", "faq-long",
}

var rankWeights = sync.OnceValue(func() []float64 {
	w := make([]float64, len(RankEvidence))
	for _, columns := range language.Records(rankFile, "rank.txt") {
		if i := slices.Index(RankEvidence, columns[0]); i >= 0 {
			w[i], _ = strconv.ParseFloat(columns[1], 64)
		}
	}
	return w
})

// Candidate is an item that may answer, or nothing, with the evidence for it.
type Candidate struct {
	Hit    Hit // its Doc is nil where nothing is the answer
	Values []float64
	worded bool
}

// weigh is how much the evidence speaks for a candidate.
func (c *Candidate) weigh() (score float64) {
	for i, w := range rankWeights() {
		score += w * c.Values[i]
	}
	return score
}

// Candidates are the items that compete for the first places of a question, with nothing as the
// last; none where words alone decide.
func (v *View) Candidates(q Question) []Candidate {
	limit := q.Limit
	q.Limit = max(limit, maxRanked)
	s := v.finding(q)
	found := s.find()
	return s.candidates(&found)
}

// ranks says whether what is found is put into order by more than its words.
func (s *finding) ranks() bool {
	q := &s.asked
	return q.Text != "" && q.MinScore > 0 && q.Sort.By == "" && !q.Literal && !q.OwnWords && q.Near == nil &&
		!s.cheap && s.view.Len() < besideItems
}

// candidates are those for the first places of what was found.
func (s *finding) candidates(found *Found) []Candidate {
	if !s.ranks() {
		return nil
	}
	asked, ok := s.view.table.Embed(cmp.Or(s.asked.Meant, s.asked.Text))
	if !ok {
		return nil
	}
	terms := 0
	for _, t := range found.Terms {
		if t.Use != search.Stop {
			terms++
		}
	}
	long := math.Log1p(float64(terms))
	clauses := s.view.table.EmbedClauses(cmp.Or(s.asked.Meant, s.asked.Text))
	var all []Candidate
	add := func(h Hit, place int) {
		meant, named := s.view.table.Alike(asked, h.direction), s.view.table.Alike(asked, h.named)
		said := s.view.nearestSentence(asked, h.Doc)
		clause := meant
		for _, one := range clauses {
			clause = max(clause, s.view.nearestSentence(one, h.Doc))
		}
		faq := truth64(h.isA("Question"))
		c := Candidate{h, []float64{0, 0, unplaced, 0, meant, meant * long, named, named * long, 0, 0, said,
			said * long, truth64(ownerOf(h.Doc)), clause, clause * long, faq, faq * long}, place > 0}
		if c.worded {
			c.Values[2], c.Values[3] = -math.Log1p(float64(place)), truth64(place == 1)
			c.Values[truth(found.Closest)] = h.Score / 100
		}
		all = append(all, c)
	}
	if !found.Closest || len(found.Relaxed) == 0 {
		for i, h := range found.Hits[:min(len(found.Hits), maxRanked)] {
			add(h, i+1)
		}
	}
	every := attempt{dropped: make([]bool, len(s.hard)), meant: true, unknown: true, silent: true,
		anyTypes: s.asked.Guessed, distant: true}
	for _, h := range s.tryFor(every, maxRanked) {
		known := slices.ContainsFunc(found.Hits, func(f Hit) bool { return f.Doc == h.Doc })
		doubtful := h.Doubt && len(found.Hits) > 0 && !found.Closest // beside what states it
		if !known && !doubtful && (len(s.soft) == 0 || s.meetsSoft(h)) {
			add(h, 0)
		}
	}
	return append(all, Candidate{Values: []float64{8: 1, 9: long, 16: 0}})
}

// nearestSentence is how much that sentence of an item means what a text does that does so most.
func (v *View) nearestSentence(asked words.Vector, d *Doc) (best float64) {
	for _, sentence := range d.said {
		best = max(best, v.table.Alike(asked, sentence))
	}
	return best
}

// ownerOf says whether an item is whose site it is: the organisation at its root, which tells of
// all that the site has and is none of it.
func ownerOf(d *Doc) bool {
	u, err := url.Parse(d.URL)
	return err == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" &&
		d.isA("Organization")
}

// isA says whether one of an item's types is another or below it.
func (d *Doc) isA(typ string) bool {
	return slices.ContainsFunc(d.Types, func(t string) bool { return content.IsA(t, typ) })
}

func truth64(b bool) float64 { return float64(truth(b)) }

// rank puts the first of what was found into order, together with what means about the same and is
// likelier to answer than nothing. What is only the closest becomes an answer where it is likelier
// than none.
func (s *finding) rank(found *Found) {
	all := s.candidates(found)
	if len(all) < 2 {
		return
	}
	none := all[len(all)-1].weigh()
	all = slices.DeleteFunc(all, func(c Candidate) bool {
		return c.Hit.Doc == nil || (found.Closest || !c.worded) && c.weigh() <= none
	})
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(truth(a.Hit.Doubt), truth(b.Hit.Doubt)), cmp.Compare(b.weigh(), a.weigh()))
	})
	hits := make([]Hit, 0, len(found.Hits)+len(all))
	for _, c := range all {
		hits = append(hits, c.Hit)
	}
	if !found.Closest {
		hits = append(hits, found.Hits[min(len(found.Hits), maxRanked):]...)
	}
	for i := len(hits) - 2; i >= 0; i-- { // the better place has the better score
		hits[i].Score = max(hits[i].Score, hits[i+1].Score)
	}
	s.demote(hits)
	found.Hits, found.Closest = hits, false
}
