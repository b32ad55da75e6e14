package cli

import (
	"context"
	"path/filepath"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/cli/eval"
)

// runExam asks the everyday questions of sites, each in a folder of its own, and tells which were
// answered as a helpful person would answer them.
func (c evalCommand) runExam(env *command.Environment) error {
	var all []eval.Examined
	for _, folder := range c.Exam {
		questions, err := readFile(filepath.Join(folder, "exam.jsonl"), eval.ReadExam)
		if err != nil {
			return err
		}
		judge, err := evalCommand{Items: filepath.Join(folder, "items.jsonl"), Words: c.Words}.judge(env)
		if err != nil {
			return err
		}
		examined, err := eval.Examine(env.Ctx, filepath.Base(filepath.Clean(folder)), questions, judge.everyday)
		judge.close()
		if err != nil {
			return err
		}
		all = append(all, examined...)
	}
	report := eval.Exam(all)
	if c.JSON {
		return report.WriteJSON(env.Stdout)
	}
	return report.WriteText(env.Stdout, c.Misses)
}

// everyday asks a question as the ask page does.
func (j *judge) everyday(ctx context.Context, q *eval.Everyday) (*client.Answer, error) {
	j.clock.at.Store(&q.Now)
	return j.front.Ask(ctx, q.Question())
}
