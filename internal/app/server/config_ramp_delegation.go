package server

import (
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/policy"
)

// RAMPDelegation sets what holds for requesters that act for somebody else, with a token of theirs.
type RAMPDelegation struct {
	// KeyGrace is how long a token counts after its principal has stopped publishing the key that signed it, so that keys can be
	// changed without making all tokens anew.
	KeyGrace time.Duration `yaml:"key_grace" check:"1s..2160h"`
	// RevokedAbove is the price, in whatever currency, from which on nothing is sold under a delegation that names a
	// `revocation_uri` unless the list there was had within the last minute. Below it, the list counts as far as it is known, and
	// nobody waits for it. `"0"` always asks.
	RevokedAbove string `yaml:"revoked_above" check:"amount"`
}

func defaultRAMPDelegation() RAMPDelegation {
	return RAMPDelegation{KeyGrace: requesters.DefaultKeyGrace, RevokedAbove: "1"}
}

// revokedAbove is the price as an amount; what it says was checked.
func (r RAMPDelegation) revokedAbove() int64 {
	amount, _ := policy.ParseAmount(r.RevokedAbove)
	return amount
}
