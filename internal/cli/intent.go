package cli

import (
	"frontdesk/internal/cli/agent"
)

type intentCommands struct {
	Retrieve agent.IntentRetrieve `cmd:"" help:"Ask a publisher for passages, as a platform."`
	Cite     agent.IntentCite     `cmd:"" help:"Tell a publisher that a passage was shown to somebody."`
	Receipt  agent.IntentReceipt  `cmd:"" help:"Get a publisher's receipt for passages that it gave, for frontdesk verify."`
}
