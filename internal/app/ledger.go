package app

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger/sharing"
	"frontdesk/wire/receipt"
)

const ledgerPath = "/ledger"

// doorLedger is the scope of keys that see every receipt. (The rest of the ledger tells nothing of
// what is in it, and is open to all.)
const doorLedger = "ledger"

// audit publishes the ledger, and has it tell which terms were in force and which keys signed.
type audit struct {
	*base
	*network
	*identities
	*terms
}

// chronicleEvery is how often keys and terms are looked at for the ledger.
const chronicleEvery = time.Second

// chronicle keeps in the ledger which terms were in force and which keys signed, and retires those
// whose time is over, until ctx ends.
func (p *audit) chronicle(ctx context.Context) {
	recorded := "" // what this process has seen recorded
	told := ""     // what was said of keys that could not be retired
	periodic.Run(ctx, chronicleEvery, func(ctx context.Context) {
		if err := errors.Join(p.SiteKeys.Retire(), p.AgentKeys.Retire(), p.own.Retire()); err != nil &&
			err.Error() != told {
			told = err.Error()
			p.log.WarnContext(ctx, "a key that signs nothing any more keeps its private part; that is tried again",
				"error", err)
		}
		states := p.recorder().InForce(p.Terms(), p.SiteKeys.Keys())
		if all := fmt.Sprint(states); all != recorded {
			err := p.db.Update(ctx, func(tx *store.Tx) error { return p.recorder().Changed(ctx, tx, states) })
			if err == nil {
				recorded = all
			} else if ctx.Err() == nil {
				p.log.WarnContext(ctx, "a change of keys or terms is not in the ledger yet; that is tried again",
					"error", err)
			}
		}
	})
}

// module publishes what proves the ledger (C2SP tlog-tiles), and gives receipts to those whom they
// concern. It is ready while the database can be reached and written to.
func (p *audit) module() Module {
	return Module{
		Routes: []apphttp.Route{
			{Pattern: ledgerPath + "/checkpoint", Name: ledgerPath + "/checkpoint", Methods: apphttp.ReadMethods,
				CORS: true, Same: true, Handler: answering(p.checkpoint)},
			{Pattern: ledgerPath + "/tile/{tile...}", Name: ledgerPath + "/tile", Methods: apphttp.ReadMethods,
				CORS: true, Same: true, Handler: answering(p.tile)},
			{Pattern: ledgerPath + "/receipt/{id}", Name: ledgerPath + "/receipt", Methods: apphttp.ReadMethods,
				CORS: true, Door: doorLedger, Handler: answering(p.receipt)},
		},
		Jobs:  []Job{{"sequence the ledger", p.Ledger.Run}, {"record terms and keys", p.chronicle}},
		Ready: p.databaseReady,
	}
}

// answering renders the errors of a handler.
func answering(handler func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handler(w, r); err != nil {
			nlweb.WriteError(w, r, err)
		}
	})
}

// checkpoint gives the latest checkpoint.
func (p *audit) checkpoint(w http.ResponseWriter, r *http.Request) error {
	signed, err := p.Ledger.Checkpoint(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, err = w.Write([]byte(signed))
	return err
}

// tile gives a tile, which never changes.
func (p *audit) tile(w http.ResponseWriter, r *http.Request) error {
	_, path, _ := strings.Cut(r.URL.Path, ledgerPath+"/")
	if strings.HasPrefix(path, "tile/entries/") {
		return fail.New(fail.NotFound,
			"the entries of this ledger are for those whom they concern alone; hashes are at /ledger/tile/LEVEL/NUMBER")
	}
	t, err := receipt.ParseTile(path)
	if err != nil {
		return fail.New(fail.NotFound, "%v", err)
	}
	hashes, err := p.Ledger.Tile(r.Context(), t)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, err = w.Write(hashes)
	return err
}

// receiptFor gives the receipt of an entry that concerns a party; empty for any.
func (b *base) receiptFor(ctx context.Context, id, party string) (any, error) {
	given, err := b.Ledger.Receipt(ctx, id)
	if err != nil && (fail.From(err).Code != fail.Unavailable || given.Entry.ID == "") {
		return nil, err
	}
	if party != "" && given.Entry.Party != party {
		return nil, fail.New(fail.NotFound, "the ledger has no entry of this id that concerns you")
	}
	return given, err
}

// sharing makes links to receipts of the owner's own.
func (b *base) sharing() sharing.Links {
	secret := sync.OnceValues(func() ([]byte, error) { return identity.OpenSecret(b.config.KeyFolder(), secretName) })
	return sharing.Links{Receipt: b.Ledger.Receipt, Secret: secret}
}

// receipt gives a receipt to the party of its entry, to whoever may see all, and of the owner's own
// to whoever has a link. To others it is not there.
func (p *audit) receipt(w http.ResponseWriter, r *http.Request) error {
	party, known := identity.From(r.Context())
	shared := p.sharing().Opens(r.Context(), r.PathValue("id"), r.URL.Query().Get("share"))
	if !known && p.gate != nil && !shared {
		w.Header().Set("WWW-Authenticate", identity.Challenge{}.String())
		return fail.New(fail.Unauthorized, "receipts are for those whom they concern: send an API key as `%s: KEY`",
			identity.KeyHeader)
	}
	concerns := party.ID
	if shared || p.gate == nil || party.Kind == identity.KindKey && slices.Contains(party.Scopes, doorLedger) {
		concerns = ""
	}
	given, err := p.receiptFor(r.Context(), r.PathValue("id"), concerns)
	if err != nil {
		return err
	}
	body, err := json.Marshal(given)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "private, no-cache") // the next one has a newer checkpoint
	_, err = w.Write(append(body, '\n'))
	return err
}
