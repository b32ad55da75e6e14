package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/client"

	"github.com/dlclark/regexp2"
)

// Everyday is an everyday question of a site's visitor, with what the answer of a helpful person
// has in it. A question is answered right when all that is said of it holds. Names stand for all
// results whose names contain them.
type Everyday struct {
	Text     string         `json:"q"`
	Previous []string       `json:"prev,omitempty"` // asked before it, oldest first
	Filters  map[string]any `json:"f,omitempty"`    // further members of the query
	Language string         `json:"lang,omitempty"` // of the asker, as Accept-Language
	Now      time.Time      `json:"now,omitzero"`   // when it is asked; zero where that does not matter

	First []string `json:"first,omitempty"` // one of these stands first
	In3   []string `json:"in3,omitempty"`   // one of these is among the first three results
	All   []string `json:"all,omitempty"`   // all of these are among the first ten
	None  []string `json:"none,omitempty"`  // none of these is anywhere in the answer
	Empty bool     `json:"empty,omitempty"` // nothing is answered
	Say   string   `json:"say,omitempty"`   // a pattern that the summary has to contain

	Kind string `json:"kind"` // "find", "negation", ...

	say *regexp2.Regexp
}

// ReadExam reads everyday questions, one JSON object a line. Empty lines are passed over. An error
// names the line.
func ReadExam(r io.Reader) ([]Everyday, error) {
	var questions []Everyday
	err := eachLine(r, func(_ int, line string) error {
		decoder := json.NewDecoder(bytes.NewReader([]byte(line)))
		decoder.DisallowUnknownFields()
		var q Everyday
		if err := decoder.Decode(&q); err != nil {
			return err
		}
		if q.Text == "" || q.Kind == "" {
			return fmt.Errorf("q or kind is empty")
		}
		if len(q.First)+len(q.In3)+len(q.All)+len(q.None) == 0 && !q.Empty && q.Say == "" {
			return fmt.Errorf("nothing is said of the answer to %q: give first, in3, all, none, empty or say", q.Text)
		}
		if q.Say != "" {
			say, err := regexp2.Compile(q.Say, regexp2.None)
			if err != nil {
				return fmt.Errorf("say: %w", err)
			}
			say.MatchTimeout = time.Second
			q.say = say
		}
		questions = append(questions, q)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("everyday questions: %w", err)
	}
	return questions, nil
}

// Answered is what was answered to an everyday question: the names of the results, best first, and
// the summary.
type Answered struct {
	Names   []string `json:"names,omitempty"`
	Summary string   `json:"summary,omitempty"`
}

// Misses are what of the question does not hold of an answer, in the words of the question's own
// members.
func (q *Everyday) Misses(a Answered) (misses []string) {
	top := func(n int) []string { return a.Names[:min(n, len(a.Names))] }
	check := func(name string, wrong bool) {
		if wrong {
			misses = append(misses, name)
		}
	}
	check("empty", q.Empty && len(a.Names) > 0)
	check("first", len(q.First) > 0 && !oneOf(q.First, top(1)))
	check("in3", len(q.In3) > 0 && !oneOf(q.In3, top(3)))
	check("all", slices.ContainsFunc(q.All, func(name string) bool { return !oneOf([]string{name}, top(10)) }))
	check("none", oneOf(q.None, a.Names))
	if q.say != nil {
		said, err := q.say.MatchString(a.Summary)
		check("say", err != nil || !said)
	}
	return misses
}

// Question is the question as the ask page asks it.
func (q *Everyday) Question() client.Question {
	return client.Question{
		Text: q.Text, Previous: q.Previous, Filters: q.Filters, Language: q.Language,
		Modes: []string{"list", "summarize"}, NoQuestions: true,
	}
}

// Examine asks the questions of one site.
func Examine(
	ctx context.Context, site string, questions []Everyday,
	ask func(context.Context, *Everyday) (*client.Answer, error),
) ([]Examined, error) {
	all := make([]Examined, len(questions))
	for i := range questions {
		q := &questions[i]
		answer, err := ask(ctx, q)
		var got Answered
		switch {
		case err == nil:
			got = seen(answer)
		case !client.IsNoResults(err):
			return nil, fmt.Errorf("%s: %q: %w", site, q.Text, err)
		}
		all[i] = Examined{
			Site: site, Kind: q.Kind, Text: q.Text, Previous: q.Previous, Misses: q.Misses(got), Answered: got,
		}
	}
	return all, nil
}

// seen is what people see of an answer.
func seen(answer *client.Answer) Answered {
	got := Answered{Summary: answer.Summary}
	for _, r := range answer.Results {
		name := r.Name
		var titled struct{ Name, Headline, Title any }
		if json.Unmarshal(r.Raw, &titled) == nil {
			for _, text := range []any{titled.Name, titled.Headline, titled.Title} {
				if text, ok := text.(string); ok && text != "" {
					name = text
					break
				}
			}
		}
		got.Names = append(got.Names, name)
	}
	return got
}

// oneOf says whether one of some texts is in one of some names.
func oneOf(texts, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(name, text) })
	})
}

// Examined is what became of one question.
type Examined struct {
	Site     string   `json:"site"`
	Kind     string   `json:"kind"`
	Text     string   `json:"q"`
	Previous []string `json:"prev,omitempty"`
	Misses   []string `json:"misses,omitempty"`
	Answered
}

// Shows says whether the answer shows what it must not.
func (e *Examined) Shows() bool { return slices.Contains(e.Misses, "none") }

// Tally counts questions.
type Tally struct {
	Asked int `json:"asked"`
	Right int `json:"right"`
	Shows int `json:"shows"` // whose answers show what they must not
}

func (t *Tally) add(e *Examined) {
	t.Asked++
	if len(e.Misses) == 0 {
		t.Right++
	}
	if e.Shows() {
		t.Shows++
	}
}

// ExamReport is what became of all questions, by site and by kind.
type ExamReport struct {
	All       Tally             `json:"all"`
	Sites     map[string]*Tally `json:"sites"`
	Kinds     map[string]*Tally `json:"kinds"`
	Questions []Examined        `json:"questions"`
}

// Exam sums up what became of questions.
func Exam(questions []Examined) ExamReport {
	report := ExamReport{Sites: map[string]*Tally{}, Kinds: map[string]*Tally{}, Questions: questions}
	of := func(all map[string]*Tally, name string) *Tally {
		if all[name] == nil {
			all[name] = &Tally{}
		}
		return all[name]
	}
	for i := range questions {
		e := &questions[i]
		report.All.add(e)
		of(report.Sites, e.Site).add(e)
		of(report.Kinds, e.Kind).add(e)
	}
	return report
}

// WriteJSON writes the report with every question.
func (r ExamReport) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// WriteText writes the tallies as a table, and before it, with misses, each question that is not
// answered right.
func (r ExamReport) WriteText(w io.Writer, misses bool) error {
	var b bytes.Buffer
	for i := range r.Questions {
		if e := &r.Questions[i]; misses && len(e.Misses) > 0 {
			after := ""
			if len(e.Previous) > 0 {
				after = fmt.Sprintf(" after %q", e.Previous)
			}
			fmt.Fprintf(&b, "%s: %q%s: %s; got %q; said %q\n", e.Site, e.Text, after, strings.Join(e.Misses, ", "),
				e.Names[:min(3, len(e.Names))], clipped(e.Summary))
		}
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tright\tasked\tshare\tshow what they must not\t")
	row := func(name string, t *Tally) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%.2f\t%d\t\n", name, t.Right, t.Asked,
			float64(t.Right)/float64(max(t.Asked, 1)), t.Shows)
	}
	for _, group := range []map[string]*Tally{r.Sites, r.Kinds} {
		for _, name := range slices.SortedFunc(maps.Keys(group), cmp.Compare[string]) {
			row(name, group[name])
		}
	}
	row("all", &r.All)
	table.Flush()
	_, err := b.WriteTo(w)
	return err
}

// clipped is a text cut to what fits on a line.
func clipped(text string) string {
	const most = 120
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
