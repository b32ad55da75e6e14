package command

import (
	"errors"
	"fmt"

	"frontdesk/internal/app/server"
	"frontdesk/internal/operator"
)

// OpenKeys opens the house that keeps the keys, and the folder of secrets. Where there is no database yet, it makes one
// only if asked to, and otherwise gives no house.
func OpenKeys(env *Environment, flags ConfigFlags, create bool) (*server.House, *server.Loaded, error) {
	loaded, err := flags.Load(env, nil)
	if err != nil || !create && NeedContent(loaded.Config) != nil {
		return nil, loaded, err
	}
	house, err := server.OpenHouse(env.Ctx, loaded.Config, server.NewLog(server.Log{Level: "error"}, env.Stderr))
	if err != nil {
		return nil, loaded, err
	}
	if err := house.UnlockKeys(env.Ctx, loaded.Config); err != nil {
		return nil, loaded, errors.Join(err, house.Close())
	}
	return house, loaded, nil
}

// Opened is a database that was opened for an operation.
type Opened struct {
	*server.House
	Operator *operator.Operator
}

// OpenOperator opens the database for an operation, and makes one only if asked to.
func OpenOperator(env *Environment, flags ConfigFlags, create bool) (*Opened, error) {
	house, loaded, err := OpenKeys(env, flags, create)
	if err != nil {
		return nil, err
	}
	if house == nil {
		return nil, errors.New("there is no database here; name the folder with --data or the file with --config")
	}
	err = house.OpenRequesters(env.Ctx, loaded.Config)
	if err == nil {
		err = house.OpenSupply(env.Ctx, loaded.Config)
	}
	if err != nil {
		return nil, errors.Join(err, house.Close())
	}
	return &Opened{house, house.Operator(loaded.Config)}, nil
}

// NeedKeys is OpenKeys for a key that must be there.
func NeedKeys(env *Environment, flags ConfigFlags, id string) (*server.House, error) {
	house, _, err := OpenKeys(env, flags, false)
	if err == nil && house == nil {
		err = fmt.Errorf("there is no database here, and so no key %s; name the folder with --data or the file with --config", Clean(id))
	}
	return house, err
}

// OpenRequesters opens the house with its requesters. Where there is no database yet, it makes one only if asked to, and otherwise
// gives no house.
func OpenRequesters(env *Environment, flags ConfigFlags, create bool) (*server.House, error) {
	loaded, err := flags.Load(env, nil)
	if err != nil || !create && NeedContent(loaded.Config) != nil {
		return nil, err
	}
	house, err := server.OpenHouse(env.Ctx, loaded.Config, server.NewLog(server.Log{Level: "error"}, env.Stderr))
	if err != nil {
		return nil, err
	}
	if err := house.OpenRequesters(env.Ctx, loaded.Config); err != nil {
		house.Close()
		return nil, err
	}
	return house, nil
}

// WithSupply opens the house with its tenants, and does something.
func WithSupply(env *Environment, flags ConfigFlags, create bool, do func(*server.House) error) error {
	house, loaded, err := OpenKeys(env, flags, create)
	if err != nil {
		return err
	}
	if house == nil {
		return fmt.Errorf("there is no database here; name the folder with --data or the file with --config")
	}
	defer house.Close()
	if !loaded.Config.RAMP.Enabled {
		return fmt.Errorf("this front desk is no Exchange; set ramp.enabled in the configuration")
	}
	if err := house.OpenSupply(env.Ctx, loaded.Config); err != nil {
		return err
	}
	return do(house)
}
