package excerpts

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"frontdesk/internal/content/index"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
)

// tighter is a limit where a key may have its own below it.
func tighter(declared, own int) int {
	if own > 0 {
		return min(declared, own)
	}
	return declared
}

// givenBefore is what was given before: to the session that asks, and to all of its platform in [articleDay].
type givenBefore struct {
	session, platform grants.Given
	fresh             []string // the addresses of articles with parts that are new to the platform
}

// add takes in that a part of an article is given.
func (g *givenBefore) add(c grants.Chunk, part grants.Span) {
	g.session.Add(c.URL, c.Passage, part)
	had := g.platform.Of(c.URL)
	if g.platform.Add(c.URL, c.Passage, part); g.platform.Of(c.URL) > had && !slices.Contains(g.fresh, c.URL) {
		g.fresh = append(g.fresh, c.URL)
	}
}

// choose takes in of passages, the best first, what may be given beside what was given before, and says how that is
// recorded.
func (out *Retrieved) choose(owner *Policy, key identity.PlatformKey, passages iter.Seq[passage], given *givenBefore) (record grants.Answer) {
	out.Citations = owner.Supports.Citations
	out.MaxChunks, out.MaxTokens = tighter(owner.Limits.Chunks, key.MaxChunks), tighter(owner.Limits.Tokens, key.MaxTokens)
	record.MaxChunks, record.MaxTokens = out.MaxChunks, out.MaxTokens
	for p := range passages {
		whole := p.article.passages[p.at]
		c := grants.Chunk{Site: p.article.site, URL: p.article.url, Passage: whole.ID, Rule: p.article.rule}
		if has(record, c) {
			continue
		}
		left, tokens := p.article.left(p.at, owner, given), out.MaxTokens-record.Tokens
		from, text := p.part(left, tokens)
		if left.also != nil && len(text) < len(whole.Text) {
			left.also = nil
			_, alone := p.part(left, tokens)
			record.ByDay = record.ByDay || len(alone) > len(text)
		}
		if text == "" {
			continue
		}
		if len(text) < len(whole.Text) {
			c.From, c.Bytes = from, len(text)
		}
		given.add(c, grants.Span{From: from, To: from + len(text)})
		record.Chunks = append(record.Chunks, c)
		tokens = p.article.tokensOf(p.at, text)
		record.Tokens += tokens
		if out.add(owner, p.article, c, Chunk{Text: text, Tokens: tokens}); len(out.Chunks) == out.MaxChunks {
			break
		}
	}
	if record.ByDay && record.Tokens > 0 {
		record.MaxTokens = record.Tokens
	}
	out.MaxTokens, out.LimitedByDay = record.MaxTokens, record.ByDay
	return record
}

// has says whether a passage is among the chunks; two sources may have the same article.
func has(record grants.Answer, one grants.Chunk) bool {
	return slices.ContainsFunc(record.Chunks, func(c grants.Chunk) bool { return c.Site == one.Site && c.URL == one.URL && c.Passage == one.Passage })
}

// allowance is what of a passage may be seen: again what was seen, and beside that so many bytes and words.
type allowance struct {
	seen         grants.Spans
	bytes, words int
	also         *allowance // which bounds it, too; nil for none
}

// left is what of a passage a session may see that was given some of the article before, bounded also by what all of its
// platform may see.
func (a *article) left(at int, owner *Policy, given *givenBefore) allowance {
	left := a.inWords(a.within(at, owner.share(), given.session), given.session)
	day := owner.shareOfDay()
	if day < 1 && (given.platform.Of(a.url) > 0 || day < owner.share()) { // else the session's share is less
		together := a.within(at, day, given.platform)
		left.also = &together
	}
	return left
}

// within is what of a passage may be seen by a share of the article: nothing more where that was exceeded by now.
func (a *article) within(at int, share float64, given grants.Given) allowance {
	left := allowance{seen: given.Parts(a.url, a.passages[at].ID), bytes: a.bytes, words: math.MaxInt}
	if share < 1 {
		left.bytes = max(0, int(float64(a.bytes)*share)-given.Of(a.url))
	}
	return left
}

// inWords is an allowance with the words that the terms let a session see: nothing at all where it saw more by now.
func (a *article) inWords(left allowance, given grants.Given) allowance {
	if a.words == 0 {
		return left
	}
	left.words = a.words
	for _, p := range a.passages {
		for _, part := range given.Parts(a.url, p.ID) {
			left.words -= len(strings.Fields(p.Text[min(part.From, len(p.Text)):min(part.To, len(p.Text))]))
		}
	}
	if left.words < 0 {
		return allowance{}
	}
	return left
}

// reach is how far a text may be seen from a byte on.
func (l allowance) reach(text string, from int) int {
	if l.also != nil {
		text = text[:max(from, l.also.reach(text, from))]
	}
	for part := range l.seen.Rest(grants.Span{From: from, To: len(text)}) {
		unseen := text[part.From:part.To]
		end := min(len(unseen), l.bytes)
		if l.words < math.MaxInt {
			end = min(end, endOfWord(unseen, l.words))
			l.words -= len(strings.Fields(unseen))
		}
		if end < len(unseen) {
			return part.From + end
		}
		l.bytes -= len(unseen)
	}
	return len(text)
}

// endOfWord is where a word of a text ends, counted from 1; the text's end where it has fewer words.
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

// add takes a chunk in, with its source.
func (out *Retrieved) add(owner *Policy, a *article, c grants.Chunk, given Chunk) {
	id := chunkID(c)
	given.ID = id
	out.Chunks = append(out.Chunks, given)
	address := policy.ASCIIAddress(c.URL)
	at := slices.IndexFunc(out.Sources, func(s Source) bool { return s.URL == address })
	if at < 0 {
		at = len(out.Sources)
		out.Sources = append(out.Sources, Source{URL: address, Title: a.title, Publisher: cmp.Or(a.publisher, owner.Publisher.Name)})
	}
	out.Sources[at].Chunks = append(out.Sources[at].Chunks, id)
}

var lettered = base32.StdEncoding.WithPadding(base32.NoPadding)

// chunkID is the id of a passage, or of one from a byte on, for everybody, whoever asks and whenever.
func chunkID(c grants.Chunk) string {
	name := c.Site + "\n" + c.URL + "\n" + c.Passage
	if c.From > 0 {
		name += "\n" + strconv.Itoa(c.From)
	}
	sum := sha256.Sum256([]byte(name))
	return "c_" + strings.ToLower(lettered.EncodeToString(sum[:15]))
}

// part is what of a passage may be given in so many tokens, and from which byte on: all of it; or the sentences around the one
// that fits the question best; or, where that is longer, its beginning. Of a passage that was given in part before it is that
// part, as long as it fits.
func (p passage) part(left allowance, tokens int) (from int, text string) {
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

// around is the sentence of a text with those around it that fit: one after it, one before it, and so on until one does not fit,
// so that tighter limits never give what wider ones do not.
func around(whole string, best grants.Span, left allowance, tokens int) (from int, text string) {
	fits := func(from, to int) bool {
		return left.reach(whole, from) >= to && intent.Tokens(strings.TrimSpace(whole[from:to])) <= tokens
	}
	if !fits(best.From, best.To) {
		return best.From, beginning(strings.TrimRight(whole[best.From:best.To], " \n"), left.reach(whole, best.From)-best.From, tokens)
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

// beginning is the beginning of a text that fits into a number of bytes and of tokens: all of it, or whole sentences,
// or, where the first is longer, whole words; empty when hardly anything would be left.
func beginning(text string, bytes, tokens int) string {
	whole := text
	if bytes < len(text) {
		for bytes > 0 && text[bytes]&0xC0 == 0x80 {
			bytes--
		}
		text = text[:max(0, bytes)]
	}
	text = clipped(text, max(0, 4*tokens))
	if len(text) == len(whole) {
		return whole
	}
	end := lastSentence(whole, len(text))
	if end > 0 && end >= len(text)/3 {
		return strings.TrimRight(text[:end], " \n")
	}
	if blank := strings.LastIndexAny(text, " \n"); blank >= len(text)/2 && blank >= leastPart {
		return strings.TrimRight(text[:blank], " \n")
	}
	if len(text) >= leastPart && !strings.ContainsAny(text, " \n") { // a language without blanks
		return text
	}
	return strings.TrimRight(text[:end], " \n") // short as it is: somebody who may see less would get it
}

// leastPart is how many bytes of a sentence are worth giving.
const leastPart = 24

// lastSentence is where the last sentence of a text ends that is whole within its first most bytes, 0 for none.
func lastSentence(text string, most int) (last int) {
	for end := range index.SentenceEnds(text) {
		if end > most {
			break
		}
		last = end
	}
	return last
}
