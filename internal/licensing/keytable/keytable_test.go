package keytable

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"sync"
	"testing"

	"filippo.io/edwards25519"
)

// warm are tables of which one is that of a key, unless that is no point.
func warm(public ed25519.PublicKey) *Tables {
	all := New(1)
	for range often {
		all.Verify(public, nil, make([]byte, ed25519.SignatureSize))
	}
	return all
}

func agree(t testing.TB, public ed25519.PublicKey, message, signature []byte) (good bool) {
	t.Helper()
	return warm(public).agree(t, public, message, signature)
}

func (t *Tables) agree(tb testing.TB, public ed25519.PublicKey, message, signature []byte) (good bool) {
	tb.Helper()
	want := ed25519.Verify(public, message, signature)
	if got := t.Verify(public, message, signature); got != want {
		tb.Fatalf("key %x, message %x, signature %x: %v, and crypto/ed25519 says %v (table: %v)", public, message, signature, got, want, t.kept.Load() != nil)
	}
	return want
}

func keyOf(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

func TestSignaturesAreGoodAndBadAsByTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for seed := range byte(20) {
		private := keyOf(seed)
		public := private.Public().(ed25519.PublicKey)
		all := warm(public)
		message := bytes.Repeat([]byte{seed}, int(seed)*7)
		signature := ed25519.Sign(private, message)
		if !all.agree(t, public, message, signature) {
			t.Fatal("a good signature is not taken")
		}
		for _, bit := range []int{0, 3, 100, 255, 256, 300, 504, 508, 509, 510, 511} {
			wrong := bytes.Clone(signature)
			wrong[bit/8] ^= 1 << (bit % 8)
			if all.agree(t, public, message, wrong) {
				t.Fatalf("bit %d may be another", bit)
			}
		}
		if all.agree(t, public, append(bytes.Clone(message), 0), signature) || agree(t, keyOf(seed+1).Public().(ed25519.PublicKey), message, signature) {
			t.Fatal("a signature of something else, or by somebody else, is taken")
		}
		for _, short := range [][]byte{nil, signature[:63], append(bytes.Clone(signature), 0)} {
			if all.Verify(public, message, short) {
				t.Fatal("a signature of another size is taken")
			}
		}
	}
}

// order is that of the group: S has to be below it, or each signature would be good in several forms.
var order, _ = new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)

func TestAScalarBeyondTheOrderIsRefused(t *testing.T) {
	t.Parallel()
	private := keyOf(1)
	public := private.Public().(ed25519.PublicKey)
	signature := ed25519.Sign(private, []byte("m"))
	s := reversed(signature[32:])
	beyond := new(big.Int).Add(new(big.Int).SetBytes(s), order)
	wrong := append(bytes.Clone(signature[:32]), reversed(beyond.FillBytes(make([]byte, 32)))...)
	if agree(t, public, []byte("m"), wrong) {
		t.Fatal("it is taken")
	}
}

func reversed(b []byte) []byte {
	out := make([]byte, len(b))
	for i := range b {
		out[len(b)-1-i] = b[i]
	}
	return out
}

// small are all points of small order, each in every way to write it that libraries read: signatures by such keys, or with such R, are where
// they differ.
var small = []string{
	"0100000000000000000000000000000000000000000000000000000000000000", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0000000000000000000000000000000000000000000000000000000000000080", "0000000000000000000000000000000000000000000000000000000000000000",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"0100000000000000000000000000000000000000000000000000000000000080", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

func TestPointsOfSmallOrderAreJudgedAsByTheStandardLibrary(t *testing.T) {
	t.Parallel()
	private := keyOf(3)
	public := private.Public().(ed25519.PublicKey)
	good, honest := 0, warm(public)
	for _, a := range small {
		key := warm(point(t, a))
		for _, r := range small {
			for n := range 8 {
				message := []byte{byte(n)}
				if key.agree(t, point(t, a), message, append(point(t, r), make([]byte, 32)...)) {
					good++
				}
				if honest.agree(t, public, message, append(point(t, r), ed25519.Sign(private, message)[32:]...)) {
					t.Fatal("an R of small order is taken in the place of the signer's")
				}
			}
		}
	}
	if good == 0 {
		t.Fatal("there is no case in which such a key has good signatures")
	}
}

func point(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestKeysWithAPartOfSmallOrderAreJudgedAsByTheStandardLibrary has keys and Rs that are a good point and one of small order: whoever
// multiplies by the cofactor takes such signatures, the standard library does not unless the parts cancel.
func TestKeysWithAPartOfSmallOrderAreJudgedAsByTheStandardLibrary(t *testing.T) {
	t.Parallel()
	good := map[bool]int{}
	for n := range uint64(8) {
		for _, text := range small[:8] {
			part, err := new(edwards25519.Point).SetBytes(point(t, text))
			if err != nil {
				t.Fatal(err)
			}
			a, r := scalar(n, "a"), scalar(n, "r")
			key := new(edwards25519.Point).ScalarBaseMult(a)
			key.Add(key, part)
			nonce := new(edwards25519.Point).ScalarBaseMult(r)
			message := []byte("message")
			sum := sha512.Sum512(append(append(nonce.Bytes(), key.Bytes()...), message...))
			k, err := edwards25519.NewScalar().SetUniformBytes(sum[:])
			if err != nil {
				t.Fatal(err)
			}
			signature := append(nonce.Bytes(), edwards25519.NewScalar().MultiplyAdd(k, a, r).Bytes()...)
			good[agree(t, key.Bytes(), message, signature)]++
		}
	}
	if good[true] == 0 || good[false] == 0 {
		t.Fatalf("only one answer was given: %v", good)
	}
}

func scalar(n uint64, name string) *edwards25519.Scalar {
	sum := sha512.Sum512(binary.BigEndian.AppendUint64([]byte(name), n))
	s, err := edwards25519.NewScalar().SetUniformBytes(sum[:])
	if err != nil {
		panic(err)
	}
	return s
}

func TestWhatIsNoKeyHasNoGoodSignature(t *testing.T) {
	t.Parallel()
	all := New(4)
	for range 2 * often {
		if all.Verify(nil, nil, make([]byte, 64)) || all.Verify(make([]byte, 31), nil, make([]byte, 64)) {
			t.Fatal("it has one")
		}
		if all.Verify(point(t, "0200000000000000000000000000000000000000000000000000000000000000"), nil, make([]byte, 64)) {
			t.Fatal("what is no point has one")
		}
	}
}

func TestTablesAreThoseOfTheKeysThatCameLast(t *testing.T) {
	t.Parallel()
	const most = 3
	all := New(most)
	for seed := range byte(6) {
		private := keyOf(seed)
		signature := ed25519.Sign(private, []byte("m"))
		for n := range 2 * often {
			if !all.Verify(private.Public().(ed25519.PublicKey), []byte("m"), signature) {
				t.Fatal("a good signature is not taken")
			}
			if kept := all.kept.Load(); n < often-1 && kept != nil && (*kept)[key(private.Public().(ed25519.PublicKey))] != nil {
				t.Fatal("a table was made for a key that had not come often")
			}
		}
	}
	kept := *all.kept.Load()
	if len(kept) != most {
		t.Fatalf("%d tables are kept", len(kept))
	}
	for seed := byte(3); seed < 6; seed++ {
		if kept[key(keyOf(seed).Public().(ed25519.PublicKey))] == nil {
			t.Errorf("that of key %d is not", seed)
		}
	}
}

func TestWithoutRoomThereAreNoTables(t *testing.T) {
	t.Parallel()
	var none Tables
	private := keyOf(1)
	signature := ed25519.Sign(private, []byte("m"))
	for range 2 * often {
		if !none.Verify(private.Public().(ed25519.PublicKey), []byte("m"), signature) {
			t.Fatal("a good signature is not taken")
		}
	}
	if none.kept.Load() != nil || none.seen != nil {
		t.Error("something is kept")
	}
}

func TestManyVerifyAtOnce(t *testing.T) {
	t.Parallel()
	all := New(2)
	var group sync.WaitGroup
	for seed := range byte(4) {
		for range 2 {
			group.Go(func() {
				private := keyOf(seed)
				signature := ed25519.Sign(private, []byte("m"))
				for range 3 * often {
					if !all.Verify(private.Public().(ed25519.PublicKey), []byte("m"), signature) || all.Verify(private.Public().(ed25519.PublicKey), []byte("n"), signature) {
						t.Error("an answer is wrong")
						return
					}
				}
			})
		}
	}
	group.Wait()
}

// FuzzVerify has keys, messages and signatures that nobody made in earnest; those of a seed are good, and then changed.
func FuzzVerify(f *testing.F) {
	f.Add(byte(1), []byte("m"), []byte{}, []byte{})
	f.Add(byte(1), []byte("m"), []byte{1}, []byte{})
	f.Add(byte(2), []byte(""), []byte{}, bytes.Repeat([]byte{0xff}, 32))
	f.Fuzz(func(t *testing.T, seed byte, message, flip, public []byte) {
		private := keyOf(seed)
		signature := ed25519.Sign(private, message)
		for i, b := range flip[:min(len(flip), len(signature))] {
			signature[i] ^= b
		}
		if len(public) != ed25519.PublicKeySize {
			public = private.Public().(ed25519.PublicKey)
		}
		agree(t, public, message, signature)
	})
}

// BenchmarkVerify is beside the floor: crypto/ed25519.
func BenchmarkVerify(b *testing.B) {
	private := keyOf(1)
	public := private.Public().(ed25519.PublicKey)
	message := bytes.Repeat([]byte{'m'}, 300)
	signature := ed25519.Sign(private, message)
	for name, verify := range map[string]func(ed25519.PublicKey, []byte, []byte) bool{"standard": ed25519.Verify, "tabled": New(1).Verify} {
		b.Run(name, func(b *testing.B) {
			for range often {
				verify(public, message, signature)
			}
			for b.Loop() {
				if !verify(public, message, signature) {
					b.Fatal("it does not hold")
				}
			}
		})
	}
}
