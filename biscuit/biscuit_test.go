package biscuit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"
)

// official is a token that the official library made, and what it says of it.
type official struct {
	Name  string   `json:"name"`
	Root  string   `json:"root"`
	Token string   `json:"token"`
	IDs   []string `json:"ids"`
	Held  []struct {
		Code    string `json:"code"`
		Allowed bool   `json:"allowed"`
	} `json:"held"`
}

func officials(t testing.TB) []official {
	t.Helper()
	text, err := os.ReadFile("testdata/official.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []official
	if err := json.Unmarshal(text, &list); err != nil || len(list) < 25 {
		t.Fatal(len(list), err)
	}
	return list
}

func source(t testing.TB, code string) *Source {
	t.Helper()
	s, err := ParseSource(code)
	if err != nil {
		t.Fatalf("%.200s: %v", code, err)
	}
	return s
}

// minted is a verified token of blocks of code.
func minted(t testing.TB, blocks ...string) *Verified {
	t.Helper()
	root := seeded(7)
	token, err := Mint(root, rand.Reader, source(t, blocks[0]))
	for _, more := range blocks[1:] {
		if err == nil {
			token, err = token.Attenuate(rand.Reader, source(t, more))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := token.Verify(public(root))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTokensOfTheOfficialLibrary(t *testing.T) {
	t.Parallel()
	for _, o := range officials(t) {
		t.Run(o.Name, func(t *testing.T) {
			token, err := ParseText(o.Token)
			if err != nil {
				t.Fatal(err)
			}
			root, err := ParseKey(o.Root)
			if err != nil {
				t.Fatal(err)
			}
			v, err := token.Verify(root)
			if err != nil {
				t.Fatal(err)
			}
			for i, id := range token.RevocationIDs() {
				if hex.EncodeToString(id) != o.IDs[i] {
					t.Errorf("block %d has the revocation id %x, want %s", i, id, o.IDs[i])
				}
			}
			again, err := ParseText(token.Text())
			if err != nil || !bytes.Equal(again.Bytes(), token.Bytes()) {
				t.Errorf("written and read again it is another: %v", err)
			}
			for _, held := range o.Held {
				code, err := ParseSource(held.Code)
				if err == nil {
					err = NewAuthorizer(code, Limits{}).Authorize(v, Request{})
				}
				if (err == nil) != held.Allowed {
					t.Errorf("%s: %v, want allowed: %v", held.Code, err, held.Allowed)
				}
			}
		})
	}
}

// TestWhatIsPrintedReadsTheSame holds that the Datalog that is shown of a block makes the same
// block.
func TestWhatIsPrintedReadsTheSame(t *testing.T) {
	t.Parallel()
	for _, o := range officials(t) {
		token, err := ParseText(o.Token)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range token.Blocks() {
			if again := source(t, b.Code).String(); again != b.Code {
				t.Errorf("%s, block %d:\n%sagain:\n%s", o.Name, i, b.Code, again)
			}
		}
	}
}

func TestTextFormsOfATokenAreRead(t *testing.T) {
	t.Parallel()
	token := minted(t, `user("a", hex:fbfffe)`).Token
	url := token.Text()
	standard := strings.NewReplacer("-", "+", "_", "/").Replace(url)
	for _, text := range []string{url, strings.TrimRight(url, "="), standard, strings.TrimRight(standard, "="),
		"biscuit:" + url, " " + url + "\n"} {
		if read, err := ParseText(text); err != nil || !bytes.Equal(read.Bytes(), token.Bytes()) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "=", "a", url[:40] + "\n" + url[40:], url + "!",
		url[:50] + "+" + url[51:60] + "_" + url[61:]} {
		if _, err := ParseText(text); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSealedTokensStayAsTheyAre(t *testing.T) {
	t.Parallel()
	sealed, err := minted(t, `user("a")`, `check if resource("x")`).Seal()
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseText(sealed.Text())
	if err != nil || !read.Sealed() {
		t.Fatal(read, err)
	}
	if _, err := read.Verify(public(seeded(7))); err != nil {
		t.Error(err)
	}
	if _, err := read.Attenuate(rand.Reader, source(t, `check if true`)); !errors.Is(err, ErrSealed) {
		t.Errorf("attenuated: %v", err)
	}
	if _, err := read.Seal(); !errors.Is(err, ErrSealed) {
		t.Errorf("sealed again: %v", err)
	}
}

func TestMintKeepsWhatGoesBesideTheBlock(t *testing.T) {
	t.Parallel()
	id := uint32(7)
	s := source(t, `user("a")`)
	s.Context, s.RootKeyID = "for the reports", &id
	token, err := Mint(seeded(7), rand.Reader, s)
	if err != nil {
		t.Fatal(err)
	}
	if token, err = token.Attenuate(rand.Reader, source(t, `check if true`)); err != nil {
		t.Fatal(err)
	}
	if got, ok := token.RootKeyID(); !ok || got != 7 || token.Blocks()[0].Context != "for the reports" {
		t.Errorf("root key %d, %v, context %q", got, ok, token.Blocks()[0].Context)
	}
}

func TestMintRefusesWhatIsNoBlock(t *testing.T) {
	t.Parallel()
	if _, err := Mint(seeded(7), rand.Reader, source(t, `allow if true`)); !errors.Is(err, ErrDatalog) {
		t.Errorf("a policy: %v", err)
	}
	if _, err := Mint(seeded(7)[:10], rand.Reader, source(t, `a(1)`)); err == nil {
		t.Error("a key that is none")
	}
	if _, err := Mint(seeded(7), bytes.NewReader(make([]byte, 31)), source(t, `a(1)`)); err == nil {
		t.Error("too few random bytes")
	}
	if _, err := Mint(seeded(7), bytes.NewReader(make([]byte, 32)), source(t, `a(1)`)); err == nil {
		t.Error("random bytes that are all zero")
	}
}

// TestSourcesTakeValuesOfGo holds that what is added as values reads like what is written.
func TestSourcesTakeValuesOfGo(t *testing.T) {
	t.Parallel()
	s := &Source{}
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := s.Add("a", "x\"); scope(\"*", 1, int64(-2), true, []byte{1}, at); err != nil {
		t.Fatal(err)
	}
	if want := `a("x\"); scope(\"*", 1, -2, true, hex:01, 2030-01-01T00:00:00Z);` + "\n"; s.String() != want || source(t, want).String() != want {
		t.Errorf("%s", s)
	}
	for _, values := range [][]any{{}, {1.5}, {nil}, {"\xff"}, {time.Unix(-1, 0)}} {
		if err := s.Add("a", values...); !errors.Is(err, ErrDatalog) {
			t.Errorf("%v: %v", values, err)
		}
	}
	if err := s.Add("a b", 1); !errors.Is(err, ErrDatalog) {
		t.Errorf("a name with a space: %v", err)
	}
}

// TestTheTwinOfASignatureIsRevokedToo holds that whoever has a token of ECDSA cannot write it so
// that it is no longer on a list, or counts as another.
func TestTheTwinOfASignatureIsRevokedToo(t *testing.T) {
	t.Parallel()
	for _, o := range officials(t) {
		if !strings.HasPrefix(o.Root, "secp256r1/") {
			continue
		}
		token, err := ParseText(o.Token)
		if err != nil {
			t.Fatal(err)
		}
		root, err := ParseKey(o.Root)
		if err != nil {
			t.Fatal(err)
		}
		v, err := token.Verify(root)
		if err != nil {
			t.Fatal(err)
		}
		id := token.RevocationIDs()[0]
		if len(token.signed) > 1 {
			continue // the block after it covers the signature
		}
		r, s, ok := readECDSA(id)
		if !ok {
			t.Fatalf("%x", id)
		}
		forged := *token
		forged.signed = append([]signedBlock(nil), token.signed...)
		forged.signed[0].signature = appendECDSA(r, new(big.Int).Sub(elliptic.P256().Params().N, s))
		if token.Sealed() {
			continue // the seal covers the signature
		}
		twin, err := forged.Verify(root)
		if err != nil {
			t.Fatal("the twin does not verify, so there is nothing to hold", err)
		}
		if !bytes.Equal(twin.ID(), v.ID()) {
			t.Error("the twin counts as another token")
		}
		if !twin.Revoked(func(listed []byte) bool { return bytes.Equal(listed, id) }) {
			t.Error("the twin of a revoked token is not revoked")
		}
		if twin.Revoked(func([]byte) bool { return false }) {
			t.Error("revoked by an empty list")
		}
		return
	}
	t.Fatal("no token to hold this with")
}

func TestEveryBlockCanBeRevoked(t *testing.T) {
	t.Parallel()
	v := minted(t, `user("a")`, `check if true`, `check if true`)
	for i, id := range v.RevocationIDs() {
		if !v.Revoked(func(listed []byte) bool { return bytes.Equal(listed, id) }) {
			t.Errorf("block %d", i)
		}
	}
	other := minted(t, `user("a")`)
	if bytes.Equal(v.ID(), other.ID()) {
		t.Error("two tokens have one id")
	}
}

func TestKeysAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	key := public(seeded(7))
	if read, err := ParseKey(key.String()); err != nil || read != key ||
		!bytes.Equal(read.Bytes(), seeded(7)[ed25519.SeedSize:]) {
		t.Errorf("%v, %v", read, err)
	}
	for _, text := range []string{"", "ed25519/", "ed25519/00", "ed25519/zz", "rsa/00", key.String() + "00",
		"secp256r1/02" + strings.Repeat("ff", 32),
		"ed25519/0100000000000000000000000000000000000000000000000000000000000000",
		"ed25519/0100000000000000000000000000000000000000000000000000000000000080"} {
		if _, err := ParseKey(text); err == nil {
			t.Errorf("%s is a key", text)
		}
	}
}
