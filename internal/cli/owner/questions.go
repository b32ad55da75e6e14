package owner

import "frontdesk/internal/operator"

// Questions are the commands on what people and agents ask.
type Questions struct {
	List   of[operator.ListQuestions]  `cmd:"" help:"List questions with their outcomes, the most frequent first."`
	Show   of[operator.ShowQuestion]   `cmd:"" help:"Show a question: by day, and who asked."`
	Ignore of[operator.IgnoreQuestion] `cmd:"" help:"Take a question out of the lists."`
	Heed   of[operator.HeedQuestion]   `cmd:"" help:"Put an ignored question back into the lists."`
	Forget of[operator.ForgetQuestion] `cmd:"" help:"Remove all that is kept of a question."`
}
