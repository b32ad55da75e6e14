package segment

import "math/bits"

// list is the postings of one term in one view, and where the current window stands in them.
type list struct {
	docs, impacts []uint16
	windows       []window // nil for a short list
	weight        uint32
	most          uint32 // the largest weighted impact in the whole list
	from, to      int    // the current window's postings
	bound         uint32 // the largest weighted impact in the current window
}

// Matcher finds the units of views that score best for weighted words. It is used again and again,
// so that matching allocates nothing: begin, then for each view enter, add and match, then best.
// The sums and marks are always left at zero.
type Matcher struct {
	views     []*View
	preferred uint32 // the bit of the language in which items are preferred; 0 for none
	lists     []list
	active    []*list // those with postings in the current window, by rising bound
	sums      [windowSize]uint32
	touched   [windowSize / 64]uint64
	view      int
	chosen    Bitmap // units that may be found; nil: all that live
	held      Candidate
	top       top
}

// Begin makes the matcher ready for the best so many items of views. Those in another language than
// is preferred, of which preferred is the bit, stand behind others that fit as well; 0 prefers
// none.
func (m *Matcher) Begin(views []*View, room int, preferred uint32) {
	m.views, m.preferred = views, preferred
	m.top.reset(views, room)
}

// Enter goes to a view, of which the chosen units may be found; nil stands for all that live.
func (m *Matcher) Enter(view int, chosen Bitmap) {
	m.view, m.chosen, m.held = view, chosen, Candidate{}
	m.lists = m.lists[:0]
}

// Add adds the postings of a word of the view.
func (m *Matcher) Add(number, weight uint32) {
	v := m.views[m.view]
	l := list{weight: weight}
	l.docs, l.impacts = v.Postings(number)
	if int(number) < v.long {
		n := v.windowCount()
		l.windows = v.windows[int(number)*n : (int(number)+1)*n]
	} else {
		for _, impact := range l.impacts {
			l.most = max(l.most, uint32(impact))
		}
		l.most *= weight
	}
	m.lists = append(m.lists, l)
}

// AddPostings adds postings that stand for a word: units, rising, their impacts, and the largest of
// these.
func (m *Matcher) AddPostings(docs, impacts []uint16, most uint16, weight uint32) {
	if len(docs) > 0 {
		m.lists = append(m.lists, list{docs: docs, impacts: impacts, weight: weight, most: uint32(most) * weight})
	}
}

// Best gives the best items, the best first. They are valid until the next begin.
func (m *Matcher) Best() []Candidate { return m.top.sorted() }

// Better orders candidates of the views that the matcher looks at: by score, then by key.
func (m *Matcher) Better(a, b Candidate) bool { return m.top.better(a, b) }

// Forget lets go of everything that would keep views in memory.
func (m *Matcher) Forget() {
	clear(m.lists)
	clear(m.active)
	m.views, m.chosen, m.top.views = nil, nil, nil
}

// Match scores the units of a view and offers the best. It looks only at those that can still get
// in: a window of units at a time, words of little weight are left out as long as all of them
// together could not lift a unit over the threshold, and looked up only for the units that the
// other words bring up.
func (m *Matcher) Match() {
	if len(m.lists) == 0 {
		return
	}
	v := m.views[m.view]
	for w := range v.windowCount() {
		m.matchWindow(v, w)
	}
	m.release()
}

// enter moves a list to window w, the one after the window before.
func (l *list) enter(w int) {
	if l.windows != nil {
		l.from, l.to = int(l.windows[w].start), len(l.docs)
		if w+1 < len(l.windows) {
			l.to = int(l.windows[w+1].start)
		}
		l.bound = uint32(l.windows[w].max) * l.weight
		return
	}
	l.from = l.to
	for l.to < len(l.docs) && int(l.docs[l.to])>>windowBits == w {
		l.to++
	}
	l.bound = 0
	if l.from < l.to {
		l.bound = l.most
	}
}

// matchWindow scores the units of one window.
func (m *Matcher) matchWindow(v *View, w int) {
	m.active = m.active[:0]
	total := uint32(0)
	for i := range m.lists {
		l := &m.lists[i]
		l.enter(w)
		if l.from == l.to {
			continue
		}
		total += l.bound
		m.active = append(m.active, l)
		for j := len(m.active) - 1; j > 0 && m.active[j].bound < m.active[j-1].bound; j-- {
			m.active[j], m.active[j-1] = m.active[j-1], m.active[j]
		}
	}
	if total < m.top.threshold || total == 0 {
		return
	}
	// The lists before index optional cannot lift a unit over the threshold, not even all together.
	optional, slack := 0, uint32(0)
	for slack+m.active[optional].bound < m.top.threshold {
		slack += m.active[optional].bound
		optional++
	}
	postings := 0
	for _, l := range m.active[optional:] {
		postings += l.to - l.from
	}
	switch {
	case optional == len(m.active)-1:
		m.scoreOne(v, optional, slack)
	case postings < sparsePostings:
		m.scoreSparse(v, w, optional, slack)
	default:
		m.scoreDense(v, w, optional, slack)
	}
}

// scoreOne goes through the only list that is required.
func (m *Matcher) scoreOne(v *View, optional int, slack uint32) {
	l := m.active[optional]
	docs := l.docs[l.from:l.to]
	impacts := l.impacts[l.from:l.to]
	impacts = impacts[:len(docs)]
	for i, doc := range docs {
		if sum := l.weight * uint32(impacts[i]); sum+slack >= m.top.threshold {
			m.consider(v, int(doc), sum, optional, slack)
		}
	}
}

// sparsePostings is how many postings a window may have before it is cheaper to look at all its
// units than at those that were touched.
const sparsePostings = windowSize / 8

// scoreDense adds the required lists up and looks at every unit of the window.
func (m *Matcher) scoreDense(v *View, w, optional int, slack uint32) {
	for _, l := range m.active[optional:] {
		l.addTo(&m.sums)
	}
	need := m.needed(slack)
	n := min(windowSize, v.Units()-w<<windowBits)
	const step = 8 // most units are far below what is needed: several are dismissed at once
	for from := 0; from < n; from += step {
		sums := (*[step]uint32)(m.sums[from:])
		if max(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]) < need {
			continue
		}
		for i, sum := range sums {
			if sum >= need {
				m.consider(v, w<<windowBits+from+i, sum, optional, slack)
				need = m.needed(slack)
			}
		}
	}
	clear(m.sums[:n])
}

// needed is the least sum with which a unit can still get in, if the lists that are left out add
// slack at most.
func (m *Matcher) needed(slack uint32) uint32 {
	if m.top.threshold <= slack {
		return 1
	}
	return m.top.threshold - slack
}

// addTo adds the weighted impacts of the window's postings to the sums.
func (l *list) addTo(sums *[windowSize]uint32) {
	docs := l.docs[l.from:l.to]
	impacts := l.impacts[l.from:l.to]
	impacts = impacts[:len(docs)]
	for i, doc := range docs {
		sums[doc&(windowSize-1)] += l.weight * uint32(impacts[i])
	}
}

// scoreSparse adds the required lists up, noting which units they touch, and looks at those.
func (m *Matcher) scoreSparse(v *View, w, optional int, slack uint32) {
	for _, l := range m.active[optional:] {
		docs := l.docs[l.from:l.to]
		impacts := l.impacts[l.from:l.to]
		impacts = impacts[:len(docs)]
		for i, doc := range docs {
			at := doc & (windowSize - 1)
			m.sums[at] += l.weight * uint32(impacts[i])
			m.touched[at>>6] |= 1 << (at & 63)
		}
	}
	for i, word := range m.touched {
		for ; word != 0; word &= word - 1 {
			at := i<<6 + bits.TrailingZeros64(word)
			if sum := m.sums[at]; sum+slack >= m.top.threshold {
				m.consider(v, w<<windowBits+at, sum, optional, slack)
			}
			m.sums[at] = 0
		}
		m.touched[i] = 0
	}
}

// consider finishes the score of a unit from the optional lists, the weightiest first, and offers
// it, unless it is not allowed or turns out not to reach the threshold.
func (m *Matcher) consider(v *View, unit int, sum uint32, optional int, slack uint32) {
	if m.chosen != nil && !m.chosen.Has(unit) || m.chosen == nil && v.Dead.Has(unit) {
		return
	}
	for i := optional - 1; i >= 0; i-- {
		if sum+slack < m.top.threshold {
			return
		}
		l := m.active[i]
		slack -= l.bound
		sum += l.seek(uint16(unit))
	}
	if sum < m.top.threshold {
		return
	}
	c := Candidate{Score: sum, View: uint32(m.view), Unit: uint32(unit)}
	if m.preferred != 0 {
		m.hold(v, &c)
	}
	m.offer(v, c)
}

// seek gives the weighted impact of a unit, or 0. Units are asked for in rising order, so the list
// moves on.
func (l *list) seek(unit uint16) uint32 {
	docs, i := l.docs[:l.to], l.from
	if i >= len(docs) {
		return 0
	}
	for step := 1; docs[i] < unit; step *= 2 {
		if i+step >= len(docs) || docs[i+step] >= unit {
			i = search16(docs, i+1, min(i+step, len(docs)), unit)
			break
		}
		i += step
	}
	l.from = i
	if i < len(docs) && docs[i] == unit {
		return l.weight * uint32(l.impacts[i])
	}
	return 0
}

// search16 gives the first place in docs[low:high] that is not below unit, or high.
func search16(docs []uint16, low, high int, unit uint16) int {
	for low < high {
		middle := int(uint(low+high) >> 1)
		if docs[middle] < unit {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// otherLanguage is the part of its score that an item loses when it is in another language than is
// preferred.
const otherLanguage = 5

// hold lowers the score of a candidate that is in another language. What it could have scored is
// not less, so that whether there is an answer does not depend on it.
func (m *Matcher) hold(v *View, c *Candidate) {
	if m.preferred>>v.Languages[v.ItemOf[c.Unit]]&1 == 0 {
		loss := c.Score / otherLanguage
		c.Score -= loss
		c.Lift -= int32(loss)
	}
}

// offer puts a unit forward. Of several units of one item, which come one after the other, only the
// best counts.
func (m *Matcher) offer(v *View, c Candidate) {
	if !v.Several() {
		m.top.push(c)
		return
	}
	if m.held.Score > 0 && v.ItemOf[m.held.Unit] == v.ItemOf[c.Unit] {
		if c.Score > m.held.Score {
			m.held = c
		}
		return
	}
	m.release()
	m.held = c
}

// release puts the item forward whose units are all seen.
func (m *Matcher) release() {
	if m.held.Score > 0 {
		m.top.push(m.held)
	}
	m.held = Candidate{}
}
