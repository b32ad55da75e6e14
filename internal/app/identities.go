package app

import (
	"crypto"
	"slices"

	wire "frontdesk/wire/ramp"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/rampapi"

	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"syscall"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/operator/record"
	"frontdesk/wire/receipt"
	"frontdesk/wire/sign/botauth"
)

// identities are the keys of those who ask, and of this front desk. Those that lie in the folder of
// secrets are nil for a command that leaves it closed.
type identities struct {
	*base
	Keys       *identity.Keys
	Nonces     *identity.Nonces             // that were used under platforms' keys
	Requesters *requesters.Registry         // who ask under RAMP
	Answers    *identity.ChallengeResponses // to challenges of this front desk's own domains

	SiteKeys     *identity.SiteKeys
	Addresses    *identity.AddressKeys
	AgentKeys    *identity.SiteKeys // of an agent of the owner's, which asks others
	VerifierKeys *identity.SiteKeys // with which the sites attest things of their content
	Platforms    *identity.Platforms
	Deliveries   *identity.DeliveryKeys // that sign addresses for others
	Edges        *identity.EdgeKeys     // with which edges tell what they delivered
	BotKeys      *identity.SiteKeys     // with which what is asked of others is signed
	Uses         *keyring.Uses          // when keys were used
}

// openIdentities reads who is known.
func (b *base) openIdentities(ctx context.Context, secrets bool) (*identities, error) {
	k := &identities{
		base: b, Keys: identity.NewKeys(b.db, nil), Nonces: identity.NewNonces(b.db, 0, b.now),
		Answers: identity.NewChallengeResponses(b.db, b.now),
	}
	k.openUses()
	err := k.openRequesters(ctx)
	if err == nil && secrets {
		err = k.openSecrets(ctx)
	}
	return k, err
}

// record has the ledger tell of each change.
func (k *identities) record() {
	r := k.recorder()
	k.Keys.OnChange(r.APIKey)
	k.Requesters.OnChange(r.Requester)
	k.Requesters.OnRevoke(r.Revocation)
	if k.Platforms != nil { // the folder of secrets is open
		k.Platforms.OnChange(r.PlatformKey)
		k.Deliveries.OnChange(r.DeliveryKey)
		k.Edges.OnChange(r.EdgeKey)
	}
}

// recorder has the ledger tell of what owners and operators change.
func (b *base) recorder() record.Recorder { return record.Recorder{Ledger: b.Ledger, Now: b.now} }

// openSecrets opens what lies in the folder of secrets. It makes the secret that seals
// platforms' keys where it is missing, but no site key.
func (k *identities) openSecrets(ctx context.Context) (err error) {
	k.Platforms, err = identity.OpenPlatforms(ctx, k.db, k.config.KeyFolder(), k.now)
	if errors.Is(err, syscall.ENOSPC) { // there are no keys yet, and answering needs no room
		k.log.Warn("no keys of platforms can be issued", "reason", err)
		secret := make([]byte, 32)
		rand.Read(secret)
		k.Platforms, err = identity.NewPlatforms(k.db, secret, k.now)
	}
	if err != nil {
		return err
	}
	k.Deliveries = identity.NewDeliveryKeys(k.db, k.config.KeyFolder(), k.now)
	k.Edges = identity.NewEdgeKeys(k.db, k.config.KeyFolder(), k.now)
	k.Addresses = identity.NewAddressKeys(k.config.KeyFolder(), k.now)
	if k.SiteKeys, err = identity.OpenSiteKeys(k.config.KeyFolder(), k.now); err != nil {
		return err
	}
	if k.AgentKeys, err = identity.OpenAgentKeys(k.config.KeyFolder(), k.now); err != nil {
		return err
	}
	if k.VerifierKeys, err = identity.OpenVerifierKeys(k.config.KeyFolder(), k.now); err != nil {
		return err
	}
	k.BotKeys, err = identity.OpenBotKeys(k.config.KeyFolder(), k.now)
	return err
}

// RotateAddresses makes another secret for the addresses at which this front desk itself delivers,
// and gives its name; those before it are good for a grace at the most.
func (k *identities) RotateAddresses(ctx context.Context, grace time.Duration) (name string, err error) {
	if name, err = k.Addresses.Rotate(grace); err != nil {
		return "", err
	}
	return name, k.db.Update(ctx, func(tx *store.Tx) error {
		return k.recorder().AddressKey(ctx, tx, name)
	})
}

// openRequesters reads who signed up under RAMP, and has the ledger tell of changes.
func (k *identities) openRequesters(ctx context.Context) (err error) {
	k.Requesters, err = requesters.Open(ctx, requesters.Config{
		DB: k.db, Fetcher: k.config.domainFetcher(requesters.AgentTime), Signatures: k.config.RAMP.Signatures,
		Purchases: k.config.RAMP.Purchases, Registered: k.config.RAMP.Requesters.Registered,
		KeyGrace: k.config.RAMP.Delegation.KeyGrace, Now: k.now,
	})
	if err != nil {
		return err
	}
	return nil
}

// openLedger opens the ledger. It signs with the site's keys, where the folder of secrets is open.
func (k *identities) openLedger() *ledger.Ledger {
	return ledger.New(k.db, ledger.Options{
		Origin: k.config.LedgerOrigin(),
		Signers: func(origin string) []note.Signer {
			if k.SiteKeys == nil {
				return nil
			}
			return k.SiteKeys.Signers(origin)
		},
		Keys: k.LedgerKeys,
		SaveCheckpoint: func(checkpoint string) error {
			if k.SiteKeys == nil {
				return nil
			}
			return k.SiteKeys.SaveSigned(checkpoint)
		},
		LoadCheckpoint: func() (string, error) {
			if k.SiteKeys == nil {
				return "", nil
			}
			return k.SiteKeys.LastSigned()
		},
		Now: k.now,
		Log: k.log,
	})
}

// LedgerKeys are the public keys that ever signed the ledger.
func (k *identities) LedgerKeys() (keys receipt.Keys) {
	if k.SiteKeys == nil {
		return nil
	}
	for _, k := range k.SiteKeys.Keys() {
		keys = append(keys, receipt.Key{ID: k.ID, Public: k.Public})
	}
	return keys
}

// Logins are the sessions of people at the owner's console.
func (k *identities) Logins() *identity.Logins { return identity.NewLogins(k.db, k.Keys, k.now) }

// signOffer signs an offer's document with the site's key.
func (k *identities) signOffer(document []byte) ([]byte, error) {
	_, signer, ok := k.SiteKeys.Current()
	if !ok {
		return nil, errors.New("there is no site key that signs: run `frontdesk keys rotate`")
	}
	return signer.Sign(rand.Reader, document, crypto.Hash(0))
}

// signedHere says whether a document was signed with one of the site's keys. They are those of all
// sites.
func (k *identities) signedHere(_ string, document, signature []byte) bool {
	return slices.ContainsFunc(k.SiteKeys.Keys(), func(key identity.SiteKey) bool {
		return ed25519.Verify(key.Public, document, signature)
	})
}

// firstKeys makes the first key of each kind that the configuration needs.
func (k *identities) firstKeys() error {
	if err := k.firstSiteKey(); err != nil {
		return err
	}
	if err := k.firstVerifierKey(); err != nil {
		return err
	}
	if err := k.firstAgentKey(); err != nil {
		return err
	}
	return k.firstBotKey()
}

// firstBotKey makes the first key with which requests to others are signed, where they are.
func (k *identities) firstBotKey() error {
	err := k.own.EnsureKey()
	if errors.Is(err, syscall.ENOSPC) {
		k.log.Warn("what is asked of others is not signed", "reason", err)
		return nil
	}
	return err
}

// firstSiteKey makes the site's first key when there is none.
func (k *identities) firstSiteKey() error {
	err := k.SiteKeys.EnsureKey()
	if errors.Is(err, syscall.ENOSPC) {
		k.log.Warn("nothing can be signed", "reason", err)
		return nil
	}
	return err
}

// keepNonces removes nonces whose time is over, until ctx ends.
func (k *identities) keepNonces(ctx context.Context) {
	k.Nonces.RunSweep(ctx, func(err error) {
		k.log.Warn("nonces whose time is over could not be removed; that is tried again", "error", err)
	})
}

const jwksPath = "/.well-known/jwks.json"

// module publishes the site's keys (RFC 7517), and forgets nonces.
func (k *identities) module() Module {
	return Module{
		Routes: []apphttp.Route{{Pattern: jwksPath, Name: jwksPath, Methods: apphttp.ReadMethods, CORS: true,
			Same: true, Handler: http.HandlerFunc(k.jwks)}},
		Jobs: []Job{{"forget nonces", k.keepNonces}},
	}
}

func (k *identities) jwks(w http.ResponseWriter, r *http.Request) {
	body := append(k.SiteKeys.JWKS(), '\n')
	sum := sha256.Sum256(body)
	header := w.Header()
	header.Set("Content-Type", "application/jwk-set+json")
	header.Set("Cache-Control", "public, max-age=300")
	header.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// reloadKeys reads the site's keys again, as they are without being told, and says what is wrong
// with them.
func reloadKeys(keys *identity.SiteKeys, log *slog.Logger) {
	if err := keys.Reload(); err != nil {
		log.Error("the site keys stay as they were", "error", err)
	}
}

// firstAgentKey makes the agent's first key when there is none, where its keys are published.
func (k *identities) firstAgentKey() error {
	if !k.config.RAMP.Agent.Enabled {
		return nil
	}
	return k.AgentKeys.EnsureKey()
}

// firstVerifierKey makes the first key that attests, where the sites attest things of their
// content.
func (k *identities) firstVerifierKey() error {
	if !k.config.RAMP.Enabled || !k.config.RAMP.Attest {
		return nil
	}
	err := k.VerifierKeys.EnsureKey()
	if errors.Is(err, syscall.ENOSPC) {
		k.log.Warn("nothing can be attested", "reason", err)
		return nil
	}
	return err
}

// AgentDocument is ramp-agent.json of the agent whose keys lie in the folder of secrets, at a time.
// It fails while there is none.
func (k *identities) AgentDocument(config Config, now time.Time) ([]byte, error) {
	var keys []wire.Key
	for _, key := range k.AgentKeys.Keys() {
		switch key.State(now) {
		case "signing":
			keys = append(keys, wire.Key{ID: key.ID, Public: key.Public, Active: true})
		case "overlapping":
			keys = append(keys, wire.Key{ID: key.ID, Public: key.Public, Until: key.Retires})
		}
	}
	return wire.WriteAgentKeys(config.agentName(), config.RAMP.Agent.Contact, keys)
}

// agentRoutes publish the keys of the owner's agents: those that sign what is asked, and those that
// buy.
func (k *identities) agentRoutes() (routes []apphttp.Route) {
	if k.own != nil {
		routes = append(routes, apphttp.Route{
			Pattern: botauth.DirectoryPath, Name: botauth.DirectoryPath, Methods: apphttp.ReadMethods, CORS: true,
			Same: true, Handler: k.own,
		})
	}
	if !k.config.RAMP.Agent.Enabled && !k.config.brokers() {
		return routes
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := k.AgentDocument(k.config, k.now())
		var document *httpx.Document
		if err == nil {
			document, err = rampapi.DeclareAgent(text)
		}
		if err != nil {
			rampapi.WriteError(w, r, err)
			return
		}
		document.ServeHTTP(w, r)
	})
	return append(routes, apphttp.Route{
		Pattern: requesters.AgentPath, Name: requesters.AgentPath, Methods: apphttp.ReadMethods, CORS: true,
		Refuse: rampapi.WriteError, Handler: handler,
	})
}
