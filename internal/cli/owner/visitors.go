package owner

import "frontdesk/internal/operator"

// Visitors has the commands on which agents come.
type Visitors struct {
	List       of[operator.ListVisitors] `cmd:"" help:"List which agents come, how they are known, and how often they asked, read, paid and were refused."`
	Show       of[operator.ShowVisitor]  `cmd:"" help:"Show what is known of an agent: by day, channel and how it is known."`
	Allow      of[operator.AllowVisitor] `cmd:"" help:"Let an agent in, as far as the terms go; also where its operator is treated otherwise."`
	Limit      of[operator.LimitVisitor] `cmd:"" help:"Let an agent send so many requests a minute."`
	RequireKey of[operator.AskVisitor]   `cmd:"" help:"Answer an agent only where it proves who it is: by a signature, by its address or by a key."`
	Block      of[operator.BlockVisitor] `cmd:"" help:"Refuse an agent, and who calls itself so."`
}
