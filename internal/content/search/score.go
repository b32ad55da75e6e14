package search

import (
	"math"
	"slices"
	"sort"

	"frontdesk/internal/content/search/segment"
)

// The score says how sure it is that an item answers the question: by how much of the question one
// of the best items has in some few words that follow each other, by how many words that are and
// how rare in speech they are, by how much of its name the question says, and by how much its name
// means what the question does, which tells more of long questions. Words count by their weights,
// so that one that nothing has weighs on it. The weights of this evidence were fitted, by logistic
// regression with one of eighteen sites left out in turn, on questions that sites answer and on
// those that they do not, such as the questions of others. The other items follow in proportion.
const (
	evidenceCovered = 4.5  // of the question's weight that stands together in the item,
	evidenceWords   = 1.8  // of the words that stand together, by the logarithm of their number
	evidenceRare    = 1.5  // of the rarest of them in everyday speech
	evidenceNamed   = 1.7  // of the words of its title that the question says
	evidenceAlike   = 3.0  // how much its name means what the question does,
	evidenceLong    = 1.7  // and the same, by the logarithm of the question's words
	evidenceItems   = 0.35 // that is wanting for every doubling of the items, as chance finds more among many
	evidenceNone    = -8.1

	sureEnough = 0.15 // the probability that makes an answer
	someAlike  = 0.3  // how much items mean what the question does where nothing tells it
)

const (
	steepness  = 4    // how fast confidence falls when there is less,
	flatness   = 0.25 // and how slowly it rises when there is more
	weighed    = 3    // items of which the best evidence counts
	closeWords = 12   // of running text that say something together
	fewItems   = 128  // among which no item has the words of a question by chance

	leastConfidence = 0.001 // so that what shares a word with the question never scores nothing
)

// DefaultMinScore is the score from which an item counts as an answer: that of evidence that is
// just sure enough.
const DefaultMinScore = 20.0

// confidence says how well the best of the candidates answer the question, from 0 to 1.
func (a *asking) confidence() float64 {
	best := leastConfidence
	if a.idle {
		for _, c := range a.found[:min(len(a.found), rescored)] {
			best = max(best, a.named(c))
		}
		return best
	}
	for _, c := range a.found[:min(len(a.found), weighed)] {
		best = max(best, a.probability(c))
	}
	least := DefaultMinScore / 100
	if best < sureEnough {
		return max(leastConfidence, least*math.Pow(best/sureEnough, steepness))
	}
	return least + (1-least)*math.Pow((best-sureEnough)/(1-sureEnough), flatness)
}

// probability is how sure it is that a candidate answers the question.
func (a *asking) probability(c segment.Candidate) float64 {
	view := int(c.View)
	v := a.snapshot.views[view]
	text := v.Text(int(c.Unit))
	title := text[:text.Index(segment.Separator, 0)]
	all, said := 0.0, 0.0
	for g := range a.groups {
		if a.groups[g].tells {
			all += float64(a.groups[g].weight)
			said++
		}
	}
	if all == 0 {
		return 0
	}
	named, words := 0.0, 0.0
	for i := 0; i < len(title); words++ {
		var number uint32
		number, i = title.Get(i)
		_, share := a.groupOf(number, view)
		named += share
	}
	together, alike := a.standing(c), a.alike(c)
	evidence := evidenceNone - evidenceItems*math.Log2(float64(max(fewItems, a.snapshot.Len()))/fewItems) +
		evidenceCovered*together.weight/all + evidenceWords*math.Log1p(together.words) + evidenceRare*together.rare +
		evidenceNamed*named/max(words, 1) + alike*(evidenceAlike+evidenceLong*math.Log(said))
	return 1 / (1 + math.Exp(-evidence))
}

// alike is how much a candidate means what the question does.
func (a *asking) alike(c segment.Candidate) float64 {
	if a.meant == nil {
		return someAlike
	}
	v := a.snapshot.views[c.View]
	return max(0, a.meant(v.Refs[v.ItemOf[c.Unit]]))
}

// groupOf is the group that a word of a text counts for, and how much it counts; 0 for nothing.
func (a *asking) groupOf(number uint32, view int) (group int, share float64) {
	for g := range a.groups {
		if !a.groups[g].tells {
			continue
		}
		if s := a.share(number, g, view); s > share {
			group, share = g, s
		}
	}
	return group, share
}

// share is how much a word of a text counts for a group.
func (a *asking) share(number uint32, g, view int) float64 {
	group := &a.groups[g]
	if (group.kin == nil || group.akin != group.kin) && slices.Contains(a.lookup.numbersOf(g, view), number) {
		return 1
	}
	if group.kin != nil {
		kin := &group.kin.views[view]
		if i := slices.Index(kin.numbers, number); i >= 0 {
			return kin.shares[i]
		}
	}
	return 0
}

// together is what of a question stands in an item together: in what it is called, and in some few
// words of its running text that follow each other.
type together struct {
	weight float64
	words  float64 // how many of its words
	rare   float64 // how rare in everyday speech the rarest of them is
}

// standing finds where most of the question's weight stands together in a candidate.
func (a *asking) standing(c segment.Candidate) (best together) {
	view := int(c.View)
	v := a.snapshot.views[view]
	text := v.Text(int(c.Unit))
	end := int(v.PartEnds(int(c.Unit))[0])
	last := append(a.last[:0], make([]met, len(a.groups))...)
	a.last = last
	const headed = math.MaxInt
	compare := func(now int) {
		var found together
		for g, m := range last {
			if m.at == headed || m.at > 0 && m.at > now-closeWords {
				found.weight += float64(a.groups[g].weight) * m.share
				found.words++
				found.rare = max(found.rare, a.groups[g].rarity*m.share)
			}
		}
		if found.weight > best.weight {
			best = found
		}
	}
	for i, at := 0, 1; i < len(text); at++ {
		var number uint32
		head := i < end
		if number, i = text.Get(i); number == segment.Separator {
			at += closeWords // parts are far from each other
			continue
		}
		g, share := a.groupOf(number, view)
		if share == 0 {
			continue
		}
		m := &last[g]
		switch {
		case head:
			m.at, m.share = headed, max(m.share, share)
			continue
		case m.at == headed:
			m.share = max(m.share, share)
		case m.at > at-closeWords && m.share > share:
		default:
			m.at, m.share = at, share
		}
		compare(at)
	}
	compare(math.MaxInt - 1)
	return best
}

// met is where a group stood last in a text.
type met struct {
	at    int     // the place after it, in words; the largest where the item is called so
	share float64 // how much of the group stands there
}

// core is the share of the question that an answer has to have.
func (a *asking) core() float64 {
	sum, aside := uint32(0), uint32(0)
	for i := range a.groups {
		sum += a.groups[i].weight
		if a.groups[i].aside {
			aside += a.groups[i].weight
		}
	}
	if aside == 0 || aside == sum {
		return 1
	}
	return float64(sum-aside) / float64(sum)
}

// dropAside leaves out candidates that have nothing but what is not wanted.
func (a *asking) dropAside() {
	if a.core() == 1 {
		return
	}
	a.found = slices.DeleteFunc(a.found, func(c segment.Candidate) bool {
		text := a.snapshot.views[c.View].Text(int(c.Unit))
		for g := range a.groups {
			if !a.groups[g].empty && a.has(text, g, int(c.View)) {
				return false
			}
		}
		return true
	})
}

// named says how well a question of function words alone ("the who", "what is it") names a
// candidate: such words are in every text, so that only a title with all of them counts, and that
// as far as they make it up.
func (a *asking) named(c segment.Candidate) float64 {
	view := int(c.View)
	text := a.snapshot.views[view].Lead(int(c.Unit), leadWords)
	title := text[:text.Index(segment.Separator, 0)]
	for g := range a.groups {
		if !slices.ContainsFunc(a.lookup.numbersOf(g, view), func(number uint32) bool {
			return title.Index(number, 0) < len(title)
		}) {
			return 0
		}
	}
	share := min(1, float64(len(a.sequence))/float64(max(title.Count(), 1)))
	return share * share
}

// exactly says whether the words of the question, and no others, are a candidate's title.
func (a *asking) exactly(c segment.Candidate) bool {
	view := int(c.View)
	text := a.snapshot.views[view].Lead(int(c.Unit), leadWords)
	title := text[:text.Index(segment.Separator, 0)]
	if a.own == 0 {
		return false
	}
	for g := range a.groups[:a.own] {
		if !slices.ContainsFunc(a.lookup.numbersOf(g, view),
			func(number uint32) bool { return title.Index(number, 0) < len(title) }) {
			return false
		}
	}
	for at := 0; at < len(title); {
		var number uint32
		if number, at = title.Get(at); !a.says(number, view) {
			return false
		}
	}
	return true
}

// says tells whether a word of a view is one of the question's, a function word among them.
func (a *asking) says(number uint32, view int) bool {
	for g := range a.groups[:a.own] {
		if slices.Contains(a.lookup.numbersOf(g, view), number) {
			return true
		}
	}
	words := a.snapshot.views[view].Words
	for i := range a.words {
		w := &a.words[i]
		if w.use == Stop && slices.ContainsFunc(w.forms[:w.n], func(form string) bool {
			known, ok := words.Find(form, segment.Hash(form))
			return ok && known == number
		}) {
			return true
		}
	}
	return false
}

// effectiveWords is how many words of equal weight would make a question like this one.
func (a *asking) effectiveWords() float64 {
	sum, squares := 0.0, 0.0
	for i := range a.groups {
		if a.groups[i].aside {
			continue
		}
		w := float64(a.groups[i].weight)
		sum, squares = sum+w, squares+w*w
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / squares
}

// hits makes the hits of the best limit items whose score is high enough.
func (a *asking) hits(q *Query, limit int, confidence float64) []Hit {
	best := a.found[:min(limit, len(a.found))]
	if len(best) == 0 {
		return nil
	}
	unit := 100 * confidence / float64(best[0].Score)
	scoreOf := func(c segment.Candidate) float64 {
		return min(100, unit*float64(c.Score)) // the division before may have rounded up
	}
	least := max(q.MinScore, q.Share*scoreOf(best[0]))
	enough := sort.Search(len(best), func(i int) bool { return scoreOf(best[i]) < least })
	hits := make([]Hit, 0, enough)
	for _, c := range best[:enough] {
		if a.idle && q.MinScore > 0 && a.named(c) == 0 {
			continue
		}
		v := a.snapshot.views[c.View]
		hits = append(hits, Hit{Ref: v.Refs[v.ItemOf[c.Unit]], Score: scoreOf(c), At: Place{c.View, c.Unit}})
		if q.named != nil && a.exactly(c) {
			q.named[Place{c.View, c.Unit}] = true
		}
	}
	if q.Settle != nil {
		hits = q.Settle(hits)
	}
	for i := range hits {
		hits[i].Passage = a.bestPassage(hits[i].At)
		if q.Further > 0 {
			hits[i].Further = a.furtherPassages(hits[i].At, hits[i].Passage, q.Further)
		}
	}
	return hits
}
