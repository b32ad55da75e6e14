package search

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

// match scores the units of a view and offers the best to a.top. It looks only at those that can still get in: a
// window of units at a time, words of little weight are left out as long as all of them together could not lift a
// unit over the threshold, and looked up only for the units that the other words bring up.
func (a *asking) match(view int, chosen bitmap) {
	v := a.snapshot.views[view]
	a.openLists(view)
	if len(a.lists) == 0 {
		return
	}
	a.view, a.chosen, a.held = view, chosen, candidate{}
	for w := range v.windowCount() {
		a.matchWindow(v, w)
	}
	a.release()
}

// openLists gathers the postings of the question's terms.
func (a *asking) openLists(view int) {
	a.lists = a.lists[:0]
	v := a.snapshot.views[view]
	for i := range a.groups {
		weight := a.groups[i].weight
		for _, term := range a.groups[i].terms[:a.groups[i].n] {
			number := a.numbers[term*len(a.snapshot.views)+view]
			if number == separatorCode {
				continue
			}
			l := list{weight: weight}
			l.docs, l.impacts = v.list(number)
			if int(number) < v.long {
				n := v.windowCount()
				l.windows = v.windows[int(number)*n : (int(number)+1)*n]
			} else {
				for _, impact := range l.impacts {
					l.most = max(l.most, uint32(impact))
				}
				l.most *= weight
			}
			a.lists = append(a.lists, l)
		}
		if whole := a.groups[i].whole; whole != nil && len(whole.views[view].docs) > 0 {
			w := &whole.views[view]
			a.lists = append(a.lists, list{docs: w.docs, impacts: w.impacts, weight: weight, most: uint32(w.most) * weight})
		}
	}
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
func (a *asking) matchWindow(v *view, w int) {
	a.active = a.active[:0]
	total := uint32(0)
	for i := range a.lists {
		l := &a.lists[i]
		l.enter(w)
		if l.from == l.to {
			continue
		}
		total += l.bound
		a.active = append(a.active, l)
		for j := len(a.active) - 1; j > 0 && a.active[j].bound < a.active[j-1].bound; j-- {
			a.active[j], a.active[j-1] = a.active[j-1], a.active[j]
		}
	}
	if total < a.top.threshold || total == 0 {
		return
	}
	// The lists before index optional cannot lift a unit over the threshold, not even all together.
	optional, slack := 0, uint32(0)
	for slack+a.active[optional].bound < a.top.threshold {
		slack += a.active[optional].bound
		optional++
	}
	postings := 0
	for _, l := range a.active[optional:] {
		postings += l.to - l.from
	}
	switch {
	case optional == len(a.active)-1:
		a.scoreOne(v, optional, slack)
	case postings < sparsePostings:
		a.scoreSparse(v, w, optional, slack)
	default:
		a.scoreDense(v, w, optional, slack)
	}
}

// scoreOne goes through the only list that is required.
func (a *asking) scoreOne(v *view, optional int, slack uint32) {
	l := a.active[optional]
	docs := l.docs[l.from:l.to]
	impacts := l.impacts[l.from:l.to]
	impacts = impacts[:len(docs)]
	for i, doc := range docs {
		if sum := l.weight * uint32(impacts[i]); sum+slack >= a.top.threshold {
			a.consider(v, int(doc), sum, optional, slack)
		}
	}
}

// sparsePostings is how many postings a window may have before it is cheaper to look at all its units than at those
// that were touched.
const sparsePostings = windowSize / 8

// scoreDense adds the required lists up and looks at every unit of the window.
func (a *asking) scoreDense(v *view, w, optional int, slack uint32) {
	for _, l := range a.active[optional:] {
		l.addTo(&a.sums)
	}
	need := a.needed(slack)
	n := min(windowSize, v.units()-w<<windowBits)
	const step = 8 // most units are far below what is needed: several are dismissed at once
	for from := 0; from < n; from += step {
		sums := (*[step]uint32)(a.sums[from:])
		if max(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]) < need {
			continue
		}
		for i, sum := range sums {
			if sum >= need {
				a.consider(v, w<<windowBits+from+i, sum, optional, slack)
				need = a.needed(slack)
			}
		}
	}
	clear(a.sums[:n])
}

// needed is the least sum with which a unit can still get in, if the lists that are left out add slack at most.
func (a *asking) needed(slack uint32) uint32 {
	if a.top.threshold <= slack {
		return 1
	}
	return a.top.threshold - slack
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
func (a *asking) scoreSparse(v *view, w, optional int, slack uint32) {
	for _, l := range a.active[optional:] {
		docs := l.docs[l.from:l.to]
		impacts := l.impacts[l.from:l.to]
		impacts = impacts[:len(docs)]
		for i, doc := range docs {
			at := doc & (windowSize - 1)
			a.sums[at] += l.weight * uint32(impacts[i])
			a.touched[at>>6] |= 1 << (at & 63)
		}
	}
	for i, word := range a.touched {
		for ; word != 0; word &= word - 1 {
			at := i<<6 + bits.TrailingZeros64(word)
			if sum := a.sums[at]; sum+slack >= a.top.threshold {
				a.consider(v, w<<windowBits+at, sum, optional, slack)
			}
			a.sums[at] = 0
		}
		a.touched[i] = 0
	}
}

// consider finishes the score of a unit from the optional lists, the weightiest first, and offers it, unless it is
// not allowed or turns out not to reach the threshold.
func (a *asking) consider(v *view, unit int, sum uint32, optional int, slack uint32) {
	if a.chosen != nil && !a.chosen.has(unit) || a.chosen == nil && v.dead.has(unit) {
		return
	}
	for i := optional - 1; i >= 0; i-- {
		if sum+slack < a.top.threshold {
			return
		}
		l := a.active[i]
		slack -= l.bound
		sum += l.seek(uint16(unit))
	}
	if sum < a.top.threshold {
		return
	}
	c := candidate{score: sum, view: uint32(a.view), unit: uint32(unit)}
	if a.preferred != 0 {
		a.hold(v, &c)
	}
	a.offer(v, c)
}

// seek gives the weighted impact of a unit, or 0. Units are asked for in rising order, so the list moves on.
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

// offer puts a unit forward. Of several units of one item, which come one after the other, only the best counts.
func (a *asking) offer(v *view, c candidate) {
	if !v.several() {
		a.top.push(c)
		return
	}
	if a.held.score > 0 && v.item[a.held.unit] == v.item[c.unit] {
		if c.score > a.held.score {
			a.held = c
		}
		return
	}
	a.release()
	a.held = c
}

// release puts the item forward whose units are all seen.
func (a *asking) release() {
	if a.held.score > 0 {
		a.top.push(a.held)
	}
	a.held = candidate{}
}

// several says whether any item has several units.
func (s *stock) several() bool { return len(s.refs) < len(s.item) }
