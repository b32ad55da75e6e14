package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"sync/atomic"
	"time"

	"frontdesk/client"
	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/cli/eval"
	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/policy"
	"frontdesk/wire/nlweb"
)

// noPreference answers every question that a desk asks back.
const noPreference = "no preference"

// rounds is how often a question is asked again, after the desk asked back.
const rounds = 3

// runConstrained asks constrained questions and measures the answers by the items' own objects.
func (c evalCommand) runConstrained(env *command.Environment) error {
	questions, err := readFile(c.Constrained, eval.ReadConstrained)
	if err != nil {
		return err
	}
	judge, err := c.judge(env)
	if err != nil {
		return err
	}
	defer judge.close()
	report, err := judge.ask(env.Ctx, questions)
	if err != nil {
		return err
	}
	if len(report.ByQuestion) == 0 {
		return fmt.Errorf("%s has no question that can be asked there", c.Constrained)
	}
	if c.JSON {
		return report.WriteJSON(env.Stdout)
	}
	if err := report.WriteText(env.Stdout, c.Misses); err != nil || c.Against == "" {
		return err
	}
	before, err := readFile(c.Against, eval.ReadConstrainedReport)
	if err != nil {
		return err
	}
	return c.bootstrap().Constrained(before, report).WriteText(env.Stdout)
}

// judge asks a desk and knows the objects of its items.
type judge struct {
	front *command.Front
	items eval.Items
	clock *clock // nil where the desk has its own
	close func()
}

// clock shows the time of the question that is being asked.
type clock struct{ at atomic.Pointer[time.Time] }

func (c *clock) now() time.Time {
	if at := c.at.Load(); at != nil && !at.IsZero() {
		return *at
	}
	return time.Now()
}

// judge reads the items into a temporary database, and asks a server on it or the one that --url
// names.
func (c evalCommand) judge(env *command.Environment) (*judge, error) {
	folder, err := os.MkdirTemp("", "frontdesk-eval-")
	if err != nil {
		return nil, err
	}
	j := &judge{clock: new(clock), items: eval.Items{}, close: func() { os.RemoveAll(folder) }}
	if err := c.fill(env, j, folder); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

func (c evalCommand) fill(env *command.Environment, j *judge, folder string) error {
	loaded, err := c.judged(folder)
	if err != nil {
		return err
	}
	log := app.NewLog(app.Log{Level: "error"}, env.Stderr)
	s, err := app.Build(env.Ctx, app.Options{Loaded: loaded, Log: log, Inside: true, Now: j.clock.now})
	if err != nil {
		return err
	}
	if j.front, err = command.Within(s); err != nil {
		return err
	}
	stop := j.close
	j.close = func() {
		j.front.Close()
		stop()
	}
	for _, source := range loaded.Config.AllSources() {
		if _, err := s.Ingest(env.Ctx, source, ingest.Options{}); err != nil {
			return fmt.Errorf("%s: %s", source.Path, command.Explained(err))
		}
	}
	if err := s.Refresh(env.Ctx); err != nil {
		return err
	}
	for _, site := range loaded.Config.AllSites() {
		if err := j.read(env.Ctx, s, site.ID); err != nil {
			return err
		}
	}
	if c.URL == "" {
		return nil
	}
	there, err := command.Remote(c.URL, env.Token(""), nil)
	if err != nil {
		return err
	}
	here := j.front
	j.clock, j.front = nil, &command.Front{Client: there.Client, Close: func() {
		there.Close()
		here.Close()
	}}
	return nil
}

// judged is the configuration of the items' database: the demo's own, or that of one file or
// folder.
func (c evalCommand) judged(folder string) (*app.Loaded, error) {
	if c.Demo {
		address := c.URL
		if address == "" {
			address = "http://localhost"
		}
		return demoCommand{}.prepare(folder, address, "127.0.0.1:8080")
	}
	return &app.Loaded{Config: c.config(folder)}, nil
}

func (c evalCommand) config(folder string) app.Config {
	config := app.Default()
	config.Data, config.Model.Words = folder, c.Words
	config.Sources = []app.Source{{Path: c.Items, Name: "items"}}
	return config
}

// read takes the objects of a site's items, those aside that the terms block.
func (j *judge) read(ctx context.Context, program *app.App, site string) error {
	rules := program.Terms()
	return program.Catalog.EachItem(ctx, site, func(item content.Item) error {
		if rules.Decide(policy.Facts{Site: site, URL: item.URL, Types: item.Types}).Access == policy.Blocked {
			return nil
		}
		object, err := eval.Item(item.Object)
		if err != nil {
			return fmt.Errorf("%s: %w", item.URL, err)
		}
		j.items[item.URL] = object
		return nil
	})
}

// ask asks all questions, and leaves out those of another time where the desk has its own clock.
func (j *judge) ask(ctx context.Context, questions []eval.Constrained) (eval.ConstrainedReport, error) {
	var results []eval.ConstrainedResult
	unasked := 0
	for _, q := range questions {
		switch {
		case j.clock != nil:
			j.clock.at.Store(&q.Now)
		case !q.Now.IsZero():
			unasked++
			continue
		}
		got, err := j.outcome(ctx, q)
		if err != nil {
			return eval.ConstrainedReport{}, fmt.Errorf("question %s: %w", q.ID, err)
		}
		result, err := j.items.Judge(q, got)
		if err != nil {
			return eval.ConstrainedReport{}, err
		}
		results = append(results, result)
	}
	report := eval.Summarize(results)
	report.Unasked = unasked
	return report, nil
}

// outcome asks a question as any client would. What the desk asks back is answered with no
// preference.
func (j *judge) outcome(ctx context.Context, q eval.Constrained) (eval.Outcome, error) {
	question := client.Question{Text: q.Text, Previous: q.Prev, Filters: maps.Clone(q.Filters)}
	if question.Filters == nil {
		question.Filters = map[string]any{}
	}
	if len(q.Context) > 0 {
		known, err := json.Marshal(map[string]any{"query": map[string]any{"text": q.Text}, "context": q.Context})
		if err != nil {
			return eval.Outcome{}, err
		}
		request, err := nlweb.DecodeAsk(known)
		if err != nil {
			return eval.Outcome{}, fmt.Errorf("question %s: its context: %w", q.ID, err)
		}
		question.Context = request.Context
	}
	for range rounds {
		answer, err := j.front.Ask(ctx, question)
		switch {
		case client.IsNoResults(err):
			return eval.Outcome{}, nil
		case err != nil:
			return eval.Outcome{}, err
		case answer.Elicitation == nil:
			return outcome(answer), nil
		}
		question.Session = json.RawMessage(answer.Meta.SessionContext)
		for _, back := range answer.Elicitation.Questions {
			question.Filters[back.ID] = noPreference
		}
	}
	return eval.Outcome{}, fmt.Errorf("the desk asks back for the %dth time, whatever it is answered", rounds)
}

// outcome is what the judge needs of an answer.
func outcome(answer *client.Answer) eval.Outcome {
	var got eval.Outcome
	for _, r := range answer.Results {
		got.Documents = append(got.Documents, r.URL)
	}
	var raw struct {
		Meta struct {
			Understood struct {
				Relaxed []json.RawMessage `json:"relaxed"`
			} `json:"understood"`
		} `json:"_meta"`
	}
	if json.Unmarshal(answer.Raw, &raw) == nil {
		got.Relaxed = len(raw.Meta.Understood.Relaxed) > 0
	}
	return got
}
