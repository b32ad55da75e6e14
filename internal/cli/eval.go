package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/cli/eval"
	"frontdesk/internal/content/ingest"
)

type evalCommand struct {
	Items   string `placeholder:"FILE" help:"The documents, a file or folder as for ingest; with --url the server has them already."`
	Queries string `placeholder:"FILE" help:"The questions, one a line: id, a tab, the text."`
	Qrels   string `placeholder:"FILE" help:"The judgments, one a line: question id, 0, the document's URL, grade."`
	URL     string `placeholder:"URL" help:"Ask the front desk at this address instead of reading --items."`
	JSON    bool   `name:"json" help:"Print JSON, with the figures of each question."`

	Constrained string   `placeholder:"FILE" help:"Constrained questions with their conditions, one JSON object a line, instead of --queries and --qrels; needs --items or --demo also with --url."`
	Demo        bool     `help:"The items of the sample sites, in place of --items; for constrained questions."`
	Exam        []string `placeholder:"FOLDER" sep:"none" help:"Everyday questions of a site: a folder with items.jsonl and exam.jsonl; may be given more than once."`
	Words       string   `placeholder:"FILE" help:"The file of word vectors to use, as model.words names one."`
	Misses      bool     `help:"Of constrained and everyday questions, print what is wrong with each answer that is not whole."`

	Against   string `placeholder:"FILE" help:"Compare with what --json printed of an earlier run: the change of each figure, with an interval by bootstrap."`
	Resamples int    `default:"10000" help:"How often the bootstrap draws the questions again (${default})."`
	Seed      uint64 `default:"1" help:"The seed of its random draws (${default}); the same gives the same interval."`
}

// Help is the command's example.
func (evalCommand) Help() string {
	return "A document is its URL. Each question is asked for 1,000 results with no least score, " +
		"so that the ranking alone is measured; " +
		"then it is asked again for ten results, and that is timed. With --items the documents are " +
		"read into a temporary database, " +
		"and everything runs in this process with default settings; with --url the questions go to POST /ask.\n\n" +
		"Constrained questions are asked as a client does, for the ten results that come by default. " +
		"Of the first five it is counted how many " +
		"fulfil the question's condition, which is checked on the items' own JSON.\n\n" +
		"Everyday questions are asked as the ask page does, of the items in their folder with default settings. " +
		"Each says what the answer of a " +
		"helpful person has: which names stand first (first), among three (in3) or ten (all), or nowhere (none), " +
		"that there is nothing (empty), " +
		"and a pattern of the summary (say).\n\n" +
		"Example:\n\n\tfrontdesk eval --items items.jsonl.gz --queries queries.tsv --qrels qrels.txt" +
		"\n\tfrontdesk eval --demo --constrained questions.jsonl --misses" +
		"\n\tfrontdesk eval --exam sites/museum --exam sites/bakery --misses"
}

// The depths at which questions are asked.
const (
	rankedDepth = 1000 // for the measures
	timedDepth  = 10   // for the latency
)

// asker answers a question with the URLs of up to limit documents, best first.
type asker func(ctx context.Context, text string, limit int) ([]string, error)

// Run measures.
func (c evalCommand) Run(env *command.Environment) error {
	if err := c.check(); err != nil {
		return err
	}
	switch {
	case len(c.Exam) > 0:
		return c.runExam(env)
	case c.Constrained != "":
		return c.runConstrained(env)
	}
	queries, err := readFile(c.Queries, eval.ReadQueries)
	if err != nil {
		return err
	}
	qrels, err := readFile(c.Qrels, eval.ReadQrels)
	if err != nil {
		return err
	}
	ask, done, err := c.asker(env)
	if err != nil {
		return err
	}
	defer done()
	runs, err := rank(env.Ctx, ask, queries)
	if err != nil {
		return err
	}
	report := eval.Score(qrels, runs)
	if report.Unjudged == len(runs) {
		return fmt.Errorf("no question of %s has a relevant document in %s; do the ids agree?", c.Queries, c.Qrels)
	}
	if c.JSON {
		return report.WriteJSON(env.Stdout)
	}
	if err := report.WriteText(env.Stdout); err != nil || c.Against == "" {
		return err
	}
	before, err := readFile(c.Against, eval.ReadReport)
	if err != nil {
		return err
	}
	return c.bootstrap().Compare(before, report).WriteText(env.Stdout)
}

func (c evalCommand) bootstrap() eval.Bootstrap {
	return eval.Bootstrap{Resamples: c.Resamples, Seed: c.Seed}
}

// check says which flags go together.
func (c evalCommand) check() error {
	switch {
	case c.Resamples < 1:
		return command.Usage("--resamples is %d; draw at least once", c.Resamples)
	case len(c.Exam) > 0 && (c.Items+c.Queries+c.Qrels+c.URL+c.Constrained+c.Against != "" || c.Demo):
		return command.Usage(
			"--exam has its items and questions in its folder; beside it there are --misses, --words and --json alone")
	case len(c.Exam) > 0:
		return nil
	case c.URL != "" && c.Words != "":
		return command.Usage("the front desk at --url has its own table; leave out --words")
	case c.JSON && c.Against != "":
		return command.Usage("--against prints a table; leave out --json")
	case c.Constrained != "" && (c.Queries != "" || c.Qrels != ""):
		return command.Usage("--constrained has its judgments in it; leave out --queries and --qrels")
	case c.Constrained != "" && (c.Items == "") != c.Demo:
		return command.Usage("give --items or --demo, so that there are items to check the answers by")
	case c.Constrained != "":
		return nil
	case c.Demo || c.Misses:
		return command.Usage("--demo goes with --constrained, and --misses with that or --exam")
	case c.Queries == "" || c.Qrels == "":
		return command.Usage("give --queries and --qrels, or --constrained")
	case c.Items == "" && c.URL == "":
		return command.Usage("give --items to read documents, or --url to ask a front desk that has them")
	}
	return nil
}

func readFile[T any](name string, read func(io.Reader) (T, error)) (T, error) {
	file, err := os.Open(name)
	if err != nil {
		var none T
		return none, err
	}
	defer file.Close()
	value, err := read(file)
	if err != nil {
		return value, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}

// rank asks each question, first for the whole ranking and then for the time that ten results take.
func rank(ctx context.Context, ask asker, queries []eval.Query) ([]eval.Run, error) {
	runs := make([]eval.Run, len(queries))
	for i, q := range queries {
		documents, err := ask(ctx, q.Text, rankedDepth)
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		runs[i] = eval.Run{Query: q.ID, Documents: documents}
	}
	for i, q := range queries {
		begin := time.Now()
		if _, err := ask(ctx, q.Text, timedDepth); err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		runs[i].Took = time.Since(begin)
	}
	return runs, nil
}

func (c evalCommand) asker(env *command.Environment) (ask asker, done func(), err error) {
	if c.URL != "" {
		there, err := command.Remote(c.URL, env.Token(""), nil)
		if err != nil {
			return nil, nil, err
		}
		return overHTTP(there), there.Close, nil
	}
	return c.here(env)
}

// overHTTP asks a front desk.
func overHTTP(desk *command.Front) asker {
	return func(ctx context.Context, text string, limit int) ([]string, error) {
		answer, err := desk.Ask(ctx, client.Question{Text: text, Limit: limit, MinScore: new(float64)})
		switch {
		case client.IsNoResults(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
		urls := make([]string, len(answer.Results))
		for i, r := range answer.Results {
			urls[i] = r.URL
		}
		return urls, nil
	}
}

// here reads the items into a temporary database and asks a service on it.
func (c evalCommand) here(env *command.Environment) (ask asker, done func(), err error) {
	folder, err := os.MkdirTemp("", "frontdesk-eval-")
	if err != nil {
		return nil, nil, err
	}
	config := c.config(folder)
	program, err := command.Open(env, config, false)
	if err != nil {
		os.RemoveAll(folder)
		return nil, nil, err
	}
	done = func() {
		program.Close()
		os.RemoveAll(folder)
	}
	begin := time.Now()
	report, err := program.Ingest(env.Ctx, config.AllSources()[0], ingest.Options{})
	if err == nil {
		err = program.Refresh(env.Ctx)
	}
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("%s: %s", c.Items, command.Explained(err))
	}
	fmt.Fprintf(env.Stderr, "%d items read in %s, %d skipped\n", report.Kept, time.Since(begin).Round(time.Millisecond),
		report.SkippedCount)
	return eval.Rank(program.Ask), done, nil
}
