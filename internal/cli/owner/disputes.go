package owner

import "frontdesk/internal/operator"

// Disputes has the commands by which the operator sees and decides disputes.
type Disputes struct {
	List   of[operator.ListDisputes]  `cmd:"" help:"List disputes, the newest first."`
	Show   of[operator.ShowDispute]   `cmd:"" help:"Show a dispute, with every step and what was consulted for it."`
	Decide of[operator.DecideDispute] `cmd:"" help:"Decide a dispute that is not decided."`
	Erase  of[operator.EraseDispute]  `cmd:"" help:"Forget what the buyer wrote of a dispute."`
}
