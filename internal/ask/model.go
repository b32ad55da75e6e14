package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/quote"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/llm"
)

// ModelUse is what a language model did for an answer.
type ModelUse struct {
	// Uses are those that were tried, by name, with why each was not used in the end; empty for one
	// that was.
	Uses map[string]string
	// Calls were made of the endpoint, and Tokens taken, as far as it says.
	Calls, Tokens int
	// Cost is what they cost in Currency, as a decimal; empty where no price is known.
	Cost, Currency string
}

// modelUse tells what a tab holds; nil when no model was tried.
func modelUse(tab *llm.BudgetedClient) *ModelUse {
	report, ok := tab.Report()
	if !ok {
		return nil
	}
	use := &ModelUse{Uses: map[string]string{}, Calls: report.Calls, Tokens: report.Input + report.Output}
	for name, reason := range report.Uses {
		use.Uses[string(name)] = string(reason)
	}
	if report.Currency != "" && use.Tokens > 0 { // what the endpoint did not count has no cost that is known
		use.Cost, use.Currency = report.Cost.String(), report.Currency
	}
	return use
}

// Model is what a model did for the question so far; nil when none was tried.
func (r *Reply) Model() *ModelUse { return modelUse(r.tab) }

// Model is what a model did for the answer so far; nil when none was tried.
func (a *Answer) Model() *ModelUse { return modelUse(a.tab) }

// reranks says whether a model is to put the items of a question into order. What has an order of
// its own keeps it: one that was wished for, that of items which the question names or points at,
// and that of items found by conditions alone.
func (in *askState) reranks() bool {
	return in.tab.Enabled(llm.Rerank) && in.only == nil && in.understood.Sort.By == "" &&
		in.understood.Intent == query.List &&
		strings.TrimSpace(in.asked.Text) != ""
}

// wording is the question as a model is told it: made to stand by itself.
func (in *askState) wording() string {
	if in.understood.Asked != "" {
		return in.understood.Asked
	}
	return in.Text
}

// wide is the question with as many items as a model puts into order.
func (in *askState) wide() index.Question {
	asked := in.asked
	if in.reranks() {
		asked.Limit = max(asked.Limit, llm.MaxRerank)
	}
	return asked
}

// improve has a model put the best items into order, where one is wanted, and brings the answer to
// the number of items that was asked for. Scores belong to places: the best item has the best
// score, whoever chose it.
func (a *Answer) improve(ctx context.Context, in *askState) {
	a.tab, a.wording, a.language, a.telling, a.speaker = in.tab, in.wording(), "", in.telling, i18n.For(in.Languages...)
	if len(in.Languages) > 0 {
		a.language = in.Languages[0]
	}
	if w := in.tuned.leading.written; w != nil && in.skip == 0 && a.parts[0][0].listing == w.listing {
		a.telling, a.factual = w.text, true
	}
	if !in.reranks() {
		return
	}
	first := a.parts[0]
	places := a.readable(min(llm.MaxRerank, len(first)))
	sources := make([]llm.Source, len(places))
	for i, at := range places {
		sources[i] = modelSource(a.ready[at].Result(first[at].hit()))
	}
	if order, ok := a.tab.Rerank(ctx, a.wording, sources); ok {
		a.arrange(places, order)
	}
	a.trim(in.most())
}

// readable are the places among the first n whose items a model may put into another order: those
// whose text the terms let it read. Others keep their places.
func (a *Answer) readable(n int) []int {
	var places []int
	for at, c := range a.ready[:n] {
		if c != nil && c.Input() && at >= len(a.first) { // what comes first stays there
			places = append(places, at)
		}
	}
	return places
}

// arrange puts the items of some places into an order, which names them by their index among the
// places. Items that meet every condition stay before those of which that cannot be told.
func (a *Answer) arrange(places, order []int) {
	doubtful := func(i int) int {
		if a.sure >= 0 && places[i] >= a.sure {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(doubtful(i), doubtful(j)) })
	first := a.parts[0]
	hits, cards := slices.Clone(first), slices.Clone(a.ready)
	for i, from := range order {
		hits[places[i]], cards[places[i]] = first[places[from]], a.ready[places[from]]
		hits[places[i]].score = first[places[i]].score
	}
	a.parts[0], a.ready = hits, cards
}

// trim brings an answer for which more was found than was asked for to its length.
func (a *Answer) trim(limit int) {
	if a.asked.Limit == limit {
		return
	}
	a.asked.Limit = limit
	if limit < len(a.parts[0]) {
		a.parts, a.ready = [][]found{a.parts[0][:limit]}, a.ready[:limit]
	}
}

// modelSource is an item as a model may see it: what is released of it, and no more.
func modelSource(r released.Result) llm.Source {
	told := sourceOf(r)
	return llm.Source{URL: r.URL(), Type: told.Type, Name: told.Name, Facts: modelFacts(told.Facts), Text: told.Text}
}

// toldFigures and toldWords are what a model is told of an item beside its text, in this order.
var (
	toldFigures = []struct {
		slot   facets.Slot
		before string
		form   string
		after  string
	}{
		{facets.Price, "price", "%.2f", ""}, {facets.Rating, "rated", "%.1f", ""},
		{facets.TotalTime, "takes", "%.0f", " minutes"}, {facets.Duration, "lasts", "%.0f", " minutes"},
		{facets.Yield, "serves", "%.0f", ""}, {facets.Calories, "calories", "%.0f", " kcal"},
		{facets.Protein, "protein", "%.0f", " g"},
	}
	toldWords = []facets.Slot{
		facets.Brand, facets.Color, facets.Diet, facets.Cuisine, facets.Location, facets.Author, facets.Material,
		facets.Size, facets.Ingredient,
	}
)

// modelFacts writes what an item says of itself for a model, which takes figures as they stand
// there.
func modelFacts(f facets.Facts) string {
	var parts []string
	for _, told := range toldFigures {
		figure, ok := f.Figure(told.slot)
		if !ok {
			continue
		}
		text := told.before + " " + fmt.Sprintf(told.form, figure.Low)
		if figure.High > figure.Low {
			text += " to " + fmt.Sprintf(told.form, figure.High)
		}
		parts = append(parts, strings.TrimSpace(text+told.after+" "+figure.Unit))
	}
	if start := f.Time(facets.Start); !start.IsZero() {
		parts = append(parts, "on "+start.Format("2 January 2006 15:04"))
	}
	for _, slot := range toldWords {
		if values := f.Values(slot); len(values) > 0 {
			parts = append(parts, string(slot)+" "+strings.Join(values[:min(len(values), 12)], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// Summary is a text about the results of an answer.
type Summary struct {
	Text string
	// Extractive says that the text is taken from the items' own words; otherwise a model wrote it.
	Extractive bool
	// Cited are the items that the text cites: the first as [1]. Only a model's text cites.
	Cited []Cited
}

// Cited is an item that a summary cites.
type Cited struct{ Name, URL string }

// Draft is a summary that can be had: the built-in one at once, or one that a model takes its time
// for.
type Draft struct {
	builtIn string
	tab     *llm.BudgetedClient
	asking  llm.SummaryRequest
}

// Draft prepares a summary of the results, from what is released of them and nothing else. Items
// whose text the terms do not allow as input to other texts are left out; it is nil when none
// remains.
func (a *Answer) Draft(ctx context.Context) (*Draft, error) {
	tab := a.tab
	if a.written != nil && a.factual {
		tab = nil // what the owner wrote is told as it is
	}
	draft := &Draft{tab: tab, asking: llm.SummaryRequest{Question: a.wording, Language: a.language}}
	var told []source
	for result, err := range a.Results(ctx) {
		if err != nil {
			return nil, err
		}
		if result.Input() {
			told = append(told, sourceOf(result))
			if draft.Waits() {
				draft.asking.Sources = append(draft.asking.Sources, modelSource(result))
			}
		}
		if len(told) == llm.MaxSummarize {
			break
		}
	}
	draft.builtIn = a.telling
	if !a.factual {
		draft.builtIn = strings.TrimSpace(a.telling + " " +
			summarize(ctx, a.speaker, quote.New(a.wording, a.terms), told))
	}
	if draft.builtIn == "" {
		return nil, nil
	}
	return draft, nil
}

// Waits says whether a model will be asked for the text, which takes its time.
func (d *Draft) Waits() bool { return d.tab.Enabled(llm.Summarize) }

// Write gives the summary: the model's if there is one and its text passes, else the built-in one.
// tell, when it is not nil, is given the model's sentences as they come; when the built-in text
// takes their place, they are to be forgotten.
func (d *Draft) Write(ctx context.Context, tell func(sentence string)) Summary {
	if written, ok := d.tab.Summarize(ctx, d.asking, tell); ok {
		s := Summary{Text: written.Text}
		for _, at := range written.Cited {
			s.Cited = append(s.Cited, Cited{d.asking.Sources[at].Name, d.asking.Sources[at].URL})
		}
		return s
	}
	return d.BuiltIn()
}

// BuiltIn gives the summary that needs no model.
func (d *Draft) BuiltIn() Summary { return Summary{Text: d.builtIn, Extractive: true} }
