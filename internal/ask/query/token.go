package query

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// maxTokens bounds what is read of a question; the words beyond are searched for like any others.
const maxTokens = 400

// token is a word, a number or a sign of the question.
type token struct {
	start, end   int  // in the text
	fstart, fend int  // in the folded line
	comma, stop  bool // stands behind a comma, or behind what ends a clause
	glued        bool // nothing stands between it and the token before but perhaps a hyphen
	dash         bool // a dash stands before it
	number       bool // begins with a digit
	used         bool // has become a constraint or the like
}

// line is a question in tokens. The folded words stand in one text with a blank between, so that a
// phrase of several is a part of it.
type line struct {
	text   string
	folded string
	tokens []token
}

// phrase is the folded words from token i to before token j.
func (l *line) phrase(i, j int) string { return l.folded[l.tokens[i].fstart:l.tokens[j-1].fend] }

// word is the folded word at i; empty beyond the end.
func (l *line) word(i int) string {
	if i < 0 || i >= len(l.tokens) {
		return ""
	}
	return l.folded[l.tokens[i].fstart:l.tokens[i].fend]
}

// behind gives the first token that begins at an offset of the text or after it.
func (l *line) behind(i, offset int) int {
	for i < len(l.tokens) && l.tokens[i].start < offset {
		i++
	}
	return i
}

// signs are characters that are tokens by themselves.
const signs = "$€£¥₹＄￥<>=≤≥+~%&"

// elided are the words that lose their vowel before an apostrophe, as in French and Italian: what
// follows is a word of its own.
var elided = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for list := range language.Each("elided") {
		for _, word := range list.Phrases {
			words[word] = true
		}
	}
	return words
})

// dayparts are the names of days with a part of the day joined to them, each with the length of the
// day's.
var dayparts = sync.OnceValue(func() map[string]int {
	joined := map[string]int{}
	for day := range language.Each("day") {
		if _, weekday := facets.WeekdayOf(day.Argument); !weekday {
			continue
		}
		for part := range language.Each("time.daypart") {
			for _, d := range day.Phrases {
				for _, p := range part.Phrases {
					d, p := facets.Fold(d), facets.Fold(p)
					joined[d+p] = len(d)
				}
			}
		}
	}
	return joined
})

// split splits a question into tokens.
func split(text string) *line {
	l := &line{text: text, tokens: make([]token, 0, 24)}
	var b strings.Builder
	b.Grow(len(text) + 8)
	comma, stop, glued, dash := false, false, false, false
	add := func(start, end int, folded string, number bool) {
		if folded == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fstart := b.Len()
		b.WriteString(folded)
		l.tokens = append(l.tokens, token{
			start: start, end: end, fstart: fstart, fend: b.Len(), comma: comma, stop: stop,
			glued: glued && len(l.tokens) > 0, dash: dash, number: number,
		})
		comma, stop, glued, dash = false, false, true, false
	}
	for i := 0; i < len(text) && len(l.tokens) < maxTokens; {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsDigit(r):
			end := numberEnd(text, i)
			add(i, end, facets.Fold(text[i:end]), true)
			i = end
		case unicode.IsLetter(r), unicode.Is(unicode.Mn, r):
			end := wordEnd(text, i)
			folded := facets.Fold(text[i:end])
			if at := dayparts()[folded]; at > 0 && len(folded) == end-i { // "Dienstagabend"
				add(i, i+at, folded[:at], false)
				i, folded = i+at, folded[at:]
			}
			add(i, end, folded, false)
			i = end
		case strings.ContainsRune(signs, r):
			end := i + size
			if (r == '<' || r == '>') && strings.HasPrefix(text[end:], "=") {
				end++
			}
			add(i, end, text[i:end], false)
			i = end
		default:
			switch r {
			case '-', '‐', '‑', '–':
				dash = true
				glued = glued && i > 0 && text[i-1] != ' '
			case '\'', '’', '/':
			case ',', '、':
				comma, glued = true, false
			case '.', ';', ':', '!', '?', '(', ')', '"', '“', '”', '\n', '。', '？', '！', '—':
				stop, glued = true, false
			default:
				glued = false
			}
			i += size
		}
	}
	l.folded = b.String()
	return l
}

// numberEnd is where the number at i ends: digits with dots and commas between them.
func numberEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsDigit(r) {
			i += size
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if (r != '.' && r != ',') || !unicode.IsDigit(next) {
			break
		}
		i += size
	}
	return i
}

// wordEnd is where the word at i ends. An apostrophe within is part of it, but behind what is
// elided.
func wordEnd(text string, i int) int {
	start := i
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) || r == '\u00ad' {
			i += size
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if r != '\'' && r != '’' || !unicode.IsLetter(next) || elided()[strings.ToLower(text[start:i])] {
			break
		}
		i += size
	}
	return i
}

// rest gives the words that were not used, as they were written. Words that only join what was used
// to them go, too.
func (l *line) rest() string {
	var b strings.Builder
	for i := 0; i < len(l.tokens); i++ {
		if l.tokens[i].used {
			continue
		}
		from := i
		for i+1 < len(l.tokens) && !l.tokens[i+1].used {
			i++
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(l.text[l.tokens[from].start:l.tokens[i].end])
	}
	if n := len(l.tokens); n == maxTokens {
		b.WriteString(l.text[l.tokens[n-1].end:])
	}
	return b.String()
}

// use marks the tokens from i to before j.
func (l *line) use(i, j int) {
	for ; i < j; i++ {
		l.tokens[i].used = true
	}
}

// said is the text of the tokens from i to before j.
func (l *line) said(i, j int) string { return l.text[l.tokens[i].start:l.tokens[j-1].end] }
