package index

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
)

// A question that shares no word with the items is answered by those that mean about the same, by
// the directions of their texts (package words). Where words find something, directions have no
// say: at every share that was tried they order products worse. The bounds were chosen on seven
// small sites.
const (
	alikeEnough = 0.36 // the cosine from which an item resembles a question
	alikeThing  = 0.50 // and one of few words that tell what is asked for: what is not here has no name here
	fewWords    = 3    // or fewer of those that tell it
	alikeShare  = 0.7  // of the best one's that further items have

	beginning = 400 // bytes of an item's text that tell what it is about
	mostMeant = 40  // sentences of an item of which it is known what they mean

	// MeantBytes is how much of an item's text is read for what it means.
	MeantBytes = 6000
)

// direct finds what an item is about, by its title and the beginning of its text, what its name
// means, and, as long as items are few, what each of its sentences does; all as far as they are
// released.
func (l *loader) direct(listing *Doc, e *content.Entry) {
	table := l.library.table
	listing.named, _ = table.Embed(e.Name)
	title, text := e.Name, e.Description
	switch {
	case l.admission.Meant != nil:
		title, text = l.admission.Meant(listing, e)
	case len(e.Passages) > 0:
		text = e.Passages[0].Text
	}
	if l.library.index.Snapshot().Len()+l.filled+len(l.put) < besideItems {
		listing.said = sentencesMeant(table, text)
	}
	if len(text) > beginning {
		text = strings.ToValidUTF8(text[:beginning], "")
	}
	listing.direction, _ = table.EmbedTitled(title, text)
}

// sentencesMeant gives the directions of a text's first sentences.
func sentencesMeant(table *words.Table, text string) (all []words.Vector) {
	start := 0
	for end := range SentenceEnds(text) {
		if direction, ok := table.Embed(text[start:end]); ok {
			all = append(all, direction)
		}
		if start = end; len(all) == mostMeant || end > MeantBytes {
			break
		}
	}
	return all
}

// meaning tells how much the names of items mean what a text does. The rest of an item has no say,
// since what is found must not depend on how much of it is shown.
func (v *View) meaning(text string) func(ref any) float64 {
	asked, ok := v.table.Embed(text)
	if !ok {
		return nil
	}
	return func(ref any) float64 { return v.table.Alike(asked, ref.(*Doc).named) }
}

// signs gives those of the directions of the part's items.
func (c *columns) signs() *words.Signs {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.meant == nil {
		signs := directionsOf(c.refs)
		c.meant = &signs
	}
	return c.meant
}

// directionsOf gives the signs of the directions of items.
func directionsOf(refs []any) words.Signs {
	directions := make([]words.Vector, len(refs))
	for i, ref := range refs {
		directions[i] = ref.(*Doc).direction
	}
	return words.SignsOf(directions)
}

// resembling finds the items of a selection that mean about what the question says.
func (s *finding) resembling(within *search.Selection, limit int, distant bool) []Hit {
	if s.asked.Near != nil || limit <= 0 { // a model tells what is meant
		return nil
	}
	text := cmp.Or(s.asked.Meant, s.asked.Text)
	asked, ok := s.view.table.Embed(text)
	if !ok {
		return nil
	}
	least, words := alikeEnough, 0
	for _, term := range s.terms {
		if term.Weight > 0 {
			words++
		}
	}
	if words < fewWords || len(strings.Fields(text)) <= fewWords {
		least = alikeThing
	}
	share := alikeShare
	if distant {
		least, share = leastRanked, 0
	}
	hits := s.view.alike(asked, within, max(share*least, leastRanked), distant)
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	if len(hits) == 0 || hits[0].Score < least {
		return nil
	}
	if s.view.several {
		hits = oneEach(hits)
	}
	end := slices.IndexFunc(hits, func(h Hit) bool { return h.Score < share*hits[0].Score })
	if end > 0 {
		hits = hits[:end]
	}
	if s.asked.Sort.By != "" {
		hits = s.first(hits, limit)
	}
	hits = hits[:min(len(hits), limit)]
	for i := range hits {
		hits[i].Score = max(s.asked.MinScore, 100*hits[i].Score)
	}
	return hits
}

// alike gives the items whose direction is near to another, with how much they are alike as their
// score. By sentences, it also gives items that have a sentence near to it.
func (v *View) alike(asked words.Vector, within *search.Selection, least float64, bySentences bool) (hits []Hit) {
	near := least
	if bySentences {
		near = -1 // all
	}
	for part, signs := range v.signs {
		for item := range v.table.Near(*signs, asked, near) {
			listing := v.columns[v.parts[part]].refs[item].(*Doc)
			likeness := v.table.Alike(asked, listing.direction)
			if bySentences {
				likeness = max(likeness, v.nearestSentence(asked, listing))
			}
			if likeness < least {
				continue
			}
			if at := v.snapshot.Place(part, item); within == nil && v.everything.Holds(at) ||
				within != nil && within.Holds(at) {
				hits = append(hits, Hit{Doc: listing, Score: likeness, at: at})
			}
		}
	}
	return hits
}
