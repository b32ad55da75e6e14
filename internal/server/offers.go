package server

import (
	"context"
	"crypto"
	"crypto/rand"
	"errors"
	"time"

	"frontdesk/internal/deal"
	"frontdesk/internal/desk"
)

// openQuotes lets the desk make offers of what can be sold.
func (h *House) openQuotes(config Config) error {
	selling := config.RAMP.selling()
	return h.Desk.OpenQuotes(&desk.Quoting{Owner: func() *desk.Selling { return selling }, DB: h.db, Catalog: h.Goods})
}

// signOffer signs an offer's document with the site's key.
func (h *House) signOffer(document []byte) ([]byte, error) {
	_, signer, ok := h.SiteKeys.Current()
	if !ok {
		return nil, errors.New("there is no site key that signs: run `frontdesk keys rotate`")
	}
	return signer.Sign(rand.Reader, document, crypto.Hash(0))
}

// forgetOffersEvery is how often offers are forgotten that have ended.
const forgetOffersEvery = time.Minute

// forgetOffers forgets offers some time after they have ended, until ctx ends.
func (s *Server) forgetOffers(ctx context.Context) {
	tick := time.NewTicker(forgetOffersEvery)
	defer tick.Stop()
	for {
		if _, err := deal.SweepOffers(ctx, s.db, s.now().Add(-s.config.RAMP.Offers.Keep)); err != nil && ctx.Err() == nil {
			s.log.Warn("offers that have ended could not be forgotten; that is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
