package owner

import (
	"errors"
	"fmt"
	"io"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator/inbox"
)

// IntakeOwner are the commands for the business's own side of its intakes.
type IntakeOwner struct {
	List      of[inbox.ListRequests]     `cmd:"" help:"List what was submitted to you, the newest first."`
	Show      of[inbox.ShowRequest]      `cmd:"" help:"Show what was submitted to you, and what became of it."`
	Answer    of[inbox.AnswerRequest]    `cmd:"" help:"Answer a request that waits for you: make an offer, or decline."`
	Done      of[inbox.CompleteRequest]  `cmd:"" help:"Mark an accepted request as done."`
	Redeliver of[inbox.RedeliverRequest] `cmd:"" help:"Deliver an accepted request again, at once."`
	Erase     intakeErase                `cmd:"" help:"Erase all that was submitted to you in a session, or for one offer."`
	Export    intakeExport               `cmd:"" help:"Write all data of a session or an offer, with the ledger's proof of the consent."`
}

// openSubmissions opens the program with what was submitted in a session, or for an offer.
func openSubmissions(env *command.Environment, flags command.ConfigFlags, sessionOrOffer string) (*app.App, error) {
	loaded, err := flags.Load(env, nil)
	if err != nil {
		return nil, err
	}
	if err := command.NeedContent(loaded.Config); err != nil {
		return nil, err
	}
	program, err := app.Build(env.Ctx, app.Options{
		Loaded: loaded, Log: app.NewLog(app.Log{Level: "error"}, env.Stderr), Records: true, Secrets: true,
		Submissions: true,
	})
	if err != nil {
		return nil, err
	}
	if program.Intakes == nil { // nothing was ever taken in
		err := fail.New(fail.NotFound, "nothing is known of a session or offer %q", fail.Clip(sessionOrOffer))
		return nil, errors.Join(err, program.Close())
	}
	return program, nil
}

type intakeErase struct {
	What string `arg:"" name:"session-or-offer" help:"The session_id of a submission, or the id of an offer."`
	command.ConfigFlags
	Yes bool `help:"Do not ask first."`
}

// Help is the command's example.
func (intakeErase) Help() string {
	return "Frontdesk destroys the keys of the submission, the offer and the acceptance, before the intake's " +
		"retention ends. Nobody can read these data any more, not even in backups. " +
		"Waiting messages to you are not delivered. Ids and times stay. " +
		"So does the ledger, which has no such data. " +
		"The server may keep running.\n\n" +
		"Example:\n\n\tfrontdesk intake erase 0f8fad5b-d9cb-469f-a165-70867728950e"
}

// Run erases.
func (c intakeErase) Run(env *command.Environment) error {
	program, err := openSubmissions(env, c.ConfigFlags, c.What)
	if err != nil {
		return err
	}
	defer program.Close()
	if err := program.Intakes.Export(env.Ctx, c.What, io.Discard); err != nil { // is there anything at all?
		return err
	}
	if !c.Yes {
		if sure, err := command.Confirmed(env, fmt.Sprintf("Erase all that is kept of %s? It cannot be brought back.",
			command.Clean(c.What))); err != nil || !sure {
			return err
		}
	}
	n, err := program.Intakes.Erase(env.Ctx, c.What, "command")
	if err != nil {
		return err
	}
	if n == 0 {
		env.Print("It was erased before.\n")
		return nil
	}
	env.Print("Erased what %s held.\n", command.Plural(n, "submission"))
	return nil
}

type intakeExport struct {
	What string `arg:"" name:"session-or-offer" help:"The session_id of a submission, or the id of an offer."`
	command.ConfigFlags
}

// Help is the command's example.
func (intakeExport) Help() string {
	return "The document has the submission, the offer and the acceptance, if they are still kept; " +
		"the receipts of the ledger's entries, for frontdesk verify; " +
		"and the keys of the hashes in them. It holds personal data: keep it safe.\n\n" +
		"Example:\n\n\tfrontdesk intake export 0f8fad5b-d9cb-469f-a165-70867728950e > export.json"
}

// Run exports.
func (c intakeExport) Run(env *command.Environment) error {
	program, err := openSubmissions(env, c.ConfigFlags, c.What)
	if err != nil {
		return err
	}
	defer program.Close()
	return program.Intakes.Export(env.Ctx, c.What, env.Stdout)
}
