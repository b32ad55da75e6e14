package cli

import (
	"frontdesk/internal/cli/command"
	"frontdesk/internal/cli/eval"
)

type modelCommands struct {
	Check modelCheck `cmd:"" help:"Tell what the program makes of a file of word vectors, for model.words."`
}

type modelCheck struct {
	File string `arg:"" optional:"" placeholder:"FILE" help:"model.safetensors with tokenizer.json beside it, or the folder of both (model2vec); or text of GloVe or fastText. Without it, the table that the program carries."`
}

// Help is the command's example.
func (modelCheck) Help() string {
	return "Words of a question stand for words of the items that mean the same, " +
		"by a table of vectors that the program carries. " +
		"Another may serve better, for one language or one field. The status is 1 where the file does not serve.\n\n" +
		"Example:\n\n\tfrontdesk model check potion-base-8M"
}

// Run checks.
func (c modelCheck) Run(env *command.Environment) error { return eval.Words(env.Stdout, c.File) }
