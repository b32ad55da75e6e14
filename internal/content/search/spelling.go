package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
	"frontdesk/internal/content/search/slips"
)

// A word of the question that no item has may be misspelt: it is corrected to a word that items
// have, when that is near enough, stands beside the question's other words somewhere, and the
// corrected question finds something better. A word that has no others beside it is more likely to
// be something that is not here than misspelt, so that only small slips are corrected then. Words
// that some item has stay as they are, unless nothing answers the question and hardly any item has
// them, and none in its title or keys; and so does everything with a digit.
const (
	mostMisspelt  = 4   // words of a question that are corrected at most
	mostTried     = 16  // distinct words of it for which a correction is looked for
	mostLikely    = 12  // candidates for a word that are looked at closely
	pricePerTenth = 0.4 // what a tenth of a letter is worth beside the logarithm of how many items have a word
	longLetters   = 9   // of a word that another letter makes no other word of
	loneLetters   = 5   // of a word that is corrected without others beside it
	rarelyFound   = 2   // units that have a word which may be misspelt there, too
	timesAsMany   = 20  // units that have what it is corrected to then
)

// Correction is a word of the question, or two that belong together, and what it was taken for
// instead.
type Correction struct{ From, To string }

// fix is a correction at its place in the text.
type fix struct {
	start, end int
	to         string
}

// likely is a form that a misspelt word may stand for.
type likely struct {
	form  string
	term  string
	cost  int
	worth float64
}

// fixes finds what the question's unknown words may stand for, or, when it is not answered, the
// rarest too. A word that comes again is looked at once.
func (a *asking) fixes(answered bool) []fix {
	var fixes []fix
	var lost []*asked // words that nothing is found for
	var tried [mostTried]struct{ word, to string }
	n, misspelt := 0, 0
	for i := range a.words {
		w := &a.words[i]
		if misspelt == mostMisspelt || n == mostTried {
			break
		}
		if r := a.runs[w.run]; w.silent || w.part != 0 || w.start != r.start || w.end != r.end {
			continue // a part of a compound
		}
		if len(fixes) > 0 && w.start < fixes[len(fixes)-1].end {
			continue
		}
		found := 0
		switch {
		case w.use == Unknown && w.counted > 0, w.counted == 2:
		case w.use == Used && !answered && !a.vague(w) && w.df <= rarelyFound:
			found = w.df
		default:
			continue
		}
		word := a.written(w)
		if again := slices.IndexFunc(tried[:n],
			func(t struct{ word, to string }) bool { return t.word == word }); again >= 0 {
			if to := tried[again].to; to != "" {
				fixes = append(fixes, fix{w.start, w.end, to})
			}
			continue
		}
		tried[n].word = word
		n++
		if found > 0 && a.calls(w) {
			continue
		}
		if joined, ok := a.joint(i); ok && found == 0 {
			fixes, misspelt = append(fixes, joined), misspelt+1
		} else if a.isPlausible(word) {
			continue
		} else if form := a.nearest(word, found, len(w.means) > 0); form != "" {
			fixes, misspelt = append(fixes, fix{w.start, w.end, form}), misspelt+1
			tried[n-1].to = form
		} else if found == 0 {
			lost = append(lost, w)
		}
	}
	if len(fixes) == 0 && len(lost) > 1 {
		fixes = a.together(lost[:min(len(lost), mostMisspelt)])
	}
	return fixes
}

// together gives the corrections of two words next to each other, which no item has and of which
// none tells what the other stands for: what both are near to has to stand together somewhere.
func (a *asking) together(lost []*asked) []fix {
	var best [2]likely
	var fixes []fix
	for i, second := range lost[1:] {
		first := lost[i]
		for _, one := range a.slips(first) {
			for _, other := range a.slips(second) {
				pair := [2]likely{one, other}
				n := a.unitsWithTerms(one.term, other.term)
				if n == 0 || one.term == other.term {
					continue
				}
				pair[0].worth = math.Log(float64(n)) - pricePerTenth*float64(one.cost+other.cost)
				if best[0].form == "" || pair[0].worth > best[0].worth {
					best = pair
					fixes = []fix{{first.start, first.end, one.form}, {second.start, second.end, other.form}}
				}
			}
		}
	}
	return fixes
}

// slips gives the forms that a word is by a small slip.
func (a *asking) slips(w *asked) []likely {
	var room [longestForm]rune
	word := a.written(w)
	typed := letters(&room, []byte(word))
	if len(typed) < shortestForm || !analysis.AllLetters(word) {
		return nil
	}
	return slices.DeleteFunc(a.near(typed), func(l likely) bool { return l.cost > slips.Letter })
}

// unitsWithTerms is how many units have two terms.
func (a *asking) unitsWithTerms(one, other string) int {
	n, h := 0, segment.Hash(other)
	a.eachWith(one, func(view, u int, _ uint32) {
		v := a.snapshot.views[view]
		if number, ok := v.Words.Find(other, h); ok && v.Text(u).Index(number, 0) < len(v.Text(u)) {
			n++
		}
	})
	return n
}

// calls says whether a word stands in the title or the keys of some item.
func (a *asking) calls(w *asked) bool {
	for _, form := range w.forms[:w.n] {
		if a.unitsCalled(form, true) > 0 {
			return true
		}
	}
	return false
}

// unitsCalled is in how many units a term stands in the title, or in the title or the keys.
func (a *asking) unitsCalled(term string, keys bool) int {
	n := 0
	a.eachWith(term, func(view, u int, number uint32) {
		v := a.snapshot.views[view]
		text := v.Text(u)
		end := int(v.PartEnds(u)[0])
		if !keys {
			end = text.Index(segment.Separator, 0)
		}
		if text.Index(number, 0) < end {
			n++
		}
	})
	return n
}

// unitsWithBoth is how many units have a term and a word of a group.
func (a *asking) unitsWithBoth(term string, g int) int {
	n := 0
	a.eachWith(term, func(view, u int, _ uint32) {
		if a.has(a.snapshot.views[view].Text(u), g, view) {
			n++
		}
	})
	return n
}

// eachWith calls fn for each unit that has a term, with the term's number there.
func (a *asking) eachWith(term string, fn func(view, u int, number uint32)) {
	h := segment.Hash(term)
	for i, v := range a.snapshot.views {
		number, ok := v.Words.Find(term, h)
		if !ok {
			continue
		}
		docs, _ := v.Postings(number)
		for _, doc := range docs {
			if !v.Dead.Has(int(doc)) {
				fn(i, int(doc), number)
			}
		}
	}
}

// joint gives the word that words[i] and one beside it make when they are written as one ("key
// board").
func (a *asking) joint(i int) (fix, bool) {
	for _, j := range []int{i, i - 1} {
		if j < 0 || j+1 >= len(a.words) {
			continue
		}
		left, right := &a.words[j], &a.words[j+1]
		if left.use == Stop || right.use == Stop || left.end >= right.start ||
			strings.TrimSpace(a.text[left.end:right.start]) != "" {
			continue
		}
		word := a.written(left) + a.written(right)
		if spoken(word) && a.isKnown(word) {
			return fix{left.start, right.end, word}, true
		}
	}
	return fix{}, false
}

// isKnown says whether some item has a word.
func (a *asking) isKnown(word string) bool {
	for _, t := range a.languages {
		for _, f := range t.Lookup(word, analysis.Compound).Forms {
			if a.snapshot.unitsWith(f.Term) > 0 {
				return true
			}
		}
	}
	return false
}

// nearest gives the form that a word most likely stands for, or "". The word itself is found in so
// many units. One that is known to mean something is misspelt only where others beside it tell.
func (a *asking) nearest(word string, found int, known bool) string {
	var room [longestForm]rune
	typed := letters(&room, []byte(word))
	if len(typed) < 2 || !analysis.AllLetters(word) {
		return ""
	}
	beside := a.rarestKnown(word)
	if beside < 0 && (known || len(typed) < loneLetters) {
		return ""
	}
	best := likely{}
	for _, l := range a.near(typed) {
		n := a.snapshot.unitsWith(l.term)
		if n < timesAsMany*found || found > 0 && l.cost > slips.Letter {
			continue
		}
		if beside >= 0 {
			if float64(n) > mostCommon*float64(a.snapshot.census.Units) && 4*l.cost > 5*len(typed) {
				continue
			}
			n = a.unitsWithBoth(l.term, beside)
		} else if !a.smallSlip(&l, len(typed)) {
			continue
		}
		if n == 0 || a.language.IsStop(analysis.Fold(l.form)) || l.form == word {
			continue
		}
		if l.worth = math.Log(float64(n)) - pricePerTenth*float64(l.cost); best.form == "" || l.before(&best) {
			best = l
		}
	}
	return best.form
}

// smallSlip says whether a word of so many letters is corrected to a form without anything beside
// it that tells: when it costs little, or when a letter is missing in what an item is called. In a
// word that is not long, a letter too many, or one in the place of another, makes another word more
// often than it is a slip.
func (a *asking) smallSlip(l *likely, letters int) bool {
	switch {
	case l.cost <= slips.Doubled:
		return true
	case l.cost <= slips.Letter && utf8.RuneCountInString(l.form) > letters:
		return 4*l.cost <= 5*letters || a.unitsCalled(l.term, false) > 0
	case letters < longLetters && l.cost > slips.Swapped:
		return false
	}
	return 4*l.cost <= 5*letters
}

func (l *likely) before(other *likely) bool {
	return cmp.Or(cmp.Compare(other.worth, l.worth), cmp.Compare(l.cost, other.cost),
		cmp.Compare(l.form, other.form)) < 0
}

// near gives the forms within the budget of a word, the nearest first.
func (a *asking) near(typed []rune) []likely {
	var all []likely
	var room [longestForm]rune
	most := slips.Budget(len(typed))
	for _, v := range a.snapshot.views {
		neighbours := neighboursIn(v)
		leaveOut(typed, func(hash uint32) {
			for _, form := range neighbours.at(hash) {
				word := v.Forms.Words.Word(form)
				if len(typed) <= shortestForm && utf8.RuneCount(word) < max(shortestForm, len(typed)) {
					continue
				}
				cost := slips.Cost(typed, letters(&room, word), most)
				if cost > most || slices.ContainsFunc(all, func(l likely) bool { return l.form == string(word) }) {
					continue
				}
				all = append(all,
					likely{form: string(word), term: string(v.Words.Word(v.Forms.Terms[form])), cost: cost})
			}
		})
	}
	slices.SortFunc(all, func(x, y likely) int {
		return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.form, y.form))
	})
	return all[:min(len(all), mostLikely)]
}

// rarestKnown gives the rarest group of the question, other than a word's own, that the index has
// and that says something, or -1.
func (a *asking) rarestKnown(but string) int {
	rarest := -1
	for g := range a.groups {
		if a.groups[g].df > 0 && !a.groups[g].vague && !a.isOf(g, but) &&
			(rarest < 0 || a.groups[g].df < a.groups[rarest].df) {
			rarest = g
		}
	}
	return rarest
}

// isOf says whether a group is what a word counts as.
func (a *asking) isOf(g int, word string) bool {
	for i := range a.words {
		if w := &a.words[i]; a.written(w) == word && slices.Contains(w.groups[:w.counted], g) {
			return true
		}
	}
	return false
}

// applied is a text with corrections made.
func applied(text string, fixes []fix) string {
	var b strings.Builder
	at := 0
	for _, f := range fixes {
		b.WriteString(text[at:f.start])
		b.WriteString(f.to)
		at = f.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// coreOf gives the corrections of words that an answer has to have.
func (a *asking) coreOf(fixes []fix) (words string) {
	for _, f := range fixes {
		if slices.ContainsFunc(a.words,
			func(w asked) bool { return w.start >= f.start && w.end <= f.end && !w.aside }) {
			words += " " + f.to
		}
	}
	return words
}

// bears says whether the best item has all words that corrections brought.
func (a *asking) bears(fixes []fix) bool {
	if len(a.found) == 0 {
		return false
	}
	best := a.found[0]
	text := a.snapshot.views[best.View].Text(int(best.Unit))
	for _, f := range fixes {
		i := slices.IndexFunc(a.words, func(w asked) bool { return a.written(&w) == f.to })
		if i < 0 || a.words[i].counted == 0 || !a.has(text, a.words[i].groups[0], int(best.View)) {
			return false
		}
	}
	return true
}

// corrections tells what was corrected.
func (a *asking) corrections(fixes []fix) (all []Correction) {
	for _, f := range fixes {
		all = append(all, Correction{From: a.text[f.start:f.end], To: f.to})
	}
	return all
}
