package cli

import (
	"frontdesk/internal/cli/agent"
	"frontdesk/internal/cli/owner"
)

type rampCommands struct {
	Discover     agent.Discover      `cmd:"" help:"As a buyer: see what an Exchange offers."`
	Fetch        agent.Fetch         `cmd:"" help:"As a buyer: have the licensed text of an address, or of what answers a question, by one command."`
	Resolve      agent.Resolve       `cmd:"" help:"As a buyer: have a Broker find the best offers at several Exchanges, and buy by them."`
	Buy          agent.Buy           `cmd:"" help:"As a buyer: buy content from an Exchange, and fetch it."`
	Delegate     agent.Delegate      `cmd:"" help:"Let others buy for you, narrow such tokens, look at them, and revoke them."`
	Attest       agent.Attest        `cmd:"" help:"Attest things of content, see whether what others attest holds, and take it over."`
	Dispute      agent.Dispute       `cmd:"" help:"As a buyer: dispute something bought, and follow what comes of it."`
	Push         agent.Push          `cmd:"" help:"As a provider: push what an Exchange can sell into its catalog."`
	Withdraw     agent.Withdraw      `cmd:"" help:"As a provider: take entries out of an Exchange's catalog."`
	Refresh      agent.Refresh       `cmd:"" help:"As a provider: have an Exchange read your content anew."`
	VerifyDomain agent.VerifyDomain  `cmd:"" help:"As a provider: show an Exchange that a domain is yours, and register the key that signs addresses there."`
	Domain       owner.Domains       `cmd:"" help:"See which domains of tenants are verified, and the challenges of them."`
	Tenant       owner.Tenants       `cmd:"" help:"Manage the providers whose content this Exchange sells, beside its own sites."`
	Caller       owner.Callers       `cmd:"" help:"Say who may push into this Exchange's catalog, with which keys."`
	Requester    owner.Requesters    `cmd:"" help:"Manage buyers: their keys and rights."`
	Account      owner.Accounts      `cmd:"" help:"Manage buyers' accounts."`
	License      owner.Licenses      `cmd:"" help:"Give buyers licences, and end them."`
	Subscription owner.Subscriptions `cmd:"" help:"Give buyers subscriptions with quotas, and end them."`
	Evidence     owner.Evidence      `cmd:"" help:"Import logs of deliveries, and show what was answered under a transaction."`
	Disputes     owner.Disputes      `cmd:"" help:"As an operator: see what buyers dispute, and decide it."`
	Report       owner.Reports       `cmd:"" help:"Report the use of something bought; as an operator, what sites earned and what buyers were charged."`
}
