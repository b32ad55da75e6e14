package cli

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/app"
	"frontdesk/internal/app/demo"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
	"frontdesk/wire/ramp"
)

// demoFunds is what the demo's buyer has to spend, in a currency that is none.
const demoFunds = "5"

// letBuy lets the demo's buyer in: an agent whose key lies in the demo's own folder, with an
// account of play money. Where it is there from an earlier start, it stays as it is.
func (c demoCommand) letBuy(ctx context.Context, s *app.App) error {
	if _, err := s.Requesters.Get(ctx, demo.BuyerDomain, demo.BuyerID); fail.From(err).Code != fail.NotFound {
		return err
	}
	if err := s.AgentKeys.EnsureKey(); err != nil {
		return err
	}
	buyer := requesters.Registration{Domain: demo.BuyerDomain, ID: demo.BuyerID}
	for _, key := range s.AgentKeys.Keys() {
		buyer.Keys = append(buyer.Keys, ramp.Key{ID: key.ID, Public: key.Public, Active: true})
	}
	funds, err := policy.ParseAmount(demoFunds)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	if err := s.ChangeAccounts(ctx, func(tx *store.Tx) error {
		if err := s.Accounts.Open(ctx, tx, buyer.Account(), demo.Currency, -1, now); err != nil {
			return err
		}
		_, err := s.Accounts.Pay(ctx, tx, accounts.Credit, buyer.Account(), demo.Currency, funds, "play-money", now)
		return err
	}); err != nil {
		return err
	}
	_, err = s.Requesters.Add(ctx, buyer)
	return err
}

// inFolder is a file of the demo's, as an argument of a shell.
func inFolder(folder, name string) string {
	file := filepath.Join(folder, name)
	if strings.ContainsAny(file, " '") {
		file = strconv.Quote(file)
	}
	return file
}

// sayBuy says how the demo's buyer buys, and how somebody else may.
func (c demoCommand) sayBuy(env *command.Environment, address, folder string) {
	file := inFolder(folder, "frontdesk.yaml")
	as := "--as " + demo.BuyerDomain + "/" + demo.BuyerID + " --config " + file
	article := address + demo.ForSale
	env.Print("  An article for subscribers is sold to agents (RAMP). Buy it as the demo's own, " +
		"with play money, and report its use:\n\n")
	env.Print("    frontdesk ramp discover %s %s --use ai-input %s\n", address, article, as)
	env.Print("    frontdesk ramp buy %s %s --use ai-input --yes --save bought.json %s\n", address, article, as)
	env.Print("    frontdesk ramp report bought.json --quantity 1 --use ai-input %s\n\n", as)
	env.Print("  Dispute what came of it:\n\n    frontdesk ramp dispute bought.json --reason incomplete-content %s\n\n",
		as)
	env.Print("  The same by one command, from a question on:\n\n")
	env.Print("    frontdesk ramp fetch --url %s --max 0.05%s --yes %s -- %s\n\n", address, demo.Currency, as,
		demo.ForSaleQuestion)
	env.Print("  Let an agent of your own buy: make its key, let it in, and give it play money:\n\n")
	own, agent := "agent.tidewater.example my-bot", "agent.tidewater.example/my-bot"
	env.Print("    frontdesk keys agent --data my-bot --id my-bot --contact me@tidewater.example > my-bot.json\n")
	env.Print("    frontdesk ramp requester add %s --key @my-bot.json --config %s\n", own, file)
	env.Print("    frontdesk ramp account open %s %s --config %s\n", agent, demo.Currency, file)
	env.Print("    frontdesk ramp account credit %s 1 %s --config %s\n", agent, demo.Currency, file)
	env.Print("    frontdesk ramp fetch %s --max 0.05%s --yes --use ai-input --data my-bot --as %s\n\n", article,
		demo.Currency, agent)
}
