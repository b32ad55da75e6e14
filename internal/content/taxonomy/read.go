package taxonomy

import (
	"slices"
	"strings"
	"unicode"
)

// How is how a text states a class, from the weakest on.
type How uint8

// The ways to state a class.
const (
	Mentioned How = iota // the text speaks of it
	Implied              // what a thing is called tells it: "Hazelnut wafer"
	Traces               // it may be in it
	Has                  // it is in it
	Free                 // it is not in it
)

// Statement is a class as a text states it.
type Statement struct {
	Class string
	How   How
}

// token is a word of a text.
type token struct {
	word        string
	comma, stop bool // a comma, or what ends a sentence, stands before it
}

// In reads which classes a text states. Words that no phrase around them tells more of state their
// class as how says: those of a list of ingredients as Has, those of a description as Mentioned.
func In(text string, how How) []Statement {
	r := reading{tokens: scan(text), how: how, base: how}
	for r.at < len(r.tokens) {
		r.next()
	}
	if hasJapanese(text) {
		r.found = append(r.found, inJapanese(text, how)...)
	}
	return r.found
}

// scan splits a text into words, as plain has them.
func scan(text string) []token {
	var tokens []token
	comma, stop := false, false
	for len(text) > 0 {
		end := strings.IndexFunc(text, func(c rune) bool { return !isWord(c) })
		if end == 0 {
			end = strings.IndexFunc(text, isWord)
			if end < 0 {
				end = len(text)
			}
			gap := text[:end]
			comma = comma || strings.ContainsAny(gap, ",、，") || strings.Contains(gap, " - ") ||
				strings.Contains(gap, "–")
			stop = stop || strings.ContainsAny(gap, ";!?\n|。！？•") || strings.Contains(gap, ". ") ||
				strings.HasSuffix(gap, ".") && end < len(text) && len(gap) > 1
			text = text[end:]
			continue
		}
		if end < 0 {
			end = len(text)
		}
		if word := plain(text[:end]); word != "" {
			tokens = append(tokens, token{word: word, comma: comma, stop: stop})
			comma, stop = false, false
		}
		text = text[end:]
	}
	return tokens
}

// isWord says whether a character is part of a word.
func isWord(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.Mn, c) || c == '\u00ad'
}

// reading is a text on its way.
type reading struct {
	tokens []token
	how    How
	at     int
	base   How // what words state until the sentence ends
	short  How // what those right behind a cue do, while brief is set
	brief  bool
	aside  bool // they state nothing
	seen   bool // a class was among them
	filler int  // words that stood between
	found  []Statement
	ended  int // the token behind the last class
}

// longestFiller is how many words may stand between a cue and what it is about.
const longestFiller = 2

// next reads what stands at r.at.
func (r *reading) next() {
	t := r.tokens[r.at]
	if t.stop {
		r.base, r.brief = r.how, false
	}
	if t.comma && r.brief && !(r.seen && !r.aside && r.listed()) {
		r.brief = false
	}
	e, n := r.match(r.at)
	switch {
	case n == 0:
		r.other(t.word)
		r.at++
	case e.class != "":
		r.take(e, n)
	default:
		r.cued(e, n)
	}
}

// other passes a word that states nothing.
func (r *reading) other(word string) {
	if !r.brief || tables().joining[word] {
		return
	}
	r.filler++
	if r.seen || r.filler > longestFiller {
		r.brief = false
	}
}

// cued takes a cue of n words.
func (r *reading) cued(e *entry, n int) {
	word := r.tokens[r.at].word
	switch e.cue {
	case cueHas:
		r.base, r.brief = Has, false
	case cueTraces:
		r.base, r.brief = Traces, false
	case cueFree, cueWith, cueAside:
		if e.cue == cueWith && (r.how == Has || r.brief && tables().joining[word]) {
			r.other(word)
			break
		}
		r.brief, r.seen, r.filler, r.aside = true, false, 0, e.cue == cueAside
		r.short = Has
		if e.cue == cueFree {
			r.short = Free
		} else if r.how == Implied {
			r.short = Implied
		}
	case cueAfter:
		r.other(word)
	}
	r.at += n
}

// take takes the words of a class.
func (r *reading) take(e *entry, n int) {
	from := len(r.found)
	how := r.base
	if r.brief {
		how, r.seen = r.short, true
	}
	if e.how == Free {
		how = Free
	}
	if !r.brief || !r.aside {
		r.found = append(r.found, Statement{e.class, how})
	}
	joined := r.ended > 0 && r.at-r.ended <= 1 && (r.at == r.ended || tables().joining[r.tokens[r.ended].word])
	r.at += n
	if r.at < len(r.tokens) && !r.tokens[r.at].stop && !r.tokens[r.at].comma && r.isAfter(r.at) {
		for i := from; i < len(r.found); i++ {
			r.found[i].How = Free
		}
		if joined && from > 0 {
			r.found[from-1].How = Free
		}
		r.at++
	}
	r.ended = r.at
}

// isAfter says whether the word at i tells that what stands before it is not there.
func (r *reading) isAfter(i int) bool {
	return slices.ContainsFunc(tables().entries[r.tokens[i].word], func(e *entry) bool {
		return e.cue == cueAfter && len(e.words) == 1
	})
}

// listed says whether a list of classes goes on at r.at, behind a comma: nothing else stands in it.
func (r *reading) listed() bool {
	joined := false
	for i := r.at; i < len(r.tokens); {
		if i > r.at && r.tokens[i].stop {
			return true
		}
		if e, n := r.match(i); n > 0 && (e.class != "" || e.cue == cueFree) {
			i += n
			continue
		}
		if !tables().joining[r.tokens[i].word] {
			return joined && r.tokens[i].comma
		}
		joined = true
		i++
	}
	return true
}

// match finds the longest entry at token i that is not made another thing by what stands beside it,
// and how many words it has.
func (r *reading) match(i int) (*entry, int) {
	word := r.tokens[i].word
	var best *entry
	for _, e := range tables().entries[word] {
		if best != nil && (len(e.words) < len(best.words) || best.class != "") {
			break
		}
		if r.has(i, e.words) && (e.class == "" || e.how == Free || !r.unlike(e.class, i, len(e.words))) {
			if best == nil || e.class != "" {
				best = e
			}
		}
	}
	if best != nil {
		return best, len(best.words)
	}
	if e := r.compound(i); e != nil {
		return e, 1
	}
	if singular := singular(word); singular != word {
		for _, e := range tables().entries[singular] {
			if len(e.words) == 1 && e.class != "" && e.how != Free && !r.unlike(e.class, i, 1) {
				return e, 1
			}
		}
	}
	return nil, 0
}

// has says whether words stand at token i, in one sentence.
func (r *reading) has(i int, words []string) bool {
	if i+len(words) > len(r.tokens) {
		return false
	}
	for k, word := range words {
		if t := r.tokens[i+k]; t.word != word || k > 0 && (t.stop || t.comma) {
			return false
		}
	}
	return true
}

// longestBeside is how many words what makes something else of a word has at most.
const longestBeside = 4

// unlike says whether what stands beside n words at i makes something else of them.
func (r *reading) unlike(class string, i, n int) bool {
	c := tables().classes[class]
	end := i + n
	for _, phrase := range c.not {
		for k := max(0, i-len(phrase)+1); k <= i; k++ {
			if r.has(k, phrase) {
				return true
			}
		}
	}
	for k := 1; k <= longestBeside; k++ {
		if i-k >= 0 && !r.tokens[i-k+1].stop && !r.tokens[i-k+1].comma && slices.Contains(c.before, r.words(i-k, i)) {
			return true
		}
		if end+k <= len(r.tokens) && !r.tokens[end+k-1].stop && !r.tokens[end+k-1].comma &&
			slices.Contains(c.after, r.words(end, end+k)) {
			return true
		}
	}
	return false
}

func (r *reading) words(i, j int) string {
	if j == i+1 {
		return r.tokens[i].word
	}
	var b strings.Builder
	for ; i < j; i++ {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(r.tokens[i].word)
	}
	return b.String()
}

// compound finds the class of a word that is made of several, as German has them:
// "Haselnussnougat", "nussfrei".
func (r *reading) compound(i int) *entry {
	word := r.tokens[i].word
	if len(word) <= stemKey {
		return nil
	}
	if class := freeOf(word); class != "" {
		return &entry{class: class, how: Free}
	}
	for _, e := range tables().front[word[:stemKey]] {
		rest, ok := strings.CutPrefix(word, e.stem)
		after := tables().classes[e.class].after
		if ok && rest != "" && !slices.ContainsFunc(after,
			func(tail string) bool { return strings.HasPrefix(rest, tail) }) && !r.unlike(e.class, i, 1) {
			return e
		}
	}
	for _, e := range tables().back[word[len(word)-stemKey:]] {
		lead, ok := strings.CutSuffix(word, e.stem)
		before := tables().classes[e.class].before
		if ok && lead != "" && !slices.ContainsFunc(before, func(head string) bool {
			return strings.HasPrefix(lead, head) || strings.HasSuffix(lead, head)
		}) && !r.unlike(e.class, i, 1) {
			return e
		}
	}
	return nil
}

// freeOf gives the class that a word says something is free of: "nussfrei", "dairyfree".
func freeOf(word string) string {
	for _, tail := range tables().tails {
		lead, ok := strings.CutSuffix(word, tail)
		if !ok || len(lead) < 2 {
			continue
		}
		for _, form := range [...]string{
			lead, strings.TrimSuffix(lead, "n"), strings.TrimSuffix(lead, "s"), lead + "e",
		} {
			if class, called := tables().called[form]; called {
				return class
			}
		}
	}
	return ""
}

// singular takes the ending of a plural off a word, where the rule is plain.
func singular(word string) string {
	n := len(word)
	switch {
	case n > 4 && strings.HasSuffix(word, "ies"):
		return word[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(word, "oes") || strings.HasSuffix(word, "shes") ||
		strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes")):
		return word[:n-2]
	case n > 3 && word[n-1] == 's' && word[n-2] != 's' && word[n-2] != 'u' && word[n-2] != 'i':
		return word[:n-1]
	}
	return word
}

func hasJapanese(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool {
		return c >= 0x3040 && c <= 0x30ff || c >= 0x4e00 && c <= 0x9fff
	}) >= 0
}

// inJapanese reads the classes of a text that has no blanks between its words.
func inJapanese(text string, how How) (found []Statement) {
	for sentence := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune("。！？\n;", c) }) {
		traces := slices.ContainsFunc(tables().cues, func(e *entry) bool {
			return e.cue == cueTraces && strings.Contains(sentence, e.words[0])
		})
		whole := sentence
		for _, e := range tables().japanese {
			for at := strings.Index(sentence, e.words[0]); at >= 0; at = strings.Index(sentence, e.words[0]) {
				state := how
				blank := strings.Repeat("_", len(e.words[0]))
				if within(whole, at, len(blank), tables().classes[e.class].not) {
					sentence = sentence[:at] + blank + sentence[at+len(blank):]
					continue
				}
				switch after := sentence[at+len(e.words[0]):]; {
				case e.how == Free || deniedIn(after):
					state = Free
				case traces:
					state = Traces
				case how == Mentioned && slices.ContainsFunc(tables().behind, func(says string) bool {
					return strings.HasPrefix(after, says)
				}):
					state = Has
				}
				found = append(found, Statement{e.class, state})
				sentence = sentence[:at] + blank + sentence[at+len(blank):]
			}
		}
	}
	return found
}

// within says whether n bytes of a text at an offset are part of one of some phrases.
func within(text string, at, n int, phrases [][]string) bool {
	for _, phrase := range phrases {
		for from := 0; ; {
			k := strings.Index(text[from:], phrase[0])
			if k < 0 {
				break
			}
			if k += from; k <= at && at+n <= k+len(phrase[0]) {
				return true
			}
			from = k + len(phrase[0])
		}
	}
	return false
}

// deniedIn says whether what stands behind a word in Japanese tells that it is not there. Further
// words of a list may stand between.
func deniedIn(after string) bool {
	for range 8 {
		for _, e := range tables().cues {
			if e.cue == cueFree && strings.HasPrefix(after, e.words[0]) {
				return true
			}
		}
		next := strings.TrimLeft(after, "_、・")
		for _, e := range tables().japanese {
			next = strings.TrimPrefix(next, e.words[0])
		}
		for _, join := range tables().joins {
			next = strings.TrimPrefix(next, join)
		}
		if next == after {
			return false
		}
		after = next
	}
	return false
}
