package owner

import (
	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/fail"
)

type termsRemove struct {
	ID string `arg:"" help:"The rule's id, as frontdesk terms show lists it: content rule ID."`
	command.ConfigFlags
}

// Help is the command's example.
func (termsRemove) Help() string {
	return "It does what DELETE /admin/content-rules/ID does, and needs neither a server nor a key. A server that runs follows within a second. " +
		"The rules of the file are changed in the file.\n\nExample:\n\n\tfrontdesk terms remove reports"
}

// Run removes a rule.
func (c termsRemove) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	if err := command.NeedContent(loaded.Config); err != nil {
		return err
	}
	err = app.RemoveContentRule(env.Ctx, loaded.Config, app.NewLog(app.Log{Level: "error"}, env.Stderr), c.ID)
	if command.IsNotFound(err) {
		return fail.New(fail.NotFound, "there is no content rule %.80s; `frontdesk terms show` lists those there are", command.Clean(c.ID))
	}
	if err == nil {
		env.Print("The content rule %s is gone.\n", command.Clean(c.ID))
	}
	return err
}
