package command

import (
	"fmt"

	"frontdesk/client"
)

// OwnAgent is the configuration's front desk as an agent, which signs what commands ask of others;
// nil where it signs nothing.
func (f ConfigFlags) OwnAgent(env *Environment) (*client.Agent, error) {
	loaded, err := f.Load(env, nil)
	if err != nil {
		return nil, err
	}
	own, err := loaded.Config.OwnAgent(nil)
	if err != nil || own == nil {
		return nil, err
	}
	key := own.Key()
	if key == nil {
		return nil, nil
	}
	return &client.Agent{Directory: own.Address(), Key: key}, nil
}

// SignsAs is OwnAgent for commands that need no configuration: where it cannot be had, they ask
// unsigned.
func (f ConfigFlags) SignsAs(env *Environment) *client.Agent {
	agent, err := f.OwnAgent(env)
	if err != nil {
		fmt.Fprintf(env.Stderr, "warning: requests are not signed: %s\n", err)
	}
	return agent
}
