package server

import (
	apphttp "frontdesk/internal/app/http"

	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"syscall"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/operator"
	"frontdesk/wire/receipt"
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
	h.Platforms.OnChange(func(ctx context.Context, tx *store.Tx, key identity.PlatformKey) error {
		return h.recordKey(ctx, tx, keyFact{Key: "platform", State: key.State(h.now()), Roles: key.Roles, Ends: ends(key.NotAfter)}, key.ID, "platform:"+key.Platform)
	})
	h.Deliveries = identity.NewDeliveryKeys(h.db, config.KeyFolder(), h.now)
	h.Deliveries.OnChange(func(ctx context.Context, tx *store.Tx, key identity.DeliveryKey) error {
		return h.recordKey(ctx, tx, keyFact{Key: "delivery", State: key.State(h.now()), Ends: ends(key.Ends)}, key.ID, "delivery:"+key.Place)
	})
	h.Edges = identity.NewEdgeKeys(h.db, config.KeyFolder(), h.now)
	h.Edges.OnChange(func(ctx context.Context, tx *store.Tx, key identity.EdgeKey) error {
		return h.recordKey(ctx, tx, keyFact{Key: "edge", State: key.State(), Sites: key.Sites, Ends: ends(key.Revoked)}, key.ID, "edge:"+key.Edge)
	})
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
		return h.recordKey(ctx, tx, keyFact{Key: "deliver", State: "signing"}, name, "site")
	})
}

// keyFact is the body of an entry of the ledger on a key or whose keys count, as it is after a change.
type keyFact struct {
	Key   string     `json:"key"` // platform, api, console, requester, delegation, delivery, deliver, edge or caller
	State string     `json:"state"`
	Roles []string   `json:"roles,omitempty"`
	Doors []string   `json:"doors,omitempty"`
	Sites []string   `json:"sites,omitempty"` // of an edge
	Ends  *time.Time `json:"ends,omitempty"`
	// Of a requester: how it signed up, the scopes that it was granted, and the thumbprints (RFC 7638) of the keys that the
	// operator was given.
	SignUp string   `json:"sign_up,omitempty"`
	Scopes []string `json:"scopes,omitempty"`
	Keys   []string `json:"keys,omitempty"`
	By     string   `json:"by,omitempty"` // who changed it at the console; empty for the command
}

// ends is when a key ends; nil for never.
func ends(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// recordKeys has the ledger tell of API keys that are made or changed.
func (h *House) recordKeys() {
	h.Keys.OnChange(func(ctx context.Context, tx *store.Tx, key identity.Key) error {
		kind := "api"
		if identity.ConsoleRole(key.Scopes) != "" {
			kind = "console"
		}
		return h.recordKey(ctx, tx, keyFact{Key: kind, State: key.State(h.now()), Doors: key.Scopes, Ends: ends(key.Expires)}, key.ID, "key:"+key.ID)
	})
}

// recordKey has the ledger tell of a key, in the transaction that changes it. What its holder is called stays out.
func (h *House) recordKey(ctx context.Context, tx *store.Tx, fact keyFact, id, party string) error {
	fact.By = operator.Actor(ctx)
	body, err := json.Marshal(fact)
	if err != nil {
		return err
	}
	_, err = h.Ledger.Append(ctx, tx, receipt.Entry{Kind: "key", Party: party, Subject: id, Body: body})
	return err
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
