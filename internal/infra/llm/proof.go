package llm

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSummary is how long a summary may be, in characters.
const maxSummary = 2000

// proof holds a summary against what it was made of, sentence by sentence. What a model can be
// talked into by a text that it reads ends here: an address that is not an item's, a figure that
// stands nowhere, markup, a citation of nothing.
type proof struct {
	asking  SummaryRequest
	figures map[string]bool // that stand in the question and the items
	held    string          // the beginning of a sentence
	read    int             // bytes taken
	text    strings.Builder // sentences that passed
	cited   []int
}

func newProof(a SummaryRequest) *proof {
	var said strings.Builder
	said.WriteString(a.Question)
	for _, s := range show(a.Sources, summarizeRunes) {
		said.WriteString("\n" + s.Type + "\n" + s.Name + "\n" + s.Facts + "\n" + s.Text)
	}
	p := &proof{asking: a, figures: map[string]bool{}}
	for _, figure := range figures(said.String()) {
		p.figures[figure] = true
	}
	return p
}

// write takes a piece of the summary, and gives the sentences that it completes, as they are to be
// read.
func (p *proof) write(piece string) (passed []string, err error) {
	p.read += len(piece)
	p.held += piece
	for {
		end := sentenceEnd(p.held)
		if end < 0 {
			break
		}
		sentence := p.held[:end]
		p.held = p.held[end:]
		clean, err := p.pass(sentence)
		if err != nil {
			return passed, err
		}
		if clean != "" {
			passed = append(passed, clean)
		}
	}
	if len(p.held) > 4*maxSummary {
		return passed, fault(Unusable, "a sentence does not end")
	}
	return passed, nil
}

// end takes what is left as the last sentence, and says whether the whole is a summary.
func (p *proof) end() (rest string, err error) {
	rest, err = p.pass(p.held)
	p.held = ""
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(p.text.String()) == "":
		return "", fault(Unusable, "the summary is empty")
	case len(p.cited) == 0:
		return "", fault(Unusable, "the summary cites nothing")
	}
	return rest, nil
}

// sentenceEnd is where the first sentence of a text ends, behind the citations and blanks that
// follow it; -1 while that is not known, since more may follow.
func sentenceEnd(text string) int {
	for i, r := range text {
		if !strings.ContainsRune(".!?。！？\n", r) {
			continue
		}
		at := i + utf8.RuneLen(r)
		wide := strings.ContainsRune("。！？", r)
		if r != '\n' && !wide && at < len(text) && !strings.ContainsRune(" \n\t[", rune(text[at])) {
			continue // a figure's point, or a name's
		}
		rest := text[at:]
		trailing := len(rest) - len(strings.TrimLeft(rest, " \n\t"))
		rest = rest[trailing:]
		for strings.HasPrefix(rest, "[") {
			closed := strings.IndexByte(rest, ']')
			if closed < 0 {
				return -1
			}
			trailing += closed + 1
			blank := len(rest[closed+1:]) - len(strings.TrimLeft(rest[closed+1:], " \n\t"))
			trailing += blank
			rest = rest[closed+1+blank:]
		}
		if rest == "" {
			return -1
		}
		return at + trailing
	}
	return -1
}

// pass checks a sentence and adds it to the text, with its citations in our count.
func (p *proof) pass(sentence string) (string, error) {
	clean := strings.TrimSpace(visible(sentence))
	if clean == "" {
		return "", nil
	}
	clean, err := p.cite(clean)
	if err != nil {
		return "", err
	}
	if err := p.check(clean); err != nil {
		return "", err
	}
	if p.text.Len() > 0 {
		clean = " " + clean
	}
	p.text.WriteString(clean)
	if utf8.RuneCountInString(p.text.String()) > maxSummary {
		return "", fault(Unusable, "the summary is longer than %d characters", maxSummary)
	}
	return clean, nil
}

// visible leaves out what cannot be seen, and makes one line of many.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
}

var citation = regexp.MustCompile(`\[\s*\d+(?:\s*,\s*\d+)*\s*\]`)

// cite checks the citations of a sentence and counts them as they come: the first item that is
// cited is [1].
func (p *proof) cite(sentence string) (string, error) {
	var wrong error
	text := citation.ReplaceAllStringFunc(sentence, func(mark string) string {
		var out strings.Builder
		for id := range strings.SplitSeq(mark[1:len(mark)-1], ",") {
			n, err := strconv.Atoi(strings.TrimSpace(id))
			if err != nil || n < 1 || n > len(p.asking.Sources) {
				wrong = fault(Unusable, "the summary cites what is not among the items")
				return ""
			}
			at := slices.Index(p.cited, n-1)
			if at < 0 {
				p.cited = append(p.cited, n-1)
				at = len(p.cited) - 1
			}
			out.WriteString("[" + strconv.Itoa(at+1) + "]")
		}
		return out.String()
	})
	return text, wrong
}

// markup is what a plain sentence does not have: tags, links and pictures of Markdown, code.
var markup = regexp.MustCompile("<[A-Za-z/!]|\\]\\(|!\\[|`|&#?[A-Za-z0-9]+;")

// check holds a sentence against the items: its addresses must be theirs, and its figures stand
// there.
func (p *proof) check(sentence string) error {
	if markup.MatchString(sentence) {
		return fault(Unusable, "the summary holds markup")
	}
	for _, address := range addresses(sentence) {
		if !p.isSource(address) && !p.isName(address) {
			return fault(Unusable, "the summary holds an address that is no item's")
		}
	}
	for _, figure := range figures(citation.ReplaceAllString(sentence, " ")) {
		if !p.figures[figure] && len(figure) > 1 && !p.counts(figure) {
			return fault(Unusable, "the summary holds a figure that stands nowhere")
		}
	}
	return nil
}

// isName says whether what looks like an address is a part of a name or of the question, as Node.js
// is.
func (p *proof) isName(address string) bool {
	if strings.ContainsAny(address, ":/@") {
		return false
	}
	return strings.Contains(p.asking.Question, address) ||
		slices.ContainsFunc(p.asking.Sources, func(s Source) bool { return strings.Contains(s.Name, address) })
}

// counts says whether a figure can be a number of the items.
func (p *proof) counts(figure string) bool {
	n, err := strconv.Atoi(figure)
	return err == nil && n <= len(p.asking.Sources)
}

// isSource says whether an address is that of an item, as it stands or without scheme and "www.".
func (p *proof) isSource(address string) bool {
	want := bare(address)
	return slices.ContainsFunc(p.asking.Sources, func(s Source) bool { return s.URL != "" && bare(s.URL) == want })
}

func bare(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Host + u.RequestURI()
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(address), "www."), "/")
}

// address is what a reader could take for one: with a scheme, or a name with a dot before letters,
// or of mail.
var address = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://[^\s<>"')\]]+|//[^\s]+|(?:mailto|tel|javascript|data):\S+|(?:[\pL\pN-]+\.)+\pL{2,}(?:[/:?#][^\s<>"')\]]*)?|[^\s@]+@[^\s@]+`)

// addresses are the addresses in a text, without the points that end its sentences.
func addresses(text string) []string {
	var found []string
	for _, a := range address.FindAllString(text, -1) {
		found = append(found, strings.TrimRight(a, ".,;:!?"))
	}
	return found
}

var figure = regexp.MustCompile(`\pN+(?:[.,']\pN+)*`)

// figures are the numbers in a text in one form: without marks between thousands, and zeros at the
// end of decimals.
func figures(text string) []string {
	found := figure.FindAllString(text, -1)
	for i, f := range found {
		found[i] = plainFigure(f)
	}
	return found
}

func plainFigure(text string) string {
	at := strings.LastIndexAny(text, ".,")
	// 1,200
	if at < 0 || len(text)-at-1 == 3 && strings.Count(text, text[at:at+1]) >= 1 && strings.Trim(text[:at], "0") != "" {
		return strings.NewReplacer(".", "", ",", "", "'", "").Replace(text)
	}
	whole := strings.NewReplacer(".", "", ",", "", "'", "").Replace(text[:at])
	if decimals := strings.TrimRight(text[at+1:], "0"); decimals != "" {
		return whole + "." + decimals
	}
	return whole
}
