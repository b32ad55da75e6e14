package receipt_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"frontdesk/wire/receipt"
)

const origin = "example.com/ledger"

func private(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func public(name string) receipt.Key {
	return receipt.Key{ID: name, Public: private(name).Public().(ed25519.PublicKey)}
}

func signer(name string) note.Signer {
	verifier, err := public(name).Verifier(origin)
	if err != nil {
		panic(err)
	}
	hash, _, _ := strings.Cut(strings.TrimPrefix(verifier, origin+"+"), "+")
	made, err := note.NewSigner("PRIVATE+KEY+" + origin + "+" + hash + "+" +
		base64.StdEncoding.EncodeToString(append([]byte{1}, private(name).Seed()...)))
	if err != nil {
		panic(err)
	}
	return made
}

// log is a small ledger in memory.
type log struct {
	leaves     [][]byte
	tiles      map[string][]byte
	checkpoint string
	receipt.Checkpoint
}

func entry(n int) receipt.Entry {
	return receipt.Entry{
		V: 1, ID: fmt.Sprintf("01930000-0000-7000-8000-%012x", n),
		Time: time.Date(2026, 11, 22, 1, 2, 3, n*1000, time.UTC), Site: "local", Kind: "access",
		Party: "platform:ü", Subject: "https://example.com/\u2028\"", Request: fmt.Sprint(n),
		Body: []byte(fmt.Sprintf(`{"z":%d,"a":["x",1.50,true,null]}`, n)),
	}
}

// logOf makes a ledger of n entries that the keys of some names have signed.
func logOf(tb testing.TB, n int, signers ...string) *log {
	tb.Helper()
	l := &log{tiles: map[string][]byte{}}
	var edge receipt.Edge
	keep := func(t receipt.Tile, hashes []byte) error {
		l.tiles[t.Path()] = bytes.Clone(hashes)
		return nil
	}
	for i := range n {
		leaf, err := entry(i).Leaf()
		if err != nil {
			tb.Fatal(err)
		}
		l.leaves = append(l.leaves, leaf)
		if err := edge.Append(receipt.LeafHash(leaf), keep); err != nil {
			tb.Fatal(err)
		}
	}
	if err := edge.Partial(keep); err != nil {
		tb.Fatal(err)
	}
	l.Checkpoint = receipt.Checkpoint{Origin: origin, Size: int64(n), Root: edge.Root()}
	var all []note.Signer
	for _, name := range signers {
		all = append(all, signer(name))
	}
	var err error
	if l.checkpoint, err = l.Sign(all...); err != nil {
		tb.Fatal(err)
	}
	return l
}

// read gives tiles.
func (l *log) read(tiles []receipt.Tile) (data [][]byte, err error) {
	for _, t := range tiles {
		hashes, ok := l.tiles[t.Path()]
		if !ok {
			return nil, fmt.Errorf("there is no %s", t.Path())
		}
		data = append(data, hashes)
	}
	return data, nil
}

func (l *log) receipt(tb testing.TB, index int) receipt.Receipt {
	tb.Helper()
	proof, err := receipt.ProveEntry(l.Size, int64(index), receipt.FromTiles(l.Size, l.Root, l.read))
	if err != nil {
		tb.Fatal(err)
	}
	return receipt.Receipt{Entry: entry(index), Index: int64(index), Proof: proof, Checkpoint: l.checkpoint}
}

func (l *log) export(tb testing.TB) []byte {
	tb.Helper()
	out, err := receipt.ExportHead(l.checkpoint)
	if err != nil {
		tb.Fatal(err)
	}
	for i, leaf := range l.leaves {
		out = receipt.AppendExport(out, int64(i), leaf)
	}
	return out
}

// TestAnyFlippedBitIsFound flips each bit of a receipt, of an export and of each tile, in turn.
func TestAnyFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	keys := receipt.Keys{public("one")}
	l := logOf(t, 300, "one")
	flip := func(text []byte, check func(bit int, bent []byte)) {
		step := 1
		if testing.Short() {
			step = 11 // which hits each of the eight bits, in one byte or another
		}
		for bit := 0; bit < 8*len(text); bit += step {
			bent := bytes.Clone(text)
			bent[bit/8] ^= 1 << (bit % 8)
			check(bit, bent)
		}
	}
	text, err := json.Marshal(l.receipt(t, 260))
	if err != nil {
		t.Fatal(err)
	}
	verify := func(text []byte) error {
		r, err := receipt.Parse(text)
		if err == nil {
			_, err = receipt.Verify(r, keys)
		}
		return err
	}
	if err := verify(text); err != nil {
		t.Fatal(err)
	}
	flip(text, func(bit int, bent []byte) {
		if verify(bent) == nil {
			t.Errorf("bit %d of the receipt: %s", bit, bent)
		}
	})
	small := logOf(t, 3, "one")
	export := small.export(t)
	if c, err := receipt.VerifyExport(bytes.NewReader(export), keys); err != nil || c != small.Checkpoint {
		t.Fatal(err, c)
	}
	flip(export[:len(export)-1], func(bit int, bent []byte) {
		if _, err := receipt.VerifyExport(bytes.NewReader(bent), keys); err == nil {
			t.Errorf("bit %d of the export: %s", bit, bent)
		}
	})
	for path, tile := range l.tiles {
		was := tile
		flip(was[:min(64, len(was))], func(bit int, bent []byte) {
			l.tiles[path] = append(bent, was[len(bent):]...)
			for _, index := range []int64{0, 1, 255, 256, 299} {
				if proof, err := receipt.ProveEntry(l.Size, index,
					receipt.FromTiles(l.Size, l.Root, l.read)); err == nil {
					if tlog.CheckRecord(proof, l.Size, l.Root, index, receipt.LeafHash(l.leaves[index])) != nil {
						t.Errorf("bit %d of %s makes a wrong proof for %d", bit, path, index)
					}
				}
			}
			hit := int64(0)
			if strings.HasPrefix(path, "tile/0/001") {
				hit = 256
			}
			if _, err := receipt.ProveEntry(l.Size, hit, receipt.FromTiles(l.Size, l.Root, l.read)); err == nil {
				t.Errorf("bit %d of %s is not found", bit, path)
			}
		})
		l.tiles[path] = was
	}
}

func TestWhatWasChangedInAnExportIsNamed(t *testing.T) {
	t.Parallel()
	keys := receipt.Keys{public("one")}
	l := logOf(t, 600, "one")
	lines := bytes.SplitAfter(l.export(t), []byte("\n"))
	lines = lines[:len(lines)-1]
	forged := entry(17)
	forged.Party = "platform:other"
	leaf, err := forged.Leaf()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func([][]byte) [][]byte
		says   string
	}{
		"an entry": {func(ls [][]byte) [][]byte {
			ls[18] = bytes.Replace(ls[18], []byte("platform"), []byte("plattorm"), 1)
			return ls
		}, "entry 17 of the export"},
		"its hash": {func(ls [][]byte) [][]byte {
			ls[18] = bytes.Replace(ls[18], ls[18][21:30], ls[19][21:30], 1)
			return ls
		}, "entry 17 of the export"},
		"both": {func(ls [][]byte) [][]byte { ls[18] = receipt.AppendExport(nil, 17, leaf); return ls },
			"together with its hash"},
		"a gap": {func(ls [][]byte) [][]byte { return append(ls[:18:18], ls[19:]...) },
			"has entry 18 where entry 17 belongs"},
		"a swap": {func(ls [][]byte) [][]byte { ls[18], ls[19] = ls[19], ls[18]; return ls },
			"has entry 18 where entry 17 belongs"},
		"its end": {func(ls [][]byte) [][]byte { return ls[:100] }, "ends before entry 99 of the 600"},
		"more": {func(ls [][]byte) [][]byte { return append(ls, receipt.AppendExport(nil, 600, leaf)) },
			"more in the export than the 600"},
		"spaces": {func(ls [][]byte) [][]byte {
			ls[18] = bytes.ReplaceAll(ls[18], []byte(`,"`), []byte(` , "`))
			return ls
		}, ""},
	} {
		changed := bytes.Join(c.change(append([][]byte(nil), lines...)), nil)
		_, err := receipt.VerifyExport(bytes.NewReader(changed), keys)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeysAreReadInEveryForm(t *testing.T) {
	t.Parallel()
	l := logOf(t, 5, "one", "two")
	der, err := x509.MarshalPKIXPublicKey(public("one").Public)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private("one"))
	if err != nil {
		t.Fatal(err)
	}
	line, err := public("one").Verifier(origin)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := public("one").Verifier("example.org/ledger")
	if err != nil {
		t.Fatal(err)
	}
	jwk := `{"kty":"OKP","crv":"Ed25519","kid":"k","x":"` + base64.RawURLEncoding.EncodeToString(public("one").Public) + `"}`
	for name, c := range map[string]struct {
		text  string
		reads bool
		opens bool
	}{
		"a JWK":             {jwk, true, true},
		"a JWKS":            {`{"keys":[{"kty":"EC","crv":"P-256"},` + jwk + `]}`, true, true},
		"PEM":               {string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), true, true},
		"a line":            {"# ours\n" + line + "\n", true, true},
		"of another ledger": {foreign, true, false},
		"a private key":     {string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})), false, false},
		"PEM with words": {"Ours, of today.\n\n" +
			string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), true, true},
		"none":       {`{"keys":[]}`, false, false},
		"half a key": {`{"kty":"OKP","crv":"Ed25519","x":"AAAA"}`, false, false},
		"nonsense":   {"soup", false, false},
		"nothing":    {"", false, false},
	} {
		keys, err := receipt.ParseKeys([]byte(c.text))
		if (err == nil) != c.reads {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := receipt.OpenCheckpoint(l.checkpoint, keys); (err == nil) != c.opens {
			t.Errorf("%s opens: %v", name, err)
		}
	}
}

// TestOneKeyThatCannotBeReadVoidsNoOthers has keys of all sorts beside a good one; where no key is
// good, it is said why.
func TestOneKeyThatCannotBeReadVoidsNoOthers(t *testing.T) {
	t.Parallel()
	good := `{"kty":"OKP","crv":"Ed25519","kid":"good","x":"` + base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)) + `"}`
	for _, bad := range []string{
		`{"kty":"OKP","crv":"Ed25519","kid":"short","x":"AAAA"}`, `{"kty":"OKP","crv":"Ed25519","kid":"none","x":"*"}`, `{"kty":7}`, `"text"`, `null`, `[]`,
		`{"kty":"RSA","kid":"other","n":"AQAB","e":"AQAB"}`,
	} {
		for _, text := range []string{`{"keys":[` + bad + `,` + good + `]}`, `{"keys":[` + good + `,` + bad + `]}`} {
			keys, err := receipt.ParseKeys([]byte(text))
			if err != nil || len(keys) != 1 || keys[0].ID != "good" {
				t.Errorf("%s: %v, %v", text, keys, err)
			}
		}
		if keys, err := receipt.ParseKeys([]byte(`{"keys":[` + bad + `]}`)); err == nil {
			t.Errorf("%s alone gives %v", bad, keys)
		}
	}
}

func TestTheLibraryOfTheGoTeamAgrees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := int64(rapid.IntRange(1, 600).Draw(t, "n"))
		var edge receipt.Edge
		var hashes hashList
		tiles := map[receipt.Tile][]byte{}
		keep := func(tile receipt.Tile, data []byte) error { tiles[tile] = bytes.Clone(data); return nil }
		for i := range n {
			leaf := fmt.Appendf(nil, "leaf %d", i)
			before, ahead := edge.Root(), edge.RootWith(receipt.LeafHash(leaf))
			if edge.Root() != before {
				t.Fatalf("to ask for the next root changes that of %d leaves", i)
			}
			if err := edge.Append(receipt.LeafHash(leaf), keep); err != nil {
				t.Fatal(err)
			}
			if edge.Root() != ahead {
				t.Fatalf("%d leaves with one more: %s instead of %s", i, ahead, edge.Root())
			}
			stored, err := tlog.StoredHashes(i, leaf, &hashes)
			if err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, stored...)
		}
		_ = edge.Partial(keep)
		if root, err := tlog.TreeHash(n, hashes); err != nil || root != edge.Root() {
			t.Fatalf("%d leaves: %s instead of %s (%v)", n, edge.Root(), root, err)
		}
		again, err := receipt.OpenEdge(n, func(tile receipt.Tile) ([]byte, error) { return tiles[tile], nil })
		if err != nil || again.Root() != edge.Root() || again.Size() != n {
			t.Fatalf("read again: %v", err)
		}
		count := 0
		_ = receipt.Tiles(n, func(tile receipt.Tile) error {
			count++
			want, err := tlog.ReadTileData(tlog.Tile{H: receipt.TileHeight, L: tile.Level, N: tile.N, W: tile.Width},
				hashes)
			if err != nil || !bytes.Equal(tiles[tile], want) {
				t.Fatalf("%s: %v", tile.Path(), err)
			}
			if !tile.In(n) || tile.In(tile.N<<(8*(tile.Level+1))) {
				t.Fatalf("%s in %d leaves", tile.Path(), n)
			}
			return nil
		})
		if count != len(tiles) {
			t.Fatalf("%d tiles were made and %d listed", len(tiles), count)
		}
		older := int64(rapid.IntRange(0, int(n)).Draw(t, "older"))
		proof, err := receipt.ProveGrowth(older, n, hashes)
		if err != nil {
			t.Fatal(err)
		}
		oldRoot, err := tlog.TreeHash(older, hashes)
		if err != nil {
			t.Fatal(err)
		}
		a, b := receipt.Checkpoint{Origin: origin, Size: older, Root: oldRoot},
			receipt.Checkpoint{Origin: origin, Size: n, Root: edge.Root()}
		if err := receipt.VerifyGrowth(a, b, proof); err != nil {
			t.Fatal(err)
		}
		a.Root[7] ^= 1
		if err := receipt.VerifyGrowth(a, b, proof); err == nil && older > 0 {
			t.Fatal("an older ledger that is not the beginning passes")
		}
	})
}

type hashList []tlog.Hash

func (h hashList) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		out[i] = h[index]
	}
	return out, nil
}

func TestTilesHaveOneAddress(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]receipt.Tile{
		"tile/0/000":                 {Level: 0, N: 0, Width: 256},
		"tile/0/x001/067":            {Level: 0, N: 1067, Width: 256},
		"tile/2/x001/x234/567.p/255": {Level: 2, N: 1234567, Width: 255},
	} {
		if got, err := receipt.ParseTile(path); err != nil || got != want || got.Path() != path {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	for _, path := range []string{
		"", "tile", "tile/0", "tile/0/", "tile/0/0", "tile/0/00", "tile/0/0000", "tile/0/1000", "tile/00/000",
		"tile/-1/000", "tile/64/000", "tile/0/x000/001",
		"tile/0/001/067", "tile/0/x001/x067", "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000.p/",
		"tile/0/+01", "tile/entries/000",
		"tile/0/" + strings.Repeat("x999/", 30) + "999",
	} {
		if got, err := receipt.ParseTile(path); err == nil {
			t.Errorf("%s is read as %+v", path, got)
		}
	}
}

func FuzzReceiptsAreReadOrRefused(f *testing.F) {
	l := logOf(f, 300, "one")
	text, err := json.Marshal(l.receipt(f, 17))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"entry":{},"index":1,"proof":[],"checkpoint":""}`))
	keys := receipt.Keys{public("one")}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := receipt.Parse(text)
		if err != nil {
			return
		}
		if _, err := receipt.Verify(r, keys); err == nil && r.Entry.ID != entry(17).ID {
			t.Errorf("a receipt is true that nobody made: %s", text)
		}
	})
}

func FuzzExportsAreReadOrRefused(f *testing.F) {
	small := logOf(f, 3, "one")
	export := small.export(f)
	f.Add(export)
	f.Add([]byte("{\"export\":1,\"checkpoint\":\"\"}\n"))
	keys := receipt.Keys{public("one")}
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, err := receipt.VerifyExport(bytes.NewReader(text), keys); err == nil && c != small.Checkpoint {
			t.Errorf("an export is true that nobody made: %s", text)
		}
	})
}

func FuzzCheckpointsAreReadOrRefused(f *testing.F) {
	l := logOf(f, 3, "one", "two")
	f.Add(l.checkpoint)
	keys := receipt.Keys{public("one")}
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := receipt.OpenCheckpoint(text, keys); err == nil && c != l.Checkpoint {
			t.Errorf("a checkpoint is true that nobody made: %q", text)
		}
		if c, err := receipt.ParseCheckpoint(text); err == nil && !strings.HasPrefix(text, c.Text()) {
			t.Errorf("%q is read as %q", text, c.Text())
		}
	})
}

func FuzzEntriesHaveOneSpelling(f *testing.F) {
	leaf, err := entry(1).Leaf()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(leaf)
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := receipt.ParseEntry(text)
		if err != nil {
			return
		}
		leaf, err := e.Leaf()
		if err != nil {
			return
		}
		again, err := receipt.ParseLeaf(leaf)
		if err != nil {
			t.Fatalf("%s: %v", leaf, err)
		}
		for _, member := range [][2]string{{"party", e.Party}, {"subject", e.Subject}, {"id", e.ID}} {
			if !bytes.Contains(leaf, receipt.Member(member[0], member[1])) {
				t.Errorf("%s does not hold its %s as it is looked for", leaf, member[0])
			}
		}
		if twice, err := again.Leaf(); err != nil || !bytes.Equal(twice, leaf) {
			t.Errorf("%s becomes %s", leaf, twice)
		}
	})
}

func FuzzKeysAreReadOrRefused(f *testing.F) {
	line, err := public("one").Verifier(origin)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(line))
	f.Add([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}`))
	f.Add([]byte("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		keys, err := receipt.ParseKeys(text)
		if err != nil {
			return
		}
		for _, k := range keys {
			if len(k.Public) != ed25519.PublicKeySize {
				t.Errorf("%q has a key of %d bytes", text, len(k.Public))
			}
		}
	})
}

func FuzzTilesAreReadOrRefused(f *testing.F) {
	f.Add("tile/0/x001/067.p/3")
	f.Fuzz(func(t *testing.T, path string) {
		if tile, err := receipt.ParseTile(path); err == nil && tile.Path() != path {
			t.Errorf("%q is read as %q", path, tile.Path())
		}
	})
}
