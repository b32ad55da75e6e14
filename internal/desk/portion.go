package desk

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/answer"
	"frontdesk/internal/excerpt"
	"frontdesk/internal/terms"
	"frontdesk/internal/trust"
	"frontdesk/wire/intent"
)

// tighter is a limit where a key may have its own below it.
func tighter(declared, own int) int {
	if own > 0 {
		return min(declared, own)
	}
	return declared
}

// choose takes in of passages, the best first, what may be given beside what the session was given before, and says how
// that is recorded.
func (out *Retrieved) choose(owner *Excerpts, key trust.PlatformKey, passages iter.Seq[passage], given excerpt.Given) (record excerpt.Answer) {
	out.Citations = owner.Citations
	out.MaxChunks, out.MaxTokens = tighter(owner.MaxChunks, key.MaxChunks), tighter(owner.MaxTokens, key.MaxTokens)
	record.MaxChunks, record.MaxTokens = out.MaxChunks, out.MaxTokens
	for p := range passages {
		whole := p.article.passages[p.at]
		text := p.part(whole.Text, p.article.left(p.at, owner, given), out.MaxTokens-record.Tokens)
		if text == "" || out.has(p) {
			continue
		}
		c := excerpt.Chunk{Site: p.article.site, URL: p.article.url, Passage: whole.ID, Rule: p.article.rule}
		if len(text) < len(whole.Text) {
			c.Bytes = len(text)
		}
		given.Add(c.URL, c.Passage, len(text))
		record.Chunks = append(record.Chunks, c)
		record.Tokens += intent.Tokens(text)
		if out.add(owner, p.article, c, text); len(out.Chunks) == out.MaxChunks {
			break
		}
	}
	return record
}

// has says whether a passage is among the chunks; two sources may have the same article.
func (out *Retrieved) has(p passage) bool {
	id := chunkID(excerpt.Chunk{Site: p.article.site, URL: p.article.url, Passage: p.article.passages[p.at].ID})
	return slices.ContainsFunc(out.Chunks, func(c Chunk) bool { return c.ID == id })
}

// left is how many bytes of a passage a session may see, from its beginning, that was given some of the article before.
func (a *article) left(at int, owner *Excerpts, given excerpt.Given) int {
	left, own := a.bytes, given[a.url][a.passages[at].ID]
	if !owner.FullArticle {
		left = own + max(0, int(float64(a.bytes)*owner.Share)-given.Of(a.url))
	}
	if a.words == 0 {
		return left
	}
	words := a.words
	for i, p := range a.passages {
		if seen := given[a.url][p.ID]; i != at && seen > 0 {
			words -= len(strings.Fields(p.Text[:min(seen, len(p.Text))]))
		}
	}
	return min(left, max(own, endOfWord(a.passages[at].Text, words)))
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
func (out *Retrieved) add(owner *Excerpts, a *article, c excerpt.Chunk, text string) {
	id := chunkID(c)
	out.Chunks = append(out.Chunks, Chunk{ID: id, Text: text, Tokens: intent.Tokens(text)})
	address := terms.ASCIIAddress(c.URL)
	at := slices.IndexFunc(out.Sources, func(s Source) bool { return s.URL == address })
	if at < 0 {
		at = len(out.Sources)
		out.Sources = append(out.Sources, Source{URL: address, Title: a.title, Publisher: cmp.Or(a.publisher, owner.PublisherName)})
	}
	out.Sources[at].Chunks = append(out.Sources[at].Chunks, id)
}

var lettered = base32.StdEncoding.WithPadding(base32.NoPadding)

// chunkID is the id of a passage for everybody, whoever asks and whenever.
func chunkID(c excerpt.Chunk) string {
	sum := sha256.Sum256([]byte(c.Site + "\n" + c.URL + "\n" + c.Passage))
	return "c_" + strings.ToLower(lettered.EncodeToString(sum[:15]))
}

// part is what of a passage's text may be given, in so many bytes and tokens. Of one that was given in part before it is
// that part, as long as it fits.
func (p passage) part(text string, bytes, tokens int) string {
	if p.bytes == 0 || p.bytes >= len(text) {
		return beginning(text, bytes, tokens)
	}
	if once := text[:p.bytes]; p.bytes <= bytes && utf8.ValidString(once) && intent.Tokens(once) <= tokens {
		return once
	}
	return beginning(text, min(bytes, p.bytes), tokens)
}

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
	if end := lastSentence(whole, len(text)); end > 0 && end >= len(text)/3 {
		return strings.TrimRight(text[:end], " \n")
	}
	if blank := strings.LastIndexAny(text, " \n"); blank >= len(text)/2 && blank >= leastPart {
		return strings.TrimRight(text[:blank], " \n")
	}
	if len(text) >= leastPart && !strings.ContainsAny(text, " \n") { // a language without blanks
		return text
	}
	return ""
}

// leastPart is how many bytes of a sentence are worth giving.
const leastPart = 24

// lastSentence is where the last sentence of a text ends that is whole within its first most bytes, 0 for none.
func lastSentence(text string, most int) (last int) {
	for end := range answer.SentenceEnds(text) {
		if end > most {
			break
		}
		last = end
	}
	return last
}
