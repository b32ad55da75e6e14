package server

import (
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

	"frontdesk/internal/trust"
)

// UnlockKeys opens what lies in the folder of secrets for SiteKeys and Platforms. It makes the secret that seals
// platforms' keys where it is missing, but no site key.
func (h *House) UnlockKeys(ctx context.Context, config Config) (err error) {
	h.Platforms, err = trust.OpenPlatforms(ctx, h.db, config.KeyFolder(), h.now)
	if errors.Is(err, syscall.ENOSPC) { // there are no keys yet, and answering needs no room
		h.log.Warn("no keys of platforms can be issued", "reason", err)
		secret := make([]byte, 32)
		rand.Read(secret)
		h.Platforms, err = trust.NewPlatforms(h.db, secret, h.now)
	}
	if err != nil {
		return err
	}
	h.SiteKeys, err = trust.OpenSiteKeys(config.KeyFolder(), h.now)
	return err
}

// firstSiteKey makes the site's first key when there is none.
func (h *House) firstSiteKey() error {
	err := h.SiteKeys.Make()
	if errors.Is(err, syscall.ENOSPC) {
		h.log.Warn("nothing can be signed", "reason", err)
		return nil
	}
	return err
}

// keepNonces removes nonces whose time is over, until ctx ends.
func (h *House) keepNonces(ctx context.Context) {
	h.Nonces.Keep(ctx, func(err error) {
		h.log.Warn("nonces whose time is over could not be removed; that is tried again", "error", err)
	})
}

const jwksPath = "/.well-known/jwks.json"

// jwksRoutes publish the site's keys (RFC 7517).
func (s *Server) jwksRoutes() []route {
	return []route{{pattern: jwksPath, name: jwksPath, methods: reading, cors: true, handler: http.HandlerFunc(s.jwks)}}
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
func reloadKeys(keys *trust.SiteKeys, log *slog.Logger) {
	if err := keys.Reload(); err != nil {
		log.Error("the site keys stay as they were", "error", err)
	}
}
