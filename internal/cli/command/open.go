package command

import (
	"errors"
	"fmt"

	"frontdesk/internal/app"
	"frontdesk/internal/operator"
)

// Open opens what is on record under a configuration as it is; secrets opens the folder of secrets,
// too.
func Open(env *Environment, config app.Config, secrets bool) (*app.App, error) {
	return OpenLoaded(env, &app.Loaded{Config: config}, secrets)
}

// OpenLoaded opens what is on record under a configuration with what the owner set beside its file.
func OpenLoaded(env *Environment, loaded *app.Loaded, secrets bool) (*app.App, error) {
	return app.Build(env.Ctx, app.Options{
		Loaded: loaded, Log: app.NewLog(app.Log{Level: "error"}, env.Stderr), Records: true, Secrets: secrets,
	})
}

// OpenKeys opens the program with the keys, and the folder of secrets. Where there is no database
// yet, it makes one only if asked to, and otherwise gives none.
func OpenKeys(env *Environment, flags ConfigFlags, create bool) (*app.App, *app.Loaded, error) {
	loaded, err := flags.Load(env, nil)
	if err != nil || !create && NeedContent(loaded.Config) != nil {
		return nil, loaded, err
	}
	desk, err := OpenLoaded(env, loaded, true)
	return desk, loaded, err
}

// Opened is a database that was opened for an operation.
type Opened struct {
	*app.App
	Operator *operator.Operator
}

// OpenOperator opens the database for an operation, and makes one only if asked to; sealed with
// what agents submitted.
func OpenOperator(env *Environment, flags ConfigFlags, create, sealed bool) (*Opened, error) {
	loaded, err := flags.Load(env, nil)
	if err != nil {
		return nil, err
	}
	if !create && NeedContent(loaded.Config) != nil {
		return nil, errors.New("there is no database here; name the folder with --data or the file with --config")
	}
	program, err := app.Build(env.Ctx, app.Options{
		Loaded: loaded, Log: app.NewLog(app.Log{Level: "error"}, env.Stderr), Records: true, Secrets: true,
		Submissions: sealed,
	})
	if err != nil {
		return nil, err
	}
	return &Opened{program, program.Operator()}, nil
}

// NeedKeys is OpenKeys for a key that must be there.
func NeedKeys(env *Environment, flags ConfigFlags, id string) (*app.App, error) {
	program, _, err := OpenKeys(env, flags, false)
	if err == nil && program == nil {
		err = fmt.Errorf("there is no database here, and so no key %s; name the folder with "+
			"--data or the file with --config", Clean(id))
	}
	return program, err
}

// OpenRequesters opens the program with its requesters. Where there is no database yet, it makes
// one only if asked to, and otherwise gives none.
func OpenRequesters(env *Environment, flags ConfigFlags, create bool) (*app.App, error) {
	loaded, err := flags.Load(env, nil)
	if err != nil || !create && NeedContent(loaded.Config) != nil {
		return nil, err
	}
	return Open(env, loaded.Config, false)
}

// WithSupply opens the program with its tenants, and does something.
func WithSupply(env *Environment, flags ConfigFlags, create bool, do func(*app.App) error) error {
	program, loaded, err := OpenKeys(env, flags, create)
	if err != nil {
		return err
	}
	if program == nil {
		return fmt.Errorf("there is no database here; name the folder with --data or the file with --config")
	}
	defer program.Close()
	if !loaded.Config.RAMP.Enabled {
		return fmt.Errorf("this front desk is no Exchange; set ramp.enabled in the configuration")
	}
	return do(program)
}

// ConsoleLink is the address of a link to the console, with its code where browsers send it to
// nobody.
func ConsoleLink(address, code string) string { return address + "/console/begin#" + code }
