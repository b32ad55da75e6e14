package excerpts

import (
	"math"
	"strings"
	"unicode"

	"frontdesk/internal/excerpts/grants"
)

// budget is what of a passage may be seen: again what was seen, and beside that so many bytes and
// words.
type budget struct {
	seen         grants.Spans
	bytes, words int
	also         *budget // which bounds it, too; nil for none
}

// budget is what of a passage a session may see that was given some of the article before, bounded
// also by what all of its platform may see.
func (a *article) budget(at int, p *Policy, given *givenBefore) budget {
	left := a.limitWords(a.shareOf(at, p.share(), given.session), given.session)
	day := p.shareOfDay()
	if day < 1 && (given.platform.BytesOf(a.url) > 0 || day < p.share()) { // else the session's share is less
		together := a.shareOf(at, day, given.platform)
		left.also = &together
	}
	return left
}

// shareOf is what of a passage may be seen by a share of the article: nothing more where that was
// exceeded by now.
func (a *article) shareOf(at int, share float64, given grants.Coverage) budget {
	left := budget{seen: given.SpansOf(a.url, a.passages[at].ID), bytes: a.bytes, words: math.MaxInt}
	if share < 1 {
		left.bytes = max(0, int(float64(a.bytes)*share)-given.BytesOf(a.url))
	}
	return left
}

// limitWords gives a budget with the words that the terms let a session see: nothing at all where
// it saw more by now.
func (a *article) limitWords(left budget, given grants.Coverage) budget {
	if a.words == 0 {
		return left
	}
	left.words = a.words
	for _, p := range a.passages {
		for _, part := range given.SpansOf(a.url, p.ID) {
			left.words -= len(strings.Fields(p.Text[min(part.From, len(p.Text)):min(part.To, len(p.Text))]))
		}
	}
	if left.words < 0 {
		return budget{}
	}
	return left
}

// reach is how far a text may be seen from a byte on.
func (b budget) reach(text string, from int) int {
	if b.also != nil {
		text = text[:max(from, b.also.reach(text, from))]
	}
	for part := range b.seen.Without(grants.Span{From: from, To: len(text)}) {
		unseen := text[part.From:part.To]
		end := min(len(unseen), b.bytes)
		if b.words < math.MaxInt {
			end = min(end, endOfWord(unseen, b.words))
			b.words -= len(strings.Fields(unseen))
		}
		if end < len(unseen) {
			return part.From + end
		}
		b.bytes -= len(unseen)
	}
	return len(text)
}

// endOfWord is where a word of a text ends, counted from 1; the text's end where it has fewer
// words.
func endOfWord(text string, n int) int {
	if n <= 0 {
		return 0
	}
	within := false
	for i, r := range text {
		blank := unicode.IsSpace(r)
		if within && blank {
			if n--; n == 0 {
				return i
			}
		}
		within = !blank
	}
	return len(text)
}
