package excerpts

import (
	"context"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Signature names the key and nonce of a verified message.
type Signature struct {
	Key   identity.PlatformKey
	Nonce string
	Until time.Time // until when the nonce may not be used again
}

// UseNonce uses up the nonce of a signed message that is not processed further, such as one that
// cannot be read. It says whether the nonce was fresh.
func (s *Service) UseNonce(ctx context.Context, by Signature) (fresh bool, err error) {
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		fresh, err = s.deps.Nonces.UseNonce(ctx, tx, by.Key.ID, by.Nonce, by.Until)
		return err
	})
	return fresh, err
}

// useNonce uses up a nonce, and says why it cannot be used.
func (s *Service) useNonce(ctx context.Context, tx *store.Tx, by Signature) (*Refusal, error) {
	fresh, err := s.deps.Nonces.UseNonce(ctx, tx, by.Key.ID, by.Nonce, by.Until)
	switch {
	case err != nil && fail.From(err).Code == fail.Limited:
		return refuseLimited(err), nil
	case err != nil:
		return nil, err
	case !fresh:
		return refuse(Replayed, "The nonce was used before."), nil
	}
	return nil, nil
}
