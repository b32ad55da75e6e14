package cli

import (
	"net/http"
	"path/filepath"

	"frontdesk/client"
	"frontdesk/internal/app"
	"frontdesk/internal/app/mcp"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/build"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/buyer"
)

// spendFlags say what an assistant may spend, and where.
type spendFlags struct {
	Limit        []string `placeholder:"AMOUNT/PERIOD" help:"With --buyer: spend no more than this in a day, week or month, like 10USD/month; may be repeated. In a currency without one nothing is paid."`
	SessionLimit []string `placeholder:"AMOUNT" help:"With --buyer: spend no more than this, like 1USD, until the program ends; may be repeated, for each currency."`
	Most         []string `placeholder:"AMOUNT" help:"With --buyer: pay no more than this for one purchase, like 0.25USD; may be repeated, for each currency."`
	Site         []string `placeholder:"URL" help:"With --buyer: a front desk to search; may be repeated. The assistant may name others."`
	Exchange     string   `placeholder:"URL" help:"With --buyer: the one Exchange to buy from. Without it, those that content leads to."`
	Broker       string   `placeholder:"URL" help:"With --buyer: the Broker that compares Exchanges and buys. Its fee counts against the limits."`
}

func (f spendFlags) set() bool {
	return len(f.Limit)+len(f.SessionLimit)+len(f.Most)+len(f.Site) > 0 || f.Exchange != "" || f.Broker != ""
}

// limits reads what may be spent.
func (f spendFlags) limits() (all buyer.Limits, err error) {
	for _, text := range f.Limit {
		l, err := buyer.ParseLimit(text)
		if err != nil {
			return nil, command.Usage("--limit: %s", err)
		}
		all = append(all, l)
	}
	for _, bound := range []struct {
		flag   string
		period buyer.Period
		texts  []string
	}{{"--session-limit", buyer.Session, f.SessionLimit}, {"--most", buyer.PerPurchase, f.Most}} {
		for _, text := range bound.texts {
			amount, err := buyer.ParseMoney(text)
			if err != nil {
				return nil, command.Usage("%s: %s", bound.flag, err)
			}
			all = append(all, buyer.Limit{Money: amount, Period: bound.period})
		}
	}
	if err := all.Check(); err != nil {
		return nil, command.Usage("%s", err)
	}
	return all, nil
}

// walletFile is where purchases are kept, in the folder of data.
const walletFile = "buyer.db"

// serveBuyer serves one who buys until standard input ends.
func (c mcpCommand) serveBuyer(env *command.Environment) error {
	limits, err := c.limits()
	if err != nil {
		return err
	}
	who, err := c.AsBuyer(env)
	if err != nil {
		return err
	}
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	if c.Exchange != "" && c.Broker != "" {
		return command.Usage(
			"--exchange and --broker do not belong together: it is bought at one Exchange, or a Broker chooses")
	}
	typed := c.Site
	for _, address := range []string{c.Exchange, c.Broker} {
		if address != "" {
			typed = append(typed[:len(typed):len(typed)], address)
		}
	}
	own, err := loaded.Config.OwnAgent(nil)
	if err != nil {
		return err
	}
	fetcher := loaded.Config.SignedFetcher(own)
	defer fetcher.Close()
	way, err := fetcher.Transport(typed...)
	if err != nil {
		return command.Usage("%s", err)
	}
	wallet, err := buyer.Open(env.Ctx,
		buyer.StoreConfig{File: filepath.Join(loaded.Config.Data, walletFile), Limits: limits})
	if err != nil {
		return err
	}
	defer wallet.Close()
	b := buyer.New(buyer.Options{
		Purchases: wallet, FrontDesks: c.Site, Exchange: c.Exchange, Broker: c.Broker,
		Client: client.Options{HTTP: &http.Client{Transport: way}, UserAgent: command.UserAgent, Buyer: who},
	})
	tools := b.Tools()
	return mcp.New(mcp.Config{
		Name: "frontdesk-buyer", Title: "Licensed content", Version: build.Current().Version,
		Instructions: b.Instructions(), Tools: func() []httpx.Tool { return tools },
		Log: app.NewLog(loaded.Config.Log, env.Stderr),
	}).Serve(env.Ctx, env.Stdin, env.Stdout)
}
