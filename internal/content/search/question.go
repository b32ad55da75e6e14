package search

import (
	"slices"
	"strings"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/concepts"
)

// The bounds of what is read of a question.
const (
	maxRuns  = 1024 // runs of text
	maxForms = 6    // forms under which one word is looked up: itself, and under the stemmers that differ
)

// asked is a word of the question.
type asked struct {
	start, end int // in the text
	run, part  int // which run it is of, and which part of that
	forms      [maxForms]string
	terms      [maxForms]int // the forms in lookup.sought
	n          int           // how many forms there are
	same       []string      // terms of words that stand for it
	whole      *composed     // words that have it as a part; nil for none
	meaning
	df      int    // units that have any of the forms
	stops   uint32 // the languages in which it is a function word, a bit each
	negates uint32 // those in which what follows it is not wanted
	vagues  uint32 // those in which it says little of what is asked for
	opening analysis.Opening
	use     Use
	silent  bool   // another word of its run stands for it
	aside   bool   // it is none of those that an answer has to have
	groups  [2]int // what it counts as; two when it was taken apart
	counted int    // how many groups there are
}

func (w *asked) add(form string) {
	if w.n < maxForms && !slices.Contains(w.forms[:w.n], form) {
		w.forms[w.n] = form
		w.n++
	}
}

// run is a stretch of the question as scan gives it.
type run struct {
	start, end int
	kind       analysis.Kind
}

// understand reads the question: which words count, how much, and where they are in the index.
func (a *asking) understand(s *Snapshot, q *Query) {
	a.reset(s)
	a.text = analysis.Cut(q.Text, MaxQuestionSize)
	a.literal, a.kin, a.names = q.Literal, q.kin, q.Names
	if q.Meaning != nil {
		a.meant = q.Meaning(a.text)
	}
	a.languages = s.understoodIn(q.Languages)
	a.readWords()
	if !a.literal {
		a.readMeanings(q.Prefer)
	}
	if q.Core != "" {
		a.setAside(analysis.Cut(q.Core, MaxQuestionSize))
	}
	a.dropStops()
	for i := 0; i < len(a.words); {
		from := i
		for i < len(a.words) && a.words[i].run == a.words[from].run {
			i++
		}
		a.resolve(from, i)
	}
	a.weigh()
}

// readWords finds the words of the text and their forms in each language.
func (a *asking) readWords() {
	analysis.Scan(a.text, func(start, end int, k analysis.Kind) bool {
		a.runs = append(a.runs, run{start, end, k})
		return len(a.runs) < maxRuns
	})
	a.faint = a.snapshot.analyzer.Language("ja").Vague(a.text, concepts.In("ja").Begins)
	a.readRuns()
}

// readRuns makes words of the runs.
func (a *asking) readRuns() {
	for i, r := range a.runs {
		if r.kind == analysis.Gram && !a.asksGram(i) {
			continue
		}
		base := len(a.words)
		for bit, t := range a.languages {
			known := t.Lookup(a.text[r.start:r.end], r.kind)
			for _, f := range known.Forms {
				w := a.word(base, i, f)
				w.add(f.Term)
				if end := r.start + f.End; analysis.Elided(a.text[end:r.end]) &&
					t.IsStop(analysis.Fold(a.text[r.start+f.Start:end])) {
					w.stops |= 1 << bit // elided, as the first of "l'asfalto"
				}
			}
			if known.Same != nil { // of a run that is one word
				a.words[base].same = known.Same
			}
			for j := base; j < len(a.words); j++ {
				a.words[j].learn(known, bit)
			}
		}
	}
}

// setAside marks the words that are none of core.
func (a *asking) setAside(core string) {
	within := map[string]bool{}
	analysis.Scan(core, func(start, end int, _ analysis.Kind) bool {
		within[strings.ToLower(core[start:end])] = true
		return len(within) < maxRuns
	})
	for i := range a.words {
		run := a.runs[a.words[i].run]
		a.words[i].aside = !within[strings.ToLower(a.text[run.start:run.end])]
	}
}

// learn notes what an analysis in one language says of the run that the word is of.
func (w *asked) learn(known analysis.Token, bit int) {
	if known.Stop {
		w.stops |= 1 << bit
	}
	if known.Negates {
		w.negates |= 1 << bit
	}
	if known.Vague {
		w.vagues |= 1 << bit
	}
	w.opening = known.Opening
}

// word gives the word of run i that a form stands for; words from base on are those of the run.
func (a *asking) word(base, i int, f analysis.Form) *asked {
	for j := base; j < len(a.words); j++ {
		if a.words[j].part == f.Part {
			return &a.words[j]
		}
	}
	start := a.runs[i].start
	a.words = append(a.words, asked{start: start + f.Start, end: start + f.End, run: i, part: f.Part})
	return &a.words[len(a.words)-1]
}

// vague says whether a word says little of what is asked for, in the language of the question.
func (a *asking) vague(w *asked) bool { return w.vagues>>a.languageBit&1 != 0 }

// written is a word as the question has it, in lower case.
func (a *asking) written(w *asked) string { return strings.ToLower(a.text[w.start:w.end]) }

// dropStops marks the function words of the language that the question seems to be in. A question
// of nothing else keeps them all.
func (a *asking) dropStops() {
	var counts, tells [mostLanguages]int
	best := 0
	for bit := range a.languages {
		for i := range a.words {
			w := &a.words[i]
			counts[bit] += int(w.stops >> bit & 1)
			tells[bit] += int((w.stops | w.vagues) >> bit & 1)
		}
		if tells[bit] > tells[best] {
			best = bit
		}
	}
	a.language, a.languageBit = a.languages[best], best
	if a.idle = counts[best] == len(a.words); a.idle {
		return
	}
	for i := range a.words {
		if a.words[i].stops>>best&1 != 0 || a.words[i].unspoken {
			a.words[i].use = Stop
		}
	}
	a.dropOpening(len(a.words) - counts[best])
}

// dropOpening marks the words of courtesy before the subject: "show me", "please find". Of the
// content words one must remain.
func (a *asking) dropOpening(content int) {
	for i := range a.words {
		w := &a.words[i]
		if w.use == Stop {
			continue
		}
		beside := i > 0 || i+1 < len(a.words) && a.words[i+1].use == Stop
		if content < 2 || !w.opening.Courtesy(beside) {
			return
		}
		w.use = Stop
		content--
	}
}
