// Package tlog has a public client of transparency logs, filippo.io/torchwood, follow a front
// desk's ledger over HTTP.
package tlog

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/internal/app"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/wire/receipt"
)

// serve runs a front desk, and gives its address.
func serve(t *testing.T, folder string) (*app.App, string) {
	t.Helper()
	loaded, err := app.Load(app.Layers{Flags: map[string]string{"data": folder, "metrics.listen": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := app.Build(t.Context(), app.Options{Loaded: loaded, Listener: listener})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s, "http://" + listener.Addr().String()
}

// follower is what somebody else knows: the address and the public key.
type follower struct {
	tiles torchwood.TileReader
	key   note.Verifier
}

func follow(t *testing.T, s *app.App, address string) follower {
	t.Helper()
	tiles, err := torchwood.NewTileFetcher(address+"/ledger", torchwood.WithHTTPClient(http.DefaultClient))
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.LedgerKeys()[0].Verifier("local/ledger")
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(text)
	if err != nil {
		t.Fatal(err)
	}
	return follower{tiles, verifier}
}

// tree reads and verifies the latest checkpoint.
func (f follower) tree(t *testing.T) tlog.Tree {
	t.Helper()
	signed, err := f.tiles.ReadEndpoint(t.Context(), "checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	return f.open(t, signed)
}

// open verifies a checkpoint.
func (f follower) open(t *testing.T, signed []byte) tlog.Tree {
	t.Helper()
	n, err := note.Open(signed, note.VerifierList(f.key))
	if err != nil {
		t.Fatal(err)
	}
	checkpoint, err := torchwood.ParseCheckpoint(n.Text)
	if err != nil || checkpoint.Origin != "local/ledger" {
		t.Fatalf("%v: %s", err, signed)
	}
	return checkpoint.Tree
}

func TestAPublicClientFollowsTheLedger(t *testing.T) {
	folder := t.TempDir()
	s, address := serve(t, folder)
	f := follow(t, s, address)
	db, err := store.Open(t.Context(),
		store.Config{DSN: filepath.Join(folder, "frontdesk.db"), Schemas: []store.Schema{ledger.Schema}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	appender := ledger.New(db, ledger.Options{}) // another process; the server gives the places
	older := tlog.Tree{}
	count := int64(0)
	for _, n := range []int64{1, 254, 1, 1, 600} {
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			for i := range n {
				if _, err := appender.Append(t.Context(), tx,
					receipt.Entry{Kind: "access", Subject: fmt.Sprint(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		count += n
		for _, err := range s.Ledger.Follow(t.Context(), count-1) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		tree := f.tree(t)
		hashes := torchwood.TileHashReaderWithContext(t.Context(), tree, f.tiles)
		// It only grew.
		if older.N > 0 {
			proof, err := tlog.ProveTree(tree.N, older.N, hashes)
			if err != nil {
				t.Fatal(err)
			}
			if err := tlog.CheckTree(proof, tree.N, tree.Hash, older.N, older.Hash); err != nil {
				t.Fatal(err)
			}
			ours, err := s.Ledger.Consistency(t.Context(), older.N, tree.N)
			if err != nil || !slices.Equal(ours, proof) {
				t.Errorf("our proof of growth differs: %v", err)
			}
		}
		older = tree
		// Every entry that we give a receipt for is where the client finds it, with the same proof.
		for r, err := range s.Ledger.Read(t.Context(), ledger.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Index >= tree.N || r.Index%37 != 0 {
				continue
			}
			proof, err := tlog.ProveRecord(tree.N, r.Index, hashes)
			if err != nil {
				t.Fatal(err)
			}
			given, err := s.Ledger.Receipt(t.Context(), r.Entry.ID)
			if err != nil {
				t.Fatal(err)
			}
			checkpoint := f.open(t, []byte(given.Checkpoint))
			if err := tlog.CheckRecord(tlog.RecordProof(given.Proof), checkpoint.N, checkpoint.Hash, given.Index,
				tlog.RecordHash(r.Leaf)); err != nil {
				t.Errorf("entry %d: %v", r.Index, err)
			}
			if checkpoint.N == tree.N && !slices.Equal(given.Proof, proof) {
				t.Errorf("entry %d: our proof differs", r.Index)
			}
		}
	}
	if older.N < count {
		t.Errorf("the client sees %d entries of %d", older.N, count)
	}
}
