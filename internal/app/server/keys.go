package server

import (
	apphttp "frontdesk/internal/app/http"

	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"syscall"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
)

// UnlockKeys opens what lies in the folder of secrets for SiteKeys and Platforms. It makes the secret that seals
// platforms' keys where it is missing, but no site key.
func (h *House) UnlockKeys(ctx context.Context, config Config) (err error) {
	h.Platforms, err = identity.OpenPlatforms(ctx, h.db, config.KeyFolder(), h.now)
	if errors.Is(err, syscall.ENOSPC) { // there are no keys yet, and answering needs no room
		h.log.Warn("no keys of platforms can be issued", "reason", err)
		secret := make([]byte, 32)
		rand.Read(secret)
		h.Platforms, err = identity.NewPlatforms(h.db, secret, h.now)
	}
	if err != nil {
		return err
	}
	h.Platforms.OnChange(h.recorder().PlatformKey)
	h.Deliveries = identity.NewDeliveryKeys(h.db, config.KeyFolder(), h.now)
	h.Deliveries.OnChange(h.recorder().DeliveryKey)
	h.Edges = identity.NewEdgeKeys(h.db, config.KeyFolder(), h.now)
	h.Edges.OnChange(h.recorder().EdgeKey)
	h.Addresses = identity.NewAddressKeys(config.KeyFolder(), h.now)
	if h.SiteKeys, err = identity.OpenSiteKeys(config.KeyFolder(), h.now); err != nil {
		return err
	}
	if h.AgentKeys, err = identity.OpenAgentKeys(config.KeyFolder(), h.now); err != nil {
		return err
	}
	h.VerifierKeys, err = identity.OpenVerifierKeys(config.KeyFolder(), h.now)
	return err
}

// RotateAddresses makes another secret for the addresses at which this front desk itself delivers, and gives its name; those before it
// are good for a grace at the most.
func (h *House) RotateAddresses(ctx context.Context, grace time.Duration) (name string, err error) {
	if name, err = h.Addresses.Rotate(grace); err != nil {
		return "", err
	}
	return name, h.db.Update(ctx, func(tx *store.Tx) error {
		return h.recorder().AddressKey(ctx, tx, name)
	})
}

// firstKeys makes the first key of each kind that the configuration needs.
func (h *House) firstKeys(config Config) error {
	if err := h.firstSiteKey(); err != nil {
		return err
	}
	if err := h.firstVerifierKey(config); err != nil {
		return err
	}
	return h.firstAgentKey(config)
}

// firstSiteKey makes the site's first key when there is none.
func (h *House) firstSiteKey() error {
	err := h.SiteKeys.EnsureKey()
	if errors.Is(err, syscall.ENOSPC) {
		h.log.Warn("nothing can be signed", "reason", err)
		return nil
	}
	return err
}

// keepNonces removes nonces whose time is over, until ctx ends.
func (h *House) keepNonces(ctx context.Context) {
	h.Nonces.RunSweep(ctx, func(err error) {
		h.log.Warn("nonces whose time is over could not be removed; that is tried again", "error", err)
	})
}

const jwksPath = "/.well-known/jwks.json"

// identityModule publishes the site's keys (RFC 7517), and forgets nonces.
func (s *Server) identityModule() Module {
	return Module{
		Routes: []apphttp.Route{{Pattern: jwksPath, Name: jwksPath, Methods: apphttp.ReadMethods, CORS: true, Handler: http.HandlerFunc(s.jwks)}},
		Jobs:   []Job{{"forget nonces", s.keepNonces}},
	}
}

func (s *Server) jwks(w http.ResponseWriter, r *http.Request) {
	body := append(s.SiteKeys.JWKS(), '\n')
	sum := sha256.Sum256(body)
	header := w.Header()
	header.Set("Content-Type", "application/jwk-set+json")
	header.Set("Cache-Control", "public, max-age=300")
	header.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// reloadKeys reads the site's keys again, as they are without being told, and says what is wrong with them.
func reloadKeys(keys *identity.SiteKeys, log *slog.Logger) {
	if err := keys.Reload(); err != nil {
		log.Error("the site keys stay as they were", "error", err)
	}
}
