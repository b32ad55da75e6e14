package client

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"frontdesk/biscuit"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// ReadDelegation reads a delegation as `frontdesk ramp delegate mint` and `attenuate` write it:
// RAMP's message as JSON. It says what is wrong with its form, and that it is over; whether the
// principal signed it, the Exchange says.
func ReadDelegation(text []byte) (*rampv1.Delegation, error) {
	d := &rampv1.Delegation{}
	if err := ramp.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf(
			"this is no delegation, which is JSON with principal_domain, principal_id, expires_at and token: %w", err)
	}
	if err := ramp.Validate(d); err != nil {
		return nil, err
	}
	if _, err := biscuit.ParseText(d.Token); err != nil {
		return nil, err
	}
	if !time.Now().Before(d.ExpiresAt.AsTime()) {
		return nil, errors.New("the delegation has expired; ask the principal for a new one")
	}
	return d, nil
}

// bound says whether nobody but the buyer can use its delegation, if it has one.
func (b Buyer) bound() bool {
	if b.Delegation == nil {
		return true
	}
	token, err := biscuit.ParseText(b.Delegation.Token)
	if err != nil || b.Key == nil {
		return false
	}
	says, err := token.Says()
	return err == nil && says.Holder != nil && string(says.Holder) == string(b.Key.Public().(ed25519.PublicKey))
}
