package cli

import (
	"frontdesk/internal/cli/agent"
	"frontdesk/internal/cli/owner"
)

type intakeCommands struct {
	Discover agent.IntakeDiscover `cmd:"" help:"See what a business takes in."`
	Submit   agent.IntakeSubmit   `cmd:"" help:"Submit data to a business, and get its offer."`
	Bind     agent.IntakeBind     `cmd:"" help:"Accept an offer that submit saved."`
	owner.IntakeOwner
}
