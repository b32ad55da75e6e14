package owner

import "frontdesk/internal/operator"

// Tenants has the commands for the providers for whom this Exchange sells.
type Tenants struct {
	Add     of[operator.Onboard]        `cmd:"" help:"Add a provider whose content this Exchange sells, or change it: its domains, price, delivery and caller."`
	List    of[operator.ListTenants]    `cmd:"" help:"List the tenants."`
	Remove  of[operator.RemoveTenant]   `cmd:"" help:"Remove a tenant: nothing of it is sold any more."`
	Refused of[operator.ListRejections] `cmd:"" help:"List the entries that were refused last, and why."`
}

// Callers has the commands for those who push into the catalog.
type Callers struct {
	Add    of[operator.PutCaller]    `cmd:"" help:"Put a caller in, who may push into the catalog of tenants, or change it."`
	List   of[operator.ListCallers]  `cmd:"" help:"List the callers."`
	Revoke of[operator.RevokeCaller] `cmd:"" help:"End the keys of a caller."`
}

// Domains has the commands for the domains of tenants, and their verification.
type Domains struct {
	List       of[operator.ListDomains]    `cmd:"" help:"List the domains of tenants, and how they are verified."`
	Challenges of[operator.ListChallenges] `cmd:"" help:"List the last challenges, and what came of them."`
	Forget     of[operator.ForgetDomain]   `cmd:"" help:"Forget that a domain was verified: what a key that was registered for it signed is not sold there any more."`
}

// Requesters has the commands for requesters of RAMP.
type Requesters struct {
	Add     of[operator.AddRequester]     `cmd:"" help:"Put a requester in, or take over one that signed up by itself."`
	Change  of[operator.ChangeRequester]  `cmd:"" help:"Change what holds for a requester."`
	List    of[operator.ListRequesters]   `cmd:"" help:"List the requesters."`
	Show    of[operator.ShowRequester]    `cmd:"" help:"Show a requester with its keys."`
	Suspend of[operator.SuspendRequester] `cmd:"" help:"Let a requester in no longer, until it is resumed."`
	Resume  of[operator.ResumeRequester]  `cmd:"" help:"Let a requester in again that was suspended."`
	Remove  of[operator.RemoveRequester]  `cmd:"" help:"Remove a requester; it may sign up again."`
}
