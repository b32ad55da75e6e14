package excerpts

import (
	"strings"

	"frontdesk/internal/content/index"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/wire/intent"
)

// part is what of a passage may be given in so many tokens, and from which byte on: all of it; or
// the sentences around the one that fits the question best; or, where that is longer, its
// beginning. Of a passage that was given in part before it is that part, as long as it fits.
func (p passage) part(left budget, tokens int) (from int, text string) {
	whole := p.article.passages[p.at].Text
	if p.bytes > 0 {
		end := min(p.from+p.bytes, len(whole))
		from = min(p.from, end)
		return from, beginning(whole[from:end], min(left.reach(whole, from), end)-from, tokens)
	}
	reach := left.reach(whole, 0)
	if reach == len(whole) && p.article.tokens[p.at] <= tokens {
		return 0, whole
	}
	best := p.focus()
	if best.From == 0 {
		return 0, beginning(whole, reach, tokens)
	}
	if from, text = around(whole, best, left, tokens); text != "" {
		return from, text
	}
	for all := &left; all != nil; all = all.also {
		for _, part := range all.seen { // it may be seen again
			if text = beginning(whole[part.From:part.To], left.reach(whole, part.From)-part.From, tokens); text != "" {
				return part.From, text
			}
		}
	}
	return 0, ""
}

// around is the sentence of a text with those around it that fit: one after it, one before it, and
// so on until one does not fit, so that tighter limits never give what wider ones do not.
func around(whole string, best grants.Span, left budget, tokens int) (from int, text string) {
	fits := func(from, to int) bool {
		return left.reach(whole, from) >= to && intent.Tokens(strings.TrimSpace(whole[from:to])) <= tokens
	}
	if !fits(best.From, best.To) {
		sentence := strings.TrimRight(whole[best.From:best.To], " \n")
		return best.From, beginning(sentence, left.reach(whole, best.From)-best.From, tokens)
	}
	bounds := []int{0}
	for end := range index.SentenceEnds(whole) {
		bounds = append(bounds, end)
	}
	first, last := 0, 0
	for i, at := range bounds {
		if at <= best.From {
			first = i
		}
		if at < best.To {
			last = i + 1
		}
	}
	from, to := best.From, best.To
	for first > 0 || last < len(bounds)-1 {
		if last < len(bounds)-1 {
			if !fits(from, bounds[last+1]) {
				break
			}
			last++
			to = bounds[last]
		}
		if first > 0 {
			before := bounds[first-1] + blanks(whole[bounds[first-1]:])
			if !fits(before, to) {
				break
			}
			first--
			from = before
		}
	}
	return from, strings.TrimRight(whole[from:to], " \n")
}

// blanks is how many bytes of white space a text begins with.
func blanks(text string) int { return len(text) - len(strings.TrimLeft(text, " \n\t\r")) }

// beginning is the beginning of a text that fits into a number of bytes and of tokens: all of it,
// or whole sentences, or, where the first is longer, whole words; empty when hardly anything would
// be left.
func beginning(text string, bytes, tokens int) string {
	whole := text
	if bytes < len(text) {
		for bytes > 0 && text[bytes]&0xC0 == 0x80 {
			bytes--
		}
		text = text[:max(0, bytes)]
	}
	text = firstCharacters(text, max(0, 4*tokens))
	if len(text) == len(whole) {
		return whole
	}
	end := lastSentence(whole, len(text))
	if end > 0 && end >= len(text)/3 {
		return strings.TrimRight(text[:end], " \n")
	}
	if blank := strings.LastIndexAny(text, " \n"); blank >= len(text)/2 && blank >= minPart {
		return strings.TrimRight(text[:blank], " \n")
	}
	if len(text) >= minPart && !strings.ContainsAny(text, " \n") { // a language without blanks
		return text
	}
	return strings.TrimRight(text[:end], " \n") // short as it is: somebody who may see less would get it
}

// minPart is how many bytes of a sentence are worth giving.
const minPart = 24

// lastSentence is where the last sentence of a text ends that is whole within its first most bytes,
// 0 for none.
func lastSentence(text string, most int) (last int) {
	for end := range index.SentenceEnds(text) {
		if end > most {
			break
		}
		last = end
	}
	return last
}

// firstCharacters is the beginning of a text, up to a number of characters.
func firstCharacters(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}
