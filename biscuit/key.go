package biscuit

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
)

// Algorithm is how a key signs. The values are those of the wire.
type Algorithm uint32

const (
	Ed25519   Algorithm = 0
	Secp256r1 Algorithm = 1 // ECDSA with SHA-256 over NIST P-256
)

func (a Algorithm) String() string {
	switch a {
	case Ed25519:
		return "ed25519"
	case Secp256r1:
		return "secp256r1"
	}
	return fmt.Sprintf("algorithm %d", uint32(a))
}

// PublicKey is a key that signs blocks. It can be compared with ==; the zero value is no key.
type PublicKey struct {
	algorithm Algorithm
	bytes     string // 32 bytes of Ed25519, or the 33 bytes of a compressed point
}

// NewPublicKey takes the bytes of a key: the 32 of Ed25519, or the 33 of a compressed point of
// secp256r1. Keys of small order, with which anybody could sign, are refused.
func NewPublicKey(algorithm Algorithm, key []byte) (PublicKey, error) {
	switch algorithm {
	case Ed25519:
		if len(key) != ed25519.PublicKeySize {
			return PublicKey{}, malformed("a key of Ed25519 has 32 bytes, this one %d", len(key))
		}
		if smallOrder(key) {
			return PublicKey{}, malformed("a key of Ed25519 is of small order: anybody could sign with it")
		}
	case Secp256r1:
		if _, err := decompress(key); err != nil {
			return PublicKey{}, malformed("a key of secp256r1 is no compressed point of the curve")
		}
	default:
		return PublicKey{}, fmt.Errorf("%w: keys of %v", ErrVersion, algorithm)
	}
	return PublicKey{algorithm: algorithm, bytes: string(key)}, nil
}

// ParseKey reads a public key as Datalog spells it: ed25519/ or secp256r1/ and hexadecimal digits.
func ParseKey(text string) (PublicKey, error) {
	name, digits, _ := strings.Cut(text, "/")
	key, err := hex.DecodeString(digits)
	if err != nil || len(key) == 0 {
		return PublicKey{}, fmt.Errorf("%w: a key is written ed25519/ or secp256r1/ and hexadecimal digits", ErrDatalog)
	}
	switch name {
	case "ed25519":
		return NewPublicKey(Ed25519, key)
	case "secp256r1":
		return NewPublicKey(Secp256r1, key)
	}
	return PublicKey{}, fmt.Errorf("%w: a key is of ed25519 or secp256r1", ErrDatalog)
}

// String is the key as ParseKey reads it.
func (k PublicKey) String() string {
	return k.algorithm.String() + "/" + hex.EncodeToString([]byte(k.bytes))
}

// Algorithm is how the key signs.
func (k PublicKey) Algorithm() Algorithm { return k.algorithm }

// Bytes are the bytes that NewPublicKey takes.
func (k PublicKey) Bytes() []byte { return []byte(k.bytes) }

// verify tells whether the key signed the message.
func (k PublicKey) verify(message, signature []byte) bool {
	switch k.algorithm {
	case Ed25519:
		return len(k.bytes) == ed25519.PublicKeySize && ed25519.Verify(ed25519.PublicKey(k.bytes), message, signature)
	case Secp256r1:
		key, err := decompress([]byte(k.bytes))
		if err != nil {
			return false
		}
		digest := sha256.Sum256(message)
		return ecdsa.VerifyASN1(key, digest[:], signature)
	}
	return false
}

// holds tells whether secret is the private half of the key.
func (k PublicKey) holds(secret []byte) bool {
	switch k.algorithm {
	case Ed25519:
		return len(secret) == ed25519.SeedSize && string(ed25519.NewKeyFromSeed(secret)[ed25519.SeedSize:]) == k.bytes
	case Secp256r1:
		private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
		if err != nil {
			return false
		}
		key, err := decompress([]byte(k.bytes))
		return err == nil && private.PublicKey.Equal(key)
	}
	return false
}

// decompress is the key of secp256r1 whose compressed point is given.
func decompress(point []byte) (*ecdsa.PublicKey, error) {
	x, y := elliptic.UnmarshalCompressed(elliptic.P256(), point)
	if x == nil {
		return nil, ErrFormat
	}
	whole := append(make([]byte, 0, 65), 4)
	whole = append(whole, x.FillBytes(make([]byte, 32))...)
	return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(whole, y.FillBytes(make([]byte, 32))...))
}

// appendSigned writes the key as it is signed in a block: the algorithm as four bytes, little end
// first, and the key.
func (k PublicKey) appendSigned(to []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(to, uint32(k.algorithm)), k.bytes...)
}

// message is the key as a message of the wire.
func (k PublicKey) message() []byte {
	return appendData(appendNumber(nil, 1, uint64(k.algorithm)), 2, k.bytes)
}

func readKey(message []byte) (PublicKey, error) {
	seen := once{what: "a public key"}
	var algorithm uint64
	var bytes []byte
	err := fields(message, seen.what, func(f field) (err error) {
		switch f.number {
		case 1:
			algorithm, err = seen.number(f)
		case 2:
			bytes, err = seen.data(f)
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil {
		err = seen.need(1, 2)
	}
	if err != nil {
		return PublicKey{}, err
	}
	if algorithm > uint64(Secp256r1) {
		return PublicKey{}, fmt.Errorf("%w: keys of algorithm %d", ErrVersion, algorithm)
	}
	return NewPublicKey(Algorithm(algorithm), bytes)
}

// twin is the other signature that verifies wherever this one does: of ECDSA, whoever sees (r, s)
// can write (r, n-s). It is nil where there is none.
func (k PublicKey) twin(signature []byte) []byte {
	if k.algorithm != Secp256r1 {
		return nil
	}
	r, s, ok := readECDSA(signature)
	if !ok {
		return nil
	}
	return appendECDSA(r, new(big.Int).Sub(elliptic.P256().Params().N, s))
}

// canonical is the one of a signature and its twin whose s is the smaller.
func (k PublicKey) canonical(signature []byte) []byte {
	twin := k.twin(signature)
	if twin == nil {
		return signature
	}
	_, ours, _ := readECDSA(signature)
	_, theirs, _ := readECDSA(twin)
	if theirs.Cmp(ours) < 0 {
		return twin
	}
	return signature
}

// readECDSA and appendECDSA know the DER of SEQUENCE { r INTEGER, s INTEGER } as VerifyASN1 takes
// it: lengths of one byte.
func readECDSA(der []byte) (r, s *big.Int, ok bool) {
	integer := func() *big.Int {
		if len(der) < 2 || der[0] != 2 || int(der[1]) > len(der)-2 || der[1] > 127 {
			return nil
		}
		value := new(big.Int).SetBytes(der[2 : 2+der[1]])
		der = der[2+der[1]:]
		return value
	}
	if len(der) < 2 || der[0] != 0x30 || int(der[1]) != len(der)-2 || der[1] > 127 {
		return nil, nil, false
	}
	der = der[2:]
	r, s = integer(), integer()
	return r, s, r != nil && s != nil && len(der) == 0
}

func appendECDSA(r, s *big.Int) []byte {
	var body []byte
	for _, value := range []*big.Int{r, s} {
		bytes := value.Bytes()
		if len(bytes) == 0 || bytes[0] >= 0x80 {
			bytes = append([]byte{0}, bytes...)
		}
		body = append(append(body, 2, byte(len(bytes))), bytes...)
	}
	return append([]byte{0x30, byte(len(body))}, body...)
}

// smallOrders are the y coordinates, low byte first and without the sign of x, of the points of
// Ed25519 whose order divides 8, with the encodings of the same that are too large.
var smallOrders = func() map[string]bool {
	set := map[string]bool{}
	for _, digits := range []string{
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	} {
		point, err := hex.DecodeString(digits)
		if err != nil {
			panic(err)
		}
		set[string(point)] = true
	}
	return set
}()

func smallOrder(key []byte) bool {
	var y [32]byte
	copy(y[:], key)
	y[31] &= 0x7f
	return smallOrders[string(y[:])]
}
