package search

import (
	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
)

// A unit's text is bounded, so that scoring one has a bound too.
const (
	maxTitleWords   = 512
	maxKeyWords     = 2048
	maxPassageWords = 4096 // passages are a twentieth of this
	unitWords       = 2000 // a unit takes no further passage that would give it more words than this
	maxUnitsOfItem  = 256
)

// reader writes documents into a batch. One goroutine uses it.
type reader struct {
	analyzer *analysis.Analyzer
	fallback string // the language of documents that tell none
	forward  *segment.Forward
	known    []*memo       // by language: the numbers of the words that a run of text stands for
	reserved []*memo       // the same for text that is not shown
	memos    []*memo       // the one that is in use
	head     segment.Codes // scratch: title and keys
	passage  segment.Codes // scratch
	one      [1]uint32
}

func newReader(a *analysis.Analyzer, fallback string) *reader {
	return &reader{
		analyzer: a, fallback: fallback, forward: segment.NewForward(),
		known: make([]*memo, len(a.Languages)), reserved: make([]*memo, len(a.Languages)),
	}
}

// add writes a document as one item.
func (r *reader) add(d *Document) {
	s := r.forward
	t := r.languageOf(d)
	item := s.AddItem(d.Ref, d.Key, t.Index)
	r.memos = r.known
	r.head, _ = r.words(r.head[:0], t, d.Title, maxTitleWords)
	if d.Reserved {
		r.memos = r.reserved
	}
	r.head, _ = r.words(r.head.Put(segment.Separator), t, d.Keys, maxKeyWords)
	s.Write(r.head)
	size, first, units := 0, 0, 1
	for i, text := range d.Passages {
		var n int
		r.passage, n = r.words(r.passage[:0].Put(segment.Separator), t, text, maxPassageWords)
		if size > 0 && size+n > unitWords {
			if units == maxUnitsOfItem {
				break
			}
			s.EndUnit(item, first)
			s.Write(r.head)
			size, first, units = 0, i, units+1
		}
		s.Write(r.passage)
		size += n
	}
	s.EndUnit(item, first)
}

// done gives the batch, with the words as they were read.
func (r *reader) done() *segment.Forward {
	r.keepForms()
	return r.forward
}

// keepForms enters the words that were read into a batch.
func (r *reader) keepForms() {
	for _, known := range r.known {
		if known == nil {
			continue
		}
		for _, e := range known.table {
			if e.count < 2 {
				continue
			}
			if run := string(known.runs[e.run : e.run+uint32(e.size)]); spoken(run) {
				number := e.at
				if e.count > 2 {
					number = known.numbers[e.at]
				}
				r.forward.Forms.Add(analysis.Lower(run), number)
			}
		}
	}
}

// languageOf gives a document's language: as it says, or as its words tell.
func (r *reader) languageOf(d *Document) *analysis.Language {
	if d.Language != "" {
		return r.analyzer.Language(d.Language)
	}
	text := d.Title
	if len(d.Passages) > 0 {
		text = d.Passages[0]
	}
	tag := r.analyzer.Guess(text)
	if tag == "" {
		tag = r.fallback
	}
	return r.analyzer.Language(tag)
}

// words appends at most limit words of a text and says how many.
func (r *reader) words(to segment.Codes, t *analysis.Language, text string, limit int) (segment.Codes, int) {
	n := 0
	analysis.Scan(text, func(start, end int, k analysis.Kind) bool {
		for _, number := range r.numbers(t, text[start:end], k) {
			if n < limit {
				to = to.Put(number)
				n++
			}
		}
		return n < limit
	})
	return to, n
}

// numbers gives the numbers of the words that a run stands for, valid until the next call.
func (r *reader) numbers(t *analysis.Language, run string, k analysis.Kind) []uint32 {
	known := r.memos[t.Index]
	if known == nil {
		known = &memo{}
		known.grow()
		r.memos[t.Index] = known
	}
	var room [analysis.MaxTerm]byte
	key := analysis.Key(&room, run, k)
	if key != nil {
		if numbers, ok := known.get(key, &r.one); ok {
			return numbers
		}
	}
	var numbers []uint32
	for _, f := range t.Lookup(run, k).Forms {
		numbers = append(numbers, r.forward.Words.Add(f.Term))
	}
	if key != nil {
		known.put(key, numbers)
	}
	return numbers
}
