package server

import (
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/operator"

	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/wire/receipt"
)

const ledgerPath = "/ledger"

// doorLedger is the scope of keys that see every receipt. (The rest of the ledger tells nothing of what is in it, and is
// open to all.)
const doorLedger = "ledger"

// openLedger makes the ledger of the house. Its keys are there once UnlockKeys has opened the folder of secrets.
func (h *House) openLedger(config Config) {
	h.Ledger = ledger.New(h.db, ledger.Options{
		Origin: config.LedgerOrigin(),
		Signers: func(origin string) []note.Signer {
			if h.SiteKeys == nil {
				return nil
			}
			return h.SiteKeys.Signers(origin)
		},
		Keys: h.LedgerKeys,
		SaveCheckpoint: func(checkpoint string) error {
			if h.SiteKeys == nil {
				return nil
			}
			return h.SiteKeys.SaveSigned(checkpoint)
		},
		LoadCheckpoint: func() (string, error) {
			if h.SiteKeys == nil {
				return "", nil
			}
			return h.SiteKeys.LastSigned()
		},
		Now: h.now,
		Log: h.log,
	})
}

// recorder has the ledger tell of what owners and operators change.
func (h *House) recorder() operator.Recorder { return operator.Recorder{Ledger: h.Ledger, Now: h.now} }

// LedgerKeys are the public keys that ever signed the ledger.
func (h *House) LedgerKeys() (keys receipt.Keys) {
	if h.SiteKeys == nil {
		return nil
	}
	for _, k := range h.SiteKeys.Keys() {
		keys = append(keys, receipt.Key{ID: k.ID, Public: k.Public})
	}
	return keys
}

// chronicleEvery is how often keys and terms are looked at for the ledger.
const chronicleEvery = time.Second

// chronicle keeps in the ledger which terms were in force and which keys signed, and retires those whose time is over, until
// ctx ends.
func (s *Server) chronicle(ctx context.Context) {
	tick := time.NewTicker(chronicleEvery)
	defer tick.Stop()
	recorded := "" // what this process has seen recorded
	told := ""     // what was said of keys that could not be retired
	for {
		if err := errors.Join(s.SiteKeys.Retire(), s.AgentKeys.Retire()); err != nil && err.Error() != told {
			told = err.Error()
			s.log.WarnContext(ctx, "a key that signs nothing any more keeps its private part; that is tried again", "error", err)
		}
		states := s.recorder().InForce(s.Terms(), s.SiteKeys.Keys())
		if all := fmt.Sprint(states); all != recorded {
			err := s.db.Update(ctx, func(tx *store.Tx) error { return s.recorder().Changed(ctx, tx, states) })
			if err == nil {
				recorded = all
			} else if ctx.Err() == nil {
				s.log.WarnContext(ctx, "a change of keys or terms is not in the ledger yet; that is tried again", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// ledgerModule publishes what proves the ledger (C2SP tlog-tiles), and gives receipts to those whom they concern. It is ready while the
// database can be reached and written to.
func (s *Server) ledgerModule() Module {
	return Module{
		Routes: []apphttp.Route{
			{Pattern: ledgerPath + "/checkpoint", Name: ledgerPath + "/checkpoint", Methods: apphttp.ReadMethods, CORS: true, Handler: answering(s.checkpoint)},
			{Pattern: ledgerPath + "/tile/{tile...}", Name: ledgerPath + "/tile", Methods: apphttp.ReadMethods, CORS: true, Handler: answering(s.tile)},
			{Pattern: ledgerPath + "/receipt/{id}", Name: ledgerPath + "/receipt", Methods: apphttp.ReadMethods, CORS: true, Door: doorLedger, Handler: answering(s.receipt)},
		},
		Jobs:  []Job{{"sequence the ledger", s.Ledger.Run}, {"record terms and keys", s.chronicle}},
		Ready: s.databaseReady,
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
func (s *Server) checkpoint(w http.ResponseWriter, r *http.Request) error {
	signed, err := s.Ledger.Checkpoint(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, err = w.Write([]byte(signed))
	return err
}

// tile gives a tile, which never changes.
func (s *Server) tile(w http.ResponseWriter, r *http.Request) error {
	_, path, _ := strings.Cut(r.URL.Path, ledgerPath+"/")
	if strings.HasPrefix(path, "tile/entries/") {
		return fail.New(fail.NotFound, "the entries of this ledger are for those whom they concern alone; hashes are at /ledger/tile/LEVEL/NUMBER")
	}
	t, err := receipt.ParseTile(path)
	if err != nil {
		return fail.New(fail.NotFound, "%v", err)
	}
	hashes, err := s.Ledger.Tile(r.Context(), t)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, err = w.Write(hashes)
	return err
}

// receiptFor gives the receipt of an entry that concerns a party; empty for any.
func (s *Server) receiptFor(ctx context.Context, id, party string) (any, error) {
	given, err := s.Ledger.Receipt(ctx, id)
	if err != nil && (fail.From(err).Code != fail.Unavailable || given.Entry.ID == "") {
		return nil, err
	}
	if party != "" && given.Entry.Party != party {
		return nil, fail.New(fail.NotFound, "the ledger has no entry of this id that concerns you")
	}
	return given, err
}

// receipt gives a receipt to the party of its entry, and to whoever may see all. To others it is not there.
func (s *Server) receipt(w http.ResponseWriter, r *http.Request) error {
	party, known := identity.From(r.Context())
	if !known && s.gate != nil {
		w.Header().Set("WWW-Authenticate", identity.Challenge{}.String())
		return fail.New(fail.Unauthorized, "receipts are for those whom they concern: send an API key as `%s: KEY`", identity.KeyHeader)
	}
	concerns := party.ID
	if s.gate == nil || party.Kind == identity.KindKey && slices.Contains(party.Scopes, doorLedger) {
		concerns = ""
	}
	given, err := s.receiptFor(r.Context(), r.PathValue("id"), concerns)
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
