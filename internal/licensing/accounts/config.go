package accounts

import (
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// Settings is the section ramp.accounts: how buyers pay.
type Settings struct {
	// Credit is how far below zero an account without a limit may go, such as `"25"`, in any
	// currency. With more than 0 a buyer without an account gets one at its first purchase, and
	// buys on credit.
	Credit string `yaml:"credit" check:"amount"`
	// Tolerance is by how many percent a reported quantity may differ from the estimate. A report
	// lowers the charge by this much at most, and never raises it.
	Tolerance int `yaml:"tolerance" check:"1..100"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{Credit: "0", Tolerance: 20} }

// Check looks at the credit.
func (a Settings) Check(r *yamlconf.Report) {
	if credit, err := policy.ParseAmount(a.Credit); err == nil && credit > MaxLimit {
		r.Problem("credit", "%s is more than %s", a.Credit, policy.Amount(MaxLimit))
	}
}
