package segment

// Segment is a batch with its inverted index: for each word the units that have it, and how much it
// counts there. It never changes.
type Segment struct {
	*Forward
	averages averages
	postings []uint32 // by word: where its postings begin; one more at the end
	docs     []uint16 // units, rising within a word
	impacts  []uint16
	windows  []window // for each of the first long words, one for each window of units
	long     int      // words numbered below this have windows; words are numbered by falling frequency
}

// Units are scored in windows of 4,096, whose sums fit the processor's first cache.
const (
	windowBits = 12
	windowSize = 1 << windowBits
	longList   = 128 // postings from which a word has its windows stored
)

// window is the part of a word's postings that lies in one window of units: where it begins among
// them, and the largest impact in it.
type window struct {
	start uint16
	max   uint16
}

// newSegment inverts a batch.
func newSegment(s *Forward, a averages) *Segment {
	g := &Segment{Forward: s, averages: a}
	g.postings = make([]uint32, s.Words.Len()+1)
	for number, n := range (source{Forward: s}).frequencies() {
		if number == Separator {
			n = 0
		}
		g.postings[number+1] = g.postings[number] + n
	}
	g.invert()
	g.cutWindows()
	return g
}

// reweighed is the same segment with impacts for other averages.
func (g *Segment) reweighed(a averages) *Segment {
	h := *g
	h.averages, h.impacts, h.windows = a, nil, nil
	h.invert()
	h.cutWindows()
	return &h
}

// invert fills the impacts, unit by unit, and the units unless they are there already: readers may
// hold those.
func (g *Segment) invert() {
	total := g.postings[g.Words.Len()]
	g.impacts = make([]uint16, total)
	fresh := g.docs == nil
	if fresh {
		g.docs = make([]uint16, total)
	}
	next := make([]uint32, g.Words.Len())
	copy(next, g.postings)
	frequency := make([]float32, g.Words.Len())
	var touched []uint32
	for u := range g.Units() {
		touched = g.weigh(u, frequency, touched[:0])
		for _, number := range touched {
			if fresh {
				g.docs[next[number]] = uint16(u)
			}
			g.impacts[next[number]] = impactOf(frequency[number])
			next[number]++
			frequency[number] = 0
		}
	}
}

// weigh adds up the weighted frequencies of a unit's words and appends to touched which words they
// are.
func (g *Segment) weigh(u int, frequency []float32, touched []uint32) []uint32 {
	text := g.Text(u)
	share := g.averages.shares(text.lengths())
	f := titleField
	for i := 0; i < len(text); {
		var number uint32
		number, i = text.Get(i)
		if number == Separator {
			f = min(f+1, bodyField)
			continue
		}
		if frequency[number] == 0 {
			touched = append(touched, number)
		}
		frequency[number] += share[f]
	}
	return touched
}

// cutWindows notes, for words with long postings, where each window begins.
func (g *Segment) cutWindows() {
	n := g.windowCount()
	for g.long = 1; g.long < g.Words.Len() && g.postings[g.long+1]-g.postings[g.long] >= longList; g.long++ {
	}
	g.windows = make([]window, g.long*n)
	for number := 1; number < g.long; number++ {
		docs, impacts := g.Postings(uint32(number))
		at := 0
		for w := range n {
			here := &g.windows[number*n+w]
			here.start = uint16(at)
			for at < len(docs) && int(docs[at])>>windowBits == w {
				here.max = max(here.max, impacts[at])
				at++
			}
		}
	}
}

func (g *Segment) windowCount() int { return (g.Units() + windowSize - 1) >> windowBits }

// Postings gives the postings of a word.
func (g *Segment) Postings(number uint32) (docs, impacts []uint16) {
	from, to := g.postings[number], g.postings[number+1]
	return g.docs[from:to], g.impacts[from:to:to]
}
