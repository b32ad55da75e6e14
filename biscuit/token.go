package biscuit

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
)

// signedBlock is a block with the signatures around it.
type signedBlock struct {
	data      []byte
	next      PublicKey // signs what comes after
	signature []byte
	version   uint64 // of what is signed
	external  *external
}

// external is the signature of a third party.
type external struct {
	key       PublicKey
	signature []byte
}

// Token is a token as it was read: whole and understood, its signatures not yet verified. It can be
// looked at, and attenuated by whoever holds it; only what Verify returns can be relied upon.
type Token struct {
	rootKeyID *uint32
	signed    []signedBlock
	secret    []byte // the private half of the last block's next key, or
	final     []byte // the signature that seals the token
	blocks    []block
	tables    *tables // of the authority block and all others that are not of third parties
}

// block is what a block says.
type block struct {
	statements
	version int
	context string
	by      PublicKey // the third party that signed it; zero for none
}

// ParseText reads a token in base64, url-safe or standard, with or without padding and the prefix
// biscuit:, and what Parse says of it holds.
func ParseText(text string) (*Token, error) {
	text = strings.TrimRight(strings.TrimPrefix(strings.TrimSpace(text), "biscuit:"), "=")
	if base64.RawURLEncoding.DecodedLen(len(text)) > MaxSize {
		return nil, malformed("it is larger than %d bytes", MaxSize)
	}
	encoding := base64.RawURLEncoding
	if strings.ContainsAny(text, "+/") {
		encoding = base64.RawStdEncoding
	}
	raw, err := encoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil, malformed("it is no base64")
	}
	return Parse(raw)
}

// Parse reads a serialised token, and everything that its blocks say. Errors are ErrFormat or
// ErrVersion.
func Parse(raw []byte) (*Token, error) {
	if len(raw) > MaxSize {
		return nil, malformed("it is larger than %d bytes", MaxSize)
	}
	t := &Token{}
	if err := t.readEnvelope(raw); err != nil {
		return nil, err
	}
	if err := t.readBlocks(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Token) readEnvelope(raw []byte) error {
	seen := once{what: "a token"}
	var authority []signedBlock
	err := fields(raw, seen.what, func(f field) error {
		if f.number == 1 {
			id, err := seen.number(f)
			if err == nil && id > 1<<32-1 {
				err = malformed("the number of the root key has more than 32 bits")
			}
			short := uint32(id)
			t.rootKeyID = &short
			return err
		}
		data, err := seen.element(f)
		if err != nil {
			return err
		}
		var b signedBlock
		switch f.number {
		case 2:
			if err = seen.mark(f); err == nil {
				b, err = readSigned(data)
				authority = append(authority, b)
			}
		case 3:
			b, err = readSigned(data)
			if t.signed = append(t.signed, b); len(t.signed) >= MaxBlocks {
				err = malformed("it has more than %d blocks", MaxBlocks)
			}
		case 4:
			if err = seen.mark(f); err == nil {
				err = t.readProof(data)
			}
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil {
		err = seen.need(2, 4)
	}
	if err != nil {
		return err
	}
	if authority[0].external != nil {
		return malformed("the authority block has the signature of a third party")
	}
	t.signed = append(authority, t.signed...)
	return nil
}

func readSigned(message []byte) (signedBlock, error) {
	var it signedBlock
	seen := once{what: "a signed block"}
	err := fields(message, seen.what, func(f field) (err error) {
		if f.number == 5 {
			if it.version, err = seen.number(f); err == nil && it.version > 1 {
				err = fmt.Errorf("%w: a signature of version %d; versions 0 and 1 are", ErrVersion, it.version)
			}
			return err
		}
		data, err := seen.data(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			it.data = data
		case 2:
			it.next, err = readKey(data)
		case 3:
			it.signature = data
		case 4:
			it.external, err = readExternal(data)
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil {
		err = seen.need(1, 2, 3)
	}
	if err == nil && it.external != nil && it.version != 1 {
		err = fmt.Errorf("%w: the block of a third party with a signature of version %d; version 1 is", ErrVersion,
			it.version)
	}
	return it, err
}

func readExternal(message []byte) (*external, error) {
	it := &external{}
	seen := once{what: "the signature of a third party"}
	err := fields(message, seen.what, func(f field) error {
		data, err := seen.data(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			it.signature = data
		case 2:
			it.key, err = readKey(data)
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil {
		err = seen.need(1, 2)
	}
	return it, err
}

func (t *Token) readProof(message []byte) error {
	seen := once{what: "the proof"}
	err := fields(message, seen.what, func(f field) error {
		data, err := seen.data(f)
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			t.secret = data
		case 2:
			t.final = data
		default:
			err = seen.unknown(f)
		}
		return err
	})
	if err == nil && (t.secret == nil) == (t.final == nil) {
		err = malformed("the proof has no secret and no final signature, or both")
	}
	return err
}

// readBlocks reads what the blocks say. A block of a third party has tables of its own: who wrote
// it had not seen the token.
func (t *Token) readBlocks() error {
	t.tables = &tables{}
	raws := make([]*rawBlock, len(t.signed))
	t.blocks = make([]block, len(t.signed))
	for i, signed := range t.signed {
		raw, err := readBlock(signed.data)
		if err != nil {
			return inBlock(i, err)
		}
		raws[i] = raw
		its := t.tables
		if signed.external != nil {
			if raw.version < externalVersion {
				return inBlock(i, fmt.Errorf("%w: a block of a third party of version %d, that is possible from %d on",
					ErrVersion, raw.version, externalVersion))
			}
			its = &tables{}
			t.blocks[i].by = signed.external.key
		}
		if err := its.extend(raw.symbols); err != nil {
			return inBlock(i, err)
		}
		if err := its.extendKeys(raw.keys); err != nil {
			return inBlock(i, err)
		}
		read, err := raw.statements(its)
		if err != nil {
			return inBlock(i, err)
		}
		t.blocks[i].statements, t.blocks[i].version, t.blocks[i].context = *read, int(raw.version), raw.context
	}
	return nil
}

func inBlock(i int, err error) error { return fmt.Errorf("block %d: %w", i, err) }

// Bytes is the serialised token.
func (t *Token) Bytes() []byte {
	var to []byte
	if t.rootKeyID != nil {
		to = appendNumber(to, 1, uint64(*t.rootKeyID))
	}
	for i, b := range t.signed {
		message := appendData(nil, 1, b.data)
		message = appendData(message, 2, b.next.message())
		message = appendData(message, 3, b.signature)
		if b.external != nil {
			message = appendData(message, 4,
				appendData(appendData(nil, 1, b.external.signature), 2, b.external.key.message()))
		}
		if b.version > 0 {
			message = appendNumber(message, 5, b.version)
		}
		to = appendData(to, 2+min(1, protoNumber(i)), message)
	}
	if t.final != nil {
		return appendData(to, 4, appendData(nil, 2, t.final))
	}
	return appendData(to, 4, appendData(nil, 1, t.secret))
}

// Text is the serialised token in url-safe base64 with padding, as the official libraries write it.
func (t *Token) Text() string { return base64.URLEncoding.EncodeToString(t.Bytes()) }

// RootKeyID is the number of the root key that the token names, a hint that anybody can write, and
// whether it names one.
func (t *Token) RootKeyID() (uint32, bool) {
	if t.rootKeyID == nil {
		return 0, false
	}
	return *t.rootKeyID, true
}

// Sealed tells whether the token can no longer be attenuated.
func (t *Token) Sealed() bool { return t.final != nil }

// Block is one block of a token, to be shown.
type Block struct {
	Version      int        // of the block's format, 3 to 6
	Context      string     // what its maker wrote beside it
	ThirdParty   *PublicKey // who signed it besides, nil for none
	RevocationID []byte     // the signature of the block
	Code         string     // what it says, as Datalog
}

// Blocks are the blocks of the token, the authority block first.
func (t *Token) Blocks() []Block {
	list := make([]Block, len(t.blocks))
	for i := range t.blocks {
		b := &t.blocks[i]
		list[i] = Block{Version: b.version, Context: b.context, RevocationID: t.signed[i].signature,
			Code: b.statements.String()}
		if by := b.by; by != (PublicKey{}) {
			list[i].ThirdParty = &by
		}
	}
	return list
}

// RevocationIDs are the signatures of the token's blocks, in order. An issuer revokes the token by
// listing one of them. Verified.Revoked says whether one is listed.
func (t *Token) RevocationIDs() [][]byte {
	ids := make([][]byte, len(t.signed))
	for i := range t.signed {
		ids[i] = t.signed[i].signature
	}
	return ids
}

// Verify verifies every signature of the token, from the root key to the proof at its end. The
// error is ErrSignature and says which one failed.
func (t *Token) Verify(root PublicKey) (*Verified, error) {
	key := root
	var buffer []byte
	for i := range t.signed {
		b := &t.signed[i]
		var previous []byte
		if i > 0 {
			previous = t.signed[i-1].signature
		}
		buffer = b.appendPayload(buffer[:0], previous, i == 0)
		if !key.verify(buffer, b.signature) {
			return nil, fmt.Errorf("%w: that of block %d", ErrSignature, i)
		}
		if b.external != nil {
			buffer = appendExternalPayload(buffer[:0], b.data, previous)
			if !b.external.key.verify(buffer, b.external.signature) {
				return nil, fmt.Errorf("%w: that of a third party under block %d", ErrSignature, i)
			}
		}
		key = b.next
	}
	last := &t.signed[len(t.signed)-1]
	switch {
	case t.final != nil:
		if !key.verify(last.appendSealPayload(buffer[:0]), t.final) {
			return nil, fmt.Errorf("%w: the final one, which seals it", ErrSignature)
		}
	case !key.holds(t.secret):
		return nil, fmt.Errorf("%w: the secret at its end does not belong to the key of its last block", ErrSignature)
	}
	return &Verified{Token: t, root: root}, nil
}

// Verified is a token whose signatures verify under a root key.
type Verified struct {
	*Token
	root PublicKey
}

// Root is the key under which the token was verified.
func (v *Verified) Root() PublicKey { return v.root }

// ID names the token whatever was attenuated from it: the signature of its authority block, and of
// the two forms that anybody can write of a signature of secp256r1 always the same.
func (v *Verified) ID() []byte { return v.BlockID(0) }

// BlockID names a block and whatever was attenuated from it, as ID does the token.
func (v *Verified) BlockID(i int) []byte {
	key := v.root
	if i > 0 {
		key = v.signed[i-1].next
	}
	return key.canonical(v.signed[i].signature)
}

// Revoked tells whether an id of the token is listed. Where a signature has a second form, which
// anybody can write, listed is asked for that, too: what is revoked stays revoked.
func (v *Verified) Revoked(listed func(id []byte) bool) bool {
	key := v.root
	for i := range v.signed {
		if listed(v.signed[i].signature) {
			return true
		}
		if twin := key.twin(v.signed[i].signature); twin != nil && listed(twin) {
			return true
		}
		key = v.signed[i].next
	}
	return false
}

// weakSeed refuses the one mistake with seeds that nothing else would show.
func weakSeed(seed []byte) bool {
	return len(seed) != ed25519.SeedSize || string(seed) == string(make([]byte, ed25519.SeedSize))
}
