package excerpts

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"iter"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
)

// selectChunks takes of passages, the best first, what may be given beside what was given before,
// and says how that is recorded.
func (r *retrieval) selectChunks(
	passages iter.Seq[passage], given *givenBefore,
) (out *RetrieveResult, record grants.Answer) {
	out = &RetrieveResult{
		Event:     intent.AccessEventID(r.policy.Publisher.ID, r.Key.Platform, r.ID),
		Citations: r.policy.Supports.Citations, MaxChunks: r.maxChunks, MaxTokens: r.maxTokens,
	}
	record.MaxChunks, record.MaxTokens = r.maxChunks, r.maxTokens
	for p := range passages {
		whole := p.article.passages[p.at]
		c := grants.Chunk{Site: p.article.site, URL: p.article.url, Passage: whole.ID, Rule: p.article.rule}
		if has(record, c) {
			continue
		}
		left, tokens := p.article.budget(p.at, r.policy, given), r.maxTokens-record.Tokens
		from, text := p.part(left, tokens)
		if left.also != nil && len(text) < len(whole.Text) {
			left.also = nil
			_, alone := p.part(left, tokens)
			record.LimitedByDay = record.LimitedByDay || len(alone) > len(text)
		}
		if text == "" {
			continue
		}
		if len(text) < len(whole.Text) {
			c.From, c.Bytes = from, len(text)
		}
		given.add(c, grants.Span{From: from, To: from + len(text)})
		chunk := Chunk{ID: chunkID(c), Text: text, Tokens: p.article.tokensOf(p.at, text)}
		record.Chunks, record.Tokens = append(record.Chunks, c), record.Tokens+chunk.Tokens
		if out.add(chunk, p.article, r.policy); len(out.Chunks) == r.maxChunks {
			break
		}
	}
	if record.LimitedByDay && record.Tokens > 0 {
		record.MaxTokens = record.Tokens
	}
	out.MaxTokens, out.LimitedByDay = record.MaxTokens, record.LimitedByDay
	return out, record
}

// has says whether a passage is among the chunks; two sources may have the same article.
func has(record grants.Answer, one grants.Chunk) bool {
	return slices.ContainsFunc(record.Chunks, func(c grants.Chunk) bool {
		return c.Site == one.Site && c.URL == one.URL && c.Passage == one.Passage
	})
}

// add takes a chunk in, with its source.
func (out *RetrieveResult) add(chunk Chunk, of *article, p *Policy) {
	out.Chunks = append(out.Chunks, chunk)
	address := policy.ASCIIAddress(of.url)
	at := slices.IndexFunc(out.Sources, func(s Source) bool { return s.URL == address })
	if at < 0 {
		at = len(out.Sources)
		source := Source{URL: address, Title: of.title, Publisher: cmp.Or(of.publisher, p.Publisher.Name)}
		out.Sources = append(out.Sources, source)
	}
	out.Sources[at].Chunks = append(out.Sources[at].Chunks, chunk.ID)
}

var lettered = base32.StdEncoding.WithPadding(base32.NoPadding)

// chunkID is the id of a passage, or of one from a byte on, for everybody, whoever asks and
// whenever.
func chunkID(c grants.Chunk) string {
	name := c.Site + "\n" + c.URL + "\n" + c.Passage
	if c.From > 0 {
		name += "\n" + strconv.Itoa(c.From)
	}
	sum := sha256.Sum256([]byte(name))
	return "c_" + strings.ToLower(lettered.EncodeToString(sum[:15]))
}
