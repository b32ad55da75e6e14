package server

import (
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
)

// RAMPAccounts sets how buyers pay.
type RAMPAccounts struct {
	// Credit is how far below nothing an account may go that has no limit of its own, such as `"25"`, in whatever currency
	// it is. With more than 0 whoever has no account is given one by its first purchase, and so buys on credit.
	Credit string `yaml:"credit"`
	// Tolerance is by how many percent a reported quantity may differ from the estimate. What is charged follows the report no
	// further down than that, and never up.
	Tolerance int `yaml:"tolerance"`
}

func defaultRAMPAccounts() RAMPAccounts { return RAMPAccounts{Credit: "0", Tolerance: 20} }

// rampAccounts checks the section ramp.accounts.
func (c *checks) rampAccounts() {
	r := c.Config.RAMP
	credit, err := policy.ParseAmount(r.Accounts.Credit)
	if err != nil {
		c.problem("ramp.accounts.credit", "%v", err)
	}
	if credit > accounts.MostLimit {
		c.problem("ramp.accounts.credit", "%s is more than %s", r.Accounts.Credit, policy.Amount(accounts.MostLimit))
	}
	between(c, "ramp.accounts.tolerance", r.Accounts.Tolerance, 1, 100)
	if credit > 0 && r.Enabled && r.spending() == signedNone {
		c.warning("ramp.accounts.credit", "everybody buys on credit, and nobody has to show who they are; set ramp.purchases, or no credit")
	}
}
