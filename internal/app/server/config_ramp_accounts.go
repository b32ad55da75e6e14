package server

import (
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
)

// RAMPAccounts sets how buyers pay.
type RAMPAccounts struct {
	// Credit is how far below nothing an account may go that has no limit of its own, such as `"25"`, in whatever currency
	// it is. With more than 0 whoever has no account is given one by its first purchase, and so buys on credit.
	Credit string `yaml:"credit" check:"amount"`
	// Tolerance is by how many percent a reported quantity may differ from the estimate. What is charged follows the report no
	// further down than that, and never up.
	Tolerance int `yaml:"tolerance" check:"1..100"`
}

func defaultRAMPAccounts() RAMPAccounts { return RAMPAccounts{Credit: "0", Tolerance: 20} }

// Check looks at the credit.
func (a RAMPAccounts) Check(r *yamlconf.Report) {
	if credit, err := policy.ParseAmount(a.Credit); err == nil && credit > accounts.MaxLimit {
		r.Problem("credit", "%s is more than %s", a.Credit, policy.Amount(accounts.MaxLimit))
	}
}
