package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// Constrained is a question that asks for something an item has or has not, with its judgment.
type Constrained struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // what it tries: "price", "negation", ...
	Text string `json:"text"`
	// Prev are the questions before it, oldest first.
	Prev []string `json:"prev,omitempty"`
	// Context is what is known beside the question (NLWeb 0.55 §3.2), as the request's contexts
	// have it.
	Context []map[string]any `json:"context,omitempty"`
	// Filters are explicit attributes beside the words.
	Filters map[string]any `json:"filters,omitempty"`
	// Now is when it is asked; zero where the time does not matter.
	Now time.Time `json:"now,omitzero"`

	// Want is what every result must be.
	Want Condition `json:"want"`
	// About is what a result must be besides, to answer the question at all.
	About *Condition `json:"about,omitempty"`
	// Order is the order that the results must have.
	Order *Order `json:"order,omitempty"`
	// Count is how many results the question asks for; 0 where it does not say.
	Count int `json:"count,omitempty"`
	// First is how many results count, where the question is about one item or a few; 0 is the
	// usual five.
	First int `json:"first,omitempty"`
	// Empty is what is right where no item is: one of the Expect constants.
	Empty string `json:"empty,omitempty"`
}

// What is right when no item fulfils a question.
const (
	ExpectRelaxed = "relaxed" // an answer that says what was relaxed, or no results
	ExpectNone    = "none"    // no results
	ExpectEither  = "either"  // those, or an answer whose every result fulfils Want
)

// Order is an order of results by a value of theirs. Items without the value come last.
type Order struct {
	At []string `json:"at"`
	As string   `json:"as,omitempty"`
	By string   `json:"by"` // "asc" or "desc"
	// Exact says that the first result must have the best value of all items that fulfil the
	// question.
	Exact bool `json:"exact,omitempty"`
}

// constrainedDepth is how many results of a constrained question count.
const constrainedDepth = 5

// ReadConstrained reads constrained questions, one JSON object a line. Empty lines are passed over.
// An error names the line.
func ReadConstrained(r io.Reader) ([]Constrained, error) {
	var questions []Constrained
	first := make(map[string]int)
	err := eachLine(r, func(number int, line string) error {
		decoder := json.NewDecoder(bytes.NewReader([]byte(line)))
		decoder.DisallowUnknownFields()
		var q Constrained
		if err := decoder.Decode(&q); err != nil {
			return err
		}
		if at := first[q.ID]; at != 0 {
			return fmt.Errorf("question %q stands on line %d already; give each question its own ID", q.ID, at)
		}
		first[q.ID] = number
		questions = append(questions, q)
		return q.check()
	})
	if err != nil {
		return nil, fmt.Errorf("constrained questions: %w", err)
	}
	return questions, nil
}

func (q Constrained) check() error {
	if q.ID == "" || q.Kind == "" || q.Text == "" {
		return fmt.Errorf("the id, the kind or the text is empty")
	}
	if q.Empty != "" && !slices.Contains([]string{ExpectRelaxed, ExpectNone, ExpectEither}, q.Empty) {
		return fmt.Errorf("%q is nothing to expect; say relaxed, none or either", q.Empty)
	}
	if q.Order != nil && (len(q.Order.At) == 0 || q.Order.By != "asc" && q.Order.By != "desc") {
		return fmt.Errorf(`an order says at which path it looks and goes by "asc" or "desc"`)
	}
	if q.Count < 0 || q.First < 0 {
		return fmt.Errorf("a number of results is negative")
	}
	if err := q.Want.check(); err != nil {
		return err
	}
	if q.About != nil {
		return q.About.check()
	}
	return nil
}

func (q Constrained) answers(item any) bool {
	return item != nil && q.Want.Holds(item) && (q.About == nil || q.About.Holds(item))
}

// Outcome is what a desk made of a constrained question.
type Outcome struct {
	Documents []string // the results' URLs, best first
	Relaxed   bool     // the answer says that it let go of a constraint
}

// ConstrainedFigures are the measures of one question, or their means.
type ConstrainedFigures struct {
	// Precision is the share of the first five results that are right, of all when there are fewer.
	// Every one must be what the question wants; and as long as there are items that also answer
	// it, no other may stand before them. No results are 0 where items are right.
	Precision float64 `json:"precision@5"`
	// Found is how many of the items that are right are among the first five, of the five or fewer
	// that could be.
	Found float64 `json:"found@5"`
}

// ConstrainedResult is what became of one question.
type ConstrainedResult struct {
	ID   string   `json:"id"`
	Kind string   `json:"kind"`
	Text string   `json:"text"`
	Prev []string `json:"prev,omitempty"`
	// Right is how many items fulfil and answer the question.
	Right int `json:"right"`
	ConstrainedFigures
	// Order is the share of neighbours in the right order, 0 where the first must have the best
	// value and has not; nil where the question asks for none.
	Order *float64 `json:"order,omitempty"`
	// Counted tells whether there are as many results as asked for; nil where the question does not
	// say.
	Counted *bool `json:"counted,omitempty"`
	// Wrong are those of the first five results that are not right.
	Wrong []string `json:"wrong,omitempty"`
	// Results is how many results there were.
	Results int `json:"results"`
}

// Whole tells whether nothing is wrong with the answer.
func (r ConstrainedResult) Whole() bool {
	return r.Precision == 1 && (r.Order == nil || *r.Order == 1) && (r.Counted == nil || *r.Counted)
}

// Items are the objects of the items that may be answered, by URL.
type Items map[string]any

// Judge measures the answer to a question. It returns an error when the question does not fit the
// items: it has no right one and does not say what to expect then, or has one and says so.
func (items Items) Judge(q Constrained, got Outcome) (ConstrainedResult, error) {
	result := ConstrainedResult{ID: q.ID, Kind: q.Kind, Text: q.Text, Prev: q.Prev, Results: len(got.Documents)}
	best := math.NaN()
	for _, item := range items {
		if q.answers(item) {
			result.Right++
			best = q.Order.better(best, item)
		}
	}
	switch {
	case result.Right == 0 && q.Empty == "":
		return result, fmt.Errorf("question %s has no right item and does not say what to expect then", q.ID)
	case result.Right > 0 && q.Empty != "":
		return result, fmt.Errorf("question %s expects nothing, and %d items are right", q.ID, result.Right)
	case result.Right == 0:
		items.judgeEmpty(q, got, &result)
		return result, nil
	}
	items.judgeFirst(q, got.Documents, &result)
	if q.Order != nil {
		order := items.ordered(*q.Order, got.Documents[:min(q.depth(), result.Right, len(got.Documents))], best)
		result.Order = &order
	}
	if q.Count > 0 {
		counted := len(got.Documents) == min(q.Count, result.Right) ||
			result.Right < q.Count && len(got.Documents) <= q.Count && len(got.Documents) > 0
		result.Counted = &counted
	}
	return result, nil
}

func (q Constrained) depth() int { return cmp.Or(q.First, constrainedDepth) }

// judgeEmpty measures an answer where nothing could be right.
func (items Items) judgeEmpty(q Constrained, got Outcome, result *ConstrainedResult) {
	ok := len(got.Documents) == 0 || got.Relaxed && q.Empty != ExpectNone
	if !ok && q.Empty == ExpectEither {
		ok = !slices.ContainsFunc(got.Documents, func(url string) bool {
			return items[url] == nil || !q.Want.Holds(items[url])
		})
	}
	if ok {
		result.Precision, result.Found = 1, 1
	} else {
		result.Wrong = got.Documents[:min(constrainedDepth, len(got.Documents))]
	}
}

// judgeFirst counts what is right among the first results. A result that comes again is wrong.
func (items Items) judgeFirst(q Constrained, documents []string, result *ConstrainedResult) {
	possible := min(q.depth(), result.Right)
	first := documents[:min(q.depth(), len(documents))]
	seen := make(map[string]bool, len(first))
	right, found := 0, 0
	for i, url := range first {
		item := items[url]
		answers := q.answers(item) && !seen[url]
		if answers {
			found++
		}
		if answers || i >= possible && item != nil && !seen[url] && q.Want.Holds(item) {
			right++
		} else {
			result.Wrong = append(result.Wrong, url)
		}
		seen[url] = true
	}
	if len(first) > 0 {
		result.Precision = float64(right) / float64(len(first))
	}
	result.Found = float64(found) / float64(possible)
}

// ordered is the share of neighbours that stand in the right order; it is 0 when the first must
// have the best value and has not.
func (items Items) ordered(o Order, documents []string, best float64) float64 {
	if len(documents) == 0 || o.Exact && o.value(items[documents[0]]) != best {
		return 0
	}
	right := 0
	for i := range documents[1:] {
		before, after := o.value(items[documents[i]]), o.value(items[documents[i+1]])
		if math.IsNaN(after) || !o.precedes(after, before) {
			right++
		}
	}
	return float64(right+1) / float64(len(documents))
}

// value gives the value that orders an item: of several the one that puts it first; NaN when it has
// none.
func (o Order) value(item any) float64 {
	best := math.NaN()
	for _, v := range valuesAt(item, o.At) {
		n, ok := quantity(v, o.As)
		if text, isText := v.(string); isText && o.As != asMinutes {
			if at, err := readTime(text); err == nil {
				n, ok = float64(at.Unix()), true
			}
		}
		if ok && (math.IsNaN(best) || o.precedes(n, best)) {
			best = n
		}
	}
	return best
}

// precedes tells whether a must come before b. A value comes before none.
func (o Order) precedes(a, b float64) bool {
	if math.IsNaN(b) {
		return !math.IsNaN(a)
	}
	if o.By == "desc" {
		return a > b
	}
	return a < b
}

// better is the best value so far, after an item was looked at; it does nothing where no order is
// asked for.
func (o *Order) better(best float64, item any) float64 {
	if o == nil {
		return best
	}
	if v := o.value(item); o.precedes(v, best) {
		return v
	}
	return best
}

func readTime(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	return time.Parse(time.DateOnly, text)
}

// ConstrainedReport is what constrained questions amount to.
type ConstrainedReport struct {
	ConstrainedTally
	// Unasked is how many questions were left out, because the desk cannot be asked at their time.
	Unasked int `json:"unasked,omitempty"`
	// Kinds are the tallies of each kind, by name.
	Kinds []ConstrainedTally `json:"kinds"`
	// ByQuestion are the results of each question, in their order.
	ByQuestion []ConstrainedResult `json:"by_question"`
}

// ConstrainedTally are the means over some questions.
type ConstrainedTally struct {
	Kind      string `json:"kind,omitempty"`
	Questions int    `json:"questions"`
	ConstrainedFigures
	Whole int `json:"whole"` // how many questions have nothing wrong with their answer
	// Order is the mean over the Ordered questions that ask for one.
	Order   float64 `json:"order,omitempty"`
	Ordered int     `json:"ordered,omitempty"`
	// Counts is how many of the Counting questions that ask for a number got it.
	Counts   int `json:"counts,omitempty"`
	Counting int `json:"counting,omitempty"`
}

// Summarize puts results together.
func Summarize(results []ConstrainedResult) ConstrainedReport {
	report := ConstrainedReport{ConstrainedTally: tally("", results), ByQuestion: results}
	kinds := make(map[string][]ConstrainedResult)
	for _, r := range results {
		kinds[r.Kind] = append(kinds[r.Kind], r)
	}
	for kind, of := range kinds {
		report.Kinds = append(report.Kinds, tally(kind, of))
	}
	slices.SortFunc(report.Kinds, func(a, b ConstrainedTally) int { return cmp.Compare(a.Kind, b.Kind) })
	return report
}

func tally(kind string, results []ConstrainedResult) ConstrainedTally {
	t := ConstrainedTally{Kind: kind, Questions: len(results)}
	for _, r := range results {
		t.Precision += r.Precision
		t.Found += r.Found
		if r.Whole() {
			t.Whole++
		}
		if r.Order != nil {
			t.Order += *r.Order
			t.Ordered++
		}
		if r.Counted != nil {
			t.Counting++
			if *r.Counted {
				t.Counts++
			}
		}
	}
	n := float64(max(len(results), 1))
	t.Precision, t.Found, t.Order = t.Precision/n, t.Found/n, t.Order/float64(max(t.Ordered, 1))
	return t
}
