package cli

import (
	"frontdesk/internal/app/server"
	"frontdesk/internal/infra/fail"
)

type termsRemove struct {
	ID string `arg:"" help:"The rule's id, as frontdesk terms show lists it: content rule ID."`
	configFlags
}

// Help is the command's example.
func (termsRemove) Help() string {
	return "It does what DELETE /admin/content-rules/ID does, and needs neither a server nor a key. A server that runs follows within a second. " +
		"The rules of the file are changed in the file.\n\nExample:\n\n\tfrontdesk terms remove reports"
}

// Run removes a rule.
func (c termsRemove) Run(env *environment) error {
	loaded, err := c.load(env, nil)
	if err != nil {
		return err
	}
	if err := needContent(loaded.Config); err != nil {
		return err
	}
	err = server.RemoveContentRule(env.ctx, loaded.Config, server.NewLog(server.Log{Level: "error"}, env.stderr), c.ID)
	if isNotFound(err) {
		return fail.New(fail.NotFound, "there is no content rule %.80s; `frontdesk terms show` lists those there are", clean(c.ID))
	}
	if err == nil {
		env.print("The content rule %s is gone.\n", clean(c.ID))
	}
	return err
}
