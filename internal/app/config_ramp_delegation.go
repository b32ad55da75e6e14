package app

import (
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/policy"
)

// revokedAbove is the price as an amount; what it says was checked.
func revokedAbove(r requesters.DelegationSettings) int64 {
	amount, _ := policy.ParseAmount(r.RevokedAbove)
	return amount
}
